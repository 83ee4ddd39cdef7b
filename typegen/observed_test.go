package typegen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func shapeOf(values ...string) *Shape {
	s := &Shape{}
	for _, v := range values {
		s.Observe(jsontext.Value(v))
	}
	return s
}

func typeOfShape(s *Shape) string {
	typ, _ := Type(s.Schema(), Options{Direction: Output})
	return strings.Join(strings.Fields(typ), " ")
}

// What is seen becomes a type: unions, optional properties, arrays, maps.
func TestShapes(t *testing.T) {
	many := func(n int, name string) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(`"%s%c%c":%d`, name, 'a'+i/26, 'a'+i%26, i))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	for _, test := range []struct {
		values []string
		want   string
	}{
		{[]string{`{"a":1,"b":"x"}`}, "{ a: number; b: string; }"},
		{[]string{`{"a":1}`, `{"a":null}`, `{"a":"x"}`}, "{ a: string | number | null; }"},
		{[]string{`{"a":1,"b":2}`, `{"a":1}`}, "{ a: number; b?: number; }"},
		{[]string{`{"a":1}`, `{"a":1,"b":2}`}, "{ a: number; b?: number; }"},
		{[]string{`[{"a":1},{"a":2,"b":true}]`}, "Array<{ a: number; b?: boolean; }>"},
		{[]string{`{"l":[]}`}, "{ l: Array<unknown>; }"},
		{[]string{`{"l":[]}`, `{"l":["x"]}`}, "{ l: Array<string>; }"},
		{[]string{`{"l":[1,"x",[true]]}`}, "{ l: Array<Array<boolean> | string | number>; }"},
		{[]string{`{}`}, "{}"},
		{[]string{`{"o":{}}`, `{"o":{"x":1}}`}, "{ o: { x?: number; }; }"},
		{[]string{`{"a":1}`, `[1]`, `"x"`}, "{ a: number; } | Array<number> | string"},
		// Names that are data.
		{[]string{`{"7f3c2a":{"n":1}}`}, "{ [key: string]: { n: number; }; }"},
		{[]string{`{"me@example.org":1,"x":"y"}`}, "{ [key: string]: string | number; }"},
		{[]string{`{"deadbeefcafe":1}`}, "{ [key: string]: number; }"},
		{[]string{`{"2026-01-02":1}`}, "{ [key: string]: number; }"},
		{[]string{`{"sk-a1b2c3d4e5":1}`}, "{ [key: string]: number; }"},
		{[]string{`{"some words":1}`}, "{ [key: string]: number; }"},
		{[]string{`{"` + strings.Repeat("x", 41) + `":1}`}, "{ [key: string]: number; }"},
		{[]string{`{"a":1}`, `{"a/b":"x"}`}, "{ [key: string]: string | number; }"},
		{[]string{many(49, "k")}, "{ [key: string]: number; }"},
		{[]string{`{"ann":{"age":1},"bob":{"age":2},"cid":{"age":3},"dan":{"age":4}}`}, "{ [key: string]: { age: number; }; }"},
		// Other names in another result are data, too; a union of two objects is not.
		{[]string{`{"ann":1,"bob":2}`, `{"cid":3,"dan":4}`}, "{ [key: string]: number; }"},
		{[]string{`[{"ann":1,"bob":2},{"cid":3,"dan":4}]`}, "Array<{ [key: string]: number; }>"},
		{[]string{`{"ann":1,"bob":2}`, `{"bob":3,"dan":4}`}, "{ ann?: number; bob: number; dan?: number; }"},
		{[]string{`{"result":"x","id":"y"}`, `{"error":"x"}`}, "{ error?: string; id?: string; result?: string; }"},
		{[]string{`{"ann":1,"bob":2}`, `{"cid":"3","dan":"4"}`}, "{ ann?: number; bob?: number; cid?: string; dan?: string; }"},
		{[]string{`{"x-rate":1,"$ref":"a","a1":true}`}, `{ $ref: string; a1: boolean; "x-rate": number; }`},
		{[]string{`{"__proto__":1}`}, "{ [key: string]: number; }"},
		{[]string{strings.Repeat(`{"a":`, 12) + "1" + strings.Repeat("}", 12)}, strings.Repeat("{ a: ", 9) + "unknown" + strings.Repeat("; }", 9)},
		{[]string{`{"a":1`, `nope`, ``, `[1] x`, `{}{}`}, "unknown"},
	} {
		if got := typeOfShape(shapeOf(test.values...)); got != test.want {
			t.Errorf("%s\n got  %s\n want %s", cut(strings.Join(test.values, " "), 200), got, test.want)
		}
	}
}

// Observing says when a shape became wider, never loses anything, does not
// depend on what came first in what it says, and stays within its bounds; a
// value never shows.
func TestShapeProperties(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		scalars := rapid.OneOf(rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any]("SECRET"), rapid.Just[any](424242))
		if depth == 0 {
			return scalars
		}
		names := rapid.OneOf(rapid.StringMatching(`[a-c]`), rapid.StringMatching(`n[a-z]{1,2}`), rapid.StringMatching(`[0-9]{6}SECRET`))
		return rapid.OneOf(scalars,
			rapid.Map(rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 4), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(names, rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 12), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		var list []string
		for range rapid.IntRange(1, 6).Draw(t, "values") {
			b, err := json.Marshal(value(4).Draw(t, "value"), json.Deterministic(true))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, string(b))
		}
		s := &Shape{}
		for _, v := range list {
			before := string(s.Schema())
			if wider := s.Observe(jsontext.Value(v)); !wider && string(s.Schema()) != before {
				t.Fatalf("not wider, but\n%s\nwas\n%s", s.Schema(), before)
			}
			if s.Observe(jsontext.Value(v)) {
				t.Fatalf("the same value made it wider: %s\n%s", v, s.Schema())
			}
		}
		schema := string(s.Schema())
		if strings.Contains(schema, "SECRET") || strings.Contains(schema, "424242") {
			t.Fatalf("a value shows in %s", schema)
		}
		if s.nodes() > maxShapeNodes {
			t.Fatalf("%d nodes", s.nodes())
		}
		// What is kept is what was there.
		kept, err := json.Marshal(s, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		again := &Shape{}
		if err := json.Unmarshal(kept, again); err != nil {
			t.Fatal(err)
		}
		again.Clean()
		if string(again.Schema()) != schema {
			t.Fatalf("kept as\n%s\nread as\n%s\nwas\n%s", kept, again.Schema(), schema)
		}
		// Every value is one of the type's: the schema is proof enough.
		oracle, err := validator(mustDecode(schema))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			if err := oracle.Validate(mustDecode(v)); err != nil {
				t.Fatalf("%s is not of\n%s: %v", v, schema, err)
			}
		}
	})
}

// Names that are ids or secrets are data; those of programs are kept.
func TestObservedNames(t *testing.T) {
	for _, name := range strings.Fields(`id firstName created_at userID htmlURL getURLByID2 x-rate $ref node_modules package-lock HTTP_OK
		sha256 md5 utf8 ipv4Address oauth2Token line1 address_line_2 h264 s3Bucket k8sVersion x509Certificate base64Data EC2SecurityGroupId
		is2faEnabled isoDate8601 e2e a11y i18n p95 Q1 FY2024 iPhone15ProMax row_1 decade facade URL _id __typename isOK aBC
		totalCountOfAllOpenIssues MAX_RETRIES SHA256 pk sk sk_id`) {
		if !looksLikeName(name) {
			t.Errorf("%s is taken for data", name)
		}
	}
	for _, name := range strings.Fields(`AKIAIOSFODNN7EXAMPLE sk-proj-abcdefABC xoxb-abc-def U012AB3CD C04FOOBAR PROJ-12 A1-7 dQw4w9WgXcQ a1b2c3d
		vpc-1a2b cus_NffrFeUfNV2Hib rec0a1b2 recAbCdEfGhIjKlMn deadbeef cafebabe1 eyJhbGciOiJIUzI1NiJ9 glpat-abcdefghij
		AIzaSyDabcdefghijklmnop P4ssw0rd T00000000 2026-01-02 7f3c2a -x a.b a/b ünder __proto__ i-0abc1234
		ghp_abcdEFGHijklMNOPqrstUVWXyz`) {
		if looksLikeName(name) {
			t.Errorf("%s is taken for a name", name)
		}
	}
}

// A file that somebody else wrote is cut down to what could have been observed.
func TestShapeClean(t *testing.T) {
	deep := strings.Repeat(`{"object":true,"fields":{"a":`, 20) + `{"string":true}` + strings.Repeat(`}}`, 20)
	for in, want := range map[string]string{
		`{"object":true,"fields":{"a b":{"string":true}}}`:                        "{ [key: string]: string; }",
		`{"object":true,"fields":{"a":null,"b":{}}}`:                              "{}",
		`{"object":true,"fields":{"a":{"number":true}},"values":{"string":true}}`: "{ [key: string]: string | number; }",
		`{"unknown":true,"string":true}`:                                          "unknown",
		deep:                                                                      strings.Repeat("{ a: ", 9) + "unknown" + strings.Repeat("; }", 9),
	} {
		s := &Shape{}
		if err := json.Unmarshal([]byte(in), s); err != nil {
			t.Fatal(err)
		}
		s.Clean()
		if got := typeOfShape(s); got != want {
			t.Errorf("%s\n got  %s\n want %s", cut(in, 120), got, want)
		}
	}
}

func TestDeclareObserved(t *testing.T) {
	s := shapeOf(`{"a":[1]}`)
	for _, name := range []string{"mcp__a__b", "mcp__a-b__c*/d"} {
		text := DeclareObserved(name, s.Schema(), false)
		if err := wellFormed(text); err != nil || !strings.Contains(text, "\ntype "+ObservedName(name)+" = {\n") || !strings.Contains(text, "not declared by its server") {
			t.Errorf("%v\n%s", err, text)
		}
	}
	if text := DeclareObserved("mcp__a__b", s.Schema(), true); !strings.Contains(text, "JSON.parse(String(await tools.mcp__a__b({ … }))) as Observed_mcp__a__b") {
		t.Error(text)
	}
	tsc := compiler(t, ".")
	claims := []*claim{
		{valid: true, code: `void (async () => { const r = (await tools.mcp__a__b({})) as Observed_mcp__a__b; r.a.map((n) => n + 1); })();`},
		{code: `void (async () => { (await tools.mcp__a__b({})).a; })();`}, // the call itself stays unknown
		{code: `void (async () => { const r = (await tools.mcp__a__b({})) as Observed_mcp__a__b; r.b; })();`},
	}
	d := Declare(Tool{Name: "mcp__a__b", Input: jsontext.Value(`{}`)})
	compile(t, tsc, Assemble([]*Declaration{d}, nil, DeclareObserved("mcp__a__b", s.Schema(), false)).Text, claims)
	for _, c := range claims {
		if c.valid != (len(c.errors) == 0) {
			t.Errorf("%s: %v", c.code, c.errors)
		}
	}
}
