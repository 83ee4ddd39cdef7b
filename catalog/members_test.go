package catalog

import (
	"strings"
	"testing"

	"codemode-ls/typegen"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// The check knows every keyword that the members use, and typegen renders them.
func TestMembersAreReadable(t *testing.T) {
	names := []string{}
	for _, m := range Members() {
		names = append(names, m.Name)
		for _, schema := range []jsontext.Value{m.Input, m.Output} {
			shapeOf(schema) // panics at an unknown keyword
			if _, problems := typegen.Type(schema, typegen.Options{}); len(problems) > 0 {
				t.Errorf("%s: %v", m.Name, problems)
			}
		}
		if !strings.HasPrefix(m.Signature(), `tools["$codemode"].`+m.Name+`(input`) {
			t.Errorf("%s: signature\n%s", m.Name, m.Signature())
		}
	}
	want := []string{"search", "describe", "namespace", "list", "store", "load", "text", "image", "readText", "writeText",
		"models.list", "models.classify", "models.generate"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestMembersWith(t *testing.T) {
	for _, test := range []struct {
		has  []Need
		want int
	}{{nil, 8}, {[]Need{FileAccess}, 10}, {[]Need{Models}, 11}, {[]Need{FileAccess, Models}, 13}} {
		if got := MembersWith(test.has...); len(got) != test.want {
			t.Errorf("with %v there are %d members, want %d", test.has, len(got), test.want)
		}
	}
}

// SRCH-6 for every member
func TestCheck(t *testing.T) {
	for _, good := range [][2]string{
		{"search", ``}, {"list", `{}`}, {"describe", `{"name":"x"}`}, {"store", `{"key":"k"}`}, {"store", `{"key":"k","value":[null]}`},
		{"text", `{"value":null}`}, {"image", `{"data":"aGk=","mimeType":"image/png"}`}, {"writeText", `{"path":"a","text":""}`},
		{"models.classify", `{"text":"t","labels":["a","b"]}`}, {"models.generate", `{"prompt":"p","maxTokens":5}`},
	} {
		if err := Check(good[0], jsontext.Value(good[1])); err != nil {
			t.Errorf("%s(%s): %v", good[0], good[1], err)
		}
	}
	for _, bad := range [][3]string{
		{"list", `{"a":1}`, `unknown field "a"`},
		{"describe", `{}`, `lacks the field "name"`},
		{"describe", `{"name":["x"]}`, `name must be a string, not an array`},
		{"store", `{"value":1}`, `lacks the field "key"`},
		{"text", `{}`, `lacks the field "value"`},
		{"image", `{"data":"","mimeType":"image/png"}`, `data must not be empty`},
		{"models.classify", `{"text":"t","labels":[]}`, `labels must have at least 1 items`},
		{"models.classify", `{"text":"t","labels":["a",2]}`, `labels[1] must be a string, not a number`},
	} {
		err := Check(bad[0], jsontext.Value(bad[1]))
		if err == nil || !strings.Contains(err.Error(), bad[2]) || !strings.Contains(err.Error(), "of this shape:\n") {
			t.Errorf("%s(%s): %v; want %q and the shape", bad[0], bad[1], err, bad[2])
		}
	}
	if err := Check("serch", nil); err == nil || !strings.Contains(err.Error(), "it has search, describe") {
		t.Errorf("unknown member: %v", err)
	}
}

func TestDescriptionsHaveTheirShape(t *testing.T) {
	c := shop()
	shape := func(member string) *shape {
		for _, m := range Members() {
			if m.Name == member {
				return shapeOf(m.Output)
			}
		}
		t.Fatalf("no member %s", member)
		return nil
	}
	check := func(member string, v any) {
		t.Helper()
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := shape(member).check("", b); wrong != "" {
			t.Errorf("%s: %s in %s", member, wrong, b)
		}
	}
	for _, tool := range c.Tools() {
		d, ok := c.Describe(tool.Name)
		if !ok || d.Description != tool.Description || d.Server != tool.Server {
			t.Errorf("%s: described as %+v", tool.Name, d)
		}
		check("describe", d)
	}
	for _, name := range []string{"github", "mcp__github"} {
		n, ok := c.DescribeNamespace(name)
		want := NamespaceDescription{"mcp__github", "github", "MCP server github with 3 tools.", "Use get_me first.",
			[]string{"mcp__github__create_issue", "mcp__github__delete", "mcp__github__get_me"}}
		if diff := cmp.Diff(want, n); !ok || diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		check("namespace", n)
	}
	check("list", c.List())
	check("list", Empty().List())
	if _, ok := c.Describe("mcp__github__nothing"); ok {
		t.Error("a tool that is not there is described")
	}
	if _, ok := c.DescribeNamespace("nobody"); ok {
		t.Error("a server that is not there is described")
	}
}

// describe's signature has all levels, the catalog's six.
func TestDescribeIsDeep(t *testing.T) {
	schema := `{"type":"string"}`
	for range 10 {
		schema = `{"type":"object","properties":{"next":` + schema + `}}`
	}
	c := New([]*Server{NewServer("s", raw(`{"name":"deep","inputSchema":`+schema+`}`), "", false)}, nil)
	d, _ := c.Describe("mcp__s__deep")
	if n := strings.Count(d.Signature, "next"); n != 10 || strings.Count(c.Tools()[0].Signature(), "next") != 6 {
		t.Errorf("%d levels of 10 in\n%s\nthe catalog has\n%s", n, d.Signature, c.Tools()[0].Signature())
	}
}

// TYPE-3, TYPE-6
func TestDeclarations(t *testing.T) {
	c := shop()
	f := c.Declarations()
	if f != c.Declarations() {
		t.Error("it is computed twice")
	}
	for _, tool := range c.Tools() {
		if _, ok := f.Positions[tool.Name]; !ok {
			t.Errorf("%s is not declared", tool.Name)
		}
	}
	for _, m := range Members() {
		has := strings.Contains(f.Text, " "+m.Name+"(")
		if has != (m.Needs == Nothing) {
			t.Errorf("%s: declared %v", m.Name, has)
		}
	}
	if !strings.Contains(c.Offering(Offer{Models: true}).Declarations().Text, "  readonly models: {\n    /** Lists the models that the editor offers. */\n    list(input?: ") {
		t.Errorf("models is not declared as an object of functions:\n%s", c.Offering(Offer{Models: true}).Declarations().Text)
	}
}

func TestBroken(t *testing.T) {
	s := NewServer("s", raw(`{"name":"x","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/nowhere"}}},
		"outputSchema":{"type":"object","properties":{"b":{"$ref":"#/nowhere"}}},"annotations":7}`), "", false)
	var paths []string
	for _, p := range s.Tools[0].Broken() {
		paths = append(paths, p.Path)
	}
	got := strings.Join(paths, " ")
	for _, want := range []string{"/annotations", "/inputSchema/properties/a", "/outputSchema/properties/b"} {
		if !strings.Contains(got, want) {
			t.Errorf("problems at %s, want one at %s", got, want)
		}
	}
	if good := server("s", "x").Tools[0].Broken(); len(good) != 0 {
		t.Errorf("a good tool has %v", good)
	}
}
