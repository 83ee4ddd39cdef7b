package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"codemode-ls/config"
	"codemode-ls/upstream"
	"codemode-ls/workspace"
)

// TRUST-1, PERM-15: a question shows all, or does not offer the approval.
func TestTrust1QuestionShowsAllOrOffersNothing(t *testing.T) {
	end := "; touch /tmp/end"
	for _, repeat := range []int{1, 200} {
		v := config.Server{Name: "a", Layer: config.Workspace, Command: "sh", Args: []string{"-c", strings.Repeat("echo abc;", repeat) + end},
			Reads: []config.Read{{Name: "TOKEN", To: "argument 2"}}}
		text, actions := inView(trustQuestion(v), v.Name, trustStart)
		if offers(actions, trustStart) != strings.Contains(text, end) || offers(actions, trustStart) != (repeat == 1) {
			t.Errorf("%d: offers %v: %s", repeat, actions, text)
		}
		if repeat == 1 && !strings.Contains(text, "TOKEN → argument 2") {
			t.Errorf("the variable is not named: %s", text)
		}
		if repeat > 1 && !strings.Contains(text, "codemode-ls trust show a") {
			t.Errorf("no way to see it: %s", text)
		}
	}
}

// TRUST-1: twenty servers of a workspace ask once, and one answer refuses them all.
func TestTrust1OneQuestionForAWorkspace(t *testing.T) {
	var servers []upstream.Status
	for i := range 20 {
		servers = append(servers, untrusted(fmt.Sprintf("s%02d", i)))
	}
	for answer, want := range map[string]string{
		trustNone: "none", trustNotNow: "", trustStart: "", // which is not offered
		trustReview: "s00 true s01 false none",
	} {
		w := newFakeWorkspace(t, echo)
		c := initialized(t, w, `{}`)
		asked := make(chan string, 100)
		answers := []string{answer, trustStart, trustNever, trustNone}
		n := 0
		c.answerWith(func(m message) string {
			if m.Method != "window/showMessageRequest" {
				return "null"
			}
			asked <- string(m.Params)
			n++
			return fmt.Sprintf(`{"title":%q}`, answers[min(n, len(answers))-1])
		})
		w.change(func(s *workspace.Snapshot) { s.Servers = servers })
		first := <-asked
		if !strings.Contains(first, "name 20 programs") || strings.Contains(first, `"Start"`) || !strings.Contains(first, trustNone) {
			t.Errorf("the first question: %s", first)
		}
		// The next question belongs to another definition: all before it was answered.
		w.change(func(s *workspace.Snapshot) { s.Servers = append(slices.Clone(servers), untrusted("last")) })
		c.await("the question about the last one", func(m message) bool {
			return m.Method == "window/showMessageRequest" && strings.Contains(string(m.Params), "MCP server last")
		})
		w.mu.Lock()
		if got := strings.Join(w.approved, " "); !strings.HasPrefix(got, want) || want == "" && strings.Contains(got, "s0") {
			t.Errorf("%s: decided %q, want %q", answer, got, want)
		}
		w.mu.Unlock()
	}
}

// TRUST-1: hidden characters of what is approved are spelled out.
func TestTrust1QuestionSpellsHiddenCharacters(t *testing.T) {
	v := config.Server{Name: "a\u202eb", Layer: config.Workspace, File: "/w/\u200b/mcp.json", Command: "sh", Args: []string{"\u00ad-c"}, Resembles: "it looks like a\u200b"}
	text := trustQuestion(v)
	for _, want := range []string{`a\u{202e}b`, `/w/\u{200b}/mcp.json`, `\u{ad}-c`, `like a\u{200b}`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not show %s", text, want)
		}
	}
}
