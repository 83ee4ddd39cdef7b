package analysis

import (
	"codemode-ls/catalog"
	"codemode-ls/typegen"
)

// observedDocumentation shows what results of a tool looked like whose server
// does not say what it returns; "" when nothing was seen.
func observedDocumentation(snap *View, t *catalog.Tool) string {
	seen, ok := snap.Workspace.Catalog.Observed(t)
	if !ok {
		return ""
	}
	typ, _ := typegen.Type(seen.Schema, typegen.Options{Direction: typegen.Output})
	what := "Seen in results so far; the server does not declare it, and other results may differ. In scripts it is the type "
	if seen.Text {
		what = "Seen in results so far, which are texts to be parsed with JSON.parse; the server does not declare it, and other results may differ. In scripts it is the type "
	}
	name := typegen.ObservedName(t.Name)
	return what + CodeSpan(name) + ":\n\n" + Fence("typescript", Printable("type "+name+" = "+typ+";"))
}
