package permission

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// PERM-10: however a file is laid out, commented and escaped, its rules are those
// that stand in it.
func TestPerm10AnyNotation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gap := func() string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
				" ", "\t", "\n", "\r\n", "\r", "/**/", "/* \"deny\": [\"mcp__c__c\"] */", "// \"deny\": [\"mcp__c__c\"]\n", "//\r\n", "/*\n*/", "// é /*\n",
			}), 0, 2).Draw(t, "gap"), "")
		}
		quoted := func(s string) string {
			var b strings.Builder
			for _, r := range s {
				if rapid.IntRange(0, 9).Draw(t, "escape") == 0 {
					fmt.Fprintf(&b, `\u%04x`, r)
				} else {
					b.WriteRune(r)
				}
			}
			return `"` + b.String() + `"`
		}
		list := func(open, end string, items []string) string {
			text := open
			for i, item := range items {
				text += gap() + item + gap()
				if i < len(items)-1 || rapid.Bool().Draw(t, "trailing comma") {
					text += ","
				}
			}
			return text + gap() + end
		}
		var want []string
		var lists []string
		for _, effect := range rapid.Permutation([]string{"allow", "ask", "deny", "note"}).Draw(t, "lists") {
			if effect == "note" {
				lists = append(lists, quoted(effect)+gap()+":"+gap()+`{"deny": "x", "n": [1e3, null, "// no comment"]}`)
				continue
			}
			var rules []string
			for _, tool := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b*", "ключ", "x//y", "/*z"}), 0, 3).Draw(t, "rules") {
				want = append(want, effect+" mcp__s__"+tool)
				rules = append(rules, quoted("mcp__s__"+tool))
			}
			lists = append(lists, quoted(effect)+gap()+":"+gap()+list("[", "]", rules))
		}
		members := []string{quoted("permissions") + gap() + ":" + gap() + list("{", "}", lists), `"$schema"` + gap() + `: "x"`}
		text := gap() + list("{", "}", members) + gap()
		text += rapid.SampledFrom([]string{"", "// the end", "/* the end */"}).Draw(t, "end")
		if rapid.Bool().Draw(t, "mark") {
			text = "\ufeff" + text
		}
		f := parseFile([]byte(text), "f", User)
		var got []string
		for _, r := range f.rules {
			got = append(got, string(r.Effect)+" "+r.Match)
		}
		slices.Sort(got)
		slices.Sort(want)
		if f.broken || !slices.Equal(got, want) {
			t.Fatalf("%v: %q, want %q in\n%q", f.problems, got, want, text)
		}
		edited, err := edit([]byte(text), "f", User, Deny, "mcp__n__n", "")
		if err != nil {
			t.Fatalf("%v in\n%q", err, text)
		}
		if g := parseFile(edited, "f", User); g.broken || len(g.rules) != len(want)+1 {
			t.Fatalf("%v: %q became\n%q", g.problems, text, edited)
		}
	})
}
