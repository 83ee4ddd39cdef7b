package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("AUDIT_WRITER"); path != "" {
		os.Exit(writeMany(path))
	}
	os.Exit(m.Run())
}

const entriesPerWriter = 300

// writeMany is another process that writes to the same log.
func writeMany(path string) int {
	l := Open(path, Options{MaxBytes: 40_000, Keep: 50})
	for i := range entriesPerWriter {
		if err := l.Append(Entry{Run: os.Getenv("AUDIT_NAME"), Leaf: fmt.Sprintf("mcp__s__t%d", i), Decision: "allow"}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

func entries(t *testing.T, paths ...string) []Entry {
	t.Helper()
	var all []Entry
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
			var e Entry
			if err := json.Unmarshal(s.Bytes(), &e); err != nil {
				t.Fatalf("%s: %v in %q", path, err, s.Text())
			}
			all = append(all, e)
		}
	}
	return all
}

// PERM-11: time, run, leaf, hash and size of arguments, decision and by what; the
// arguments themselves are not in it, and nobody else can read it.
func TestPerm11Entry(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "audit.jsonl")
	l := Open(path, Options{})
	defer l.Close()
	before := time.Now().Add(-time.Millisecond)
	arguments := []byte(`{"password":"hunter2-is-secret"}`)
	if err := l.Append(Entry{
		Run: "R1", Session: "default", Leaf: "mcp__a__b", Arguments: HashOf(arguments), Decision: "deny",
		By: By{Kind: "rule", Rule: "mcp__a__*", Layer: "user", File: "/p.json", Line: 3},
	}); err != nil {
		t.Fatal(err)
	}
	got := entries(t, path)
	if len(got) != 1 {
		t.Fatalf("%d entries", len(got))
	}
	e := got[0]
	when, err := time.Parse(time.RFC3339Nano, e.Time)
	if err != nil || when.Before(before) || time.Since(when) > time.Minute {
		t.Errorf("time %q: %v", e.Time, err)
	}
	// printf '{"password":"hunter2-is-secret"}' | sha256sum
	if e.Arguments.Bytes != 32 || e.Arguments != HashOf(arguments) || len(e.Arguments.SHA256) != 64 {
		t.Errorf("arguments: %+v", e.Arguments)
	}
	if e.Run != "R1" || e.Leaf != "mcp__a__b" || e.Decision != "deny" || e.By.Rule != "mcp__a__*" || e.By.Line != 3 || e.PID != os.Getpid() {
		t.Errorf("entry: %+v", e)
	}
	for _, p := range []string{path, filepath.Dir(path)} {
		info, err := os.Stat(p)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", p, info.Mode(), err)
		}
	}
}

// Several processes and goroutines lose no entry and tear no line, also while
// the file is rotated again and again.
func TestPerm11ConcurrentProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var wg sync.WaitGroup
	const processes = 4
	for i := range processes {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "AUDIT_WRITER="+path, fmt.Sprintf("AUDIT_NAME=p%d", i))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	own := Open(path, Options{MaxBytes: 40_000, Keep: 50})
	defer own.Close()
	for i := range 4 {
		wg.Go(func() {
			for range 50 {
				if err := own.Append(Entry{Run: fmt.Sprintf("g%d", i), Leaf: "mcp__s__t", Decision: "deny"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	var logs []string
	for _, f := range files {
		if !strings.HasSuffix(f, ".lock") {
			logs = append(logs, f)
		}
	}
	if len(logs) < 3 {
		t.Errorf("rotated into %d files only", len(logs))
	}
	count := map[string]int{}
	for _, e := range entries(t, logs...) {
		count[e.Run]++
	}
	for i := range processes {
		if n := count[fmt.Sprintf("p%d", i)]; n != entriesPerWriter {
			t.Errorf("process %d: %d entries of %d", i, n, entriesPerWriter)
		}
	}
	for i := range 4 {
		if n := count[fmt.Sprintf("g%d", i)]; n != 50 {
			t.Errorf("goroutine %d: %d entries of 50", i, n)
		}
	}
}

func TestRotationKeepsTheNewest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := Open(path, Options{MaxBytes: 1000, Keep: 2})
	defer l.Close()
	for i := range 60 {
		if err := l.Append(Entry{Run: fmt.Sprint(i), Leaf: "mcp__s__t", Decision: "allow"}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() > 1000 {
			t.Fatalf("%v %v", info, err)
		}
	}
	all := entries(t, path+".2", path+".1", path)
	for i, e := range all {
		if want := fmt.Sprint(60 - len(all) + i); e.Run != want {
			t.Fatalf("entry %d is of run %s, want %s", i, e.Run, want)
		}
	}
	if _, err := os.Stat(path + ".3"); err == nil {
		t.Error("a third old file is kept")
	}
}

// A line that was cut off spoils no other.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(path, []byte(`{"time":"2026`), 0o644); err != nil {
		t.Fatal(err)
	}
	l := Open(path, Options{})
	defer l.Close()
	for range 2 {
		if err := l.Append(Entry{Leaf: "mcp__s__t", Decision: "allow"}); err != nil {
			t.Fatal(err)
		}
	}
	// Another process is cut off while this one has the file open.
	other, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.WriteString(`{"time":"2026`); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(Entry{Leaf: "mcp__s__t", Decision: "allow"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != 5 || lines[0] != `{"time":"2026` || !json.Valid([]byte(lines[1])) || !json.Valid([]byte(lines[2])) || lines[3] != lines[0] || !json.Valid([]byte(lines[4])) {
		t.Errorf("%q", lines)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// A line that another process is just writing is not one that was cut off.
func TestLineInTheMaking(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("lines are not locked there")
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	synctest.Test(t, func(t *testing.T) {
		other, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		_, unlock := lockLines(other)
		if _, err := other.WriteString(`{"time":`); err != nil {
			t.Fatal(err)
		}
		l := Open(path, Options{})
		defer l.Close()
		done := make(chan error)
		go func() { done <- l.Append(Entry{Leaf: "mcp__s__t", Decision: "allow"}) }()
		synctest.Wait()
		if _, err := other.WriteString("\"2026\"}\n"); err != nil {
			t.Fatal(err)
		}
		unlock()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if all := entries(t, path); len(all) != 2 || all[0].Time != "2026" || all[1].Leaf != "mcp__s__t" {
			t.Errorf("%+v", all)
		}

		// One that never ends it holds nobody up for ever.
		_, unlock = lockLines(other)
		defer unlock()
		if err := l.Append(Entry{Leaf: "mcp__s__u", Decision: "allow"}); err != nil {
			t.Fatal(err)
		}
		if all := entries(t, path); len(all) != 3 {
			t.Errorf("%+v", all)
		}
	})
}

func TestOddPlacesAreErrors(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "elsewhere")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "audit.jsonl")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, folder, filepath.Join(target, "x")} {
		l := Open(path, Options{})
		if err := l.Append(Entry{Leaf: "Exec", Decision: "deny"}); err == nil {
			t.Errorf("%s: an entry was written", path)
		}
		l.Close()
	}
	if data, err := os.ReadFile(target); err != nil || len(data) > 0 {
		t.Errorf("written through a link: %q %v", data, err)
	}
}

func BenchmarkAppend(b *testing.B) {
	l := Open(filepath.Join(b.TempDir(), "audit.jsonl"), Options{})
	defer l.Close()
	for b.Loop() {
		if err := l.Append(Entry{Run: "R", Leaf: "mcp__server__tool", Decision: "allow", By: By{Kind: "rule", Rule: "mcp__*__*"}}); err != nil {
			b.Fatal(err)
		}
	}
}

// PERM-11: the newest decisions are read first; a torn line is no entry.
func TestLast(t *testing.T) {
	l := Open(filepath.Join(t.TempDir(), "state", "audit.jsonl"), Options{})
	if got, err := l.Last(5); err != nil || len(got) != 0 {
		t.Fatalf("of no file: %v, %v", got, err)
	}
	for _, leaf := range []string{"one", "two", "three"} {
		if err := l.Append(Entry{Leaf: leaf, Decision: "allow", By: By{Kind: "answer"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"leaf":"torn","deci`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := l.Last(2)
	if err != nil || len(got) != 2 || got[0].Leaf != "three" || got[1].Leaf != "two" {
		t.Errorf("%+v, %v", got, err)
	}
}
