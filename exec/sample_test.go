package exec

import (
	"testing"

	"codemode-ls/sandbox"
)

// DRY-1: no server is called, nobody is asked, and the calls are listed.
func TestDry1(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		got, err := s.call("mcp__a__plain", `{"id":7}`)
		if err != nil || got != `"sample output of mcp__a__plain"` {
			t.Errorf("%s %v", got, err)
		}
		s.call("mcp__a__drop", `{}`)
		if _, err := s.call("mcp__a__nope", `{}`); err == nil {
			t.Error("an unknown tool has an answer")
		}
		return completed(got)
	}, ask)
	b.store.Set("session", "allow", "mcp__a__drop")
	person := &always{}
	r := b.run(t, Request{DryRun: true, Asker: person})
	if len(b.server.sent) != 0 || len(person.asked) != 0 {
		t.Errorf("%d sent, %d asked", len(b.server.sent), len(person.asked))
	}
	if len(r.Calls) != 2 || r.Calls[0].Verdict != "ask" || r.Calls[1].Verdict != "allow" {
		t.Errorf("%+v", r.Calls)
	}
	contain(t, r.Text, "Calls that would have been made:\n- mcp__a__plain {\"id\":7}\n- mcp__a__drop {}")
	if again := b.run(t, Request{DryRun: true}); again.Text != r.Text {
		t.Errorf("another text:\n%s", again.Text)
	}
}
