package exec

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// hooked gives a bench hooks, which run in a folder that is returned.
func hooked(t *testing.T, b *bench, hooks ...config.Hook) string {
	dir := t.TempDir()
	for i := range hooks {
		if hooks[i].Timeout == 0 {
			hooks[i].Timeout = 10 * time.Second
		}
	}
	b.Hooks = func() []config.Hook { return hooks }
	b.Folders = func() []string { return []string{dir} }
	return dir
}

// unhurried shows no question before the hooks have answered, however busy the
// machine is.
func unhurried(t *testing.T, b *bench, hooks ...config.Hook) string {
	b.questions.grace = time.Minute
	return hooked(t, b, hooks...)
}

func before(command string) config.Hook {
	return config.Hook{Event: config.PreToolUse, Command: command}
}

func says(decision string) config.Hook {
	return before(`printf '{"hookSpecificOutput":{"permissionDecision":"` + decision + `","permissionDecisionReason":"so it is"}}'`)
}

func sends(arguments string) config.Hook {
	return before(`printf '%s' '{"hookSpecificOutput":{"updatedInput":` + arguments + `}}'`)
}

// once is a script that makes one call.
func once(arguments string) fakeSandbox {
	return func(s *fakeScript) sandbox.Outcome {
		_, err := s.call("mcp__a__plain", arguments)
		if err != nil {
			return rejected(0, err)
		}
		return completed("")
	}
}

var (
	askRule   = permission.Rule{Effect: permission.Ask, Layer: permission.User, Match: "mcp__a__plain"}
	allowRule = permission.Rule{Effect: permission.Allow, Layer: permission.User, Match: "mcp__a__*"}
)

// HOOK-1: a hook can deny, turn an allow into an ask, spare an ordinary ask. It
// lifts neither a denial nor a rule that says "ask". HOOK-2: what fails counts
// for nothing.
func TestHook1Decisions(t *testing.T) {
	for _, c := range []struct {
		name   string
		rule   permission.Rule
		hook   config.Hook
		person string // "" is not there
		asked  int
		sent   int
		by     string
	}{
		{"nothing to say, allowed", allowRule, before("true"), "", 0, 1, byRule},
		{"nothing to say, asked", ask, before("true"), "allow", 1, 1, byAnswer},
		{"deny what is allowed", allowRule, says("deny"), "allow", 0, 0, byHook},
		{"deny what is asked for", ask, says("deny"), "allow", 0, 0, byHook},
		{"ask for what is allowed", allowRule, says("ask"), "allow", 1, 1, byAnswer},
		{"ask for what is allowed, denied", allowRule, says("ask"), "deny", 1, 0, byAnswer},
		{"ask for what is allowed, nobody there", allowRule, says("ask"), "", 0, 0, byNobody},
		{"spare an ordinary ask", ask, says("allow"), "deny", 0, 1, byHook},
		{"spare an ordinary ask, nobody there", ask, says("allow"), "", 0, 1, byHook},
		{"not one that a rule wants", askRule, says("allow"), "deny", 1, 0, byAnswer},
		{"not one that a rule wants, nobody there", askRule, says("allow"), "", 0, 0, byNobody},
		{"a failure allows nothing", ask, before(`printf '{"decision":"approve"}'; exit 1`), "", 0, 0, byNobody},
		{"garbage allows nothing", ask, before(`printf '{"decision":"approve"'`), "deny", 1, 0, byAnswer},
		{"garbage denies nothing", allowRule, before(`printf '{"decision":"block"'`), "", 0, 1, byRule},
		{"for another tool", ask, func() config.Hook {
			h := says("allow")
			return matching(t, h, "mcp__b__*")
		}(), "deny", 1, 0, byAnswer},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, once(`{"a":1}`), c.rule, ask)
			unhurried(t, b, c.hook)
			log := audited(t, b)
			var asker Asker
			person := &always{Answer: Answer{Decision: Decision(c.person)}}
			if c.person != "" {
				asker = person
			}
			r := b.run(t, Request{Asker: asker})
			if len(person.asked) != c.asked || len(b.server.sent) != c.sent {
				t.Errorf("asked %d times, sent %d: %+v", len(person.asked), len(b.server.sent), r)
			}
			entries := log()
			if len(entries) != 1 || entries[0].By.Kind != c.by || (entries[0].Decision == "allow") != (c.sent == 1) {
				t.Errorf("audit log: %+v", entries)
			}
			if c.by == byHook && !strings.HasPrefix(entries[0].By.Hook, "hook:") {
				t.Errorf("audit log: %+v", entries)
			}
			if c.asked == 1 && c.name == "ask for what is allowed" && person.asked[0].Note != "so it is" {
				t.Errorf("question: %+v", person.asked[0])
			}
			if c.by == byHook && c.sent == 0 && (r.Status != Denied || !strings.Contains(r.Error.Message, "denied by a hook: so it is")) {
				t.Errorf("%+v", r.Error)
			}
		})
	}
}

// matching reads the hook's matcher as the configuration does.
func matching(t *testing.T, h config.Hook, matcher string) config.Hook {
	t.Helper()
	dir := t.TempDir()
	text := fmt.Sprintf(`{"hooks":{%q:[{"matcher":%q,"hooks":[{"command":%q}]}]}}`, h.Event, matcher, h.Command)
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := config.Load(config.Sources{UserDir: dir})
	if len(c.Hooks) != 1 {
		t.Fatalf("%+v", c.Findings)
	}
	return c.Hooks[0]
}

// HOOK-1: a denied tool is out of the pool; no hook hears of it.
func TestHook1NothingLiftsADenial(t *testing.T) {
	b := setup(t, once(`{}`), denyRule("mcp__a__plain"))
	dir := hooked(t, b, before(`touch heard; printf '{"decision":"approve"}'`))
	if r := b.run(t, Request{Asker: &always{Answer: Answer{Decision: "allow"}}}); r.Status == Completed || len(b.server.sent) != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(dir, "heard")); err == nil {
		t.Error("a hook was run")
	}
}

// HOOK-1, PERM-5: rules, prompt, record and call all see the input that a hook
// has made.
func TestHook1ReplacedInput(t *testing.T) {
	const made = `{"path":"/safe","token":"***"}`
	b := setup(t, once(`{"path":"/x","token":"geheim"}`), ask)
	unhurried(t, b, sends(made))
	log := audited(t, b)
	person := &always{Answer: Answer{Decision: "allow"}}
	r := b.run(t, Request{Asker: person})
	if len(person.asked) != 1 || string(person.asked[0].Arguments) != made {
		t.Errorf("shown: %+v", person.asked)
	}
	if len(b.server.sent) != 1 || string(b.server.sent[0].Arguments) != made || string(r.Calls[0].Arguments) != made {
		t.Errorf("sent %s, record %s", b.server.sent[0].Arguments, r.Calls[0].Arguments)
	}
	if e := log(); e[0].Arguments.Bytes != len(made) || !strings.HasPrefix(e[0].By.ReplacedBy, "hook:") {
		t.Errorf("audit log: %+v", e)
	}

	// A grant for a loop is decided on the new input, too.
	b = setup(t, func(s *fakeScript) sandbox.Outcome {
		for range 3 {
			if _, err := s.call("mcp__a__plain", `{"path":"/x"}`); err != nil {
				return rejected(0, err)
			}
		}
		return completed("")
	}, ask)
	unhurried(t, b, sends(`{"path":"/safe/y"}`))
	person = &always{Answer: Answer{Decision: "allow", Scope: "loop", While: &permission.Condition{Field: "path", Match: "prefix", Value: "/safe/"}}}
	if b.run(t, Request{Asker: person}); len(person.asked) != 1 || len(b.server.sent) != 3 {
		t.Errorf("asked %d times, sent %d", len(person.asked), len(b.server.sent))
	}
}

// fifo makes a named pipe: a hook that reads from it waits for the test.
func fifo(t *testing.T, path string) {
	t.Helper()
	if err := exec.Command("mkfifo", path).Run(); err != nil {
		t.Skip(err)
	}
}

// HOOK-3: a slow hook does not keep the prompt from being answered, and is ended
// when it is.
func TestHook3PersonFirst(t *testing.T) {
	b := setup(t, once(`{}`), ask)
	dir := hooked(t, b, before(`echo $$ > pid; cat never`))
	fifo(t, filepath.Join(dir, "never"))
	began := time.Now()
	r := b.run(t, Request{Asker: &always{Answer: Answer{Decision: "allow"}}})
	if r.Status != Completed || len(b.server.sent) != 1 || time.Since(began) > 5*time.Second {
		t.Errorf("after %s: %+v", time.Since(began), r)
	}
}

// HOOK-1, PERM-3: a denial for the run, given because a hook had an allowed call
// asked for, counts for the calls that no hook asks for; a later rule lifts it.
func TestHook1DeniedForTheRun(t *testing.T) {
	var b *bench
	b = setup(t, func(s *fakeScript) sandbox.Outcome {
		for i, denied := range []bool{true, true, false} {
			if i == 2 {
				if err := b.Rules.Set(permission.Session, permission.Allow, "mcp__a__plain"); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.call("mcp__a__plain", fmt.Sprintf(`{"n":%d}`, i)); (err != nil) != denied {
				t.Errorf("call %d: %v", i, err)
			}
		}
		return completed("")
	}, allowRule)
	hooked(t, b, before(`grep -q '"n":0' && printf '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`))
	b.run(t, Request{Asker: &always{Answer: Answer{Decision: "deny", Scope: "run"}}})
	if len(b.server.sent) != 1 {
		t.Error(b.server.sent)
	}
}

// HOOK-3: a hook that decides while the prompt is open ends it.
func TestHook3HookFirst(t *testing.T) {
	for _, c := range []struct {
		answer string
		sent   int
	}{{"deny", 0}, {"allow", 1}} {
		b := setup(t, once(`{}`), ask)
		dir := hooked(t, b, before(`cat open >/dev/null; printf '{"hookSpecificOutput":{"permissionDecision":"`+c.answer+`"}}'`))
		fifo(t, filepath.Join(dir, "open"))
		withdrawn := false
		r := b.run(t, Request{Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
			if err := os.WriteFile(filepath.Join(dir, "open"), []byte("x"), 0o600); err != nil { // the prompt is there
				t.Error(err)
			}
			<-ctx.Done()
			withdrawn = true
			return Answer{Decision: "allow"}, nil // too late
		})})
		if !withdrawn || len(b.server.sent) != c.sent {
			t.Errorf("%s: withdrawn %v, sent %d: %+v", c.answer, withdrawn, len(b.server.sent), r)
		}
	}
}

// HOOK-3, PERM-5: an input that is replaced while the prompt is open makes
// another prompt; an answer to the first one counts for nothing.
func TestHook3ReplacedWhileOpen(t *testing.T) {
	b := setup(t, once(`{"n":1}`), ask)
	dir := hooked(t, b, before(`cat open >/dev/null; printf '{"hookSpecificOutput":{"updatedInput":{"n":2}}}'`))
	fifo(t, filepath.Join(dir, "open"))
	var shown []string
	b.run(t, Request{Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
		shown = append(shown, string(q.Arguments))
		if len(shown) > 1 {
			return Answer{Decision: "allow"}, nil
		}
		if q.Loop != nil {
			t.Error("a first question offers a loop")
		}
		if err := os.WriteFile(filepath.Join(dir, "open"), []byte("x"), 0o600); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		return Answer{Decision: "deny"}, nil
	})})
	equal(t, "shown", shown, []string{`{"n":1}`, `{"n":2}`})
	if len(b.server.sent) != 1 || string(b.server.sent[0].Arguments) != `{"n":2}` {
		t.Errorf("sent: %+v", b.server.sent)
	}
}

// HOOK-2, HOOK-3: a hook that hangs holds a call up for its time limit at most,
// and the call goes on as without it.
func TestHook2HangingHook(t *testing.T) {
	b := setup(t, once(`{}`), allowRule)
	h := before(`printf '{"decision":"approve"}'; cat never`)
	h.Timeout = 200 * time.Millisecond
	dir := hooked(t, b, h)
	fifo(t, filepath.Join(dir, "never"))
	if r := b.run(t, Request{}); r.Status != Completed {
		t.Errorf("%+v", r)
	}
}

// The run's end ends a hook.
func TestHookEndsWithItsRun(t *testing.T) {
	b := setup(t, once(`{}`), allowRule)
	dir := hooked(t, b, before(`echo x > there; cat never`))
	fifo(t, filepath.Join(dir, "there"))
	fifo(t, filepath.Join(dir, "never"))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(filepath.Join(dir, "there"))
		cancel()
	}()
	if r := b.Run(ctx, Request{Code: "return 1"}); r.Status != Cancelled || r.Calls[0].Status != CallCancelled || len(b.server.sent) != 0 {
		t.Errorf("%+v", r)
	}
	b.Close()
}

// HOOK-4: PostToolUse sees the result and adds to it; failures have a hook of
// their own.
func TestHook4After(t *testing.T) {
	after := func(event string) config.Hook {
		return config.Hook{Event: event, Command: `cat > ` + event + `.json; printf '%s' '{"systemMessage":"look","hookSpecificOutput":{"additionalContext":"said by ` + event + `"}}'`}
	}
	for _, c := range []struct {
		name   string
		answer func(context.Context, upstream.Call) (*upstream.Result, error)
		event  string
		has    []string
	}{
		{"result", func(context.Context, upstream.Call) (*upstream.Result, error) {
			return &upstream.Result{Text: "hi", HasText: true, Raw: jsontext.Value(`{"content":[{"type":"text","text":"hi"}]}`)}, nil
		}, config.PostToolUse, []string{`"tool_response":{"content":[{"type":"text","text":"hi"}]}`}},
		{"isError", func(context.Context, upstream.Call) (*upstream.Result, error) {
			return &upstream.Result{Text: "no such thing", HasText: true, IsError: true, Raw: jsontext.Value(`{"isError":true}`)}, nil
		}, config.PostToolUseFailure, []string{`"error":"no such thing"`, `"isInterrupt":false`, `"tool_response":{"isError":true}`}},
		{"no answer", func(context.Context, upstream.Call) (*upstream.Result, error) {
			return nil, &upstream.CallError{Reason: upstream.Unavailable, Message: "gone"}
		}, config.PostToolUseFailure, []string{`"error":"gone"`, `"isInterrupt":false`}},
		{"timeout", func(context.Context, upstream.Call) (*upstream.Result, error) {
			return nil, &upstream.CallError{Reason: upstream.TimedOut, Message: "late"}
		}, config.PostToolUseFailure, []string{"timed out", `"isInterrupt":false`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, once(`{"a":1}`), allowRule)
			b.server.answer = c.answer
			dir := hooked(t, b, after(config.PostToolUse), after(config.PostToolUseFailure))
			r := b.run(t, Request{URI: "file:///x.exec.ts"})
			files, err := filepath.Glob(filepath.Join(dir, "*.json"))
			if err != nil || len(files) != 1 || filepath.Base(files[0]) != c.event+".json" {
				t.Fatalf("run: %v %v", files, err)
			}
			told, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range append(c.has, `"tool_input":{"a":1}`, `"script_uri":"file:///x.exec.ts"`, `"script_line":1`, `"run_id":"`+r.RunID+`"`, `"tool_use_id":"`) {
				contain(t, string(told), part)
			}
			equal(t, "context", r.Calls[0].Context, []string{"said by " + c.event})
			contain(t, r.Text, "From hooks:\n- mcp__a__plain: said by "+c.event)
			contain(t, r.Text, "mcp__a__plain: look")
		})
	}
}

// HOOK-4: a cancellation is told as one, nobody waits for it, and closing does.
func TestHook4Interrupt(t *testing.T) {
	b := setup(t, once(`{}`), allowRule)
	ctx, cancel := context.WithCancel(t.Context())
	b.server.answer = func(ctx context.Context, _ upstream.Call) (*upstream.Result, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	dir := hooked(t, b, config.Hook{Event: config.PostToolUseFailure, Command: `cat go > /dev/null; cat > told.json`})
	fifo(t, filepath.Join(dir, "go"))
	if r := b.Run(ctx, Request{Code: "return 1"}); r.Status != Cancelled {
		t.Errorf("%+v", r)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Close()
	told, err := os.ReadFile(filepath.Join(dir, "told.json"))
	if err != nil {
		t.Fatal(err)
	}
	contain(t, string(told), `"isInterrupt":true`)
}

// Direct calls go through the same hooks; what they add stands beside the result.
func TestHooksOfDirectCalls(t *testing.T) {
	b := setup(t, nil, allowRule)
	hooked(t, b,
		before(`if grep -q forbidden; then echo no >&2; exit 2; fi; printf '{"hookSpecificOutput":{"updatedInput":{"made":true}}}'`),
		config.Hook{Event: config.PostToolUse, Command: `printf '{"hookSpecificOutput":{"additionalContext":"mind it"}}'`},
	)
	log := audited(t, b)
	results := b.CallDirect(t.Context(), DirectRequest{Agent: native, Calls: []DirectCall{
		{Name: "mcp__a__plain", Arguments: jsontext.Value(`{"a":1}`)},
		{Name: "mcp__a__plain", Arguments: jsontext.Value(`{"a":"forbidden"}`)},
	}})
	if r := results[0]; r.Status != CallCompleted || r.Text != "ok\n\n[from a hook] mind it" || string(r.Display.Arguments) != `{"made":true}` {
		t.Errorf("%+v", r)
	}
	if r := results[1]; r.Status != CallDenied || !strings.Contains(r.Text, "denied by a hook: no") {
		t.Errorf("%+v", r)
	}
	if len(b.server.sent) != 1 || len(log()) != 2 {
		t.Errorf("sent %d, %d decisions", len(b.server.sent), len(log()))
	}
}

// A hook can end the run: nothing that waits is made any more.
func TestHookStopsTheRun(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		_, err := s.call("mcp__a__plain", `{}`)
		_, _ = s.call("mcp__b__plain", `{}`)
		return rejected(0, err)
	}, permission.Rule{Effect: permission.Allow, Layer: permission.Flag, Match: "mcp__*__*"})
	hooked(t, b, matching(t, before(`printf '{"continue":false,"stopReason":"enough for today"}'`), "mcp__a__*"))
	r := b.run(t, Request{})
	if r.Status != Denied || r.Error == nil || !strings.Contains(r.Error.Message, "enough for today") || len(b.server.sent) != 0 {
		t.Errorf("%s, %d sent: %+v", r.Status, len(b.server.sent), r.Error)
	}
}
