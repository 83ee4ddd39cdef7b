package analysis

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// placeholder is a value that fits a schema as far as one can be thought of, as
// source text on one line (ACT-1).
func (n schemaNode) placeholder(depth int) string {
	branch := n.branches()[0]
	m := branch.members()
	var examples, values []jsontext.Value
	_ = json.Unmarshal(m["enum"], &values, tolerant)
	_ = json.Unmarshal(m["examples"], &examples, tolerant)
	switch {
	case m["const"] != nil:
		return sourceText(m["const"])
	case len(values) > 0:
		return sourceText(values[0])
	case m["default"] != nil && m["default"].Kind() != 'n':
		return sourceText(m["default"])
	case len(examples) > 0:
		return sourceText(examples[0])
	}
	switch branch.typeName() {
	case "string":
		return `""`
	case "number", "integer":
		var least float64
		if json.Unmarshal(m["minimum"], &least) == nil && least > 0 {
			return strconv.FormatFloat(least, 'f', -1, 64)
		}
		return "0"
	case "boolean":
		return "false"
	case "null":
		return "null"
	case "array":
		var least int
		if json.Unmarshal(m["minItems"], &least) == nil && least > 0 && depth < 8 && m["items"].Kind() == '{' {
			return "[" + schemaNode{n.root, m["items"]}.placeholder(depth+1) + "]"
		}
		return "[]"
	case "object":
		required, properties := branch.fields()
		var parts []string
		for _, name := range required {
			if depth < 8 {
				parts = append(parts, propertyKey(name)+": "+properties[name].placeholder(depth+1))
			}
		}
		if len(parts) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	return "null"
}

// sourceText is a JSON value as it is written in a script: with the characters
// themselves in strings, however the server has escaped them, as far as a person
// can see them.
func sourceText(v jsontext.Value) string {
	v = v.Clone()
	if v.Format(jsontext.PreserveRawStrings(false), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return "null"
	}
	return visible(string(v))
}

// visible is a string literal, or JSON, with escapes for what cannot be seen.
func visible(literal string) string {
	var b strings.Builder
	for _, r := range literal {
		switch {
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// propertyKey is a property's name as it is written in an object literal.
func propertyKey(name string) string {
	if isIdentifier(name) {
		return name
	}
	quoted, err := jsontext.AppendQuote(nil, name)
	if err != nil {
		return strconv.Quote(name)
	}
	return visible(string(quoted))
}
