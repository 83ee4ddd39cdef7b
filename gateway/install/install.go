// Package install writes the gateway into the configuration of other programs, and takes
// it out again, without touching anything else in their files.
package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codemode-ls/config"
)

// ServerName is what the gateway is called in a client's configuration.
const ServerName = "codemode"

// A Target is a client that the gateway can be written into.
type Target struct {
	Name, Title string
	// Files are where it may have its configuration; the first one that exists counts.
	Files []string

	format  format
	servers []string             // where the servers are, as a path of names
	entry   func(Command) []pair // what the gateway's definition says, in order
	client  *config.Client       // nil: this program does not read its files, so nothing can be moved
}

// Command starts the gateway.
type Command struct {
	Program string
	Args    []string
}

// pair is a member of a definition: a string, a bool, a number or a list of strings.
type pair struct {
	name  string
	value any
}

// plain is what most clients call things.
func plain(c Command) []pair { return []pair{{"command", c.Program}, {"args", c.Args}} }

// with is plain with more.
func with(more ...pair) func(Command) []pair {
	return func(c Command) []pair { return append(plain(c), more...) }
}

// entries are how each client writes the gateway down. A client that shows a model the
// names of tools alone until it asks is told to show this one's tool at once.
var entries = map[string]func(Command) []pair{
	"claude-code": func(c Command) []pair {
		return append(append([]pair{{"type", "stdio"}}, plain(c)...), pair{"alwaysLoad", true})
	},
	"claude-desktop": plain,
	"cursor":         plain,
	"windsurf":       plain,
	"jetbrains":      plain,
	"cline":          plain,
	"gemini-cli":     plain,
	"vscode":         func(c Command) []pair { return append([]pair{{"type", "stdio"}}, plain(c)...) },
	"zed":            func(c Command) []pair { return append([]pair{{"source", "custom"}}, plain(c)...) },
	"codex":          with(pair{"startup_timeout_sec", 30}),
	"opencode": func(c Command) []pair {
		// The timeout is for listing tools, which waits for servers that start.
		return []pair{{"type", "local"}, {"command", append([]string{c.Program}, c.Args...)}, {"enabled", true}, {"timeout", 30000}}
	},
}

// Targets are all clients that the gateway can be written into.
func Targets(s config.Sources) []Target {
	var list []Target
	for _, c := range config.Clients() {
		if entries[c.Name] == nil {
			continue
		}
		t := Target{Name: c.Name, Title: c.Title, Files: c.OfUser(s), servers: c.ServersPath(), entry: entries[c.Name], client: &c}
		if c.TOML() {
			t.format = tomlFormat
		}
		list = append(list, t)
	}
	return append(list,
		Target{Name: "qwen", Title: "Qwen Code", Files: []string{filepath.Join(s.Home, ".qwen", "settings.json")}, servers: []string{"mcpServers"}, entry: with(pair{"alwaysLoadTools", true})},
		Target{Name: "continue", Title: "Continue", Files: []string{filepath.Join(s.Home, ".continue", "config.yaml")}, servers: []string{"mcpServers"}, entry: plain, format: yamlFormat})
}

// Find is the target of that name; "gemini" is short for gemini-cli, and the like.
func Find(s config.Sources, name string) (Target, error) {
	var names []string
	for _, t := range Targets(s) {
		if t.Name == name || strings.TrimSuffix(t.Name, "-cli") == name || strings.TrimSuffix(t.Name, "-code") == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Target{}, fmt.Errorf("there is no client %q; there are %s", name, strings.Join(names, ", "))
}

// Print is what a person could write into the client's configuration by hand.
func (t Target) Print(c Command) string {
	edit, err := t.format.add(nil, t.servers, t.entry(c))
	if err != nil {
		return ""
	}
	return string(apply(nil, edit))
}

// A Plan is a change of one file, not yet made.
type Plan struct {
	Target Target
	File   string
	Before []byte // nil when there is no such file
	After  []byte
	// Moved are the names of the servers that are taken over, MovedText the file that has
	// them then.
	Moved     []string
	MovedText []byte

	edits []splice
}

// splice replaces a piece of a file.
type splice struct {
	At       int // in the file before
	Old, New string
}

// apply makes changes, which are in order and apart.
func apply(text []byte, edits []splice) []byte {
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		b.Write(text[at:e.At])
		b.WriteString(e.New)
		at = e.At + len(e.Old)
	}
	b.Write(text[at:])
	return b.Bytes()
}

// Plan works out how the gateway gets into the file, "" for the client's own; with move
// the servers in it are taken over.
func (t Target) Plan(file string, c Command, move bool) (*Plan, error) {
	if file == "" {
		if len(t.Files) == 0 {
			return nil, fmt.Errorf("it is not known where %s has its configuration on this system; name the file with --file", t.Title)
		}
		file = t.Files[0]
		for _, f := range t.Files {
			if _, err := os.Stat(f); err == nil {
				file = f
				break
			}
		}
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // the link stays one
	}
	p := &Plan{Target: t, File: file}
	var err error
	if p.Before, err = os.ReadFile(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the configuration of %s: %w", t.Title, err)
	}
	names, err := t.format.names(p.Before, t.servers)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is not understood, so nothing is changed in it: %w", file, err)
	case slices.Contains(names, ServerName):
		return nil, fmt.Errorf("%s has a server %q already; codemode-ls mcp uninstall --client %s takes it out if mcp install wrote it, else give it another name", file, ServerName, t.Name)
	case move && t.client == nil:
		return nil, fmt.Errorf("the servers of %s cannot be moved: codemode-ls does not read them", t.Title)
	}
	if move && len(names) > 0 {
		p.edits, p.MovedText, err = t.format.replace(p.Before, t.servers, t.entry(c))
		p.Moved = names
	} else {
		p.edits, err = t.format.add(p.Before, t.servers, t.entry(c))
	}
	if err != nil {
		return nil, fmt.Errorf("changing %s: %w", file, err)
	}
	p.After = apply(p.Before, p.edits)
	if after, err := t.format.names(p.After, t.servers); err != nil || !slices.Contains(after, ServerName) || len(p.Moved) > 0 && len(after) != 1 {
		return nil, fmt.Errorf("%s has a form that cannot be changed safely (%v); codemode-ls mcp install --print shows what to add by hand", file, err)
	}
	return p, nil
}

// record is what uninstall has to know.
type record struct {
	File    string   `json:"file"`
	Created bool     `json:"created"` // there was no file before
	Before  []byte   `json:"before"`
	After   string   `json:"after"` // hash
	Edits   []splice `json:"edits"`
	Moved   string   `json:"moved,omitempty"` // the file with the servers that were taken over
}

func recordFile(userDir, client string) string {
	return filepath.Join(userDir, "installed", client+".json")
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Apply makes the change: first what is needed to take it back, then the servers that are
// moved, then the client's file.
func (p *Plan) Apply(userDir string) error {
	now, err := os.ReadFile(p.File)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, p.Before) {
		return fmt.Errorf("%s has changed meanwhile; try again", p.File)
	}
	path := recordFile(userDir, p.Target.Name)
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("the gateway is installed in %s already; codemode-ls mcp uninstall --client %s takes it out", p.Target.Title, p.Target.Name)
	}
	r := record{File: p.File, Created: p.Before == nil, Before: p.Before, After: hash(p.After), Edits: p.edits}
	if len(p.Moved) > 0 {
		r.Moved = config.MovedFile(userDir, p.Target.Name, p.Target.format == tomlFormat)
		if _, err := os.Stat(r.Moved); err == nil {
			return fmt.Errorf("servers of %s were moved before and are in %s; move them back by hand first", p.Target.Title, r.Moved)
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := replaceFile(path, data, 0o600); err != nil {
		return err
	}
	if r.Moved != "" {
		if err := replaceFile(r.Moved, p.MovedText, 0o600); err != nil {
			return errors.Join(err, os.Remove(path))
		}
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(p.File); err == nil {
		mode = info.Mode().Perm()
		if err := replaceFile(p.File+".before-codemode", p.Before, mode); err != nil {
			return err
		}
	}
	return replaceFile(p.File, p.After, mode)
}

// A Reverse takes a change back, not yet made.
type Reverse struct {
	File          string
	Before, After []byte
	record        record
	path          string
}

// Undo works out how the file was, or is without the change.
func (t Target) Undo(userDir string) (*Reverse, error) {
	u := &Reverse{path: recordFile(userDir, t.Name)}
	data, err := os.ReadFile(u.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("the gateway is not installed in %s (by this user)", t.Title)
	}
	if err == nil {
		err = json.Unmarshal(data, &u.record)
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was installed: %w", err)
	}
	u.File = u.record.File
	if u.Before, err = os.ReadFile(u.File); err != nil {
		return nil, fmt.Errorf("reading the configuration of %s: %w", t.Title, err)
	}
	if hash(u.Before) == u.record.After {
		u.After = u.record.Before
		return u, nil
	}
	// Somebody has changed the file since: only the pieces are put back, where it is clear
	// which they are.
	u.After, err = revert(u.Before, u.record)
	if err == nil {
		_, err = t.format.names(u.After, t.servers)
	}
	if err != nil {
		return nil, fmt.Errorf("%s has changed around the gateway's entry (%w); take the entry %q out by hand: %s.before-codemode is the file as it was", u.File, err, ServerName, u.File)
	}
	return u, nil
}

// context is how much around a piece must still be there.
const context = 24

// revert puts back the pieces of a change in a file that has changed since.
func revert(now []byte, r record) ([]byte, error) {
	text := string(now)
	was := string(apply(r.Before, r.Edits))
	shift := 0
	type place struct{ before, piece, after, old string }
	var places []place
	for _, e := range r.Edits {
		at := e.At + shift
		shift += len(e.New) - len(e.Old)
		end := at + len(e.New)
		places = append(places, place{was[max(0, at-context):at], e.New, was[end:min(len(was), end+context)], e.Old})
	}
	for _, p := range slices.Backward(places) {
		found := false
		// What is around a piece may have changed, unless nothing else shows where it was.
		for _, around := range [][2]string{{p.before, p.after}, {p.before, ""}, {"", p.after}, {"", ""}} {
			whole := around[0] + p.piece + around[1]
			if strings.TrimSpace(whole) == "" || p.piece == "" && around[0]+around[1] != p.before+p.after || strings.Count(text, whole) != 1 {
				continue
			}
			text = strings.Replace(text, whole, around[0]+p.old+around[1], 1)
			found = true
			break
		}
		if !found {
			return nil, errors.New("where it was is not clear any more")
		}
	}
	return []byte(text), nil
}

// Apply makes the change.
func (u *Reverse) Apply() error {
	if now, err := os.ReadFile(u.File); err != nil || !bytes.Equal(now, u.Before) {
		return fmt.Errorf("%s has changed meanwhile; try again", u.File)
	}
	if u.record.Created && len(u.After) == 0 {
		if err := os.Remove(u.File); err != nil {
			return err
		}
	} else {
		info, err := os.Stat(u.File)
		if err != nil {
			return err
		}
		if err := replaceFile(u.File, u.After, info.Mode().Perm()); err != nil {
			return err
		}
	}
	for _, path := range []string{u.record.Moved, u.File + ".before-codemode", u.path} {
		if err := os.Remove(path); path != "" && err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// replaceFile writes a file as a whole: a reader sees the old text or the new.
func replaceFile(path string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}
