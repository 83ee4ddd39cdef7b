package analysis

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// argumentValues adds to TypeScript's items what the schema of a call's argument
// knows better (COMP-3): which values fit a field, before all else, and the
// argument as a whole where there is none yet.
func (c *completer) argumentValues(list *protocol.CompletionList, offset int) {
	text := c.doc.Text
	u, path, ok := c.doc.Source.ArgumentAt(offset)
	if !ok {
		return
	}
	t, known := c.snap.Workspace.Catalog.Find(u.Name)
	if !known {
		return
	}
	if u.ArgumentCount == 0 {
		if item, ok := c.wholeArgument(CallSnippet(c.snap.Client, t)); ok {
			list.Items = append(list.Items, item)
		}
		return
	}
	start, end := offset, offset
	for start > 0 && (isWordByte(text[start-1]) || text[start-1] == '-') {
		start--
	}
	for _, item := range list.Items { // TypeScript knows where a string begins and ends
		if edit, ok := item.TextEdit.(*protocol.TextEdit); ok {
			if at := c.doc.Offset(edit.Range.Start); at > 0 && at <= offset && (text[at-1] == '"' || text[at-1] == '\'') {
				start, end = at, max(offset, c.doc.Offset(edit.Range.End))
				break
			}
		}
	}
	quote := byte(0)
	before := text[:start]
	if n := len(before); n > 0 && (before[n-1] == '"' || before[n-1] == '\'') {
		quote, before = before[n-1], before[:n-1]
	}
	before = strings.TrimRight(before, " \t\r\n")
	inArray := len(path) > 0 && path[len(path)-1] == "[]" && (strings.HasSuffix(before, "[") || strings.HasSuffix(before, ","))
	if !strings.HasSuffix(before, ":") && !inArray {
		return // a name is typed, not a value
	}
	values := schemaNode{t.InputSchema, t.InputSchema}.valuesAt(path)
	for i, v := range values {
		label := sourceText(v)
		if quote != 0 {
			var s string
			if v.Kind() != '"' || json.Unmarshal(v, &s) != nil {
				continue
			}
			label = s
		}
		sort := Optional("0" + string(rune('a'+min(i, 25))) + label)
		// TypeScript writes whatever is not ASCII as an escape.
		list.Items = slices.DeleteFunc(list.Items, func(item protocol.CompletionItem) bool { return sameLiteral(item.Label, label, quote) })
		written := label
		if quote != 0 {
			written = quoted(label, quote)
		}
		list.Items = append(list.Items, protocol.CompletionItem{
			Label: label, Kind: protocol.CompletionItemKindEnumMember, SortText: sort,
			TextEdit: &protocol.TextEdit{Range: c.doc.Range(start, end), NewText: visible(written)},
		})
	}
}

// sameLiteral says that what TypeScript calls a value is what the schema calls
// it, inside of quotes or with its own.
func sameLiteral(theirs, ours string, quote byte) bool {
	if theirs == ours {
		return true
	}
	if !strings.Contains(theirs+ours, `\`) {
		return false
	}
	if quote != 0 {
		theirs, ours = `"`+theirs+`"`, `"`+quoted(ours, '"')+`"`
	}
	var a, b string
	return json.Unmarshal([]byte(theirs), &a) == nil && json.Unmarshal([]byte(ours), &b) == nil && a == b
}

func isWordByte(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80
}

// wholeArgument is the object with the fields that must be there, made of the
// snippet of a call.
func (c *completer) wholeArgument(call string) (protocol.CompletionItem, bool) {
	object, ok := strings.CutPrefix(call, "({ ")
	if !ok {
		return protocol.CompletionItem{}, false
	}
	object = "{ " + strings.TrimSuffix(object, ")$0")
	return protocol.CompletionItem{
		Label: "{ … }", Kind: protocol.CompletionItemKindSnippet, Detail: Optional("the required fields"),
		SortText: Optional("0"), FilterText: Optional("{"), InsertText: Optional(object),
		InsertTextFormat: protocol.InsertTextFormatSnippet,
	}, true
}

// maxValues is how many values of a field are offered beyond TypeScript's own.
const maxValues = 100

// valuesAt are the values that can stand at a path from an argument's root, in
// every branch of the unions on the way: constants, enumerations, booleans.
func (n schemaNode) valuesAt(path []string) []jsontext.Value {
	nodes := n.branches()
	for _, step := range path {
		var next []schemaNode
		for _, at := range nodes {
			if step == "[]" {
				if items := at.members()["items"]; items.Kind() == '{' {
					next = append(next, schemaNode{at.root, items}.branches()...)
				}
				continue
			}
			_, properties := at.fields()
			if p, ok := properties[step]; ok {
				next = append(next, p.branches()...)
			}
		}
		nodes = next
	}
	var values []jsontext.Value
	add := func(v jsontext.Value) {
		if k := v.Kind(); len(values) < maxValues && k != '{' && k != '[' && !slices.ContainsFunc(values, func(o jsontext.Value) bool { return string(o) == string(v) }) {
			values = append(values, v)
		}
	}
	for _, at := range nodes {
		m := at.members()
		var enum []jsontext.Value
		_ = json.Unmarshal(m["enum"], &enum, tolerant)
		for _, v := range enum {
			add(v)
		}
		if m["const"] != nil {
			add(m["const"])
		}
		if at.typeName() == "boolean" && len(enum) == 0 {
			add(jsontext.Value("true"))
			add(jsontext.Value("false"))
		}
	}
	return values
}

// withoutHostGlobals leaves out what a script does not have although TypeScript
// offers it: it belongs to ECMAScript, or to the function around a body.
func withoutHostGlobals(items []protocol.CompletionItem, text string) []protocol.CompletionItem {
	own := strings.Contains(text, "function")
	return slices.DeleteFunc(items, func(item protocol.CompletionItem) bool {
		global := item.Kind == protocol.CompletionItemKindVariable || item.Kind == protocol.CompletionItemKindFunction ||
			item.Kind == protocol.CompletionItemKindInterface || item.Kind == protocol.CompletionItemKindModule || item.Kind == protocol.CompletionItemKindClass
		if !global {
			return false
		}
		return item.Label == "arguments" && !own || notChecked[item.Label] && item.Label != "Function" // which is a type, too
	})
}
