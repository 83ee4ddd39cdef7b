package analysis

import (
	"regexp"
	"strings"

	"go.lsp.dev/protocol"
)

// optionWords are what the fields of the options line mean (EXEC-15).
var optionWords = map[string]string{
	"timeout_ms":        "How long the script may run, in milliseconds.",
	"max_tool_calls":    "How many calls it may make.",
	"max_output_tokens": "How long the text of its result may be, in tokens of four characters.",
}

var (
	optionsHead = regexp.MustCompile(`^\x{feff}?[ \t]*//[ \t]*@options\b[ \t]*:?[ \t]*`)
	// unfinishedOption is a field's name that is being typed.
	unfinishedOption = regexp.MustCompile(`[{,][ \t]*("?[A-Za-z_]*)$`)
)

// optionCompletion offers the fields of the options line, as JSON; ok is false
// where no options line is being written.
func optionCompletion(doc *Document, at protocol.Position) (list *protocol.CompletionList, ok bool) {
	offset := doc.Offset(at)
	start := strings.LastIndexAny(doc.Text[:offset], "\r\n") + 1
	head := optionsHead.FindString(doc.Text[start:offset])
	if head == "" || start != 0 && start != doc.Source.Prepared().First {
		return nil, false
	}
	list = &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	unfinished := unfinishedOption.FindStringSubmatchIndex(doc.Text[start+len(head) : offset])
	if unfinished == nil {
		return list, true
	}
	line, _, _ := strings.Cut(doc.Text[start:], "\n")
	from, to := start+len(head)+unfinished[2], offset
	if strings.HasPrefix(doc.Text[from:], `"`) && strings.HasPrefix(doc.Text[to:], `"`) && to > from {
		to++
	}
	filter := func(field string) string {
		if strings.HasPrefix(doc.Text[from:], `"`) {
			return `"` + field
		}
		return field
	}
	for i, field := range optionFields {
		if strings.Contains(line, `"`+field+`"`) {
			continue
		}
		text := `"` + field + `": `
		if rest := strings.TrimLeft(doc.Text[to:], " \t"); strings.HasPrefix(rest, ":") {
			text = `"` + field + `"`
		}
		list.Items = append(list.Items, protocol.CompletionItem{
			Label: field, Kind: protocol.CompletionItemKindProperty, SortText: Optional(string(rune('0' + i))),
			FilterText: Optional(filter(field)), Documentation: protocol.String(optionWords[field]),
			TextEdit: &protocol.TextEdit{Range: doc.Range(from, to), NewText: text},
		})
	}
	return list, true
}
