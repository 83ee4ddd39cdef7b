package exec

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/sandbox"
	"codemode-ls/script"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// Calls that wait for a server enter in their order; those of other servers do
// not wait for them (MCP-5, SCHED-1).
func TestAwaitKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := []jsontext.Value{tool("plain", "")}
		a, b := catalog.NewServer("a", one, "", false), catalog.NewServer("b", one, "", false)
		var mu sync.Mutex
		now := catalog.New([]*catalog.Server{b}, nil)
		bench := setup(t, func(s *fakeScript) sandbox.Outcome {
			began := time.Now()
			first, second := s.start("mcp__a__plain", `{"n":1}`), s.start("mcp__a__plain", `{"n":2}`)
			if _, err := s.call("mcp__b__plain", `{"n":3}`); err != nil || time.Since(began) >= time.Second {
				t.Errorf("another server's call: %v after %v", err, time.Since(began))
			}
			late := s.start("mcp__a__plain", `{"n":4}`)
			for _, c := range []*fakeCall{late, second, first} {
				if _, err := c.await(); err != nil {
					t.Error(err)
				}
			}
			return completed("1")
		})
		waiting := 0
		bench.Pool = func() *catalog.Catalog {
			mu.Lock()
			defer mu.Unlock()
			return now
		}
		bench.Await = func(string) (func(context.Context) error, error) {
			mu.Lock()
			defer mu.Unlock()
			waiting++
			// The first one is told last.
			d := time.Second + time.Duration(5-waiting)*time.Millisecond
			return func(context.Context) error {
				<-time.After(d)
				mu.Lock()
				defer mu.Unlock()
				now = catalog.New([]*catalog.Server{a, b}, nil)
				return nil
			}, nil
		}
		bench.run(t, Request{})
		var order []string
		for _, c := range bench.server.sent {
			order = append(order, string(c.Arguments))
		}
		equal(t, "order at the servers", order, []string{`{"n":3}`, `{"n":1}`, `{"n":2}`, `{"n":4}`})
	})
}

// What has become of a server is said without secrets, and the wait ends with the
// script.
func TestAwaitFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			_, err := s.call("mcp__gone__x", `{}`)
			var c *sandbox.CallError
			if !errors.As(err, &c) || c.Code != CodeUnavailable || c.Message != `mcp__gone__x is not available: server "gone" is away` {
				t.Errorf("%v", err)
			}
			if _, err := s.call("nope", `{}`); !errors.As(err, &c) || c.Code != CodeUnknownTool {
				t.Errorf("%v", err)
			}
			s.start("mcp__slow__x", `{}`)
			s.start("mcp__slow__y", `{}`)
			synctest.Wait()
			return completed("1")
		})
		b.Await = func(name string) (func(context.Context) error, error) {
			if strings.HasPrefix(name, "mcp__gone__") {
				return nil, &upstream.CallError{Reason: upstream.Unavailable, Server: "gone", Message: `server "gone" is away`}
			}
			return func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			}, nil
		}
		if r := b.run(t, Request{}); r.Status != Completed || len(r.Calls) != 0 {
			t.Errorf("%+v", r)
		}
	})
}

// Tools of last time serve editors; a call waits for the real ones (LSP-1). A dry
// run contacts no server.
func TestAwaitOfCachedTools(t *testing.T) {
	cached := catalog.New([]*catalog.Server{catalog.NewServer("a", []jsontext.Value{tool("plain", ""), tool("old", "")}, "", true)}, nil)
	live := catalog.New([]*catalog.Server{catalog.NewServer("a", []jsontext.Value{tool("plain", destructive)}, "", false)}, nil)
	now := cached
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		if _, err := s.call("mcp__a__plain", `{}`); err != nil {
			t.Error(err)
		}
		_, err := s.call("mcp__a__old", `{}`)
		if live := now == live; (err != nil) != live {
			t.Errorf("a tool that the server has no more, live %v: %v", live, err)
		}
		return completed("1")
	})
	b.Pool = func() *catalog.Catalog { return now }
	b.Await = func(string) (func(context.Context) error, error) {
		return func(context.Context) error {
			now = live
			return nil
		}, nil
	}
	b.run(t, Request{DryRun: true})
	if now != cached || len(b.server.sent) != 0 {
		t.Error("a dry run has waited for a server")
	}
	b.run(t, Request{})
	if len(b.server.sent) != 1 {
		t.Errorf("%+v", b.server.sent)
	}
}

// A check that may keep a script from running waits for the servers of the tools
// that the script names.
func TestAwaitBeforeTheCheck(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome { return completed("1") })
	now := catalog.Empty()
	b.Pool = func() *catalog.Catalog { return now }
	var waited []string
	b.Await = func(name string) (func(context.Context) error, error) {
		waited = append(waited, name)
		return func(context.Context) error {
			now = catalog.New([]*catalog.Server{catalog.NewServer("a", []jsontext.Value{tool("plain", ""), tool("other", "")}, "", false)}, nil)
			return nil
		}, nil
	}
	checked := 0
	b.Check = checkerFunc(func(c *catalog.Catalog) {
		checked = len(c.Tools())
	})
	b.run(t, Request{Code: "await tools.mcp__a__plain({}); await tools.mcp__a__other({});", Check: "error"})
	if checked != 2 {
		t.Errorf("checked against %d tools", checked)
	}
	equal(t, "waited for", waited, []string{"mcp__a__plain"})
}

type checkerFunc func(c *catalog.Catalog)

func (f checkerFunc) Check(_ context.Context, _ *script.Source, _ script.Language, c *catalog.Catalog) ([]Diagnostic, error) {
	f(c)
	return nil, nil
}

func (f checkerFunc) Contract(context.Context, *script.Source, script.Language, *catalog.Catalog) (*script.Contract, error) {
	return &script.Contract{}, nil
}
