package lsp

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A schemaNode is a JSON Schema within its document, so that references can be
// followed. What is odd in it is as if it were not there.
type schemaNode struct {
	root, at jsontext.Value
}

// maxSchemaSteps bounds references that lead to references.
const maxSchemaSteps = 16

// members are the keywords of a schema; nil when it is no object.
func (n schemaNode) members() map[string]jsontext.Value {
	var m map[string]jsontext.Value
	if n.at.Kind() != '{' || json.Unmarshal(n.at, &m, tolerant) != nil {
		return nil
	}
	return m
}

// resolved follows $ref within the document.
func (n schemaNode) resolved() schemaNode {
	for range maxSchemaSteps {
		var ref string
		if raw := n.members()["$ref"]; raw == nil || json.Unmarshal(raw, &ref) != nil {
			return n
		}
		path, ok := strings.CutPrefix(ref, "#")
		if !ok {
			return n
		}
		target := schemaNode{n.root, n.root}
		for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
			if part == "" {
				continue
			}
			if unescaped, err := url.PathUnescape(part); err == nil {
				part = unescaped
			}
			part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
			target.at = target.members()[part]
		}
		if target.at == nil {
			return n
		}
		n = target
	}
	return n
}

// list are the schemas under a keyword that holds several.
func (n schemaNode) list(keyword string) []schemaNode {
	var raw []jsontext.Value
	if json.Unmarshal(n.members()[keyword], &raw, tolerant) != nil {
		return nil
	}
	all := make([]schemaNode, len(raw))
	for i, r := range raw {
		all[i] = schemaNode{n.root, r}
	}
	return all
}

// branches are what a value may be: the alternatives of anyOf and oneOf, or the
// schema itself. null is left out: nobody means it.
func (n schemaNode) branches() []schemaNode { return n.unfolded(0) }

func (n schemaNode) unfolded(depth int) []schemaNode {
	n = n.resolved()
	var all []schemaNode
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, b := range n.list(keyword) {
			b = b.resolved()
			m := b.members()
			if n.typeName() != "" && b.typeName() == "" && m["const"] == nil && m["enum"] == nil && m["anyOf"] == nil && m["oneOf"] == nil {
				continue // it narrows what its parent is
			}
			if b.typeName() != "null" && depth < 4 {
				all = append(all, b.unfolded(depth+1)...)
			}
		}
	}
	if len(all) == 0 {
		return []schemaNode{n}
	}
	return all
}

func (n schemaNode) typeName() string {
	m := n.members()
	var one string
	var several []string
	switch {
	case json.Unmarshal(m["type"], &one) == nil && one != "":
		return one
	case json.Unmarshal(m["type"], &several) == nil && len(several) > 0:
		if i := slices.IndexFunc(several, func(s string) bool { return s != "null" }); i >= 0 {
			return several[i]
		}
		return "null"
	case m["properties"] != nil:
		return "object"
	case m["items"] != nil:
		return "array"
	}
	return ""
}

// fields are the properties of an object and which of them a call must give:
// those with a default may be left out (TYPE-5). What allOf adds is in them.
func (n schemaNode) fields() (required []string, properties map[string]schemaNode) {
	properties = map[string]schemaNode{}
	n.collectFields(&required, properties, 0)
	required = slices.DeleteFunc(required, func(name string) bool {
		p, ok := properties[name]
		return ok && p.resolved().members()["default"] != nil
	})
	return required, properties
}

func (n schemaNode) collectFields(required *[]string, properties map[string]schemaNode, depth int) {
	if depth > maxSchemaSteps {
		return
	}
	n = n.resolved()
	m := n.members()
	var names []string
	_ = json.Unmarshal(m["required"], &names, tolerant)
	for _, name := range names {
		if !slices.Contains(*required, name) {
			*required = append(*required, name)
		}
	}
	var own map[string]jsontext.Value
	_ = json.Unmarshal(m["properties"], &own, tolerant)
	for name, at := range own {
		if _, ok := properties[name]; !ok {
			properties[name] = schemaNode{n.root, at}
		}
	}
	for _, part := range n.list("allOf") {
		part.collectFields(required, properties, depth+1)
	}
}

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
