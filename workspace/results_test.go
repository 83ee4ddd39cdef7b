package workspace

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/mcptest"
	"codemode-ls/typegen/seen"

	"github.com/go-json-experiment/json/jsontext"
)

const jsonTools = `
-- tools/s.json --
{"name": "structured", "inputSchema": {"type": "object"}}
-- tools/t.json --
{"name": "text", "inputSchema": {"type": "object"}}
-- tools/p.json --
{"name": "prose", "inputSchema": {"type": "object"}}
-- tools/n.json --
{"name": "nothing", "inputSchema": {"type": "object"}}
-- tools/d.json --
{"name": "declared", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}
-- tools/f.json --
{"name": "fails", "inputSchema": {"type": "object"}}
-- results/structured.json --
{"content": [], "structuredContent": {"total": 4711, "people": {"ann@example.org": {"age": 30}}, "by": {"topsecretname": 1}}}
-- results/text.json --
{"content": [{"type": "text", "text": " [{\"id\": \"SECRET\"}, {\"id\": null, \"late\": true}]"}]}
-- results/prose.json --
{"content": [{"type": "text", "text": "[not JSON"}]}
-- results/nothing.json --
{"content": []}
-- results/declared.json --
{"content": [], "structuredContent": {"x": 1}}
-- results/fails.json --
{"isError": true, "content": [], "structuredContent": {"x": 1}}
`

const callAll = `for (const name of ["structured", "text", "prose", "nothing", "declared", "fails"]) {
	try { await tools["mcp__a__" + name]({ q: "argumentvalue" }) } catch {}
}`

func kept(t *testing.T, cache string) (string, []string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(cache, "results", "*.json"))
	all := ""
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all += string(data)
	}
	return all, files
}

// TYPE-7: what results look like is kept, types and never values, and types the
// next script; a setting says for which servers it is not, and it can be forgotten.
func TestResultsTypeTheNextScript(t *testing.T) {
	server := mcptest.Write(t, jsonTools)
	cache := t.TempDir()
	section := servers(t, server.Config(t, "a"))
	folder := t.TempDir()
	options := func(more string) Options {
		return Options{Allow: []string{"mcp__a__*"}, CacheDir: cache, Sources: config.Sources{
			Editor: jsontext.Value(strings.TrimSuffix(section, "}") + more + "}"), Folders: []string{folder},
		}}
	}
	types := func(s *Snapshot) string { return s.Catalog.Declarations().Text }

	for _, more := range []string{`, "results.seen": false`, `, "results.exclude": ["a"]`} {
		off := open(t, options(more))
		off.run(t, callAll, nil)
		off.Close()
		if _, files := kept(t, cache); len(files) != 0 {
			t.Errorf("%s: kept %v", more, files)
		}
	}

	w := open(t, options(""))
	if r := w.run(t, callAll, nil); r.Status != exec.Completed {
		t.Fatal(r.Text)
	}
	want := []string{
		"mcp__a__structured(input?: {}): Promise<{\n    by: {\n      [key: string]: number;\n    };\n    people: {\n      [key: string]: {\n        age: number;\n      };\n    };\n    total: number;\n  }>;",
		"mcp__a__text(input?: {}): Promise<JsonText<Array<{\n    id: string | null;\n    late?: boolean;\n  }>>>;",
		"mcp__a__prose(input?: {}): Promise<string>;",
		"mcp__a__nothing(input?: {}): Promise<null>;",
		"mcp__a__fails(input?: {}): Promise<unknown>;",
	}
	hasAll := func(s *Snapshot) bool {
		for _, line := range want {
			if !strings.Contains(types(s), line) {
				return false
			}
		}
		return true
	}
	s := w.wait(t, "types of results", hasAll)
	if strings.Contains(s.Catalog.Render(catalog.RenderOptions{BudgetTokens: 100_000}).Text, "total") {
		t.Error("the catalog shows what was seen")
	}
	tool, _ := s.Catalog.Find("mcp__a__text")
	if seen, ok := s.Catalog.Seen(tool); !ok || seen.Times != 1 || time.Since(seen.Last) > time.Hour {
		t.Errorf("seen %v, %v", seen, ok)
	}
	w.Close()

	data, files := kept(t, cache)
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	for _, value := range []string{"SECRET", "4711", "30", "ann", "example.org", "topsecretname", "argumentvalue"} {
		if strings.Contains(data, value) {
			t.Errorf("%q is kept in %s", value, data)
		}
	}
	if info, err := os.Stat(files[0]); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	// The next time they are there at once, in the catalog when the setting says so,
	// and the bytes of that do not change with results that look the same.
	next := open(t, options(`, "catalog.seenResults": true`))
	if !hasAll(next.Snapshot()) {
		t.Error("what was kept is not read")
	}
	text := func() string {
		return next.Snapshot().Catalog.Render(catalog.RenderOptions{BudgetTokens: 100_000}).Text
	}
	before := text()
	if !strings.Contains(before, "}>>> // as seen in results; the server declares none") {
		t.Errorf("the catalog has no mark:\n%s", before)
	}
	next.run(t, callAll, nil)
	if after := text(); after != before {
		t.Errorf("the catalog has changed:\n%s", after)
	}

	// Another process that forgets is heard of.
	other := open(t, options(""))
	if n, err := other.ForgetResults("mcp__a__prose"); n != 1 || err != nil {
		t.Errorf("forgot %d, %v", n, err)
	}
	if n, err := other.ForgetResults(""); n != 3 || err != nil {
		t.Errorf("forgot %d, %v", n, err)
	}
	next.wait(t, "forgetting", func(s *Snapshot) bool { return !strings.Contains(types(s), "JsonText") })
	if _, files := kept(t, cache); len(files) != 0 {
		t.Errorf("left: %v", files)
	}

	// Nobody vouches for the workspace: nothing is kept.
	o := options("")
	o.Restricted = true
	restricted := open(t, o)
	restricted.observe(tool, seen.Result{Text: "x", HasText: true})
	restricted.Close()
	if _, files := kept(t, cache); len(files) != 0 {
		t.Errorf("kept of a restricted workspace: %v", files)
	}
}

// TYPE-7: what a person wrote comes before what was seen, the workspace's before the
// user's; what cannot be used is left out.
func TestWrittenResults(t *testing.T) {
	server := mcptest.Write(t, jsonTools)
	folder, user := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(folder, ResultsFile), "interface Row { zorkle: 1 }\ninterface Results {\n  mcp__a__text: Array<Row>;\n  mcp__a__declared: string;\n  mcp__a__txt: 1;\n  mcp__away__x: 1;\n}\n")
	write(filepath.Join(user, "results.d.ts"), "interface Results { mcp__a__text: string; mcp__a__prose: 'x' | 'y' }\n")
	w := open(t, Options{CacheDir: t.TempDir(), Sources: config.Sources{
		Editor: jsontext.Value(servers(t, server.Config(t, "a"))), Folders: []string{folder}, UserDir: user,
	}})
	s := w.wait(t, "tools", func(s *Snapshot) bool { return len(s.Catalog.Tools()) > 0 })
	if p := s.ResultProblems; len(p) != 2 || p[0].Range.Start.Line != 3 || p[0].Range.End.Character != 18 || !strings.Contains(p[0].Message, "declares by now") ||
		!strings.Contains(p[1].Message, `no tool "mcp__a__txt". Did you mean mcp__a__text`) {
		t.Errorf("problems %v", p)
	}
	text := s.Catalog.Declarations().Text
	for _, want := range []string{
		`mcp__a__text(input?: {}): Promise<WorkspaceResults.Results["mcp__a__text"]>;`, `mcp__a__prose(input?: {}): Promise<UserResults.Results["mcp__a__prose"]>;`,
		"mcp__a__declared(input?: {}): Promise<{}>;", "declare namespace WorkspaceResults {\ninterface Row { zorkle: 1 }", "mcp__a__fails(input?: {}): Promise<unknown>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	write(filepath.Join(folder, ResultsFile), "declare global { const process: any }\ninterface Results { mcp__a__text: number }\n")
	w.wait(t, "the change", func(s *Snapshot) bool {
		text := s.Catalog.Declarations().Text
		return len(s.ResultProblems) == 1 && strings.Contains(s.ResultProblems[0].Message, `"global" cannot be used`) &&
			strings.Contains(text, `UserResults.Results["mcp__a__text"]`) && !strings.Contains(text, "declare global")
	})
}

// A file that cannot be read, or was made by somebody else, costs nothing but
// itself.
func TestResultFiles(t *testing.T) {
	for name, content := range map[string]string{
		"garbage": `{"version":1,"tools":{"mcp__a__x":`, "null": `null`, "list": `[]`, "empty": ``, "version": `{"version":99,"tools":{"mcp__a__y":{"shape":{}}}}`,
		"odd":   `{"version":1,"tools":{"mcp__a__x":null,"mcp__a__y":{},"x":{"shape":{"string":true}}}}`,
		"large": `{"version":1,"tools":{"mcp__a__x":"` + strings.Repeat("x", maxSeenBytes) + `"}}`,
	} {
		dir := t.TempDir()
		r := newResults(dir, slog.New(slog.DiscardHandler))
		if err := os.MkdirAll(r.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.path("d"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		o := observation{definition: "d", server: "a", tool: "mcp__a__new", result: seen.Result{Structured: jsontext.Value(`{"id":1}`)}}
		if !r.learn(o) || r.learn(o) {
			t.Errorf("%s: it is not said what is new", name)
		}
		r.save(false)
		again := newResults(dir, r.log)
		if tools := again.server("d", "").Tools; len(tools) != 1 || tools["mcp__a__new"] == nil {
			t.Errorf("%s: kept %v", name, tools)
		}
	}
}

// Two processes that learn at the same time lose nothing of each other.
func TestResultsOfTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	a, b := newResults(dir, slog.New(slog.DiscardHandler)), newResults(dir, slog.New(slog.DiscardHandler))
	learn := func(r *results, tool, value string) {
		r.learn(observation{definition: "d", server: "s", tool: tool, result: seen.Result{Structured: jsontext.Value(value)}})
	}
	learn(a, "mcp__s__x", `{"id":1}`)
	learn(b, "mcp__s__x", `{"name":"x"}`)
	learn(b, "mcp__s__y", `{"id":1}`)
	a.save(false)
	b.save(false)
	a.reload()
	for _, r := range []*results{a, b, newResults(dir, a.log)} {
		tools := r.server("d", "").Tools
		typ, _ := tools["mcp__s__x"].Shape.Type(0)
		if len(tools) != 2 || typ != "{\n  id?: number;\n  name?: string;\n}" || tools["mcp__s__x"].Times != 2 {
			t.Errorf("%v %s %d", tools, typ, tools["mcp__s__x"].Times)
		}
	}
}
