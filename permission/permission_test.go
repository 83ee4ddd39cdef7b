package permission

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// PERM-1: rules name leaves, with * inside a segment.
func TestPerm1Match(t *testing.T) {
	for _, c := range []struct {
		match, leaf string
		want        bool
	}{
		{"mcp__github__create_issue", "mcp__github__create_issue", true},
		{"mcp__github__create_issue", "mcp__github__create_issues", false},
		{"mcp__github__create_issue", "mcp__GitHub__create_issue", false},
		{"mcp__github__*", "mcp__github__create_issue", true},
		{"mcp__github__*", "mcp__github__admin__delete", true}, // all of a server
		{"mcp__github__*", "mcp__github2__create_issue", false},
		{"mcp__github__get_*", "mcp__github__get_issue", true},
		{"mcp__github__get_*", "mcp__github__set_issue", false},
		{"mcp__*__delete", "mcp__fs__delete", true},
		{"mcp__*__delete", "mcp__fs__x__delete", false}, // * stays in its segment
		{"mcp__g*b__*e*", "mcp__github__delete", true},
		{"mcp__fs__*a*a", "mcp__fs__a", false},
		{"mcp__fs__a*a", "mcp__fs__aa", true},
		{"mcp__fs__**", "mcp__fs__x", true},
		{`mcp__fs__\*`, "mcp__fs__*", true},
		{`mcp__fs__\*`, "mcp__fs__x", false},
		{"Exec", "Exec", true},
		{"mcp__*__*", "Exec", false}, // PERM-2
		// POOL-2: a server named 日本 or __x has an empty key, and rules reach its tools.
		{"mcp__*__*", "mcp____x__drop", true},
		{"mcp______drop", "mcp______drop", true},
		{"mcp____*", "mcp______drop", true},
		{"mcp____*", "mcp__x__drop", false},
		{"mcp__x__*", "mcp____x__drop", false},
		{"Exec", "mcp__Exec__Exec", false},
		{"mcp__*__*", "$codemode.search", false},
	} {
		p, err := parse(c.match)
		if err != nil {
			t.Fatalf("%s: %v", c.match, err)
		}
		if got := p.match(c.leaf); got != c.want {
			t.Errorf("%s matches %s: %v", c.match, c.leaf, got)
		}
		rules := NewRules([]Rule{{Effect: Deny, Layer: User, Match: c.match}})
		if got := rules.Decide(c.leaf).Effect == Deny; got != c.want {
			t.Errorf("deny %s denies %s: %v", c.match, c.leaf, got)
		}
	}
}

func TestPerm1InvalidMatch(t *testing.T) {
	for _, match := range []string{"", "mcp", "mcp__", "mcp____", "mcp__x__", "exec", "Exec*", "*__a__b", `mcp__a__\b`, `mcp__a__b\`} {
		if Valid(match) == nil {
			t.Errorf("%q is taken for a rule", match)
		}
	}
}

// A server chooses its tools' names: the rule for one of them must match that
// one alone.
func TestLiteralMatchesOneLeaf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-c*\\_.( :]{1,6}`)
		leaf := "mcp__s__" + name.Draw(t, "leaf")
		other := "mcp__s__" + name.Draw(t, "other")
		p, err := parse(Literal(leaf))
		if err != nil {
			t.Fatal(err)
		}
		if !p.match(leaf) {
			t.Fatalf("%s does not match itself", leaf)
		}
		if other != leaf && p.match(other) {
			t.Fatalf("the rule for %s matches %s", leaf, other)
		}
	})
}

// PERM-1: deny wins over ask, ask over allow, whatever the layer and the order.
// The oracle matches by a recursive definition of its own.
func TestPerm1DenyAlwaysWins(t *testing.T) {
	layers := []Layer{Managed, User, Workspace, Repository, Flag, Session, Builtin}
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringMatching(`[ab*]{1,3}`)
		rule := rapid.Custom(func(t *rapid.T) Rule {
			match := "mcp__" + part.Draw(t, "server") + "__" + part.Draw(t, "tool")
			if rapid.IntRange(0, 9).Draw(t, "exec") == 0 {
				match = Exec
			}
			return Rule{
				Effect: rapid.SampledFrom(effects).Draw(t, "effect"),
				Layer:  rapid.SampledFrom(layers).Draw(t, "layer"),
				Match:  match,
			}
		})
		rules := rapid.SliceOfN(rule, 0, 12).Draw(t, "rules")
		leaf := "mcp__" + rapid.StringMatching(`[ab]{1,3}`).Draw(t, "server") + "__" + rapid.StringMatching(`[ab]{1,3}`).Draw(t, "tool")
		want := Ask
		matched := map[Effect]bool{}
		for _, r := range rules {
			if oracle(r.Match, leaf) && !(r.Layer == Repository && r.Effect == Allow) {
				matched[r.Effect] = true
			}
		}
		switch {
		case matched[Deny]:
			want = Deny
		case matched[Ask]:
			want = Ask
		case matched[Allow]:
			want = Allow
		}
		d := NewRules(rules).Decide(leaf)
		if d.Effect != want {
			t.Fatalf("%s: got %s, want %s of %v", leaf, d.Effect, want, rules)
		}
		if d.Rule != nil && (d.Rule.Effect != d.Effect || !oracle(d.Rule.Match, leaf)) {
			t.Fatalf("%s: the rule given as the reason is %v", leaf, d.Rule)
		}
		if d.Rule == nil && len(matched) > 0 {
			t.Fatalf("%s: a rule matched and is not named", leaf)
		}
		permuted := rapid.Permutation(rules).Draw(t, "permuted")
		if again := NewRules(permuted).Decide(leaf); again.Effect != want {
			t.Fatalf("order matters: %s and %s", want, again.Effect)
		}
	})
}

// oracle matches by trying every split at every star.
func oracle(match, leaf string) bool {
	m, l := strings.SplitN(match, "__", 3), strings.SplitN(leaf, "__", 3)
	if len(m) != len(l) {
		return false
	}
	for i := range m {
		if !tryAll(m[i], l[i]) {
			return false
		}
	}
	return true
}

func tryAll(glob, s string) bool {
	if glob == "" {
		return s == ""
	}
	if glob[0] != '*' {
		return s != "" && s[0] == glob[0] && tryAll(glob[1:], s[1:])
	}
	for i := 0; i <= len(s); i++ {
		if tryAll(glob[1:], s[i:]) {
			return true
		}
	}
	return false
}
