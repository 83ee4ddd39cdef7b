package typegen

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestRandomSchemas proves TYPE-2 and TYPE-4 on schemas that nobody wrote: their
// declarations compile under strict, and every valid value that is proposed is
// accepted. More of them, from another seed:
//
//	CODEMODE_TSC=… go test ./typegen -run TestRandomSchemas -v -schemas=5000 -seed=7
var (
	schemaCount = flag.Int("schemas", 150, "how many random schemas TestRandomSchemas makes")
	schemaSeed  = flag.Uint64("seed", 1, "seed of TestRandomSchemas")
)

func TestRandomSchemas(t *testing.T) {
	tsc := compiler(t, ".")
	var declarations []*Declaration
	var claims []*claim
	schemas := map[string]string{}
	for n := range *schemaCount {
		g := &schemaMaker{Rand: rand.New(rand.NewPCG(*schemaSeed, uint64(n)))}
		g.broken = g.IntN(6) == 0
		raw, err := json.Marshal(g.document())
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("mcp__random__t%d", n)
		schemas[name] = string(raw)
		declarations = append(declarations, Declare(Tool{Name: name, Description: g.text(), Input: raw, Output: raw}))
		for _, s := range []side{{Input, "input", raw}, {Output, "output", raw}} {
			got, _ := claimsFor(name+" "+s.name, s.raw, s.direction, func(value string) string {
				if s.direction == Input {
					return "void tools." + name + "(" + value + ");"
				}
				return fmt.Sprintf("void function (): Awaited<ReturnType<Tools[%q]>> { return %s; } /* %d */;", name, value, n)
			})
			claims = append(claims, got...)
		}
	}
	compile(t, tsc, Assemble(declarations, nil).Text, claims)
	r := newReport(claims)
	r.printf("%d schemas, seed %d", *schemaCount, *schemaSeed)
	r.summary()
	shown := map[string]bool{}
	for _, c := range incomparable(t, tsc, Assemble(declarations, nil).Text, r.refused) {
		name, _, _ := strings.Cut(c.subject, " ")
		if shown[name] {
			continue
		}
		shown[name] = true
		t.Errorf("REFUSED VALID %s:\n    %s\n    %s\n    %s", c.subject, cut(schemas[name], 4000), cut(c.code, 600), cut(c.errors[0], 600))
	}
	for i, c := range r.accepted {
		if c.why != "" || i > 40 {
			continue
		}
		name, _, _ := strings.Cut(c.subject, " ")
		r.printf("ACCEPTED BROKEN %s: %s\n    %s\n    %s", c.subject, c.what, cut(schemas[name], 1500), cut(c.code, 300))
	}
	r.write(t)
}

// incomparable are the refused values whose types have nothing in common with
// the declared ones. The others TypeScript refuses for reasons of its own: an
// object that shares nothing with a type whose properties are all optional, a
// literal with a property that was not declared or that every object has (see
// suiteExceptions).
func incomparable(t *testing.T, tsc, declarations string, refused []*claim) (left []*claim) {
	if len(refused) == 0 {
		return nil
	}
	var again []*claim
	for _, c := range refused {
		name, side, _ := strings.Cut(c.subject, " ")
		target := fmt.Sprintf("Parameters<Tools[%q]>[0]", name)
		if side == "output" {
			target = fmt.Sprintf("Awaited<ReturnType<Tools[%q]>>", name)
		}
		again = append(again, &claim{code: "void ((null! as " + c.exact + ") as " + target + ");"})
	}
	compile(t, tsc, declarations, again)
	for i, c := range again {
		if len(c.errors) > 0 {
			left = append(left, refused[i])
		}
	}
	return left
}

// A schemaMaker makes one random schema.
type schemaMaker struct {
	*rand.Rand
	broken bool // references lead nowhere: nothing but the declaration can be proved
}

type object = map[string]any

func pickOf[T any](g *schemaMaker, list ...T) T { return list[g.IntN(len(list))] }

var oddNames = []string{
	"a", "b", "c", "kind", "id", "value", "a-b", "1", "", " ", "__proto__", "constructor", "then", "toString", "hasOwnProperty", "await", "class",
	"*/", "`", "${x}", "\n", "\r\n", "\u2028", "\u0000", "\u202e", "\"", "\\", "'", "é", "😀", "$ref", "properties", "x-a", "x-b",
}

func (g *schemaMaker) name() string { return pickOf(g, oddNames...) }

func (g *schemaMaker) text() string {
	return pickOf(g, "", "Plain.", "*/ evil /*", "a\r\nb\u2028c", "`${x}`", "@deprecated @param {x", "\u202e\u0000\u0007", "</script>", "// x", "é😀", "@default */", "\ufeff")
}

func (g *schemaMaker) document() any {
	root := g.object(0)
	root["type"] = "object"
	defs := object{}
	for _, name := range []string{"A", "B", "a/b~c%"} {
		defs[name] = g.schema(1)
	}
	root["definitions"] = defs
	if g.IntN(4) == 0 {
		root["$schema"] = g.draft(root)
	}
	return root
}

// draft is one that has all keywords of a document: others ignore what they do
// not know, while servers mean it.
func (g *schemaMaker) draft(document object) string {
	raw, err := json.Marshal(document)
	if err != nil {
		panic(err)
	}
	lacks := func(keywords ...string) bool {
		for _, k := range keywords {
			if strings.Contains(string(raw), `"`+k+`":`) {
				return false
			}
		}
		return true
	}
	switch newer := lacks("$defs", "prefixItems", "dependentRequired", "dependentSchemas"); {
	case newer && lacks("if", "const", "propertyNames", "contains"):
		return "http://json-schema.org/draft-04/schema#"
	case newer && lacks("exclusiveMinimum"):
		return "http://json-schema.org/draft-07/schema#"
	}
	return "https://json-schema.org/draft/2020-12/schema"
}

func (g *schemaMaker) schema(depth int) any {
	if depth > 3 {
		return pickOf[any](g, true, object{"type": "string"}, object{}, object{"type": "null"})
	}
	s := object{}
	switch g.IntN(22) {
	case 0:
		return g.IntN(4) > 0
	case 1, 2, 3, 4:
		s = g.object(depth)
		s["type"] = "object"
	case 5:
		s = g.object(depth) // without type
	case 6, 7:
		s["type"] = "array"
		g.arrays(s, depth)
	case 8:
		s["type"] = pickOf(g, "string", "number", "integer", "boolean", "null")
	case 9:
		s["type"] = []any{pickOf(g, "string", "number", "object"), pickOf(g, "null", "boolean", "array")}
	case 10:
		s["enum"] = []any{g.value(0), g.value(0), "x", nil}
	case 11:
		s["const"] = g.value(0)
	case 12, 13:
		s[pickOf(g, "anyOf", "oneOf")] = []any{g.schema(depth + 1), g.schema(depth + 1), g.schema(depth + 1)}[:1+g.IntN(3)]
	case 14:
		s["allOf"] = []any{g.schema(depth + 1), g.schema(depth + 1)}
	case 15, 16:
		s["$ref"] = pickOf(g, "#/definitions/A", "#/definitions/B", "#", "#/definitions/a~1b~0c%25")
		if g.broken {
			s["$ref"] = pickOf(g, "#/$defs/A", "#/nowhere", "other.json#/x", "#/properties/a", "#a", "%", "urn:x", "http://[::1")
		}
	case 17:
		s["not"] = g.schema(depth + 1)
	case 18:
		s["if"], s["then"] = g.schema(depth+1), g.schema(depth+1)
		if g.IntN(2) == 0 {
			s["else"] = g.schema(depth + 1)
		}
	case 19:
		s = g.object(depth)
		s["type"] = "object"
		s[pickOf(g, "anyOf", "oneOf")] = []any{g.schema(depth + 1), object{"required": []any{g.name()}}}
	}
	g.notes(s)
	return s
}

// notes adds what bears on no value, or on its measure alone.
func (g *schemaMaker) notes(s object) {
	for range g.IntN(3) {
		switch g.IntN(16) {
		case 0:
			s["description"] = g.text()
		case 1:
			s["title"] = g.text()
		case 2:
			s["default"] = g.value(0)
		case 3:
			s["minimum"] = 0
			if g.broken {
				s["exclusiveMinimum"] = pickOf[any](g, true, false, 0)
			}
		case 4:
			s["pattern"] = pickOf(g, "^a", "(", "*/", "`")
		case 5:
			s["format"] = pickOf(g, "date-time", "*/", "\n")
		case 6:
			s["nullable"] = g.IntN(2) == 0
		case 7:
			s["readOnly"] = true
		case 8:
			s["writeOnly"] = true
		case 9:
			s["deprecated"] = true
		case 10:
			s["examples"] = []any{g.value(0), g.text()}
		case 11:
			s["unevaluatedProperties"] = g.IntN(2) == 0
		case 12:
			s["contentSchema"] = g.schema(6)
		case 13:
			s["$comment"] = g.text()
		case 14:
			s["minLength"] = 1
		}
	}
}

func (g *schemaMaker) object(depth int) object {
	s := object{}
	props := object{}
	for range g.IntN(5) {
		props[g.name()] = g.schema(depth + 1)
	}
	if len(props) > 0 || g.IntN(2) == 0 {
		s["properties"] = props
	}
	var required []any
	for _, name := range slices.Sorted(maps.Keys(props)) {
		if g.IntN(2) == 0 {
			required = append(required, name)
		}
	}
	if g.IntN(6) == 0 {
		required = append(required, g.name()) // perhaps no property
	}
	if required != nil {
		s["required"] = unique0(required)
	}
	switch g.IntN(9) {
	case 0:
		s["additionalProperties"] = false
	case 1:
		s["additionalProperties"] = true
	case 2:
		s["additionalProperties"] = g.schema(depth + 1)
	case 3:
		s["patternProperties"] = object{pickOf(g, "^x-", "^x-[a-z]$", "", ".*", "^a|b", "^*/"): g.schema(depth + 1)}
		if g.IntN(2) == 0 {
			s["additionalProperties"] = false
		}
	case 4:
		s["propertyNames"] = pickOf[any](g, object{"enum": []any{g.name(), g.name(), "zz"}}, object{"pattern": "^[a-z]"}, true)
	case 5:
		s["dependentRequired"] = object{g.name(): []any{g.name()}}
	case 6:
		s["dependentSchemas"] = object{g.name(): g.schema(depth + 1)}
	}
	return s
}

func unique0(list []any) []any {
	seen := map[any]bool{}
	out := []any{}
	for _, v := range list {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

func (g *schemaMaker) arrays(s object, depth int) {
	switch g.IntN(6) {
	case 0:
		s["prefixItems"] = []any{g.schema(depth + 1), g.schema(depth + 1)}
		s["items"] = g.schema(depth + 1)
	case 1:
		s["items"] = []any{g.schema(depth + 1)}
		s["additionalItems"] = g.schema(depth + 1)
	case 2:
		s["minItems"], s["maxItems"] = g.IntN(3), 2+g.IntN(2)
		s["items"] = g.schema(depth + 1)
	case 3:
		s["contains"] = g.schema(depth + 1)
	default:
		s["items"] = g.schema(depth + 1)
	}
}

// value is any JSON value.
func (g *schemaMaker) value(depth int) any {
	switch g.IntN(10) {
	case 0:
		return nil
	case 1:
		return g.IntN(2) == 0
	case 2:
		return pickOf[any](g, 0, -1, 1.5, 1e21, 1e-7, 0.5)
	case 3:
		if depth < 2 {
			return []any{g.value(depth + 1), g.value(depth + 1)}[:g.IntN(3)]
		}
	case 4, 5:
		if depth < 2 {
			return object{g.name(): g.value(depth + 1)}
		}
	}
	return pickOf(g, append(oddNames, g.text())...)
}
