package analysis

import (
	"regexp"
	"strings"

	"codemode-ls/typegen/seen"

	"go.lsp.dev/protocol"
)

var (
	resultsInterface = regexp.MustCompile(`\binterface\s+` + seen.ResultsInterface + `\s*\{`)
	// memberPrefix is a line up to the cursor on which the name of a member is typed.
	memberPrefix = regexp.MustCompile(`^[ \t]*(["']?[\w$-]*)$`)
)

// CompleteResults offers, in a results.d.ts, the tools whose server declares no
// result, each with the type that its results had so far.
func (v *View) CompleteResults(doc *Document, p protocol.Position) *protocol.CompletionList {
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	end := doc.Offset(p)
	head := doc.Text[:end]
	all := resultsInterface.FindAllStringIndex(head, -1)
	if len(all) == 0 {
		return list
	}
	body := head[all[len(all)-1][1]:]
	typed := memberPrefix.FindStringSubmatch(head[strings.LastIndexByte(head, '\n')+1:])
	if typed == nil || strings.Count(body, "{") != strings.Count(body, "}") {
		return list
	}
	start := end - len(typed[1])
	after := doc.Text[end:]
	quote := ""
	if name := strings.TrimLeft(typed[1], `"'`); name != typed[1] {
		quote = typed[1][:1]
		end += len(after) - len(strings.TrimPrefix(after, quote)) // the quote that an editor has closed
	}
	written := map[string]bool{}
	if file, err := seen.ParseWritten(doc.Text); err == nil {
		for _, entry := range file.Entries {
			written[entry.Tool] = true
		}
	}
	for _, t := range v.Workspace.Catalog.Tools() {
		if t.OutputSchema != nil || written[t.Name] {
			continue
		}
		typ := "unknown"
		if r, ok := v.Workspace.Catalog.Result(t); ok && r.File == "" {
			typ = r.Type
		}
		item := protocol.CompletionItem{
			Label: Plain(t.Name, 200), Kind: protocol.CompletionItemKindProperty,
			FilterText: Optional(quote + t.Name), Detail: Optional("server " + Plain(t.Server, 80)),
		}
		item.TextEdit = &protocol.TextEdit{
			Range:   protocol.Range{Start: doc.Position(start), End: doc.Position(end)},
			NewText: propertyKey(t.Name) + ": " + strings.ReplaceAll(typ, "\n", "\n  ") + ";",
		}
		list.Items = append(list.Items, item)
	}
	return list
}
