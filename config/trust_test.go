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

// TRUST-1: one answer for a whole workspace refuses what it names, now and later, and
// nothing of another one; a decision on one definition counts more.
func TestTrust1OneAnswerForAWorkspace(t *testing.T) {
	dir := t.TempDir()
	trust := openTrust(t, dir)
	in := func(folder, name string) Server {
		s := server(name)
		s.Folder = folder
		return s
	}
	hook := Hook{Event: "PreToolUse", Command: "x", Layer: Workspace, Folder: "/w"}
	a := in("/w", "a")
	if err := trust.Decide(a, true); err != nil {
		t.Fatal(err)
	}
	if err := trust.RefuseWorkspace("/w/"); err != nil {
		t.Fatal(err)
	}
	for _, trust := range []*Trust{trust, openTrust(t, dir)} { // kept
		if trust.Verdict(in("/w", "new")) != Refused || trust.HookVerdict(hook) != Refused || !trust.WorkspaceRefused("/w") {
			t.Error("not refused")
		}
		if trust.Verdict(a) != Approved || trust.Verdict(in("/w/sub", "new")) != Undecided || trust.Verdict(in("", "new")) != Undecided {
			t.Error("it refuses what it does not name")
		}
	}
	b := in("/w", "b")
	if err := trust.Decide(b, true); err != nil || trust.Verdict(b) != Approved || trust.Verdict(in("/w", "c")) != Refused {
		t.Errorf("one approved after all: %v", err)
	}
	if err := trust.ForgetWorkspace("/w"); err != nil || trust.Verdict(in("/w", "c")) != Undecided || trust.Verdict(b) != Approved {
		t.Errorf("forgotten: %v", err)
	}
	// An entry with the workspace's key approves nothing, whoever wrote it.
	if err := trust.store(TrustEntry{Hash: workspaceHash("/w"), Folder: "/w", Approved: true}); err != nil || trust.Verdict(in("/w", "c")) != Undecided {
		t.Error("a whole workspace was approved")
	}
}

// TRUST-1: every definition of a workspace's files and settings belongs to a folder.
func TestTrust1FolderOfDefinitions(t *testing.T) {
	outer := t.TempDir()
	inner := filepath.Join(outer, "inner")
	write(t, filepath.Join(outer, ".mcp.json"), `{"mcpServers":{"o":{"command":"x"}}}`)
	write(t, filepath.Join(inner, ".mcp.json"), `{"mcpServers":{"i":{"command":"x"}}}`)
	write(t, filepath.Join(inner, ".codemode", "hooks.json"), `{"hooks":{"PreToolUse":[{"hooks":[{"command":"x"}]}]}}`)
	c := Load(Sources{Folders: []string{outer, inner}, EditorWorkspace: []byte(`{"mcpServers":{"e":{"command":"x"}}}`), Flags: []string{"f=x"}})
	got := map[string]string{}
	for _, s := range c.Servers {
		got[s.Name] = s.Folder
	}
	if got["o"] != outer || got["i"] != inner || got["e"] != outer || got["f"] != "" {
		t.Errorf("folders: %v", got)
	}
	if len(c.Hooks) != 1 || c.Hooks[0].Folder != inner {
		t.Errorf("hooks: %+v", c.Hooks)
	}
}
