package typegen

import (
	"fmt"
	"strings"
	"testing"
)

// TYPE-4: where a type is wider than its schema, it has room for the properties
// that other parts of the schema name.
func TestRoomForOthers(t *testing.T) {
	repeated := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(strings.ReplaceAll(format, "%d", "%[1]d"), i)
		}
		return strings.Join(parts, ",")
	}
	own := `{"type":"object","properties":{"a":{"type":"string"}},`
	schemas := map[string]string{
		"product":    own + `"allOf":[{"anyOf":[` + repeated(10, `{"type":"object","properties":{"p%d":{}},"required":["p%d"]}`) + `]},{"anyOf":[` + repeated(10, `{"type":"object","properties":{"q%d":{}},"required":["q%d"]}`) + `]}]}`,
		"dependents": own + `"dependentRequired":{` + repeated(9, `"p%d":["q%d"]`) + `}}`,
		"conditions": own + `"allOf":[` + repeated(9, `{"if":{"properties":{"p%d":{"const":1}},"required":["p%d"]},"then":{"properties":{"q%d":{}}}}`) + `]}`,
		"unsayable":  own + `"if":{"minProperties":2},"then":{"properties":{"b":{"type":"number"}}}}`,
		"dependent":  own + `"dependentSchemas":{"z":{"properties":{"b":{"type":"number"}}}}}`,
		"anything":   own + `"anyOf":[{"properties":{"b":{"type":"string"}}},true]}`,
		"products":   `{"type":"object","allOf":[` + strings.TrimSuffix(strings.Repeat(`{"anyOf":[{"$ref":"#/$defs/A"},`+repeated(9, `{"type":"object","properties":{"p%d":{}},"required":["p%d"]}`)+`]},`, 3), ",") + `],"$defs":{"A":{"type":"object","properties":{"a":{}}}}}`,
	}
	const opened = "  [key: string]: unknown;\n"
	for name, with := range map[string]string{"product": opened, "dependents": opened, "conditions": opened, "products": opened, "unsayable": "b?: number;\n", "dependent": "z?: unknown;\n", "anything": opened} {
		got, problems := Type([]byte(schemas[name]), Options{})
		if !strings.Contains(got, with) {
			t.Errorf("%s: there is no %q in\n%s", name, with, got)
		}
		if with == opened && name != "anything" && len(problems) != 1 {
			t.Errorf("%s: problems %v", name, problems)
		}
	}
	tsc := compiler(t, ".")
	var parts []*Declaration
	for name, schema := range schemas {
		parts = append(parts, Declare(Tool{Name: name, Input: []byte(schema)}))
	}
	claims := []*claim{
		{valid: true, code: `void tools.product({ a: "x", p0: 1, q3: 2 });`},
		{valid: true, code: `void tools.dependents({ a: "x", p0: 1, q0: 2, p8: 3, q8: 4 });`},
		{valid: true, code: `void tools.conditions({ a: "x", p0: 1, q0: 2, p8: 1, q8: 4 });`},
		{valid: true, code: `void tools.unsayable({ a: "x", b: 1 });`},
		{valid: true, code: `void tools.dependent({ a: "x", z: 1, b: 1 });`},
		{valid: true, code: `void tools.anything({ a: "x", b: "y" });`},
		{code: `void tools.product({ a: 5, p0: 1, q3: 2 });`},
		{code: `void tools.dependent({ a: "x", z: 1, b: "y" });`},
		{code: `void tools.anything({ a: 5 });`},
	}
	compile(t, tsc, Assemble(parts, nil).Text, claims)
	for _, c := range claims {
		if c.valid != (len(c.errors) == 0) {
			t.Errorf("%s: %v", c.code, c.errors)
		}
	}
}
