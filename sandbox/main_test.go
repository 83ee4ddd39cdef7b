package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/sandbox/guest"
	"codemode-ls/script"
	"codemode-ls/script/esbuild"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
)

// shared runs the scripts of most tests.
var shared *Pool

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == CompilerCommand {
		os.Exit(guest.CompilerMain(esbuild.Transform))
	}
	if len(os.Args) > 2 && os.Args[1] == forgerCommand {
		os.Exit(forge(os.Args[2]))
	}
	shared = NewPool(Options{Warm: 2, MaxRuns: 4, MemoryMB: 256, Log: testLog()})
	code := m.Run()
	shared.Close()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// testLog shows why children died, when SANDBOX_TEST_LOG is set.
func testLog() *slog.Logger {
	if os.Getenv("SANDBOX_TEST_LOG") == "" {
		return nil
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// testLimits give a script as much time as a busy machine may need.
func testLimits() Limits {
	return Limits{
		Wall: time.Minute, Active: time.Minute, MemoryMB: 256, MaxConcurrent: 8,
		LogChars: 65_536, LogEntries: 2_000, ValueBytes: 64 << 20, ResultChars: 262_144,
	}
}

// testHost answers calls:
//
//	echo     its arguments
//	fail     rejects with the message in them
//	hang     waits until the run ends
//	large    a megabyte of text
//	$codemode.search   a list with remaining
type testHost struct {
	mu    sync.Mutex
	calls []Call
	logs  []string
	// answer, when set, answers instead.
	answer func(ctx context.Context, c Call) (jsontext.Value, error)
	// made, when set, is told of every call.
	made chan Call
}

func (h *testHost) Call(ctx context.Context, c Call) (jsontext.Value, error) {
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	if h.made != nil {
		h.made <- c
	}
	if h.answer != nil {
		return h.answer(ctx, c)
	}
	switch c.Name {
	case "echo":
		return c.Arguments, nil
	case "fail":
		return nil, &CallError{Message: "it failed", Tool: c.Name, Code: "FAILED", Structured: jsontext.Value(`{"why":[1]}`)}
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	case "large":
		return jsontext.Value(`"` + strings.Repeat("x", 1<<20) + `"`), nil
	case "$codemode.search":
		return jsontext.Value(`{"value":[{"name":"echo"}],"remaining":3}`), nil
	case "$codemode.load":
		return jsontext.Value(`{"value":[1],"remaining":3}`), nil
	}
	return nil, &CallError{Message: c.Name + " is not a tool; only MCP tools can be reached", Tool: c.Name, Code: "UNKNOWN_TOOL"}
}

func (h *testHost) Log(level, text string) { h.logs = append(h.logs, level+": "+text) }

func testRequest(code string) Request {
	return Request{
		Code: code, Language: script.TypeScript, Limits: testLimits(),
		Tools: []string{"echo", "fail", "hang", "large"}, Members: []string{"search", "load"},
	}
}

// runScript runs one script in a child.
func runScript(t *testing.T, code string) (Outcome, *testHost) {
	t.Helper()
	h := &testHost{}
	return shared.Run(t.Context(), testRequest(code), h), h
}

// wantValue checks that a script completed with a value.
func wantValue(t *testing.T, o Outcome, want string) {
	t.Helper()
	if o.Status != Completed || string(o.Value) != want {
		t.Errorf("%s %s %+v\nwant %s", o.Status, o.Value, o.Error, want)
	}
}

// wantError checks how a script failed, and that the message has some words.
func wantError(t *testing.T, o Outcome, status Status, name, words string) {
	t.Helper()
	if o.Status != status || o.Error == nil || o.Error.Name != name || !strings.Contains(o.Error.Message, words) {
		t.Errorf("%s %s %+v\nwant %s, %s: …%s…", o.Status, o.Value, o.Error, status, name, words)
	}
}
