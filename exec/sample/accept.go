package sample

import (
	"math"
	"slices"
	"unicode/utf8"
)

// accepts reports whether a value is valid against a schema, by the keywords of all
// drafts; what it does not know asks for nothing.
func (g *generator) accepts(schema, v any, depth int) bool {
	if g.steps++; g.steps > maxSteps || depth > 4*maxDepth {
		return true // enough looked at
	}
	s, ok := schema.(object)
	if !ok {
		return schema != false
	}
	if t := typeNames(s["type"]); len(t) > 0 && !slices.ContainsFunc(t, func(name string) bool { return isA(v, name) }) {
		return false
	}
	if c, ok := s["const"]; ok && !equal(c, v) {
		return false
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 && !slices.ContainsFunc(list, func(e any) bool { return equal(e, v) }) {
		return false
	}
	switch v := v.(type) {
	case float64:
		if !acceptsNumber(s, v) {
			return false
		}
	case string:
		n := float64(utf8.RuneCountInString(v))
		if least, ok := s["minLength"].(float64); ok && n < least {
			return false
		}
		if most, ok := s["maxLength"].(float64); ok && n > most {
			return false
		}
		if pattern, ok := s["pattern"].(string); ok && !matches(pattern, v) {
			return false
		}
	case []any:
		if !g.acceptsArray(s, v, depth) {
			return false
		}
	case object:
		if !g.acceptsObject(s, v, depth) {
			return false
		}
	}
	return g.acceptsParts(s, v, depth)
}

// acceptsParts checks the keywords that hold whole schemas for the same value.
func (g *generator) acceptsParts(s object, v any, depth int) bool {
	is := func(part any) bool { return g.accepts(part, v, depth+1) }
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if r, ok := s[key].(reference); ok && r.target != nil && !is(r.target) {
			return false
		}
	}
	for _, part := range list(s["allOf"]) {
		if !is(part) {
			return false
		}
	}
	if some := list(s["anyOf"]); len(some) > 0 && !slices.ContainsFunc(some, is) {
		return false
	}
	if some := list(s["oneOf"]); len(some) > 0 {
		n := 0
		for _, part := range some {
			if is(part) {
				n++
			}
		}
		if n != 1 {
			return false
		}
	}
	if not, ok := s["not"]; ok && is(not) {
		return false
	}
	if condition, ok := s["if"]; ok {
		branch := "then"
		if !is(condition) {
			branch = "else"
		}
		if part, ok := s[branch]; ok && !is(part) {
			return false
		}
	}
	return true
}

func acceptsNumber(s object, v float64) bool {
	if low, ok := s["minimum"].(float64); ok && (v < low || v == low && s["exclusiveMinimum"] == true) {
		return false
	}
	if high, ok := s["maximum"].(float64); ok && (v > high || v == high && s["exclusiveMaximum"] == true) {
		return false
	}
	if low, ok := s["exclusiveMinimum"].(float64); ok && v <= low {
		return false
	}
	if high, ok := s["exclusiveMaximum"].(float64); ok && v >= high {
		return false
	}
	if step, ok := s["multipleOf"].(float64); ok && step > 0 {
		q := v / step
		if math.Abs(q-math.Round(q)) > 1e-9 {
			return false
		}
	}
	return true
}

func (g *generator) acceptsArray(s object, v []any, depth int) bool {
	n := float64(len(v))
	if least, ok := s["minItems"].(float64); ok && n < least {
		return false
	}
	if most, ok := s["maxItems"].(float64); ok && n > most {
		return false
	}
	tuple, rest := items(s)
	for i, item := range v {
		var schema any = true
		switch {
		case i < len(tuple):
			schema = tuple[i]
		case rest != nil:
			schema = rest
		}
		if !g.accepts(schema, item, depth+1) {
			return false
		}
		if s["uniqueItems"] == true && slices.ContainsFunc(v[:i], func(o any) bool { return equal(o, item) }) {
			return false
		}
	}
	if contained, ok := s["contains"]; ok {
		found := 0.0
		for _, item := range v {
			if g.accepts(contained, item, depth+1) {
				found++
			}
		}
		least, ok := s["minContains"].(float64)
		if !ok {
			least = 1
		}
		if most, ok := s["maxContains"].(float64); found < least || ok && found > most {
			return false
		}
	}
	return true
}

func (g *generator) acceptsObject(s object, v object, depth int) bool {
	n := float64(len(v))
	if least, ok := s["minProperties"].(float64); ok && n < least {
		return false
	}
	if most, ok := s["maxProperties"].(float64); ok && n > most {
		return false
	}
	for _, name := range list(s["required"]) {
		if name, ok := name.(string); ok {
			if _, ok := v[name]; !ok {
				return false
			}
		}
	}
	for _, name := range sorted(v) {
		if !g.accepts(g.propertySchema(s, name, false), v[name], depth+1) {
			return false
		}
		if rule, ok := s["propertyNames"]; ok && !g.accepts(rule, name, depth+1) {
			return false
		}
		for _, also := range g.dependants(s, name) {
			if _, ok := v[also]; !ok {
				return false
			}
		}
		for _, key := range []string{"dependentSchemas", "dependencies"} {
			if rules, ok := s[key].(object); ok {
				if rule, ok := rules[name]; ok {
					if _, names := rule.([]any); !names && !g.accepts(rule, v, depth+1) {
						return false
					}
				}
			}
		}
	}
	return true
}

func isA(v any, kind string) bool {
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case []any:
		return kind == "array"
	case object:
		return kind == "object"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v)
	}
	return false
}

// equal is equality of JSON values.
func equal(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case object:
		b, ok := b.(object)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			w, ok := b[name]
			if !ok || !equal(v, w) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []any, object:
		return false
	}
	return a == b
}
