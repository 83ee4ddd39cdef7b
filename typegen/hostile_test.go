package typegen

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// hostile are schemas that nobody sends in good faith (TYPE-2, POOL-5).
func hostile() map[string]string {
	nest := func(n int, open, inner, end string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	list := func(n int, item func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = item(i)
		}
		return strings.Join(parts, ",")
	}
	object := func(props string) string { return `{"type":"object","properties":{` + props + `}}` }
	return map[string]string{
		"nothing":            ``,
		"not JSON":           `{"type":`,
		"two values":         `{} {}`,
		"null":               `null`,
		"number":             `12`,
		"list":               `[]`,
		"false":              `false`,
		"invalid UTF-8":      "{\"type\":\"object\",\"properties\":{\"a\xff\":{\"description\":\"\xed\xa0\x80 \xff\",\"enum\":[\"\xff\"]}}}",
		"duplicate names":    `{"type":"object","type":"object","properties":{"a":{"type":"string"},"a":{"type":"number"}},"properties":{"b":{},"b":false}}`,
		"prototype names":    object(`"__proto__":{"type":"object","properties":{"__proto__":{"enum":[{"__proto__":1}]}}},"constructor":true,"toString":{"type":"string"},"hasOwnProperty":false`),
		"comment ends":       object(`"*/ alert(1) /*":{"description":"*/ } }; declare const evil: any; /* **/ *\\/ /","default":"*/","pattern":"*/","format":"a\n*/\n@x","examples":["*/","\u2028*\u0000/"]}`),
		"comment of slashes": object(`"a":{"description":"*"},"b":{"description":"/"},"c":{"description":"*\r/\n*\u0085/"},"d":{"description":"*\u0000/ */*/**/"}`),
		"templates":          object("\"`${process.exit()}`\":{\"enum\":[\"`\",\"${a}\",\"\\u0000\",\"\\ud800\",\"\\udc00\\ud800\",\"\\\\\",\"\\\"\"]}"),
		"inherited names":    object(`"toString":{"type":"number"},"valueOf":{"type":"object","properties":{"toString":{"type":"string"}}},"constructor":{"type":"string"},"hasOwnProperty":false,"toLocaleString":{"const":1},"isPrototypeOf":{},"propertyIsEnumerable":{"type":"array"}`),
		"inherited in maps":  `{"type":"object","properties":{"toString":{"type":"number"}},"additionalProperties":{"type":"number"},"title":"Function","$defs":{"function":{"type":"object","properties":{"f":{"$ref":"#/$defs/function"},"constructor":{"type":"string"}}}},"patternProperties":{"^f":{"$ref":"#/$defs/function"}}}`,
		"reserved words":     object(list(len(reserved), func(i int) string { return fmt.Sprintf(`%q:{"type":"string"}`, reserved[i]) })),
		"type names": `{"type":"object","properties":{` + list(len(typeNames), func(i int) string {
			return fmt.Sprintf(`"a%d":{"$ref":"#/$defs/%s"},"b%d":{"$ref":"#/$defs/%s"}`, i, typeNames[i], i, typeNames[i])
		}) + `},"$defs":{` + list(len(typeNames), func(i int) string {
			return fmt.Sprintf(`"%s":{"type":"object","properties":{"x":{"type":"array","items":{"type":"object","additionalProperties":false}}}}`, typeNames[i])
		}) + `}}`,
		"100 levels":        nest(100, `{"type":"object","properties":{"a":`, `{"type":"string"}`, `}}`),
		"100 lists":         object(`"a":` + nest(100, `{"type":"array","items":`, `{"type":"string"}`, `}`)),
		"4000 levels":       nest(4000, `{"type":"object","properties":{"a":`, `true`, `}}`),
		"4000 allOf":        nest(4000, `{"allOf":[`, `{"type":"object"}`, `]}`),
		"4000 not":          nest(4000, `{"not":`, `{"type":"object"}`, `}`),
		"4000 anyOf":        nest(4000, `{"anyOf":[{"type":"null"},`, `{"type":"object"}`, `]}`),
		"9000 brackets":     nest(9000, `[`, ``, `]`),
		"11000 brackets":    nest(11000, `[`, ``, `]`),
		"cycle":             `{"$ref":"#"}`,
		"cycle of two":      `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		"cycle in anyOf":    `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"null"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"string"}]}}}`,
		"cycle in allOf":    `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}],"properties":{"x":{"type":"string"}}},"b":{"allOf":[{"$ref":"#/$defs/a"}],"properties":{"y":{"type":"string"}}}}}`,
		"growing allOf":     `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"object","properties":{"x":{"allOf":[{"$ref":"#/$defs/a"},{"properties":{"y":{"type":"string"},"x":{"properties":{"z":{"type":"number"}}}}}]}}}}}`,
		"list of itself":    `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}}`,
		"map of itself":     `{"type":"object","additionalProperties":{"$ref":"#"}}`,
		"tuple of itself":   `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"array","prefixItems":[{"$ref":"#/$defs/a"}],"items":{"$ref":"#/$defs/a"}}}}`,
		"tuple of itself 2": `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"array","prefixItems":[{"type":"string"}],"items":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"object","additionalProperties":{"$ref":"#/$defs/a"}}]}}}}`,
		"not itself":        `{"type":"object","properties":{"a":{"not":{"$ref":"#/properties/a"}}}}`,
		"if itself":         `{"type":"object","if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"}}`,
		"reference to map":  `{"type":"object","properties":{"a":{"$ref":"#/properties"},"b":{"$ref":"#/properties/a/$ref"},"c":{"$ref":"#/%zz"},"d":{"$ref":"#/a~2"},"e":{"$ref":5},"f":{"$ref":"http://[::1"},"g":{"$ref":"\u0000"}}}`,
		"identifiers":       `{"$id":"\u0000:%zz","type":"object","properties":{"a":{"$id":"#a","$anchor":"b","$ref":"#b"},"c":{"$id":"c","$ref":"c"},"d":{"$dynamicRef":"#x"}}}`,
		"exponential references": `{"$ref":"#/$defs/a0","$defs":{` + list(60, func(i int) string {
			return fmt.Sprintf(`"a%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/a%d"},"r":{"$ref":"#/$defs/a%d"}}}`, i, i+1, i+1)
		}) + `,"a60":{"type":"object","properties":{"x":{"type":"string"}}}}}`,
		"exponential allOf": `{"$ref":"#/$defs/a0","$defs":{` + list(60, func(i int) string {
			return fmt.Sprintf(`"a%d":{"type":"object","properties":{"l":{"allOf":[{"$ref":"#/$defs/a%d"},{"properties":{"p":{"type":"string"}}}]},"r":{"allOf":[{"$ref":"#/$defs/a%d"},{"properties":{"q":{"type":"string"}}}]}}}`, i, i+1, i+1)
		}) + `,"a60":{"type":"object","properties":{"x":{"type":"string"}}}}}`,
		"exponential anyOf": `{"type":"object","allOf":[` + list(30, func(i int) string {
			return fmt.Sprintf(`{"anyOf":[{"properties":{"a%d":{"type":"string"}},"required":["a%d"]},{"properties":{"b%d":{"type":"string"}},"required":["b%d"]}]}`, i, i, i, i)
		}) + `]}`,
		"exponential unions": `{"$ref":"#/$defs/a0","$defs":{` + list(40, func(i int) string {
			return fmt.Sprintf(`"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"},{"type":"object","properties":{"k":{"const":%d}}}]}`, i, i+1, i+1, i)
		}) + `,"a40":{"type":"object","properties":{"x":{"type":"string"}}}}}`,
		"exponential conditions": `{"type":"object","properties":{` + list(30, func(i int) string { return fmt.Sprintf(`"p%d":{"type":"boolean"}`, i) }) + `},"allOf":[` + list(30, func(i int) string {
			return fmt.Sprintf(`{"if":{"properties":{"p%d":{"const":true}}},"then":{"required":["q%d"]},"else":{"required":["r%d"]}}`, i, i, i)
		}) + `]}`,
		"chain of references": `{"type":"object","properties":{"a":{"$ref":"#/$defs/a0"}},"$defs":{` + list(50_000, func(i int) string {
			return fmt.Sprintf(`"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"type":"null"}]}`, i, i+1)
		}) + `,"a50000":{"type":"object"}}}`,
		"chain of properties": `{"type":"object","properties":{"a":{"$ref":"#/$defs/a0"}},"$defs":{` + list(20_000, func(i int) string {
			return fmt.Sprintf(`"a%d":{"type":"object","properties":{"n":{"$ref":"#/$defs/a%d"}}}`, i, i+1)
		}) + `,"a20000":{"type":"object"}}}`,
		"10 MB of properties": object(list(120_000, func(i int) string {
			return fmt.Sprintf(`"property_%d":{"type":"string","description":"The property of number %d."}`, i, i)
		})),
		"10 MB of values":     object(`"a":{"type":"string","enum":[` + list(500_000, func(i int) string { return fmt.Sprintf(`"value number %d"`, i) }) + `]}`),
		"10 MB of text":       object(`"a":{"description":"` + strings.Repeat(`*/ line\r\n`, 1_000_000) + `"}`),
		"10 MB of references": object(list(200_000, func(i int) string { return fmt.Sprintf(`"property_%d":{"$ref":"#/$defs/%d"}`, i, i) })),
		"10 MB of combinations": object(`"a":{"anyOf":[` + list(100_000, func(i int) string {
			return fmt.Sprintf(`{"type":"object","properties":{"k":{"const":%d}},"required":["k"]}`, i)
		}) + `]}`),
		"long enums meet": object(`"a":{"allOf":[{"enum":[` + list(20_000, func(i int) string { return fmt.Sprint(i) }) + `]},{"enum":[` + list(20_000, func(i int) string { return fmt.Sprint(i * 2) }) + `]}]}`),
	}
}

var reserved = strings.Fields("abstract any as async await boolean break case catch class const constructor continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let module namespace never new null number object of package private protected public readonly require return set static string super switch symbol this throw true try type typeof undefined unique unknown var void while with yield")

var typeNames = strings.Fields("Array Promise Record Object String Number any unknown never string object undefined null void ToolTypes Tools CodeMode Input Output Function symbol bigint 1 - __proto__ constructor")

// TestHostile: every schema is rendered in time, as well-formed text, and the
// same text again.
func TestHostile(t *testing.T) {
	for name, schema := range hostile() {
		t.Run(name, func(t *testing.T) {
			tool := Tool{Name: "mcp__evil__" + name, Description: schema[:min(len(schema), 200)], Input: jsontext.Value(schema), Output: jsontext.Value(schema)}
			if len(schema) > 1<<20 {
				tool.Output = nil
			}
			start := time.Now()
			d := Declare(tool)
			s, _ := Signature(tool.Name, tool.Input, tool.Output, 6)
			whole, _ := Type(tool.Input, Options{})
			if took := time.Since(start); took > time.Minute { // for ever, if it is not linear; slow with the race detector
				t.Errorf("took %v", took)
			}
			if most := 40*len(schema) + 4<<20; len(d.Text)+len(d.types)+len(s)+len(whole) > most {
				t.Errorf("%d, %d, %d and %d bytes for %d bytes of schema", len(d.Text)+len(d.types), len(d.types), len(s), len(whole), len(schema))
			}
			for _, text := range []string{d.Text, d.types, s, whole} {
				if err := wellFormed(text); err != nil {
					t.Error(err)
				}
			}
			if len(schema) > 1<<20 {
				return
			}
			if again := Declare(tool); again.Text != d.Text || again.types != d.types {
				t.Error("another time it is another text")
			}
		})
	}
}

// wellFormed is a small scanner: comments, strings and brackets must end where
// they should, and nothing may be outside ASCII but letters, nothing unseen.
func wellFormed(s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("not UTF-8")
	}
	at := func(i int) string { return s[max(0, i-60):min(len(s), i+20)] }
	var open []byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return fmt.Errorf("a comment does not end: %q", at(i))
			}
			for _, r := range s[i : i+2+end] {
				if r < 0x20 && r != '\n' && r != '\t' || r == 0x2028 || r == 0x2029 {
					return fmt.Errorf("%U in a comment", r)
				}
			}
			i += end + 3
		case c == '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\n' {
					return fmt.Errorf("a string does not end: %q", at(i))
				}
				if s[i] == '\\' {
					i++
				}
			}
		case c == '`':
			end := strings.IndexByte(s[i+1:], '`')
			if end < 0 || strings.ContainsFunc(strings.TrimSuffix(s[i+1:i+1+end], "${string}"), func(r rune) bool { return r != '.' && !plain(r) }) {
				return fmt.Errorf("a template is odd: %q", at(i))
			}
			i += end + 1
		case strings.IndexByte("({[<", c) >= 0:
			open = append(open, c)
		case strings.IndexByte(")}]>", c) >= 0:
			if len(open) == 0 || strings.IndexByte("({[<", open[len(open)-1]) != strings.IndexByte(")}]>", c) {
				return fmt.Errorf("brackets do not match: %q", at(i))
			}
			open = open[:len(open)-1]
		case c == '\n' || c >= ' ' && c < 0x7F && strings.IndexByte("`'#@!%^*\\~", c) < 0 || c >= 0x80:
		default:
			return fmt.Errorf("%q outside of comments and strings: %q", c, at(i))
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("brackets stay open")
	}
	return nil
}

// TestHostileCompiles: TYPE-2, by the compiler of npm, one file of all.
func TestHostileCompiles(t *testing.T) {
	tsc := compiler(t, ".")
	var parts []*Declaration
	for name, schema := range hostile() {
		if len(schema) > 2_000_000 && os.Getenv("CODEMODE_HUGE") == "" {
			continue // valid as well, but slow to compile
		}
		parts = append(parts, Declare(Tool{
			Name: "mcp__evil__" + name, Description: "*/ " + name, Input: jsontext.Value(schema), Output: jsontext.Value(schema),
		}))
	}
	members := []*Declaration{Declare(Tool{Name: "search", Input: jsontext.Value(`{"type":"object"}`)})}
	claims := []*claim{
		{valid: true, code: `void tools["mcp__evil__100 levels"]({ a: { a: {} } });`},
		{valid: true, code: `void tools["mcp__evil__100 levels"]();`},
		{valid: true, code: `void tools.$codemode.search().then((x: unknown) => console.log(x, structuredClone(1), new URL("a:b").href));`},
		{valid: true, code: `void tools["$codemode"].search({});`},
		{valid: true, code: `void tools["mcp__evil__inherited names"]({});`},
		{valid: true, code: `void tools["mcp__evil__inherited names"]({ toString: 1, valueOf: {}, constructor: "x" });`},
		{valid: true, code: `void tools["mcp__evil__inherited in maps"]({ other: 1, f: { f: {} } });`},
		{code: `void tools["mcp__evil__inherited names"]({ toString: "x" });`},
		{code: `void tools["mcp__evil__100 levels"]({ a: { a: 1 } });`},
		{code: `void tools.mcp__nobody__nothing({});`},
		{code: `void tools["mcp__nobody__nothing"]({});`},
		{code: `void process;`},
		{code: `setTimeout(() => {}, 1);`},
		{code: `void fetch("x");`},
		{code: `void require("fs");`},
		{code: `void Buffer;`},
		{code: `console.table([]);`},
	}
	compile(t, tsc, Assemble(parts, members).Text, claims)
	for _, c := range claims {
		if c.valid != (len(c.errors) == 0) {
			t.Errorf("%s: %v", c.code, c.errors)
		}
	}
}

func FuzzDeclare(f *testing.F) {
	for name, schema := range hostile() {
		if len(schema) < 10_000 {
			f.Add(name, schema, schema)
		}
	}
	f.Add("*/", `{"$ref":"#/a~1b","a/b":{"type":["object","null"],"required":["a"],"dependentRequired":{"a":["b"]},"minItems":1}}`, `{}`)
	f.Fuzz(func(t *testing.T, name, description, schema string) {
		watch := time.AfterFunc(5*time.Second, func() { panic(fmt.Sprintf("takes too long: %q", schema)) })
		defer watch.Stop()
		d := Declare(Tool{Name: name, Description: description, Deprecated: true, Input: jsontext.Value(schema), Output: jsontext.Value(schema)})
		for _, text := range []string{d.Text, d.types} {
			if err := wellFormed(text); err != nil {
				t.Error(err)
			}
		}
		file := Assemble([]*Declaration{d}, nil)
		lines := strings.Split(file.Text, "\n")
		at := file.Positions[name]
		if at.Line >= len(lines) || !strings.HasPrefix(lines[at.Line][at.Character:], string(appendPropertyName(nil, name))) {
			t.Errorf("%q is not at %v", name, at)
		}
		for _, p := range d.Problems {
			if !utf8.ValidString(p.Path) || !utf8.ValidString(p.Message) {
				t.Errorf("problem %q is not UTF-8", p)
			}
		}
	})
}

// TRUST-2: in comments what cannot be seen is gone or visible, in literals and names
// it is escaped, and what writing needs stays.
func TestTrust2Unseen(t *testing.T) {
	for in, want := range map[string]string{
		"a\u200bb\u00adc\U000e0041\U000e0042d\u3164e\ufe01": "abcde",
		"a\u202eb\x1b[31m": `a\u202eb` + "\u241b[31m",
		"\U0001f469\u200d\U0001f4bb \u0645\u06cc\u200c\u062e": "\U0001f469\u200d\U0001f4bb \u0645\u06cc\u200c\u062e",
	} {
		if got := commentText(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"a\U000e0041\u200d\u3164\x7f": `"a\udb40\udc41\u200d\u3164\u007f"`,
		"\U0001f469\u200d\U0001f4bb":  "\"\U0001f469\u200d\U0001f4bb\"",
		"\u3164":                      `"\u3164"`,
		"caf\u00e9":                   "caf\u00e9",
	} {
		if got := string(appendPropertyName(nil, in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
