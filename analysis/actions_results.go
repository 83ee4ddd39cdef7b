package analysis

import (
	"strings"

	"codemode-ls/script"
)

// resultTypes write down what is known of the result of a call whose server does
// not declare it: at the call, or as a type of the script's own.
func (m *fixer) resultTypes(u script.Use) []fix {
	t, ok := m.Pool.Catalog.Find(u.Name)
	if !ok || !u.Called || !u.Awaited || u.Tagged {
		return nil
	}
	r, ok := m.Pool.Catalog.Result(t)
	if !ok || r.File != "" || r.Type == "unknown" {
		return nil
	}
	end := m.offset(u.Arguments.End) + len(")")
	start := strings.LastIndex(m.text[:m.offset(u.Whole.Start)], "await")
	if start < 0 || end > len(m.text) {
		return nil
	}
	call, before, after := m.text[start:end], strings.TrimRight(m.text[:start], " \t("), strings.TrimLeft(m.text[end:], " \t)")
	if strings.HasPrefix(after, "as ") {
		return nil // it has a type
	}
	typed := m.language == script.TypeScript
	typ, isJSON := jsonType(r.Type)
	value, title := call, "Type the result"
	var all []fix
	if isJSON {
		if strings.HasSuffix(before, "JSON.parse") {
			return nil // which is typed by itself
		}
		value, title = "JSON.parse("+call+")", "Parse the JSON text"
	}
	if !typed {
		if isJSON {
			all = append(all, fix{title: title, kind: kindRewrite, edits: []edit{{start, end, value}}})
		}
		return all
	}
	line := m.text[strings.LastIndexByte(m.text[:start], '\n')+1 : start]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	inline := strings.ReplaceAll(typ, "\n", "\n"+indent)
	all = append(all, fix{title: title + " from the last run", kind: kindRewrite, edits: []edit{{start, end, "(" + value + " as " + inline + ")"}}})
	name := m.freeName(typeName(t.MCPName))
	declaration := "type " + name + " = " + typ + ";\n\n"
	if strings.HasPrefix(typ, "{") && strings.HasSuffix(typ, "}") && strings.Count(typ, "\n}") == 1 {
		declaration = "interface " + name + " " + typ + "\n\n"
	}
	at := m.top()
	return append(all, fix{title: title + " as " + name + ", a type in this script", kind: kindRewrite, edits: []edit{
		{at, at, declaration}, {start, end, "(" + value + " as " + name + ")"},
	}})
}

// jsonType is what a text is parsed to, when a type is that of a text that is JSON.
func jsonType(typ string) (parsed string, ok bool) {
	inner, ok := strings.CutPrefix(typ, "JsonText<")
	if !ok || !strings.HasSuffix(inner, ">") {
		return typ, false
	}
	inner = strings.TrimSuffix(inner, ">")
	depth := 0
	for _, c := range inner {
		switch c {
		case '<':
			depth++
		case '>':
			depth--
		}
		if depth < 0 {
			return typ, false // the end of another type
		}
	}
	return inner, true
}

// typeName makes ListIssuesResult of list_issues.
func typeName(tool string) string {
	var b strings.Builder
	up := true
	for _, c := range tool {
		switch {
		case c >= 'a' && c <= 'z' && up:
			b.WriteRune(c - 'a' + 'A')
			up = false
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' && b.Len() > 0:
			b.WriteRune(c)
			up = false
		default:
			up = true
		}
	}
	return b.String() + "Result"
}

// freeName is a name that the script does not use.
func (m *fixer) freeName(name string) string {
	for strings.Contains(m.text, name) {
		name += "_"
	}
	return name
}

// top is where a script's own types can stand: behind the comments that it begins
// with.
func (m *fixer) top() int {
	at := 0
	for at < len(m.text) {
		line, _, more := strings.Cut(m.text[at:], "\n")
		text := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if !more || !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "#!") && !strings.HasPrefix(text, "```") {
			break
		}
		at += len(line) + 1
	}
	return at
}
