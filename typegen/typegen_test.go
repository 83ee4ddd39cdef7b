package typegen_test

import (
	"fmt"
	"strings"
	"testing"

	"codemode-ls/typegen"

	"github.com/go-json-experiment/json/jsontext"
)

func TestCallForm(t *testing.T) { // CAT-1
	for name, want := range map[string]string{
		"mcp__github__create_issue": "tools.mcp__github__create_issue",
		"mcp__ddg-search__search":   `tools["mcp__ddg-search__search"]`,
		"mcp__a__größe":             "tools.mcp__a__größe",
		"mcp__a__x.y (z)":           `tools["mcp__a__x.y (z)"]`,
		"delete":                    "tools.delete",
		"1a":                        `tools["1a"]`,
		"":                          `tools[""]`,
		"a\"\\\n\u2028":             `tools["a\"\\\n\u2028"]`,
		"a\xff":                     `tools["a\ufffd"]`,
	} {
		if got := typegen.CallForm(name); got != want {
			t.Errorf("CallForm(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestSignatureWithoutSchemas(t *testing.T) { // CAT-4, EXEC-5
	const want = "tools.x(input?: {}): Promise<unknown>"
	for _, input := range []string{"", "null", "true", "{}", `{"type":"object"}`, `{"type":"object","properties":{}}`, `{"type":"string"}`, "]"} {
		var raw jsontext.Value
		if input != "" {
			raw = jsontext.Value(input)
		}
		if got, _ := typegen.Signature("x", raw, nil, 6); got != want {
			t.Errorf("input %q: %s", input, got)
		}
	}
}

func TestTypeDepth(t *testing.T) { // CAT-5
	schema := jsontext.Value(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}}}},"c":{"enum":[1,2]}}}`)
	for depth, want := range map[int]string{
		1: "{\n  a?: unknown;\n  c?: 1 | 2;\n}",
		2: "{\n  a?: Array<unknown>;\n  c?: 1 | 2;\n}",
		3: "{\n  a?: Array<{\n    b?: string;\n  }>;\n  c?: 1 | 2;\n}",
		0: "{\n  a?: Array<{\n    b?: string;\n  }>;\n  c?: 1 | 2;\n}",
	} {
		if got, _ := typegen.Type(schema, typegen.Options{MaxDepth: depth}); got != want {
			t.Errorf("depth %d:\n%s", depth, got)
		}
	}
}

// What is too deep in a union is said once.
func TestUnionDepth(t *testing.T) { // CAT-5
	schema := jsontext.Value(`{"type":"object","properties":{"u":{"anyOf":[{"type":"string"},{"type":"object","properties":{"a":{}}},{"type":"array","items":{"type":"object"}},{"type":"null"}]}}}`)
	if got, _ := typegen.Type(schema, typegen.Options{MaxDepth: 1}); got != "{\n  u?: string | unknown | null;\n}" {
		t.Error(got)
	}
}

// TestEnumWhole: nothing but depth is limited (CAT-5).
func TestEnumWhole(t *testing.T) {
	var values, props []string
	for i := range 2000 {
		values = append(values, fmt.Sprintf("%q", fmt.Sprint("v", i)))
		props = append(props, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	got, _ := typegen.Type(jsontext.Value(`{"enum":[`+strings.Join(values, ",")+`]}`), typegen.Options{MaxDepth: 6})
	if want := strings.Join(values, " | "); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	got, _ = typegen.Type(jsontext.Value(`{"type":"object","properties":{`+strings.Join(props, ",")+`}}`), typegen.Options{MaxDepth: 6})
	if n := strings.Count(got, "?: string;"); n != 2000 {
		t.Errorf("%d properties", n)
	}
}

func declare(name, description, schema string) *typegen.Declaration {
	return typegen.Declare(typegen.Tool{Name: name, Description: description, Input: jsontext.Value(schema)})
}

const recursive = `{"type":"object","properties":{"node":{"$ref":"#/$defs/Node"}},"$defs":{"Node":{"type":"object","properties":{"next":{"$ref":"#/$defs/Node"}}}}}`

func TestAssemble(t *testing.T) { // TYPE-3
	parts := []*typegen.Declaration{
		declare("mcp__a__one", "Several\nlines\n\U0001F600", recursive),
		declare("mcp__a__two-2", "", recursive),
		{Name: "mcp__a__made", Text: "  mcp__a__made(): void;\n"},
		declare("mcp__a__three", "Last", `{"$ref":"#/nowhere"}`),
	}
	members := []*typegen.Declaration{declare("search", "Search the catalog.", recursive)}
	f := typegen.Assemble(parts, members)
	lines := strings.Split(f.Text, "\n")
	for _, d := range parts {
		at, ok := f.Positions[d.Name]
		want := d.Name
		if strings.Contains(d.Name, "-") {
			want = `"` + d.Name + `"`
		}
		if !ok || !strings.HasPrefix(lines[at.Line][at.Character:], want+"(") {
			t.Errorf("%s is not at %v", d.Name, at)
		}
	}
	if len(f.Problems["mcp__a__three"]) != 1 || len(f.Problems) != 1 {
		t.Errorf("problems: %v", f.Problems)
	}
	for _, want := range []string{
		"declare const tools: Tools;", "  readonly $codemode: CodeMode;", "  /** Search the catalog. */\n  search(input?: {",
		"declare namespace ToolTypes.mcp__a__one {", "declare namespace ToolTypes.mcp__a__two$2d$2 {", "declare const console: Console;",
	} {
		if !strings.Contains(f.Text, want) {
			t.Errorf("there is no %q in\n%s", want, f.Text)
		}
	}
	if strings.Contains(f.Text, "export ") || strings.Contains(f.Text, "import ") {
		t.Error("the file must be a script, not a module")
	}
	if again := typegen.Assemble(parts, members); again.Text != f.Text || again.Hash != f.Hash || len(f.Hash) != 64 {
		t.Error("the same pool has another text or hash")
	}
	if empty := typegen.Assemble(nil, nil); !strings.Contains(empty.Text, "interface Tools {\n}") {
		t.Error("no tools, no interface")
	}
}

// TestAssembleLocal: a change of one tool changes its own lines (TYPE-6).
func TestAssembleLocal(t *testing.T) {
	a, c := declare("mcp__a__a", "A", recursive), declare("mcp__a__c", "C", recursive)
	old := typegen.Assemble([]*typegen.Declaration{a, declare("mcp__a__b", "B", recursive), c}, nil).Text
	changed := typegen.Assemble([]*typegen.Declaration{a, declare("mcp__a__b", "Other", `{"type":"object","properties":{"x":{"type":"string"}}}`), c}, nil).Text
	for _, d := range []*typegen.Declaration{a, c} {
		if !strings.Contains(old, d.Text) || !strings.Contains(changed, d.Text) {
			t.Errorf("%s changed", d.Name)
		}
	}
	lines := map[string]int{}
	for line := range strings.Lines(old) {
		lines[line]++
	}
	for line := range strings.Lines(changed) {
		if lines[line]--; lines[line] < 0 && line != "  /** Other */\n" && line != "    x?: string;\n" {
			t.Errorf("a line that is not the tool's own: %q", line)
		}
	}
}

// TestNamesApart: no two tools share a namespace, however alike their names.
func TestNamesApart(t *testing.T) { // TYPE-6
	names := []string{"a-b", "a$2d$b", "a.b", "a b", "a\u00e4b", "a_b", "ToolTypes", "", "$", "1", "\xff", "\ufffd", "a\xff"}
	seen := map[string]string{}
	for _, name := range names {
		text := typegen.Assemble([]*typegen.Declaration{declare(name, "", recursive)}, nil).Text
		_, rest, _ := strings.Cut(text, "declare namespace ToolTypes.")
		namespace, _, _ := strings.Cut(rest, " ")
		if other, taken := seen[namespace]; taken {
			t.Errorf("%q and %q are both %s", name, other, namespace)
		}
		seen[namespace] = name
	}
}

func TestProblems(t *testing.T) { // POOL-5
	text, problems := typegen.Type(jsontext.Value(`{"type":"object","properties":{"a/b":{"$ref":"#/x"},"good":{"type":"string"}}}`), typegen.Options{})
	if want := "{\n  \"a/b\"?: unknown;\n  good?: string;\n}"; text != want {
		t.Errorf("%s", text)
	}
	if len(problems) != 1 || problems[0].Path != "/properties/a~1b/$ref" {
		t.Errorf("%v", problems)
	}
}

// TestTagsStayOnTheirLine: no text of a tag can begin another one.
func TestTagsStayOnTheirLine(t *testing.T) { // CAT-3, TYPE-2
	for _, end := range []string{`\n`, `\r`, `\r\n`, `\u000b`, `\f`, `\u0085`, `\u2028`, `\u2029`} {
		for _, keyword := range []string{"pattern", "format"} {
			schema := `{"type":"object","properties":{"a":{"type":"string","` + keyword + `":"x` + end + `@deprecated"}}}`
			got, _ := typegen.Type(jsontext.Value(schema), typegen.Options{})
			if lines := strings.Count(got, "\n"); lines != 3 || !strings.Contains(got, "/** @"+keyword+" x") {
				t.Errorf("%s with %s:\n%s", keyword, end, got)
			}
		}
	}
}

// TestInheritedNames: an object that lacks an optional property with the name of
// a method of Object.prototype is assignable all the same.
func TestInheritedNames(t *testing.T) { // TYPE-4
	schema := `{"type":"object","properties":{"toString":{"type":"string"},"constructor":{"type":["string","null"]},"valueOf":{},"hasOwnProperty":{"type":"number"}},"required":["hasOwnProperty"],"not":{"required":["isPrototypeOf"]},"additionalProperties":{"type":"string"}}`
	got, _ := typegen.Type(jsontext.Value(schema), typegen.Options{})
	for _, want := range []string{
		"toString?: string | Function;", `"constructor"?: string | null | Function;`, "valueOf?: unknown;", "hasOwnProperty: number;", "isPrototypeOf?: Function;",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
