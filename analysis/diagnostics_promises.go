package analysis

import (
	"slices"
	"strings"

	"codemode-ls/script"
	"codemode-ls/typescript"

	"go.lsp.dev/protocol"
)

// unawaited reports calls whose outcome nobody sees, and promises that are used as
// if they were their values.
func (d *Diagnosis) unawaited() {
	for _, p := range d.promises {
		_, known := d.Pool.Catalog.Find(p.Tool)
		if p.Tool != "" && p.Tool != script.ReservedNamespace && !known || p.Used && d.complained(utf16Range(p.Around)) {
			continue // reported otherwise
		}
		isDropped := func(f finding) bool { return f.uncalled != nil && f.at.Start == utf16Range(p.Mark).Start }
		if slices.ContainsFunc(d.Found, isDropped) {
			continue // the same expression: returned, it is awaited too
		}
		if p.Deep {
			p.Async = false // there is no simple fix
		}
		severity, message := protocol.DiagnosticSeverityWarning, promiseMessage(p)
		if slices.Contains(d.guessed, p.Mark) {
			severity, message = protocol.DiagnosticSeverityInformation, message+" "+d.ground()
		}
		d.add(finding{
			at: utf16Range(p.Mark), Code: DiagnosticUnawaitedCall, Severity: severity,
			Message: message, data: FindingData{Tool: p.Tool}, promise: &p,
		})
	}
}

// complained reports whether TypeScript itself reports a promise in a range.
func (d *Diagnosis) complained(in script.Range) bool {
	for i := d.from(in.Start); i < len(d.Types) && earlier(utf16Range(d.Types[i].Range).Start, in.End); i++ {
		if d.Types[i].Severity == protocol.DiagnosticSeverityError && strings.Contains(messageText(d.Types[i].Message), "Promise") {
			return true
		}
	}
	return false
}

func promiseMessage(p typescript.Promise) string {
	const ignored = "Nothing awaits this call: if it is still running when the script ends, it is cancelled."
	switch {
	case p.Condition:
		return p.Callback + " does not await its callback: a promise always counts as true. " +
			"Get the values first, with await Promise.all(….map(…))."
	case p.Callback != "":
		return p.Callback + " does not await its callback: calls that are still running when the script ends are cancelled. " +
			"Use for (… of …), or await Promise.all(….map(…))."
	case p.Used && p.Deep:
		return "This contains unresolved promises: await them before they get there."
	case p.Used && p.List:
		return "This is an array of promises, not of their values. Put await Promise.all(…) around it."
	case p.Used:
		return "This is a promise, not its value. Put await before it."
	case p.List:
		return ignored + " Put await Promise.all(…) around it."
	}
	return ignored + " Put await before it."
}
