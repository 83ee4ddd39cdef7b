package workspace

import (
	"fmt"
	"strings"
	"testing"

	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/mcptest"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// POOL-2: servers that the catalog lists together are told of.
func TestPool2SharedNamespaces(t *testing.T) {
	s := &Snapshot{}
	for _, name := range []string{"a", "x.y", "_a", "a__b", "日本", "x y", "a_", "__z", "off"} {
		s.Servers = append(s.Servers, upstream.Status{Server: config.Server{Name: name, Disabled: name == "off"}})
	}
	s.Servers = append(s.Servers, upstream.Status{Server: config.Server{Name: "off__x"}})
	want := "[{mcp__a [a a__b a_]} {mcp__x_y [x.y x y]} {mcp__ [日本 __z]}]"
	if got := fmt.Sprint(s.SharedNamespaces()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// POOL-2, POOL-4: while the server that keeps a name is gone, no other one gets
// the calls of that name, nor what a person has allowed for it.
func TestPool2NamesAreKept(t *testing.T) {
	first, second := mcptest.Write(t, twoTools), mcptest.Write(t, twoTools)
	w := open(t, Options{
		Allow: []string{"mcp__x_y__get"},
		Sources: config.Sources{Editor: jsontext.Value(`{"mcpServers":{` +
			strings.TrimSuffix(strings.TrimPrefix(servers(t, first.Config(t, "x.y")), `{"mcpServers":{`), "}}") + "," +
			strings.TrimPrefix(servers(t, second.Config(t, "x y")), `{"mcpServers":{`))},
	})
	if n := len(w.Snapshot().Catalog.Conflicts()); n != 2 {
		t.Fatalf("%d conflicts", n)
	}
	first.Rewrite(t, `{"exit": 9, "exitAtStart": 9}`)
	w.wait(t, "the end of the first", func(s *Snapshot) bool { return s.Servers[0].State == upstream.Failed })
	r := w.run(t, `await tools.mcp__x_y__get({})`, nil)
	if r.Status != exec.CodeError || r.Error.Code != exec.CodeUnavailable || !strings.Contains(r.Text, `server "x.y"`) {
		t.Errorf("%s", r.Text)
	}
	if got := received(t, second); len(got) != 0 {
		t.Errorf("the other server got %q", got)
	}
	if s := w.Snapshot(); len(s.Catalog.Conflicts()) != 2 || names(s) != "" {
		t.Errorf("%v, %s", s.Catalog.Conflicts(), names(s))
	}
}
