package exec

import (
	"fmt"
	"sync"
	"testing"

	"codemode-ls/permission"
	"codemode-ls/sandbox"

	"pgregory.net/rapid"
)

// repeat is a script that makes the same call n times, one after the other or all
// at once, with arguments made of the number.
func repeat(n int, atOnce bool, arguments func(i int) string, failed *int) fakeSandbox {
	return func(s *fakeScript) sandbox.Outcome {
		var calls []*fakeCall
		for i := range n {
			c := s.start("mcp__a__read", arguments(i))
			if !atOnce {
				<-c.done
			}
			calls = append(calls, c)
		}
		for _, c := range calls {
			if _, err := c.await(); err != nil {
				*failed++
			}
		}
		return completed("")
	}
}

// PERM-12: the next N calls, counted down exactly and in their order, also when they
// are made at once; the one that was asked for is the first.
func TestPerm12NextCalls(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		calls, granted := rapid.IntRange(1, 40).Draw(rt, "calls"), rapid.IntRange(1, 14).Draw(rt, "granted")
		atOnce := rapid.Bool().Draw(rt, "at once")
		failed := 0
		b := setup(t, repeat(calls, atOnce, func(i int) string { return fmt.Sprintf(`{"i":%d}`, i) }, &failed), ask)
		log := audited(t, b)
		person := &always{Answer: Answer{Decision: "allow", Scope: "loop", Calls: granted}}
		b.run(t, Request{Asker: person})
		if want := (calls + granted - 1) / granted; len(person.asked) != want || failed != 0 {
			rt.Fatalf("%d calls, %d granted: asked %d times, want %d; %d failed", calls, granted, len(person.asked), want, failed)
		}
		for i, q := range person.asked {
			if want := fmt.Sprintf(`{"i":%d}`, i*granted); string(q.Arguments) != want {
				rt.Fatalf("question %d of %d granted each is about %s, want %s", i, granted, q.Arguments, want)
			}
		}
		byGrants := 0
		for _, e := range log() {
			if e.By.Kind == byGrant && e.By.Scope == "loop" {
				byGrants++
			}
		}
		if want := calls - len(person.asked); byGrants != want {
			rt.Fatalf("%d calls by a grant, want %d", byGrants, want)
		}
	})
}

// PERM-12: while an argument matches; both together; and what cannot be kept is
// for one call alone.
func TestPerm12While(t *testing.T) {
	paths := []string{"/a/1", "/a/2", "/b/1", "/a/3", "/a/../etc", "/b/2", "/a/4"}
	prefix := &permission.Condition{Field: "path", Match: permission.Prefix, Value: "/a/"}
	for _, c := range []struct {
		name   string
		answer Answer
		asked  []string
	}{
		{"prefix", Answer{Scope: "loop", While: prefix}, []string{"/a/1", "/b/1", "/a/../etc", "/b/2"}},
		{"prefix and number", Answer{Scope: "loop", While: prefix, Calls: 2}, []string{"/a/1", "/b/1", "/a/../etc", "/b/2"}},
		{"number", Answer{Scope: "loop", Calls: 4}, []string{"/a/1", "/a/../etc"}},
		{"exact", Answer{Scope: "loop", While: &permission.Condition{Field: "path", Match: permission.Exact, Value: "/b/2"}}, []string{"/a/1", "/a/2", "/b/1", "/a/3", "/a/../etc", "/a/4"}},
		{"glob", Answer{Scope: "loop", While: &permission.Condition{Field: "path", Match: permission.Glob, Value: "/*/2"}}, []string{"/a/1", "/b/1", "/a/3", "/a/../etc", "/a/4"}},
		{"nothing", Answer{Scope: "loop"}, paths},
		{"negative", Answer{Scope: "loop", Calls: -1}, paths},
		{"no condition", Answer{Scope: "loop", While: &permission.Condition{Field: "path", Match: "prefix"}}, paths},
		{"unknown condition", Answer{Scope: "loop", Calls: 5, While: &permission.Condition{Field: "path", Match: "regexp", Value: ".*"}}, paths},
	} {
		failed := 0
		b := setup(t, repeat(len(paths), false, func(i int) string { return fmt.Sprintf(`{"path":%q}`, paths[i]) }, &failed), ask)
		c.answer.Decision = "allow"
		person := &always{Answer: c.answer}
		b.run(t, Request{Asker: person})
		var asked []string
		for _, q := range person.asked {
			path, _ := permission.StringField(q.Arguments, "path")
			asked = append(asked, path)
		}
		equal(t, c.name, asked, c.asked)
		if failed != 0 {
			t.Errorf("%s: %d failed", c.name, failed)
		}
	}
}

// PERM-12: offered from the second question about the same tool, with conditions
// that the last two calls meet.
func TestPerm12Offer(t *testing.T) {
	failed := 0
	b := setup(t, repeat(3, false, func(i int) string { return fmt.Sprintf(`{"path":"/a/%d","n":%d}`, i, i) }, &failed), ask)
	person := &always{Answer: Answer{Decision: "allow"}}
	b.run(t, Request{Asker: person})
	for i, q := range person.asked {
		switch {
		case i == 0 && q.Loop != nil, i > 0 && q.Loop == nil:
			t.Fatalf("question %d offers %+v", i, q.Loop)
		case i > 0 && (q.Loop.Asked != i+1 || len(q.Loop.Suggestions) != 1 || q.Loop.Suggestions[0] != (permission.Condition{Field: "path", Match: "prefix", Value: "/a/"})):
			t.Errorf("question %d offers %+v", i, q.Loop)
		}
	}
}

// PERM-1, PERM-12: a rule that denies, and a rule that asks, win over a grant that
// was given before; a grant ends with its run, and is for its tool alone.
func TestPerm12RulesWin(t *testing.T) {
	var b *bench
	var mu sync.Mutex
	made := 0
	script := func(s *fakeScript) sandbox.Outcome {
		for i, name := range []string{"mcp__a__read", "mcp__a__read", "mcp__b__read", "mcp__a__read", "mcp__a__read"} {
			switch i {
			case 3:
				if err := b.store.Set(permission.Session, permission.Ask, "mcp__a__*"); err != nil {
					t.Error(err)
				}
			case 4:
				if err := b.store.Set(permission.Session, permission.Deny, "mcp__a__read"); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.call(name, `{}`); err == nil {
				mu.Lock()
				made++
				mu.Unlock()
			}
		}
		return completed("")
	}
	b = setup(t, script, ask)
	person := &always{Answer: Answer{Decision: "allow", Scope: "loop", Calls: 100}}
	b.run(t, Request{Asker: person})
	var asked []string
	for _, q := range person.asked {
		asked = append(asked, q.Tool)
	}
	equal(t, "asked", asked, []string{"mcp__a__read", "mcp__b__read", "mcp__a__read"})
	if made != 4 {
		t.Errorf("%d calls were made, want 4", made)
	}
	person.asked = nil
	b.Sandbox = fakeSandbox(func(s *fakeScript) sandbox.Outcome {
		_, _ = s.call("mcp__b__read", `{}`)
		return completed("")
	})
	if b.run(t, Request{Asker: person}); len(person.asked) != 1 {
		t.Errorf("another run: asked %d times", len(person.asked))
	}
}

// A denial with the scope "loop" grants nothing.
func TestPerm12DenyIsNoGrant(t *testing.T) {
	failed := 0
	b := setup(t, repeat(3, false, func(int) string { return `{}` }, &failed), ask)
	person := &always{Answer: Answer{Decision: "deny", Scope: "loop", Calls: 3}}
	b.run(t, Request{Asker: person})
	if len(person.asked) != 3 || failed != 3 || len(b.server.sent) != 0 {
		t.Errorf("asked %d times, %d failed", len(person.asked), failed)
	}
}
