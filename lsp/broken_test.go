package lsp

import (
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/analysis/overview"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// POOL-5: a tool whose schema is broken is there, is named where it is used, and
// costs no other tool.
func TestPool5Diagnostic(t *testing.T) {
	pool := catalog.New([]*catalog.Server{catalog.NewServer("a", []jsontext.Value{
		jsontext.Value(`{"name":"list","inputSchema":["not","an object"]}`),
		jsontext.Value(`{"name":"ref","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/nowhere"},"y":{"$ref":"other.json"}}}}`),
		jsontext.Value(`{"name":"cycle","inputSchema":{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}}`),
		jsontext.Value(`{"name":"output","inputSchema":{"type":"object"},"outputSchema":{"type":"objekt"}}`),
		jsontext.Value(`{"name":"tree","inputSchema":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}}}}`),
	}, "", false)}, nil)
	snap := &workspace.Snapshot{Catalog: pool, Config: &config.Config{}, Rules: permission.NewRules(nil)}
	for name, want := range map[string]string{
		"list": "/inputSchema: ", "ref": "/inputSchema/properties/x/$ref: ", "cycle": "leads back to itself",
		"output": "/outputSchema/type: there is no such type", "tree": "",
	} {
		if _, ok := pool.Find("mcp__a__" + name); !ok {
			t.Errorf("%s is not in the pool", name)
		}
		d := analysis.NewDiagnosis(snap, true, analysis.NewDocument("", 0, script.TypeScript, "await tools.mcp__a__"+name+"({})", ""))
		d.Run()
		var messages []string
		for _, f := range d.Found {
			if f.Code == analysis.DiagnosticBrokenSchema {
				if f.Severity != protocol.DiagnosticSeverityInformation || !strings.Contains(f.Message, "mcp__a__"+name) {
					t.Errorf("%s: %v %s", name, f.Severity, f.Message)
				}
				messages = append(messages, f.Message)
			}
		}
		if text := strings.Join(messages, "\n"); len(messages) > 1 || (text == "") != (want == "") || !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", name, text, want)
		}
	}
	// The server's state names them, and what could not be taken in at all.
	snap.Catalog = catalog.New([]*catalog.Server{catalog.NewServer("a", []jsontext.Value{
		jsontext.Value(`{"inputSchema":{}}`), jsontext.Value(`{"name":"odd","inputSchema":5}`), jsontext.Value(`{"name":"fine","inputSchema":{"type":"object"}}`),
	}, "", false)}, nil)
	snap.Servers = []upstream.Status{{Server: config.Server{Name: "a"}, LeftOut: snap.Catalog.Servers()[0].Problems}, {Server: config.Server{Name: "b"}}}
	list := overview.Servers(snap)
	if len(list[0].Problems) != 2 || !strings.Contains(list[0].Problems[0], "tool 1 is left out") || !strings.Contains(list[0].Problems[1], "mcp__a__odd: ") || list[1].Problems != nil {
		t.Errorf("problems %q and %q", list[0].Problems, list[1].Problems)
	}
	snap.Catalog = pool
	d := analysis.NewDiagnosis(snap, true, analysis.NewDocument("", 0, script.TypeScript, "await tools.mcp__a__ref({})", ""))
	d.Run()
	if len(d.Found) != 1 || !strings.Contains(d.Found[0].Message, "(and 1 more)") {
		t.Errorf("found %+v", d.Found)
	}
}

// DIAG-2: of a script that a change of the pool has broken the person hears first
// which tool is gone, and not what that does to a type.
func TestDiag2ToolsComeFirst(t *testing.T) {
	snap := &workspace.Snapshot{Catalog: catalog.Empty(), Config: &config.Config{}, Rules: permission.NewRules(nil)}
	d := analysis.NewDiagnosis(snap, true, analysis.NewDocument("", 0, script.TypeScript, "await tools.mcp__a__gone({})", ""))
	d.Types = []protocol.Diagnostic{{Severity: protocol.DiagnosticSeverityError, Message: protocol.String("Type 'unknown' is not assignable to type 'string'.")}}
	d.Run()
	if all := d.Errors(); len(all) != 2 || !strings.Contains(all[0], "mcp__a__gone") {
		t.Errorf("got %q", all)
	}
}
