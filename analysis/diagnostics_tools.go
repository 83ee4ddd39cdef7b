package analysis

import (
	"fmt"
	"slices"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/script"
	"codemode-ls/typegen"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// use reports what is wrong with one use of tools.
func (d *Diagnosis) use(u script.Use) {
	if u.Name == script.ReservedNamespace {
		d.argument(u)
		d.outcome(u, nil)
		return
	}
	tool, known := d.Pool.Catalog.Find(u.Name)
	if !known {
		if !u.Alias { // which is reported where it gets its other name
			d.unknown(u)
		}
		return
	}
	if tool.Deprecated && !u.Alias {
		d.replace(u.Whole, 6385, 6387)
		d.add(finding{
			at: u.NameRange, Code: DiagnosticDeprecatedTool, Severity: protocol.DiagnosticSeverityHint,
			Message: u.Name + " is deprecated by its server.", tags: []protocol.DiagnosticTag{protocol.DiagnosticTagDeprecated},
			data: FindingData{Tool: u.Name},
		})
	}
	if broken := tool.Broken(); len(broken) > 0 {
		d.add(finding{
			at: u.NameRange, Code: DiagnosticBrokenSchema, Severity: protocol.DiagnosticSeverityInformation,
			Message: fmt.Sprintf("The server describes %s wrongly: %s. That part is not checked.", u.Name, BrokenWords(broken)),
			data:    FindingData{Tool: u.Name},
		})
	}
	d.argument(u)
	d.outcome(u, tool)
}

// BrokenWords are the first of the parts of a tool that are broken, and how many
// more there are (POOL-5).
func BrokenWords(broken []typegen.Problem) string {
	words := ProblemWords(broken[0])
	if n := len(broken) - 1; n > 0 {
		words += fmt.Sprintf(" (and %d more)", n)
	}
	return words
}

// ProblemWords is what is wrong with one part of a tool, and where.
func ProblemWords(p typegen.Problem) string {
	if p.Path == "" {
		return Plain(p.Message, 200)
	}
	return Plain(p.Path, 120) + ": " + Plain(p.Message, 200)
}

// unknown is for a tool that is not in the pool.
func (d *Diagnosis) unknown(u script.Use) {
	if !u.Untyped && d.replace(u.Whole, 18046, 2571) {
		return // the script has asked before: "name" in tools makes it something unknown
	}
	missing := d.replace(u.Whole, missingMember...)
	if !d.Opened || waiting(d.Pool, u.Name) {
		d.Pending = true
		return // nobody knows yet
	}
	if d.Checked && !missing && !u.Unasked || !d.Checked && (!strings.HasPrefix(u.Name, "mcp__") || u.Untyped && !u.Unasked) {
		return // another tools than the global one, or what every object has
	}
	d.unknownTool(u)
}

// missing reports what TypeScript has found where tools goes by a name that only
// a type checker can follow, such as a function's parameter.
func (d *Diagnosis) missing() {
	if ownTools.MatchString(d.text) {
		return
	}
	kept := d.Types[:0:0]
	for _, t := range d.Types {
		m := missingTool.FindStringSubmatch(messageText(t.Message))
		if m == nil || t.Code != protocol.Integer(2339) && t.Code != protocol.Integer(2551) {
			kept = append(kept, t)
			continue
		}
		at := utf16Range(t.Range)
		// A tool that the pool has: the engine knows a newer pool than this one, such as
		// after a crash of its server, and the next check has both.
		if waiting(d.Pool, m[1]) || !d.Opened || d.isTool(m[1]) {
			d.Pending = true
			continue
		}
		d.unknownTool(script.Use{Name: m[1], NameRange: at})
	}
	d.Types = kept
}

// argument reports what is not one plain object (ISO-6).
func (d *Diagnosis) argument(u script.Use) {
	report := func(at script.Range, message string) {
		d.add(finding{
			at: at, Code: DiagnosticArgumentForm, Severity: protocol.DiagnosticSeverityError, Message: message, data: FindingData{Tool: u.Name},
		})
	}
	if u.Tagged {
		d.replace(u.Arguments, 2345, 2554, 2555, 2559, 2739, 2740, 2741)
		report(u.Arguments, "A tool takes an object with its fields by name, not a template.")
	}
	if !u.Called || u.ArgumentCount == 0 {
		return
	}
	first := u.ArgumentRanges[0]
	what := u.FirstArgument
	switch what {
	case "array", "object":
		what = "an " + what
	case "", "null":
	default:
		what = "a " + what
	}
	if u.FirstArgument == "" {
		what = d.form(first)
	}
	wrong := what != "" && u.FirstArgument != "object"
	if wrong {
		d.replace(first, 2345, 2322, 2353, 2556, 2559, 2739, 2740, 2741)
	}
	if u.ArgumentCount == 1 {
		if wrong {
			report(first, "A tool takes an object with its fields by name, not "+what+".")
		}
		return
	}
	last := u.ArgumentRanges[u.ArgumentCount-1].End
	extra := script.Range{Start: u.ArgumentRanges[1].Start, End: last}
	d.replace(extra, 2554, 2555, 2345, 7006, 7031)
	if wrong {
		report(script.Range{Start: first.Start, End: last}, "A tool takes one object with its fields by name, not arguments by their position.")
		return
	}
	report(extra, "A tool takes one argument, an object with its fields by name.")
}

// form is what a first argument is that is no object by the word of TypeScript,
// with its article; "" when it may be one.
func (d *Diagnosis) form(at script.Range) string {
	for i := d.from(at.Start); i < len(d.Types) && utf16Range(d.Types[i].Range).Start == at.Start; i++ {
		t := &d.Types[i]
		if utf16Range(t.Range) != at || len(d.gone) == len(d.Types) && d.gone[i] {
			continue
		}
		switch t.Code {
		case protocol.Integer(2556):
			return "a spread"
		case protocol.Integer(2345):
			m := argumentType.FindStringSubmatch(FirstLine(messageText(t.Message)))
			if m == nil {
				continue
			}
			switch named := m[1]; {
			case named == "string", named == "number", named == "boolean", named == "bigint", named == "symbol":
				return "a " + named
			case named == "null", named == "undefined":
				return named
			case strings.HasPrefix(named, `"`) && strings.HasSuffix(named, `"`) && !strings.Contains(named, "|"):
				return "a string"
			case strings.HasSuffix(named, "[]"):
				return "an array"
			}
		}
	}
	return ""
}

// outcome reports loops that call what they should not, or slower than they
// could. tool is nil for $codemode.
func (d *Diagnosis) outcome(u script.Use, tool *catalog.Tool) {
	if tool == nil || !u.InLoop {
		return
	}
	switch {
	case isDestructive(tool):
		d.add(finding{
			at: u.NameRange, Code: DiagnosticDestructiveInLoop, Severity: protocol.DiagnosticSeverityInformation,
			Message: u.Name + " is destructive and called in a loop.", data: FindingData{Tool: u.Name},
		})
	case u.Together && !slices.ContainsFunc(d.changes, func(at script.Position) bool { return covers(u.Loop, script.Range{Start: at, End: at}) }):
		d.add(finding{
			at: u.NameRange, Code: DiagnosticSequentialAwaits, Severity: protocol.DiagnosticSeverityHint,
			Message: "These calls run one after another; with Promise.all they could run together.", data: FindingData{Tool: u.Name},
		})
	}
}

// changesThings says that the server itself says so: the order of changes may
// matter. A server's silence is not taken for it.
func changesThings(tool *catalog.Tool) bool {
	return tool.Annotations.ReadOnly != nil && !*tool.Annotations.ReadOnly
}

// waiting says that a tool's server has yet to list its tools.
func waiting(w *workspace.Snapshot, name string) bool {
	v, ok := w.Away(name)
	return ok && v.State == upstream.Connecting
}

// Absence says why a tool is not available, when its server is the reason; "" when
// it is not.
func Absence(w *workspace.Snapshot, name string) string {
	v, ok := w.Away(name)
	if !ok {
		return ""
	}
	server := Plain(v.Server.Name, 80)
	switch v.State {
	case upstream.Connecting:
		return "Server " + server + " is still connecting."
	case upstream.Idle:
		if v.Last.Failure != "" {
			return "Server " + server + " failed when it was last started: " + Plain(v.Last.Failure, 200)
		}
		return "Server " + server + " has not been started."
	case upstream.Failed:
		return "Server " + server + " has failed: " + Plain(v.Error, 200)
	case upstream.Stopped:
		if v.Self {
			return "Server " + server + " is this program itself, so it is not connected."
		}
		return "Server " + server + " is switched off."
	case upstream.Untrusted:
		if v.Refused {
			return "You have refused server " + server + "."
		}
		return "Server " + server + " waits for your approval."
	}
	return ""
}
