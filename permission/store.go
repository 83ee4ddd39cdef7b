package permission

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codemode-ls/script"

	"github.com/gofrs/flock"
)

// StoreOptions says where rules live.
type StoreOptions struct {
	// UserDir holds permissions.json (user) and workspaces/<hash>.json; "" keeps
	// nothing but the session's rules.
	UserDir string
	// Folder is the workspace's first folder, or "".
	Folder string
	// Fixed are rules that no file holds: flags, the demo server's.
	Fixed []Rule
	// Changed, when set, is called after rules or problems have changed, by Set or
	// when Rules sees that a file has. It may call Rules, but not Set.
	Changed func()
}

// Store keeps rules in files that people can read and edit (PERM-10). Writes
// are atomic and keep comments and unknown fields; a broken file means "ask for
// everything", is reported, and is never overwritten.
type Store struct {
	mu       sync.Mutex // guards what follows
	options  StoreOptions
	sources  []*source
	session  []Rule
	fixed    []Rule
	known    *Known
	given    *grantsSource
	mine     grants // of the session's rules
	pins     pinsSource
	rules    *Rules
	problems []Problem
	next     chan struct{} // closed at the next change
}

// A source is one file of rules as it was last read.
type source struct {
	path  string
	layer Layer
	state fileState
	file  ruleFile
	text  []byte
	gone  time.Time // when it turned out not to be there any more; zero when it is
}

// fileState reports whether a file may have changed without reading it.
type fileState struct {
	exists   bool
	dangling bool // a link is there, and nothing behind it
	size     int64
	modified time.Time
	info     os.FileInfo
	// settled is false while the file was written so shortly before it was read
	// that another write could leave the same time stamp.
	settled bool
}

// Problem is a broken rules file.
type Problem struct {
	File    string
	Range   script.Range
	Message string
}

// OpenStore reads the files.
func OpenStore(o StoreOptions) *Store {
	s := &Store{options: o, sources: sourcesOf(o), fixed: slices.Clone(o.Fixed), mine: grants{}, pins: pinsSource{pins: pins{}}, next: make(chan struct{})}
	if o.UserDir != "" {
		s.given = &grantsSource{path: filepath.Join(o.UserDir, grantsFile)}
		s.pins.path = filepath.Join(o.UserDir, pinsFile)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reload(true)
	return s
}

func sourcesOf(o StoreOptions) (sources []*source) {
	if o.UserDir != "" {
		sources = append(sources, &source{path: filepath.Join(o.UserDir, "permissions.json"), layer: User})
		if o.Folder != "" {
			sources = append(sources, &source{path: workspaceFile(o.UserDir, o.Folder), layer: Workspace})
		}
	}
	if o.Folder != "" {
		sources = append(sources, &source{path: filepath.Join(o.Folder, ".codemode", "permissions.json"), layer: Repository})
	}
	return sources
}

// File is where rules of a layer are kept; "" for nowhere.
func (s *Store) File(layer Layer) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.sources {
		if f.layer == layer {
			return f.path
		}
	}
	return ""
}

// SetFolder changes the workspace's first folder, and with it two of the files.
// The session's rules stay.
func (s *Store) SetFolder(folder string) {
	s.mu.Lock()
	changed := folder != s.options.Folder
	if changed {
		s.options.Folder = folder
		s.sources = sourcesOf(s.options)
		s.reload(true)
	}
	s.mu.Unlock()
	s.notify(changed)
}

// workspaceFile is where the user's rules for one folder are kept: outside of
// it, so that the folder's own files cannot grant anything. A folder is the same by
// whatever links one comes to it, unless a file is there from when it was not.
func workspaceFile(userDir, folder string) string {
	named := func(folder string) string {
		sum := sha256.Sum256([]byte(filepath.Clean(folder)))
		return filepath.Join(userDir, "workspaces", hex.EncodeToString(sum[:8])+".json")
	}
	path := named(folder)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		if _, err := os.Lstat(path); err != nil {
			return named(real)
		}
	}
	return path
}

// Rules are the rules in force now. It looks at the files again when they have
// changed. The same pointer is returned as long as nothing has.
func (s *Store) Rules() *Rules {
	s.mu.Lock()
	changed := s.reload(false)
	rules := s.rules
	s.mu.Unlock()
	s.notify(changed)
	return rules
}

// Problems are the broken files.
func (s *Store) Problems() []Problem {
	s.mu.Lock()
	changed := s.reload(false)
	problems := slices.Clone(s.problems)
	s.mu.Unlock()
	s.notify(changed)
	return problems
}

// SetFixed replaces the rules that no file holds.
func (s *Store) SetFixed(rules []Rule) {
	s.mu.Lock()
	changed := !slices.Equal(s.fixed, rules)
	s.fixed = slices.Clone(rules)
	if changed {
		s.build()
	}
	s.mu.Unlock()
	s.notify(changed)
}

// Set adds, moves or (with effect "") removes the rule in a layer: session,
// workspace or user. It is in force at once.
func (s *Store) Set(layer Layer, effect Effect, match string) error {
	if effect != "" && !slices.Contains(effects, effect) {
		return fmt.Errorf("unknown effect %q: expected allow, ask, deny or nothing", effect)
	}
	if err := Valid(match); err != nil {
		return fmt.Errorf("%q is not a rule: %w", match, err)
	}
	match = Canonical(match)
	s.mu.Lock()
	err := s.set(layer, effect, match)
	if err == nil && effect == Allow {
		err = s.unpin(match)
	}
	if err == nil {
		s.reload(true)
	}
	s.mu.Unlock()
	s.notify(err == nil)
	return err
}

func (s *Store) set(layer Layer, effect Effect, match string) error {
	if layer == Session {
		s.session = slices.DeleteFunc(s.session, func(r Rule) bool { return Canonical(r.Match) == match })
		if effect != "" {
			s.session = append(s.session, Rule{Effect: effect, Layer: Session, Match: match})
		}
		delete(s.mine, grantKey{Match: match})
		if given := s.known.given(match); effect == Allow && given != nil {
			s.mine[grantKey{Match: match}] = given
		}
		return nil
	}
	if layer != User && layer != Workspace {
		return fmt.Errorf("rules of the layer %q cannot be set here: choose session, workspace or user", layer)
	}
	at := slices.IndexFunc(s.sources, func(f *source) bool { return f.layer == layer })
	if at < 0 {
		return fmt.Errorf("there is no file for rules of the layer %q: no folder is open, or nothing is kept", layer)
	}
	header := ""
	if layer == Workspace {
		// The file's name is a hash; say in it what it is about. A line break in
		// the folder's name would end the comment.
		header = "// Rules for " + strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, filepath.Clean(s.options.Folder)) + "\n"
	}
	// Whom the rule is for is stored first: a rule without that is for the user's own
	// servers.
	path := s.sources[at].path
	if effect == Allow {
		if err := s.grant(s.sources[at], match); err != nil {
			return err
		}
	}
	if err := editFile(path, layer, effect, match, header); err != nil {
		return err
	}
	if effect != Allow {
		return s.given.edit(func(g grants) bool {
			_, there := g[grantKey{path, match}]
			delete(g, grantKey{path, match})
			return there
		})
	}
	return nil
}

// grant stores for which servers a rule is. s.mu is held.
func (s *Store) grant(f *source, match string) error {
	now := s.known.given(match)
	if now == nil {
		return nil
	}
	f.reload(true)
	stood := slices.ContainsFunc(f.file.rules, func(r Rule) bool { return r.Effect == Allow && Canonical(r.Match) == match })
	return s.given.edit(func(g grants) bool {
		key := grantKey{f.path, match}
		before, recorded := g[key]
		if !stood { // removed by hand meanwhile
			before, recorded = nil, false
		}
		after := merge(before, recorded, stood, now)
		if slices.Equal(after, []string{Own}) { // as without a record
			delete(g, key)
			return recorded
		}
		g[key] = after
		return !slices.Equal(before, after)
	})
}

// SetKnown says who has which tool now. Before the first time, rules count for
// names.
func (s *Store) SetKnown(k *Known) {
	s.mu.Lock()
	changed := !s.known.equal(k)
	s.known = k
	if changed {
		s.build()
	}
	s.mu.Unlock()
	s.notify(changed)
}

// lockTimeout is how long another editor may hold the lock of a rules file.
const lockTimeout = 5 * time.Second

// editFile changes one rule of a file.
func editFile(path string, layer Layer, effect Effect, match, header string) error {
	return locked(path, func() error {
		old, err := readText(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s: %w", path, err)
		}
		text, err := edit(old, path, layer, effect, match, header)
		if err != nil || bytes.Equal(text, old) {
			return err
		}
		return writeFile(path, text)
	})
}

// locked does something under the lock of a file, which other processes honour.
func locked(path string, work func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	locked, err := lock.TryLockContext(ctx, 10*time.Millisecond)
	if err != nil || !locked {
		return fmt.Errorf("%s is being written by another process: %w", path, err)
	}
	defer lock.Unlock()
	return work()
}

// notify reports a change to those who watch.
func (s *Store) notify(changed bool) {
	if !changed {
		return
	}
	s.mu.Lock()
	close(s.next)
	s.next = make(chan struct{})
	s.mu.Unlock()
	if changed := s.options.Changed; changed != nil {
		changed()
	}
}

// lookEvery is how often Watch looks at the files.
const lookEvery = 250 * time.Millisecond

// Watch calls changed at once and after each change of the rules until ctx ends.
// Other processes and editors write the files, too. What an operating system reports of
// files would miss some of that: folders that do not exist yet, what is behind links,
// network file systems. A look asks for the state of at most four files, and only while
// somebody watches.
func (s *Store) Watch(ctx context.Context, changed func()) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var seen *Rules
	for {
		s.mu.Lock()
		next := s.next
		s.mu.Unlock()
		if rules := s.Rules(); rules != seen {
			seen = rules
			changed()
		}
		select {
		case <-ctx.Done():
			return
		case <-next:
		case <-look.C:
		}
	}
}

// reload reads the files that may have changed (all says: every one) and says
// whether rules or problems did. s.mu is held.
func (s *Store) reload(all bool) (changed bool) {
	for _, f := range s.sources {
		changed = f.reload(all) || changed
	}
	changed = s.given.reload(all) || changed
	changed = s.pins.reload(all) || changed
	if changed || all {
		s.build()
	}
	return changed || all
}

// build makes the rules in force. s.mu is held.
func (s *Store) build() {
	rules := append(slices.Clone(s.fixed), s.session...)
	s.problems = nil
	for _, f := range s.sources {
		rules = append(rules, f.file.rules...)
		s.problems = append(s.problems, f.file.problems...)
		if f.file.broken {
			rules = append(rules, Rule{
				Effect: Ask, Layer: f.layer, Match: everyTool, File: f.path, Range: f.file.problems[0].Range,
			})
		}
	}
	all := maps.Clone(s.mine)
	if s.given != nil {
		maps.Copy(all, s.given.grants)
		if err := s.given.err; err != nil {
			// Rules that were given for servers of a workspace would count for others.
			s.problems = append(s.problems, Problem{File: s.given.path, Message: err.Error()})
			rules = append(rules, Rule{Effect: Ask, Layer: User, Match: everyTool, File: s.given.path})
		}
	}
	if err := s.pins.err; err != nil { // what has changed since is not known
		s.problems = append(s.problems, Problem{File: s.pins.path, Message: err.Error()})
		rules = append(rules, Rule{Effect: Ask, Layer: User, Match: everyTool, File: s.pins.path})
	}
	s.rules = NewRules(rules)
	s.rules.known, s.rules.grants, s.rules.pins = s.known, all, s.pins.pins
}

// reload reads a file again if it may have changed, and reports whether it has.
func (f *source) reload(force bool) (changed bool) {
	state := stat(f.path)
	if !force && f.state.settled && state.same(f.state) {
		return false
	}
	// The state is taken before the text: a write between the two is seen by the
	// next look.
	file, text := readFile(f.path, f.layer)
	missing := text == nil && !file.broken
	switch {
	case !missing:
		f.gone = time.Time{}
	case f.gone.IsZero():
		f.gone = time.Now()
	}
	if absent := missing && slices.ContainsFunc(f.file.rules, isDenial) && time.Since(f.gone) < absence; absent || file.broken {
		// The denials of the last good reading stay in force (PERM-10).
		state.settled = state.settled && !absent
		denied := map[string]bool{}
		for _, r := range file.rules {
			denied[r.Match] = denied[r.Match] || r.Effect == Deny
		}
		for _, r := range f.file.rules {
			if r.Effect == Deny && !denied[r.Match] {
				file.rules = append(file.rules, r)
			}
		}
	}
	changed = !bytes.Equal(text, f.text) || !slices.Equal(file.problems, f.file.problems) || missing && !slices.Equal(file.rules, f.file.rules)
	f.state, f.file, f.text = state, file, text
	return changed
}

func isDenial(r Rule) bool { return r.Effect == Deny }

// absence is how long a file may be away before its denials are: some editors put
// the old text aside before they write the new one.
const absence = 500 * time.Millisecond

// settling is how old a file's time stamp must be before equal stamps prove that
// nothing was written in between.
const settling = 100 * time.Millisecond

func stat(path string) fileState {
	info, err := os.Lstat(path)
	link := err == nil && info.Mode()&os.ModeSymlink != 0
	if link {
		info, err = os.Stat(path)
	}
	if err != nil {
		return fileState{settled: errors.Is(err, os.ErrNotExist), dangling: link}
	}
	return fileState{
		exists: true, size: info.Size(), modified: info.ModTime(), info: info,
		settled: time.Since(info.ModTime()) > settling,
	}
}

func (a fileState) same(b fileState) bool {
	return a.exists == b.exists && a.dangling == b.dangling && a.size == b.size && a.modified.Equal(b.modified) &&
		(a.info == nil || os.SameFile(a.info, b.info))
}
