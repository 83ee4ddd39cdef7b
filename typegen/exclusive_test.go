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
		// Branches that also say of what type their properties are.
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","required":["b"]}]}`: "{\n  a: string;\n  b?: never;\n} | {\n  a?: never;\n  b: number;\n}",
		// What is left of a is no type that anybody would write: not exclusive.
		`{"type":"object","oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"required":["b"]}]}`: "{\n  a: string;\n} | {\n  b: unknown;\n}",
		// Closed objects do not mix, unless a fixed value tells them apart already.
		`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},{"type":"object","properties":{"b":{"type":"number"}},"required":["b"]}]}`:                                                                  "{\n  a: string;\n  b?: never;\n} | {\n  b: number;\n}",
		`{"oneOf":[{"type":"object","properties":{"k":{"const":"x"},"a":{"type":"string"}},"required":["k"],"additionalProperties":false},{"type":"object","properties":{"k":{"const":"y"},"b":{"type":"number"}},"required":["k"],"additionalProperties":false}]}`: "{\n  k: \"x\";\n  a?: string;\n} | {\n  k: \"y\";\n  b?: number;\n}",
		`{"oneOf":[{"type":"object","properties":{"k":{"const":1},"a":{"type":"string"}},"required":["k"],"additionalProperties":false},{"type":"object","properties":{"k":{"const":1},"b":{"type":"number"}},"required":["k"],"additionalProperties":false}]}`:     "{\n  k: 1;\n  a?: string;\n  b?: never;\n} | {\n  k: 1;\n  b?: number;\n  a?: never;\n}",
		// Not a tuple: a variable with two numbers in it is a number[] to TypeScript, and
		// right.
		`{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2}`: "Array<number>",
		// Names by a pattern that TypeScript can tell, beside any others.
		`{"type":"object","patternProperties":{"^x-":{"type":"string"},"^x-a":{"type":"string","minLength":1},"^y_.*":{"type":"number"},"^[a-z]$":{}}}`: "{\n  [key: string]: unknown;\n  [key: `x-${string}`]: string;\n  [key: `y_${string}`]: number;\n}",
		`{"type":"object","properties":{"x-own":{"type":"boolean"},"o":{"type":"null"}},"patternProperties":{"^x-":{"type":"string"}}}`:                 "{\n  \"x-own\"?: boolean;\n  o?: null;\n  [key: string]: unknown;\n  [key: `x-${string}`]: string | boolean | undefined;\n}",
	} {
		if got, _ := Type([]byte(schema), Options{Direction: Input}); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", schema, got, want)
		}
	}
	d := Declare(Tool{Name: "x", Input: []byte(`{"type":"object","properties":{"pet":{"$ref":"#/components/schemas/Pet"}},"components":{"schemas":{"Pet":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/Pet"}}}}}}`)})
	if got := Assemble([]*Declaration{d}, nil).Text; !strings.Contains(got, "ToolTypes.x.Pet;") {
		t.Error(got)
	}
}

// TYPE-4, by the compiler.
// What is read is told apart by `in`.
func TestExclusiveOutput(t *testing.T) {
	schema := `{"anyOf":[{"type":"object","properties":{"ok":{"type":"string"}},"required":["ok"],"additionalProperties":false},{"type":"object","properties":{"error":{"type":"string"}},"required":["error"],"additionalProperties":false}]}`
	if got, _ := Type([]byte(schema), Options{Direction: Output}); got != "{\n  ok: string;\n} | {\n  error: string;\n}" {
		t.Error(got)
	}
}

func TestExclusiveCompile(t *testing.T) {
	tsc := compiler(t, ".")
	one := `{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"},"n":{"type":"number"}},"oneOf":[{"required":["id"]},{"required":["name"]}]}`
	keys := `{"type":"object","properties":{"own":{"type":"boolean"}},"patternProperties":{"^x-":{"type":"string"},"_id$":{"type":"number"}},"additionalProperties":{"not":{}}}`
	closed := `{"type":"object","properties":{"one":{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},{"type":"object","properties":{"b":{"type":"number"}},"required":["b"],"additionalProperties":false}]},
		"point":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2},
		"open":{"type":"object","properties":{"x-own":{"type":"boolean"}},"patternProperties":{"^x-":{"type":"string"},"_id$":{"type":"number"}}}}}`
	parts := []*Declaration{Declare(Tool{Name: "one", Input: []byte(one)}), Declare(Tool{Name: "keys", Input: []byte(keys)}), Declare(Tool{Name: "closed", Input: []byte(closed)})}
	claims := []*claim{
		{valid: true, code: `void tools.closed({ one: { a: "s" }, point: [1, 2], open: { "x-a": "s", "x-own": true, more: null, y_id: 1 } });`},
		{valid: true, code: `void tools.closed({ one: { b: 1 }, open: {} });`},
		{code: `void tools.closed({ one: { a: "s", b: 1 } });`},
		{valid: true, code: `const point = [1, 2]; void tools.closed({ point });`},
		{code: `void tools.closed({ open: { "x-a": 1 } });`},
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

// TYPE-4: a filter of a condition or of others, each a closed object, as generators
// write it: none mixes with another one.
func TestExclusiveFilter(t *testing.T) {
	part := func(name string) string {
		return `{"type":"object","properties":{"` + name + `":{"type":"array"}},"required":["` + name + `"],"additionalProperties":false}`
	}
	schema := `{"anyOf":[{"type":"object","properties":{"field":{},"op":{},"value":{}},"required":["field"],"additionalProperties":false},` +
		part("and") + `,` + part("or") + `,` + part("not") + `]}`
	got, _ := Type([]byte(schema), Options{Direction: Input})
	if n := strings.Count(got, "?: never"); n != 3+3*5 {
		t.Errorf("%d properties are excluded in\n%s", n, got)
	}
}
