package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func server(name string) Server {
	return Server{Name: name, Layer: Workspace, File: "/w/.codemode/mcp.json", Command: "node", Args: []string{name}, Transport: Stdio}
}

func openTrust(t *testing.T, dir string) *Trust {
	t.Helper()
	trust, err := OpenTrust(dir)
	if err != nil {
		t.Fatal(err)
	}
	return trust
}

func TestTrust(t *testing.T) { // TRUST-1
	dir := filepath.Join(t.TempDir(), "new", "dir")
	trust := openTrust(t, dir)
	a, b := server("a"), server("b")
	if trust.Verdict(a) != Undecided {
		t.Error("undecided server has a verdict")
	}
	for _, layer := range []Layer{Flag, Editor, User, Demo} {
		own := a
		own.Layer = layer
		if trust.Verdict(own) != Approved {
			t.Errorf("a server of layer %s needs an approval", layer)
		}
	}
	other := openTrust(t, dir) // as another process has it
	if err := trust.Decide(a, true); err != nil {
		t.Fatal(err)
	}
	if err := other.Decide(b, false); err != nil {
		t.Fatal(err)
	}
	for _, trust := range []*Trust{trust, other, openTrust(t, dir)} {
		if trust.Verdict(a) != Approved || trust.Verdict(b) != Refused {
			t.Errorf("verdicts: %v %v", trust.Verdict(a), trust.Verdict(b))
		}
	}
	changed := a
	changed.Args = []string{"a", "--evil"}
	if trust.Verdict(changed) != Undecided {
		t.Error("a changed definition was not asked for again")
	}
	if err := other.Decide(a, false); err != nil {
		t.Fatal(err)
	}
	if trust.Verdict(a) != Refused {
		t.Error("a decision cannot be taken back")
	}
	entries := trust.Entries()
	if len(entries) != 2 || entries[0].Name != "a" || entries[0].Approved || entries[0].Summary != "node a" || entries[0].File != a.File {
		t.Errorf("%+v", entries)
	}
	if runtime.GOOS != "windows" {
		for _, name := range []string{"trust.json", "trust.json.lock"} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
	}
}

func TestBrokenTrustApprovesNothing(t *testing.T) { // TRUST-1
	for _, content := range []string{"{", `{"version": 2, "servers": []}`, `{"version": 1, "servers": {}}`, "\x00"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "trust.json")
		write(t, path, content)
		trust, err := OpenTrust(dir)
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v", content, err)
		}
		a := server("a")
		if trust.Verdict(a) != Undecided {
			t.Errorf("%q approves", content)
		}
		if err := trust.Decide(a, true); err != nil {
			t.Fatal(err)
		}
		if trust.Verdict(a) != Approved || openTrust(t, dir).Verdict(a) != Approved {
			t.Errorf("%q: the decision is lost", content)
		}
		if kept, err := os.ReadFile(path + ".broken"); err != nil || string(kept) != content {
			t.Errorf("%q: not kept: %q %v", content, kept, err)
		}
	}
}

// Nothing decided by several processes at once is lost.
func TestTrustInParallel(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	names := strings.Split("abcdefgh", "")
	for _, name := range names {
		wg.Go(func() {
			trust, err := OpenTrust(dir)
			if err == nil {
				err = trust.Decide(server(name), true)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	trust := openTrust(t, dir)
	for _, name := range names {
		if trust.Verdict(server(name)) != Approved {
			t.Errorf("the decision on %s is lost", name)
		}
	}
}
