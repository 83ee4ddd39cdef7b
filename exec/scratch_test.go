package exec

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Scratch folders that nobody has written to for long go away, those of other
// workspaces too, and nothing that is not ours.
func TestCleanScratch(t *testing.T) {
	all := t.TempDir()
	now := time.Now()
	write := func(age time.Duration, path ...string) string {
		file := filepath.Join(append([]string{all}, path...)...)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for p := file; p != all; p = filepath.Dir(p) {
			if err := os.Chtimes(p, now.Add(-age), now.Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
		return file
	}
	one, other, session, second := short([]byte("1")), short([]byte("2")), short([]byte("s")), short([]byte("t"))
	const day = 24 * time.Hour
	gone := []string{write(9*day, one, session, "sub", "a"), write(9*day, other, session, "a")}
	kept := []string{write(day, one, second, "a"), write(9*day, "notes", session, "a"), write(9*day, one, "notes", "a")}
	cleanScratch(filepath.Join(all, one), now.Add(-7*day))
	for _, f := range gone {
		if _, err := os.Stat(f); err == nil {
			t.Errorf("%s is still there", f)
		}
	}
	for _, f := range kept {
		if _, err := os.Stat(f); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(all, other)); err == nil {
		t.Error("a workspace's empty folder is still there")
	}
	cleanScratch(filepath.Join(t.TempDir(), "nowhere", one), now)
}
