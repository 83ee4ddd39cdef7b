package workspace

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/mcptest"

	"github.com/go-json-experiment/json/jsontext"
)

const jsonTools = `
-- tools/s.json --
{"name": "structured", "inputSchema": {"type": "object"}}
-- tools/t.json --
{"name": "text", "inputSchema": {"type": "object"}}
-- tools/p.json --
{"name": "prose", "inputSchema": {"type": "object"}}
-- tools/d.json --
{"name": "declared", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}
-- tools/f.json --
{"name": "fails", "inputSchema": {"type": "object"}}
-- results/structured.json --
{"content": [], "structuredContent": {"total": 4711, "people": {"ann@example.org": {"age": 30}}}}
-- results/text.json --
{"content": [{"type": "text", "text": " [{\"id\": \"SECRET\"}, {\"id\": null, \"late\": true}]"}]}
-- results/prose.json --
{"content": [{"type": "text", "text": "[not JSON"}]}
-- results/declared.json --
{"content": [], "structuredContent": {"x": 1}}
-- results/fails.json --
{"isError": true, "content": [], "structuredContent": {"x": 1}}
`

const callAll = `for (const name of ["structured", "text", "prose", "declared", "fails"]) {
	try { await tools["mcp__a__" + name]({}) } catch {}
}`

// Shapes of results are kept when the settings say so, types and never values,
// for the next time, in a file that is the user's own.
func TestObservedShapes(t *testing.T) {
	server := mcptest.Write(t, jsonTools)
	cache := t.TempDir()
	section := servers(t, server.Config(t, "a"))
	options := func(on bool) Options {
		text := section
		if on {
			text = strings.TrimSuffix(section, "}") + `, "catalog.observedShapes": true}`
		}
		return Options{Allow: []string{"mcp__a__*"}, CacheDir: cache, Sources: config.Sources{Editor: jsontext.Value(text), Folders: []string{t.TempDir()}}}
	}
	types := func(s *Snapshot) string { return s.Catalog.Declarations().Text }

	o := options(true)
	w := open(t, o)
	if r := w.run(t, callAll, nil); r.Status != exec.Completed {
		t.Fatal(r.Text)
	}
	s := w.wait(t, "shapes", func(s *Snapshot) bool { return strings.Count(types(s), "\ntype Observed_") == 2 })
	text := types(s)
	for _, want := range []string{
		"type Observed_mcp__a__structured = {\n  people: {\n    [key: string]: {\n      age: number;\n    };\n  };\n  total: number;\n};",
		"type Observed_mcp__a__text = Array<{\n  id: string | null;\n  late?: boolean;\n}>;",
		"JSON.parse(String(await tools.mcp__a__text(",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the types lack\n%s\nin\n%s", want, text)
		}
	}
	if strings.Contains(s.Catalog.Render(catalog.RenderOptions{BudgetTokens: 100_000}).Text, "people") {
		t.Error("the catalog shows what was seen")
	}
	w.Close()

	files, _ := filepath.Glob(filepath.Join(cache, "shapes", "*"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"SECRET", "4711", "30", "ann", "example.org"} {
		if strings.Contains(string(data), value) {
			t.Errorf("%q is kept in %s", value, data)
		}
	}
	if info, err := os.Stat(files[0]); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	// The next time they are there at once; without the setting they are not.
	next := open(t, o)
	if !strings.Contains(types(next.Snapshot()), "type Observed_mcp__a__text") {
		t.Error("what was kept is not read")
	}
	next.Reconfigure(jsontext.Value(section), nil, nil)
	if strings.Contains(types(next.Snapshot()), "Observed_") {
		t.Error("shapes show without the setting")
	}
	other := options(false)
	off := open(t, other)
	off.run(t, callAll, nil)
	off.Close()
	if files, _ := filepath.Glob(filepath.Join(cache, "shapes", "*")); len(files) != 1 {
		t.Errorf("without the setting there are files %v", files)
	}
}

// A file that cannot be read, or was made by somebody else, costs nothing but
// itself.
func TestObservedFiles(t *testing.T) {
	for name, content := range map[string]string{
		"garbage": `{"mcp__a__x":`, "null": `null`, "list": `[]`, "empty": ``, "odd": `{"mcp__a__x":null,"mcp__a__y":{},"x":{"shape":{"string":true}}}`,
		"large": `{"mcp__a__x":"` + strings.Repeat("x", maxObservedBytes) + `"}`,
	} {
		path := filepath.Join(t.TempDir(), "shapes.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &shapes{path: path, log: slog.New(slog.DiscardHandler)}
		s.observed()
		if !s.observe("mcp__a__new", jsontext.Value(`{"a":1}`), "") || s.observe("mcp__a__new", jsontext.Value(`{"a":2}`), "") {
			t.Errorf("%s: what is observed is not told", name)
		}
		s.save()
		again := &shapes{path: path, log: s.log}
		again.load()
		if len(again.tools) != 1 || again.tools["mcp__a__new"] == nil {
			t.Errorf("%s: kept %v", name, again.tools)
		}
	}
}

// What is learned has bounds.
func TestObservedBounds(t *testing.T) {
	s := &shapes{log: slog.New(slog.DiscardHandler)}
	for i := range maxObservedTools + 5 {
		s.observe("mcp__a__"+strings.Repeat("x", i), jsontext.Value(`{"a":1}`), "")
	}
	if len(s.tools) != maxObservedTools {
		t.Errorf("%d tools", len(s.tools))
	}
	if s.observe("mcp__a__x", jsontext.Value(`{"a":"`+strings.Repeat("x", maxObservedValue)+`"}`), "") {
		t.Error("learned from a result that is too large")
	}
	for _, text := range []string{"", "x", "5", `"x"`, "[", "{", "[1] x"} {
		if s.observe("mcp__a__x", nil, text) {
			t.Errorf("learned from %q", text)
		}
	}
}
