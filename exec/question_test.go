package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"codemode-ls/permission"
	"codemode-ls/sandbox"
)

func denyRule(match string) permission.Rule {
	return permission.Rule{Effect: permission.Deny, Layer: permission.Flag, Match: match}
}

// concurrently is a script that makes calls at the same time and gives their errors.
func concurrently(names ...string) (fakeSandbox, *[]error) {
	errs := make([]error, len(names))
	return func(s *fakeScript) sandbox.Outcome {
		var calls []*fakeCall
		for _, n := range names {
			calls = append(calls, s.start(n, `{}`))
		}
		for i, c := range calls {
			_, errs[i] = c.await()
		}
		return completed("")
	}, &errs
}

// PERM-3: a denial rejects that call with the reason; uncaught, it fails the
// script with that reason.
func TestPerm3Denial(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		_, err := s.call("mcp__a__plain", `{}`)
		var e *sandbox.CallError
		if !errors.As(err, &e) || e.Code != CodeDenied || e.Tool != "mcp__a__plain" {
			t.Errorf("%#v", err)
		}
		return rejected(0, err)
	}, ask)
	r := b.run(t, Request{Asker: &always{Answer: Answer{Decision: "deny", Reason: "use the other one"}}})
	equal(t, "statuses", statuses(r), []CallStatus{CallDenied})
	if r.Status != Denied || !strings.Contains(r.Error.Message, "use the other one") || len(b.server.sent) != 0 {
		t.Errorf("%+v", r)
	}
	contain(t, r.Text, "Script denied\n")
	contain(t, r.Text, "denied by the user: use the other one")
}

// PERM-3, POOL-1: a tool that a rule denies is not in the pool.
func TestPerm3DeniedToolIsUnknown(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		_, err := s.call("mcp__a__plain", `{}`)
		contain(t, fmt.Sprint(err), "is not available")
		return completed("")
	}, denyRule("mcp__a__plain"))
	if r := b.run(t, Request{Asker: &always{}}); len(r.Calls) != 0 {
		t.Errorf("%+v", r.Calls)
	}
}

// PERM-7: nobody to ask, a question that is closed or fails, an answer that is
// no answer: denied.
func TestPerm7NoAnswerIsDenied(t *testing.T) {
	for _, c := range []struct {
		asker Asker
		want  string
	}{
		{nil, "no permission client is configured"},
		{&always{}, "denied by the user"},
		{&always{Answer: Answer{Decision: "Allow", Scope: "user"}}, "denied by the user"},
		{askerFunc(func(context.Context, Question) (Answer, error) {
			return Answer{Decision: "allow"}, errors.New("the client\nis gone")
		}), "the client is gone"},
	} {
		f, errs := concurrently("mcp__a__plain")
		b := setup(t, f, ask)
		r := b.run(t, Request{Asker: c.asker})
		equal(t, "statuses", statuses(r), []CallStatus{CallDenied})
		contain(t, fmt.Sprint((*errs)[0]), c.want)
		if len(b.server.sent) != 0 {
			t.Error("sent")
		}
	}
}

// PERM-6, PERM-13: what a question carries; its id is random.
func TestPerm6Question(t *testing.T) {
	f, _ := concurrently("mcp__a__read", "mcp__a__drop")
	b := setup(t, f, ask)
	person := &always{Answer: Answer{Decision: "allow"}}
	b.run(t, Request{Asker: person, URI: "file:///x.exec.ts"})
	if len(person.asked) != 2 {
		t.Fatalf("%d questions", len(person.asked))
	}
	q := person.asked[0]
	if q.Tool != "mcp__a__read" || q.Server != "a" || q.Description != "Does read." || string(q.Annotations) != `{"readOnlyHint":true}` ||
		q.URI != "file:///x.exec.ts" || q.Range == nil || q.RunID == "" {
		t.Errorf("%+v", q)
	}
	if id := person.asked[1].ID; id == q.ID || len(id) < 20 {
		t.Errorf("ids %q and %q", q.ID, id)
	}
}

// PERM-8: one question at a time, in the order of the calls.
func TestPerm8OneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var names []string
		for i := range 12 {
			names = append(names, []string{"mcp__a__plain", "mcp__b__plain", "mcp__a__read"}[i%3])
		}
		f, errs := concurrently(names...)
		b := setup(t, f, ask)
		var asked []string
		open := 0
		b.run(t, Request{Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
			if open++; open > 1 {
				t.Error("two questions at a time")
			}
			time.Sleep(time.Second) // of the bubble
			open--
			asked = append(asked, q.Tool)
			return Answer{Decision: "allow", Scope: "once"}, nil
		})})
		equal(t, "questions", asked, names)
		for i, err := range *errs {
			if err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		}
	})
}

// PERM-4, PERM-8: an answer that covers others settles them, in the scope that
// was chosen.
func TestPerm8ScopesSettleOthers(t *testing.T) {
	for _, c := range []struct {
		scope              string
		questions, nextRun int
		stored             permission.Layer
	}{
		{"", 4, 4, ""},
		{"once", 4, 4, ""},
		{"galaxy", 4, 4, ""},
		{"run", 2, 2, ""},
		{"session", 2, 0, permission.Session},
		{"workspace", 2, 0, permission.Workspace},
		{"user", 2, 0, permission.User},
	} {
		t.Run(c.scope, func(t *testing.T) {
			f, errs := concurrently("mcp__a__plain", "mcp__b__plain", "mcp__a__plain", "mcp__b__plain")
			b := setup(t, f, ask)
			person := &always{Answer: Answer{Decision: "allow", Scope: Scope(c.scope)}}
			b.run(t, Request{Asker: person})
			for _, err := range *errs {
				if err != nil {
					t.Error(err)
				}
			}
			if len(person.asked) != c.questions || len(b.server.sent) != 4 {
				t.Errorf("%d questions, want %d; %d sent", len(person.asked), c.questions, len(b.server.sent))
			}
			person.asked = nil
			b.run(t, Request{Asker: person})
			if len(person.asked) != c.nextRun {
				t.Errorf("%d questions in the next run, want %d", len(person.asked), c.nextRun)
			}
			if c.stored != "" {
				d := b.store.Rules().Decide("mcp__a__plain")
				if d.Effect != permission.Allow || d.Rule.Layer != c.stored || d.Rule.Match != "mcp__a__plain" {
					t.Errorf("%+v", d.Rule)
				}
			}
		})
	}
}

func TestDenialWithAScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, _ := concurrently("mcp__a__plain", "mcp__a__plain", "mcp__a__other")
		b := setup(t, f, ask)
		questions := 0
		r := b.run(t, Request{Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
			questions++
			time.Sleep(time.Second) // of the bubble: all are in line
			return Answer{Decision: "deny", Scope: "session"}, nil
		})})
		equal(t, "statuses", statuses(r), []CallStatus{CallDenied, CallDenied, CallDenied})
		if questions != 2 {
			t.Errorf("%d questions", questions)
		}
		if _, ok := b.Pool().Find("mcp__a__plain"); ok {
			t.Error("still in the pool")
		}
	})
}

// PERM-1: an ask rule stays one, whatever was allowed for the session; for the
// run in which the person was asked, the answer counts.
func TestPerm1AskRuleAsksInEveryRun(t *testing.T) {
	f, _ := concurrently("mcp__a__plain", "mcp__a__plain")
	b := setup(t, f, permission.Rule{Effect: permission.Ask, Layer: permission.Flag, Match: "mcp__a__*"})
	person := &always{Answer: Answer{Decision: "allow", Scope: "session"}}
	for range 2 {
		person.asked = nil
		b.run(t, Request{Asker: person})
		if len(person.asked) != 1 {
			t.Errorf("%d questions", len(person.asked))
		}
	}
}

// A rule edited while a question is open: deny and allow settle it, and a
// permission that comes too late changes nothing. A new ask rule is asked for
// though the run had a grant.
func TestRuleEditedWhileWaiting(t *testing.T) {
	for _, effect := range []permission.Effect{permission.Allow, permission.Deny} {
		t.Run(string(effect), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { editedWhileWaiting(t, effect) })
		})
	}
	b := setup(t, nil, ask)
	b.Sandbox = fakeSandbox(func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", `{}`)
		s.call("mcp__a__plain", `{}`)
		b.store.Set(permission.Session, permission.Ask, "mcp__a__*")
		s.call("mcp__a__plain", `{}`)
		s.call("mcp__a__plain", `{}`)
		return completed("")
	})
	person := &always{Answer: Answer{Decision: "allow", Scope: "run"}}
	b.run(t, Request{Asker: person})
	if len(person.asked) != 2 {
		t.Errorf("%d questions, want one under each rule", len(person.asked))
	}
}

// PERM-4, PERM-8: an answer for the run covers every rule that said "ask" when it
// was given, whichever of them decides on a later call, also one that came while
// the prompt was open. A rule that comes later asks, whichever decides.
func TestPerm8RunGrantCoversAllRulesOfItsTime(t *testing.T) {
	exact, glob := "mcp__a__plain", "mcp__a__*"
	b := setup(t, nil, ask, permission.Rule{Effect: permission.Ask, Layer: permission.Flag, Match: glob})
	set := func(layer permission.Layer, effect permission.Effect, match string) {
		t.Helper()
		if err := b.store.Set(layer, effect, match); err != nil {
			t.Error(err)
		}
	}
	for _, scope := range []string{"run", "loop"} {
		set(permission.Session, permission.Ask, exact)
		asked := 0
		b.Sandbox = fakeSandbox(func(s *fakeScript) sandbox.Outcome {
			first, second := s.start(exact, `{}`), s.start(exact, `{}`)
			first.await()
			second.await()
			set(permission.Session, "", exact) // now another rule decides
			s.call(exact, `{}`)
			set(permission.Workspace, "", exact)
			s.call(exact, `{}`)
			if asked != 1 {
				t.Errorf("%s: asked %d times under the rules of the answer", scope, asked)
			}
			set(permission.User, permission.Ask, "mcp__*__plain") // a new one, which does not decide
			s.call(exact, `{}`)
			if asked != 2 {
				t.Errorf("%s: asked %d times, want one more under a new rule", scope, asked)
			}
			return completed("")
		})
		b.run(t, Request{Asker: askerFunc(func(context.Context, Question) (Answer, error) {
			if asked++; asked == 1 {
				set(permission.Workspace, permission.Ask, exact) // while the prompt is open
			}
			return Answer{Decision: "allow", Scope: Scope(scope), Calls: 100}, nil
		})})
		set(permission.User, "", "mcp__*__plain")
	}
}

// PERM-1: "always" under a rule that asks is for the run alone, and says so.
func TestPerm1AlwaysUnderAnAskRule(t *testing.T) {
	f, _ := concurrently("mcp__a__plain")
	for _, rule := range []string{"mcp__a__*", "mcp__b__*"} {
		b := setup(t, f, ask, permission.Rule{Effect: permission.Ask, Layer: permission.Flag, Match: rule})
		r := b.run(t, Request{Asker: &always{Answer: Answer{Decision: "allow", Scope: "user"}}})
		told := len(r.Warnings) == 1 && strings.Contains(r.Warnings[0].Message, "a rule of the command line (mcp__a__*) says ask")
		if told != (rule == "mcp__a__*") {
			t.Errorf("%s: %+v", rule, r.Warnings)
		}
	}
}

// PERM-4, PERM-8: calls of one tool, a grant for the run and rules that come and
// go at the same time: when the rules are those of the answer, nobody is asked
// twice.
func TestPerm8RunGrantRaces(t *testing.T) {
	for range 20 {
		f, errs := concurrently(slices.Repeat([]string{"mcp__a__plain"}, 40)...)
		b := setup(t, f, ask,
			permission.Rule{Effect: permission.Ask, Layer: permission.Flag, Match: "mcp__a__*"},
			permission.Rule{Effect: permission.Ask, Layer: permission.Flag, Match: "mcp__a__plain"})
		var editing sync.WaitGroup
		questions := 0
		b.run(t, Request{Asker: askerFunc(func(context.Context, Question) (Answer, error) {
			if questions++; questions == 1 {
				editing.Go(func() {
					for i := range 20 { // which of the known rules decides changes all the time
						match := []string{"mcp__a__*", "mcp__a__plain"}[i%2]
						b.store.SetFixed([]permission.Rule{ask, {Effect: permission.Ask, Layer: permission.Flag, Match: match}})
					}
				})
			}
			return Answer{Decision: "allow", Scope: "run"}, nil
		})})
		editing.Wait()
		// The first answer may fall between two edits, so that it knows one rule alone.
		if questions > 2 {
			t.Errorf("%d questions", questions)
		}
		for i, err := range *errs {
			if err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		}
	}
}

// PERM-6: deny and stop ends the run.
func TestPerm6DenyAndStop(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		first := s.start("mcp__a__plain", `{}`)
		s.start("mcp__b__plain", `{}`)
		first.await()
		<-s.Done()
		return sandbox.Outcome{}
	}, ask)
	person := &always{Answer: Answer{Decision: "deny", Stop: true, Reason: "enough"}}
	r := b.run(t, Request{Asker: person})
	if r.Status != Denied || len(person.asked) > 1 || !strings.Contains(r.Error.Message, "enough") {
		t.Errorf("%s %+v, %d questions", r.Status, r.Error, len(person.asked))
	}
	equal(t, "statuses", statuses(r), []CallStatus{CallDenied, CallCancelled})
}

// PERM-7: a run that ends withdraws its questions; those of another run go on.
func TestQuestionsOfAnEndedRun(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		f, _ := concurrently("mcp__a__plain", "mcp__a__other")
		return f(s)
	}, ask)
	asking := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		r := b.Run(ctx, Request{Code: "return 1", Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
			<-ctx.Done()
			return Answer{}, ctx.Err()
		}), Events: func(e Event) {
			if e.Call != nil && e.Call.Index == 1 && e.Call.Status == CallWaiting {
				close(asking)
			}
		}})
		equal(t, "statuses", statuses(r), []CallStatus{CallCancelled, CallCancelled})
	})
	<-asking
	wg.Go(func() {
		r := b.Run(t.Context(), Request{Code: "return 1", Asker: &always{Answer: Answer{Decision: "allow"}}})
		equal(t, "statuses", statuses(r), []CallStatus{CallCompleted, CallCompleted})
	})
	cancel()
	wg.Wait()
}

// PERM-9: annotations allow nothing, unless a person trusts those of a server.
func TestPerm9ReadOnly(t *testing.T) {
	f, _ := concurrently("mcp__a__read", "mcp__b__read", "mcp__a__plain")
	b := setup(t, f, ask)
	b.ReadOnlyAllowed = func(server string) bool { return server == "a" }
	person := &always{Answer: Answer{Decision: "deny"}}
	r := b.run(t, Request{Asker: person})
	equal(t, "statuses", statuses(r), []CallStatus{CallCompleted, CallDenied, CallDenied})

	b = setup(t, f, permission.Rule{Effect: permission.Ask, Layer: permission.Flag, Match: "mcp__a__read"})
	b.ReadOnlyAllowed = func(server string) bool { return true }
	r = b.run(t, Request{Asker: person})
	equal(t, "with an ask rule", statuses(r), []CallStatus{CallDenied, CallCompleted, CallDenied})
}

// A rule that cannot be stored counts for the run, and is said.
func TestRuleThatCannotBeStored(t *testing.T) {
	f, _ := concurrently("mcp__a__plain", "mcp__a__plain")
	b := setup(t, f, ask)
	b.store = permission.OpenStore(permission.StoreOptions{Fixed: []permission.Rule{ask}})
	b.Runner.Rules = b.store
	person := &always{Answer: Answer{Decision: "allow", Scope: "user"}}
	r := b.run(t, Request{Asker: person})
	if len(person.asked) != 1 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Message, "could not be stored") {
		t.Errorf("%d questions, %+v", len(person.asked), r.Warnings)
	}
}

func editedWhileWaiting(t *testing.T, effect permission.Effect) {
	f, errs := concurrently("mcp__a__plain", "mcp__a__plain")
	b := setup(t, f, ask)
	questions := 0
	r := b.run(t, Request{Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
		questions++
		time.Sleep(time.Second) // of the bubble: both are in line
		if err := b.store.Set(permission.Session, effect, "mcp__a__plain"); err != nil {
			t.Error(err)
		}
		<-ctx.Done() // the question is withdrawn
		return Answer{Decision: "allow", Scope: "user"}, nil
	})})
	want := CallCompleted
	if effect == permission.Deny {
		want = CallDenied
		contain(t, fmt.Sprint((*errs)[0]), "denied by a rule for this session")
	}
	equal(t, "statuses", statuses(r), []CallStatus{want, want})
	if questions != 1 {
		t.Errorf("%d questions", questions)
	}
	for _, rule := range b.store.Rules().All() {
		if rule.Layer == permission.User {
			t.Errorf("the late answer was stored: %+v", rule)
		}
	}
}

// EXEC-11: what is listed as made, and not undone, has reached its server.
func TestExec11OnlyCallsThatWereMade(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__read", `{}`)
		s.call("mcp__a__plain", `{}`)
		s.call("mcp__b__read", `{}`) // over the cap
		return sandbox.Outcome{Status: sandbox.Thrown, Error: &sandbox.ScriptError{Name: "Error", Message: "x", Call: -1}}
	}, permission.Rule{Effect: permission.Allow, Layer: permission.Flag, Match: "mcp__a__read"})
	r := b.run(t, Request{MaxToolCalls: 2})
	if len(r.Calls) != 3 || !strings.HasSuffix(r.Text, "\nCalls already made (not undone):\n- mcp__a__read: completed") {
		t.Errorf("%d calls\n%s", len(r.Calls), r.Text)
	}
	b = setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", `{}`)
		return sandbox.Outcome{Status: sandbox.Thrown, Error: &sandbox.ScriptError{Name: "Error", Message: "x", Call: -1}}
	}, ask)
	if r := b.run(t, Request{}); strings.Contains(r.Text, "already made") {
		t.Error(r.Text)
	}
}

// PERM-4: a file of rules that somebody edits counts for the question that is
// open and for those behind it, although nobody tells of the edit.
func TestPerm4EditWhileAsked(t *testing.T) {
	for effect, want := range map[string]CallStatus{"allow": CallCompleted, "deny": CallDenied} {
		t.Run(effect, func(t *testing.T) {
			f, _ := concurrently("mcp__a__plain", "mcp__a__plain")
			b := setup(t, f, ask)
			file := filepath.Join(t.TempDir(), "permissions.json")
			b.store = permission.OpenStore(permission.StoreOptions{UserDir: filepath.Dir(file)})
			b.Runner.Rules = b.store
			asked := 0
			waiting := make(chan struct{}, 8)
			r := b.Run(t.Context(), Request{Code: "return 1", Events: func(e Event) {
				if e.Kind == "call" && e.Call.Status == CallWaiting {
					waiting <- struct{}{}
				}
			}, Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
				asked++
				for range 2 {
					<-waiting // both calls have been made
				}
				if err := os.WriteFile(file, []byte(`{"permissions":{"`+effect+`":["mcp__a__*"]}}`), 0o600); err != nil {
					t.Error(err)
				}
				<-ctx.Done()
				return Answer{}, ctx.Err()
			})})
			equal(t, "statuses", statuses(r), []CallStatus{want, want})
			if asked != 1 {
				t.Errorf("%d questions", asked)
			}
		})
	}
}

// GATE-1, PERM-8: a person is asked one question at a time, and waits for no other.
func TestPersonsDoNotWaitForEachOther(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		if _, err := s.call("mcp__a__plain", `{}`); err != nil {
			return rejected(0, err)
		}
		return completed("")
	}, ask)
	asked := make(chan struct{})
	var first, second *Result
	var runs sync.WaitGroup
	runs.Go(func() {
		first = b.run(t, Request{Person: "one", Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
			select {
			case <-asked: // which only the other person's question does
			case <-time.After(time.Minute):
				t.Error("one person's question waits for another's")
			}
			return Answer{Decision: Allow}, nil
		})})
	})
	runs.Go(func() {
		second = b.run(t, Request{Person: "two", Asker: askerFunc(func(context.Context, Question) (Answer, error) {
			close(asked)
			return Answer{Decision: Allow}, nil
		})})
	})
	runs.Wait()
	equal(t, "first", statuses(first), []CallStatus{CallCompleted})
	equal(t, "second", statuses(second), []CallStatus{CallCompleted})
}
