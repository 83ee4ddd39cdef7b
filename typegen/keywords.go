package typegen

import (
	"github.com/go-json-experiment/json/jsontext"
)

// keywords are the members of a schema that say something about types.
type keywords struct {
	typ, enum, konst                              *node
	properties, required, additional, patterns    *node
	propertyNames                                 *node
	items, additionalItems, prefixItems, minItems *node
	maxItems                                      *node
	allOf, anyOf, oneOf, not                      *node
	ifs, then, els                                *node
	ref, dynamicRef                               *node
	dependentRequired, dependentSchemas           *node
	nullable, readOnly, writeOnly                 *node
	defaults                                      *node
}

func readKeywords(n *node) keywords {
	var k keywords
	for i, name := range n.names {
		v := n.kids[i]
		switch name {
		case "type":
			k.typ = v
		case "enum":
			k.enum = v
		case "const":
			k.konst = v
		case "properties":
			k.properties = v
		case "required":
			k.required = v
		case "additionalProperties":
			k.additional = v
		case "patternProperties":
			k.patterns = v
		case "propertyNames":
			k.propertyNames = v
		case "items":
			k.items = v
		case "additionalItems":
			k.additionalItems = v
		case "prefixItems":
			k.prefixItems = v
		case "minItems":
			k.minItems = v
		case "maxItems":
			k.maxItems = v
		case "allOf":
			k.allOf = v
		case "anyOf":
			k.anyOf = v
		case "oneOf":
			k.oneOf = v
		case "not":
			k.not = v
		case "if":
			k.ifs = v
		case "then":
			k.then = v
		case "else":
			k.els = v
		case "$ref":
			k.ref = v
		case "$dynamicRef", "$recursiveRef":
			k.dynamicRef = v
		case "dependentRequired":
			k.dependentRequired = v
		case "dependentSchemas", "dependencies":
			k.dependentSchemas = v
		case "nullable":
			k.nullable = v
		case "readOnly":
			k.readOnly = v
		case "writeOnly":
			k.writeOnly = v
		case "default":
			k.defaults = v
		}
	}
	return k
}

// isNullable is OpenAPI's word for null, which is no part of JSON Schema.
func (k *keywords) isNullable() bool { return k.nullable != nil && k.nullable.kind == 't' }

// list is a keyword's value when it is a list, as it must be.
func (b *builder) list(n *node) *node {
	if n != nil && n.kind != '[' {
		b.report(n, "a list of schemas is expected here, this is "+kindName(n.kind))
		return nil
	}
	return n
}

func hasDefault(n *node) bool { return n.kind == '{' && n.member("default") != nil }

// enumerated are the names that propertyNames lists, or nil.
func enumerated(names *node) []string {
	list := names.member("enum")
	if list == nil || list.kind != '[' || len(list.kids) == 0 {
		if one := names.member("const"); one != nil && one.kind == '"' {
			return []string{one.text}
		}
		return nil
	}
	var out []string
	for _, v := range list.kids {
		if v.kind == '"' {
			out = append(out, v.text)
		}
	}
	return unrepeated(out)
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "null"
}
