package lsp

import (
	"strings"
	"testing"

	"codemode-ls/config"
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
