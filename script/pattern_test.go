package script

import (
	"strings"
	"testing"
)

// COMP-3: where a pattern is typed that is to be a parameter, and how it goes on.
func TestUnfinishedPattern(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"tools.a({}).then(({ |", "tools.a({}).then(({ }) => 0);"},
		{"tools.a({}).then(({ b, c|\nreturn 1", "tools.a({}).then(({ b, c}) => 0);\nreturn 1"},
		{"tools.a({}).then(async ({ b|c, d }))", "tools.a({}).then(async ({ bc, d }) => 0)"},
		{"xs.map(({ | })\nf();", "xs.map(({  }) => 0);\nf();"},
		{"xs.map(({ | }) => 1)", ""},
		{"xs.map(({ | }): number => 1)", ""},
		{"xs.map(({ a: | }))", ""},
		{"f(({ | }))", ""},
		{"tools.a({ |", ""},
		{"const x = ({ |", ""},
		{"({ |", ""},
		{"|", ""},
	} {
		before, after, _ := strings.Cut(tt.text, "|")
		if got, ok := Read(before + after).UnfinishedPattern(len(before)); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}
