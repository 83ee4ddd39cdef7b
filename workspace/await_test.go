package workspace

import (
	"strings"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/mcptest"
	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

const mortal = `{"tools": [{"name": "echo", "inputSchema": {"type": "object"}}, {"name": "die", "inputSchema": {"type": "object"}}],
	"calls": {"die": {"die": true, "exitCode": 7}}}`

// MCP-5: a call in which its server ends fails with that; the next one waits
// until the server is started again.
func TestCallsAfterACrash(t *testing.T) {
	w := openOn(t, mcptest.Write(t, mortal))
	r := w.run(t, `
const reasons = [];
for (let i = 0; i < 2; i++) {
	try { await tools.mcp__a__die({}) } catch (e) { reasons.push(e.message) }
	reasons.push(await tools.mcp__a__echo({ i }));
}
return reasons`, nil)
	if r.Status != exec.Completed || strings.Count(string(r.Value), "ended during the call: it ended with exit status 7") != 2 || strings.Count(string(r.Value), `"arguments"`) != 2 {
		t.Errorf("%s", r.Text)
	}
	native := w.Snapshot().Agent(catalog.NativeMode, nil)
	for _, c := range []struct{ tool, code, text string }{
		{"mcp__a__die", exec.CodeUnavailable, "exit status 7"},
		{"mcp__a__echo", "", `{"i":1}`},
	} {
		result := w.Runner().CallDirect(t.Context(), exec.DirectRequest{Agent: native, Calls: []exec.DirectCall{{Name: c.tool, Arguments: jsontext.Value(`{"i":1}`)}}})[0]
		if result.Code != c.code || !strings.Contains(result.Text, c.text) {
			t.Errorf("%s: %s %s", c.tool, result.Code, result.Text)
		}
	}
}

// A server that is not there for good is named with its state; the tool is not
// called unknown (OUT-3).
func TestCallsOfAFailedServer(t *testing.T) {
	w := open(t, Options{
		Allow:   []string{"mcp__*__*"},
		Sources: config.Sources{Editor: jsontext.Value(servers(t, config.Server{Name: "a", Command: "/nowhere/x"}, mcptest.Write(t, mortal).Config(t, "b")))},
	})
	r := w.run(t, `await tools.mcp__a__echo({})`, nil)
	if r.Status != exec.CodeError || r.Error.Code != exec.CodeUnavailable {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
	for _, want := range []string{"mcp__a__echo is not available", `server "a" is not connected (failed)`, "/nowhere/x", "fix the cause, then restart it"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("no %q in\n%s", want, r.Text)
		}
	}
	if len(r.Calls) != 0 { // SUM-5
		t.Errorf("%+v", r.Calls)
	}
	// EXEC-6: asking what it is says the same.
	for _, code := range []string{`tools["$codemode"].describe({ name: "mcp__a__echo" })`, `tools["$codemode"].namespace({ name: "a" })`} {
		if r := w.run(t, "return await "+code, nil); !strings.Contains(r.Text, `server "a" is not connected (failed)`) || strings.Contains(r.Text, "Did you mean") {
			t.Errorf("%s: %s", code, r.Text)
		}
	}
	call := func(mode catalog.Mode) exec.CallResult {
		return w.Runner().CallDirect(t.Context(), exec.DirectRequest{Agent: w.Snapshot().Agent(mode, nil), Calls: []exec.DirectCall{{Name: "mcp__a__echo"}}})[0]
	}
	if result := call(catalog.NativeMode); result.Code != exec.CodeUnavailable || !strings.Contains(result.Text, `server "a"`) {
		t.Errorf("%+v", result)
	}
	if result := call(catalog.CodeMode); result.Code != exec.CodeUnknownTool { // COL-1
		t.Errorf("%+v", result)
	}
}

// A script that begins while a server connects waits for it, whether its tools
// are known of last time or not (LSP-1).
func TestCallsWhileConnecting(t *testing.T) {
	slow := mcptest.Write(t, `{"initializeDelayMs": 500, "unknownMethods": "ignore", "tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}`)
	cache := t.TempDir()
	for _, what := range []string{"not known", "known of last time"} {
		w := Open(t.Context(), Options{
			Allow: []string{"mcp__a__*"}, CacheDir: cache,
			Sources: config.Sources{UserDir: t.TempDir(), Editor: jsontext.Value(servers(t, slow.Config(t, "a")))},
		})
		if err := w.Recalled(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := w.Runner().Run(t.Context(), exec.Request{Language: script.TypeScript, Code: `return await Promise.all([tools.mcp__a__echo({ n: 1 }), tools.mcp__a__echo({ n: 2 })])`})
		if want := `[{"arguments":{"n":1}},{"arguments":{"n":2}}]`; string(r.Value) != want {
			t.Errorf("%s: %s", what, r.Text)
		}
		if len(r.Calls) != 2 || string(r.Calls[0].Arguments) != `{"n":1}` {
			t.Errorf("%s: %+v", what, r.Calls)
		}
		if err := w.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
}

// What is kept out of the pool is unknown at once, whatever its server does.
func TestExcludedToolsAreNotWaitedFor(t *testing.T) { // POOL-1, PERM-3
	slow := mcptest.Write(t, `{"initializeDelayMs": -1}`)
	w := Open(t.Context(), Options{
		Deny:    []string{"mcp__a__*"},
		Sources: config.Sources{UserDir: t.TempDir(), Editor: jsontext.Value(servers(t, slow.Config(t, "a")))},
	})
	defer w.Close()
	r := w.Runner().Run(t.Context(), exec.Request{Language: script.TypeScript, Code: `await tools.mcp__a__echo({})`})
	if r.Error == nil || r.Error.Code != exec.CodeUnknownTool {
		t.Errorf("%s", r.Text)
	}
}
