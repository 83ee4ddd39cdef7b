package upstream

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/internal/mcptest"
)

// TIME-2, SCHED-1: what is called when a call has been cancelled is at the server
// behind the cancellation: a server that obeys it does not see the two overlap.
func TestTime2CancelledBeforeTheNextCall(t *testing.T) {
	fake := mcptest.Write(t, `{"tools": [{"name": "hang"}, {"name": "echo"}], "calls": {"hang": {"hang": true}}}`)
	s := newTestSet(t, func(o *Options) { o.Limits.CallTimeout = 5 * time.Millisecond })
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	const times = 20
	for range times {
		if failed := s.refuse(testContext(t), "f", "hang"); failed.Reason != TimedOut {
			t.Fatal(failed)
		}
		if _, err := s.Call(testContext(t), Call{Server: "f", Tool: "echo", Timeout: time.Minute}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, line := range fake.Log(t) {
		for _, what := range []string{`"hang"`, "notifications/cancelled", `"echo"`} {
			if strings.Contains(line, what) {
				got = append(got, what)
			}
		}
	}
	if want := strings.Repeat(`"hang" notifications/cancelled "echo" `, times); strings.Join(got, " ")+" " != want {
		t.Errorf("at the server: %q", got)
	}
}

// TIME-2, MCP-6: a server over HTTP is told, too: that a connection ends says
// nothing to it.
func TestTime2CancelledOverHTTP(t *testing.T) {
	r := newRemote(t)
	s := newTestSet(t, nil)
	s.configure(r.config())
	s.settle()
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		var call sync.WaitGroup
		call.Go(func() {
			if _, err := s.Call(ctx, Call{Server: "h", Tool: "hang"}); err == nil {
				t.Error("it was not cancelled")
			}
		})
		<-r.hangs
		cancel()
		call.Wait()
		select {
		case id := <-r.told:
			if id == "" || id == "null" {
				t.Errorf("the request %q", id)
			}
		case <-time.After(patience):
			t.Fatal("the server was not told")
		}
		if got := s.call("h", "echo", "{}").Text; got != "done" {
			t.Error(got)
		}
	}
}
