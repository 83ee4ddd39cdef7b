package exec

import (
	"errors"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/sandbox"

	"github.com/go-json-experiment/json/jsontext"
)

// POOL-3: each execution has the pool of its moment, and a call that of its own:
// a server connected a moment ago can be called, one that has gone cannot.
func TestPool3(t *testing.T) {
	server := func(names ...string) *catalog.Catalog {
		var servers []*catalog.Server
		for _, n := range names {
			servers = append(servers, catalog.NewServer(n, []jsontext.Value{tool("plain", "")}, "", false))
		}
		return catalog.New(servers, nil)
	}
	now := server("a")
	unknown := func(err error) bool {
		var c *sandbox.CallError
		return errors.As(err, &c) && c.Code == CodeUnknownTool
	}
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		if len(s.request.Tools) != len(now.Tools()) || s.request.Tools[0] != now.Tools()[0].Name {
			t.Errorf("the sandbox has %v", s.request.Tools)
		}
		for _, name := range []string{"a", "b"} {
			_, there := now.Find("mcp__" + name + "__plain")
			if _, err := s.call("mcp__"+name+"__plain", `{}`); unknown(err) == there {
				t.Errorf("%s is there: %v; the call: %v", name, there, err)
			}
		}
		// It changes while the script runs.
		old := now
		now = server("c")
		if _, err := s.call("mcp__c__plain", `{}`); err != nil {
			t.Error(err)
		}
		if _, err := s.call(old.Tools()[0].Name, `{}`); !unknown(err) {
			t.Errorf("a server that has gone was called: %v", err)
		}
		if got, err := s.call("$codemode.list", `{}`); err != nil || !containsText(got, "mcp__c__plain") || containsText(got, old.Tools()[0].Name) {
			t.Errorf("list gives %s, %v", got, err)
		}
		return completed("1")
	})
	b.Pool = func() *catalog.Catalog { return now }
	for _, names := range [][]string{{"a"}, {"a", "b"}, {"b"}} {
		now = server(names...)
		b.run(t, Request{})
	}
}

// SRCH-7: search can be called whether or not a catalog has advertised it.
// SRCH-8: it is no tool. SRCH-9: it counts against the cap of calls.
func TestSrch7To9(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		var c *sandbox.CallError
		_, err := s.call("search", `{"query":"x"}`)
		if !errors.As(err, &c) || c.Code != CodeUnknownTool {
			t.Errorf("tools.search: %v", err)
		}
		for _, part := range []string{"search is not available", "only MCP tools can be reached", `tools["$codemode"].search({ query: "..." })`} {
			contain(t, err.Error(), part)
		}
		for range 2 {
			if got, err := s.call("$codemode.search", `{"query":"plain","limit":1}`); err != nil || !containsText(got, `"remaining":`) {
				t.Errorf("%s, %v", got, err)
			}
		}
		if _, err := s.call("$codemode.search", `{}`); !errors.As(err, &c) || c.Code != CodeCallCap {
			t.Errorf("beyond the cap: %v", err)
		}
		return completed("1")
	})
	b.Limits = func() config.Limits {
		l := config.DefaultLimits()
		l.MaxToolCalls = 2
		return l
	}
	if text := b.Pool().Render(catalog.RenderOptions{BudgetTokens: 100_000}).Text; containsText(text, "search") {
		t.Errorf("a whole catalog advertises search:\n%s", text)
	}
	r := b.run(t, Request{})
	equal(t, "calls", statuses(r), []CallStatus{CallCompleted, CallCompleted, CallRefused}) // tools.search does not count (SUM-5)
}
