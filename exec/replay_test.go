package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/exec/cassette"
	"codemode-ls/internal/redact"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// recordRun records a run, and gives its cassette as its file has it.
func (b *bench) recordRun(t *testing.T, q Request) (*Result, *cassette.Cassette) {
	t.Helper()
	q.Record = new(cassette.Recorder)
	r := b.run(t, q)
	text, err := q.Record.Cassette("s.exec.ts", Recorded(r)).Encode()
	if err != nil {
		t.Fatal(err)
	}
	c, err := cassette.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return r, c
}

// elsewhere is a bench that has no server, nobody to ask, and no tools.
func elsewhere(t *testing.T, f fakeSandbox) *bench {
	b := setup(t, f, ask)
	b.Pool = func() *catalog.Catalog { return catalog.New(nil, nil) }
	b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) {
		t.Error("a server was called")
		return nil, errors.New("no")
	}
	return b
}

// REC-1: whatever a call brought, its replay brings it again, from a file and
// without servers, rules or people.
func TestRec1ReplayIsTheRun(t *testing.T) {
	f := fakeSandbox(func(s *fakeScript) sandbox.Outcome {
		var said []string
		for _, c := range [][2]string{
			{"mcp__a__plain", `{"id":1}`}, {"mcp__a__plain", `{"id":1}`}, {"mcp__a__other", `{"deep":{"x":[1,2]}}`},
			{"mcp__a__read", `{}`}, {"mcp__b__put", `{}`}, {"mcp__b__drop", `{}`}, {"mcp__a__nope", `{}`},
			{"$codemode.search", `{"query":"plain"}`}, {"$codemode.store", `{"key":"k","value":7}`}, {"$codemode.load", `{"key":"k"}`},
			{"$codemode.text", `{"value":"some text"}`},
		} {
			value, err := s.call(c[0], c[1])
			var e *sandbox.CallError
			if errors.As(err, &e) {
				value = fmt.Sprintf("%s|%s|%s|%s|%s", e.Name, e.Message, e.Code, e.Tool, e.Structured)
			}
			said = append(said, value)
		}
		return completed(string(quote(strings.Join(said, "\n"))))
	})
	n := 0
	b := setup(t, f, permission.Rule{Effect: permission.Allow, Layer: permission.Flag, Match: "mcp__a__*"}, permission.Rule{Effect: permission.Allow, Layer: permission.Flag, Match: "mcp__b__put"})
	b.server.answer = func(_ context.Context, c upstream.Call) (*upstream.Result, error) {
		n++
		switch c.Server + c.Tool {
		case "aother":
			return &upstream.Result{IsError: true, Text: "it broke", HasText: true, Structured: jsontext.Value(`{"why":1}`)}, nil
		case "aread":
			return &upstream.Result{Structured: jsontext.Value(`{"z":1,"a":2}`), Attachments: []upstream.Attachment{{Kind: "image", MIMEType: "image/png", Data: "AAAA"}}}, nil
		case "bput":
			return nil, &upstream.CallError{Reason: upstream.Unavailable, Server: "b", Message: "gone"}
		}
		return &upstream.Result{Text: fmt.Sprintf("answer %d", n), HasText: true}, nil
	}
	real, c := b.recordRun(t, Request{SessionID: "s"})
	if real.Status != Completed {
		t.Fatalf("%s", real.Text)
	}
	away := elsewhere(t, f)
	got := away.run(t, Request{Replay: cassette.NewPlayer(c), SessionID: "s"})
	if string(got.Value) != string(real.Value) {
		t.Errorf("value:\n%s", cmp.Diff(string(real.Value), string(got.Value)))
	}
	if diff := cmp.Diff(real.Output, got.Output); diff != "" {
		t.Errorf("output:\n%s", diff)
	}
	if real.Summary != got.Summary {
		t.Errorf("summary: %q and %q", real.Summary, got.Summary)
	}
	equal(t, "statuses", statuses(got), statuses(real))
	for i := range got.Calls {
		if a, b := real.Calls[i], got.Calls[i]; a.Tool != b.Tool || a.Server != b.Server || a.Error != b.Error || string(a.Arguments) != string(b.Arguments) {
			t.Errorf("call %d: %+v and %+v", i, a, b)
		}
	}
	if len(got.Warnings) > 0 || len(away.server.sent) > 0 {
		t.Errorf("warnings %v, sent %v", got.Warnings, away.server.sent)
	}
	// A replay leaves nothing behind.
	if v, ok := away.sessions.open("s").load(nil, "k"); ok {
		t.Errorf("stored: %s", v)
	}
}

// REC-1: answers come in the order in which they came when it was recorded, in
// whatever order calls that wait together are made, and again and again.
func TestRec1OrderOfAnswers(t *testing.T) {
	const n = 6
	script := func(order []int, got *[]string) fakeSandbox {
		return func(s *fakeScript) sandbox.Outcome {
			for _, i := range order {
				s.start("mcp__a__read", fmt.Sprintf(`{"n":%d}`, i))
			}
			s.calls.Wait()
			*got = s.arrived
			return completed(`1`)
		}
	}
	straight := []int{0, 1, 2, 3, 4, 5}
	var real []string
	b := setup(t, script(straight, &real))
	// The server answers the last one first.
	done := make([]chan struct{}, n+1)
	for i := range done {
		done[i] = make(chan struct{})
	}
	close(done[n])
	b.server.answer = func(_ context.Context, c upstream.Call) (*upstream.Result, error) {
		i := int(c.Arguments[len(`{"n":`)] - '0')
		<-done[i+1]
		defer close(done[i])
		return &upstream.Result{Text: fmt.Sprint(i), HasText: true}, nil
	}
	_, c := b.recordRun(t, Request{})
	if c.Answered == nil {
		t.Fatalf("the order of answers is not in the cassette: %v", real)
	}
	for _, order := range [][]int{straight, {5, 4, 3, 2, 1, 0}, {3, 1, 5, 0, 2, 4}} {
		var got []string
		away := elsewhere(t, script(order, &got))
		r := away.run(t, Request{Replay: cassette.NewPlayer(c)})
		if r.Status != Completed {
			t.Fatalf("%s", r.Text)
		}
		equal(t, "answers", got, real)
		for i, call := range r.Calls {
			if call.Status != CallCompleted {
				t.Errorf("call %d: %+v", i, call)
			}
		}
	}
}

// REC-1: what the recording does not have rejects, and says what is nearest.
func TestRec1Unmatched(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", `{"id":1,"kind":"x"}`)
		s.call("mcp__a__other", `{}`)
		return completed(`1`)
	})
	_, c := b.recordRun(t, Request{})
	away := elsewhere(t, func(s *fakeScript) sandbox.Outcome {
		_, err := s.call("mcp__a__plain", `{"id":2,"kind":"x"}`)
		var e *sandbox.CallError
		if !errors.As(err, &e) || e.Code != CodeNotRecorded {
			t.Fatalf("%v", err)
		}
		contain(t, e.Message, "id: recorded 1, called with 2")
		if _, err := s.call("mcp__a__plain", `{"kind":"x","id":1.0}`); err != nil {
			t.Errorf("the same call in another writing: %v", err)
		}
		if _, err := s.call("mcp__a__nope", `{}`); err == nil {
			t.Error("an unknown tool has an answer")
		}
		return completed(`1`)
	})
	r := away.run(t, Request{Replay: cassette.NewPlayer(c)})
	equal(t, "statuses", statuses(r), []CallStatus{CallFailed, CallCompleted})
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Message, "1 call of the recording not made: mcp__a__other") {
		t.Errorf("%v", r.Warnings)
	}
}

// A script that has changed does not hang: answers do not wait for calls that do
// not come any more.
func TestRec1GivesUpCallsThatDoNotCome(t *testing.T) {
	f := func(calls ...string) fakeSandbox {
		return func(s *fakeScript) sandbox.Outcome {
			for _, a := range calls {
				if _, err := s.call("mcp__a__read", a); err != nil {
					t.Errorf("%s: %v", a, err)
				}
			}
			return completed(`1`)
		}
	}
	_, c := setup(t, f(`{"n":1}`, `{"n":2}`, `{"n":3}`)).recordRun(t, Request{})
	r := elsewhere(t, f(`{"n":3}`, `{"n":1}`)).run(t, Request{Replay: cassette.NewPlayer(c)})
	equal(t, "statuses", statuses(r), []CallStatus{CallCompleted, CallCompleted})
}

// A call that the script's end cut off has no answer in a replay either.
func TestRec1CutOff(t *testing.T) {
	f := fakeSandbox(func(s *fakeScript) sandbox.Outcome {
		slow := s.start("mcp__a__read", `{"slow":true}`)
		value, err := s.call("mcp__a__read", `{}`)
		select {
		case <-slow.done:
			t.Error("the slow call has an answer")
		default:
		}
		if err != nil {
			t.Error(err)
		}
		return completed(value)
	})
	b := setup(t, f)
	b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
		if len(c.Arguments) > 2 {
			<-ctx.Done()
			return nil, &upstream.CallError{Reason: upstream.Cancelled, Message: "cancelled"}
		}
		return &upstream.Result{Text: "fast", HasText: true}, nil
	}
	real, c := b.recordRun(t, Request{})
	got := elsewhere(t, f).run(t, Request{Replay: cassette.NewPlayer(c)})
	equal(t, "statuses", statuses(got), statuses(real))
	if len(got.Warnings) != len(real.Warnings) {
		t.Errorf("%v and %v", got.Warnings, real.Warnings)
	}
}

// A call over the cap is no answer of a tool: another run may make it.
func TestRec1CapIsOfTheRun(t *testing.T) {
	f := fakeSandbox(func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__read", `{}`)
		_, err := s.call("mcp__a__read", `{}`)
		return rejected(1, err)
	})
	real, c := setup(t, f).recordRun(t, Request{MaxToolCalls: 1})
	if len(c.Calls) != 1 {
		t.Errorf("%d calls recorded", len(c.Calls))
	}
	got := elsewhere(t, f).run(t, Request{MaxToolCalls: 1, Replay: cassette.NewPlayer(c)})
	equal(t, "statuses", statuses(got), statuses(real))
	if got.Status != real.Status {
		t.Errorf("%s and %s", got.Status, real.Status)
	}
}

// The result tells when in the run each call was what (OBS-1).
func TestObs1Timeline(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", `{}`)
		s.call("mcp__a__plain", `{}`)
		return completed(`1`)
	})
	b.server.answer = after(20e6)
	r := b.run(t, Request{})
	end := int64(0)
	for i, c := range r.Calls {
		x := c.Timing
		if x == nil || x.RunMs < 19 || x.StartMs < end || x.EndMs < x.StartMs+x.RunMs || x.TotalMs < x.RunMs {
			t.Errorf("call %d: %+v", i, x)
			continue
		}
		end = x.EndMs
	}
}

// OBS-4: a cassette has no configured secret, and its run is found again.
func TestRec1NoSecrets(t *testing.T) {
	const token = "tok-0123456789abcdef"
	f := fakeSandbox(func(s *fakeScript) sandbox.Outcome {
		value, _ := s.call("mcp__a__plain", `{"env":true}`)
		again, err := s.call("mcp__a__other", `{"token":`+value+`}`)
		if err == nil {
			t.Error(again)
		}
		return completed(value)
	})
	b := setup(t, f)
	b.Redact = new(redact.Redactor)
	b.Redact.Set([]string{token}, nil)
	b.server.answer = func(_ context.Context, c upstream.Call) (*upstream.Result, error) {
		if c.Tool == "other" {
			if !strings.Contains(string(c.Arguments), token) {
				t.Errorf("the server got %s", c.Arguments)
			}
			return &upstream.Result{Text: "no " + token, HasText: true, IsError: true}, nil
		}
		return &upstream.Result{Text: token, HasText: true}, nil
	}
	_, c := b.recordRun(t, Request{})
	text, err := c.Encode()
	if err != nil || strings.Contains(string(text), token) {
		t.Errorf("%v\n%s", err, text)
	}
	away := elsewhere(t, f) // it knows no secret
	r := away.run(t, Request{Replay: cassette.NewPlayer(c)})
	equal(t, "statuses", statuses(r), []CallStatus{CallCompleted, CallFailed})
	if string(r.Value) != string(c.Result.Value) {
		t.Errorf("%s and %s", r.Value, c.Result.Value)
	}
}
