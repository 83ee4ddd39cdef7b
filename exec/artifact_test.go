package exec

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codemode-ls/config"
	"codemode-ls/sandbox"
)

// A cabinet is a directory of artifacts, a clock, and processes that use it.
type cabinet struct {
	t      *testing.T
	dir    string
	now    time.Time
	limits config.Limits
}

func newCabinet(t *testing.T) *cabinet {
	c := &cabinet{t: t, dir: filepath.Join(t.TempDir(), "artifacts"), now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), limits: config.DefaultLimits()}
	c.limits.ArtifactDays, c.limits.ArtifactMB = 14, 3
	return c
}

// process is one that writes to the cabinet; locks of files are between open
// files, so that two in one process are as good as two processes.
func (c *cabinet) process() *Runner {
	r := &Runner{ArtifactDir: c.dir, Limits: func() config.Limits { return c.limits }}
	r.artifacts.now = func() time.Time { return c.now }
	c.t.Cleanup(r.artifacts.release)
	return r
}

// old is an artifact of a session that is over, so many days old.
func (c *cabinet) old(session, text string, days int) string {
	c.t.Helper()
	r := c.process()
	path := c.keep(r, session, text)
	r.artifacts.release()
	c.age(path, days)
	return path
}

func (c *cabinet) keep(r *Runner, session, text string) string {
	c.t.Helper()
	path := r.keepArtifact(session, text)
	if path == "" {
		c.t.Fatal("not kept")
	}
	c.age(path, 0)
	return path
}

func (c *cabinet) age(path string, days int) {
	c.t.Helper()
	at := c.now.Add(-time.Duration(days)*24*time.Hour - time.Minute)
	if err := os.Chtimes(path, at, at); err != nil {
		c.t.Fatal(err)
	}
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestOut5AFolderPerSessionForItsOwner(t *testing.T) {
	c := newCabinet(t)
	r := c.process()
	one, two, again := c.keep(r, "one", "text"), c.keep(r, "../../two", "text"), c.keep(r, "one", "text")
	if one != again || filepath.Dir(one) == filepath.Dir(two) {
		t.Errorf("%s, %s, %s", one, two, again)
	}
	for path, want := range map[string]os.FileMode{c.dir: 0o700, filepath.Dir(one): 0o700, filepath.Dir(two): 0o700, one: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		if rel, err := filepath.Rel(c.dir, path); err != nil || strings.HasPrefix(rel, "..") {
			t.Errorf("%s is outside", path)
		}
	}
	if err := os.Chmod(filepath.Dir(one), 0o755); err != nil {
		t.Fatal(err)
	}
	c.keep(r, "one", "more")
	if info, err := os.Stat(filepath.Dir(one)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a folder that others could look into: %v, %v", info.Mode(), err)
	}
}

func TestOut5Retention(t *testing.T) {
	c := newCabinet(t)
	stale, fresh := c.old("a", "stale", 15), c.old("a", "fresh", 13)
	alone := c.old("b", "alone", 15)
	r := c.process()
	r.CleanArtifacts()
	if there(stale) || !there(fresh) || there(alone) {
		t.Errorf("stale %v, fresh %v, alone %v", there(stale), there(fresh), there(alone))
	}
	if there(filepath.Dir(alone)) {
		t.Error("an empty folder is left")
	}
	// A process that lives long cleans now and then.
	c.now = c.now.Add(2 * 24 * time.Hour)
	r.CleanArtifacts()
	if there(fresh) {
		t.Error("what became too old is still there")
	}
}

func TestOut5TotalSize(t *testing.T) {
	c := newCabinet(t)
	megabyte := strings.Repeat("m", 1<<20)
	oldest, middle := c.old("a", megabyte+"1", 3), c.old("b", megabyte+"2", 2)
	used := c.process()
	running := c.keep(used, "running", megabyte+"3") // older than all, and in use
	c.age(running, 9)
	newest := c.old("c", "small", 1)
	c.process().CleanArtifacts()
	if there(oldest) || !there(middle) || !there(running) || !there(newest) {
		t.Errorf("oldest %v, middle %v, running %v, newest %v", there(oldest), there(middle), there(running), there(newest))
	}
}

// OUT-5: cleaning never touches a running session, of another process neither.
func TestOut5NeverARunningSession(t *testing.T) {
	c := newCabinet(t)
	c.limits.ArtifactMB = 0
	other := c.process()
	theirs := c.keep(other, "theirs", "text")
	c.age(theirs, 400)
	mine := c.process()
	own := c.keep(mine, "mine", "text")
	c.age(own, 400)
	shared := c.keep(other, "mine", "more")
	for range 3 {
		c.now = c.now.Add(2 * cleanEvery)
		mine.CleanArtifacts()
	}
	if !there(theirs) || !there(own) || !there(shared) {
		t.Fatal("an artifact of a running session is gone")
	}
	mine.artifacts.release()
	c.now = c.now.Add(2 * cleanEvery)
	c.process().CleanArtifacts()
	if !there(own) {
		t.Error("another process still uses the session")
	}
	other.artifacts.release()
	c.process().CleanArtifacts()
	if there(theirs) || there(own) || there(shared) {
		t.Error("what nobody uses any more is still there")
	}
}

func TestOut5CleaningLeavesTheRestAlone(t *testing.T) {
	c := newCabinet(t)
	c.limits.ArtifactMB = 0
	c.old("a", "text", 100)
	outside := filepath.Join(t.TempDir(), "file.txt")
	foreign := filepath.Join(c.dir, "notes", "file.txt")
	for _, path := range []string{outside, foreign} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(c.dir, short([]byte("linked")))
	if err := os.Symlink(filepath.Dir(outside), link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	c.process().CleanArtifacts()
	if !there(outside) || !there(foreign) {
		t.Error("a file that is none of ours is gone")
	}
	if r := c.process(); r.keepArtifact("linked", "text") != "" {
		t.Error("written through a link that leads outside")
	}
}

// OUT-5 with real processes: one holds a session, is killed, and leaves it free.
func TestOut5OtherProcess(t *testing.T) {
	c := newCabinet(t)
	c.limits.ArtifactMB = 0
	child := exec.Command(os.Args[0], "-test.run=^TestOut5Holder$", "-test.v")
	child.Env = append(os.Environ(), "CODEMODE_TEST_ARTIFACTS="+c.dir)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(said.String(), "holding\n") {
		n, err := out.Read(buffer)
		said.Write(buffer[:n])
		if err != nil {
			t.Fatalf("%v: %s", err, said.String())
		}
	}
	_, path, _ := strings.Cut(strings.Split(said.String(), "holding\n")[0], "path ")
	path = strings.TrimSpace(path)
	c.age(path, 400)
	c.process().CleanArtifacts()
	if !there(path) {
		t.Error("the artifact of a living process is gone")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	_ = child.Wait()
	c.process().CleanArtifacts()
	if there(path) {
		t.Error("the artifact of a dead process is still there")
	}
}

// TestOut5Holder is the other process.
func TestOut5Holder(t *testing.T) {
	dir := os.Getenv("CODEMODE_TEST_ARTIFACTS")
	if dir == "" {
		t.Skip("not the child of TestOut5OtherProcess")
	}
	r := &Runner{ArtifactDir: dir, Limits: config.DefaultLimits}
	path := r.keepArtifact("session", "text")
	os.Stdout.WriteString("path " + path + "\nholding\n")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the parent ends
}

// A run that ends leaves its session's folder to its process.
func TestOut5HeldUntilClose(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.host.Log("log", strings.Repeat("long ", 1000))
		return completed(`1`)
	})
	limits := config.DefaultLimits()
	limits.ArtifactMB = 0
	b.Limits = func() config.Limits { return limits }
	r := b.run(t, Request{MaxOutputTokens: 20})
	clean := func() { (&Runner{ArtifactDir: b.ArtifactDir, Limits: b.Limits}).CleanArtifacts() }
	clean()
	if !there(r.Truncated.Artifact) {
		t.Error("it is gone while its process lives")
	}
	b.Close()
	clean()
	if there(r.Truncated.Artifact) {
		t.Error("it is still there")
	}
}
