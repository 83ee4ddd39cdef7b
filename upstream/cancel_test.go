package upstream

import (
	"context"
	"errors"
	"fmt"
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
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	const times = 20
	for i := range times {
		ctx, cancel := context.WithCancel(t.Context())
		var call sync.WaitGroup
		turn := fmt.Sprintf(`{"turn":%d}`, i)
		call.Go(func() {
			_, err := s.Call(ctx, Call{Server: "f", Tool: "hang", Arguments: []byte(turn)})
			if failed := (*CallError)(nil); !errors.As(err, &failed) || failed.Reason != Cancelled {
				t.Error(err)
			}
		})
		fake.WaitForLog(t, turn)
		cancel()
		call.Wait()
		s.call("f", "echo", "{}")
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
