package input

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// expected describes what a schema takes, such as "a string".
func (c *checker) expected(schema any) string {
	words := c.describe(schema, 0)
	if len(words) > 20 {
		words = append(words[:20], fmt.Sprintf("%d others", len(words)-20))
	}
	return or(words)
}

// describe lists the kinds of values that a schema takes.
func (c *checker) describe(schema any, depth int) (words []string) {
	s := c.follow(schema)
	add := func(more ...string) {
		for _, w := range more {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	for _, o := range literals(s) {
		add(brief(o))
	}
	branches, _ := s["anyOf"].([]any)
	for _, b := range branches {
		if depth < maxNested {
			add(c.describe(b, depth+1)...)
		}
	}
	for _, t := range typesOf(s) {
		switch t {
		case "array":
			item := c.follow(s["items"])
			if depth == 0 && s["prefixItems"] == nil && len(typesOf(item)) == 1 && typesOf(item)[0] != "object" {
				add("an array, each item " + or(c.describe(item, depth+1)))
				continue
			}
			add("an array")
		case "object":
			if required := texts(s["required"]); len(required) > 0 && len(required) <= 6 && depth == 0 {
				add("an object with " + and(required))
				continue
			}
			add("an object")
		case "string":
			if p, ok := s["pattern"].(string); ok {
				add("a string like " + readable(p))
				continue
			}
			add("a string")
		case "null":
			add("null")
		default:
			add("a " + t)
		}
	}
	if len(words) == 0 {
		return []string{"a value"}
	}
	return words
}

// readable is the pattern of a template literal as it was written, nearly.
func readable(pattern string) string {
	p := strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
	p = strings.ReplaceAll(p, `-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?`, "${number}")
	p = strings.ReplaceAll(p, `[\s\S]*`, "${string}")
	p = strings.ReplaceAll(p, `(?:`, "(")
	if strings.Contains(p, `\P{`) {
		return "/" + p + "/"
	}
	return "`" + strings.ReplaceAll(p, `\`, "") + "`"
}

func oneOf(options []any) string {
	words := make([]string, 0, len(options))
	for _, o := range options {
		if w := brief(o); !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	if len(words) > 20 {
		words = append(words[:20], fmt.Sprintf("%d others", len(words)-20))
	}
	return or(words)
}

func or(words []string) string  { return list(words, "or") }
func and(words []string) string { return list(words, "and") }

func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// brief is a value in a few characters.
func brief(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	default:
		b, err := json.Marshal(v)
		if err != nil {
			return "something else"
		}
		return short(string(b))
	}
}

func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// resolve is the schema that a location in an error names.
func (c *checker) resolve(location string) map[string]any {
	_, fragment, _ := strings.Cut(location, "#")
	if unescaped, err := url.PathUnescape(fragment); err == nil {
		fragment = unescaped
	}
	var at any = c.schema
	for _, part := range strings.Split(strings.TrimPrefix(fragment, "/"), "/") {
		if part == "" && fragment == "" {
			break
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch v := at.(type) {
		case map[string]any:
			at = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		}
	}
	return c.follow(at)
}

// follow is a schema behind its references; nil for what is none.
func (c *checker) follow(schema any) map[string]any {
	s, _ := schema.(map[string]any)
	for range 10 {
		ref, ok := s["$ref"].(string)
		if !ok {
			return s
		}
		if ref == "#" {
			s, _ = c.schema.(map[string]any)
			continue
		}
		root, _ := c.schema.(map[string]any)
		definitions, _ := root["$defs"].(map[string]any)
		name, err := url.PathUnescape(strings.TrimPrefix(ref, "#/$defs/"))
		if err != nil {
			return nil
		}
		s, _ = definitions[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)].(map[string]any)
	}
	return s
}

func (c *checker) property(schema any, name string) map[string]any {
	properties, _ := c.follow(schema)["properties"].(map[string]any)
	return c.follow(properties[name])
}

// at is the value at a place.
func (c *checker) at(place []string) any {
	v := c.value
	for _, part := range place {
		switch here := v.(type) {
		case map[string]any:
			v = here[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(here) {
				return nil
			}
			v = here[i]
		}
	}
	return v
}

// path writes a place as a script would reach it.
func path(place []string, value any) string {
	var b strings.Builder
	for _, part := range place {
		if list, ok := value.([]any); ok {
			b.WriteString("[" + part + "]")
			value = nil
			if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(list) {
				value = list[i]
			}
			continue
		}
		switch {
		case !isName(part):
			b.WriteString("[" + strconv.Quote(part) + "]")
		case b.Len() > 0:
			b.WriteString("." + part)
		default:
			b.WriteString(part)
		}
		object, _ := value.(map[string]any)
		value = object[part]
	}
	return b.String()
}

func isName(s string) bool {
	for i, r := range s {
		if r != '_' && r != '$' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') && r < 0x80 {
			return false
		}
	}
	return s != ""
}

func literals(s map[string]any) []any {
	if v, ok := s["const"]; ok {
		return []any{v}
	}
	options, _ := s["enum"].([]any)
	return options
}

func typesOf(s map[string]any) []string {
	if one, ok := s["type"].(string); ok {
		return []string{one}
	}
	return texts(s["type"])
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

func texts(v any) []string {
	values, _ := v.([]any)
	all := make([]string, 0, len(values))
	for _, one := range values {
		if s, ok := one.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func same(a, b any) bool { return brief(a) == brief(b) && typeOf(a) == typeOf(b) }

func names(schema map[string]any) []string {
	properties, _ := schema["properties"].(map[string]any)
	return sorted(properties)
}

func sorted(m map[string]any) []string {
	all := make([]string, 0, len(m))
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
