package analysis

import (
	"fmt"
	"strings"

	"codemode-ls/catalog"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tolerant reads what servers send.
var tolerant = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// CallSnippet is the call of a tool with a tab stop for each field that must be
// there (COMP-2); "" when the client has no snippets.
func CallSnippet(client *Client, t *catalog.Tool) string {
	if !client.Snippets {
		return ""
	}
	required, properties := schemaNode{t.InputSchema, t.InputSchema}.fields()
	var fields []string
	for _, name := range required {
		fields = append(fields, EscapeSnippet(propertyKey(name))+": "+properties[name].tabStop(len(fields)+1))
	}
	switch {
	case len(fields) > 0:
		return "({ " + strings.Join(fields, ", ") + " })$0"
	case len(properties) > 0:
		return "({$1})$0"
	default:
		return "({})$0"
	}
}

// tabStop is the nth place to fill in.
func (n schemaNode) tabStop(place int) string {
	branch := n.branches()[0]
	m := branch.members()
	if m["const"] != nil {
		return EscapeSnippet(sourceText(m["const"]))
	}
	var values []jsontext.Value
	if _ = json.Unmarshal(m["enum"], &values, tolerant); len(values) > 0 && len(values) <= 20 {
		if choice, ok := choices(values); ok {
			return fmt.Sprintf("${%d|%s|}", place, choice)
		}
	}
	switch branch.typeName() {
	case "string":
		return fmt.Sprintf(`"${%d}"`, place)
	case "boolean":
		return fmt.Sprintf("${%d|true,false|}", place)
	case "number", "integer":
		return fmt.Sprintf("${%d:0}", place)
	case "array":
		return fmt.Sprintf("[${%d}]", place)
	case "object":
		return fmt.Sprintf("{ ${%d} }", place)
	case "null":
		return "null"
	}
	return fmt.Sprintf("${%d}", place)
}

// choices are the values of an enumeration as a snippet's choice.
func choices(values []jsontext.Value) (string, bool) {
	var list []string
	for _, v := range values {
		if k := v.Kind(); k == '{' || k == '[' || len(v) > 60 {
			return "", false
		}
		list = append(list, choiceEscapes.Replace(sourceText(v)))
	}
	return strings.Join(list, ","), true
}

// EscapeSnippet makes text stand for itself in a snippet.
func EscapeSnippet(text string) string {
	if !strings.ContainsAny(text, `\$}`) {
		return text
	}
	return snippetEscapes.Replace(text)
}

var (
	snippetEscapes = strings.NewReplacer(`\`, `\\`, "$", `\$`, "}", `\}`)
	choiceEscapes  = strings.NewReplacer(`\`, `\\`, ",", `\,`, "|", `\|`)
)

func isIdentifier(name string) bool {
	for i, r := range name {
		if r != '_' && r != '$' && !(r|0x20 >= 'a' && r|0x20 <= 'z') && !(i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return name != ""
}
