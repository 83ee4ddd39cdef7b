package catalog

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"codemode-ls/typegen"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Check reports whether a script may call the member of tools["$codemode"] with
// this argument; none at all is the same as {}. The error says what is wrong and
// shows the expected shape, rendered from the member's schema (SRCH-6).
func Check(member string, arguments jsontext.Value) error {
	all := Members()
	i := slices.IndexFunc(all, func(m Member) bool { return m.Name == member })
	if i < 0 {
		names := make([]string, len(all))
		for i, m := range all {
			names[i] = m.Name
		}
		return fmt.Errorf(`tools["$codemode"] has no %s; it has %s`, member, strings.Join(names, ", "))
	}
	return all[i].Check(arguments)
}

// Check is the check of the member's argument, see the function Check.
func (m Member) Check(arguments jsontext.Value) error {
	if len(arguments) == 0 {
		arguments = jsontext.Value(`{}`)
	}
	wrong := shapeOf(m.Input).check("", arguments)
	if wrong == "" {
		return nil
	}
	expected, _ := typegen.Type(m.Input, typegen.Options{Direction: typegen.Input})
	return fmt.Errorf("%s: %s. It expects one object of this shape:\n%s", m.CallForm(), wrong, expected)
}

// shape is as much of JSON Schema as the members use. A general validator would
// bring its own wording, and numbers that cost memory by their exponent.
type shape struct {
	Type                 types             `json:"type"`
	Description          string            `json:"description"`
	Properties           map[string]*shape `json:"properties"`
	Required             []string          `json:"required"`
	AdditionalProperties *bool             `json:"additionalProperties"`
	Items                *shape            `json:"items"`
	MinItems             int               `json:"minItems"`
	MinLength            int               `json:"minLength"`
	Minimum              *float64          `json:"minimum"`
}

// types is the keyword type: one name or several.
type types []string

func (t *types) UnmarshalJSON(b []byte) error {
	var one string
	if err := json.Unmarshal(b, &one); err == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// shapeOf reads a member's schema. A keyword that shape does not know would be
// a check that is not made, so it panics; a test reads them all.
func shapeOf(schema jsontext.Value) *shape {
	var s shape
	if err := json.Unmarshal(schema, &s, json.RejectUnknownMembers(true)); err != nil {
		panic(fmt.Sprintf("schema of a member: %v", err))
	}
	return &s
}

// check says what is wrong with a value, "" when nothing is. path is where it
// is, as a script would write it, such as .labels[1].
func (s *shape) check(path string, v jsontext.Value) string {
	if !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return "its argument is not valid JSON"
	}
	kind := kindOf(v)
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(want string) bool { return is(v, kind, want) }) {
		return fmt.Sprintf("%s must be %s, not %s", place(path), article(strings.Join(s.Type, " or ")), article(kind))
	}
	switch kind {
	case "object":
		return s.checkObject(path, v)
	case "array":
		var items []jsontext.Value
		if err := unmarshal(v, &items); err != nil {
			return fmt.Sprintf("%s cannot be read: %v", place(path), err)
		}
		if len(items) < s.MinItems {
			return fmt.Sprintf("%s must have at least %d items", place(path), s.MinItems)
		}
		for i, item := range items {
			if s.Items == nil {
				break
			}
			if wrong := s.Items.check(path+"["+strconv.Itoa(i)+"]", item); wrong != "" {
				return wrong
			}
		}
	case "string":
		if str, _ := text(trim(v)); len(str) < s.MinLength {
			return fmt.Sprintf("%s must not be empty", place(path))
		}
	case "number":
		if n, _ := strconv.ParseFloat(string(trim(v)), 64); s.Minimum != nil && n < *s.Minimum {
			return fmt.Sprintf("%s must be at least %v", place(path), *s.Minimum)
		}
	}
	return ""
}

func (s *shape) checkObject(path string, v jsontext.Value) string {
	var fields map[string]jsontext.Value
	if err := unmarshal(v, &fields); err != nil {
		return fmt.Sprintf("%s cannot be read: %v", place(path), err)
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		field, ok := s.Properties[name]
		switch {
		case ok:
			if wrong := field.check(path+"."+name, fields[name]); wrong != "" {
				return wrong
			}
		case s.AdditionalProperties != nil && !*s.AdditionalProperties:
			return fmt.Sprintf("%s has an unknown field %q", place(path), name)
		}
	}
	for _, name := range s.Required {
		if _, ok := fields[name]; !ok {
			return fmt.Sprintf("%s lacks the field %q", place(path), name)
		}
	}
	return ""
}

func unmarshal(v jsontext.Value, into any) error {
	return json.Unmarshal(v, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func trim(v jsontext.Value) jsontext.Value {
	return jsontext.Value(strings.TrimSpace(string(v)))
}

func kindOf(v jsontext.Value) string {
	switch v.Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	}
	return "null"
}

// is reports whether a value of a kind is of a type of JSON Schema.
func is(v jsontext.Value, kind, want string) bool {
	if want == "integer" && kind == "number" {
		n, err := strconv.ParseFloat(string(trim(v)), 64)
		return err == nil && n == math.Trunc(n) && math.Abs(n) <= maxSafeInteger
	}
	return kind == want
}

// maxSafeInteger is the largest integer that every JSON reader gets exactly
// (RFC 8259, 6).
const maxSafeInteger = 1<<53 - 1

func place(path string) string {
	if path == "" {
		return "its argument"
	}
	return strings.TrimPrefix(path, ".")
}

func article(noun string) string {
	if noun == "null" {
		return noun
	}
	if strings.ContainsRune("aeio", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
