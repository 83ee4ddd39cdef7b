package analysis

import (
	"fmt"

	"codemode-ls/catalog"
)

// resultDocumentation says where the type of a tool's result comes from, when its
// server does not declare it; "" when nothing is known.
func resultDocumentation(snap *View, t *catalog.Tool) string {
	r, ok := snap.Workspace.Catalog.Result(t)
	if !ok {
		return ""
	}
	if r.File != "" {
		return "The server declares no result; its type was written in " + CodeSpan(Plain(r.File, 300)) + "."
	}
	what := "The server declares no result; the type is what results looked like so far, and others may differ."
	if s, ok := snap.Workspace.Catalog.Seen(t); ok && s.Times > 0 {
		times := fmt.Sprintf("%d times", s.Times)
		if s.Times == 1 {
			times = "once"
		}
		what += fmt.Sprintf(" Seen %s, last on %s.", times, s.Last.Local().Format("2 January 2006 at 15:04"))
	}
	if r.JSONText {
		what += " Text that is JSON is a `JsonText`: `JSON.parse` of it is typed."
	}
	return what
}
