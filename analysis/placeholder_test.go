package analysis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/typegen"
	"codemode-ls/typescript"
	"codemode-ls/typescript/enginetest"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// ACT-1, TYPE-4: what is filled in for the required fields of any recorded tool
// fits its type, and a call with it has nothing wrong.
func TestPlaceholdersFit(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "corpus", "*.json"))
	if len(files) == 0 {
		t.Skip("the corpus of recorded servers is not there")
	}
	binary, err := enginetest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	var servers []*catalog.Server
	for _, file := range files {
		recording, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, tools, instructions, err := catalog.ReadRecording(recording)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		servers = append(servers, catalog.NewServer(name, tools, instructions, false))
	}
	rules := permission.NewRules(nil)
	w := &workspace.Snapshot{Config: &config.Config{}, Rules: rules, Catalog: catalog.New(servers, nil)}
	engine := typescript.New(typescript.Options{Command: []string{binary, typescript.ChildCommand}})
	t.Cleanup(engine.Shutdown)
	engine.SetDeclarations(w.Catalog.Declarations().Views())
	calls, wrong := 0, 0
	var b strings.Builder
	var names []string
	check := func() {
		found, err := Check(t.Context(), engine, w, script.Read(b.String()), script.TypeScript)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if f.Severity == int(protocol.DiagnosticSeverityError) {
				wrong++
				t.Errorf("%s: %s\n%s", names[f.Range.Start.Line], f.Message, strings.Split(b.String(), "\n")[f.Range.Start.Line])
			}
		}
		b.Reset()
		names = nil
	}
	for _, tool := range w.Catalog.Tools() {
		schema := schemaNode{tool.InputSchema, tool.InputSchema}
		argument := schema.placeholder(0)
		if !strings.HasPrefix(argument, "{") {
			argument = "{}"
		}
		b.WriteString("await " + typegen.CallForm(tool.Name) + "(" + argument + ");\n")
		names = append(names, tool.Name)
		calls++
		if len(names) == 500 {
			check()
		}
	}
	check()
	t.Logf("%d calls, %d of them wrong", calls, wrong)
}

func TestPlaceholder(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:                                       `""`,
		`{"enum":["a","b"]}`:                                      `"a"`,
		`{"const":null}`:                                          `null`,
		`{"type":["null","integer"],"minimum":3}`:                 `3`,
		`{"type":"string","default":"x"}`:                         `"x"`,
		`{"type":"string","examples":["e"]}`:                      `"e"`,
		`{"anyOf":[{"type":"null"},{"type":"boolean"}]}`:          `false`,
		`{"type":"array","items":{"type":"string"}}`:              `[]`,
		`{"type":"array","minItems":1,"items":{"type":"string"}}`: `[""]`,
		`{"type":"object","required":["a-b"],"properties":{"a-b":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"number"}}}`: `{ "a-b": 0 }`,
		`{"allOf":[{"required":["a"],"properties":{"a":{"type":"string"}}},{"required":["b"]}],"type":"object"}`:         `{ a: "", b: null }`,
		`{"$ref":"#"}`: `null`,
		`{"type":"object","required":["self"],"properties":{"self":{"$ref":"#"}}}`: `{ self: { self: { self: { self: { self: { self: { self: { self: {} } } } } } } } }`,
		`true`: `null`,
		`7`:    `null`,
	} {
		v := jsontext.Value(schema)
		if got := (schemaNode{v, v}).placeholder(0); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}
