package catalog

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// EXEC-6
func TestClosest(t *testing.T) {
	c := New([]*Server{
		server("github", "create_issue", "get_issue", "list_issues", "delete", "create-pr"),
		server("gitlab", "create_issue", "run"),
		server("ddg-search", "search"),
		server("a__x", "T1"),
	}, nil)
	for _, test := range []struct {
		said string
		want []string
	}{
		{"mcp__github__create_isue", []string{"mcp__github__create_issue", "mcp__gitlab__create_issue"}},
		{"mcp__github__craete_issue", []string{"mcp__github__create_issue", "mcp__gitlab__create_issue"}},
		{"mcp__github__createIssue", []string{"mcp__github__create_issue", "mcp__gitlab__create_issue"}},
		{"create_issue", []string{"mcp__github__create_issue", "mcp__gitlab__create_issue"}},
		{"github_create_issue", []string{"mcp__github__create_issue"}},
		{"mcp__gihub__delete", []string{"mcp__github__delete"}},
		{"mcp__other__search", []string{"mcp__ddg-search__search"}},
		{"mcp__ddg_search__serach", []string{"mcp__ddg-search__search"}},
		{"mcp__github__create_pr", []string{"mcp__github__create-pr"}},
		{"mcp__a__x__T2", []string{"mcp__a__x__T1"}},
		{"DELETE", []string{"mcp__github__delete"}},
		{"MCP__GITHUB__DELETE", []string{"mcp__github__delete"}},
		{"mcp__github__compile_everything", nil},
		{"", nil},
		{"mcp__", nil},
		{"then", nil},
		{strings.Repeat("x", 1<<20), nil},
	} {
		got := c.Closest(test.said, 3)
		if len(test.said) > 99 {
			test.said = "a very long name"
		}
		if len(got) < len(test.want) || !slices.Equal(got[:len(test.want)], test.want) || test.want == nil && len(got) > 0 {
			t.Errorf("%q: %q, want %q", test.said, got, test.want)
		}
	}
	for _, tool := range c.Tools() { // no name is another one that may have been meant
		if got := c.Closest(tool.Name, 5); slices.Contains(got, tool.Name) {
			t.Errorf("%s: %q", tool.Name, got)
		}
	}
	if got := c.Closest("create_issue", 1); len(got) != 1 {
		t.Errorf("asked for one, got %q", got)
	}
	if got := c.Closest("create_issue", 0); len(got) != 0 {
		t.Errorf("asked for none, got %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1}, {"abc", "abd", 1}, {"ca", "abc", 3}, {"kitten", "sitting", 3}, {"日本", "本日", 1}} {
		if got := distance(test.a, test.b, 5); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
	word := rapid.StringMatching(`[ab]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, limit := word.Draw(t, "a"), word.Draw(t, "b"), rapid.IntRange(0, 6).Draw(t, "limit")
		whole := distance(a, b, 99)
		if whole != distance(b, a, 99) || (whole == 0) != (a == b) {
			t.Fatalf("%d from a to b, %d back", whole, distance(b, a, 99))
		}
		if got := distance(a, b, limit); got != min(whole, limit+1) {
			t.Fatalf("with limit %d it is %d, without %d", limit, got, whole)
		}
	})
}

func TestClosestNamespaces(t *testing.T) {
	c := New([]*Server{server("github", "x"), server("gitlab", "x"), server("ddg-search", "x"), server("a", "x")}, nil)
	for said, want := range map[string]string{
		"githb": "mcp__github mcp__gitlab", "mcp__gitlabb": "mcp__gitlab", "ddg_serch": "mcp__ddg-search", "nothing like it": "", "": "mcp__a",
		strings.Repeat("x", 100_000): "",
	} {
		if got := strings.Join(c.ClosestNamespaces(said, 3), " "); got != want {
			t.Errorf("%.40q: %q, want %q", said, got, want)
		}
	}
}
