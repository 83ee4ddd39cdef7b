package analysis

import (
	"fmt"
	"slices"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/typescript"

	"go.lsp.dev/protocol"
)

// undeclared are the tools in the script whose results no server declares, in the
// order in which they are first named.
func (d *Diagnosis) undeclared() []*catalog.Tool {
	if d.unclear != nil {
		return *d.unclear
	}
	var tools []*catalog.Tool
	add := func(name string) {
		if t, ok := d.Pool.Catalog.Find(name); ok && t.OutputSchema == nil && !slices.Contains(tools, t) {
			tools = append(tools, t)
		}
	}
	for _, u := range d.source.Uses() {
		add(u.Name)
	}
	// Names in patterns, lists and the like.
	for word := range strings.FieldsFuncSeq(d.text, func(r rune) bool { return !isNameRune(r) }) {
		if strings.HasPrefix(word, "mcp__") {
			add(word)
		}
	}
	d.unclear = &tools
	return tools
}

func isNameRune(r rune) bool {
	return r == '_' || r == '-' || r == '$' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// take takes over what TypeScript found. A finding that would not be there if
// results that no server declares were any rests on what is not known, so it is
// information.
func (d *Diagnosis) take(found *typescript.Inspection) {
	d.Checked, d.Types, d.promises = true, found.Types, found.Promises
	loose := found.Loose
	if loose == nil {
		return
	}
	type place struct {
		at   protocol.Range
		code string
	}
	grounded := map[place]bool{}
	for _, t := range loose.Types {
		if warns(t) && !refersToItself(t) && !slices.ContainsFunc(loose.Untyped, func(r protocol.Range) bool {
			return asksForType(t) && covers(utf16Range(r), utf16Range(t.Range))
		}) {
			grounded[place{t.Range, CodeText(t.Code)}] = true
		}
	}
	d.Types = slices.Clone(d.Types)
	known := map[place]bool{}
	for i := range d.Types {
		t := &d.Types[i]
		at := place{t.Range, CodeText(t.Code)}
		known[at] = true
		if warns(*t) && !grounded[at] {
			t.Severity = protocol.DiagnosticSeverityInformation
			t.Message = protocol.String(messageText(t.Message) + "\n" + d.ground())
		}
	}
	// What the first view did not see because it stopped at something unknown.
	for _, t := range loose.Types {
		at := place{t.Range, CodeText(t.Code)}
		if grounded[at] && !known[at] && !isOfView(t) {
			d.Types = append(d.Types, t)
		}
	}
	for i := range d.promises {
		p := &d.promises[i]
		if !slices.ContainsFunc(loose.Promises, func(l typescript.Promise) bool { return l.Mark == p.Mark }) {
			d.guessed = append(d.guessed, p.Mark)
		}
	}
}

// isOfView reports whether a diagnostic is due to the second view itself, which
// declares tools in the script.
func isOfView(t protocol.Diagnostic) bool {
	code, _ := t.Code.(protocol.Integer)
	return (code == 2451 || code == 2300 || code == 2440 || code == 2395 || code == 2528) && strings.Contains(messageText(t.Message), "'tools'")
}

func warns(t protocol.Diagnostic) bool {
	return t.Severity == protocol.DiagnosticSeverityError || t.Severity == protocol.DiagnosticSeverityWarning
}

// isUntyped reports whether a diagnostic asks for the type of a variable or a
// parameter.
func isUntyped(t protocol.Diagnostic) bool {
	code, ok := t.Code.(protocol.Integer)
	return ok && slices.Contains(untypedName, int32(code))
}

// refersToItself reports whether a diagnostic is about a variable that gets its type
// by way of itself, as the pages of a list do whose cursor comes from the page before.
func refersToItself(t protocol.Diagnostic) bool {
	code, _ := t.Code.(protocol.Integer)
	return code == 7022 || code == 7023 || code == 7024
}

// asksForType reports whether a diagnostic is due to a type that is not known.
func asksForType(t protocol.Diagnostic) bool {
	return isUntyped(t) || strings.Contains(messageText(t.Message), "'unknown'")
}

// ground says why a finding is information only, and what would settle it.
func (d *Diagnosis) ground() string {
	tools := d.undeclared()
	seen, name := false, ""
	for _, t := range tools {
		_, ok := d.Pool.Catalog.Result(t)
		seen = seen || ok
	}
	if len(tools) == 1 {
		name = Plain(tools[0].Name, 100) + " declares no result"
	} else {
		name = fmt.Sprintf("%s and %d more declare no result", Plain(tools[0].Name, 100), len(tools)-1)
		if len(tools) == 2 {
			name = fmt.Sprintf("%s and %s declare no result", Plain(tools[0].Name, 100), Plain(tools[1].Name, 100))
		}
	}
	if seen {
		return name + ": this is checked against what is known of results so far, and may be right."
	}
	return name + ", so this cannot be checked. Run the script once, and the result has a type."
}
