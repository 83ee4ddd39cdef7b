package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofrs/flock"
)

// trustFile is the name of the file with the approvals.
const trustFile = "trust.json"

// Trust remembers which servers of workspace files a person has approved, by
// hash of the whole definition, in a file outside any workspace (TRUST-1). It
// is safe for concurrent use, also by several processes.
type Trust struct {
	path string

	mu      sync.Mutex
	entries map[string]TrustEntry // by hash
	read    fs.FileInfo           // of the file that entries were read from; nil: there was none
}

// OpenTrust reads the approvals kept in dir. A broken file approves nothing and
// is reported by the error; the Trust is usable all the same.
func OpenTrust(dir string) (*Trust, error) {
	t := &Trust{path: filepath.Join(dir, trustFile)}
	return t, t.reload()
}

// Verdict on a server definition.
type Verdict int

const (
	Undecided Verdict = iota
	Approved
	Refused
)

// Verdict reports whether s may be started. Only servers of the Workspace layer
// need an approval. A decision that another process has stored meanwhile counts.
func (t *Trust) Verdict(s Server) Verdict {
	return t.verdict(s.Layer, s.ApprovalHash(), s.Folder)
}

// HookVerdict reports whether h may be run, as Verdict does for servers.
func (t *Trust) HookVerdict(h Hook) Verdict { return t.verdict(h.Layer, h.Hash(), h.Folder) }

// ScriptVerdict reports whether s may be offered to agents, as Verdict does for servers.
func (t *Trust) ScriptVerdict(s Script) Verdict { return t.verdict(s.Layer, s.Hash(), s.Folder) }

// verdict goes by the decision on the definition; where there is none, by the one
// answer for the whole workspace, which can only refuse.
func (t *Trust) verdict(layer Layer, hash, folder string) Verdict {
	if layer != Workspace {
		return Approved
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refresh()
	entry, ok := t.entries[hash]
	switch {
	case !ok && t.refusesAll(folder):
		return Refused
	case !ok:
		return Undecided
	case entry.Approved:
		return Approved
	}
	return Refused
}

// Decide stores a person's decision on exactly this definition.
func (t *Trust) Decide(s Server, approve bool) error {
	return t.decide("server "+strconv.Quote(s.Name), TrustEntry{Name: s.Name, Hash: s.ApprovalHash(), File: s.File, Summary: s.Summary(), Approved: approve})
}

// DecideHook stores a person's decision on exactly this hook.
func (t *Trust) DecideHook(h Hook, approve bool) error {
	return t.decide(h.Name(), TrustEntry{Name: h.Name(), Hash: h.Hash(), File: h.File, Summary: h.Summary(), Approved: approve})
}

// DecideScript stores a person's decision on exactly this script.
func (t *Trust) DecideScript(s Script, approve bool) error {
	return t.decide(s.Name(), TrustEntry{Name: s.Name(), Hash: s.Hash(), File: s.File, Summary: s.Summary(), Approved: approve})
}

func (t *Trust) decide(what string, entry TrustEntry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.store(entry); err != nil {
		return fmt.Errorf("store the decision on %s: %w", what, err)
	}
	return nil
}

// Withdraw refuses what an entry has approved, also when nothing defines it any more.
func (t *Trust) Withdraw(e TrustEntry) error {
	e.Approved = false
	return t.decide(e.Name, e)
}

// RefuseWorkspace stores the answer that nothing which the files of a workspace's folder
// name is to be started, now or later. A decision on one definition counts more.
func (t *Trust) RefuseWorkspace(folder string) error {
	entry := TrustEntry{Hash: workspaceHash(folder), Folder: filepath.Clean(folder), Summary: "nothing that this workspace's files name"}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.store(entry); err != nil {
		return fmt.Errorf("store the answer for the workspace %s: %w", folder, err)
	}
	return nil
}

// ForgetWorkspace takes the answer of RefuseWorkspace back.
func (t *Trust) ForgetWorkspace(folder string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.change(func(entries map[string]TrustEntry) { delete(entries, workspaceHash(folder)) }); err != nil {
		return fmt.Errorf("forget the answer for the workspace %s: %w", folder, err)
	}
	return nil
}

// WorkspaceRefused reports whether the answer of RefuseWorkspace is stored for a folder.
func (t *Trust) WorkspaceRefused(folder string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refresh()
	return t.refusesAll(folder)
}

func (t *Trust) refusesAll(folder string) bool {
	if folder == "" {
		return false
	}
	entry, ok := t.entries[workspaceHash(folder)]
	return ok && !entry.Approved
}

// workspaceHash is the key of the answer for a whole folder. No definition has it.
func workspaceHash(folder string) string {
	h := definitionHash{sha256.New()}
	h.text("codemode-ls workspace answer 1")
	h.text(filepath.Clean(folder))
	return hex.EncodeToString(h.Sum(nil))
}

func (t *Trust) store(entry TrustEntry) error {
	return t.change(func(entries map[string]TrustEntry) { entries[entry.Hash] = entry })
}

// change applies a change to the newest stored decisions. t.mu is held.
func (t *Trust) change(apply func(entries map[string]TrustEntry)) error {
	if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
		return err
	}
	lock := flock.New(t.path+".lock", flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock %s: %w", t.path, err)
	}
	defer lock.Close()
	if err := t.reload(); err != nil {
		// Nothing can be read from it, but a person may want to look at it.
		if err := os.Rename(t.path, t.path+".broken"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	apply(t.entries)
	content, err := json.Marshal(storedTrust{Version: 1, Servers: sorted(t.entries)}, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	if err := writeAtomically(t.path, append(content, '\n')); err != nil {
		return err
	}
	t.read, err = os.Stat(t.path)
	return err
}

// TrustEntry is one stored decision.
type TrustEntry struct {
	Name     string `json:"name"`
	Hash     string `json:"hash"`
	File     string `json:"file,omitzero"`
	Summary  string `json:"summary"`
	Approved bool   `json:"approved"`
	// Folder is that of an answer for a whole workspace, which has no name.
	Folder string `json:"folder,omitzero"`
}

// Entries lists the stored decisions by name.
func (t *Trust) Entries() []TrustEntry {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refresh()
	return sorted(t.entries)
}

func sorted(entries map[string]TrustEntry) []TrustEntry {
	list := make([]TrustEntry, 0, len(entries))
	for _, e := range entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b TrustEntry) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File), cmp.Compare(a.Hash, b.Hash))
	})
	return list
}

type storedTrust struct {
	Version int          `json:"version"`
	Servers []TrustEntry `json:"servers"`
}

// reload reads the file. After an error nothing is approved.
func (t *Trust) reload() error {
	t.entries = map[string]TrustEntry{}
	// Before reading: a change in between is seen the next time.
	t.read, _ = os.Stat(t.path)
	content, err := readFile(t.path)
	if errors.Is(err, errNoFile) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the approvals in %s: %w", t.path, err)
	}
	var stored storedTrust
	if err := json.Unmarshal(content, &stored, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("the approvals in %s are broken, so none counts: %w", t.path, err)
	}
	if stored.Version != 1 {
		return fmt.Errorf("the approvals in %s have version %d, which this program does not know, so none counts", t.path, stored.Version)
	}
	for _, e := range stored.Servers {
		t.entries[e.Hash] = e
	}
	return nil
}

// refresh reads the file again when it is another one than before. What cannot
// be read approves nothing.
func (t *Trust) refresh() {
	now, err := os.Stat(t.path)
	if err != nil && t.read == nil && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil && t.read != nil && os.SameFile(now, t.read) && now.ModTime().Equal(t.read.ModTime()) && now.Size() == t.read.Size() {
		return
	}
	_ = t.reload()
}

// writeAtomically makes readers see the old file or the new one, whole. Only
// the user may read it.
func writeAtomically(path string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(content); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
