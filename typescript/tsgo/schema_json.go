package codemodeshim

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSONTo satisfies json.MarshalerTo.
func (o object) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := e.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(e, m.value); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

func (o *object) add(name string, value any) { *o = append(*o, member{name, value}) }

// schemaEncoder writes a graph of schemas as one document: what is used more than once
// becomes a definition.
type schemaEncoder struct {
	root  *schema
	uses  map[*schema]int
	names map[*schema]string // of definitions
	taken map[string]bool
	queue []*schema // definitions that are yet to be written
}

func encodeSchema(root *schema) jsontext.Value {
	e := &schemaEncoder{root: root, uses: map[*schema]int{}, names: map[*schema]string{}, taken: map[string]bool{}}
	e.count(root)
	o := object{{"$schema", "https://json-schema.org/draft/2020-12/schema"}}
	o = append(o, e.body(root)...)
	var definitions object
	for len(e.queue) > 0 {
		s := e.queue[0]
		e.queue = e.queue[1:]
		definitions.add(e.names[s], e.body(s))
	}
	if len(definitions) > 0 {
		o.add("$defs", definitions)
	}
	b, err := json.Marshal(o, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil
	}
	return b
}

// parts are the schemas directly inside of one.
func (s *schema) parts() []*schema {
	var list []*schema
	for _, p := range s.properties {
		list = append(list, p.schema)
	}
	for _, p := range s.patterns {
		list = append(list, p.schema)
	}
	list = append(list, s.prefix...)
	list = append(list, s.anyOf...)
	for _, one := range []*schema{s.items, s.additional} {
		if one != nil {
			list = append(list, one)
		}
	}
	return list
}

func (e *schemaEncoder) count(s *schema) {
	e.uses[s]++
	if e.uses[s] == 1 {
		for _, part := range s.parts() {
			e.count(part)
		}
	}
}

// inline reports whether a schema is short enough to be written wherever it is used.
func (s *schema) inline() bool {
	return len(s.parts()) == 0 && len(s.enum) < 8
}

// use is a schema where another one refers to it.
func (e *schemaEncoder) use(s *schema) object {
	switch {
	case s == e.root:
		return object{{"$ref", "#"}}
	case e.uses[s] < 2 || s.inline():
		return e.body(s)
	}
	name := e.names[s]
	if name == "" {
		base := s.name
		if base == "" {
			base = "type"
		}
		name = base
		for n := 2; e.taken[name]; n++ {
			name = fmt.Sprint(base, n)
		}
		e.names[s], e.taken[name] = name, true
		e.queue = append(e.queue, s)
	}
	return object{{"$ref", "#/$defs/" + pointer(name)}}
}

func (e *schemaEncoder) list(all []*schema) []any {
	list := make([]any, len(all))
	for i, s := range all {
		list[i] = e.boolean(s)
	}
	return list
}

// boolean is use, with false for what nothing fits.
func (e *schemaEncoder) boolean(s *schema) any {
	if s.never {
		return false
	}
	return e.use(s)
}

func (e *schemaEncoder) body(s *schema) (o object) {
	if s.description != "" {
		o.add("description", s.description)
	}
	switch {
	case s.never:
		o.add("not", object{})
	case s.isArray:
		o.add("type", "array")
	case len(s.types) == 1:
		o.add("type", s.types[0])
	case len(s.types) > 1:
		o.add("type", s.types)
	case len(s.enum) == 1:
		o.add("const", s.enum[0])
	case len(s.enum) > 1:
		o.add("enum", s.enum)
	}
	if s.pattern != "" {
		o.add("pattern", s.pattern)
	}
	if len(s.properties) > 0 {
		o.add("properties", e.properties(s.properties))
	}
	var required []string
	for _, p := range s.properties {
		if p.required {
			required = append(required, p.name)
		}
	}
	if len(required) > 0 {
		o.add("required", required)
	}
	if len(s.patterns) > 0 {
		o.add("patternProperties", e.properties(s.patterns))
	}
	if s.additional != nil {
		o.add("additionalProperties", e.boolean(s.additional))
	}
	if s.isArray {
		e.array(&o, s)
	}
	if len(s.anyOf) > 0 {
		o.add("anyOf", e.list(s.anyOf))
	}
	return o
}

func (e *schemaEncoder) array(o *object, s *schema) {
	if len(s.prefix) > 0 {
		o.add("prefixItems", e.list(s.prefix))
	}
	if s.items != nil {
		o.add("items", e.boolean(s.items))
	}
	if s.min > 0 {
		o.add("minItems", s.min)
	}
	if s.max >= 0 {
		o.add("maxItems", s.max)
	}
}

func (e *schemaEncoder) properties(list []property) object {
	o := object{}
	for _, p := range list {
		value := e.use(p.schema)
		if p.description != "" {
			if len(value) > 0 && value[0].name == "description" {
				value = value[1:]
			}
			value = append(object{{"description", p.description}}, value...)
		}
		if p.hasValue {
			value.add("default", p.value)
		}
		if p.deprecated {
			value.add("deprecated", true)
		}
		o.add(p.name, value)
	}
	return o
}
