package typegen

import (
	"strings"
	"testing"
)

// TYPE-4: what is accepted by nothing, names by a pattern, one of several
// required properties; TYPE-1: names of what components/schemas hold.
func TestClosedAndExclusive(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"not":{}}}`:                                     "{\n  a?: string;\n}",
		`{"type":"object","additionalProperties":{"not":true}}`:                                                                        "Record<string, never>",
		`{"type":"array","prefixItems":[{"type":"string"}],"items":{"not":{}}}`:                                                        "[string?]",
		`{"type":"object","propertyNames":{"pattern":"^x-"},"additionalProperties":{"type":"number"}}`:                                 "{\n  [key: `x-${string}`]: number;\n}",
		`{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"additionalProperties":{"type":"number"}}`:                            "{\n  [key: string]: number;\n}",
		`{"type":"object","patternProperties":{"^x-":{"type":"string"},"_id$":{}},"additionalProperties":false}`:                       "{\n  [key: `x-${string}`]: unknown;\n  [key: `${string}_id`]: unknown;\n}",
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`: "{\n  a: string;\n  b?: never;\n} | {\n  a?: never;\n  b: number;\n}",
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`: "{\n  a: string;\n  b?: number;\n} | {\n  a?: string;\n  b: number;\n}",
	} {
		if got, _ := Type([]byte(schema), Options{Direction: Output}); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", schema, got, want)
		}
	}
	d := Declare(Tool{Name: "x", Input: []byte(`{"type":"object","properties":{"pet":{"$ref":"#/components/schemas/Pet"}},"components":{"schemas":{"Pet":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/Pet"}}}}}}`)})
	if got := Assemble([]*Declaration{d}, nil).Text; !strings.Contains(got, "ToolTypes.x.Pet;") {
		t.Error(got)
	}
}

// TYPE-4, by the compiler.
func TestExclusiveCompile(t *testing.T) {
	tsc := compiler(t, ".")
	one := `{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"},"n":{"type":"number"}},"oneOf":[{"required":["id"]},{"required":["name"]}]}`
	keys := `{"type":"object","properties":{"own":{"type":"boolean"}},"patternProperties":{"^x-":{"type":"string"},"_id$":{"type":"number"}},"additionalProperties":{"not":{}}}`
	parts := []*Declaration{Declare(Tool{Name: "one", Input: []byte(one)}), Declare(Tool{Name: "keys", Input: []byte(keys)})}
	claims := []*claim{
		{valid: true, code: `void tools.one({ id: "a", n: 1 });`},
		{valid: true, code: `void tools.one({ name: "a" });`},
		{valid: true, code: `void tools.keys({ "x-a": "s", own: true, a_id: 5 });`},
		{code: `void tools.one({ id: "a", name: "b" });`},
		{code: `void tools.one({ n: 1 });`},
		{code: `void tools.keys({ other: 5 });`},
		{code: `void tools.keys({ "x-a": {} });`},
	}
	compile(t, tsc, Assemble(parts, nil).Text, claims)
	for _, c := range claims {
		if c.valid != (len(c.errors) == 0) {
			t.Errorf("%s: %v", c.code, c.errors)
		}
	}
}
