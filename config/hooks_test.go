package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// The form of settings that agent users know, from every layer; a workspace's
// own settings cannot touch the user's.
func TestHooksOfAllLayers(t *testing.T) {
	user, folder := t.TempDir(), t.TempDir()
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(user, "config.json"), `{
		// mine
		"hooks": {"PreToolUse": [{"matcher": "mcp__github__.*|mcp__x__*", "hooks": [
			{"type": "command", "command": "first"},
			{"command": "second", "timeout": 2.0}
		]}]}
	}`)
	put(filepath.Join(folder, HooksFile), `{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "theirs", "timeout": 600}]}]}}`)
	c := Load(Sources{
		UserDir: user, Folders: []string{folder},
		Editor: jsontext.Value(`{"hooks": {"PostToolUseFailure": [
			{"matcher": "*", "hooks": [{"type":"command","command":"mine in the editor"}]},
			{"matcher": "*", "hooks": [{"type":"command","command":"slipped in"}]}
		]}}`),
		EditorWorkspace: jsontext.Value(`{"hooks": {"PostToolUseFailure": [{"matcher": "*", "hooks": [{"type":"command","command":"slipped in"}]}]}}`),
	})
	type seen struct {
		event, matcher, command string
		timeout                 time.Duration
		layer                   Layer
	}
	var got []seen
	for _, h := range c.Hooks {
		got = append(got, seen{h.Event, h.Matcher, h.Command, h.Timeout, h.Layer})
	}
	want := []seen{
		{PreToolUse, "mcp__github__.*|mcp__x__*", "first", 10 * time.Second, User},
		{PreToolUse, "mcp__github__.*|mcp__x__*", "second", 2 * time.Second, User},
		{PostToolUseFailure, "*", "mine in the editor", 10 * time.Second, Editor},
		{PostToolUse, "", "theirs", 120 * time.Second, Workspace},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: got %+v, want %+v", i, got[i], want[i])
		}
	}
	if c.Hooks[0].File != filepath.Join(user, "config.json") || c.Hooks[0].Line != 3 {
		t.Errorf("place: %s", c.Hooks[0].Origin())
	}
	codes := map[string]int{}
	for _, f := range c.Findings {
		codes[f.Code]++
	}
	if codes["untrusted-setting"] != 1 || codes["out-of-range"] != 1 || len(c.Findings) != 2 {
		t.Errorf("findings: %+v", c.Findings)
	}
}

func TestHookMatcher(t *testing.T) {
	for _, c := range []struct {
		matcher string
		yes, no []string
	}{
		{"", []string{"mcp__a__b"}, nil},
		{"*", []string{"mcp__a__b"}, nil},
		{"mcp__a__b", []string{"mcp__a__b"}, []string{"mcp__a__bc", "xmcp__a__b"}},
		{"mcp__a__*", []string{"mcp__a__b", "mcp__a__"}, []string{"mcp__ab__c"}},
		{"mcp__a__.*", []string{"mcp__a__b"}, []string{"mcp__b__b"}},
		{"mcp__a__get_*|mcp__b__b", []string{"mcp__a__get_x", "mcp__b__b"}, []string{"mcp__a__set_x", "mcp__b__bb"}},
		{"mcp__(a|b)__x+", []string{"mcp__a__xx", "mcp__b__x"}, []string{"mcp__a__y"}},
		{"mcp__a__a.b*", []string{"mcp__a__a.bc"}, []string{"mcp__a__axbc"}},
		{".*delete.*", []string{"mcp__a__delete_all", "mcp__a__delete\nall"}, []string{"mcp__a__get"}},
	} {
		names, err := compileMatcher(c.matcher)
		if err != nil {
			t.Errorf("%q: %v", c.matcher, err)
			continue
		}
		h := Hook{names: names}
		for _, name := range c.yes {
			if !h.Matches(name) {
				t.Errorf("%q does not match %q", c.matcher, name)
			}
		}
		for _, name := range c.no {
			if h.Matches(name) {
				t.Errorf("%q matches %q", c.matcher, name)
			}
		}
	}
}

// What is wrong is reported at its line; the other hooks count.
func TestHooksThatCannotBeRead(t *testing.T) {
	good := `{"matcher": "mcp__x__.*|mcp__y__z", "hooks": [{"command": "good"}]}`
	for _, c := range []struct {
		text, code string
		line, good int
	}{
		{"{\"hooks\":\n []}", "wrong-type", 1, 0},
		{"{\"hooks\": {\"PreToolUse\": [" + good + "],\n \"Sometimes\": []}}", "unknown-event", 1, 1},
		{"{\"hooks\": {\"PreToolUse\":\n {}}}", "wrong-type", 1, 0},
		{"{\"hooks\": {\"PreToolUse\": [" + good + ",\n 1]}}", "wrong-type", 1, 1},
		{"{\"hooks\": {\"PreToolUse\": [" + good + ",\n {}]}}", "wrong-type", 1, 1},
		{"{\"hooks\": {\"PreToolUse\": [" + good + ",\n {\"matcher\": \"(\", \"hooks\": []}]}}", "bad-matcher", 1, 1},
		{"{\"hooks\": {\"PreToolUse\": [" + good + ",\n {\"matcher\": 1, \"hooks\": []}]}}", "wrong-type", 1, 1},
		{"{\"hooks\": {\"PreToolUse\": [{\"hooks\": [\n{}, {\"command\": \"good\"}]}]}}", "no-command", 1, 1},
		{"{\"hooks\": {\"PreToolUse\": [{\"hooks\": [\n{\"command\": 1}, {\"command\": \"good\"}]}]}}", "wrong-type", 1, 1},
		{"{\"hooks\": {\"PreToolUse\": [{\"hooks\": [\n{\"type\": \"prompt\", \"command\": \"x\"}, {\"command\": \"good\"}]}]}}", "wrong-type", 1, 1},
		{"{\"hooks\": {\"PreToolUse\": [{\"hooks\": [\n{\"command\": \"good\", \"timeout\": \"1\"}]}]}}", "wrong-type", 1, 1},
		{"{\"hooks\": {\"PreToolUse\": [{\"hooks\": [\n{\"command\": \"good\", \"async\": true}]}]}}", "unknown-field", 1, 1},
		// Names that no tool has: the hook would never run, and say nothing of it.
		{"{\"hooks\": {\"PreToolUse\": [{\n\"matcher\": \"Exec\", \"hooks\": [{\"command\": \"good\"}]}]}}", "bad-matcher", 1, 1},
		{"{\"hooks\": {\"PreToolUse\": [{\n\"matcher\": \"mcp__a__*|Bash\", \"hooks\": [{\"command\": \"good\"}]}]}}", "bad-matcher", 1, 1},
		{"{\n\"mcpServers\": {}}", "unknown-field", 1, 0},
		{"{\n\"hooks\": {", "syntax", 1, 0},
		{"{\"hooks\": {\n\"preToolUse\": []}}", "unknown-event", 1, 0},
		{"{\"hooks\": {\n\"SessionStart\": []}}", "unknown-event", 1, 0},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, HooksFile)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		config := Load(Sources{Folders: []string{folder}})
		if len(config.Findings) != 1 {
			t.Errorf("%s: findings %+v", c.text, config.Findings)
			continue
		}
		f := config.Findings[0]
		// Each error but that of a timeout hides what may be a guard; calls have to be asked for.
		if guards := f.Severity == "error" && !strings.Contains(c.text, "timeout"); guards != (len(config.UnreadHooks) == 1) || guards && config.UnreadHooks[0] != f {
			t.Errorf("%s: %s, unread %+v", c.text, f.Severity, config.UnreadHooks)
		}
		if f.Code != c.code || f.StartLine != c.line || f.File != path {
			t.Errorf("%s: %+v", c.text, f)
		}
		n := 0
		for _, h := range config.Hooks {
			if h.Command == "good" {
				n++
			}
		}
		if n != c.good || len(config.Hooks) != n {
			t.Errorf("%s: hooks %+v", c.text, config.Hooks)
		}
	}
}

// TRUST-1: a workspace's hook needs an approval for exactly what it would do.
func TestHookApproval(t *testing.T) {
	trust, err := OpenTrust(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := Hook{Event: PreToolUse, Matcher: "x", Command: "make check", Timeout: time.Second, Layer: Workspace, File: "/w/.codemode/hooks.json"}
	if v := trust.HookVerdict(h); v != Undecided {
		t.Errorf("verdict %v", v)
	}
	if err := trust.DecideHook(h, true); err != nil {
		t.Fatal(err)
	}
	if v := trust.HookVerdict(h); v != Approved {
		t.Errorf("verdict %v", v)
	}
	for _, change := range []func(*Hook){
		func(h *Hook) { h.Event = PostToolUse }, func(h *Hook) { h.Matcher = "" }, func(h *Hook) { h.Command += " " },
		func(h *Hook) { h.Timeout++; h.Timeout *= 2 }, func(h *Hook) { h.File = "/v/.codemode/hooks.json" },
	} {
		other := h
		change(&other)
		if v := trust.HookVerdict(other); v != Undecided {
			t.Errorf("%+v: verdict %v", other, v)
		}
	}
	moved := h
	moved.Line = 7
	if v := trust.HookVerdict(moved); v != Approved {
		t.Errorf("a line more above it asks again: %v", v)
	}
	own := h
	own.Layer = User
	own.Command = "anything"
	if v := trust.HookVerdict(own); v != Approved {
		t.Errorf("the user's own: %v", v)
	}
	if e := trust.Entries(); len(e) != 1 || e[0].Name != h.Name() || !strings.Contains(e[0].Summary, "PreToolUse x: make check") {
		t.Errorf("entries: %+v", e)
	}
}

// PERM-10, HOOK-2: hooks under a name that is nobody's are guards that are not read,
// also beside others that are.
func TestHooksUnderAnotherName(t *testing.T) {
	const events = `{"PreToolUse": [{"hooks": [{"command": "guard"}]}]}`
	for text, unread := range map[string]int{
		`{"hooks": ` + events + `}`:                                             0,
		`{"Hooks": ` + events + `}`:                                             1,
		`{"hook": ` + events + `}`:                                              1,
		`{"hooks": {}, "Hooks": ` + events + `}`:                                1,
		`{"hooks.PreToolUse": [{"hooks": [{"command": "guard"}]}]}`:             1,
		`{"codemode.hooks.PreToolUse": [{"hooks": [{"command": "guard"}]}]}`:    1,
		`{"hooks": {}, "hooks.PreToolUse": [{"hooks": [{"command": "good"}]}]}`: 1,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := Load(Sources{UserDir: dir})
		if len(c.UnreadHooks) != unread || len(c.Hooks) != 1-unread {
			t.Errorf("%s: %d hooks, unread %+v", text, len(c.Hooks), c.UnreadHooks)
		}
	}
}

// A comment may be the last thing in a file, without a line break behind it.
func TestCommentAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	text := `{"hooks": {"PreToolUse": [{"hooks": [{"command": "good"}]}]}} // mine`
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := Load(Sources{UserDir: dir}); len(c.Findings) != 0 || len(c.Hooks) != 1 {
		t.Errorf("%+v %+v", c.Findings, c.Hooks)
	}
}
