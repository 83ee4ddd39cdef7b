package sample

import (
	"regexp"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// DRY-1: patterns that look around, which Go cannot read, such as that of
// decimal numbers, are followed as far as they say something.
func TestLookaround(t *testing.T) {
	for pattern, want := range map[string]string{
		`^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$`:    `^[+-]?\d+\.?\d*$`,
		`^(?=.{8,})(?=.*[A-Z(])[\w(]+$`:     `^\w+$`,
		`^id-(?![)\]]+(x|y))\d{3}(?<!000)-`: `^id-\d{3}-`,
		`^(?<year>\d{4})$`:                  `^\d{4}$`,
	} {
		schema, err := json.Marshal(map[string]any{"type": "string", "pattern": pattern})
		if err != nil {
			t.Fatal(err)
		}
		var s string
		if err := json.Unmarshal(Of(jsontext.Value(schema)), &s); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(want).MatchString(s) {
			t.Errorf("%s: %q", pattern, s)
		}
	}
	for pattern, want := range map[string]string{
		`a(?=b)c`: `ac`, `(?!(a|\)))b`: `b`, `[(?!)]`: `[(?!)]`, `\(?=x`: `\(?=x`, `(?<n>a)(?:b)`: `(?<n>a)(?:b)`, `(?!`: ``,
	} {
		if got := withoutLookaround(pattern); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}
