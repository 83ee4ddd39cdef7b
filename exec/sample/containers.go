package sample

import (
	"regexp"
	"slices"
	"strconv"
)

// object makes an object: all properties near the root, only the required ones
// further down or in every other attempt.
func (g *generator) object(s object, c *choices, depth int) any {
	out := object{}
	properties, _ := s["properties"].(object)
	required := map[string]bool{}
	for _, name := range list(s["required"]) {
		if name, ok := name.(string); ok {
			required[name] = true
		}
	}
	lean := c.of(2) == 1 || depth >= maxDepth/2
	names := sorted(properties)
	for name := range required {
		if _, ok := properties[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	most := int(bound(s["maxProperties"], float64(len(names)+maxItems)))
	matching := len(required)
	put := func(name string, must bool) {
		if _, done := out[name]; done || g.over() || !must && (g.spent() || len(out)+matching >= most) {
			return
		}
		v, ok := g.value(g.propertySchema(s, name, true), depth+1, 0)
		if ok || must {
			out[name] = v
		}
		if must {
			matching--
		}
	}
	for _, name := range names {
		if required[name] || !lean {
			put(name, required[name])
		}
	}
	for range 3 { // what is there may ask for more
		for _, name := range sorted(out) {
			for _, also := range g.dependants(s, name) {
				put(also, true)
			}
		}
	}
	least := int(bound(s["minProperties"], 0))
	for i := 0; len(out) < least && i < least+20 && !g.spent(); i++ {
		if i < len(names) {
			put(names[i], true)
			continue
		}
		put(g.freshName(s, i), true)
	}
	return out
}

// freshName is the name of a property that the schema does not list.
func (g *generator) freshName(s object, i int) string {
	if rule, ok := s["propertyNames"].(object); ok {
		if name, ok := g.value(object{"allOf": []any{rule, object{"type": "string"}}}, 1, i); ok {
			return name.(string)
		}
	}
	if patterns, ok := s["patternProperties"].(object); ok && s["additionalProperties"] == false {
		if all := sorted(patterns); len(all) > 0 {
			name, _ := text(object{"pattern": all[i%len(all)]}, i, 0).(string)
			return name + strconv.Itoa(i)
		}
	}
	return "key" + strconv.Itoa(i)
}

// propertySchema is everything that is asked of a property; unevaluated says
// that all alternatives have been put together, so that nothing else evaluates it.
func (g *generator) propertySchema(s object, name string, unevaluated bool) any {
	var parts []any
	if properties, ok := s["properties"].(object); ok {
		if p, ok := properties[name]; ok {
			parts = append(parts, p)
		}
	}
	if patterns, ok := s["patternProperties"].(object); ok {
		var some []string
		for pattern := range patterns {
			if g.named(pattern, name) {
				some = append(some, pattern)
			}
		}
		slices.Sort(some)
		for _, pattern := range some {
			parts = append(parts, patterns[pattern])
		}
	}
	if len(parts) == 0 {
		if p, ok := s["additionalProperties"]; ok {
			parts = append(parts, p)
		}
		if p, ok := s["unevaluatedProperties"]; ok && unevaluated {
			parts = append(parts, p)
		}
	}
	switch len(parts) {
	case 0:
		return true
	case 1:
		return parts[0]
	}
	if slices.Contains(parts, any(false)) {
		return false
	}
	return object{"allOf": parts}
}

// named reports whether a pattern is found in a property's name.
func (g *generator) named(pattern, name string) bool {
	if g.steps++; g.steps > maxSteps {
		return false
	}
	re, known := g.patterns[pattern]
	if !known {
		re = compile(pattern)
		if g.patterns == nil {
			g.patterns = map[string]*regexp.Regexp{}
		}
		g.patterns[pattern] = re
	}
	return re == nil || re.MatchString(name)
}

// dependants are the properties that another one asks for.
func (g *generator) dependants(s object, name string) []string {
	var names []string
	for _, key := range []string{"dependentRequired", "dependencies", "dependentSchemas"} {
		rules, ok := s[key].(object)
		if !ok {
			continue
		}
		asked := list(rules[name])
		if sub, ok := rules[name].(object); ok {
			asked = list(sub["required"])
		}
		for _, also := range asked {
			if also, ok := also.(string); ok {
				names = append(names, also)
			}
		}
	}
	return names
}

func (g *generator) array(s object, c *choices, depth int) any {
	out := []any{}
	tuple, rest := items(s)
	least := int(bound(s["minItems"], 0))
	contained, asks := s["contains"]
	matching := 0
	if asks {
		matching = int(bound(s["minContains"], 1))
	}
	want := max(least, len(tuple), matching)
	if want == 0 && depth < maxDepth/2 && c.of(2) == 0 && rest != nil && rest != false {
		want = 1
	}
	want = min(want, int(bound(s["maxItems"], maxItems)))
	for i := 0; i < want && !g.over() && (i < least || !g.spent()); i++ {
		var schema any
		switch {
		case i < len(tuple):
			schema = tuple[i]
		case rest == nil:
			schema = true
		default:
			schema = rest
		}
		if i >= want-matching {
			schema = allOf(schema, contained)
		}
		v, ok := g.value(schema, depth+1, i)
		if s["uniqueItems"] == true {
			for n := i + 1; n < i+20 && slices.ContainsFunc(out, func(o any) bool { return equal(o, v) }); n++ {
				v, ok = g.value(schema, depth+1, n)
			}
		}
		if !ok && i >= least && i >= matching {
			break // shorter is as good
		}
		out = append(out, v)
	}
	return out
}

// items are the schemas of the first items, and that of all others: nil when
// there is none.
func items(s object) (tuple []any, rest any) {
	if tuple, ok := s["prefixItems"].([]any); ok {
		return tuple, s["items"]
	}
	if tuple, ok := s["items"].([]any); ok {
		return tuple, s["additionalItems"]
	}
	return nil, s["items"]
}

// bound is a count that a schema asks for.
func bound(v any, otherwise float64) float64 {
	f, ok := v.(float64)
	if !ok || f < 0 {
		return otherwise
	}
	return min(f, maxItems)
}
