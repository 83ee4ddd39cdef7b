package analysis

import (
	"strings"
	"testing"

	"codemode-ls/catalog"

	"github.com/go-json-experiment/json/jsontext"
)

// COMP-2: required fields are the same in the snippet, in signature help and in what
// is filled in, through $ref and allOf.
func TestComp2RequiredFieldsEverywhere(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","allOf":[{"required":["a"],"properties":{"a":{"type":"string","description":"the a"}}}],"required":["b"],"properties":{"b":{"type":"number"}}}`:  "b a",
		`{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","required":["a","b"],"properties":{"a":{"type":"string"},"b":{"$ref":"#/$defs/n"}}},"n":{"type":"integer"}}}`: "a b",
		`{"type":"object","required":["a","d"],"properties":{"a":{"type":"boolean"},"d":{"type":"string","default":"x"}}}`:                                                 "a",
	} {
		v := jsontext.Value(schema)
		snippet := CallSnippet(&Client{Snippets: true}, &catalog.Tool{Name: "mcp__s__t", InputSchema: v})
		filled := schemaNode{v, v}.placeholder(0)
		documented := fieldDocumentation(v, nil)
		for name := range strings.FieldsSeq(want) {
			if !strings.Contains(snippet, name+": ") || !strings.Contains(filled, name+": ") || !strings.Contains(documented, "- `"+name+"`") || strings.Contains(documented, "- `"+name+"` (optional)") {
				t.Errorf("%s: %s is missing: snippet %s, filled in %s, signature help\n%s", schema, name, snippet, filled, documented)
			}
		}
		if strings.Contains(want, "d") != strings.Contains(snippet, "d: ") {
			t.Errorf("%s: %s", schema, snippet)
		}
	}
}
