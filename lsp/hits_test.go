package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// expected are the complaints that a script's own marks name, as "line code".
func expected(text string) (all []string) {
	for i, line := range strings.Split(text, "\n") {
		if _, codes, ok := strings.Cut(line, "//! "); ok {
			for code := range strings.FieldsSeq(codes) {
				all = append(all, fmt.Sprintf("%d %s", i+1, code))
			}
		}
	}
	return all
}

// DIAG-1: what is wrong in broken scripts over recorded servers is found, at its
// line and under its code, and nothing else is.
func TestHits(t *testing.T) {
	g := recordedStage(t, able())
	cases := scriptCases(t, "broken.txt")
	wanted, hit, surplus := 0, 0, 0
	for _, c := range cases {
		for _, l := range c.languages {
			want := expected(c.text)
			if len(want) == 0 {
				t.Errorf("broken.txt:%d: %s: nothing is expected", c.line, c.name)
			}
			got, all := g.problems(c.text, l)
			wanted += len(want)
			rest := slices.Clone(got)
			for _, w := range want {
				if i := slices.Index(rest, w); i >= 0 {
					hit++
					rest = slices.Delete(rest, i, i+1)
				}
			}
			surplus += len(rest)
			if !slices.Equal(want, got) {
				t.Logf("broken.txt:%d: %s, %s: want %q, got %q\n%v", c.line, c.name, l, want, got, all)
			}
		}
	}
	rate := float64(hit) / float64(wanted+surplus)
	t.Logf("%d of %d found (%.1f %%), %d surplus, in %d scripts", hit, wanted, 100*rate, surplus, len(cases))
	if rate < 0.99 {
		t.Errorf("hit rate %.3f", rate)
	}
}
