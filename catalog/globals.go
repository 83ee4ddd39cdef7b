package catalog

import (
	"slices"
	"strings"

	"codemode-ls/typegen"

	"github.com/go-json-experiment/json/jsontext"
)

// A Global is a member under a global name, for scripts that were written for
// another host of code mode (exec.globals "extended"). It takes the positional
// arguments that such hosts have, and the member's own object.
type Global struct {
	Name    string   // such as "searchTools"; "files.read" is a function of the object files
	Member  string   // that it calls
	Fields  []string // of the member's argument, in the order of the positional arguments
	Options bool     // an object with more fields may follow them
	Now     bool     // it returns the value itself, no promise; null as undefined
}

// Globals are all of them, those of one object together. Beside them is
// ALL_TOOLS, which is what list returns.
func Globals() []Global {
	return []Global{
		{Name: "searchTools", Member: "search", Fields: []string{"query"}, Options: true},
		{Name: "describeTool", Member: "describe", Fields: []string{"name"}},
		{Name: "describeNamespace", Member: "namespace", Fields: []string{"name"}},
		{Name: "store", Member: "store", Fields: []string{"key", "value"}, Now: true},
		{Name: "load", Member: "load", Fields: []string{"key"}, Now: true},
		{Name: "text", Member: "text", Fields: []string{"value"}, Now: true},
		{Name: "image", Member: "image", Fields: []string{"data", "detail"}, Now: true},
		{Name: "files.readText", Member: "readText", Fields: []string{"path"}},
		{Name: "files.writeText", Member: "writeText", Fields: []string{"path", "text"}},
		{Name: "files.read", Member: "readText", Fields: []string{"path"}},
		{Name: "files.write", Member: "writeText", Fields: []string{"path", "text"}},
		{Name: "models.list", Member: "models.list"},
		{Name: "models.classify", Member: "models.classify", Fields: []string{"text", "labels"}, Options: true},
		{Name: "models.generate", Member: "models.generate", Fields: []string{"prompt"}, Options: true},
	}
}

// TakesAny reports whether the first argument may be any value, an object too.
func (g Global) TakesAny() bool {
	m, ok := memberOf(Members(), g.Member)
	if !ok || len(g.Fields) == 0 {
		return false
	}
	field := shapeOf(m.Input).Properties[g.Fields[0]]
	return field != nil && len(field.Type) == 0
}

func memberOf(members []Member, name string) (Member, bool) {
	i := slices.IndexFunc(members, func(m Member) bool { return m.Name == name })
	if i < 0 {
		return Member{}, false
	}
	return members[i], true
}

// imageForms are the arguments of the global image: those of other hosts have
// no place in the member's schema.
const imageForms = `(image: string, detail?: string): void;
(image: { type?: string; data: string; mimeType: string; detail?: string } | { type?: string; image_url: string | { url: string }; detail?: string }): void;
`

// declareGlobals is the part of the .d.ts with the globals whose members are
// there, rendered from the schemas of these.
func declareGlobals(members []Member) string {
	var b strings.Builder
	list, _ := memberOf(members, "list")
	out, _ := typegen.Type(list.Output, typegen.Options{Direction: typegen.Output})
	b.WriteString("\n/** Every MCP tool that can be called. */\ndeclare const ALL_TOOLS: " + out + ";\n")
	object := ""
	end := func() {
		if object != "" {
			b.WriteString("};\n")
		}
		object = ""
	}
	for _, g := range Globals() {
		m, ok := memberOf(members, g.Member)
		if !ok {
			continue
		}
		outer, name, nested := strings.Cut(g.Name, ".")
		if outer != object {
			end()
		}
		doc := "/** " + m.Description + " */\n"
		if g.Now {
			doc = strings.ReplaceAll(doc, "null", "undefined")
		}
		prefix, indent := "declare function "+g.Name, ""
		if nested {
			prefix, indent = name, "  "
			if object == "" {
				b.WriteString("\n/** What " + `tools["$codemode"]` + " has under the same and other names. */\ndeclare const " + outer + ": {\n")
				object = outer
			}
		} else {
			b.WriteByte('\n')
		}
		for line := range strings.Lines(doc + g.forms(m, prefix)) {
			b.WriteString(indent + line)
		}
	}
	end()
	return b.String()
}

// forms are the call signatures of a global, a declaration each: positional and
// by one object.
func (g Global) forms(m Member, prefix string) string {
	if g.Name == "image" {
		return prefix + strings.ReplaceAll(strings.TrimSuffix(imageForms, "\n"), "\n", "\n"+prefix) + "\n"
	}
	result, _ := typegen.Type(m.Output, typegen.Options{Direction: typegen.Output})
	switch {
	case !g.Now:
		result = "Promise<" + result + ">"
	case result == "null":
		result = "void"
	}
	s := shapeOf(m.Input)
	input, _ := typegen.Type(m.Input, typegen.Options{Direction: typegen.Input})
	own := "(input: " + input + "): " + result + ";\n"
	if len(s.Required) == 0 {
		own = "(input?: " + input + "): " + result + ";\n"
	}
	if len(g.Fields) == 0 {
		return prefix + own
	}
	var parameters []string
	for _, field := range g.Fields {
		typ, _ := typegen.Type(propertyOf(m.Input, field), typegen.Options{Direction: typegen.Input})
		mark := ""
		if !slices.Contains(s.Required, field) {
			mark = "?"
		}
		parameters = append(parameters, field+mark+": "+typ)
	}
	if g.Options {
		parameters = append(parameters, "options?: Omit<"+input+", "+union(g.Fields)+">")
	}
	return prefix + "(" + strings.Join(parameters, ", ") + "): " + result + ";\n" + prefix + own
}

func union(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `"` + n + `"`
	}
	return strings.Join(quoted, " | ")
}

// propertyOf is the schema of one property of a member's argument.
func propertyOf(schema jsontext.Value, name string) jsontext.Value {
	var s struct {
		Properties map[string]jsontext.Value `json:"properties"`
	}
	if unmarshal(schema, &s) != nil || s.Properties[name] == nil {
		return jsontext.Value(`{}`)
	}
	return s.Properties[name]
}
