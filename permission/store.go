package permission

import "codemode-ls/script"

// StoreOptions says where rules live.
type StoreOptions struct {
	// UserDir holds permissions.json (user) and workspaces/<hash>.json.
	UserDir string
	// Folder is the workspace's first folder, or "".
	Folder string
	// Fixed are rules that no file holds: flags, the demo server's.
	Fixed []Rule
}

// Store keeps rules in files that people can read and edit (PERM-10). Writes
// are atomic and keep comments and unknown fields; a broken file means "ask for
// everything", is reported, and is never overwritten.
type Store struct {
	// unexported
}

// Problem is a broken rules file.
type Problem struct {
	File    string
	Range   script.Range
	Message string
}

// OpenStore reads the files.
func OpenStore(o StoreOptions) *Store { panic("not built") }

// Rules are the rules in force now. It looks at the files again when they have
// changed.
func (s *Store) Rules() *Rules { panic("not built") }

// Problems are the broken files.
func (s *Store) Problems() []Problem { panic("not built") }

// Set adds, moves or (with effect "") removes the rule in a layer: session,
// workspace or user. It is in force at once.
func (s *Store) Set(layer Layer, effect Effect, match string) error { panic("not built") }
