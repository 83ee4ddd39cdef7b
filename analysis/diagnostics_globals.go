package analysis

import (
	"fmt"
	"slices"
	"strings"

	"codemode-ls/exec"
	"codemode-ls/script"
	"codemode-ls/typegen"

	"go.lsp.dev/protocol"
)

// options reports a wrong options line (EXEC-15). An empty script is none: it is
// about to be written.
func (d *Diagnosis) options() {
	prepared := d.source.Prepared()
	for _, e := range prepared.Errors {
		if e.Code == script.CodeBlank {
			continue
		}
		d.add(finding{at: e.Range, Code: e.Code, Severity: protocol.DiagnosticSeverityError, Message: e.Message})
	}
	for _, w := range exec.Lowered(prepared.Options) {
		d.add(finding{at: *w.Range, Code: DiagnosticOptionsLowered, Severity: protocol.DiagnosticSeverityWarning, Message: w.Message})
	}
}

// uncalled reports a function that the script meant to run, or whose value it meant to
// return (EXEC-19).
func (d *Diagnosis) uncalled() {
	u, ok := d.source.Body().Uncalled()
	if !ok {
		return
	}
	d.add(finding{at: u.Range, Code: DiagnosticUncalled, Severity: protocol.DiagnosticSeverityWarning, Message: u.Message, uncalled: &u})
}

// modules reports what imports or exports (EXEC-13).
func (d *Diagnosis) modules() {
	for _, r := range d.source.Reaches() {
		message := moduleMessage(r)
		if message == "" {
			continue
		}
		d.replace(r.Whole)
		at := r.Whole
		if r.Kind == "export" || at.End.Line > at.Start.Line {
			at = r.Range
		}
		d.add(finding{
			at: at, Code: DiagnosticNoModules, Severity: protocol.DiagnosticSeverityError, Message: message,
			data: FindingData{Name: r.Kind},
		})
	}
}

// globals reports what other hosts have and a script does not.
func (d *Diagnosis) globals() {
	reported := map[script.Range]bool{}
	report := func(at script.Range, name, instead string) {
		if reported[at] {
			return
		}
		reported[at] = true
		d.add(finding{
			at: at, Code: DiagnosticNotAvailable, Severity: protocol.DiagnosticSeverityError,
			Message: fmt.Sprintf("%s is not available in Exec scripts. %s", name, instead),
			data:    FindingData{Name: name},
		})
	}
	kept := d.Types[:0:0]
	for _, t := range d.Types {
		code, _ := t.Code.(protocol.Integer)
		at := utf16Range(t.Range)
		name := d.slice(at)
		before := strings.TrimRight(d.text[:d.at.OffsetUTF16(at.Start)], " \t\r\n")
		switch {
		case slices.Contains(missingName, int32(code)) && hostGlobals[name] != "":
			if !strings.HasSuffix(before, "typeof") {
				report(at, name, hostGlobals[name])
			}
		case slices.Contains(missingName, int32(code)) && libraries[name] != "" && d.usedAsLibrary(at):
			report(at, name, libraries[name])
		case (code == 7017 || code == 2339) && hostGlobals[name] != "" && strings.HasSuffix(before, "globalThis."):
			// GlobalMembers has it
		case d.ofGlobal(t):
			// TypeScript keeps const and class out of globalThis, the sandbox does not.
		case slices.Contains(missingName, int32(code)) && d.isTool(name):
			t.Message = protocol.String("Cannot find name '" + Plain(name, 80) + "'. Tools are members of tools: write " + typegen.CallForm(name) + ".")
			kept = append(kept, t)
		case code == 17004:
			t.Message = protocol.String("There is no JSX in Exec scripts; type parameters and assertions, <T>, need a file named *.exec.ts.")
			kept = append(kept, t)
		case code == 2693 && name == "Tools":
			t.Message = protocol.String("Cannot find name 'Tools'. Did you mean 'tools'?")
			kept = append(kept, t)
		case code == 1235:
			t.Message = protocol.String("Namespaces are not available in Exec scripts: a script is the body of a function. Use an object or plain functions.")
			kept = append(kept, t)
		case code == 2550: // which would have people change a setting that they do not have
			text, _, _ := strings.Cut(messageText(t.Message), " Do you need to change your target library?")
			t.Message = protocol.String(text)
			kept = append(kept, t)
		case slices.Contains(missingName, int32(code)) && code >= 2580 && code <= 2868:
			t.Message = protocol.String("Cannot find name '" + Plain(name, 80) + "'.")
			kept = append(kept, t)
		default:
			kept = append(kept, t)
		}
	}
	d.Types = kept
	for _, at := range d.source.GlobalMembers(func(name string) bool { return hostGlobals[name] != "" }) {
		d.Types = slices.DeleteFunc(d.Types, func(t protocol.Diagnostic) bool { // rare
			return t.Code == protocol.Integer(7053) && covers(utf16Range(t.Range), at)
		})
		report(at, d.slice(at), hostGlobals[d.slice(at)]) // which TypeScript does not say of JavaScript
	}
	for _, at := range d.source.Mentions(func(name string) bool {
		return hostGlobals[name] != "" && name != "require" && (notChecked[name] || !d.Checked)
	}) {
		name := d.slice(at)
		after := strings.TrimLeft(d.text[d.at.OffsetUTF16(at.End):], " \t")
		if strings.HasPrefix(after, "(") || strings.HasPrefix(after, ")(") || name != "Function" && name != "eval" && strings.HasPrefix(after, ".") {
			report(at, name, hostGlobals[name])
		}
	}
}

// usedAsLibrary reports whether a name stands there as that of a module does: it is
// called, or a member of it is.
func (d *Diagnosis) usedAsLibrary(at script.Range) bool {
	after := strings.TrimLeft(d.text[d.at.OffsetUTF16(at.End):], " \t")
	return strings.HasPrefix(after, "(") || strings.HasPrefix(after, ".")
}

// ofGlobal reports whether a complaint is about a member of globalThis that every
// script has.
func (d *Diagnosis) ofGlobal(t protocol.Diagnostic) bool {
	switch t.Code {
	case protocol.Integer(2339), protocol.Integer(7017), protocol.Integer(7053):
	default:
		return false
	}
	if m := missingGlobal.FindStringSubmatch(messageText(t.Message)); m != nil {
		return d.declared(m[1])
	}
	if !strings.Contains(messageText(t.Message), "'typeof globalThis' has no index signature") {
		return false
	}
	name := d.slice(utf16Range(t.Range))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "globalThis"), "?.")
	return d.declared(strings.Trim(name, "[]. \"'`"))
}

// declared says that every script has a global of that name.
func (d *Diagnosis) declared(name string) bool {
	text := d.Pool.Catalog.Declarations().Text
	return strings.Contains(text, "\ndeclare const "+name+":") || strings.Contains(text, "\ndeclare class "+name+" ") ||
		strings.Contains(text, "\ndeclare function "+name+"(") || strings.Contains(text, "\ndeclare function "+name+"<")
}
