package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/typegen/seen"
	"codemode-ls/typescript"
	"codemode-ls/typescript/enginetest"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// undeclaredStage is a stage with all recorded servers that the scripts of
// undeclared.txt use.
func undeclaredStage(t *testing.T) *stage {
	t.Helper()
	binary, err := enginetest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	var servers []*catalog.Server
	files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "corpus", "*.json"))
	text, err := os.ReadFile(filepath.Join("testdata", "scripts", "undeclared.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.Contains(string(text), "mcp__"+strings.TrimSuffix(filepath.Base(file), ".json")+"__") {
			continue
		}
		recording, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		server, tools, instructions, err := catalog.ReadRecording(recording)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		servers = append(servers, catalog.NewServer(server, tools, instructions, false))
	}
	if len(servers) == 0 {
		t.Skip("the corpus of recorded servers is not there")
	}
	w := &workspace.Snapshot{Config: &config.Config{}, Rules: permission.NewRules(nil), Catalog: catalog.New(servers, nil)}
	return newStageWith(t, able(), w, typescript.New(typescript.Options{Command: []string{binary, typescript.ChildCommand}}))
}

// TYPE-8: a natural script over tools whose results no server declares has neither
// errors nor warnings.
func TestNaturalScriptsOnUndeclaredResults(t *testing.T) {
	g := undeclaredStage(t)
	g.noWarnings(t)
}

// TYPE-7, TYPE-8: nor has it any after a run, when results are typed by what they
// looked like; and then more of it is known.
func TestNaturalScriptsOnSeenResults(t *testing.T) {
	g := undeclaredStage(t)
	g.seeResults(t)
	g.noWarnings(t)
}

// seeResults has results of undeclared-results.json been seen.
func (g *stage) seeResults(t *testing.T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "scripts", "undeclared-results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples map[string][]jsontext.Value
	if err := json.Unmarshal(data, &examples); err != nil {
		t.Fatal(err)
	}
	known := map[string]catalog.Result{}
	for name, values := range examples {
		tool, ok := g.snap.Workspace.Catalog.Find(name)
		if !ok || tool.OutputSchema != nil {
			t.Errorf("%s is no tool without a declared result", name)
			continue
		}
		var shape seen.Shape
		for _, v := range values {
			r := seen.Of(v)
			r.About = []string{tool.MCPName, tool.Description, string(tool.InputSchema)}
			shape.Observe(r)
		}
		typ, jsonText := shape.Type(0)
		known[name] = catalog.Result{Type: typ, Short: typ, JSONText: jsonText}
	}
	w := *g.snap.Workspace
	w.Catalog = w.Catalog.Offering(catalog.Offer{Results: catalog.NewResults(known, nil, nil)})
	g.engine.SetDeclarations(w.Catalog.Declarations().Views())
	g.session.Edit(func(n *Snapshot) { n.Workspace = &w })
	g.snap = g.session.Snapshot()
}

func (g *stage) noWarnings(t *testing.T) {
	t.Helper()
	cases := scriptCases(t, "undeclared.txt")
	if len(cases) < 60 {
		t.Errorf("%d scripts", len(cases))
	}
	information := 0
	for _, c := range cases {
		for _, l := range c.languages {
			found, err := analysis.Check(t.Context(), g.engine, g.snap.Workspace, script.Read(c.text), l)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				switch protocol.DiagnosticSeverity(f.Severity) {
				case protocol.DiagnosticSeverityError, protocol.DiagnosticSeverityWarning:
					t.Errorf("undeclared.txt:%d: %s, %s: %d:%d %s %s", c.line, c.name, l, f.Range.Start.Line+1, f.Range.Start.Character+1, f.Code, f.Message)
				case protocol.DiagnosticSeverityInformation:
					information++
				}
			}
			if l == script.TypeScript && !slices.ContainsFunc(g.snap.Workspace.Catalog.Tools(), func(t *catalog.Tool) bool { return t.OutputSchema == nil && strings.Contains(c.text, t.Name) }) {
				t.Errorf("undeclared.txt:%d: %s uses no tool without a declared result", c.line, c.name)
			}
		}
	}
	t.Logf("%d scripts, %d findings are information", len(cases), information)
}

// TYPE-7: after a run, completion, hover and signature know the result, without a
// cast, also of text that is JSON.
func TestEditorKnowsSeenResults(t *testing.T) {
	g := undeclaredStage(t)
	g.seeResults(t)
	for _, tt := range []struct{ marked, label string }{
		{`const { applications } = await tools["mcp__docker-okta__list_applications"]({}); applications[0].|`, "status"},
		{`const issues = JSON.parse(await tools["mcp__github-archived__list_issues"]({ owner: "o", repo: "r" })); issues.map((i) => i.user.|)`, "login"},
		{`(await tools.mcp__coolify__get_version({})).|`, "toUpperCase"},
	} {
		if _, ok := g.items(tt.marked)[tt.label]; !ok {
			t.Errorf("%s: no %s", tt.marked, tt.label)
		}
	}
	for name := range g.items(`(await tools["mcp__github-archived__list_issues"]({ owner: "o", repo: "r" })).|`) {
		if strings.Contains(name, "arsesTo") || strings.Contains(name, "json") || name == "value" {
			t.Errorf("%s is offered of a text that is JSON", name)
		}
	}
	for marked, want := range map[string]string{
		`const serv|ers = await tools.mcp__coolify__list_servers({})`: "uuid: string",
		`await tools.mcp__coolify__list_|servers({})`:                 "what results looked like so far",
		`await tools.mcp__coolify__list_s|ervers({})`:                 "uuid: string;",
	} {
		if text, _ := g.hoverAt(marked); !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in\n%s", marked, want, text)
		}
	}
}

// ACT-2: what is known of a result is written down at the call or as a type of the
// script's own, and the script has nothing wrong with it then.
func TestAct2TypeTheResult(t *testing.T) {
	g := undeclaredStage(t)
	g.snap.Client.CodeActionLiterals, g.snap.Client.DocumentChanges = true, true
	g.seeResults(t)
	for text, want := range map[string][]string{
		"// @options: {\"timeout_ms\": 1000}\n  const s = await tools.mcp__coolify__list_servers({});\nreturn s;\n": {
			"Type the result from the last run", "Type the result as ListServersResult, a type in this script",
		},
		"const s = await tools[\"mcp__live-met-museum__list-departments\"]({});\nreturn s;\n": {
			"Parse the JSON text from the last run", "Parse the JSON text as ListDepartmentsResult, a type in this script",
		},
	} {
		doc := g.open(text)
		at := doc.Position(strings.Index(text, "tools"))
		found := map[string]*protocol.CodeAction{}
		for _, a := range g.actionsAt(t.Context(), protocol.Range{Start: at, End: at}, protocol.CodeActionKindRefactorRewrite) {
			found[a.Title] = a
		}
		for _, title := range want {
			a := found[title]
			if a == nil || a.Edit == nil {
				t.Errorf("no %q in %v", title, found)
				continue
			}
			edited := applied(doc, editsOf(a))
			diagnostics, err := analysis.Check(t.Context(), g.engine, g.snap.Workspace, script.Read(edited), script.TypeScript)
			if err != nil || len(diagnostics) > 0 {
				t.Errorf("%s: %v %v in\n%s", title, err, diagnostics, edited)
			}
			if title[0] == 'P' && !strings.Contains(edited, "(JSON.parse(await tools[") {
				t.Errorf("not parsed:\n%s", edited)
			}
		}
	}
}
