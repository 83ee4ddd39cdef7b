package exec

import (
	"math"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"codemode-ls/catalog"
	"codemode-ls/permission"
	"codemode-ls/sandbox"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// pretend answers a call of a dry run (DRY-1): no server hears of it, nobody is
// asked, and the answer is a sample of what the tool says it returns.
func (x *run) pretend(c *call) (jsontext.Value, error) {
	effect := permission.Ask
	if v, decided := x.decide(c); decided {
		effect = v.effect()
	}
	x.mu.Lock()
	c.record.Verdict = string(effect)
	x.mu.Unlock()
	value := x.sample.value(c.tool)
	if value == nil {
		return nil, &sandbox.CallError{Message: "no sample can be made of the output of " + c.tool.Name, Tool: c.tool.Name}
	}
	x.status(c, CallCompleted)
	return value, nil
}

// A sampler makes sample values from output schemas, the same one for the same
// schema.
type sampler struct{}

func newSampler() *sampler { return &sampler{} }

func (*sampler) value(t *catalog.Tool) jsontext.Value {
	if len(t.OutputSchema) == 0 {
		return quote("sample output of " + t.Name)
	}
	return Sample(t.OutputSchema)
}

// Limits of a sample: a schema is what a server sent, and may ask for anything.
const (
	maxSampleDepth = 12
	maxSampleNodes = 5_000
	maxSampleItems = 100
	maxSampleChars = 10_000
)

// Sample is a value that the JSON Schema describes, as far as its keywords can
// be followed. It is deterministic. A schema that cannot be read gives null.
func Sample(schema jsontext.Value) jsontext.Value {
	var root any
	if err := json.Unmarshal(schema, &root, lenient); err != nil {
		return nothing
	}
	g := generator{root: root}
	b, err := json.Marshal(g.value(root, 0, 0), json.Deterministic(true), lenient)
	if err != nil {
		return nothing
	}
	return b
}

// A generator makes one sample.
type generator struct {
	root  any
	nodes int
}

type object = map[string]any

// value makes a value of a schema. n tells apart the items of an array.
func (g *generator) value(schema any, depth, n int) any {
	g.nodes++
	s, ok := schema.(object)
	if !ok || g.nodes > maxSampleNodes {
		return nil
	}
	s = g.flatten(s, 0)
	if v, ok := s["const"]; ok {
		return v
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return list[n%len(list)]
	}
	for _, key := range []string{"default", "example"} {
		if v, ok := s[key]; ok && n == 0 && ofType(s, v) {
			return v
		}
	}
	if list, ok := s["examples"].([]any); ok && len(list) > 0 && n == 0 && ofType(s, list[0]) {
		return list[0]
	}
	switch typeOf(s) {
	case "object":
		return g.object(s, depth)
	case "array":
		return g.array(s, depth)
	case "integer":
		return number(s, n, true)
	case "number":
		return number(s, n, false)
	case "boolean":
		return n%2 == 0
	case "null":
		return nil
	}
	return sampleText(s, n)
}

// flatten follows references and puts together what allOf, anyOf and oneOf say.
func (g *generator) flatten(s object, depth int) object {
	if depth > maxSampleDepth {
		return s
	}
	out := make(object, len(s))
	for k, v := range s {
		out[k] = v
	}
	merge := func(part any) {
		p, ok := part.(object)
		if !ok {
			return
		}
		for k, v := range g.flatten(p, depth+1) {
			switch old := out[k].(type) {
			case object:
				if add, ok := v.(object); ok && (k == "properties" || k == "$defs" || k == "definitions") {
					joined := object{}
					for name, sub := range old {
						joined[name] = sub
					}
					for name, sub := range add {
						if _, taken := joined[name]; !taken {
							joined[name] = sub
						}
					}
					out[k] = joined
				}
			case []any:
				if add, ok := v.([]any); ok && k == "required" {
					out[k] = append(slices.Clone(old), add...)
				}
			case nil:
				out[k] = v
			}
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		delete(out, "$ref")
		merge(g.resolve(ref))
	}
	if all, ok := s["allOf"].([]any); ok {
		delete(out, "allOf")
		for _, part := range all {
			merge(part)
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if some, ok := s[key].([]any); ok && len(some) > 0 {
			delete(out, key)
			merge(g.choice(some))
		}
	}
	return out
}

// choice is the first alternative that is not null.
func (g *generator) choice(list []any) any {
	for _, part := range list {
		if p, ok := part.(object); ok && p["type"] != "null" {
			return p
		}
	}
	return list[0]
}

// resolve finds a reference inside the schema by its JSON Pointer.
func (g *generator) resolve(ref string) any {
	at := g.root
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if step == "" {
			continue
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch v := at.(type) {
		case object:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

func (g *generator) object(s object, depth int) any {
	out := object{}
	properties, _ := s["properties"].(object)
	required := map[string]bool{}
	if list, ok := s["required"].([]any); ok {
		for _, name := range list {
			if name, ok := name.(string); ok {
				required[name] = true
			}
		}
	}
	names := make([]string, 0, len(properties)+len(required))
	for name := range properties {
		names = append(names, name)
	}
	for name := range required {
		if _, ok := properties[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !required[name] && depth >= maxSampleDepth/2 {
			continue // a recursive schema ends where it may
		}
		if depth >= maxSampleDepth {
			continue
		}
		if p, ok := properties[name]; ok {
			if p == false {
				continue
			}
			out[name] = g.value(p, depth+1, 0)
			continue
		}
		out[name] = g.value(s["additionalProperties"], depth+1, 0)
	}
	least := atLeast(s["minProperties"], 0, maxSampleItems)
	for i := 0; len(out) < least; i++ {
		out["key"+strconv.Itoa(i)] = g.value(s["additionalProperties"], depth+1, i)
	}
	return out
}

func (g *generator) array(s object, depth int) any {
	out := []any{}
	tuple, ok := s["prefixItems"].([]any)
	items := s["items"]
	if !ok {
		if tuple, ok = s["items"].([]any); ok {
			items = s["additionalItems"]
		}
	}
	least := atLeast(s["minItems"], 0, maxSampleItems)
	want := max(least, len(tuple))
	if want == 0 && depth < maxSampleDepth/2 && items != false && items != nil {
		want = 1
	}
	if most, ok := s["maxItems"].(float64); ok {
		want = min(want, int(max(most, 0)))
	}
	for i := range want {
		switch {
		case i < len(tuple):
			out = append(out, g.value(tuple[i], depth+1, 0))
		default:
			out = append(out, g.value(items, depth+1, i))
		}
	}
	return out
}

// atLeast is a count that a schema asks for, bounded.
func atLeast(v any, otherwise, most int) int {
	f, ok := v.(float64)
	if !ok || f < 0 {
		return otherwise
	}
	return int(min(f, float64(most)))
}

// typeOf is a schema's type, read off its keywords when it does not say.
func typeOf(s object) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		for _, name := range t {
			if name, ok := name.(string); ok && name != "null" {
				return name
			}
		}
		return "null"
	}
	for _, k := range []struct{ keyword, is string }{
		{"properties", "object"}, {"required", "object"}, {"additionalProperties", "object"},
		{"items", "array"}, {"prefixItems", "array"}, {"minItems", "array"},
		{"minimum", "number"}, {"maximum", "number"}, {"multipleOf", "number"},
	} {
		if _, ok := s[k.keyword]; ok {
			return k.is
		}
	}
	return "string"
}

// ofType says whether a default or example is of the schema's own type; many are
// not.
func ofType(s object, v any) bool {
	t := typeOf(s)
	switch v := v.(type) {
	case object:
		return t == "object"
	case []any:
		return t == "array"
	case string:
		return t == "string"
	case bool:
		return t == "boolean"
	case float64:
		return t == "number" || t == "integer" && v == math.Trunc(v)
	}
	return t == "null"
}

func number(s object, n int, whole bool) float64 {
	low, hasLow := s["minimum"].(float64)
	high, hasHigh := s["maximum"].(float64)
	step, hasStep := s["multipleOf"].(float64)
	hasStep = hasStep && step > 0
	grain := 1.0
	if hasStep {
		grain = step
	}
	if v, ok := s["exclusiveMinimum"].(float64); ok && (!hasLow || v >= low) {
		low, hasLow = v+grain, true
	} else if s["exclusiveMinimum"] == true { // draft 4
		low += grain
	}
	if v, ok := s["exclusiveMaximum"].(float64); ok && (!hasHigh || v <= high) {
		high, hasHigh = v-grain, true
	} else if s["exclusiveMaximum"] == true {
		high -= grain
	}
	v := 1.0 + float64(n)
	switch {
	case hasLow && v < low:
		v = low + float64(n)
	case hasHigh && v > high:
		v = high - float64(n)
	}
	if hasHigh && hasLow && (v < low || v > high) {
		v = low + (high-low)/2
	}
	if hasStep {
		v = math.Ceil(v/step) * step
		if hasHigh && v > high {
			v = math.Floor(high/step) * step
		}
	}
	if whole {
		v = math.Ceil(v)
		if hasHigh && v > high {
			v = math.Floor(high)
		}
	}
	return v
}

// formats of JSON Schema, each with one text of it.
var formats = map[string]string{
	"date-time": "2024-01-01T00:00:00Z", "date": "2024-01-01", "time": "00:00:00Z", "duration": "P1D",
	"email": "user@example.com", "idn-email": "user@example.com", "hostname": "example.com", "idn-hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/", "url": "https://example.com/",
	"uri-reference": "/", "iri": "https://example.com/", "iri-reference": "/", "uri-template": "/{id}",
	"uuid": "00000000-0000-4000-8000-000000000000", "json-pointer": "/a", "relative-json-pointer": "0/a", "regex": "a",
}

func sampleText(s object, n int) any {
	v := "sample"
	if n > 0 {
		v += strconv.Itoa(n)
	}
	if f, ok := s["format"].(string); ok {
		if known, ok := formats[f]; ok {
			return known
		}
	}
	if p, ok := s["pattern"].(string); ok {
		if re, err := syntax.Parse(p, syntax.Perl); err == nil {
			var b strings.Builder
			spell(&b, re)
			v = b.String()
		}
	}
	if least := atLeast(s["minLength"], 0, maxSampleChars); utf8.RuneCountInString(v) < least {
		v += strings.Repeat("x", least-utf8.RuneCountInString(v))
	}
	if most, ok := s["maxLength"].(float64); ok && most >= 0 && float64(utf8.RuneCountInString(v)) > most {
		v = v[:byteOffset(v, int(most))]
	}
	return v
}

// spell writes a short text that a regular expression matches.
func spell(b *strings.Builder, re *syntax.Regexp) {
	if b.Len() > maxSampleChars {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(friendly(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpPlus, syntax.OpCapture:
		spell(b, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			spell(b, re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			spell(b, sub)
		}
	case syntax.OpAlternate:
		spell(b, re.Sub[0])
	}
}

// friendly is a printable member of a class, if it has one.
func friendly(ranges []rune) rune {
	for _, want := range "a0A_-x" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return want
			}
		}
	}
	if len(ranges) == 0 {
		return 'x'
	}
	return ranges[0]
}
