// Package input checks a value against a JSON Schema, and says in plain words what does
// not fit: the input of a script against the schema that its type is (EXEC-18).
package input

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"codemode-ls/config"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A Misfit is one place in a value that does not fit.
type Misfit struct {
	Path    string `json:"path"`    // such as labels[2], "" for the whole
	Message string `json:"message"` // such as: expected a string, got 5
}

func (m Misfit) String() string {
	if m.Path == "" {
		return m.Message
	}
	return m.Path + ": " + m.Message
}

// maxMisfits bounds an answer.
const maxMisfits = 50

const location = "mem://input"

// Check lists what does not fit, all of it, sorted by place; an error is a
// schema or a value that is not valid.
func Check(schema, value jsontext.Value) ([]Misfit, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("reading the schema of the input: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // nothing is read from elsewhere
	if err := compiler.AddResource(location, document); err != nil {
		return nil, fmt.Errorf("reading the schema of the input: %w", err)
	}
	compiled, err := compiler.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("reading the schema of the input: %w", err)
	}
	if _, err := Parse(value); err != nil {
		return nil, err
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return nil, fmt.Errorf("the input is not JSON: %w", err)
	}
	c := &checker{schema: document, value: decoded}
	c.plain(decoded, nil)
	if err := compiled.Validate(decoded); err != nil {
		var invalid *jsonschema.ValidationError
		if !errors.As(err, &invalid) {
			return nil, fmt.Errorf("checking the input: %w", err)
		}
		c.explain(invalid)
	}
	slices.SortStableFunc(c.found, func(a, b Misfit) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(c.found), nil
}

// Parse checks that a text is one JSON value, in which no name comes twice.
func Parse(text []byte) (jsontext.Value, error) {
	var v jsontext.Value
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("the input is not JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	if err := v.Compact(); err != nil {
		return nil, fmt.Errorf("the input is not JSON: %w", err)
	}
	return v, nil
}

type checker struct {
	schema, value any
	found         []Misfit
}

func (c *checker) add(at []string, format string, args ...any) {
	if len(c.found) < maxMisfits {
		c.found = append(c.found, Misfit{path(at, c.value), fmt.Sprintf(format, args...)})
	}
}

// plain refuses what a script would get other than it is written.
func (c *checker) plain(v any, at []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			where := append(slices.Clone(at), name)
			if name == "__proto__" {
				c.add(where, "a field called __proto__ never reaches a script")
				continue
			}
			c.plain(member, where)
		}
	case []any:
		for i, item := range v {
			c.plain(item, append(slices.Clone(at), strconv.Itoa(i)))
		}
	case fmt.Stringer: // a number as it was written
		text := v.String()
		f, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil:
			c.add(at, "%s is too large for a number of JavaScript", short(text))
		case math.Abs(f) > 1<<53 && !strings.ContainsAny(text, ".eE"):
			c.add(at, "%s is too large to be exact in JavaScript; take a string in the script, and write it as one", short(text))
		}
	}
}

// explain turns a tree of errors into misfits.
func (c *checker) explain(e *jsonschema.ValidationError) {
	at := e.InstanceLocation
	schema := c.resolve(e.SchemaURL)
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		c.union(e, schema)
	case *kind.Required:
		properties, _ := schema["properties"].(map[string]any)
		for _, name := range k.Missing {
			c.add(append(slices.Clone(at), name), "missing; expected %s", c.expected(properties[name]))
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			if name == "__proto__" {
				continue // plain says so
			}
			known := names(schema)
			if meant := config.Closest(name, known); meant != "" {
				c.add(append(slices.Clone(at), name), "unknown field; did you mean %s?", meant)
			} else if len(known) > 0 && len(known) <= 12 {
				c.add(append(slices.Clone(at), name), "unknown field; there are %s", strings.Join(known, ", "))
			} else {
				c.add(append(slices.Clone(at), name), "unknown field")
			}
		}
	case *kind.FalseSchema:
		if strings.HasSuffix(e.SchemaURL, "/items") {
			return // MaxItems says so
		}
		c.add(at, "must be left out")
	case *kind.MinItems:
		c.add(at, "expected %s, got %d", items(k.Want, "at least "), k.Got)
	case *kind.MaxItems:
		c.add(at, "expected %s, got %d", items(k.Want, "at most "), k.Got)
	case *kind.AdditionalItems: // MaxItems says so
	case *kind.Type, *kind.Enum, *kind.Const, *kind.Not, *kind.Pattern:
		c.mismatch(at, schema)
	default:
		if len(e.Causes) == 0 {
			c.mismatch(at, schema)
		}
		for _, cause := range e.Causes {
			c.explain(cause)
		}
	}
}

func items(n int, bound string) string {
	if n == 1 {
		return bound + "1 item"
	}
	return fmt.Sprintf("%s%d items", bound, n)
}

func (c *checker) mismatch(at []string, schema any) {
	c.add(at, "expected %s, got %s", c.expected(schema), brief(c.at(at)))
}

// union explains a value that fits none of several schemas: by the one that was meant,
// which is the one whose literals fit, or by all of them.
func (c *checker) union(e *jsonschema.ValidationError, schema map[string]any) {
	at := e.InstanceLocation
	branches, _ := schema["anyOf"].([]any)
	value, isObject := c.at(at).(map[string]any)
	var meant []int
	for i := range e.Causes {
		if i < len(branches) && c.couldBe(branches[i], c.at(at)) {
			meant = append(meant, i)
		}
	}
	if len(meant) == 1 {
		c.explain(e.Causes[meant[0]])
		return
	}
	if isObject && len(meant) == 0 {
		if name := c.discriminator(branches); name != "" {
			var options []any
			for _, b := range branches {
				options = append(options, literals(c.property(b, name))...)
			}
			where := append(slices.Clone(at), name)
			if got, given := value[name]; given {
				c.add(where, "expected %s, got %s", oneOf(options), brief(got))
			} else {
				c.add(where, "missing; expected %s", oneOf(options))
			}
			return
		}
	}
	if len(meant) > 1 { // the closest of them
		best := slices.MinFunc(meant, func(a, b int) int { return weight(e.Causes[a]) - weight(e.Causes[b]) })
		c.explain(e.Causes[best])
		return
	}
	c.mismatch(at, schema)
}

// weight counts the errors in a tree.
func weight(e *jsonschema.ValidationError) int {
	n := 0
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		n = len(k.Missing)
	case *kind.AdditionalProperties:
		n = len(k.Properties)
	default:
		if len(e.Causes) == 0 {
			n = 1
		}
	}
	for _, cause := range e.Causes {
		n += weight(cause)
	}
	return n
}

// couldBe reports whether a value has the type of a schema, and the literals of its
// fields: a union's branch that was meant.
func (c *checker) couldBe(schema, value any) bool {
	s := c.follow(schema)
	if s == nil {
		return false
	}
	if branches, ok := s["anyOf"].([]any); ok {
		return slices.ContainsFunc(branches, func(b any) bool { return c.couldBe(b, value) })
	}
	if types := typesOf(s); len(types) == 0 || !slices.Contains(types, typeOf(value)) {
		return false
	}
	object, ok := value.(map[string]any)
	if !ok {
		return true
	}
	properties, _ := s["properties"].(map[string]any)
	for name := range properties {
		options := literals(c.property(s, name))
		if len(options) == 0 {
			continue
		}
		got, given := object[name]
		if !given && slices.Contains(texts(s["required"]), name) || given && !slices.ContainsFunc(options, func(o any) bool { return same(o, got) }) {
			return false
		}
	}
	return true
}

// discriminator is a field that has a literal in each of several objects, or "".
func (c *checker) discriminator(branches []any) string {
	var found string
	for i, b := range branches {
		s := c.follow(b)
		properties, _ := s["properties"].(map[string]any)
		if properties == nil {
			continue // null, for one
		}
		if i == 0 || found == "" {
			for _, name := range sorted(properties) {
				if len(literals(c.property(s, name))) > 0 && slices.Contains(texts(s["required"]), name) {
					found = name
					break
				}
			}
			if found == "" {
				return ""
			}
		} else if len(literals(c.property(s, found))) == 0 {
			return ""
		}
	}
	return found
}
