package permission

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A rule that allows is about a tool as a person knew it. The tool is pinned when a
// person allows it always, when its server is approved, or when a rule first lets it
// run; one that is no longer what was pinned is asked for once more, and the answer
// pins it again. Hashes are in one file, which decides; texts are in a folder beside
// it, for a person who wants to see what has changed.
const (
	pinsFile    = "pins.json"
	pinsFolder  = "pins"
	pinsVersion = 1
	maxPinsFile = 8 << 20
	maxPinText  = 64 << 10 // bytes of one tool's text; the rest is cut
	maxPinTexts = 4_000    // files; the oldest go first
	// maxPinsOfServer bounds what one server of a workspace can fill the file with.
	maxPinsOfServer = 5_000
)

// A Pin is a tool as it is: Hash identifies it, Text shows it to a person.
type Pin struct {
	Leaf string // full name
	Hash string
	Text func() string
}

type pinKey struct{ Identity, Leaf string }

type pins map[pinKey]string

type storedPins struct {
	Version int         `json:"version"`
	Tools   []storedPin `json:"tools"`
}

type storedPin struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Hash   string `json:"hash"`
}

// A pinsSource is the file as it was last read. Without a path pins are kept in
// memory alone.
type pinsSource struct {
	path  string
	state fileState
	pins  pins
	err   error
}

func readPins(path string) (pins, error) {
	text, err := readBounded(path, maxPinsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return pins{}, nil
	}
	if err != nil {
		return nil, err
	}
	var stored storedPins
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("not understood: %w", err)
	}
	if stored.Version != pinsVersion {
		return nil, fmt.Errorf("version %d is not known to this program", stored.Version)
	}
	all := pins{}
	for _, p := range stored.Tools {
		all[pinKey{p.Server, p.Tool}] = p.Hash
	}
	return all, nil
}

func writePins(path string, all pins) error {
	stored := storedPins{Version: pinsVersion, Tools: make([]storedPin, 0, len(all))}
	for key, hash := range all {
		stored.Tools = append(stored.Tools, storedPin{key.Identity, key.Leaf, hash})
	}
	slices.SortFunc(stored.Tools, func(a, b storedPin) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool))
	})
	text, err := json.Marshal(stored, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if len(text) >= maxPinsFile {
		return fmt.Errorf("%s would be larger than %d bytes: remove it, and tools are pinned as they are then", path, maxPinsFile)
	}
	return writeFile(path, append(bytes.TrimRight(text, "\n"), '\n'))
}

// reload reads the file again if it may have changed, and reports whether it has.
func (f *pinsSource) reload(force bool) bool {
	if f.path == "" {
		return false
	}
	state := stat(f.path)
	if !force && f.state.settled && state.same(f.state) {
		return false
	}
	now, err := readPins(f.path)
	changed := (err == nil) != (f.err == nil) || !maps.Equal(now, f.pins)
	f.state, f.pins, f.err = state, now, err
	return changed
}

// edit changes the pins, under the file's lock.
func (f *pinsSource) edit(change func(pins) (changed bool)) error {
	if f.path == "" {
		next := maps.Clone(f.pins)
		change(next)
		f.pins = next
		return nil
	}
	return locked(f.path, func() error {
		all, err := readPins(f.path)
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		if !change(all) {
			return nil
		}
		return writePins(f.path, all)
	})
}

// textFile is where the text of a pinned tool is kept; "" when it is kept nowhere.
func (f *pinsSource) textFile(hash string) string {
	if _, err := hex.DecodeString(hash); f.path == "" || hash == "" || err != nil {
		return ""
	}
	return filepath.Join(filepath.Dir(f.path), pinsFolder, hash+".txt")
}

// keepText writes the text of a tool. A text that is missing or cut costs a person
// the view of a change, and never the question.
func (f *pinsSource) keepText(p Pin) error {
	path := f.textFile(p.Hash)
	if path == "" || p.Text == nil {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	text := p.Text()
	if len(text) > maxPinText {
		text = text[:maxPinText] + fmt.Sprintf("\n… %d more bytes\n", len(text)-maxPinText)
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f.forgetOldest(dir)
	return os.WriteFile(path, []byte(text), 0o600)
}

func (*pinsSource) forgetOldest(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < maxPinTexts {
		return
	}
	age := func(e os.DirEntry) int64 {
		if info, err := e.Info(); err == nil {
			return info.ModTime().UnixNano()
		}
		return 0
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(age(a), age(b)) })
	for _, e := range entries[:maxPinTexts/10] {
		_ = os.Remove(filepath.Join(dir, e.Name())) // it is kept one time longer
	}
}

// Pin keeps tools as they are: whatever they become, the rules that allow them ask
// once more. first leaves alone those that are pinned already. A tool that no
// server has any more is not pinned.
func (s *Store) Pin(first bool, list ...Pin) error {
	s.mu.Lock()
	var pinned []Pin
	replaced := map[string]bool{}
	err := s.pins.edit(func(all pins) bool {
		counts := map[string]int{}
		for key := range all {
			counts[key.Identity]++
		}
		for _, p := range list {
			server, ok := s.known.tool(p.Leaf)
			key := pinKey{server.Identity, p.Leaf}
			before, there := all[key]
			if !ok || before == p.Hash || there && first || !there && server.Identity != Own && counts[server.Identity] >= maxPinsOfServer {
				continue
			}
			all[key] = p.Hash
			counts[server.Identity]++
			pinned, replaced[before] = append(pinned, p), true
		}
		for _, hash := range all {
			delete(replaced, hash)
		}
		return len(pinned) > 0
	})
	for _, p := range pinned {
		if err == nil {
			err = s.pins.keepText(p)
		}
	}
	for hash := range replaced {
		if path := s.pins.textFile(hash); path != "" && err == nil {
			_ = os.Remove(path) // at worst it is one of the oldest one day
		}
	}
	if len(pinned) > 0 {
		s.reload(true)
	}
	s.mu.Unlock()
	s.notify(err == nil && len(pinned) > 0)
	return err
}

// unpin forgets a tool that a person allows without having seen it as it is: the
// next call pins it. s.mu is held.
func (s *Store) unpin(match string) error {
	p, err := parse(match)
	if err != nil || p.exec {
		return nil
	}
	leaf, ok := p.leaf()
	if !ok {
		return nil
	}
	pinned := slices.ContainsFunc(slices.Collect(maps.Keys(s.pins.pins)), func(key pinKey) bool { return key.Leaf == leaf })
	if !pinned {
		return nil
	}
	given := s.known.given(match)
	return s.pins.edit(func(all pins) bool {
		n := len(all)
		maps.DeleteFunc(all, func(key pinKey, _ string) bool { return key.Leaf == leaf && slices.Contains(given, key.Identity) })
		return len(all) < n
	})
}

// Was is the text of a tool as it was pinned, when it has changed since then; the
// text is "" when it is no longer kept.
func (s *Store) Was(leaf string) (text string, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.rules.Changed(leaf) {
		return "", false
	}
	server, _ := s.known.tool(leaf)
	path := s.pins.textFile(s.rules.pins[pinKey{server.Identity, leaf}])
	if path == "" {
		return "", true
	}
	kept, err := readBounded(path, 2*maxPinText)
	if err != nil {
		return "", true
	}
	return string(kept), true
}

func (k *Known) tool(leaf string) (Server, bool) {
	if k == nil {
		return Server{}, false
	}
	server, ok := k.Tools[leaf]
	return server, ok && server.Tool != ""
}

// Changed reports whether a tool is no longer what was pinned.
func (r *Rules) Changed(leaf string) bool {
	server, ok := r.known.tool(leaf)
	hash, pinned := r.pins[pinKey{server.Identity, leaf}]
	return ok && pinned && hash != server.Tool && !server.MayChange
}

// Unpinned reports whether a tool has never been pinned.
func (r *Rules) Unpinned(leaf string) bool {
	server, ok := r.known.tool(leaf)
	_, pinned := r.pins[pinKey{server.Identity, leaf}]
	return ok && !pinned
}

// Pins reports whether a rule is one that stops counting for a tool that changes. Those
// of one run, and for the demo server, are not.
func (r *Rule) Pins() bool { return r == nil || r.Layer != Flag && r.Layer != Builtin }
