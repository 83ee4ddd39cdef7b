package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec/cassette"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

func containsText(s, part string) bool { return strings.Contains(s, part) }

// EXEC-3, EXEC-4: what a call resolves to, and what it rejects with.
func TestExec3Value(t *testing.T) {
	for _, c := range []struct {
		name   string
		result upstream.Result
		want   string
	}{
		{"structured", upstream.Result{Structured: jsontext.Value(`{"z":1,"a":[true]}`), Text: "text", HasText: true}, `{"z":1,"a":[true]}`},
		{"array", upstream.Result{Structured: jsontext.Value(`[1]`)}, `[1]`},
		{"text", upstream.Result{Text: "a\n\"b\"", HasText: true}, `"a\n\"b\""`},
		{"empty text", upstream.Result{HasText: true}, `""`},
		{"JSON text stays text", upstream.Result{Text: `{"a":1}`, HasText: true}, `"{\"a\":1}"`},
		{"not UTF-8", upstream.Result{Text: "a\xffb", HasText: true}, `"a` + "\ufffd" + `b"`},
		{"nothing", upstream.Result{}, `null`},
		{"an image alone", upstream.Result{Attachments: []upstream.Attachment{{Kind: "image", MIMEType: "image/png", Data: "AAAA"}}}, `null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := setup(t, func(s *fakeScript) sandbox.Outcome {
				got, err := s.call("mcp__a__plain", `{}`)
				if err != nil || got != c.want {
					t.Errorf("got %s, %v; want %s", got, err, c.want)
				}
				return completed("")
			})
			b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) { return &c.result, nil }
			r := b.run(t, Request{})
			if len(r.Output) != len(c.result.Attachments) {
				t.Errorf("output: %v", r.Output)
			}
		})
	}
}

func TestExec4Rejection(t *testing.T) {
	long := strings.Repeat("long ", 300)
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		_, err := s.call("mcp__a__plain", `{}`)
		var e *sandbox.CallError
		if !errors.As(err, &e) || e.Message != "no  such\nissue "+long || e.Tool != "mcp__a__plain" || string(e.Structured) != `{"code":404}` || e.Code != CodeToolError {
			t.Errorf("%#v", err)
		}
		return rejected(0, err)
	})
	b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) {
		return &upstream.Result{IsError: true, Text: "no  such\nissue " + long, HasText: true, Structured: jsontext.Value(`{"code":404}`)}, nil
	}
	r := b.run(t, Request{})
	if r.Status != CodeError || r.Error.ToolCall == nil || *r.Error.ToolCall != 0 || r.Calls[0].Status != CallFailed {
		t.Errorf("%+v", r)
	}
	if e := r.Calls[0].Error; !strings.HasPrefix(e, "no such issue long") || len(e) > maxError+len("…") { // OUT-3
		t.Errorf("record: %q", e)
	}
	contain(t, r.Text, "Calls already made (not undone):\n- mcp__a__plain: failed") // EXEC-11
}

// EXEC-4, TRUST-4: a script gets of an enormous error its beginning, its end and how
// much is missing, instead of running out of memory.
func TestExec4EnormousError(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		_, err := s.call("mcp__a__plain", `{}`)
		var e *sandbox.CallError
		if !errors.As(err, &e) || len(e.Message) > 2*maxErrorText+100 || !strings.HasPrefix(e.Message, "begin é") || !strings.HasSuffix(e.Message, "é end") ||
			!strings.Contains(e.Message, "characters of the error left out") {
			t.Errorf("%d bytes, %v", len(e.Message), e.Code)
		}
		return rejected(0, err)
	})
	b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) {
		return &upstream.Result{IsError: true, Text: "begin " + strings.Repeat("é", 3<<20) + " end", HasText: true}, nil
	}
	b.run(t, Request{})
}

// EXEC-5, PERM-5: the bytes that the script wrote are those that are asked for,
// sent and recorded.
func TestExec5ArgumentsAreTheSameBytes(t *testing.T) {
	const arguments = `{"z":1e3,"a":"\u00e9","n":{"b":null,"a":[]}}`
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", arguments)
		s.call("mcp__a__plain", ``)
		return completed("")
	}, ask)
	person := &always{Answer: Answer{Decision: "allow"}}
	r := b.run(t, Request{Asker: person})
	for i, want := range []string{arguments, `{}`} {
		if string(b.server.sent[i].Arguments) != want || string(person.asked[i].Arguments) != want || person.asked[i].Call != i || string(r.Calls[i].Arguments) != want {
			t.Errorf("sent %s, asked %s, recorded %s; want %s", b.server.sent[i].Arguments, person.asked[i].Arguments, r.Calls[i].Arguments, want)
		}
	}
	if b.server.sent[0].Server != "a" || b.server.sent[0].Tool != "plain" {
		t.Errorf("sent to %+v", b.server.sent[0])
	}
}

// EXEC-6, SUM-5: a name outside the pool does not count.
func TestExec6UnknownTool(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		_, err := s.call("mcp__a__plan", `{}`)
		for _, part := range []string{"only MCP tools", `tools["$codemode"].search(`, "mcp__a__plain"} {
			contain(t, fmt.Sprint(err), part)
		}
		_, err = s.call("fetch\n\x1b[31m"+strings.Repeat("x", 1000), `{}`)
		if m := fmt.Sprint(err); len(m) > 400 || strings.ContainsAny(m, "\n\x1b") {
			t.Errorf("%q", m)
		}
		_, err = s.call("$codemode.nope", `{}`)
		contain(t, fmt.Sprint(err), "has no nope")
		_, err = s.call("mcp__a__plain", `{}`)
		if err != nil {
			t.Error(err)
		}
		return completed("1")
	})
	r := b.run(t, Request{})
	if r.Summary != "1 tool call\nmcp__a__plain" || len(b.server.sent) != 1 {
		t.Errorf("%q, %d sent", r.Summary, len(b.server.sent))
	}
}

// BUD-7, SUM-5: a call over the cap is refused alone.
func TestBud7CallCap(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", `{}`)
		s.call("$codemode.list", `{}`) // each use that reaches the host counts
		_, err := s.call("mcp__a__plain", `{}`)
		var e *sandbox.CallError
		if !errors.As(err, &e) || e.Code != CodeCallCap {
			t.Errorf("%v", err)
		}
		return rejected(2, err)
	})
	r := b.run(t, Request{MaxToolCalls: 2})
	equal(t, "statuses", statuses(r), []CallStatus{CallCompleted, CallCompleted, CallRefused})
	if r.Status != BudgetExceeded || r.Summary != "failed" || len(b.server.sent) != 1 {
		t.Errorf("%s %q", r.Status, r.Summary)
	}
	if strings.Contains(r.Text, "2 ") { // RES-4: no budget number
		t.Errorf("%s", r.Text)
	}
}

// BUD-5, BUD-7, SUM-5: a script that goes on for ever over the cap fills no
// memory of the server; its calls count, and the last ones are shown.
func TestBud7EndlessCalls(t *testing.T) {
	const more = 3 * maxRefused
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for range more {
			if _, err := s.call("mcp__a__plain", `{}`); s.next > 1 && err == nil {
				t.Error("made over the cap")
			}
		}
		_, err := s.call("$codemode.list", `{}`)
		return rejected(more, err)
	})
	r := b.run(t, Request{MaxToolCalls: 1})
	if len(r.Calls) != 1+maxRefused || r.Status != BudgetExceeded || len(b.server.sent) != 1 {
		t.Errorf("%d calls, %s", len(r.Calls), r.Status)
	}
	b.Runner.Sandbox = fakeSandbox(func(s *fakeScript) sandbox.Outcome {
		for range more {
			s.call("mcp__a__plain", `{}`)
		}
		s.call("$codemode.list", `{}`)
		return completed("1")
	})
	r = b.run(t, Request{MaxToolCalls: 1})
	if want := fmt.Sprintf("%d tool calls\n... mcp__a__plain\n$codemode.list", more+1); r.Summary != want {
		t.Errorf("%q", r.Summary)
	}
	if n := len(r.Warnings); n == 0 || !strings.Contains(r.Warnings[n-1].Message, "calls over the cap were refused and are not listed") {
		t.Errorf("%v", r.Warnings)
	}
}

// BUD-5, PERM-5: large arguments reach the server as they are, and are not kept.
func TestBud5LargeArguments(t *testing.T) {
	large := `{"a":"` + strings.Repeat("x", maxArguments) + `"}`
	half := `{"a":"` + strings.Repeat("x", maxArguments/2) + `"}`
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", large)
		for range 2*maxRecorded/len(half) + 2 {
			s.call("mcp__a__plain", half)
		}
		return completed("1")
	})
	var events int
	r := b.run(t, Request{Events: func(e Event) {
		if e.Call != nil {
			events = max(events, len(e.Call.Arguments))
		}
	}})
	total := 0
	for i, c := range r.Calls {
		total += len(c.Arguments)
		if !c.Arguments.IsValid() || i == 0 && !strings.Contains(string(c.Arguments), "bytes, too many to be shown") {
			t.Errorf("%.60s", c.Arguments)
		}
	}
	if string(b.server.sent[0].Arguments) != large || string(r.Calls[1].Arguments) != half {
		t.Error("arguments changed")
	}
	if total > maxRecorded+1000*len(r.Calls) || events > maxArguments {
		t.Errorf("%d bytes kept, %d told", total, events)
	}
}

// EXEC-15: limits can be raised up to the ceilings only.
func TestExec15Limits(t *testing.T) {
	var got sandbox.Limits
	b := setup(t, func(s *fakeScript) sandbox.Outcome { got = s.request.Limits; return completed("1") })
	for _, c := range []struct {
		q    Request
		wall time.Duration
	}{
		{Request{}, 120 * time.Second},
		{Request{TimeoutMs: 5}, 5 * time.Millisecond},
		{Request{TimeoutMs: -5}, 120 * time.Second},
		{Request{TimeoutMs: 1 << 40}, 1800 * time.Second},
		{Request{Code: "// @options: {\"timeout_ms\": 7}\nreturn 1"}, 7 * time.Millisecond},
		{Request{Code: "// @options: {\"timeout_ms\": 2000000000}\nreturn 1"}, 1800 * time.Second},
	} {
		b.run(t, c.q)
		if got.Wall != c.wall {
			t.Errorf("%+v: %v, want %v", c.q, got.Wall, c.wall)
		}
	}
}

// EXEC-12, EXEC-15, PERM-2: what ends before any sandbox starts.
func TestExec12NothingStarts(t *testing.T) {
	deny := denyRule("Exec")
	for _, c := range []struct {
		name, code string
		rule       bool
		status     Status
		errorCode  string
	}{
		{"blank", " \n\t", false, CodeError, CodeInvalid},
		{"large", strings.Repeat("x", 200<<10), false, CodeError, CodeInvalid},
		{"options", "\n// @options: {}", false, CodeError, CodeOptions},
		{"denied", "return 1", true, Denied, CodeDenied},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := setup(t, func(s *fakeScript) sandbox.Outcome { t.Error("started"); return completed("") })
			if c.rule {
				b = setup(t, func(s *fakeScript) sandbox.Outcome { t.Error("started"); return completed("") }, deny)
			}
			r := b.run(t, Request{Code: c.code})
			if r.Status != c.status || r.Error == nil || r.Error.Code != c.errorCode {
				t.Errorf("%s %+v", r.Status, r.Error)
			}
			if !strings.Contains(r.Text, "Script error:\n") || r.Summary != "failed" {
				t.Errorf("%s", r.Text)
			}
		})
	}
}

// SCHED-1: real overlap at the server, per annotation.
func TestSched1Overlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kinds := []string{"plain", "other", "read", "drop", "put"}
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			var calls []*fakeCall
			for i := range 60 {
				calls = append(calls, s.start(fmt.Sprintf("mcp__%s__%s", []string{"a", "b"}[i*7%3%2], kinds[i*i%5]), fmt.Sprintf(`{"i":%d}`, i)))
			}
			for _, c := range calls {
				if _, err := c.await(); err != nil {
					t.Error(err)
				}
			}
			return completed("")
		})
		b.server.answer = after(time.Second)
		r := b.run(t, Request{})
		for _, pair := range b.server.overlap {
			x, y, _ := strings.Cut(pair, "+")
			serial := func(name string) bool { return strings.HasSuffix(name, ".plain") || strings.HasSuffix(name, ".other") }
			if strings.Contains(pair, ".drop") || serial(x) && serial(y) && x[0] == y[0] {
				t.Errorf("%s overlap", pair)
			}
		}
		if b.server.most < 2 || b.server.most > config.DefaultLimits().MaxConcurrent {
			t.Errorf("%d ran at the same time", b.server.most)
		}
		started := 0 // order of start is order of call
		for _, e := range b.kinds("call") {
			if e.Call.Status != CallRunning {
				continue
			}
			if e.Call.Index != started {
				t.Fatalf("call %d started as number %d", e.Call.Index, started)
			}
			started++
		}
		if len(r.Calls) != 60 || r.Timing.QueuedMs == 0 || r.Calls[59].Timing.QueuedMs == 0 {
			t.Errorf("%d calls, %+v", len(r.Calls), r.Timing)
		}
	})
}

// EXEC-2, SCHED-1: read-only calls run together, up to the cap; the setting
// exec.concurrency turns the rule off for a server.
func TestSched1Together(t *testing.T) {
	for _, c := range []struct {
		tool string
		off  bool
		most int
	}{{"read", false, 8}, {"put", false, 8}, {"plain", false, 1}, {"drop", false, 1}, {"plain", true, 8}, {"drop", true, 8}} {
		t.Run(fmt.Sprint(c.tool, c.off), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, func(s *fakeScript) sandbox.Outcome {
					var calls []*fakeCall
					for range 30 {
						calls = append(calls, s.start("mcp__a__"+c.tool, `{}`))
					}
					for _, c := range calls {
						c.await()
					}
					return completed("")
				})
				b.Together = func(server string) bool { return c.off && server == "a" }
				b.server.answer = after(time.Second)
				b.run(t, Request{})
				if b.server.most != c.most {
					t.Errorf("%d ran at the same time, want %d", b.server.most, c.most)
				}
			})
		})
	}
}

// TIME-1, TIME-2: the deadline begins when the call is sent: neither waiting for
// a person nor for other calls is charged. Timed out is not cancelled.
func TestTime1Deadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			first := s.start("mcp__a__plain", `{}`)
			second := s.start("mcp__a__plain", `{}`)
			if _, err := first.await(); err != nil {
				t.Error(err)
			}
			_, err := second.await()
			var e *sandbox.CallError
			if !errors.As(err, &e) || e.Code != CodeTimeout || !strings.Contains(e.Message, "timed out") {
				t.Errorf("%#v", err)
			}
			return completed("")
		}, ask)
		limits := config.DefaultLimits()
		limits.CallTimeout = 10 * time.Second
		b.Limits = func() config.Limits { return limits }
		n := 0
		b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
			n++
			return after(time.Duration(n*n*n)*9*time.Second)(ctx, c)
		}
		slow := askerFunc(func(ctx context.Context, q Question) (Answer, error) {
			time.Sleep(time.Minute) // of the bubble
			return Answer{Decision: "allow"}, nil
		})
		r := b.run(t, Request{Asker: slow})
		equal(t, "statuses", statuses(r), []CallStatus{CallCompleted, CallTimedOut})
		// The second was asked for while the first ran: 2 minutes, of which the
		// first's question took one.
		if got := r.Calls[1].Timing; got.PermissionMs != 120_000 || got.TotalMs != 130_000 {
			t.Errorf("%+v", got)
		}
		if r.Timing.PermissionMs != 120_000 {
			t.Errorf("%+v", r.Timing)
		}
	})
}

// TIME-2: what a call that timed out had waited in the queue is said in its record
// and to a direct caller, and not to a script (RES-4).
func TestTime2SaysHowLongQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			s.start("mcp__a__plain", `{}`)
			c := s.start("mcp__a__plain", `{}`)
			if _, err := c.await(); err == nil || strings.Contains(err.Error(), "queued") {
				t.Errorf("%v", err)
			}
			return completed("")
		})
		limits := config.DefaultLimits()
		limits.CallTimeout = 10 * time.Second
		b.Limits = func() config.Limits { return limits }
		var n atomic.Int64
		b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
			return after(time.Duration(n.Add(1))*6*time.Second)(ctx, c)
		}
		r := b.run(t, Request{})
		equal(t, "statuses", statuses(r), []CallStatus{CallCompleted, CallTimedOut})
		const said = "timed out: the server did not answer in time (it had been queued for 6s before)"
		contain(t, r.Calls[1].Error, said)
		n.Store(0)
		results := b.CallDirect(t.Context(), DirectRequest{Agent: native, Calls: []DirectCall{{Name: "mcp__a__read"}, {Name: "mcp__a__read"}}})
		if results[1].Code != CodeTimeout || strings.Contains(results[1].Text, "queued") {
			t.Errorf("not queued: %+v", results[1])
		}
	})
}

// TIME-3: progress resets the deadline, up to the ceiling.
func TestTime3Progress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			s.call("mcp__a__plain", `{}`)
			s.call("mcp__a__other", `{}`)
			return completed("")
		})
		limits := config.DefaultLimits()
		limits.CallTimeout = 10 * time.Second
		b.Limits = func() config.Limits { return limits }
		b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
			for i := 0; c.Tool == "other" || i < 5; i++ {
				if _, err := after(8*time.Second)(ctx, c); err != nil {
					return nil, err
				}
				c.Progress(float64(i), 5, "step")
			}
			return &upstream.Result{}, nil
		}
		r := b.run(t, Request{})
		equal(t, "statuses", statuses(r), []CallStatus{CallCompleted, CallTimedOut})
		if got := r.Calls[1].Timing.TotalMs; got != 3_600_000 {
			t.Errorf("ended after %d ms", got)
		}
		progress := 0
		for _, e := range b.kinds("call") {
			if e.Progress != nil && e.Progress.Message == "step" && e.Progress.Total == 5 {
				progress++
			}
		}
		if progress < 5 {
			t.Errorf("%d progress events", progress)
		}
	})
}

// OUT-3: failures of a call are told apart by a code.
func TestOut3Codes(t *testing.T) {
	for _, c := range []struct {
		err    error
		status CallStatus
		code   string
		text   string
	}{
		{&upstream.CallError{Reason: upstream.Unavailable, Message: "server a\nis not connected"}, CallFailed, CodeUnavailable, "server a is not connected"},
		{&upstream.CallError{Reason: upstream.TimedOut, Message: "x"}, CallTimedOut, CodeTimeout, "timed out"},
		{&upstream.CallError{Reason: upstream.Cancelled, Message: "x"}, CallCancelled, CodeCancelled, "cancelled"},
		{&upstream.CallError{Reason: upstream.Rejected, Message: "unknown tool"}, CallFailed, CodeToolError, "unknown tool"},
		{fmt.Errorf("calling: %w", errors.New("pipe broke")), CallFailed, CodeToolError, "pipe broke"},
	} {
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			_, err := s.call("mcp__a__plain", `{}`)
			var e *sandbox.CallError
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.text) || strings.Contains(e.Message, "calling") {
				t.Errorf("%#v, want %s %q", err, c.code, c.text)
			}
			return completed("")
		})
		b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) { return nil, c.err }
		r := b.run(t, Request{})
		equal(t, "statuses", statuses(r), []CallStatus{c.status})
	}
}

// BUD-11, EXEC-14: cancelling ends calls; so does the script's own end, which is
// a warning.
func TestBud11Cancel(t *testing.T) {
	b := setup(t, nil)
	sent := make(chan struct{})
	b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
		close(sent)
		<-ctx.Done()
		return nil, &upstream.CallError{Reason: upstream.Cancelled, Message: "gone"}
	}
	b.Sandbox = fakeSandbox(func(s *fakeScript) sandbox.Outcome {
		s.start("mcp__a__plain", `{}`)
		<-sent
		for id := range b.history.going {
			if !b.Cancel(id) {
				t.Error("not cancelled")
			}
		}
		<-s.Done()
		return sandbox.Outcome{}
	})
	r := b.run(t, Request{})
	equal(t, "statuses", statuses(r), []CallStatus{CallCancelled})
	if r.Status != Cancelled || b.Cancel(r.RunID) {
		t.Errorf("%+v", r)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.Sandbox = fakeSandbox(func(s *fakeScript) sandbox.Outcome { t.Error("started"); return completed("") })
	if r := b.Run(ctx, Request{Code: "return 1"}); r.Status != Cancelled {
		t.Errorf("cancelled before it began: %s", r.Status)
	}
}

func TestExec14InFlight(t *testing.T) {
	sent := make(chan struct{})
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.start("mcp__a__plain", `{}`)
		<-sent
		return completed("1")
	})
	b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
		close(sent)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r := b.run(t, Request{})
	equal(t, "statuses", statuses(r), []CallStatus{CallCancelled})
	if r.Status != Completed || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Message, "mcp__a__plain") {
		t.Errorf("%+v", r)
	}
	contain(t, r.Text, "Warnings:\n- call 1 (mcp__a__plain) was still in flight when the script ended, and was cancelled; it may have taken effect")
	if r.Calls[0].NotSent {
		t.Error("it was sent")
	}
}

// EXEC-14, RES-4: a script that ends at once has made all of its calls all the
// same, and they are named in their order, in every run.
func TestExec14EndsAtOnce(t *testing.T) {
	const calls = 20
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for i := range calls {
			s.start(map[bool]string{true: "mcp__a__plain", false: "mcp__b__read"}[i%2 == 0], `{}`)
		}
		return completed("1")
	})
	b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for range 50 {
		r := b.run(t, Request{})
		if len(r.Calls) != calls || len(r.Warnings) != calls {
			t.Fatalf("%d calls, %d warnings", len(r.Calls), len(r.Warnings))
		}
		for i, w := range r.Warnings {
			unsent := strings.Contains(w.Message, "was not sent")
			if unsent != r.Calls[i].NotSent || unsent == strings.Contains(w.Message, "may have taken effect") {
				t.Fatalf("%d: %s, %+v", i, w.Message, r.Calls[i])
			}
			if !strings.HasPrefix(w.Message, fmt.Sprintf("call %d (mcp__", i+1)) || r.Calls[i].Range.Start.Line != i || r.Calls[i].Status != CallCancelled {
				t.Fatalf("%d: %s, %+v", i, w.Message, r.Calls[i])
			}
		}
	}
}

// A call whose answer is on its way when the script ends was not cancelled.
func TestExec14AnsweredTooLate(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", `{}`)
		o := completed("1")
		o.InFlight = []int{0}
		return o
	})
	r := b.run(t, Request{})
	equal(t, "statuses", statuses(r), []CallStatus{CallCompleted})
	if len(r.Warnings) != 1 || r.Warnings[0].Message != "the script ended before it got the answer of call 1 (mcp__a__plain), completed: await it" {
		t.Errorf("%+v", r.Warnings)
	}
}

// SUM-1, SUM-2, SUM-3, SUM-4, SUM-5: the summary, sent again on every call.
// SUM-6: nothing of the script or of a call's arguments is in it.
func TestSum(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", `{"secret":1}`)
		s.call("mcp__b__read", `{}`)
		s.call("mcp__a__other", `{}`)
		return completed("")
	})
	r := b.run(t, Request{Code: "const title = 'of the script'"})
	want := []string{
		"1 tool call\nmcp__a__plain",
		"2 tool calls\nmcp__a__plain\nmcp__b__read",
		"3 tool calls\n... mcp__b__read\nmcp__a__other",
	}
	var got []string
	for _, e := range b.kinds("summary") {
		got = append(got, e.Summary)
	}
	equal(t, "summaries", got, want)
	if r.Summary != want[2] {
		t.Errorf("%q", r.Summary)
	}
	if b.events[0].Kind != "started" || b.events[len(b.events)-1].Kind != "finished" {
		t.Errorf("%v", b.events)
	}
	none := setup(t, func(s *fakeScript) sandbox.Outcome { return completed("") }).run(t, Request{})
	if none.Summary != "0 tool calls" {
		t.Errorf("%q", none.Summary)
	}
}

// BUD-10: attachments up to the caps, the rest counted.
func TestBud10Attachments(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", `{}`)
		s.call("$codemode.image", `{"data":"iVBORw0KGgo=","mimeType":"image/png"}`)
		for bad, words := range map[string]string{
			`{"data":"?","mimeType":"image/png"}`:             "not base64",
			`{"data":"iVBORw0KGgo=","mimeType":"image/jpeg"}`: "of another kind (image/png)",
			`{"data":"PGh0bWw+","mimeType":"image/png"}`:      "of another kind (text/html)",
			`{"data":"iVBORw0KGgo=","mimeType":"text/plain"}`: "without a MIME type of its kind",
			`{"data":" ","mimeType":"image/png"}`:             "without data",
		} {
			if _, err := s.call("$codemode.image", bad); err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%s: %v", bad, err)
			}
		}
		return completed("")
	})
	limits := config.DefaultLimits()
	limits.MaxImages, limits.MaxImageBytes = 3, 15
	b.Limits = func() config.Limits { return limits }
	b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) {
		return &upstream.Result{Attachments: []upstream.Attachment{
			{Kind: "image", MIMEType: "image/png", Data: "QUJD"},
			{Kind: "audio", MIMEType: "audio/wav", Data: "QUJD"},
			{Kind: "resource", URI: "file:///x", Text: "far too long"},
		}}, nil
	}
	r := b.run(t, Request{})
	var types []string
	for _, o := range r.Output {
		types = append(types, o.Type)
	}
	equal(t, "output", types, []string{"image", "audio", "image"})
	if r.Dropped == nil || *r.Dropped != (Dropped{1, 12}) {
		t.Errorf("%+v", r.Dropped)
	}
	contain(t, r.Text, "(3 attachments with this text)\n(1 attachment dropped, 12 bytes)")
	if strings.Contains(r.Text, "QUJD") { // RES-3
		t.Error("base64 in the text")
	}
}

// tools["$codemode"]: the catalog members.
func TestMembers(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for _, c := range []struct{ name, arguments, part string }{
			{"describe", `{"name":"mcp__a__read"}`, `"readOnlyHint":true`},
			{"describe", `{"name":"mcp__a__reat"}`, "error: mcp__a__reat is not available"},
			{"describe", `{}`, `lacks the field "name"`},
			{"namespace", `{"name":"a"}`, `How to use a.`},
			{"namespace", `{"name":"zzz"}`, "error: there is no MCP server zzz here; there are mcp__a, mcp__b"},
			{"list", `{}`, `{"name":"mcp__a__drop","description":"Does drop."}`},
			{"search", `{"query":"drop","limit":1}`, `"remaining":`},
		} {
			got, err := s.call("$codemode."+c.name, c.arguments)
			if err != nil {
				got = "error: " + err.Error()
			}
			contain(t, got, c.part)
		}
		return completed("")
	}, ask)
	r := b.run(t, Request{})
	if len(r.Calls) != 7 || !strings.HasPrefix(r.Summary, "7 tool calls\n... $codemode.list\n") {
		t.Errorf("%q", r.Summary)
	}
}

// store and load: for the session, only if the script completes, within limits.
func TestStoreAndLoad(t *testing.T) {
	var body func(s *fakeScript) sandbox.Outcome
	b := setup(t, func(s *fakeScript) sandbox.Outcome { return body(s) })
	load := func(s *fakeScript, want string) {
		t.Helper()
		if got, err := s.call("$codemode.load", `{"key":"k"}`); err != nil || got != want {
			t.Errorf("got %s %v, want %s", got, err, want)
		}
	}
	store := func(s *fakeScript, arguments string) {
		t.Helper()
		if _, err := s.call("$codemode.store", arguments); err != nil {
			t.Error(err)
		}
	}
	session := ""
	run := func(f func(s *fakeScript) sandbox.Outcome) {
		body = f
		b.run(t, Request{SessionID: session})
	}
	run(func(s *fakeScript) sandbox.Outcome {
		load(s, "null")
		store(s, `{"key":"k","value":{"a":[1]}}`)
		load(s, `{"a":[1]}`) // its own writes
		return sandbox.Outcome{Status: sandbox.Thrown, Error: &sandbox.ScriptError{Message: "x", Call: -1}}
	})
	run(func(s *fakeScript) sandbox.Outcome {
		load(s, "null") // the script before failed
		store(s, `{"key":"k","value":1}`)
		return completed("")
	})
	session = "other"
	run(func(s *fakeScript) sandbox.Outcome { load(s, "null"); return completed("") })
	session = "default"
	run(func(s *fakeScript) sandbox.Outcome {
		load(s, "1")
		_, err := s.call("$codemode.store", `{"key":"k","value":"`+strings.Repeat("x", maxStored)+`"}`)
		var e *sandbox.CallError
		if !errors.As(err, &e) || e.Name != "RangeError" {
			t.Errorf("%#v", err)
		}
		for i := range 10 {
			store(s, fmt.Sprintf(`{"key":"k%d","value":"%s"}`, i, strings.Repeat("x", maxStored-10)))
		}
		if _, err = s.call("$codemode.store", `{"key":"more","value":"`+strings.Repeat("x", maxStored-10)+`"}`); err == nil {
			t.Error("more than a session may keep")
		}
		store(s, `{"key":"k"}`) // undefined deletes
		load(s, "null")
		return completed("")
	})
	run(func(s *fakeScript) sandbox.Outcome { load(s, "null"); return completed("") })
}

// OBS-2: ended runs are kept, newest first, and bounded.
func TestObs2Runs(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome { return completed(`"v"`) })
	var last *Result
	for i := range maxKept + 5 {
		last = b.run(t, Request{Code: fmt.Sprint("return ", i), URI: "file:///a.exec.ts"})
	}
	runs := b.Runs(0)
	if len(runs) != maxKept || runs[0].RunID != last.RunID || runs[0].URI == "" || len(b.Runs(3)) != 3 {
		t.Errorf("%d runs, the first %+v", len(runs), runs[0])
	}
	r, code, ok := b.Find(last.RunID)
	if !ok || r.RunID != last.RunID || code != fmt.Sprint("return ", maxKept+4) {
		t.Errorf("%v %q", ok, code)
	}
	if _, _, ok := b.Find("nope"); ok {
		t.Error("found what is not there")
	}
}

// OBS-2: a kept run has its calls with their arguments and results; the run's own
// answer need not carry them twice.
func TestObs2Results(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for _, a := range []string{`{"n":1}`, `{"large":true}`, `{"fails":true}`} {
			s.call("mcp__a__plain", a)
		}
		return completed(`1`)
	})
	b.server.answer = func(_ context.Context, c upstream.Call) (*upstream.Result, error) {
		switch {
		case strings.Contains(string(c.Arguments), "large"):
			return &upstream.Result{Text: strings.Repeat("x", maxKeptResult), HasText: true}, nil
		case strings.Contains(string(c.Arguments), "fails"):
			return &upstream.Result{Text: "no", HasText: true, IsError: true}, nil
		}
		return &upstream.Result{Structured: jsontext.Value(`{"found":[1]}`)}, nil
	}
	r := b.run(t, Request{})
	kept, _, ok := b.Find(r.RunID)
	if !ok || len(kept.Calls) != 3 {
		t.Fatalf("%+v", kept)
	}
	if r.Calls[0].Result != nil {
		t.Error("the answer has the results")
	}
	var got []string
	for _, c := range kept.Calls {
		got = append(got, string(c.Arguments)+" "+string(c.Result)+" "+c.Error)
	}
	equal(t, "calls", got, []string{`{"n":1} {"found":[1]} `, `{"large":true}  `, `{"fails":true}  no`})
	if kept.Calls[1].ResultBytes != maxKeptResult {
		t.Errorf("%d bytes", kept.Calls[1].ResultBytes)
	}
}

// OBS-1: every state of a call is told as it comes, and at its end how long what
// took.
func TestObs1Events(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		one, two := s.start("mcp__a__plain", `{"n":1}`), s.start("mcp__a__plain", `{"n":2}`) // one after the other
		one.await()
		two.await()
		s.call("mcp__a__other", `{}`)
		s.call("mcp__b__plain", `{}`)
		return completed(`1`)
	}, permission.Rule{Effect: permission.Allow, Layer: permission.User, Match: "mcp__a__plain"})
	b.server.answer = func(_ context.Context, c upstream.Call) (*upstream.Result, error) {
		c.Progress(1, 2, "half")
		if c.Tool == "other" {
			return nil, &upstream.CallError{Reason: upstream.Unavailable, Message: "gone"}
		}
		return &upstream.Result{Text: "ok", HasText: true}, nil
	}
	r := b.run(t, Request{Asker: askerFunc(func(_ context.Context, q Question) (Answer, error) {
		if q.Tool == "mcp__a__other" {
			return Answer{Decision: "allow"}, nil
		}
		return Answer{Decision: "deny"}, nil
	})})
	seen := map[int][]string{}
	for _, e := range b.kinds("call") {
		state := string(e.Call.Status)
		if e.Progress != nil {
			state = "progress"
		}
		seen[e.Call.Index] = append(seen[e.Call.Index], state)
		if ended := e.Call.Timing != nil; ended != (e.Call.Status == CallCompleted || e.Call.Status == CallFailed || e.Call.Status == CallDenied) {
			t.Errorf("timing of %+v", e.Call)
		}
	}
	equal(t, "0", seen[0], []string{"queued", "running", "progress", "completed"})
	equal(t, "2", seen[2], []string{"queued", "waiting", "running", "progress", "failed"})
	equal(t, "3", seen[3], []string{"queued", "waiting", "denied"})
	if all := b.events; all[0].Kind != "started" || all[len(all)-1].Kind != "finished" || all[len(all)-1].Status != r.Status {
		t.Errorf("%+v", all)
	}
}

// A result must be JSON whatever a server sent.
func TestResultIsJSON(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", `{"a":1}`)
		return completed(`{"x":1}`)
	})
	r := b.run(t, Request{})
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"logs":[]`, `"output":[]`, `"warnings":[]`, `"value":{"x":1}`, `"hasValue":true`, `"status":"completed"`} {
		contain(t, string(data), part)
	}
}

// TIME-1, OBS-1: a tool's own time counts in place of the common one, and what a
// call waited for adds up to its total.
func TestTime1OwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			first, second, other := s.start("mcp__a__plain", `{}`), s.start("mcp__a__plain", `{}`), s.start("mcp__b__plain", `{}`)
			for _, c := range []*fakeCall{first, second, other} {
				_, _ = c.await()
			}
			return completed("")
		})
		b.ToolTimeout = func(tool *catalog.Tool) time.Duration {
			return map[string]time.Duration{"mcp__a__plain": 3 * time.Second}[tool.Name]
		}
		limits := config.DefaultLimits()
		limits.CallTimeout = 10 * time.Second
		b.Limits = func() config.Limits { return limits }
		b.server.answer = after(time.Hour)
		r := b.run(t, Request{})
		equal(t, "statuses", statuses(r), []CallStatus{CallTimedOut, CallTimedOut, CallTimedOut})
		for i, want := range []struct{ queued, run int64 }{{0, 3000}, {3000, 3000}, {3000, 10_000}} {
			if got := r.Calls[i].Timing; got.QueuedMs != want.queued || got.RunMs != want.run || got.TotalMs != want.queued+want.run {
				t.Errorf("call %d: %+v", i, got)
			}
		}
	})
}

// EXEC-4: an error without text says what data came with it, cut.
func TestExec4DataAlone(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{`{"code":"X","message":"deep"}`, `{"code":"X","message":"deep"}`},
		{`["a",1]`, `["a",1]`},
		{`"` + strings.Repeat("é", maxErrorData) + `"`, `"` + strings.Repeat("é", maxErrorData-1) + "…"},
	} {
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			_, err := s.call("mcp__a__plain", `{}`)
			var failure *sandbox.CallError
			if !errors.As(err, &failure) || failure.Message != c.want || string(failure.Structured) != c.data {
				t.Errorf("%.80v, want %.80s", err, c.want)
			}
			return completed("")
		})
		b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) {
			return &upstream.Result{IsError: true, Structured: jsontext.Value(c.data), Text: " \n", HasText: true}, nil
		}
		b.run(t, Request{})
	}
}

// EXEC-3: what cannot be text is in the output, and a warning names it; so it is when
// the run is replayed.
func TestExec3NothingDisappears(t *testing.T) {
	script := func(s *fakeScript) sandbox.Outcome {
		got, err := s.call("mcp__a__plain", `{}`)
		if err != nil || got != `{"id":1}` {
			t.Errorf("got %s, %v", got, err)
		}
		return completed("")
	}
	b := setup(t, script)
	b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) {
		return &upstream.Result{Structured: jsontext.Value(`{"id":1}`), Text: "x://link\nfile", HasText: true, Attachments: []upstream.Attachment{
			{Kind: "resource", URI: "x://link", InText: true},
			{Kind: "resource", URI: "x://file", Text: "file", InText: true},
			{Kind: "resource", MIMEType: "application/pdf", Data: "QQ==", Problem: "a PDF"},
			{Kind: "unknown", Text: `{"type":"video"}`, Problem: "a video"},
		}}, nil
	}
	recorder := new(cassette.Recorder)
	live := b.run(t, Request{Record: recorder})
	replayed := setup(t, script).run(t, Request{Replay: cassette.NewPlayer(recorder.Cassette("", Recorded(live)))})
	for name, r := range map[string]*Result{"live": live, "replayed": replayed} {
		var output, warnings []string
		for _, o := range r.Output {
			output = append(output, o.Type+" "+o.URI+o.Text)
		}
		for _, w := range r.Warnings {
			warnings = append(warnings, w.Message)
		}
		slices.Sort(output)
		equal(t, name+": output", output, []string{"resource ", "resource x://filefile", "resource x://link", `unknown {"type":"video"}`})
		equal(t, name+": warnings", warnings, []string{
			"the result of call 1 (mcp__a__plain) has a PDF; it is in the output of the run",
			"the result of call 1 (mcp__a__plain) has a video; it is in the output of the run",
		})
		contain(t, r.Text, "(3 attachments with this text)")
	}
}

// EXEC-3: integers that a JavaScript number cannot hold exactly are named with their
// place.
func TestExec3LargeIntegers(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		_, _ = s.call("mcp__a__plain", `{"id":9007199254740992,"n":1e21,"ok":9007199254740991,"s":"9007199254740993"}`)
		return completed("")
	})
	b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) {
		return &upstream.Result{Structured: jsontext.Value(
			`{"id":9007199254740993,"list":[1,{"a b":-12345678901234567890}],"exact":[9007199254740992,1e22,100000000000000000000,0.1234567890123456789,9007199254740991],"e":1e23,"text":"9007199254740993","huge":1e999}`)}, nil
	}
	var warnings []string
	for _, w := range b.run(t, Request{}).Warnings {
		warnings = append(warnings, w.Path+" "+w.Message)
	}
	equal(t, "warnings", warnings, []string{
		"$.id the arguments of call 1 (mcp__a__plain) have the integer 9007199254740992, which may be rounded: JavaScript numbers are exact up to 9007199254740991",
		"$.id the result of call 1 (mcp__a__plain) has the integer 9007199254740993, which a JavaScript number cannot hold exactly: the script got 9007199254740992",
		`$.list[1]["a b"] the result of call 1 (mcp__a__plain) has the integer -12345678901234567890, which a JavaScript number cannot hold exactly: the script got -12345678901234567000`,
		"$.e the result of call 1 (mcp__a__plain) has the integer 1e23, which a JavaScript number cannot hold exactly: the script got 1e+23",
		"$.huge the result of call 1 (mcp__a__plain) has the integer 1e999, which a JavaScript number cannot hold exactly: the script got Infinity",
	})
}

// TRUST-4: one number of millions of digits is not copied again and again to be named.
func TestExec3EnormousInteger(t *testing.T) {
	const digits = 4 << 20
	v := jsontext.Value(`{"a":1,"n":` + strings.Repeat("9", digits) + `}`)
	begin, end := new(runtime.MemStats), new(runtime.MemStats)
	runtime.ReadMemStats(begin)
	found := findIntegers(v, rounded)
	runtime.ReadMemStats(end)
	if len(found.first) != 1 || found.first[0].script != "Infinity" || found.first[0].path != "$.n" || len(found.first[0].digits) > 100 {
		t.Errorf("%+v", found)
	}
	if n := end.TotalAlloc - begin.TotalAlloc; n > digits*5/2 {
		t.Errorf("%d bytes for %d digits", n, digits)
	}
}

// EXEC-14: of a call that waits for a person, or in the queue behind another one, it
// is known that nothing has taken effect; of a denied one, too.
func TestExec14NotSent(t *testing.T) {
	asked, sent := make(chan struct{}), make(chan struct{})
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.start("mcp__a__plain", `{}`) // is sent
		<-sent
		s.start("mcp__a__plain", `{}`) // is queued behind it
		s.call("mcp__b__read", `{}`)   // is denied
		s.start("mcp__b__other", `{}`) // waits for a person
		<-asked
		return completed("1")
	}, permission.Rule{Effect: permission.Allow, Layer: permission.Flag, Match: "mcp__a__*"})
	b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
		close(sent)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r := b.run(t, Request{Asker: askerFunc(func(ctx context.Context, q Question) (Answer, error) {
		if q.Tool == "mcp__b__read" {
			return Answer{Decision: "deny"}, nil
		}
		close(asked)
		<-ctx.Done()
		return Answer{}, ctx.Err()
	})})
	var got []string
	for _, w := range r.Warnings {
		got = append(got, w.Message)
	}
	equal(t, "warnings", got, []string{
		"call 1 (mcp__a__plain) was still in flight when the script ended, and was cancelled; it may have taken effect: await it",
		"call 2 (mcp__a__plain) was not sent, because the script ended before: await it",
		"call 4 (mcp__b__other) was not sent, because the script ended before: await it",
	})
	var notSent []bool
	for _, c := range r.Calls {
		notSent = append(notSent, c.NotSent)
	}
	equal(t, "notSent", notSent, []bool{false, true, true, true})
}

// EXEC-15, EXEC-19: a lowered option and a function that nobody calls are warnings.
func TestExec19Warnings(t *testing.T) {
	b := setup(t, func(*fakeScript) sandbox.Outcome { return completed("") })
	r := b.run(t, Request{Code: "// @options: {\"timeout_ms\": 2000000000, \"max_tool_calls\": 1}\nasync () => { return 1 }"})
	var got []string
	for _, w := range r.Warnings {
		got = append(got, fmt.Sprintf("%d:%d %s", w.Range.Start.Line, w.Range.Start.Character, w.Message))
	}
	equal(t, "warnings", got, []string{
		"1:0 Nobody calls this function, so the script does nothing. Write its body alone, or export default it.",
		fmt.Sprintf("0:28 the option timeout_ms is lowered from 2000000000 to %d, the ceiling of the setting codemode.exec.timeoutMs", ceiling("exec.timeoutMs")),
	})
}
