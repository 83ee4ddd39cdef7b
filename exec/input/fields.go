package input

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Field is a line of the table that describes an input.
type Field struct {
	Path        string `json:"path"` // such as page.size
	Type        string `json:"type"` // as in TypeScript
	Required    bool   `json:"required"`
	Default     string `json:"default,omitzero"` // JSON
	Description string `json:"description,omitzero"`
}

// Fields are the fields of an input in the order of the schema, those of objects in it
// below them; none when it is no object.
func Fields(schema jsontext.Value) []Field {
	c, err := parse(schema)
	if err != nil {
		return nil
	}
	return c.fields(schema, "", 0)
}

// Type is the type that a schema describes, in one line.
func Type(schema jsontext.Value) string {
	c, err := parse(schema)
	if err != nil {
		return "unknown"
	}
	return c.typeText(c.schema, 0)
}

// Definitions are the named types that the types of fields refer to, in one line each.
func Definitions(schema jsontext.Value) (all []Field) {
	c, err := parse(schema)
	if err != nil {
		return nil
	}
	root, _ := c.schema.(map[string]any)
	definitions, _ := root["$defs"].(map[string]any)
	for _, name := range sorted(definitions) {
		all = append(all, Field{Path: name, Type: c.typeText(definitions[name], 0)})
	}
	return all
}

func parse(schema jsontext.Value) (*checker, error) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		return nil, fmt.Errorf("reading the schema of the input: %w", err)
	}
	return &checker{schema: document}, nil
}

const maxNested = 3

func (c *checker) fields(schema jsontext.Value, prefix string, depth int) (all []Field) {
	var o struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(schema, &o) != nil || depth > maxNested {
		return nil
	}
	for _, m := range members(jsontext.Value(o.Properties)) {
		var p struct {
			Ref         string          `json:"$ref"`
			Description string          `json:"description"`
			Default     json.RawMessage `json:"default"`
		}
		_ = json.Unmarshal(m.value, &p)
		var decoded any
		_ = json.Unmarshal(m.value, &decoded)
		f := Field{
			Path: prefix + m.name, Type: c.typeText(decoded, 0), Required: slices.Contains(o.Required, m.name),
			Default: string(p.Default), Description: p.Description,
		}
		if f.Default == "{}" {
			f.Default = "" // those of its fields count
		}
		below := c.fields(m.value, f.Path+".", depth+1)
		if len(below) > 0 {
			f.Type = "object"
		}
		all = append(append(all, f), below...)
	}
	return all
}

type named struct {
	name  string
	value jsontext.Value
}

// members are those of a JSON object, in its order.
func members(o jsontext.Value) (all []named) {
	d := jsontext.NewDecoder(strings.NewReader(string(o)))
	if d.PeekKind() != '{' {
		return nil
	}
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return all
		}
		text := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return all
		}
		all = append(all, named{text, value.Clone()})
	}
	return all
}

// typeText is a schema as a type of TypeScript, in one line.
func (c *checker) typeText(schema any, depth int) string {
	if b, ok := schema.(bool); ok && !b {
		return "never"
	}
	given, _ := schema.(map[string]any)
	if ref, ok := given["$ref"].(string); ok {
		if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
			return name
		}
		return "(the whole again)"
	}
	if options := literals(given); len(options) > 0 {
		words := make([]string, len(options))
		for i, o := range options {
			words[i] = literal(o)
		}
		return strings.Join(words, " | ")
	}
	if branches, ok := given["anyOf"].([]any); ok {
		words := make([]string, len(branches))
		for i, b := range branches {
			words[i] = c.typeText(b, depth+1)
		}
		return strings.Join(words, " | ")
	}
	var words []string
	for _, t := range typesOf(given) {
		switch t {
		case "array":
			words = append(words, c.arrayText(given, depth))
		case "object":
			words = append(words, c.objectText(given, depth))
		default:
			if p, ok := given["pattern"].(string); ok {
				t = readable(p)
			}
			words = append(words, t)
		}
	}
	if len(words) == 0 {
		return "unknown"
	}
	return strings.Join(words, " | ")
}

func (c *checker) arrayText(s map[string]any, depth int) string {
	prefix, isTuple := s["prefixItems"].([]any)
	if !isTuple {
		item := c.typeText(s["items"], depth+1)
		if strings.Contains(item, " | ") {
			item = "(" + item + ")"
		}
		return item + "[]"
	}
	var parts []string
	for _, p := range prefix {
		parts = append(parts, c.typeText(p, depth+1))
	}
	if rest, ok := s["items"].(map[string]any); ok {
		parts = append(parts, "..."+c.typeText(rest, depth+1)+"[]")
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (c *checker) objectText(s map[string]any, depth int) string {
	if depth > maxNested {
		return "object"
	}
	properties, _ := s["properties"].(map[string]any)
	var parts []string
	required := texts(s["required"])
	for _, name := range sorted(properties) {
		mark, text := "?", c.typeText(properties[name], depth+1)
		if slices.Contains(required, name) {
			mark = ""
		}
		if !isName(name) {
			name = literal(name)
		}
		parts = append(parts, name+mark+": "+text)
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok && len(parts) == 0 {
		return "Record<string, " + c.typeText(more, depth+1) + ">"
	}
	if len(parts) == 0 {
		return "object"
	}
	return "{ " + strings.Join(parts, "; ") + " }"
}

func literal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "unknown"
	}
	return string(b)
}

// Set puts a field into an input, from a text as it was typed: PATH=TEXT, or PATH alone
// for true. The schema says what the text means; a field that is an array takes one item
// each time. base may be nil.
func Set(schema, base jsontext.Value, fields []string) (jsontext.Value, error) {
	c, err := parse(schema)
	if err != nil {
		return nil, err
	}
	root := map[string]any{}
	var order []string // of the names
	for _, m := range members(base) {
		order = append(order, m.name)
	}
	if base != nil {
		decoded, err := jsonschema.UnmarshalJSON(strings.NewReader(string(base)))
		if err != nil {
			return nil, fmt.Errorf("the input is not JSON: %w", err)
		}
		object, ok := decoded.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("--input is %s, so that it has no fields to set", brief(decoded))
		}
		root = object
	}
	for _, f := range fields {
		path, text, given := strings.Cut(f, "=")
		if !given {
			text = "true"
		}
		if err := c.set(root, c.schema, strings.Split(path, "."), text); err != nil {
			return nil, fmt.Errorf("--input.%s: %w", path, err)
		}
		if top, _, _ := strings.Cut(path, "."); !slices.Contains(order, top) {
			order = append(order, top)
		}
	}
	parts := make([]string, len(order))
	for i, name := range order {
		value, err := json.Marshal(root[name])
		if err != nil {
			return nil, fmt.Errorf("writing the input: %w", err)
		}
		parts[i] = literal(name) + ":" + string(value)
	}
	return jsontext.Value("{" + strings.Join(parts, ",") + "}"), nil
}

func (c *checker) set(object map[string]any, schema any, path []string, text string) error {
	name := path[0]
	if name == "" {
		return fmt.Errorf("a name is missing")
	}
	below := any(c.member(schema, name))
	if len(path) > 1 {
		inner, ok := object[name].(map[string]any)
		if !ok {
			if _, given := object[name]; given {
				return fmt.Errorf("%s is no object", name)
			}
			inner = map[string]any{}
			object[name] = inner
		}
		return c.set(inner, below, path[1:], text)
	}
	value, item := c.meaning(below, text)
	if list, ok := object[name].([]any); ok && item {
		object[name] = append(list, value)
		return nil
	}
	if item {
		value = []any{value}
	} else if _, given := object[name]; given {
		return fmt.Errorf("given twice")
	}
	object[name] = value
	return nil
}

// member is the schema of a field, also one of a record or in one branch of a union.
func (c *checker) member(schema any, name string) map[string]any {
	s := c.follow(schema)
	if p := c.property(s, name); p != nil {
		return p
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok {
		return c.follow(more)
	}
	branches, _ := s["anyOf"].([]any)
	var found []any
	for _, b := range branches {
		if p := c.member(b, name); p != nil {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
		return found[0].(map[string]any)
	}
	return map[string]any{"anyOf": found}
}

// meaning is what a text means to a schema; item says that it is one of an array.
func (c *checker) meaning(schema any, text string) (value any, item bool) {
	s := c.follow(schema)
	var options []any
	var types []string
	var arrays []map[string]any
	var collect func(s map[string]any)
	collect = func(s map[string]any) {
		options = append(options, literals(s)...)
		types = append(types, typesOf(s)...)
		if slices.Contains(typesOf(s), "array") {
			arrays = append(arrays, s)
		}
		branches, _ := s["anyOf"].([]any)
		for _, b := range branches {
			collect(c.follow(b))
		}
	}
	collect(s)
	for _, o := range options {
		if text == strings.Trim(literal(o), `"`) {
			return o, false
		}
	}
	decoded, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	isJSON := err == nil
	switch {
	case slices.Contains(types, "string"):
		return text, false
	case isJSON && (slices.Contains(types, typeOf(decoded)) || len(types) == 0 && len(options) == 0):
		return decoded, false
	case len(arrays) > 0:
		value, _ = c.meaning(arrays[0]["items"], text)
		return value, true
	}
	return text, false
}

// FieldOfFlag is the field that a flag such as --input.repo=octo/hello names, as
// PATH=TEXT.
func FieldOfFlag(argument string) (field string, ok bool) {
	return strings.CutPrefix(argument, "--input.")
}

// Simple are the fields of an input that flags can give, for examples: those of one
// object of a few texts, numbers and booleans.
func Simple(value jsontext.Value) (fields [][2]string, ok bool) {
	list := members(value)
	if value.Kind() != '{' || len(list) == 0 || len(list) > 4 {
		return nil, false
	}
	for _, m := range list {
		text := string(m.value)
		if m.value.Kind() == '"' {
			unquoted, err := jsontext.AppendUnquote(nil, m.value)
			if err != nil {
				return nil, false
			}
			text = string(unquoted)
		} else if !slices.Contains([]jsontext.Kind{'0', 't', 'f'}, m.value.Kind()) {
			return nil, false
		}
		if !isName(m.name) {
			return nil, false
		}
		fields = append(fields, [2]string{m.name, text})
	}
	return fields, true
}
