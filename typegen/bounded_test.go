package typegen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TYPE-2: a small schema that says one long thing of many places, or one thing
// twice at every level, makes no endless text.
func TestBounded(t *testing.T) {
	const n = 400
	words := strings.Repeat("w", 100_000)
	list := func(each string) string {
		return strings.TrimSuffix(strings.Repeat(each+",", n), ",")
	}
	named := func(format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(parts, ",")
	}
	nested := func(format string, levels int) string {
		schema := `{"type":"string"}`
		for range levels {
			schema = fmt.Sprintf(format, schema)
		}
		return schema
	}
	object := `{"type":"object","properties":{` + named(`"q%d":{"type":"string","description":"`+words[:200]+`"}`) + `}}`
	properties := `{"type":"object","properties":{` + named(`"p%d":{"$ref":"#/$defs/D"}`) + `},"$defs":{"D":%s}}`
	for name, schema := range map[string]string{
		"description":             fmt.Sprintf(properties, `{"type":"string","description":"`+words+`"}`),
		"default":                 fmt.Sprintf(properties, `{"type":"string","default":"`+words+`"}`),
		"literal":                 fmt.Sprintf(properties, `{"const":"`+words+`"}`),
		"variants":                fmt.Sprintf(properties, `{"oneOf":[{"const":"a","description":"`+words+`"},{"const":"b","description":"`+words+`"}]}`),
		"variants of one":         `{"type":"object","properties":{"x":{"oneOf":[` + list(`{"$ref":"#/$defs/D"}`) + `]}},"$defs":{"D":{"type":"string","description":"` + words + `"}}}`,
		"listed names":            `{"type":"object","propertyNames":{"enum":[` + named(`"n%d"`) + `]},"additionalProperties":` + object + `}`,
		"required names":          `{"type":"object","required":[` + named(`"n%d"`) + `],"additionalProperties":` + object + `}`,
		"repeated type":           `{"type":"object","properties":{"x":{"type":[` + list(`"object"`) + `],` + strings.TrimPrefix(object, `{"type":"object",`) + `}}`,
		"repeated array":          `{"type":"object","properties":{"x":{"type":[` + list(`"array"`) + `],"items":` + object + `}}}`,
		"properties and others":   nested(`{"type":"object","properties":{"p":%s},"additionalProperties":{"type":"number"}}`, 20),
		"properties and patterns": nested(`{"type":"object","properties":{"p":%s},"patternProperties":{"^p":{"type":"number"}}}`, 20),
		"unions":                  nested(`{"type":"object","properties":{"p":%s,"q":{}},"anyOf":[{"required":["p"]},{"required":["q"]}]}`, 20),
		"conditions":              nested(`{"type":"object","properties":{"p":%s,"t":{"type":"string"}},"if":{"properties":{"t":{"const":"a"}}},"then":{"required":["p"]}}`, 20),
	} {
		size := 12*len(schema) + 1<<20
		raw := jsontext.Value(schema)
		d := Declare(Tool{Name: "x", Input: raw, Output: raw})
		if got := len(d.Text) + len(d.types); got > 2*size {
			t.Errorf("%s: %d bytes are declared as %d", name, len(schema), got)
		}
		for _, depth := range []int{0, 6, 32} {
			if text, _ := Signature("x", raw, nil, depth); len(text) > size {
				t.Errorf("%s: %d bytes at depth %d are a signature of %d", name, len(schema), depth, len(text))
			}
		}
	}
}

// An index signature says its properties' types again, unless they are long.
func TestIndexOfLongTypes(t *testing.T) { // TYPE-4
	schema := func(fields int) string {
		var parts []string
		for i := range fields {
			parts = append(parts, fmt.Sprintf(`"field%d":{"type":"string"}`, i))
		}
		return `{"type":"object","properties":{"o":{"type":"object","properties":{` + strings.Join(parts, ",") + `}}},"additionalProperties":{"type":"number"}}`
	}
	if got, _ := Type([]byte(schema(1)), Options{}); !strings.HasSuffix(got, "  [key: string]: number | {\n    field0?: string;\n  } | undefined;\n}") {
		t.Error(got)
	}
	if got, _ := Type([]byte(schema(400)), Options{}); !strings.HasSuffix(got, "\n  [key: string]: unknown;\n}") {
		t.Error(got[len(got)-200:])
	}
}
