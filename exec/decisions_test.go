package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"codemode-ls/permission"
	"codemode-ls/sandbox"

	"pgregory.net/rapid"
)

// An oracle of decisions, written from the rules and not from the code: what
// becomes of a call by the rules of its moment, by what was answered in the run,
// and by the answer that a person would give (PERM-1…4, PERM-7…9, PERM-13).
type oracle struct {
	rules    map[oracleRule]permission.Effect
	grants   map[string]oracleGrant // of the run, by leaf
	readOnly bool                   // server a's annotations are trusted

	asked    []string
	outcomes []string
}

type oracleRule struct {
	layer permission.Layer
	match string
}

type oracleGrant struct {
	effect permission.Effect
	rule   oracleRule // that said "ask", or none
}

func matches(pattern, leaf string) bool {
	if server, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(leaf, server)
	}
	return pattern == leaf
}

// decide is PERM-1, and the rule that says "ask".
func (o *oracle) decide(leaf string) (effect permission.Effect, asks oracleRule) {
	effect = permission.Ask
	for rule, e := range o.rules {
		switch {
		case !matches(rule.match, leaf):
		case e == permission.Deny:
			return permission.Deny, oracleRule{}
		case e == permission.Ask:
			asks = rule
		case asks == oracleRule{}:
			effect = permission.Allow
		}
	}
	if asks != (oracleRule{}) {
		effect = permission.Ask
	}
	return effect, asks
}

// settled says what becomes of a call without a question; "" when one is needed.
func (o *oracle) settled(leaf string) string {
	effect, asks := o.decide(leaf)
	if effect != permission.Ask {
		return string(effect)
	}
	none := oracleRule{}
	if g, ok := o.grants[leaf]; ok && (g.effect == permission.Deny || asks == none || asks == g.rule) {
		return string(g.effect)
	}
	if o.readOnly && asks == none && leaf == "mcp__a__read" {
		return string(permission.Allow)
	}
	return ""
}

// ask is what an answer does.
func (o *oracle) ask(leaf string, a oracleAnswer) string {
	o.asked = append(o.asked, leaf)
	_, asks := o.decide(leaf)
	effect := permission.Deny
	if a.Decision == "allow" && !a.fails {
		effect = permission.Allow
	}
	if !a.fails {
		switch a.Scope {
		case "session", "workspace", "user":
			o.rules[oracleRule{permission.Layer(a.Scope), leaf}] = effect
			fallthrough
		case "run":
			o.grants[leaf] = oracleGrant{effect, asks}
		}
	}
	return string(effect)
}

// calls are made at the same time: those that nobody has to be asked for first,
// and the others one after the other, each by what holds then (PERM-8).
func (o *oracle) calls(list []oracleCall) {
	outcomes := make([]string, len(list))
	for i, c := range list {
		if effect, _ := o.decide(c.leaf); effect == permission.Deny {
			outcomes[i] = "unknown" // POOL-1
			continue
		}
		outcomes[i] = o.settled(c.leaf)
	}
	for i, c := range list {
		if outcomes[i] != "" {
			continue
		}
		if outcomes[i] = o.settled(c.leaf); outcomes[i] == "" {
			outcomes[i] = o.ask(c.leaf, c.answer)
		}
	}
	o.outcomes = append(o.outcomes, outcomes...)
}

type oracleAnswer struct {
	Answer
	fails bool // there is an error instead
}

type oracleCall struct {
	leaf   string
	answer oracleAnswer
}

// A step of a history: calls at the same time, or a rule that somebody edits.
type step struct {
	calls  []oracleCall
	layer  permission.Layer
	effect permission.Effect // "" removes
	match  string
}

var (
	oracleLeaves = []string{"mcp__a__plain", "mcp__a__read", "mcp__b__plain", "mcp__b__drop"}
	oracleScopes = []Scope{"", "once", "run", "run", "session", "workspace", "user", "galaxy"}
)

func drawSteps(t *rapid.T) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			s := step{
				layer:  rapid.SampledFrom([]permission.Layer{permission.Session, permission.Workspace, permission.User}).Draw(t, "layer"),
				effect: rapid.SampledFrom([]permission.Effect{permission.Allow, permission.Deny, "", ""}).Draw(t, "effect"),
				match:  rapid.SampledFrom(append([]string{"mcp__a__*", "mcp__b__*"}, oracleLeaves...)).Draw(t, "match"),
			}
			if rapid.IntRange(0, 4).Draw(t, "ask") == 0 {
				s = step{layer: permission.Session, match: "mcp__a__*", effect: permission.Ask}
			}
			return s
		}
		return step{calls: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) oracleCall {
			return oracleCall{
				leaf: rapid.SampledFrom(oracleLeaves).Draw(t, "leaf"),
				answer: oracleAnswer{
					Answer: Answer{
						Decision: rapid.SampledFrom([]Decision{"allow", "allow", "allow", "deny", "Allow", ""}).Draw(t, "decision"),
						Scope:    rapid.SampledFrom(oracleScopes).Draw(t, "scope"),
					},
					fails: rapid.IntRange(0, 9).Draw(t, "fails") == 0,
				},
			}
		}), 1, 5).Draw(t, "calls")}
	}), 1, 8).Draw(t, "steps")
}

// PERM-1…4, PERM-7…9, PERM-13: random histories of calls at the same time,
// answers of every scope and edited rules, over several runs, decided as the
// oracle says: what is asked, in which order, what is sent and what is denied.
func TestPermHistories(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		askB := rapid.Bool().Draw(t, "a rule asks for server b")
		runs := rapid.SliceOfN(rapid.Custom(drawSteps), 1, 3).Draw(t, "runs")
		o := &oracle{rules: map[oracleRule]permission.Effect{}, readOnly: rapid.Bool().Draw(t, "read-only tools of a are trusted")}
		fixed := []permission.Rule{ask}
		if askB {
			o.rules[oracleRule{permission.Flag, "mcp__b__*"}] = permission.Ask
			fixed = append(fixed, permission.Rule{Effect: permission.Ask, Layer: permission.Flag, Match: "mcp__b__*"})
		}
		for _, steps := range runs {
			o.grants = map[string]oracleGrant{}
			for _, s := range steps {
				switch rule := (oracleRule{s.layer, s.match}); {
				case s.calls != nil:
					o.calls(s.calls)
				case s.effect == "":
					delete(o.rules, rule)
				default:
					o.rules[rule] = s.effect
				}
			}
		}

		h := &playedHistory{t: t, b: setup(outer, nil, fixed...)}
		h.b.ReadOnlyAllowed = func(server string) bool { return o.readOnly && server == "a" }
		for _, steps := range runs {
			h.run(outer, steps)
		}
		if !slices.Equal(h.asked, o.asked) {
			t.Fatalf("asked %v\nwant  %v", h.asked, o.asked)
		}
		if !slices.Equal(h.outcomes, o.outcomes) {
			t.Fatalf("became %v\nwant   %v", h.outcomes, o.outcomes)
		}
		sent := 0
		for _, outcome := range o.outcomes {
			if outcome == string(permission.Allow) {
				sent++
			}
		}
		if sent != len(h.b.server.sent) {
			t.Fatalf("%d sent, want %d", len(h.b.server.sent), sent)
		}
	})
}

// playedHistory is a history as the funnel has it.
type playedHistory struct {
	t *rapid.T
	b *bench

	asked, outcomes []string
	ids             []string
}

// run makes the steps in one run.
func (h *playedHistory) run(t *testing.T, steps []step) {
	var mu sync.Mutex // guards what follows
	var answers []oracleAnswer
	admitted := make(chan struct{})
	waits := 0
	h.b.Sandbox = fakeSandbox(func(s *fakeScript) sandbox.Outcome {
		for _, step := range steps {
			if step.calls == nil {
				if err := h.b.store.Set(step.layer, step.effect, step.match); err != nil {
					t.Error(err)
				}
				continue
			}
			mu.Lock()
			answers = make([]oracleAnswer, len(s.settled)+len(step.calls))
			waits, admitted = 0, make(chan struct{})
			pool := h.b.Pool()
			for i, c := range step.calls {
				answers[len(s.settled)+i] = c.answer
				if _, ok := pool.Find(c.leaf); ok {
					waits++
				}
			}
			mu.Unlock()
			var calls []*fakeCall
			for _, c := range step.calls {
				calls = append(calls, s.start(c.leaf, "{}"))
			}
			for _, c := range calls {
				_, err := c.await()
				var e *sandbox.CallError
				switch {
				case err == nil:
					h.outcomes = append(h.outcomes, "allow")
				case errors.As(err, &e) && e.Code == CodeDenied:
					h.outcomes = append(h.outcomes, "deny")
				case e != nil && e.Code == CodeUnknownTool:
					h.outcomes = append(h.outcomes, "unknown")
				default:
					h.outcomes = append(h.outcomes, err.Error())
				}
			}
		}
		return completed("")
	})
	h.b.Run(t.Context(), Request{
		Code: "return 1",
		Events: func(e Event) {
			if e.Kind != "summary" { // one for each call that counts
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if waits--; waits == 0 {
				close(admitted)
			}
		},
		Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
			mu.Lock()
			all := admitted
			mu.Unlock()
			<-all // the calls of this step are all made
			mu.Lock()
			defer mu.Unlock()
			h.asked = append(h.asked, q.Tool)
			if slices.Contains(h.ids, q.ID) {
				t.Errorf("the id %s twice", q.ID) // PERM-13
			}
			h.ids = append(h.ids, q.ID)
			a := answers[q.Range.Start.Line] // by the order of the call
			if a.fails {
				return Answer{Decision: "allow"}, errors.New("the client is gone")
			}
			return a.Answer, nil
		}),
	})
}

// PERM-7: a client that is gone denies all that waits, whoever is first.
func TestPerm7ClientGone(t *testing.T) {
	names := slices.Repeat([]string{"mcp__a__plain", "mcp__b__read", "mcp__a__plain"}, 20)
	f, errs := concurrently(names...)
	b := setup(t, f, ask)
	gone := make(chan struct{})
	asked := 0
	b.run(t, Request{Asker: askerFunc(func(context.Context, Question) (Answer, error) {
		if asked++; asked == 1 {
			close(gone)
		}
		<-gone
		return Answer{}, errors.New("the client has hung up")
	})})
	for i, err := range *errs {
		if !strings.Contains(fmt.Sprint(err), "the client has hung up") {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if len(b.server.sent) != 0 {
		t.Errorf("%d sent", len(b.server.sent))
	}
}

// PERM-4, PERM-8, PERM-13: answers, edited rules, looks at the rules and the end
// of the run all at once: each call is decided once, nothing is sent that was
// not allowed, and a denied leaf is never sent after its denial was stored.
func TestPermRaces(t *testing.T) {
	for round := range 30 {
		names := slices.Repeat([]string{"mcp__a__plain", "mcp__a__plain", "mcp__a__read", "mcp__b__plain"}, 10)
		f, errs := concurrently(names...)
		b := setup(t, f, ask)
		ctx, cancel := context.WithCancel(t.Context())
		var editing sync.WaitGroup
		questions := 0
		b.Run(ctx, Request{Code: "return 1", Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
			questions++
			if questions == 1 {
				editing.Go(func() { b.store.Set(permission.Session, permission.Allow, "mcp__a__plain") })
				editing.Go(func() { b.store.Set(permission.Session, permission.Deny, "mcp__a__plain") })
				editing.Go(b.questions.reconsiderAll)
				if round%3 == 0 {
					editing.Go(cancel)
				}
			}
			if round%2 == 0 && q.Tool == "mcp__a__plain" {
				<-ctx.Done() // taken away by one of the rules
				return Answer{Decision: "allow", Scope: "user"}, nil
			}
			return Answer{Decision: "allow", Scope: []Scope{"once", "run", "session"}[questions%3]}, nil
		})})
		editing.Wait()
		cancel()
		sent := map[string]int{}
		for _, c := range b.server.sent {
			sent["mcp__"+c.Server+"__"+c.Tool]++
		}
		allowed := map[string]int{}
		for i, err := range *errs {
			if err == nil {
				allowed[names[i]]++
			}
		}
		for _, name := range names {
			if allowed[name] > sent[name] {
				t.Errorf("%s: %d answered, %d sent", name, allowed[name], sent[name])
			}
		}
	}
}
