package permission

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// How a Condition compares.
const (
	Exact  = "exact"
	Prefix = "prefix"
	Glob   = "glob" // * is any run of characters, a backslash takes * or \ literally
)

// Condition is on one top-level string field of a call's arguments: "while
// argument F matches P" (PERM-12).
type Condition struct {
	Field string `json:"field"`
	Match string `json:"match"` // exact, prefix or glob
	Value string `json:"value"`
}

// Valid reports whether the condition can hold at all.
func (c Condition) Valid() error {
	switch c.Match {
	case Exact:
		return nil
	case Prefix:
		if c.Value == "" {
			return errors.New("an empty prefix would match everything")
		}
		return nil
	case Glob:
		list, ok := pieces(c.Value)
		switch {
		case !ok:
			return errors.New(`a backslash in a glob stands before * or \`)
		case !slices.ContainsFunc(list, func(p piece) bool { return !p.star }):
			return errors.New("this glob would match everything")
		}
		return nil
	}
	return fmt.Errorf("match must be exact, prefix or glob, not %q", c.Match)
}

// String is the condition as text for a person.
func (c Condition) String() string {
	words := map[string]string{Exact: "is", Prefix: "starts with", Glob: "matches"}
	return fmt.Sprintf("%s %s %q", c.Field, words[c.Match], c.Value)
}

// Holds reports whether the condition is true of arguments. What is not clear is
// false: no such field, another type than a string, a field that stands there
// twice. A value that climbs out of a folder ("..") is never under a prefix, nor
// does it match a glob.
func (c Condition) Holds(arguments jsontext.Value) bool {
	if c.Valid() != nil {
		return false
	}
	value, ok := StringField(arguments, c.Field)
	if !ok {
		return false
	}
	switch c.Match {
	case Exact:
		return value == c.Value
	case Prefix:
		return strings.HasPrefix(value, c.Value) && !climbs(value)
	}
	list, _ := pieces(c.Value)
	return matchPieces(list, value) && !climbs(value)
}

// climbs reports whether a path or URL may lead out of where it begins.
func climbs(value string) bool {
	value = strings.NewReplacer("%2e", ".", "%2E", ".", "%2f", "/", "%2F", "/", "%5c", `\`, "%5C", `\`).Replace(value)
	return slices.Contains(strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// StringField is a top-level string of an object; false when it is not there
// exactly once.
func StringField(object jsontext.Value, name string) (value string, ok bool) {
	for field, v := range stringFields(object) {
		if field == name {
			return v, true
		}
	}
	return "", false
}

// stringFields are the top-level strings of an object, none when it is no object
// or has a name twice.
func stringFields(object jsontext.Value) map[string]string {
	dec := jsontext.NewDecoder(bytes.NewReader(object)) // refuses a name that comes twice
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return nil
	}
	fields := map[string]string{}
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		name := token.String()
		if dec.PeekKind() == '"' {
			value, err := dec.ReadToken()
			if err != nil {
				return nil
			}
			fields[name] = value.String()
			continue
		}
		if dec.SkipValue() != nil {
			return nil
		}
	}
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '}' {
		return nil
	}
	return fields
}

// maxSuggested bounds a suggested value in bytes: it is shown to people.
const maxSuggested = 200

// Suggest are conditions that hold for both of two calls' arguments, the
// narrowest first: fields that are the same, and fields that lie in the same
// folder or begin with the same words.
func Suggest(before, now jsontext.Value) []Condition {
	old, fields := stringFields(before), stringFields(now)
	var same, near []Condition
	for _, name := range sortedNames(fields) {
		value := fields[name]
		previous, ok := old[name]
		switch {
		case !ok || name == "" || len(name) > maxSuggested:
		case previous == value && len(value) <= maxSuggested:
			same = append(same, Condition{name, Exact, value})
		default:
			c := Condition{name, Prefix, commonStart(previous, value)}
			if c.Value != "" && len(c.Value) <= maxSuggested && c.Holds(before) && c.Holds(now) {
				near = append(near, c)
			}
		}
	}
	return append(near, same...)
}

// commonStart is what two texts begin with, up to the end of a folder or word;
// "" when that is not worth a rule.
func commonStart(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	end := strings.LastIndexAny(a[:n], "/\\:.-_ ")
	start := a[:end+1]
	if strings.Trim(start, "/\\:.-_ ") == "" || strings.HasSuffix(start, "://") {
		return ""
	}
	return start
}

func sortedNames(fields map[string]string) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
