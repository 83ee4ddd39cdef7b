//go:build unix

package upstream

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"codemode-ls/internal/mcptest"
)

// A call to a server whose process was killed before waits for the next one:
// nothing of it was read, so that it is carried out once.
func TestKilledBetweenCalls(t *testing.T) { // MCP-5
	fake := mcptest.Write(t, simple)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	s.settle()
	for range 5 {
		pid := s.untilState("f", Connected).PID
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		reaped(t, pid)
		s.call("f", "echo", "{}")
		if now := s.untilState("f", Connected).PID; now == pid || now == 0 {
			t.Errorf("pid %d after %d", now, pid)
		}
	}
	calls := 0
	for _, line := range fake.Log(t) {
		if strings.Contains(line, `"tools/call"`) {
			calls++
		}
	}
	if calls != 5 {
		t.Errorf("the servers read %d calls", calls)
	}
}

// waitFor waits when there is something to wait for.
func (s *testSet) waitFor(ctx context.Context, name string) error {
	wait, err := s.Await(name)
	if wait != nil {
		return wait(ctx)
	}
	return err
}

// reaped waits until nothing is left of a process, so that nobody reads its pipes.
func reaped(t *testing.T, pid int) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for syscall.Kill(pid, 0) == nil {
		select {
		case <-look.C:
		case <-testContext(t).Done():
			t.Fatalf("process %d lives", pid)
		}
	}
}

// A call that the server may have carried out is never made again.
func TestKilledInMidCall(t *testing.T) { // MCP-5
	fake := mcptest.Write(t, `{"tools": [{"name": "echo"}, {"name": "hang"}], "calls": {"hang": {"hang": true}}}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	pid := s.untilState("f", Connected).PID
	failed := make(chan error, 1)
	go func() {
		_, err := s.Call(testContext(t), Call{Server: "f", Tool: "hang"})
		failed <- err
	}()
	fake.WaitForLog(t, `"hang"`)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var e *CallError
	if err := <-failed; !errors.As(err, &e) || e.Reason != Unavailable || !strings.Contains(e.Message, "ended during the call") || !strings.Contains(e.Message, "killed") {
		t.Errorf("%v", err)
	}
	s.call("f", "echo", "{}") // the next one waits for the restart
}

// What cannot be waited for fails at once, as text that say what becomes of the
// server.
func TestUnavailableWords(t *testing.T) { // MCP-5, OUT-3
	fake := mcptest.Write(t, `{"exitAtStart": 9, "stderr": "no license"}`)
	for what, c := range map[string]struct {
		delay    time.Duration
		restarts int
		want     string
	}{
		"pending":  {time.Hour, 5, "no license; the next attempt is in 1h0m0s"},
		"given up": {time.Millisecond, 2, "no license; fix the cause, then restart it"},
	} {
		s := newTestSet(t, nil)
		s.policy.firstDelay, s.policy.maxRestarts = c.delay, c.restarts
		s.configure(fake.Config(t, "f"))
		s.untilState("f", Failed)
		if c.restarts == 2 {
			<-s.find("f").done
		}
		if failed := s.refuse(testContext(t), "f", "echo"); failed.Reason != Unavailable || !strings.Contains(failed.Message, c.want) || !strings.Contains(failed.Message, `server "f"`) {
			t.Errorf("%s: %+v", what, failed)
		}
		if err := s.waitFor(testContext(t), "mcp__f__echo"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
		if err := s.waitFor(testContext(t), "mcp__g__echo"); err != nil {
			t.Errorf("%s: a name of no server: %v", what, err)
		}
	}
}

// A server that ends at each start is waited for once, not for all its restarts.
func TestAwaitIsOneAttempt(t *testing.T) { // MCP-5
	fake := mcptest.Write(t, `{"exitAtStart": 9}`)
	s := newTestSet(t, nil)
	s.policy.firstDelay, s.policy.maxDelay, s.policy.maxRestarts = time.Millisecond, time.Millisecond, 1_000_000
	s.configure(fake.Config(t, "f"))
	for range 3 {
		if err := s.waitFor(testContext(t), "mcp__f__echo"); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
}

func TestAwait(t *testing.T) { // LSP-1
	dir := t.TempDir()
	fake := mcptest.Write(t, `{"initializeDelayMs": 300, "tools": [{"name": "echo"}]}`)
	for _, cached := range []bool{false, true} {
		s := newTestSet(t, func(o *Options) { o.CacheDir = dir })
		s.configure(fake.Config(t, "f"))
		if err := s.Recalled(testContext(t)); err != nil {
			t.Fatal(err)
		}
		if known := len(s.Servers()) > 0; known != cached {
			t.Errorf("tools are known: %v", known)
		}
		if err := s.waitFor(testContext(t), "mcp__f__echo"); err != nil {
			t.Error(err)
		}
		if got := s.names(); got != "mcp__f__echo" {
			t.Errorf("after waiting: %q", got)
		}
		s.settle()
		s.Close()
	}
	// Whoever waits goes on with the server that a restart has put in its place.
	slow := mcptest.Write(t, `{"initializeDelayMs": -1}`)
	s := newTestSet(t, nil)
	s.configure(slow.Config(t, "f"))
	slow.WaitForLog(t, `"initialize"`)
	waited := make(chan error, 1)
	go func() { waited <- s.waitFor(testContext(t), "mcp__f__echo") }()
	slow.Rewrite(t, simple)
	if err := s.Restart("f"); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
	// It is given up with its caller.
	slow.Rewrite(t, `{"initializeDelayMs": -1}`)
	if err := s.Restart("f"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.waitFor(ctx, "mcp__f__echo"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
