package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/mcptest"

	"github.com/go-json-experiment/json/jsontext"
)

// A script for another host of code mode runs unchanged when the settings say
// so, files are those of the workspace, and what is stored outlives the run.
func TestExtendedGlobals(t *testing.T) {
	server := mcptest.Write(t, twoTools)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("from the workspace"), 0o600); err != nil {
		t.Fatal(err)
	}
	section := strings.TrimSuffix(servers(t, server.Config(t, "a")), "}") + `, "exec.files": true, "exec.globals": "extended"}`
	w := open(t, Options{
		Allow: []string{"mcp__a__*"}, CacheDir: t.TempDir(),
		Sources: config.Sources{Editor: jsontext.Value(section), Folders: []string{folder}},
	})
	types := w.Snapshot().Catalog.Declarations().Text
	for _, part := range []string{"declare function searchTools(", "declare const files: {", "  readText(input: {"} {
		if !strings.Contains(types, part) {
			t.Errorf("the types lack %q", part)
		}
	}
	r := w.run(t, `
const names = ALL_TOOLS.map((tool) => tool.name);
const [best] = await searchTools("drops something", { limit: 1 });
const described = await describeTool(names[1]);
const { tools: all } = await describeNamespace("a");
store("runs", (load("runs") ?? 0) + 1);
const path = await files.write("sub/out.txt", await files.readText("notes.txt"));
text("seen");
image("data:image/png;base64,iVBORw0KGgo=");
return [names, best.name, described.server, all, load("runs"), await files.read({ path })];`, nil)
	want := `[["mcp__a__get","mcp__a__drop"],"mcp__a__drop","a",["mcp__a__drop","mcp__a__get"],1,"from the workspace"]`
	if r.Status != exec.Completed || string(r.Value) != want {
		t.Errorf("got  %s\nwant %s\n%s", r.Value, want, r.Text)
	}
	if len(r.Output) != 2 || r.Output[0].Text != "seen" || r.Output[1].MIMEType != "image/png" {
		t.Errorf("output %+v", r.Output)
	}
	if r = w.run(t, `return load("runs")`, nil); string(r.Value) != "1" {
		t.Errorf("the next run loads %s", r.Value)
	}
	if r = w.run(t, `return await tools["$codemode"].models.generate({ prompt: "p" })`, nil); r.Status != exec.CodeError || !strings.Contains(r.Text, "experimental.codemode.models") {
		t.Errorf("%s\n%s", r.Status, r.Text)
	}
	// Strict again, at once.
	w.Reconfigure(jsontext.Value(servers(t, server.Config(t, "a"))), nil, nil)
	if r = w.run(t, `return [typeof ALL_TOOLS, typeof text, typeof files]`, nil); string(r.Value) != `["undefined","undefined","undefined"]` {
		t.Errorf("strict: %s\n%s", r.Value, r.Text)
	}
	if types := w.Snapshot().Catalog.Declarations().Text; strings.Contains(types, "searchTools") || strings.Contains(types, "readText") {
		t.Error("the types of a strict workspace have more")
	}
	if r = w.run(t, `return await tools["$codemode"].readText({ path: "notes.txt" })`, nil); r.Status != exec.CodeError || !strings.Contains(r.Text, "codemode.exec.files") {
		t.Errorf("%s\n%s", r.Status, r.Text)
	}
}

// A script's model is the editor's, through the sandbox.
func TestModelsOfScripts(t *testing.T) {
	server := mcptest.Write(t, twoTools)
	w := open(t, Options{Models: true, Sources: config.Sources{Editor: jsontext.Value(servers(t, server.Config(t, "a")))}})
	if !strings.Contains(w.Snapshot().Catalog.Declarations().Text, "readonly models: {") {
		t.Error("the types have no models")
	}
	r := w.Runner().Run(t.Context(), exec.Request{
		Code: `const m = tools["$codemode"].models;
return [await m.list(), await m.classify({ text: "t", labels: ["a", "b"] }), (await m.generate({ prompt: "p" })).text];`,
		Models: modelsFunc(func(q exec.ModelRequest) exec.ModelAnswer {
			return exec.ModelAnswer{Models: []exec.Model{{ID: "m"}}, Label: "b", Text: q.Prompt + "!", Usage: &exec.ModelUsage{InputTokens: 2, OutputTokens: 1}}
		}),
	})
	want := `[[{"id":"m"}],{"label":"b","stopReason":"stop","usage":{"inputTokens":2,"outputTokens":1}},"p!"]`
	if string(r.Value) != want || r.Usage == nil || *r.Usage != (exec.Usage{ModelCalls: 3, InputTokens: 6, OutputTokens: 3}) {
		t.Errorf("got  %s\nwant %s\nusage %+v\n%s", r.Value, want, r.Usage, r.Text)
	}
}

type modelsFunc func(q exec.ModelRequest) exec.ModelAnswer

func (f modelsFunc) Model(_ context.Context, q exec.ModelRequest) (exec.ModelAnswer, error) {
	return f(q), nil
}
