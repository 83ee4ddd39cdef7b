package exec

import (
	"strings"
	"testing"

	"codemode-ls/permission"
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
	contain(t, r.Text, "Calls that would have been made:\n- mcp__a__plain {\"id\":7} (would ask: no rule)\n- mcp__a__drop {} (allowed by a rule for this session (mcp__a__drop))")
	_, first, _ := strings.Cut(r.Text, "Output:") // behind the wall time
	if again := b.run(t, Request{DryRun: true}); !strings.HasSuffix(again.Text, first) {
		t.Errorf("another text:\n%s", again.Text)
	}
}

// DRY-1: the plan has the verdict of the rules for each call, and by which rule.
func TestDry1Verdicts(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for _, name := range []string{"mcp__a__plain", "mcp__a__other", "mcp__a__read", "mcp__b__drop", "mcp__b__nope"} {
			s.call(name, `{}`)
		}
		return completed(`1`)
	},
		permission.Rule{Effect: permission.Allow, Layer: permission.User, Match: "mcp__a__plain"},
		permission.Rule{Effect: permission.Ask, Layer: permission.Managed, Match: "mcp__a__o*"},
		permission.Rule{Effect: permission.Deny, Layer: permission.Workspace, Match: "mcp__b__drop"},
	)
	b.ReadOnlyAllowed = func(server string) bool { return server == "a" }
	r := b.run(t, Request{DryRun: true})
	var got []string
	for _, c := range r.Calls {
		got = append(got, c.Tool+": "+VerdictWords(c))
	}
	equal(t, "plan", got, []string{
		"mcp__a__plain: allowed by a rule of the user (mcp__a__plain)",
		"mcp__a__other: would ask by a rule of the administrator (mcp__a__o*)",
		"mcp__a__read: allowed by the setting permissions.readOnly for this server",
		"mcp__b__drop: denied by a rule for this workspace (mcp__b__drop)",
	})
	if len(b.server.sent) > 0 || r.Calls[3].Status != CallDenied {
		t.Errorf("%d sent, %+v", len(b.server.sent), r.Calls[3])
	}
}
