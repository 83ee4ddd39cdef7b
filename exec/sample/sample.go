package sample

import (
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of a sample, whatever a schema asks for.
const (
	maxDepth    = 24
	maxNodes    = 5_000   // values that are made, those of discarded attempts too
	maxSteps    = 200_000 // schemas that are looked at in all
	maxItems    = 100
	maxChars    = 10_000
	maxAttempts = 64      // at one value
	maxTaken    = 1 << 20 // bytes of values that are taken from the schema as they are
	maxDocument = 16 << 20
)

var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Of is a sample of the schema's values. A schema that cannot be read gives
// null.
func Of(schema jsontext.Value) jsontext.Value {
	null := jsontext.Value("null")
	var root any
	if len(schema) > maxDocument || json.Unmarshal(schema, &root, lenient) != nil {
		return null
	}
	g := generator{}
	root = link(root)
	v, _ := g.value(root, 0, 0)
	b, err := json.Marshal(v, json.Deterministic(true), lenient)
	if err != nil {
		return null
	}
	return b
}

type object = map[string]any

// A generator makes one sample.
type generator struct {
	nodes, steps int
	taken        int                       // bytes of values from the schema
	patterns     map[string]*regexp.Regexp // of names; nil for what Go has no words for
}

// spent says that no more attempts are to be made.
func (g *generator) spent() bool {
	return g.nodes > maxNodes || g.steps > maxSteps || g.taken > maxTaken
}

// over says that the sample is as large as it may be, valid or not.
func (g *generator) over() bool { return g.nodes > 4*maxNodes || g.taken > 3*maxTaken }

// take notes the size of a value that is in the schema.
func (g *generator) take(v any) any {
	g.taken += weight(v)
	return v
}

// weight is about how many bytes a value has as JSON.
func weight(v any) int {
	n := 8
	switch v := v.(type) {
	case string:
		n += len(v)
	case []any:
		for _, item := range v {
			n += weight(item)
		}
	case object:
		for name, item := range v {
			n += len(name) + weight(item)
		}
	}
	return n
}

// value makes a value of a schema, and reports whether it is valid. n distinguishes
// values that should differ, such as the items of an array.
func (g *generator) value(schema any, depth, n int) (v any, ok bool) {
	g.nodes++
	if schema == false {
		return nil, false
	}
	s, isObject := schema.(object)
	if !isObject {
		return text(nil, n, 0), true
	}
	if depth > maxDepth {
		v := g.plain(s)
		return v, g.accepts(s, v, 0)
	}
	var first any
	for attempt := range maxAttempts {
		c := choices{rest: attempt}
		flat := g.flatten(s, &c, 0)
		v := g.make(flat, &c, depth, n)
		if g.accepts(s, v, 0) {
			return v, true
		}
		if attempt == 0 {
			first = v
		}
		if g.spent() || attempt >= c.most {
			break
		}
	}
	for _, v := range g.guesses(s) {
		if g.spent() {
			break
		}
		if g.accepts(s, v, 0) {
			return g.take(v), true
		}
	}
	return first, false
}

// choices are the alternatives that one attempt takes: every number is another
// way through all that there is to choose from.
type choices struct {
	rest int
	most int // a number from which on attempts repeat
}

func (c *choices) of(n int) int {
	if n <= 1 {
		return 0
	}
	if c.most == 0 {
		c.most = 1
	}
	c.most = min(c.most*n, maxAttempts)
	i := c.rest % n
	c.rest /= n
	return i
}

// make makes a value of a schema whose alternatives have been chosen.
func (g *generator) make(s object, c *choices, depth, n int) any {
	if v, ok := s["const"]; ok {
		return g.take(v)
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return g.take(list[(n+c.of(len(list)))%len(list)])
	}
	if n == 0 && c.rest == 0 {
		for _, key := range []string{"default", "example"} {
			if v, ok := s[key]; ok && v != nil && g.accepts(s, v, 0) {
				return g.take(v)
			}
		}
		if list, ok := s["examples"].([]any); ok && len(list) > 0 && g.accepts(s, list[0], 0) {
			return g.take(list[0])
		}
	}
	kinds := kindsOf(s)
	switch kinds[c.of(len(kinds))] {
	case "object":
		return g.object(s, c, depth)
	case "array":
		return g.array(s, c, depth)
	case "integer":
		return number(s, n+c.of(8), true)
	case "number":
		return number(s, n+c.of(8), false)
	case "boolean":
		return (n+c.of(2))%2 == 0
	case "null":
		return nil
	}
	return text(s, n, c.of(8))
}

// plain is a small value where there is no depth left for a better one.
func (g *generator) plain(s object) any {
	switch kindsOf(s)[0] {
	case "object":
		return object{}
	case "array":
		return []any{}
	case "integer", "number":
		return number(s, 0, true)
	case "boolean":
		return true
	case "null":
		return nil
	}
	return text(s, 0, 0)
}

// guesses are values that an attempt by rule may have missed: what the schema
// itself names, and one of every kind.
func (g *generator) guesses(s object) []any {
	var list []any
	var collect func(v any, depth int)
	collect = func(v any, depth int) {
		if g.steps++; depth > 6 || len(list) > 100 || g.spent() {
			return
		}
		switch v := v.(type) {
		case object:
			if c, ok := v["const"]; ok {
				list = append(list, c)
			}
			for _, key := range []string{"enum", "examples"} {
				if values, ok := v[key].([]any); ok {
					list = append(list, values...)
				}
			}
			for _, key := range sorted(v) {
				if f, ok := v[key].(float64); ok {
					list = append(list, f, f+1, f-1)
				}
				collect(v[key], depth+1)
			}
		case []any:
			for _, w := range v {
				collect(w, depth+1)
			}
		}
	}
	collect(s, 0)
	return append(list, "sample", 1.0, 0.0, -1.0, 1.5, 1000.0, true, false, nil, []any{}, object{}, "", "a", []any{"sample"}, []any{1.0}, object{"key": "sample"}, object{"key": 1.0})
}

// kindsOf are the types that a schema allows, read off its keywords when it does
// not say; null last.
func kindsOf(s object) []string {
	var list []string
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		null := false
		for _, name := range t {
			if name, ok := name.(string); ok && name != "null" {
				list = append(list, name)
			} else {
				null = true
			}
		}
		if null || len(list) == 0 {
			list = append(list, "null")
		}
		return list
	}
	for _, k := range []struct {
		kind     string
		keywords []string
	}{
		{"object", []string{"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"}},
		{"array", []string{"items", "prefixItems", "minItems", "maxItems", "contains", "uniqueItems", "additionalItems", "unevaluatedItems"}},
		{"number", []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}},
		{"string", []string{"minLength", "maxLength", "pattern", "format"}},
	} {
		for _, keyword := range k.keywords {
			if _, ok := s[keyword]; ok {
				list = append(list, k.kind)
				break
			}
		}
	}
	for _, kind := range []string{"string", "number", "object", "array", "boolean", "null"} {
		known := false
		for _, k := range list {
			known = known || k == kind
		}
		if !known {
			list = append(list, kind)
		}
	}
	return list
}
