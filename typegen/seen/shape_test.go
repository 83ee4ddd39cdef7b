package seen

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
		s.Observe(Result{Structured: jsontext.Value(v)})
	}
	return s
}

func typeOfShape(s *Shape) string {
	typ, _ := s.Type(0)
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
		{[]string{`{"7f3c2a":{"size":1}}`}, "{ [key: string]: { size: number; }; }"},
		{[]string{`{"me@example.org":1,"x":"y"}`}, "{ [key: string]: string | number; }"},
		{[]string{`{"deadbeefcafe":1}`}, "{ [key: string]: number; }"},
		{[]string{`{"2026-01-02":1}`}, "{ [key: string]: number; }"},
		{[]string{`{"sk-a1b2c3d4e5":1}`}, "{ [key: string]: number; }"},
		{[]string{`{"some words":1}`}, "{ [key: string]: number; }"},
		{[]string{`{"` + strings.Repeat("x", 41) + `":1}`}, "{ [key: string]: number; }"},
		{[]string{`{"a":1}`, `{"a/b":"x"}`}, "{ [key: string]: string | number; }"},
		{[]string{many(maxFields+1, "k")}, "{ [key: string]: number; }"},
		{[]string{`{"ann":{"age":1},"bob":{"age":2},"cid":{"age":3},"dan":{"age":4}}`}, "{ [key: string]: { age: number; }; }"},
		// Other names in another result are data, too; a union of two objects is not.
		{[]string{`{"ann":1,"bob":2}`, `{"cid":3,"dan":4}`}, "{ [key: string]: number; }"},
		{[]string{`[{"ann":1,"bob":2},{"cid":3,"dan":4}]`}, "Array<{ [key: string]: number; }>"},
		{[]string{`{"ann":1,"bob":2}`, `{"bob":3,"dan":4}`}, "{ [key: string]: number; }"},
		{[]string{`{"result":"x","id":"y"}`, `{"error":"x"}`}, "{ error?: string; id?: string; result?: string; }"},
		{[]string{`{"ann":1,"bob":2}`, `{"cid":"3","dan":"4"}`}, "{ [key: string]: string | number; }"},
		{[]string{`{"x-rate":1,"$ref":"a","a1":true}`}, `{ $ref: string; a1: boolean; "x-rate": number; }`},
		{[]string{`{"__proto__":1}`}, "{ [key: string]: number; }"},
		{[]string{strings.Repeat(`{"a":`, 14) + "1" + strings.Repeat("}", 14)}, strings.Repeat("{ a: ", maxDepth+1) + "unknown" + strings.Repeat("; }", maxDepth+1)},
		// What occurs as a value is data, unless programs use it everywhere.
		{[]string{`{"total":1,"zoe":{"age":3},"who":["zoe"]}`}, "{ [key: string]: { age: number; } | Array<string> | number; }"},
		{[]string{`{"type":"text","text":"x"}`}, "{ text: string; type: string; }"},
		{[]string{`{"id":1,"paris":2}`, `{"id":1,"paris":2,"city":"paris"}`}, "{ [key: string]: string | number; }"},
		{[]string{`{"count":2,"by":{"nina":1}}`}, "{ by: { [key: string]: number; }; count: number; }"},
		// Kinds of objects.
		{[]string{`[{"type":"file","size":1},{"type":"directory","children":[]},{"type":"file","size":2}]`},
			`Array<{ children: Array<unknown>; type: "directory"; } | { size: number; type: "file"; }>`},
		{[]string{`[{"ok":true,"value":1},{"ok":false,"error":"x"}]`}, `Array<{ error: string; ok: false; } | { ok: true; value: number; }>`},
		{[]string{`[{"type":"file","size":1},{"type":"link","size":1}]`}, "Array<{ size: number; type: string; }>"},
		{[]string{`[{"type":"u-4711","size":1},{"type":"file","x":1}]`}, "Array<{ size?: number; type: string; x?: number; }>"},
		{[]string{`[{"type":"a","p":1},{"type":"b","q":1}]`, `{"type":"a","p":1}`}, `{ p: number; type: string; } | Array<{ p: number; type: "a"; } | { q: number; type: "b"; }>`},
		// Text that is JSON.
		{[]string{`{"text":"{\"id\":1}"}`}, "{ text: JsonText<{ id: number; }>; }"},
		{[]string{`{"text":"[1"}`}, "{ text: string; }"},
		{[]string{`{"a":1`, `nope`, ``, `[1] x`, `{}{}`}, "unknown"},
	} {
		if got := typeOfShape(shapeOf(test.values...)); got != test.want {
			t.Errorf("%s\n got  %s\n want %s", strings.Join(test.values, " "), got, test.want)
		}
	}
}

// accepts reports whether a value is one of a shape's type.
func (s *Shape) accepts(v any) bool {
	if s.Unknown {
		return true
	}
	switch v := v.(type) {
	case nil:
		return s.Null
	case bool:
		return s.Boolean
	case float64:
		return s.Number
	case string:
		return s.String
	case []any:
		for _, x := range v {
			if s.Items == nil || !s.Items.accepts(x) {
				return false
			}
		}
		return s.Array
	case map[string]any:
		if s.Kinds != nil {
			kind := s.Kinds[fmt.Sprint(v[s.Tag])]
			return s.Object && kind != nil && kind.accepts(v)
		}
		if s.Values != nil {
			for _, x := range v {
				if !s.Values.accepts(x) {
					return false
				}
			}
			return true
		}
		for name, f := range s.Fields {
			if _, ok := v[name]; !ok && !f.Optional {
				return false
			}
		}
		for name, x := range v {
			if s.Fields[name] == nil || !s.Fields[name].accepts(x) {
				return false
			}
		}
		return s.Object
	}
	return false
}

// TYPE-7: what is merged accepts every value that was seen, says when it became
// wider, stays within its bounds, and never holds a value.
func TestShapeProperties(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		scalars := rapid.OneOf(rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any]("SECRET1"), rapid.Just[any](424242), rapid.Just[any]("nn"))
		if depth == 0 {
			return scalars
		}
		names := rapid.OneOf(rapid.StringMatching(`[a-c]`), rapid.StringMatching(`n[a-z]{1,2}`), rapid.StringMatching(`[0-9]{6}SECRET1`))
		kinds := rapid.Map(rapid.SampledFrom([]string{"file", "link", "node"}), func(s string) any { return s })
		return rapid.OneOf(scalars,
			rapid.Map(rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 4), func(l []any) any { return l }),
			rapid.Custom(func(t *rapid.T) any {
				m := rapid.MapOfN(names, rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 12).Draw(t, "m")
				if rapid.Bool().Draw(t, "tagged") {
					m["type"] = kinds.Draw(t, "kind")
				}
				return m
			}))
	}
	rapid.Check(t, func(t *rapid.T) {
		s := &Shape{}
		var all []any
		for range rapid.IntRange(1, 6).Draw(t, "values") {
			b, err := json.Marshal(value(4).Draw(t, "value"), json.Deterministic(true))
			if err != nil {
				t.Fatal(err)
			}
			r := Result{Structured: b}
			if before, wider := typeOfShape(s), s.Observe(r); !wider && typeOfShape(s) != before {
				t.Fatalf("not wider, but\n%s\nwas\n%s", typeOfShape(s), before)
			}
			if before := typeOfShape(s); s.Observe(r) && typeOfShape(s) != before {
				t.Fatalf("the same value made it wider: %s\n%s\nwas\n%s", b, typeOfShape(s), before)
			}
			var v any
			if err := json.Unmarshal(b, &v); err != nil {
				t.Fatal(err)
			}
			all = append(all, v)
		}
		kept := s.text()
		if strings.Contains(kept, "SECRET1") || strings.Contains(kept, "424242") || strings.Contains(kept, `"nn"`) && !strings.Contains(kept, `"nn":`) {
			t.Fatalf("a value shows in %s", kept)
		}
		if s.nodes() > maxNodes {
			t.Fatalf("%d nodes", s.nodes())
		}
		again := &Shape{}
		if err := json.Unmarshal([]byte(kept), again); err != nil {
			t.Fatal(err)
		}
		again.Clean()
		if again.text() != kept {
			t.Fatalf("kept as\n%s\nread as\n%s", kept, again.text())
		}
		for _, v := range all {
			if !s.accepts(v) {
				t.Fatalf("%v is not of\n%s", v, typeOfShape(s))
			}
		}
	})
}

// TYPE-7: a server that sends a million keys, or as deep or as many parts as it
// likes, makes a small shape.
func TestHostileResults(t *testing.T) {
	var keys, deep, wide strings.Builder
	keys.WriteString("{")
	for i := range 1_000_000 {
		if i > 0 {
			keys.WriteString(",")
		}
		fmt.Fprintf(&keys, `"key%c%c%c%c":{"a%c":%d}`, 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576%26, 'a'+i%26, i)
	}
	keys.WriteString("}")
	deep.WriteString(strings.Repeat(`{"a":[`, 5_000) + strings.Repeat(`]}`, 5_000))
	wide.WriteString("[")
	for i := range 300 {
		fmt.Fprintf(&wide, `{"field%c%c":{"part%c":[{"id":1,"name":"x"},{"other%c":[true]}]},"count":1},`, 'a'+i%26, 'a'+i/26, 'a'+i%26, 'a'+i%26)
	}
	wide.WriteString("0]")
	for name, text := range map[string]string{"keys": keys.String(), "deep": deep.String(), "wide": wide.String()} {
		for _, r := range []Result{{Structured: jsontext.Value(text)}, {Text: text, HasText: true}} {
			s := &Shape{}
			s.Observe(r)
			if n, size := s.nodes(), len(s.text()); n > maxNodes || size > 100_000 {
				t.Errorf("%s: %d nodes, %d bytes", name, n, size)
			}
		}
	}
}

// TYPE-7: values that look like names, and names that are values of the result or of
// the call's arguments, are not kept.
func TestValuesAreNotKept(t *testing.T) {
	for _, r := range []Result{
		{Structured: jsontext.Value(`{"customerName":"lastName","rows":[{"fieldName":"birthDate"}]}`)},
		{Structured: jsontext.Value(`{"hansen":{"age":1,"city":"Oslo"}}`), Arguments: jsontext.Value(`{"user":"hansen"}`)},
		{Structured: jsontext.Value(`{"users":["lastName","hansen"],"ages":{"hansen":1,"lastName":2}}`)},
		{Text: `{"ages":{"hansen":1},"text":"[{\"birthDate\":\"hansen\",\"hansen\":1}]"}`, HasText: true, Arguments: jsontext.Value(`["birthDate"]`)},
		{Text: "hansen lastName", HasText: true},
		{Structured: jsontext.Value(`{"/home/hansen":1,"hansen@example.org":{"x":1}}`)},
	} {
		s := &Shape{}
		s.Observe(r)
		for _, value := range []string{"hansen", "lastName", "birthDate", "Oslo"} {
			if strings.Contains(s.text(), value) {
				t.Errorf("%s%s: %s is kept in %s", r.Structured, r.Text, value, s.text())
			}
		}
	}
	s := &Shape{}
	s.Observe(Result{Structured: jsontext.Value(`{"zorkles":[{"zorkleId":1,"grumpf":{"a":1}}]}`), About: []string{"list_zorkles", "Lists every zorkle and its grumpf."}})
	if got := typeOfShape(s); got != "{ zorkles: Array<{ grumpf: { a: number; }; zorkleId: number; }>; }" {
		t.Error(got)
	}
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
		deep:                                                                      strings.Repeat("{ a: ", maxDepth+1) + "unknown" + strings.Repeat("; }", maxDepth+1),
	} {
		s := &Shape{}
		if err := json.Unmarshal([]byte(in), s); err != nil {
			t.Fatal(err)
		}
		s.Clean()
		if got := typeOfShape(s); got != want {
			t.Errorf("%s\n got  %s\n want %s", in, got, want)
		}
	}
}
