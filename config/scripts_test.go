package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// GATE-5, TRUST-1: what is found, whose name counts, and that nothing leads out of a workspace.
func TestGate5FindScripts(t *testing.T) {
	user, folder, other := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(dir, name, text string) string {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(user, "scripts/close.exec.ts", "mine")
	write(user, "scripts/weekly report.exec.js", "report")
	write(user, "scripts/notes.txt", "no script")
	write(user, "scripts/folder.exec.ts/x", "a folder")
	write(folder, ".codemode/scripts/close.exec.ts", "theirs, with the name of mine")
	write(folder, ".codemode/scripts/ours.exec.ts", "ours")
	write(folder, ".codemode/scripts/"+strings.Repeat("x", 50)+".exec.ts", "long name")
	write(folder, ".codemode/scripts/big.exec.ts", strings.Repeat("x", maxScriptBytes+1))
	if err := os.Symlink(write(other, "secret", "secret"), filepath.Join(folder, ".codemode/scripts/link.exec.ts")); err != nil {
		t.Skip(err)
	}
	sources := Sources{UserDir: user, Folders: []string{folder}}
	found, problems := FindScripts(sources)
	var got []string
	for _, s := range found {
		got = append(got, s.Tool+" "+string(s.Layer)+" "+s.Text)
	}
	want := []string{"script__close user mine", "script__weekly_report user report", "script__ours workspace ours"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	all := strings.Join(problems, "\n")
	for _, part := range []string{"folder.exec.ts is not offered to agents: it is not a regular file", "has the name script__close already", "longer than 40", "larger than", "link.exec.ts"} {
		if !strings.Contains(all, part) {
			t.Errorf("no problem has %q:\n%s", part, all)
		}
	}
	stamp := ScriptsStamp(sources)
	write(folder, ".codemode/scripts/new.exec.ts", "new")
	if ScriptsStamp(sources) == stamp {
		t.Error("a new script is not noticed")
	}
	changed := found[2]
	changed.Text += " "
	if changed.Hash() == found[2].Hash() {
		t.Error("a changed script needs no new approval")
	}
}
