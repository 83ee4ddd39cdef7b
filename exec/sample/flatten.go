package sample

import (
	"maps"
	"slices"
)

// flatten puts together what a schema and its references, allOf, and one
// alternative of each anyOf, oneOf and condition say.
func (g *generator) flatten(s object, c *choices, depth int) object {
	if g.steps++; depth > maxDepth || g.steps > maxSteps {
		return s
	}
	out := maps.Clone(s)
	add := func(part any) {
		if p, ok := part.(object); ok {
			intersect(out, g.flatten(p, c, depth+1))
		}
	}
	for _, key := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if r, ok := s[key].(reference); ok {
			delete(out, key)
			if r.target == nil && len(s) == 1 {
				out["type"] = "object" // it is elsewhere, and most of what has a name is one
			}
			add(r.target)
		}
	}
	for _, part := range list(s["allOf"]) {
		add(part)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if some := withNullLast(list(s[key])); len(some) > 0 {
			add(some[c.of(len(some))])
		}
	}
	if condition, ok := s["if"]; ok {
		if c.of(2) == 0 {
			add(condition)
			add(s["then"])
		} else {
			add(s["else"])
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf", "if", "then", "else"} {
		delete(out, key)
	}
	return out
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// withNullLast are alternatives without those that nothing satisfies; null is
// the last one to be tried.
func withNullLast(some []any) []any {
	isNull := func(v any) bool {
		s, ok := v.(object)
		return ok && s["type"] == "null"
	}
	var first, last []any
	for _, v := range some {
		switch {
		case v == false:
		case isNull(v):
			last = append(last, v)
		default:
			first = append(first, v)
		}
	}
	return append(first, last...)
}

// intersect adds to a schema what another one asks for as well.
func intersect(s, other object) {
	for _, key := range sorted(other) {
		v := other[key]
		old, both := s[key]
		if !both {
			s[key] = v
			continue
		}
		switch key {
		case "properties", "patternProperties", "dependentSchemas":
			a, okA := old.(object)
			b, okB := v.(object)
			if !okA || !okB {
				continue
			}
			joined := maps.Clone(a)
			for name, sub := range b {
				if mine, ok := joined[name]; ok {
					joined[name] = allOf(mine, sub)
				} else {
					joined[name] = sub
				}
			}
			s[key] = joined
		case "required":
			s[key] = append(slices.Clone(list(old)), list(v)...)
		case "type":
			s[key] = commonTypes(old, v)
		case "enum":
			var common []any
			for _, a := range list(old) {
				if slices.ContainsFunc(list(v), func(b any) bool { return equal(a, b) }) {
					common = append(common, a)
				}
			}
			if len(common) > 0 {
				s[key] = common
			}
		case "items", "additionalProperties", "contains", "propertyNames", "not":
			if key == "not" {
				s[key] = object{"anyOf": []any{old, v}}
			} else {
				s[key] = allOf(old, v)
			}
		case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
			if a, ok := old.(float64); ok {
				if b, ok := v.(float64); ok {
					s[key] = max(a, b)
				}
			}
		case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
			if a, ok := old.(float64); ok {
				if b, ok := v.(float64); ok {
					s[key] = min(a, b)
				}
			}
		}
	}
}

func allOf(a, b any) any {
	if a == true {
		return b
	}
	if b == true {
		return a
	}
	return object{"allOf": []any{a, b}}
}

// commonTypes is what two values of "type" have in common; the first when that
// is nothing.
func commonTypes(a, b any) any {
	as, bs := typeNames(a), typeNames(b)
	var common []any
	for _, t := range as {
		switch {
		case slices.Contains(bs, t), t == "integer" && slices.Contains(bs, "number"):
			common = append(common, t)
		case t == "number" && slices.Contains(bs, "integer"):
			common = append(common, "integer")
		}
	}
	if len(common) == 0 {
		return a
	}
	return common
}

func typeNames(v any) []string {
	var names []string
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, t := range v {
			if t, ok := t.(string); ok {
				names = append(names, t)
			}
		}
	}
	return names
}
