package workspace

import (
	"strings"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/mcptest"

	"github.com/go-json-experiment/json/jsontext"
)

// DECL-9, DECL-7, POOL-1 on real servers: a hidden tool is in no pool and cannot
// be reached by anybody; a direct one is declared beside Exec and can be called;
// switching Exec off and on takes effect with the next request.
func TestDecl9OnServers(t *testing.T) {
	a, b := mcptest.Write(t, twoTools), mcptest.Write(t, twoTools)
	list := servers(t, a.Config(t, "a"), b.Config(t, "b"))
	settings := func(more string) jsontext.Value { return jsontext.Value(`{` + more + `, ` + list[1:]) }
	w := open(t, Options{
		Allow:   []string{"mcp__*__*"},
		Sources: config.Sources{Editor: settings(`"exposure": {"a": "hidden", "mcp__a__get": "direct", "mcp__b__drop": "hidden"}`)},
	})
	if got := names(w.Snapshot()); got != "mcp__a__get mcp__b__get" {
		t.Fatalf("the pool is %s", got)
	}
	call := func(name string) string {
		return w.Runner().CallDirect(t.Context(), exec.DirectRequest{
			Agent: w.Snapshot().Agent(catalog.CodeMode, nil), Calls: []exec.DirectCall{{Name: name}},
		})[0].Code
	}
	declared := func() (list string) {
		for _, tool := range w.Snapshot().Catalog.For(w.Snapshot().Agent(catalog.CodeMode, nil)).Tools {
			list += " " + tool.Name
		}
		return list
	}
	if got := declared(); got != " Exec mcp__a__get" {
		t.Errorf("declared: %s", got)
	}
	for name, code := range map[string]string{"mcp__a__get": "", "mcp__b__get": exec.CodeUnknownTool, "mcp__a__drop": exec.CodeUnknownTool, "mcp__b__drop": exec.CodeUnknownTool} {
		if got := call(name); got != code {
			t.Errorf("%s: code %q, want %q", name, got, code)
		}
	}
	r := w.run(t, `return [await tools.mcp__b__get({}), await tools.mcp__a__drop({}).catch(e => e.code)]`, nil)
	if !strings.Contains(string(r.Value), exec.CodeUnknownTool) {
		t.Errorf("%s", r.Text)
	}
	for _, step := range []struct{ setting, declared, code string }{
		{`"exec.enabled": false`, " mcp__a__get mcp__a__drop mcp__b__get mcp__b__drop", ""},
		{`"exec.enabled": true`, " Exec", exec.CodeUnknownTool},
		{`"exclude": ["Exec"]`, " mcp__a__get mcp__a__drop mcp__b__get mcp__b__drop", ""},
	} {
		w.Reconfigure(settings(step.setting), nil, nil)
		if got := declared(); got != step.declared {
			t.Errorf("%s: declared%s", step.setting, got)
		}
		if got := call("mcp__b__get"); got != step.code {
			t.Errorf("%s: code %q", step.setting, got)
		}
	}
}
