package typescript

import (
	"strings"
	"testing"

	"codemode-ls/exec/input"
	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// EXEC-18: kinds of types, each with inputs that fit and inputs that do not, and with
// what is said of those: every wrong field, all at once.
func TestKindsOfInputs(t *testing.T) {
	e := newEngine(t)
	for _, tt := range []struct {
		name  string
		types string // declarations before the function
		typ   string // of the parameter
		right []string
		wrong map[string]string
	}{
		{"string", "", "string", []string{`"a"`, `""`}, map[string]string{`5`: "expected a string, got 5", `null`: "expected a string, got null"}},
		{"number", "", "number", []string{`1`, `-1.5e3`}, map[string]string{`"1"`: `expected a number, got "1"`, `12345678901234567890`: "12345678901234567890 is too large to be exact in JavaScript; take a string in the script, and write it as one", `1e999`: "1e999 is too large for a number of JavaScript"}},
		{"boolean", "", "boolean", []string{`true`, `false`}, map[string]string{`0`: "expected a boolean, got 0"}},
		{"literals", "", `"open" | "closed" | 3 | true`, []string{`"open"`, `3`, `true`}, map[string]string{`"opne"`: `expected "closed", "open", 3 or true, got "opne"`, `false`: `expected "closed", "open", 3 or true, got false`}},
		{"unknown and any", "", "{ a: unknown; b: any; c?: unknown }", []string{`{"a":null,"b":[1]}`}, map[string]string{`{}`: "a: missing; expected a value|b: missing; expected a value"}},
		{"object", "", "{ repo: string; limit?: number }", []string{`{"repo":"a"}`, `{"repo":"a","limit":3}`}, map[string]string{
			`{"rpeo":"a","limit":"3","more":1}`: `limit: expected a number, got "3"|more: unknown field; there are limit, repo|repo: missing; expected a string|rpeo: unknown field; did you mean repo?`,
			`[]`:                                "expected an object with repo, got an array",
		}},
		{"optional against nullable", "", "{ a?: string; b: string | null; c?: string | null; d: string | undefined }", []string{`{"b":null}`, `{"a":"x","b":"y","c":null,"d":"z"}`}, map[string]string{
			`{"a":null}`: `a: expected a string, got null|b: missing; expected a string or null`,
		}},
		{"array", "", "{ labels: string[]; more: readonly number[] }", []string{`{"labels":[],"more":[1,2]}`}, map[string]string{`{"labels":["a",1,null],"more":{}}`: "labels[1]: expected a string, got 1|labels[2]: expected a string, got null|more: expected an array, each item a number, got an object"}},
		{"array of a union", "", "(string | number)[]", []string{`["a",1]`}, map[string]string{`["a",true]`: "[1]: expected a string or a number, got true"}},
		{"tuple", "", "[string, number?]", []string{`["a"]`, `["a",1]`}, map[string]string{`[]`: "expected at least 1 item, got 0", `["a","b",3]`: `expected at most 2 items, got 3|[1]: expected a number, got "b"`}},
		{"named tuple with a rest", "", "[from: string, ...to: number[]]", []string{`["a"]`, `["a",1,2]`}, map[string]string{`["a",1,"b"]`: `[2]: expected a number, got "b"`}},
		{"record", "", "Record<string, number>", []string{`{}`, `{"a":1,"b c":2}`}, map[string]string{`{"a":"1","b c":null}`: `["b c"]: expected a number, got null|a: expected a number, got "1"`}},
		{"record of literals", "", `Record<"a" | "b", number>`, []string{`{"a":1,"b":2}`}, map[string]string{`{"a":1}`: "b: missing; expected a number"}},
		{"index signature with fields", "", "{ a: string; [name: string]: string | number }", []string{`{"a":"x","b":1}`}, map[string]string{`{"a":1,"b":true}`: "a: expected a string, got 1|b: expected a string or a number, got true"}},
		{"template keys", "", "{ [name: `x-${string}`]: string }", []string{`{"x-a":"b"}`}, map[string]string{`{"x-a":1,"y":"z"}`: `["x-a"]: expected a string, got 1|y: unknown field`}},
		{"discriminated union", "", `{ kind: "circle"; radius: number } | { kind: "square"; side: number }`, []string{`{"kind":"circle","radius":1}`, `{"kind":"square","side":1}`}, map[string]string{
			`{"kind":"circle","side":1}`:     "radius: missing; expected a number|side: unknown field; there are kind, radius",
			`{"kind":"cirlce","radius":1}`:   `kind: expected "circle" or "square", got "cirlce"`,
			`{"radius":1}`:                   `kind: missing; expected "circle" or "square"`,
			`{"kind":"square","side":"big"}`: `side: expected a number, got "big"`,
		}},
		{"union of objects without a discriminator", "", `{ id: number } | { name: string }`, []string{`{"id":1}`, `{"name":"a"}`}, map[string]string{`{"name":1}`: "name: expected a string, got 1"}},
		{"union with null", "type A = { a: string };", `{ x: A | null }`, []string{`{"x":null}`, `{"x":{"a":"b"}}`}, map[string]string{`{"x":{"a":1}}`: "x.a: expected a string, got 1"}},
		{"union of a string and an object", "", `{ who: string | { id: number } }`, []string{`{"who":"a"}`, `{"who":{"id":1}}`}, map[string]string{`{"who":{"id":"1"}}`: `who.id: expected a number, got "1"`, `{"who":5}`: "who: expected a string or an object, got 5"}},
		{"recursive", "type Tree = { value: number; children?: Tree[] };", "Tree", []string{`{"value":1,"children":[{"value":2,"children":[]}]}`}, map[string]string{`{"value":1,"children":[{"value":"2"},{}]}`: `children[0].value: expected a number, got "2"|children[1].value: missing; expected a number`}},
		{"recursive JSON", "type Json = string | number | boolean | null | Json[] | { [name: string]: Json };", "{ data: Json }", []string{`{"data":{"a":[1,{"b":null}]}}`}, map[string]string{`{}`: "data: missing; expected a string, a number, a boolean, null, an array or an object"}},
		{"mutually recursive", "interface A { b?: B }\ninterface B { a: A[]; n: number }", "A", []string{`{"b":{"a":[{}],"n":1}}`}, map[string]string{`{"b":{"a":[{"b":{}}],"n":1}}`: "b.a[0].b.a: missing; expected an array|b.a[0].b.n: missing; expected a number"}},
		{"generic", "type Page<T> = { items: T[]; next?: string };", "Page<{ id: number }>", []string{`{"items":[{"id":1}]}`}, map[string]string{`{"items":[{}]}`: "items[0].id: missing; expected a number"}},
		{"Partial", "", "Partial<{ a: string; b: number }>", []string{`{}`, `{"b":1}`}, map[string]string{`{"b":"1"}`: `b: expected a number, got "1"`}},
		{"Required, Pick and Omit", "type A = { a?: string; b?: number; c?: boolean };", `Required<Pick<A, "a">> & Omit<A, "a" | "c">`, []string{`{"a":"x"}`, `{"a":"x","b":1}`}, map[string]string{`{"c":true}`: "a: missing; expected a string|c: unknown field; did you mean a?"}},
		{"Readonly, Exclude and NonNullable", "", `Readonly<{ a: Exclude<"x" | "y", "y">; b: NonNullable<string | null> }>`, []string{`{"a":"x","b":""}`}, map[string]string{`{"a":"y","b":null}`: `a: expected "x", got "y"|b: expected a string, got null`}},
		{"enum of numbers", "enum Level { Low, Mid = 5, High }", "{ level: Level }", []string{`{"level":0}`, `{"level":6}`}, map[string]string{`{"level":1}`: "level: expected 0, 5 or 6, got 1"}},
		{"enum of strings", `enum Color { Red = "red", Blue = "blue" }`, "Color", []string{`"red"`}, map[string]string{`"Red"`: `expected "red" or "blue", got "Red"`}},
		{"as const", `const modes = ["fast", "deep"] as const;`, "{ mode: (typeof modes)[number] }", []string{`{"mode":"fast"}`}, map[string]string{`{"mode":"slow"}`: `mode: expected "deep" or "fast", got "slow"`}},
		{"keyof", "type A = { a: 1; b: 2 };", "keyof A", []string{`"a"`}, map[string]string{`"c"`: `expected "a" or "b", got "c"`}},
		{"template literal", "", "`${string}/${number}`", []string{`"a/1"`, `"a/b/-2.5"`}, map[string]string{`"a/b"`: "expected a string like `${string}/${number}`, got \"a/b\""}},
		{"template of a union", "", "`v${1 | 2}`", []string{`"v1"`}, map[string]string{`"v3"`: `expected "v1" or "v2", got "v3"`}},
		{"Uppercase", "", "Uppercase<string>", []string{`"ABC"`}, map[string]string{`"Abc"`: "expected a string like /\\P{Ll}*/, got \"Abc\""}},
		{"open union of strings", "", `"a" | "b" | (string & {})`, []string{`"a"`, `"c"`}, map[string]string{`1`: `expected "a", "b" or a string, got 1`}},
		{"branded string", "", "{ id: string & { readonly __brand: 'id' } }", []string{`{"id":"a"}`}, map[string]string{`{"id":{}}`: "id: expected a string, got an object"}},
		{"intersection", "", "{ a: string } & { b: number }", []string{`{"a":"x","b":1}`}, map[string]string{`{"a":"x"}`: "b: missing; expected a number"}},
		{"never", "", "{ a: string; b?: never } | { b: number; a?: never }", []string{`{"a":"x"}`, `{"b":1}`}, map[string]string{`{"a":1}`: "a: expected a string, got 1"}},
		{"object", "", "{ a: object; b: {} }", []string{`{"a":[],"b":{"c":1}}`}, map[string]string{`{"a":1,"b":{}}`: "a: expected an object or an array, got 1"}},
		{"interface that extends", "interface A { a: string }\ninterface B extends A { b: number }", "B", []string{`{"a":"x","b":1}`}, map[string]string{`{"b":1}`: "a: missing; expected a string"}},
		{"type of a tool", "", `Parameters<typeof tools.mcp__a__search>[0]`, []string{`{"query":"a","mode":"deep"}`}, map[string]string{`{"mode":"slow"}`: `mode: expected "deep" or "fast", got "slow"|query: missing; expected a string`}},
		{"odd names", "", `{ "content-type": string; 1: number; "a/b~c": boolean }`, []string{`{"content-type":"x","1":2,"a/b~c":true}`}, map[string]string{`{"content-type":1,"1":"2"}`: `["1"]: expected a number, got "2"|["a/b~c"]: missing; expected a boolean|["content-type"]: expected a string, got 1`}},
		{"prototypes", "", "Record<string, unknown>", []string{`{"constructor":1,"toString":2}`}, map[string]string{`{"a":{"__proto__":{"b":1}}}`: "a.__proto__: a field called __proto__ never reaches a script"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := e.ReadContract(t.Context(), script.Read(tt.types+"\nexport default async function (input: "+tt.typ+") { return input }"), script.TypeScript)
			if err != nil {
				t.Fatal(err)
			}
			if c.Input == nil {
				t.Fatalf("%+v", c.Problems)
			}
			for _, right := range tt.right {
				if got := misfits(t, c.Input, right); got != "" {
					t.Errorf("%s: %s\n%s", right, got, c.Input)
				}
			}
			for wrong, want := range tt.wrong {
				if got := misfits(t, c.Input, wrong); got != want {
					t.Errorf("%s:\n%s\nnot\n%s\n%s", wrong, got, want, c.Input)
				}
			}
		})
	}
}

func misfits(t *testing.T, schema jsontext.Value, value string) string {
	t.Helper()
	found, err := input.Check(schema, jsontext.Value(value))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range found {
		all = append(all, m.String())
	}
	return strings.Join(all, "|")
}

// EXEC-18: what JSON cannot carry is refused, each at its place.
func TestInputsThatJSONCannotCarry(t *testing.T) {
	e := newEngine(t)
	for _, tt := range []struct{ types, typ, want string }{
		{"", "{ since: Date }", "input.since: JSON has no dates."},
		{"", "{ n: bigint }", "input.n: JSON has no bigint."},
		{"", "{ f: () => void }", "input.f: JSON has no functions."},
		{"", "{ f(): void }", "input.f: JSON has no functions."},
		{"", "Map<string, number>", "input: JSON has no Map."},
		{"", "{ all: Set<string>[] }", "input.all[]: JSON has no Set."},
		{"", "{ s: symbol }", "input.s: JSON has no symbols."},
		{"", "{ p: Promise<string> }", "input.p: An input has no promises."},
		{"", "{ b: Uint8Array }", "input.b: JSON cannot write a Uint8Array."},
		{"class A { x = 1 }", "{ a: A }", "input.a: JSON has no instances of classes."},
		{"", "{ u: undefined }", ""},
		{"", "undefined", "input: JSON has no undefined."},
		{"", "{ [k: symbol]: string; a: Date | string }", "input.a: JSON has no dates."},
		{"", "Missing", "input: This type is unknown."},
		{"import type { X } from './x';", "{ x: X }", "input.x: This type is unknown."},
		{"", "[...string[], number]", "input[0]: A tuple can have a rest at its end alone."},
		{"type D = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;", "`${D}${D}${D}${D}-a-long-text-behind-the-digits`", ""},
		{"type D = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;", "`${D}${D}${D}${D}-` | `a-much-${D}${D}${D}${D}-longer-${'text-that-is-repeated-again-and-again-and-again-and-again-and-again-and-again-and-again-and-again'}`", "input: This type is too large"},
		{"type N<T> = { v: T; n?: N<T[]> };", "N<string>", "input: This type is too deep"},
	} {
		c, err := e.ReadContract(t.Context(), script.Read(tt.types+"\nexport default async function (input: "+tt.typ+") {}"), script.TypeScript)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range c.Problems {
			got = append(got, p.Path+": "+p.Message)
			if p.Range.Start.Line == 0 {
				t.Errorf("%s: at %+v", tt.typ, p.Range)
			}
		}
		if tt.want == "" && len(got) > 0 || len(got) != 1 && tt.want != "" || !strings.Contains(strings.Join(got, "|"), tt.want) {
			t.Errorf("%s: %q, not %q", tt.typ, got, tt.want)
		}
		if (c.Input == nil) != (tt.want != "") {
			t.Errorf("%s: %s", tt.typ, c.Input)
		}
	}
	c, err := e.ReadContract(t.Context(), script.Read("export default async function <T>(input: { a: T; b: Date; c: T[keyof T] }) {}"), script.TypeScript)
	if err != nil || len(c.Problems) != 3 {
		t.Errorf("%v %+v", err, c.Problems)
	}
	c, err = e.ReadContract(t.Context(), script.Read("export default async function (a: string, b: number) {}"), script.TypeScript)
	if err != nil || len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Message, "one parameter") {
		t.Errorf("%v %+v", err, c.Problems)
	}
}

// EXEC-18: JavaScript has its types in comments.
func TestContractOfJavaScript(t *testing.T) {
	e := newEngine(t)
	c, err := e.ReadContract(t.Context(), script.Read(`/**
 * Adds.
 * @param {{ a: number, b?: number }} input
 */
export default async function (input) { return input.a }`), script.JavaScript)
	if err != nil || c.Input == nil {
		t.Fatalf("%v %+v", err, c)
	}
	if got := misfits(t, c.Input, `{"b":"x"}`); got != `a: missing; expected a number|b: expected a number, got "x"` {
		t.Error(got)
	}
}
