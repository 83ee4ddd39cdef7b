package typegen

import (
	"slices"
	"testing"
)

// TYPE-4: what patternProperties allow when nothing else is.
func TestPatternKeys(t *testing.T) {
	for pattern, want := range map[string]string{
		"^x-": "x-", "^x-[a-z]+$": "x-", "^a_b$": "a_b", `^v1\.`: "v1.", "^ab*c": "a", "^ab?": "a", "^ab{0}": "a", "^ab+": "ab", "^ab(c|d)": "ab", "^ab[|]": "ab",
		"": "", "^": "", "x-": "", "^a|b": "", "^[a-z]": "", "^(?i)a": "", "^.*$": "", `^\d`: "", "^`x": "", "^${": "", `^\u0061`: "", "^a*": "", "^é": "é", "^éa?": "é", "^\u2028": "", "^\xff": "",
		`^a\|b`: "a", "^a$|": "", `^\$`: "$", `^\$?a`: "", `^a\$b{`: "a$",
	} {
		if got := prefixOf(pattern); got != want {
			t.Errorf("prefix of %s is %q, want %q", pattern, got, want)
		}
	}
	for pattern, want := range map[string]string{
		"_id$": "_id", `^x-.*\.json$`: ".json", "^[a-z]+_id$": "_id", "a{2}b$": "b", "[$]x$": "x", "(a|b)-c$": "-c", `\dx$`: "x", "ab?c$": "c", "^a+b$": "b",
		"": "", "$": "", "^ab$": "", "_id": "", `_id\$`: "", "a|b$": "", "(?i)_id$": "", `\u0061b$`: "", `\x61b$`: "", "a*$": "", "ab?$": "", "(x)$": "", "`$": "", "^$": "", "[ab$": "", `\\$`: "", `.a\$$`: "a$", `^\$.\$$`: "$",
	} {
		if got := suffixOf(pattern); got != want {
			t.Errorf("suffix of %s is %q, want %q", pattern, got, want)
		}
	}
	if got := keysOf([]string{"^a-", "_id$", "^x.*y$"}); !slices.Equal(got, []string{"`a-${string}`", "`${string}_id`", "`x${string}y`"}) {
		t.Errorf("keys %q", got)
	}
	if got := keysOf([]string{"^a-", "^b-", "^a-x?"}); !slices.Equal(got, []string{"`a-${string}`", "`b-${string}`"}) {
		t.Errorf("keys %q", got)
	}
	if got := keysOf([]string{"^a-", "b"}); got != nil {
		t.Errorf("keys %q of a pattern without beginning", got)
	}
}

// TYPE-4, by the compiler.
func TestPatternsCompile(t *testing.T) {
	tsc := compiler(t, ".")
	schema := `{"type":"object","properties":{"x-own":{"type":"boolean"},"other":{"type":"null"}},"patternProperties":{"^x-":{"type":"string"},"^y_":{"type":"number"},"^\\$.*\\$$":{"type":"number"}},"additionalProperties":false}`
	both := `{"allOf":[` + schema + `,{"type":"object","required":["x-a"],"properties":{"x-a":{"type":"string","enum":["p"]}}}]}`
	parts := []*Declaration{Declare(Tool{Name: "p", Input: []byte(schema), Output: []byte(schema)}), Declare(Tool{Name: "q", Input: []byte(both)})}
	claims := []*claim{
		{valid: true, code: `void tools.p({ "x-a": "s", "x-own": true, y_1: 5, other: null });`},
		{valid: true, code: `void tools.p({});`},
		{valid: true, code: `void tools.q({ "x-a": "p", "x-b": "s" });`},
		{valid: true, code: `void tools.p({ $a$: 5 });`},
		{code: `void tools.p({ $a: 5 });`},
		{code: `void tools.p({ z: "s" });`},
		{code: `void tools.p({ other: 5 });`},
		{code: `void tools.p({ "x-a": {} });`},
		{code: `void tools.q({ "x-a": "q" });`},
		{code: `void tools.q({ "x-a": "p", z: "s" });`},
	}
	compile(t, tsc, Assemble(parts, nil).Text, claims)
	for _, c := range claims {
		if c.valid != (len(c.errors) == 0) {
			t.Errorf("%s: %v", c.code, c.errors)
		}
	}
}
