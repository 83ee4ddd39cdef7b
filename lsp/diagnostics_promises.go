package lsp

import (
	"strings"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// unawaited reports calls whose outcome nobody sees, and promises that are taken
// for what they bring.
func (d *diagnosis) unawaited() {
	reported := map[script.Range]bool{}
	report := func(u script.Unawaited, message string) {
		if reported[u.Range] {
			return
		}
		reported[u.Range] = true
		d.add(finding{
			at: u.Range, code: DiagnosticUnawaitedCall, severity: protocol.DiagnosticSeverityWarning, message: message,
			data: findingData{Tool: u.Tool}, promise: &u,
		})
	}
	for _, u := range d.promises.Lost {
		if _, known := d.pool.Catalog.Find(u.Tool); u.Tool != "" && u.Tool != script.ReservedNamespace && !known {
			continue // another complaint's business, or another tools
		}
		report(u, unawaitedMessage(u))
	}
	told := map[string]bool{} // variables with what became of a promise that was reported
	for i, p := range d.promising {
		s := d.promises.Suspects[i]
		u := s.Lost
		if !s.Loses(p) || d.complained(s.Around) || u.Used && told[d.slice(s.Value)] {
			continue
		}
		if s.Into != "" {
			told[s.Into] = true
		}
		u.Several = u.Several || p == script.PromiseList
		switch {
		case u.Used && (p == script.PromiseDeep || strings.HasPrefix(d.slice(s.Value), "await Promise")):
			u.Async = false // there is no simple way
			report(u, "There are promises in this, not what they bring: await them before they get there.")
		case u.Used && u.Several:
			report(u, "This is a list of promises, not of what they bring. Put await Promise.all(…) around it.")
		case u.Used:
			report(u, "This is a promise, not what it brings. Put await before it.")
		default:
			report(u, unawaitedMessage(u))
		}
	}
}

// complained says whether TypeScript itself complains about a promise in a range.
func (d *diagnosis) complained(in script.Range) bool {
	for i := d.from(in.Start); i < len(d.types) && earlier(utf16Range(d.types[i].Range).Start, in.End); i++ {
		if d.types[i].Severity == protocol.DiagnosticSeverityError && strings.Contains(messageText(d.types[i].Message), "Promise") {
			return true
		}
	}
	return false
}

func unawaitedMessage(u script.Unawaited) string {
	message := "Nobody waits for this call: what is still running when the script ends is cancelled."
	switch {
	case u.Callback == "forEach":
		return "forEach does not wait for its callback: calls that are still running when the script ends are cancelled. " +
			"Use for (… of …), or await Promise.all(….map(…))."
	case u.Callback != "":
		return u.Callback + " does not wait for its callback: a promise always counts as true. " +
			"Get the values first, with await Promise.all(….map(…))."
	case u.Several:
		return message + " Put await Promise.all(…) around it."
	}
	return message + " Put await before it."
}
