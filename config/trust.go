package config

// Trust remembers which servers of workspace files a person has approved, by
// hash of the whole definition, in a file outside any workspace (TRUST-1).
type Trust struct {
	// unexported: path, lock
}

// OpenTrust reads the approvals kept in dir. A broken file approves nothing and
// is reported by the error; the Trust is usable all the same.
func OpenTrust(dir string) (*Trust, error) { panic("not built") }

// Verdict on a server definition.
type Verdict int

const (
	Undecided Verdict = iota
	Approved
	Refused
)

// Verdict says whether s may be started. Only servers of the Workspace layer
// need an approval.
func (t *Trust) Verdict(s Server) Verdict { panic("not built") }

// Decide stores a person's decision on exactly this definition.
func (t *Trust) Decide(s Server, approve bool) error { panic("not built") }

// TrustEntry is one stored decision.
type TrustEntry struct {
	Name, Hash, File, Summary string
	Approved                  bool
}

// Entries lists the stored decisions by name.
func (t *Trust) Entries() []TrustEntry { panic("not built") }
