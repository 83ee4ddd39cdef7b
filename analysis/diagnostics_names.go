package analysis

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/typegen"

	"go.lsp.dev/protocol"
)

// unknownTool says that there is no such tool, and why or which may be meant.
func (d *Diagnosis) unknownTool(u script.Use) {
	f := finding{at: u.NameRange, Code: DiagnosticUnknownTool, Severity: protocol.DiagnosticSeverityError, data: FindingData{Tool: u.Name}}
	if decision := d.Pool.Rules.Decide(u.Name); decision.Effect == permission.Deny {
		f.Code, f.Severity = DiagnosticDeniedTool, protocol.DiagnosticSeverityWarning
		f.Message = fmt.Sprintf("%s is denied%s: calls of it are refused.", Plain(u.Name, 200), byRule(decision.Rule))
		d.add(f)
		return
	}
	d.absent = true
	if why := Absence(d.Pool, u.Name); why != "" {
		f.Message = fmt.Sprintf("%s is not available now. %s", Plain(u.Name, 200), why)
		d.add(f)
		return
	}
	f.Message = fmt.Sprintf("There is no tool %q.", Plain(u.Name, 200))
	closest, asked := d.closest[u.Name]
	if name, end := d.byName(u); name != "" {
		f.data.Closest, f.named = []string{name}, end
		f.Message += " Tools are called themselves: " + typegen.CallForm(name) + "(…)."
		d.add(f)
		return
	}
	if name, end := d.dashed(u); name != "" {
		f.data.Closest, f.until = []string{name}, end
		f.Message += " A name that has a dash is written " + typegen.CallForm(name) + "."
		d.replace(utf16Range(d.at.Range(d.at.OffsetUTF16(u.NameRange.End), end)))
		d.add(f)
		return
	}
	if name, end := d.ofServer(u); name != "" {
		closest, asked, f.until = []string{name}, true, end
	}
	if !asked {
		closest = d.Pool.Catalog.Closest(u.Name, 3)
		if d.closest == nil {
			d.closest = map[string][]string{}
		}
		d.closest[u.Name] = closest
	}
	f.data.Closest = closest
	switch {
	case len(f.data.Closest) > 0:
		f.Message += " Did you mean " + strings.Join(f.data.Closest, ", ") + "?"
	case len(d.Pool.Catalog.Tools()) == 0:
		f.Message += " No MCP tools are available now."
	default:
		if n := d.namespace(u.Name); n != "" {
			f.Message += " The tools of that server are called tools." + n + "__<tool>(…)."
			break
		}
		f.Message += ` tools["$codemode"].search(…) finds tools.`
	}
	d.add(f)
}

// memberBehind is what may follow the name of a server that is taken for an object
// with its tools.
var memberBehind = regexp.MustCompile(`^["'\x60]?\]?(?:\s*\??\.\s*([A-Za-z_$][\w$]*)|(?:\?\.)?\[["'\x60]([^"'\x60\]]+)["'\x60]\])`)

// ofServer is the tool that is meant by tools.server.tool, and where that ends.
func (d *Diagnosis) ofServer(u script.Use) (name string, end int) {
	after := d.at.OffsetUTF16(u.NameRange.End)
	m := memberBehind.FindStringSubmatchIndex(d.text[after:])
	if m == nil {
		return "", 0
	}
	member := ""
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			member = d.text[after+m[i] : after+m[i+1]]
		}
	}
	for _, t := range d.Pool.Catalog.Tools() {
		if sameWords(t.Server, u.Name) && sameWords(t.MCPName, member) {
			return t.Name, after + m[1]
		}
	}
	return "", 0
}

// dashes are how a name goes on that is no identifier: it was read as a subtraction.
var dashes = regexp.MustCompile(`^(?:-[A-Za-z0-9_$]+)+`)

// dashed is the tool that is meant by tools.server__get-sum, and where its name ends.
func (d *Diagnosis) dashed(u script.Use) (name string, end int) {
	after := d.at.OffsetUTF16(u.NameRange.End)
	rest := dashes.FindString(d.text[after:])
	if rest == "" || !d.isTool(u.Name+rest) {
		return "", 0
	}
	return u.Name + rest, after + len(rest)
}

// namespace is what the names of the tools of a server begin with, or "" when no
// server is named so.
func (d *Diagnosis) namespace(server string) string {
	for _, t := range d.Pool.Catalog.Tools() {
		if sameWords(t.Server, server) {
			return t.Namespace
		}
	}
	return ""
}

// firstName is a call whose first argument is a name.
var firstName = regexp.MustCompile(`^["'\x60]?\]?\s*\(\s*(?:"([^"\n]+)"|'([^'\n]+)')\s*(?:,\s*|\))`)

// byName is the tool that is meant by tools.call("tool", …), as clients of MCP have
// it, and where the rest of the arguments begins.
func (d *Diagnosis) byName(u script.Use) (name string, end int) {
	after := d.at.OffsetUTF16(u.NameRange.End)
	m := firstName.FindStringSubmatchIndex(d.text[after:])
	if m == nil {
		return "", 0
	}
	at := m[2:4]
	if at[0] < 0 {
		at = m[4:6]
	}
	name = d.text[after+at[0] : after+at[1]]
	if !d.isTool(name) {
		return "", 0
	}
	end = after + m[1]
	if d.text[end-1] == ')' {
		end--
	}
	return name, end
}

// sameWords reports whether two names differ in nothing but case and what stands
// between their words.
func sameWords(a, b string) bool {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, s)
	}
	return bare(a) == bare(b)
}

// isTool reports whether a name is that of a tool.
func (d *Diagnosis) isTool(name string) bool {
	_, known := d.Pool.Catalog.Find(name)
	return known
}
