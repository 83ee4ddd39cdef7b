package analysis

import (
	"regexp"

	"go.lsp.dev/protocol"
)

// caughtFields are what an error has that a call rejects with (EXEC-4), and what
// every error has.
var caughtFields = []struct{ name, words string }{
	{"message", "What went wrong: for a call, the text of its result."},
	{"tool", "The tool whose call failed."},
	{"structuredContent", "The structured part of the failed call's result, if there was any."},
	{"name", "The kind of error."},
	{"stack", "Where it was thrown."},
}

var memberBegun = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*\??\.\s*([A-Za-z_$]?[\w$]*)$`)

// caught offers the fields of what a catch has caught, of which TypeScript knows
// nothing.
func (c *completer) caught(list *protocol.CompletionList, offset int) {
	before := c.doc.Text[:offset]
	m := memberBegun.FindStringSubmatchIndex(before[max(0, offset-200):])
	if len(list.Items) > 0 || m == nil {
		return
	}
	shift := max(0, offset-200)
	name, from := before[shift+m[2]:shift+m[3]], shift+m[4]
	catches, err := regexp.Compile(`\bcatch\s*\(\s*` + regexp.QuoteMeta(name) + `\s*(?::\s*any\s*)?\)`)
	if err != nil || !catches.MatchString(before) {
		return
	}
	for i, f := range caughtFields {
		list.Items = append(list.Items, protocol.CompletionItem{
			Label: f.name, Kind: protocol.CompletionItemKindProperty, SortText: Optional(string(rune('0' + i))),
			Documentation: protocol.String(f.words),
			TextEdit:      &protocol.TextEdit{Range: c.doc.Range(from, offset), NewText: f.name},
		})
	}
}
