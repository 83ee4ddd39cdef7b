package typegen

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// The proof's own reading of JSON Schema: it proposes values, and a validator
// says which of them are valid. It shares nothing with the renderer.

// A proposer makes values for a schema. pick chooses among branches, listed
// values and types; full adds the optional properties.
type proposer struct {
	root any
	pick int
	full bool
}

// none is what a proposer answers when it has no idea.
var none = &struct{ none int }{}

func (p *proposer) value(schema any, depth int) any {
	s, ok := schema.(map[string]any)
	if !ok {
		if schema == false {
			return none
		}
		return "anything"
	}
	if depth > 12 {
		return none
	}
	s = p.merged(s, depth)
	if v, ok := s["const"]; ok {
		return v
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return list[p.pick%len(list)]
	}
	switch p.kind(s) {
	case "object":
		return p.object(s, depth)
	case "array":
		return p.array(s, depth)
	case "string":
		return text(s)
	case "integer":
		return number(s, true)
	case "number":
		return number(s, false)
	case "boolean":
		return p.pick%2 == 0
	case "null":
		return nil
	}
	return "anything"
}

func (p *proposer) kind(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		if len(t) > 0 {
			name, _ := t[p.pick%len(t)].(string)
			return name
		}
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { _, ok := s[n]; return ok })
	}
	switch {
	case has("properties", "required", "additionalProperties", "patternProperties", "propertyNames"):
		return "object"
	case has("items", "prefixItems", "minItems"):
		return "array"
	case has("minLength", "maxLength", "pattern", "format"):
		return "string"
	case has("minimum", "maximum", "multipleOf"):
		return "number"
	}
	return ""
}

// merged follows $ref and takes one branch of each union into the schema.
func (p *proposer) merged(s map[string]any, depth int) map[string]any {
	out := maps.Clone(s)
	for range 8 {
		var parts []any
		if ref, ok := out["$ref"].(string); ok {
			parts = append(parts, p.resolve(ref))
			delete(out, "$ref")
		}
		for _, union := range []string{"anyOf", "oneOf"} {
			if list, ok := out[union].([]any); ok && len(list) > 0 {
				parts = append(parts, list[p.pick%len(list)])
			}
			delete(out, union)
		}
		if list, ok := out["allOf"].([]any); ok {
			parts = append(parts, list...)
		}
		delete(out, "allOf")
		if condition, ok := out["if"]; ok && p.pick%2 == 0 {
			parts = append(parts, condition, out["then"])
		} else if ok {
			parts = append(parts, out["else"])
		}
		delete(out, "if")
		if len(parts) == 0 {
			return out
		}
		for _, part := range parts {
			if m, ok := part.(map[string]any); ok {
				merge(out, m)
			}
		}
	}
	return out
}

func merge(into, from map[string]any) {
	for k, v := range from {
		old, had := into[k]
		switch {
		case !had:
			into[k] = v
		case k == "properties":
			a, ok1 := old.(map[string]any)
			b, ok2 := v.(map[string]any)
			if !ok1 || !ok2 {
				continue
			}
			both := maps.Clone(a)
			for name, x := range b {
				if y, ok := both[name]; ok {
					both[name] = map[string]any{"allOf": []any{x, y}}
				} else {
					both[name] = x
				}
			}
			into[k] = both
		case k == "required" || k == "allOf":
			a, ok1 := old.([]any)
			b, ok2 := v.([]any)
			if ok1 && ok2 {
				into[k] = append(slices.Clone(a), b...)
			}
		}
	}
}

func (p *proposer) resolve(ref string) any {
	at := p.root
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	for _, segment := range strings.Split(path, "/")[1:] {
		segment = strings.NewReplacer("~1", "/", "~0", "~", "%25", "%", "%22", `"`).Replace(segment)
		switch v := at.(type) {
		case map[string]any:
			at = v[segment]
		case []any:
			i, err := strconv.Atoi(segment)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		}
	}
	return at
}

func (p *proposer) object(s map[string]any, depth int) any {
	out := map[string]any{}
	props, _ := s["properties"].(map[string]any)
	required := map[string]bool{}
	if list, ok := s["required"].([]any); ok {
		for _, r := range list {
			if name, ok := r.(string); ok {
				required[name] = true
			}
		}
	}
	for name, schema := range props {
		if !required[name] && (!p.full || depth > 4) {
			continue
		}
		if v := p.value(schema, depth+1); v != any(none) {
			out[name] = v
		}
	}
	additional, explicit := s["additionalProperties"]
	for name := range required {
		if _, ok := out[name]; !ok && props[name] == nil {
			out[name] = "anything"
			if explicit {
				out[name] = p.value(additional, depth+1)
			}
		}
	}
	if m, ok := additional.(map[string]any); (ok || additional == true) && p.full {
		name := "another"
		if names, ok := s["propertyNames"].(map[string]any); ok {
			if v, ok := p.value(names, depth+1).(string); ok {
				name = v
			}
		}
		if _, taken := props[name]; !taken {
			if v := p.value(any(m), depth+1); m != nil && v != any(none) {
				out[name] = v
			} else if m == nil {
				out[name] = []any{1}
			}
		}
	}
	return out
}

func (p *proposer) array(s map[string]any, depth int) any {
	out := []any{}
	least, most := length(s, "minItems", 0), length(s, "maxItems", math.MaxInt)
	prefix, _ := s["prefixItems"].([]any)
	rest := s["items"]
	if list, ok := rest.([]any); ok {
		prefix, rest = list, s["additionalItems"]
	}
	want := least
	if p.full {
		want = max(least, len(prefix)+1)
	}
	for i := range min(want, most, 40) {
		schema := rest
		if i < len(prefix) {
			schema = prefix[i]
		}
		if v := p.value(schema, depth+1); v != any(none) {
			if unique, _ := s["uniqueItems"].(bool); unique && slices.ContainsFunc(out, func(w any) bool { return show(v) == show(w) }) {
				q := *p
				q.pick += i
				if v = q.value(schema, depth+1); v == any(none) {
					break
				}
			}
			out = append(out, v)
		} else {
			break
		}
	}
	return out
}

func length(s map[string]any, name string, otherwise int) int {
	if n, ok := s[name].(json.Number); ok {
		if f, err := n.Float64(); err == nil {
			return int(f)
		}
	}
	return otherwise
}

func number(s map[string]any, integer bool) any {
	f := 1.0
	get := func(name string) (float64, bool) {
		n, ok := s[name].(json.Number)
		if !ok {
			return 0, false
		}
		v, err := n.Float64()
		return v, err == nil
	}
	if v, ok := get("maximum"); ok && f > v {
		f = v
	}
	if v, ok := get("exclusiveMaximum"); ok && f >= v {
		f = v - 1
	}
	if v, ok := get("minimum"); ok && f < v {
		f = v
	}
	if v, ok := get("exclusiveMinimum"); ok && f <= v {
		f = v + 1
		if most, ok := get("maximum"); ok && f > most {
			f = (v + most) / 2
		}
	}
	if v, ok := get("multipleOf"); ok && v > 0 {
		f = math.Ceil(f/v) * v
	}
	if integer {
		f = math.Ceil(f)
	}
	return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
}

// samples are a text of each format.
var samples = map[string]string{
	"date-time": "2026-01-02T03:04:05Z", "date": "2026-01-02", "time": "03:04:05Z", "email": "a@example.org",
	"uri": "https://example.org/", "url": "https://example.org/", "uri-reference": "a", "uuid": "4f2f5e4e-6e7b-4f5e-9d0c-0d8a4c6b2f11",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "hostname": "example.org", "duration": "P1D", "json-pointer": "/a", "regex": "a",
}

func text(s map[string]any) string {
	format, _ := s["format"].(string)
	v, known := samples[format]
	if d, ok := s["pattern"].(string); ok {
		if re, err := regexp.Compile(d); known && err == nil && re.MatchString(v) {
			return v
		}
		if re, err := syntax.Parse(d, syntax.Perl); err == nil {
			var b strings.Builder
			least := length(s, "minLength", 0)
			fromPattern(&b, re.Simplify(), least)
			for b.Len() < min(least, 10000) {
				b.WriteByte('x') // perhaps the pattern has no end
			}
			return b.String()
		}
		for _, hint := range []any{s["default"], first0(s["examples"]), s["example"]} {
			if v, ok := hint.(string); ok {
				return v
			}
		}
	}
	if !known {
		v = "text"
		for len(v) < min(length(s, "minLength", 0), 10000) {
			v += "x"
		}
		if most := length(s, "maxLength", math.MaxInt); len(v) > most {
			v = v[:max(most, 0)]
		}
	}
	return v
}

func first0(v any) any {
	if list, ok := v.([]any); ok && len(list) > 0 {
		return list[0]
	}
	return nil
}

func fromPattern(b *strings.Builder, re *syntax.Regexp, least int) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			return
		}
		r := re.Rune[0]
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= 'a' && 'a' <= re.Rune[i+1] {
				r = 'a'
			} else if re.Rune[i] >= '0' && r < '0' {
				r = re.Rune[i]
			}
		}
		b.WriteRune(r)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			fromPattern(b, sub, least)
		}
	case syntax.OpAlternate:
		fromPattern(b, re.Sub[0], least)
	case syntax.OpPlus:
		fromPattern(b, re.Sub[0], least)
		for b.Len() < least {
			fromPattern(b, re.Sub[0], least)
		}
	case syntax.OpRepeat:
		for range max(re.Min, 0) {
			fromPattern(b, re.Sub[0], least)
		}
	case syntax.OpStar:
		for b.Len() < least {
			fromPattern(b, re.Sub[0], least)
		}
	}
}

// A break is one change that makes a value invalid in a way that types see.
type breakage struct {
	what  string
	value any
}

// breakages are changes of a value: another kind, a missing property, another
// literal, an extra property. Whether they make it invalid the validator says.
func breakages(v any) []breakage {
	out := make([]breakage, 0, 16)
	change(v, "", 0, func(what string, changed any) {
		out = append(out, breakage{what, changed})
	})
	return out
}

func change(v any, path string, depth int, emit func(what string, changed any)) {
	switch x := v.(type) {
	case map[string]any:
		if depth > 0 {
			emit("other kind at "+path, json.Number("12345"))
			emit("list at "+path, []any{})
			emit("null at "+path, nil)
		}
		extra := maps.Clone(x)
		extra["zzUnknown"] = json.Number("1")
		emit("extra property at "+path, extra)
		names := slices.Sorted(maps.Keys(x))
		for _, name := range names {
			less := maps.Clone(x)
			delete(less, name)
			emit("missing "+path+"/"+name, less)
		}
		if depth > 3 {
			return
		}
		for _, name := range names {
			change(x[name], path+"/"+name, depth+1, func(what string, changed any) {
				y := maps.Clone(x)
				y[name] = changed
				emit(what, y)
			})
		}
	case []any:
		if depth > 0 {
			emit("other kind at "+path, json.Number("12345"))
			emit("object at "+path, map[string]any{"zz": json.Number("1")})
			emit("null at "+path, nil)
		}
		for i := range min(len(x), 2) {
			change(x[i], path+"/"+strconv.Itoa(i), depth+1, func(what string, changed any) {
				y := slices.Clone(x)
				y[i] = changed
				emit(what, y)
			})
		}
	case string:
		emit("other kind at "+path, json.Number("12345"))
		emit("object at "+path, map[string]any{"zz": json.Number("1")})
		emit("null at "+path, nil)
		emit("other text at "+path, "zz another text")
	default:
		emit("other kind at "+path, "zz another text")
		emit("object at "+path, map[string]any{"zz": json.Number("1")})
		emit("list at "+path, []any{})
		if v != nil {
			emit("null at "+path, nil)
		}
	}
}

// show writes a value as a TypeScript expression on one line.
func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	s := strings.NewReplacer(`"__proto__":`, `["__proto__"]:`).Replace(string(b))
	return s
}

// typeOf writes the exact type of a value.
func typeOf(v any) string {
	switch x := v.(type) {
	case map[string]any:
		var b strings.Builder
		b.WriteString("{ ")
		for _, name := range slices.Sorted(maps.Keys(x)) {
			b.WriteString(show(name) + ": " + typeOf(x[name]) + "; ")
		}
		return b.String() + "}"
	case []any:
		parts := make([]string, len(x))
		for i := range x {
			parts[i] = typeOf(x[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return show(v)
}
