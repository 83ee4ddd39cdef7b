package typescript

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// current is the child that is running, waiting for it if need be.
func current(t *testing.T, e *Engine) *child {
	t.Helper()
	c, err := e.running(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A dead engine is back within a second, with all documents.
func TestDeathAndReplay(t *testing.T) {
	e := newEngine(t)
	e.Open("a", script.TypeScript, 1, script.Read("return await tools.mcp__a__search({ query: 1 })"))
	e.Open("b", script.JavaScript, 1, script.Read("return nope"))
	fastest := time.Hour                  // a busy machine is slow by itself, but not each time
	for death := 1; death <= 8; death++ { // somebody kills it again and again
		c := current(t, e)
		c.kill()
		<-c.gone
		began := time.Now()
		for _, u := range []string{"a", "b"} {
			found, err := e.Diagnostics(t.Context(), u)
			if err != nil || len(found) != 1 {
				t.Fatalf("after death %d: %s: %v %v", death, u, found, err)
			}
		}
		fastest = min(fastest, time.Since(began))
		if e.Restarts() != death {
			t.Errorf("%d restarts after death %d", e.Restarts(), death)
		}
	}
	if fastest > 2*time.Second { // a second, on a busy machine
		t.Errorf("back after %v", fastest)
	}
	if s := e.Status(); !s.Running || s.Err != nil {
		t.Errorf("status %+v", s)
	}
}

// A request that is under way when the engine dies is asked again.
func TestDeathDuringRequests(t *testing.T) {
	e := newEngine(t)
	e.Open("a", script.TypeScript, 1, script.Read("return await tools.mcp__a__search({ query: 1 })"))
	c := current(t, e)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if found, err := e.Diagnostics(t.Context(), "a"); err != nil || len(found) != 1 {
				t.Errorf("%v %v", found, err)
			}
		})
	}
	c.kill()
	all.Wait()
}

// A text is not to blame for those who kill its engine.
func TestKillsAreNotBlamed(t *testing.T) {
	e := newEngine(t)
	e.Open("a", script.TypeScript, 1, script.Read("return nope"))
	d, err := e.opened("a")
	if err != nil {
		t.Fatal(err)
	}
	for range maxKills - 1 {
		e.blamed(d, &child{}, true)
	}
	if found, err := e.Diagnostics(t.Context(), "a"); err != nil || len(found) != 1 {
		t.Errorf("%v %v", found, err)
	}
	e.blamed(d, &child{}, true)
	if _, err := e.Diagnostics(t.Context(), "a"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// An engine that does not answer is ended and replaced.
func TestHang(t *testing.T) {
	e := New(Options{Command: []string{binary, ChildCommand}, Timeout: 700 * time.Millisecond})
	defer e.Shutdown()
	e.Open("a", script.TypeScript, 1, script.Read("return nope"))
	c := current(t, e)
	if err := pauseProcess(c.cmd.Process); err != nil {
		t.Skip(err)
	}
	if _, err := e.Diagnostics(t.Context(), "a"); !errors.Is(err, ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	<-c.gone
	// Under load, a start may take longer than this short time.
	var found []protocol.Diagnostic
	var err error
	for range 20 {
		if found, err = e.Diagnostics(t.Context(), "a"); err == nil {
			break
		}
	}
	if err != nil || len(found) != 1 {
		t.Fatalf("%v %v", found, err)
	}
}

// A caller that gives up gets its own error, and costs the engine nothing.
func TestCancel(t *testing.T) {
	e := newEngine(t)
	e.Open("a", script.TypeScript, 1, script.Read("return nope"))
	current(t, e)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Diagnostics(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Diagnostics(t.Context(), "a"); err != nil || e.Restarts() != 0 {
		t.Errorf("%v after %d restarts", err, e.Restarts())
	}
}

// An engine that cannot be started is an error of requests, at once when there
// is no hope.
func TestNoEngine(t *testing.T) {
	changed := make(chan struct{}, 1)
	e := New(Options{Command: []string{"/no/such/engine"}, Timeout: time.Minute, Changed: func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}})
	defer e.Shutdown()
	e.Open("a", script.TypeScript, 1, script.Read("return 1"))
	if _, err := e.Diagnostics(t.Context(), "a"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	<-changed
	if s := e.Status(); s.Running || s.Err == nil {
		t.Errorf("status %+v", s)
	}
}

func TestShutdown(t *testing.T) {
	e := New(Options{Command: []string{binary, ChildCommand}})
	e.Open("a", script.TypeScript, 1, script.Read("return 1"))
	e.Shutdown()
	e.Shutdown()
	if _, err := e.Diagnostics(t.Context(), "a"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}

// A text that kills the engine again and again is not asked about any more,
// until it changes.
func TestBlame(t *testing.T) {
	e := newEngine(t)
	e.Open("a", script.TypeScript, 1, script.Read("return 1"))
	e.Open("b", script.TypeScript, 1, script.Read("return 2"))
	d, err := e.opened("a")
	if err != nil {
		t.Fatal(err)
	}
	for range maxDeaths {
		e.blamed(d, &child{}, false)
	}
	if _, err := e.Diagnostics(t.Context(), "a"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Diagnostics(t.Context(), "b"); err != nil {
		t.Error(err)
	}
	e.Change("a", 2, script.Read("return 3"))
	if _, err := e.Diagnostics(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

// Edits while requests are under way: every answer is of the newest text.
func TestEditsUnderWay(t *testing.T) {
	e := newEngine(t)
	e.Open("a", script.TypeScript, 1, script.Read("return 1"))
	for n := range int32(30) {
		text, want := "return 1", 0
		if n%2 == 0 {
			text, want = "\n\nreturn nope", 1
		}
		e.Change("a", n+2, script.Read(text))
		found, err := e.Diagnostics(t.Context(), "a")
		if err != nil || len(found) != want {
			t.Fatalf("edit %d: %v %v", n, found, err)
		}
	}
}

// PERF-8: on demand, there is no child before there is a text.
func TestOnDemand(t *testing.T) {
	changes := make(chan struct{}, 8)
	e := New(Options{Command: []string{"/no/such/engine"}, OnDemand: true, Changed: func() { changes <- struct{}{} }})
	e.SetDeclarations("declare const x: number;")
	if s := e.Status(); s.Restarts != 0 || s.Err != nil {
		t.Errorf("started without a text: %+v", s)
	}
	e.Open("file:///a.exec.ts", script.TypeScript, 1, script.Read("return 1"))
	for e.Status().Err == nil {
		<-changes
	}
	e.Shutdown()
	New(Options{OnDemand: true}).Shutdown() // ends although it never began
}
