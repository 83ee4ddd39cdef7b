package upstream

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codemode-ls/config"
	"codemode-ls/internal/mcptest"
)

func onDemand(dir string) func(*Options) {
	return func(o *Options) {
		o.CacheDir, o.OnDemand, o.Limits.ConnectTimeout = dir, true, 2*time.Second
		o.Redact = func(s string) string { return strings.ReplaceAll(s, "time", "[redacted]") }
	}
}

func all(Status) bool { return true }

// CLI-8: servers are started by what needs them, and their kept lists answer until then.
func TestCli8OnDemand(t *testing.T) {
	dir := t.TempDir()
	used := mcptest.Write(t, `{"tools": [{"name": "echo"}]}`).Config(t, "used")
	unused := mcptest.Write(t, `{"tools": [{"name": "echo"}]}`).Config(t, "unused")
	first := newTestSet(t, onDemand(dir))
	first.configure(used, unused)
	if st := first.Status(); st[0].State != Idle || !st[0].Last.Unknown() {
		t.Fatalf("%+v", st[0])
	}
	if err := first.Ready(testContext(t), func(st Status) bool { return st.Last.Unknown() }, all); err != nil {
		t.Fatal(err)
	}
	if got := first.names(); got != "mcp__used__echo mcp__unused__echo" {
		t.Fatal(got)
	}
	first.Close()

	s := newTestSet(t, onDemand(dir))
	s.configure(used, unused)
	if err := s.Ready(testContext(t), func(st Status) bool { return st.Last.Unknown() }, all); err != nil {
		t.Fatal(err)
	}
	if got := s.names(); got != "mcp__used__echo (cached) mcp__unused__echo (cached)" {
		t.Fatal(got)
	}
	wait, _ := s.Await("mcp__used__echo")
	if wait == nil || s.Status()[0].State != Idle {
		t.Fatal("asking whether to wait has started the server")
	}
	if err := wait(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if st := s.Status(); st[0].State != Connected || st[1].State != Idle || st[1].PID != 0 {
		t.Errorf("%+v", st)
	}
}

// CLI-8: a server that hangs is waited for once, in the first command that needs its
// list; after that the failure is kept.
func TestCli8HangingServer(t *testing.T) {
	dir := t.TempDir()
	hanging := mcptest.Write(t, `{"initializeDelayMs": -1}`).Config(t, "hanging")
	first := newTestSet(t, onDemand(dir))
	first.configure(hanging)
	if err := first.Ready(testContext(t), all, all); err != nil {
		t.Fatal(err)
	}
	if st := first.untilState("hanging", Failed); !st.Last.Failed.IsZero() {
		t.Errorf("%+v", st)
	}
	wait, unavailable := first.Await("mcp__hanging__echo")
	if wait != nil || unavailable == nil {
		t.Error("a second attempt is waited for")
	}
	first.Close()

	s := newTestSet(t, onDemand(dir))
	s.configure(hanging)
	if err := s.Recalled(testContext(t)); err != nil {
		t.Fatal(err)
	}
	last := s.Status()[0].Last
	if last.Unknown() || last.Stale() || !strings.Contains(last.Failure, "[redacted]") || !last.Listed.IsZero() {
		t.Errorf("%+v", last)
	}
	if LastTools(dir, hanging) != nil {
		t.Error("a failure counts as a list of tools")
	}
	// What needs it tries it all the same.
	if wait, _ := s.Await("mcp__hanging__echo"); wait == nil || wait(testContext(t)) == nil {
		t.Error("it is not tried again by a call")
	}
}

// CLI-8: lists are renewed when they are old, not while somebody else renews them.
func TestCli8RenewLists(t *testing.T) {
	dir := t.TempDir()
	fake := mcptest.Write(t, `{"tools": [{"name": "old"}]}`)
	definition := fake.Config(t, "f")
	renew := func() *testSet {
		t.Helper()
		s := newTestSet(t, onDemand(dir))
		s.configure(definition)
		if err := s.RenewLists(testContext(t)); err != nil {
			t.Fatal(err)
		}
		s.Close()
		return s
	}
	renew()
	fake.Rewrite(t, `{"tools": [{"name": "new"}]}`)
	renew()
	tools := func() string { return LastTools(dir, definition).Tools[0].MCPName }
	if tools() != "old" {
		t.Error("a fresh list was renewed")
	}
	path := filepath.Join(dir, "servers", definition.Hash()+".json")
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	renew()
	if tools() != "new" {
		t.Error("an old list was not renewed")
	}
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	renew() // the same list, confirmed
	if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) > 30*time.Second {
		t.Errorf("a confirmed list is as old as before: %v %v", info.ModTime(), err)
	}
}

func TestCli8Prune(t *testing.T) {
	dir := t.TempDir()
	c := cache{dir}
	for i, name := range []string{"a", "b", "c"} {
		if err := c.store(name, &remembered{Name: name}); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(c.path(name), time.Time{}, time.Unix(int64(1000+i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := prune(filepath.Join(dir, "servers"), 2); err != nil {
		t.Fatal(err)
	}
	if c.load("a") != nil || c.load("b") == nil || c.load("c") == nil {
		t.Error("not the oldest was removed")
	}
	var def config.Server
	if err := c.fail("b", def, Attempt{Failure: "x", Failed: time.Now()}, false); err != nil {
		t.Fatal(err)
	}
	if r := c.load("b"); !r.listed.Equal(time.Unix(1001, 0)) || r.Failure != "x" {
		t.Errorf("a failure changes the age of the list: %+v", r)
	}
}
