package workspace

import (
	"strings"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// PERM-14: a rule that is about no tool is noticed, with the closest name, but not
// while that cannot be known.
func TestPerm14UnmatchedRules(t *testing.T) {
	offer := func(server string, tools ...string) *catalog.Server {
		var raw []jsontext.Value
		for _, tool := range tools {
			raw = append(raw, jsontext.Value(`{"name":"`+tool+`","inputSchema":{"type":"object"}}`))
		}
		return catalog.NewServer(server, raw, "", false)
	}
	status := func(name string, state upstream.State) upstream.Status {
		return upstream.Status{Server: config.Server{Name: name}, State: state}
	}
	s := &Snapshot{
		Servers: []upstream.Status{
			status("git", upstream.Connected), status("my.files", upstream.Connected), status("slow", upstream.Connecting),
			status("dead", upstream.Failed), status("theirs", upstream.Untrusted), {Server: config.Server{Name: "old"}, State: upstream.Connected, Cached: true},
		},
		Listed: []*catalog.Server{offer("git", "push", "git_log", "a__b"), offer("my.files", "read"), offer("old", "x"), offer("recorded", "one")},
	}
	for match, want := range map[string]string{
		"mcp__git__push": "", "mcp__git": "", "mcp__git__git_*": "", "mcp__git__a__b": "", "*": "", "Exec": "", "no rule": "",
		"mcp__my_files__*": "", "mcp__recorded__one": "",
		// it is not known
		"mcp__slow__x": "", "mcp__dead__*": "", "mcp__theirs__x": "", "mcp__old__y": "", "mcp__*__drop": "",
		"mcp__gti__*":         "no server has the name gti here; did you mean mcp__git__*?",
		"mcp__gti":            "did you mean mcp__git__*?",
		"mcp__git__psuh":      "server git has no tool psuh; did you mean mcp__git__push?",
		"mcp__git__Push":      "did you mean mcp__git__push?",
		"mcp__git__get_*":     "no tool of server git matches it",
		"mcp__my_files__reed": "server my.files has no tool reed; did you mean mcp__my_files__read?",
		"mcp__nowhere__*":     "no server has the name nowhere here",
		"mcp__recorded__two":  "server recorded has no tool two",
	} {
		if got := s.Unmatched(match); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", match, got, want)
		}
	}
	s.Servers, s.Listed = s.Servers[:2], s.Listed[:2]
	if got := s.Unmatched("mcp__*__drop"); got != "no tool of any server matches it" {
		t.Errorf("%q", got)
	}
	// A denial keeps its own tools out of the catalog, and is no misspelling for that.
	s.Catalog = catalog.New(s.Listed, func(t *catalog.Tool) bool { return t.Name != "mcp__git__push" })
	if got := s.Unmatched("mcp__git__push"); got != "" {
		t.Errorf("%q", got)
	}
}
