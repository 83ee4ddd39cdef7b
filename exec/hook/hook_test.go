package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/config"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if runtime.GOOS == "windows" {
		os.Exit(0) // the commands here are those of a POSIX shell
	}
	goleak.VerifyTestMain(m)
}

// logged collects what is logged.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newRunner(t *testing.T) (*Runner, *logged) {
	l := new(logged)
	return &Runner{Dir: t.TempDir(), Log: slog.New(slog.NewTextHandler(l, nil))}, l
}

func before(commands ...string) []config.Hook {
	var hooks []config.Hook
	for _, c := range commands {
		hooks = append(hooks, config.Hook{Event: config.PreToolUse, Command: c, Timeout: 10 * time.Second, Layer: config.User})
	}
	return hooks
}

var aCall = Call{
	SessionID: "s1", RunID: "r1", UseID: "u1", Tool: "mcp__a__b", Server: "a", Arguments: jsontext.Value(`{"path":"/x","n":1}`),
	URI: "file:///w/x.exec.ts", Line: 7,
}

func say(object string) string { return "cat >/dev/null; printf '%s' '" + object + "'" }

func decide(decision, rest string) string {
	return say(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"` + decision + `"` + rest + `}}`)
}

// HOOK-1: deny, ask, allow, replace the input; in the forms that agents know.
func TestHook1Answers(t *testing.T) {
	for _, c := range []struct {
		name     string
		commands []string
		decision string
		reason   string
		input    string
		context  string
		stop     bool
	}{
		{"nothing", []string{"true"}, "", "", "", "", false},
		{"byte order mark", []string{`printf '\357\273\277{"decision":"block","reason":"marked"}'`}, Deny, "marked", "", "", false},
		{"deny", []string{decide("deny", `,"permissionDecisionReason":"not on Fridays"`)}, Deny, "not on Fridays", "", "", false},
		{"deny without a reason", []string{decide("deny", "")}, Deny, "it gave no reason", "", "", false},
		{"exit 2", []string{"cat >/dev/null; echo no way >&2; exit 2"}, Deny, "no way", "", "", false},
		{"exit 2 without a word", []string{"exit 2"}, Deny, "it gave no reason", "", "", false},
		{"exit 2 and an allowance", []string{decide("allow", "") + "; exit 2"}, Deny, "it gave no reason", "", "", false},
		{"allow", []string{decide("allow", "")}, Allow, "", "", "", false},
		{"ask", []string{decide("ask", `,"permissionDecisionReason":"look twice"`)}, Ask, "look twice", "", "", false},
		{"older form", []string{say(`{"decision":"block","reason":"old"}`)}, Deny, "old", "", "", false},
		{"older form, approve", []string{say(`{"decision":"approve"}`)}, Allow, "", "", "", false},
		{"stop", []string{say(`{"continue":false,"stopReason":"enough"}`)}, Deny, "enough", "", "", true},
		{"replace", []string{say(`{"hookSpecificOutput":{"updatedInput":{ "path" : "/y" }}}`)}, "", "", `{"path":"/y"}`, "", false},
		{"context", []string{say(`{"hookSpecificOutput":{"additionalContext":"mind the gap"}}`)}, "", "", "", "mind the gap", false},
		{"deny wins", []string{decide("allow", ""), decide("deny", ""), decide("allow", "")}, Deny, "it gave no reason", "", "", false},
		{"ask weighs more", []string{decide("allow", ""), decide("ask", ""), decide("allow", "")}, Ask, "", "", "", false},
		{"each sees what the one before left", []string{
			say(`{"hookSpecificOutput":{"updatedInput":{"step":1}}}`),
			`grep -q '"tool_input":{"step":1}' && printf '{"hookSpecificOutput":{"updatedInput":{"step":2}}}'`,
		}, "", "", `{"step":2}`, "", false},
		{"an allowance is for the input that was seen", []string{
			decide("allow", ""), say(`{"hookSpecificOutput":{"updatedInput":{"step":1}}}`),
		}, "", "", `{"step":1}`, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, log := newRunner(t)
			v := r.Before(t.Context(), before(c.commands...), aCall)
			if v.Decision != c.decision || v.Reason != c.reason || string(v.Input) != c.input || strings.Join(v.Context, "") != c.context || v.Stop != c.stop {
				t.Errorf("got %+v", v)
			}
			if (v.By != nil) != (c.decision != "") {
				t.Errorf("decided by %v", v.By)
			}
			if log.String() != "" {
				t.Error(log.String())
			}
		})
	}
}

// HOOK-2: whatever a hook does wrong allows nothing, denies nothing, changes
// nothing, and is logged.
func TestHook2Failures(t *testing.T) {
	for _, c := range []struct{ name, command, says string }{
		{"exit 1 after an allowance", decide("allow", "") + "; exit 1", "exit code 1"},
		{"no such program", "/nowhere/at/all", "exit code 127"},
		{"killed", decide("allow", "") + "; kill -9 $$", "signal: killed"},
		{"broken JSON", say(`{"hookSpecificOutput":{"permissionDecision":"allow"}`), "cannot be read"},
		{"a list", say(`[{"decision":"approve"}]`), "not one JSON object"},
		{"text", say(`denied`), "not one JSON object"},
		{"text before an object", "echo checking; " + decide("allow", ""), "not one JSON object"},
		{"two objects", say(`{"decision":"approve"}{"decision":"approve"}`), "cannot be read"},
		{"a name twice", say(`{"decision":"block","decision":"approve"}`), "cannot be read"},
		{"wrong type", say(`{"hookSpecificOutput":{"permissionDecision":["allow"]}}`), "cannot be read"},
		{"unknown decision", decide("yes", ""), "none of allow, ask, deny"},
		{"unknown older decision", say(`{"decision":"allow"}`), "neither approve nor block"},
		{"another event", say(`{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"allow"}}`), "for the event"},
		{"input is no object", say(`{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":["x"]}}`), "not an object"},
		{"binary", `printf '{\000\377'`, "cannot be read"},
		{"an endless answer", decide("allow", "") + "; yes", "more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, log := newRunner(t)
			v := r.Before(t.Context(), before(c.command), aCall)
			if v.Decision != "" || v.Input != nil || v.By != nil || v.Stop || v.Context != nil {
				t.Errorf("got %+v", v)
			}
			if !strings.Contains(log.String(), c.says) || !strings.Contains(log.String(), "hook:") {
				t.Errorf("logged %q, want %q", log.String(), c.says)
			}
		})
	}
}

// HOOK-2: one that hangs is ended with all that it has started.
func TestHook2Hang(t *testing.T) {
	r, log := newRunner(t)
	hooks := before(decide("allow", "") + `; sleep 1000 & echo $! > child; echo $$ > leader; sleep 1000`)
	hooks[0].Timeout = 2 * time.Second // enough for a shell to begin on a busy machine
	began := time.Now()
	if v := r.Before(t.Context(), hooks, aCall); v.Decision != "" {
		t.Errorf("got %+v", v)
	}
	if took := time.Since(began); took > time.Minute { // of 1000 s
		t.Errorf("took %s", took)
	}
	if !strings.Contains(log.String(), "time limit") {
		t.Error(log.String())
	}
	for _, name := range []string{"leader", "child"} {
		pid, err := os.ReadFile(filepath.Join(r.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		gone(t, strings.TrimSpace(string(pid)))
	}
}

// gone waits until a process has ended: a killed orphan ends a moment later.
func gone(t *testing.T, pid string) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) {
		out, _ := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
		if state := strings.TrimSpace(string(out)); state == "" || strings.HasPrefix(state, "Z") {
			return
		}
	}
	t.Errorf("process %s is still there", pid)
}

// What a hook leaves running ends with it, and does not hold up its answer.
func TestLeftBehind(t *testing.T) {
	r, _ := newRunner(t)
	began := time.Now()
	v := r.Before(t.Context(), before("sleep 1000 & echo $! > child; "+decide("deny", "")), aCall)
	if v.Decision != Deny {
		t.Errorf("got %+v", v)
	}
	if took := time.Since(began); took > time.Minute { // of 1000 s
		t.Errorf("took %s", took)
	}
	pid, err := os.ReadFile(filepath.Join(r.Dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	gone(t, strings.TrimSpace(string(pid)))
}

// HOOK-3: when a person has answered first, the command is ended at once.
func TestHook3Cancelled(t *testing.T) {
	r, log := newRunner(t)
	ctx, cancel := context.WithCancel(t.Context())
	started := filepath.Join(r.Dir, "started")
	if err := exec.Command("mkfifo", started).Run(); err != nil {
		t.Skip(err)
	}
	go func() {
		_, _ = os.ReadFile(started) // until the hook is there
		cancel()
	}()
	if v := r.Before(ctx, before("echo > started; sleep 1000", "touch second"), aCall); v.Decision != "" || v.By != nil {
		t.Errorf("got %+v", v)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "second")); err == nil {
		t.Error("the next hook was run")
	}
	if log.String() != "" {
		t.Error(log.String())
	}
}

// HOOK-4: what hooks are told after a call, and what they can say.
func TestHook4After(t *testing.T) {
	r, log := newRunner(t)
	hooks := []config.Hook{
		{Event: config.PostToolUse, Command: `cat > ok.json; printf %s '{"systemMessage":"for people","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"two\nlines"}}'`, Timeout: 10 * time.Second},
		{Event: config.PostToolUse, Command: "echo wrong output >&2; exit 2", Timeout: 10 * time.Second},
		{Event: config.PostToolUseFailure, Command: `cat > failed.json; printf '{"decision":"block","reason":"try again"}'`, Timeout: 10 * time.Second},
	}
	done := aCall
	done.Response = jsontext.Value(`{"content":[{"type":"text","text":"hi"}]}`)
	n := r.After(t.Context(), hooks, done)
	if strings.Join(n.Context, "|") != "two\nlines|wrong output" || strings.Join(n.Messages, "|") != "for people" {
		t.Errorf("got %+v", n)
	}
	failed := aCall
	failed.Error, failed.Interrupt = "cancelled", true
	n = r.After(t.Context(), hooks, failed)
	if strings.Join(n.Context, "|") != "try again" {
		t.Errorf("got %+v", n)
	}
	for file, want := range map[string]map[string]any{
		"ok.json": {
			"session_id": "s1", "run_id": "r1", "cwd": r.Dir, "hook_event_name": "PostToolUse", "tool_name": "mcp__a__b", "server": "a",
			"tool_use_id": "u1", "script_uri": "file:///w/x.exec.ts", "script_line": 7.0, "error": nil, "isInterrupt": nil,
		},
		"failed.json": {"hook_event_name": "PostToolUseFailure", "error": "cancelled", "isInterrupt": true, "is_interrupt": true, "tool_response": nil},
	} {
		data, err := os.ReadFile(filepath.Join(r.Dir, file))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s: %s is %v, want %v", file, name, got[name], value)
			}
		}
		if got["tool_input"].(map[string]any)["path"] != "/x" {
			t.Errorf("%s: input %v", file, got["tool_input"])
		}
	}
	if log.String() != "" {
		t.Error(log.String())
	}
}

// A hook gets no secret of ours, and its input whole, however long.
func TestEnvironmentAndLongInput(t *testing.T) {
	t.Setenv("MY_API_TOKEN", "geheim")
	t.Setenv("LC_ALL", "C.UTF-8")
	r, log := newRunner(t)
	long := aCall
	long.Arguments = jsontext.Value(`{"text":"` + strings.Repeat("x", 3<<20) + `"}`)
	r.Before(t.Context(), before("env > env; wc -c > size", "true"), long) // the second one reads nothing
	env, err := os.ReadFile(filepath.Join(r.Dir, "env"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(env), "geheim") || !strings.Contains(string(env), "CODEMODE_WORKSPACE="+r.Dir) || !strings.Contains(string(env), "LC_ALL=C.UTF-8") || !strings.Contains(string(env), "PATH=") {
		t.Errorf("environment:\n%s", env)
	}
	size, err := os.ReadFile(filepath.Join(r.Dir, "size"))
	if err != nil || len(strings.TrimSpace(string(size))) < 7 {
		t.Errorf("%q %v", size, err)
	}
	if log.String() != "" {
		t.Error(log.String())
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"decision":"approve"}`))
	f.Add([]byte(`{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{}}}`))
	f.Fuzz(func(t *testing.T, stdout []byte) {
		a, err := read(config.PreToolUse, stdout)
		if err != nil {
			if a.decision != "" || a.input != nil || a.context != nil || a.stop {
				t.Fatalf("%q: an error and %+v", stdout, a)
			}
			return
		}
		if a.decision == Allow && !json.Valid(stdout) {
			t.Fatalf("%q allows", stdout)
		}
	})
}

// HOOK-1: a guard has its say also when the folder is gone.
func TestHook1WithoutAFolder(t *testing.T) {
	r, log := newRunner(t)
	if err := os.Remove(r.Dir); err != nil {
		t.Fatal(err)
	}
	if v := r.Before(t.Context(), before(`grep -q "\"cwd\":\"$PWD\"" && echo "no" >&2 && exit 2`), aCall); v.Decision != Deny || v.Reason != "no" {
		t.Errorf("%+v, %s", v, log)
	}
}
