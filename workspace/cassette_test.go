package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codemode-ls/config"
	"codemode-ls/exec/cassette"
)

// REC-1: cassettes that a client names are under the workspace's folders, links
// that lead out of them followed nowhere.
func TestRec1PathsOfClients(t *testing.T) {
	base := t.TempDir()
	first, second, outside := filepath.Join(base, "first"), filepath.Join(base, "second"), filepath.Join(base, "outside")
	for _, dir := range []string{first, second, outside, filepath.Join(first, "deep")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(first, "out")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret.json"), filepath.Join(first, "link.json")); err != nil {
		t.Fatal(err)
	}
	w := Open(t.Context(), Options{Sources: config.Sources{Folders: []string{first, second}}, Offline: true})
	defer w.Close()
	for _, path := range []string{"a.json", "deep/b.json", filepath.Join(first, "c.json"), filepath.Join(second, "d.json"), "deep/../e.json"} {
		r, err := w.Record(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if _, err := w.Record(path); err == nil || !strings.Contains(err.Error(), "another run") {
			t.Errorf("%s is recorded to twice at once: %v", path, err)
		}
		if err := r.Commit(&cassette.Cassette{Version: cassette.Version, Calls: []cassette.Call{}}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := w.Replay(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		r, err = w.Record(path)
		if err != nil {
			t.Errorf("%s again: %v", path, err)
			continue
		}
		r.Abort()
	}
	if err := os.WriteFile(filepath.Join(outside, "secret.json"), []byte(`{"cassette":1,"calls":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"", ".", "..", "../outside/secret.json", "out/secret.json", "out/new.json", "link.json", filepath.Join(outside, "secret.json"),
		first, "deep", "nowhere/x.json", "a\x00b", "/etc/passwd",
	} {
		if _, err := w.Replay(path); err == nil {
			t.Errorf("%q can be replayed", path)
		}
		if r, err := w.Record(path); err == nil {
			r.Abort()
			t.Errorf("%q can be recorded to", path)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside: %v, %v", entries, err)
	}
	none := Open(t.Context(), Options{Offline: true})
	defer none.Close()
	if _, err := none.Record("a.json"); err == nil || !strings.Contains(err.Error(), "no folder is open") {
		t.Errorf("%v", err)
	}
}
