package lsp

import (
	"fmt"
	"strings"

	"codemode-ls/catalog"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// schemaObject is what a snippet and signature help need of a JSON Schema of an
// object; anything odd in it is as if it were not there.
type schemaObject struct {
	Required   []string
	Properties map[string]jsontext.Value // see readField
}

type schemaField struct {
	Type        string // the first of several
	Description string
	Enum        []jsontext.Value
	Const       jsontext.Value
	HasDefault  bool
}

func readObject(schema jsontext.Value) schemaObject {
	var raw struct {
		Required   jsontext.Value            `json:"required"`
		Properties map[string]jsontext.Value `json:"properties"`
	}
	var o schemaObject
	if json.Unmarshal(schema, &raw, tolerant) != nil {
		return o
	}
	_ = json.Unmarshal(raw.Required, &o.Required) // draft 3 has a boolean here
	o.Properties = raw.Properties
	return o
}

// tolerant reads what servers send.
var tolerant = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func readField(raw jsontext.Value) schemaField {
	var f schemaField
	var parts struct {
		Type        jsontext.Value `json:"type"`
		Description jsontext.Value `json:"description"`
		Enum        jsontext.Value `json:"enum"`
		Const       jsontext.Value `json:"const"`
		Default     jsontext.Value `json:"default"`
	}
	if raw.Kind() != '{' || json.Unmarshal(raw, &parts, tolerant) != nil {
		return f
	}
	var several []string
	if json.Unmarshal(parts.Type, &f.Type) != nil && json.Unmarshal(parts.Type, &several) == nil && len(several) > 0 {
		f.Type = several[0]
	}
	_ = json.Unmarshal(parts.Description, &f.Description)
	_ = json.Unmarshal(parts.Enum, &f.Enum)
	f.Const, f.HasDefault = parts.Const, parts.Default != nil
	return f
}

// callSnippet is the call of a tool with a tab stop for each field that must be
// there (COMP-2); "" when the client has no snippets.
func callSnippet(client *clientCapabilities, t *catalog.Tool) string {
	if !client.Snippets {
		return ""
	}
	o := readObject(t.InputSchema)
	var fields []string
	for _, name := range o.Required {
		f := readField(o.Properties[name])
		if f.HasDefault {
			continue // may be left out (TYPE-5)
		}
		fields = append(fields, escapeSnippet(propertyKey(name))+": "+f.tabStop(len(fields)+1))
	}
	switch {
	case len(fields) > 0:
		return "({ " + strings.Join(fields, ", ") + " })$0"
	case len(o.Properties) > 0:
		return "({$1})$0"
	default:
		return "({})$0"
	}
}

// tabStop is the nth place to fill in.
func (f schemaField) tabStop(n int) string {
	if f.Const != nil {
		return escapeSnippet(sourceText(f.Const))
	}
	if len(f.Enum) > 0 && len(f.Enum) <= 20 {
		if choice, ok := choices(f.Enum); ok {
			return fmt.Sprintf("${%d|%s|}", n, choice)
		}
	}
	switch f.Type {
	case "string":
		return fmt.Sprintf(`"${%d}"`, n)
	case "boolean":
		return fmt.Sprintf("${%d|true,false|}", n)
	case "number", "integer":
		return fmt.Sprintf("${%d:0}", n)
	case "array":
		return fmt.Sprintf("[${%d}]", n)
	case "object":
		return fmt.Sprintf("{ ${%d} }", n)
	case "null":
		return "null"
	}
	return fmt.Sprintf("${%d}", n)
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

// escapeSnippet makes text stand for itself in a snippet.
func escapeSnippet(text string) string {
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
