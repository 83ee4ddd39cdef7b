package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

var native = catalog.Agent{Mode: catalog.NativeMode}

// direct makes one direct call.
func (b *bench) direct(t *testing.T, q DirectRequest, name, arguments string) CallResult {
	t.Helper()
	q.Calls = []DirectCall{{ID: "1", Name: name, Arguments: jsontext.Value(arguments)}}
	q.Events = func(e Event) { b.events = append(b.events, e) }
	results := b.CallDirect(t.Context(), q)
	if len(results) != 1 || results[0].ID != "1" || results[0].Name != name {
		t.Fatalf("%+v", results)
	}
	if data, err := json.Marshal(results); err != nil || !strings.Contains(string(data), `"output":[`) {
		t.Errorf("%s, %v", data, err)
	}
	return results[0]
}

// refuser fails the test when somebody is asked.
func refuser(t *testing.T) Asker {
	return askerFunc(func(context.Context, Question) (Answer, error) {
		t.Error("asked")
		return Answer{}, nil
	})
}

// COL-1: in mode code a direct call may name Exec only, whatever rules say and
// before anybody is asked.
func TestCol1DirectNames(t *testing.T) {
	agents := map[string]catalog.Agent{
		"code": {}, "native": native, "both": {Mode: catalog.BothModes}, "off": {ExecOff: true},
		"direct":     {Direct: func(name string) bool { return name == "mcp__a__read" }},
		"disallowed": {Mode: native.Mode, Disallowed: func(name string) bool { return name == "mcp__a__plain" }},
	}
	for _, c := range []struct{ agent, name, code string }{
		{"code", "mcp__a__plain", CodeUnknownTool},
		{"code", "mcp__a__nope", CodeUnknownTool},
		{"code", "$codemode.search", CodeUnknownTool},
		{"code", "exec", CodeUnknownTool},
		{"code", "", CodeUnknownTool},
		{"code", "Exec", ""},
		{"direct", "mcp__a__read", ""},
		{"direct", "mcp__a__plain", CodeUnknownTool},
		{"direct", "Exec", ""},
		{"native", "mcp__a__plain", ""},
		{"native", "Exec", CodeUnknownTool},
		{"native", "mcp__a__nope", CodeUnknownTool},
		{"disallowed", "mcp__a__plain", CodeUnknownTool},
		{"off", "mcp__a__plain", ""},
		{"off", "Exec", CodeUnknownTool},
		{"both", "mcp__a__plain", ""},
		{"both", "Exec", ""},
	} {
		t.Run(c.agent+" "+c.name, func(t *testing.T) {
			b := setup(t, func(s *fakeScript) sandbox.Outcome { return completed(`"ran"`) })
			arguments := `{}`
			if c.name == "Exec" {
				arguments = `{"code":"return 1"}`
			}
			r := b.direct(t, DirectRequest{Agent: agents[c.agent], Asker: refuser(t)}, c.name, arguments)
			if r.Code != c.code {
				t.Errorf("code %q, want %q: %s", r.Code, c.code, r.Text)
			}
			if c.name != "" && strings.Contains(r.Text, "did you mean "+c.name) {
				t.Errorf("a name is suggested in its own place: %s", r.Text)
			}
			if c.code != "" && (len(b.server.sent) != 0 || len(b.Runs(0)) != 0 || len(b.events) != 0 || r.Status != CallFailed) {
				t.Errorf("%+v, %d sent, events %v", r, len(b.server.sent), b.events)
			}
			if c.code == "" && len(b.Runs(0)) != 1 {
				t.Errorf("%d runs", len(b.Runs(0)))
			}
		})
	}
	// A script reaches the whole pool in every mode.
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		if _, err := s.call("mcp__a__plain", `{}`); err != nil {
			t.Error(err)
		}
		return completed(`"ran"`)
	})
	if r := b.direct(t, DirectRequest{}, "Exec", `{"code":"return 1"}`); r.Code != "" || !strings.Contains(r.Text, "ran") {
		t.Errorf("%+v", r)
	}
}

// COL-2: cancelled before it was made is cancelled, also for a name that would
// be unknown; arguments that JSON cannot carry are invalid.
func TestCol2CancelledAndInvalid(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome { t.Error("started"); return completed("") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"Exec", "mcp__a__plain", "nope"} {
		for _, agent := range []catalog.Agent{{}, native} {
			r := b.CallDirect(ctx, DirectRequest{Agent: agent, Asker: refuser(t), Calls: []DirectCall{{Name: name, Arguments: jsontext.Value(`{}`)}}})[0]
			if r.Code != CodeCancelled || r.Status != CallCancelled {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
	for _, arguments := range []string{`[]`, `"x"`, `1`, `true`, `{`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{"a":NaN}`, `{}{}`} {
		for _, name := range []string{"Exec", "mcp__a__plain"} {
			r := b.CallDirect(t.Context(), DirectRequest{Agent: catalog.Agent{Mode: catalog.BothModes}, Asker: refuser(t),
				Calls: []DirectCall{{Name: name, Arguments: jsontext.Value(arguments)}}})[0]
			if r.Code != CodeArguments {
				t.Errorf("%s %q: %+v", name, arguments, r)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("%s %q: %v", name, arguments, err)
			}
		}
	}
	for _, arguments := range []string{`{}`, `{"code":1}`, `{"code":null}`, `{"code":"return 1","more":1}`, `{"code":" "}`} {
		if r := b.direct(t, DirectRequest{}, "Exec", arguments); r.Code != CodeArguments {
			t.Errorf("%s: %+v", arguments, r)
		}
	}
	if len(b.server.sent) != 0 {
		t.Errorf("%d sent", len(b.server.sent))
	}
}

// PERM-5, OUT-4: a direct call goes through the funnel: asked without a place,
// sent as shown, recorded, with text for a model and data for an editor.
func TestDirectCall(t *testing.T) {
	b := setup(t, nil, ask)
	person := &always{Answer: Answer{Decision: "allow"}}
	b.server.answer = func(_ context.Context, c upstream.Call) (*upstream.Result, error) {
		return &upstream.Result{Text: "hi", HasText: true, Structured: jsontext.Value(`{"n":1}`), Attachments: []upstream.Attachment{{Kind: "image", MIMEType: "image/png", Data: "QUJD"}}}, nil
	}
	r := b.direct(t, DirectRequest{Agent: native, Asker: person}, "mcp__a__plain", "{ \"z\": 1e3,\n\t\"a\": \"\\u00e9\" }")
	const want = `{"z":1e3,"a":"\u00e9"}`
	q := person.asked[0]
	if string(q.Arguments) != want || string(b.server.sent[0].Arguments) != want || string(r.Display.Arguments) != want {
		t.Errorf("asked %s, sent %s, shown %s", q.Arguments, b.server.sent[0].Arguments, r.Display.Arguments)
	}
	if q.Range != nil || q.URI != "" || q.RunID != r.Display.RunID || q.Tool != "mcp__a__plain" {
		t.Errorf("%+v", q)
	}
	if r.Status != CallCompleted || r.Code != "" || r.Text != "hi\n(1 attachment with this text)" || r.Display.Bytes == 0 || r.Display.Server != "a" ||
		string(r.Display.Structured) != `{"n":1}` || len(r.Display.Output) != 1 || r.Display.Output[0].Data != "QUJD" || r.Display.Timing == nil {
		t.Errorf("%+v", r)
	}
	kept, _, ok := b.Find(r.Display.RunID)
	if !ok || kept.Status != Completed || kept.Summary != "1 tool call\nmcp__a__plain" || len(kept.Calls) != 1 || string(kept.Calls[0].Arguments) != want || kept.Text != r.Text {
		t.Errorf("%+v", kept)
	}
	if b.events[0].Kind != "started" || b.events[len(b.events)-1].Kind != "finished" {
		t.Errorf("%+v", b.events)
	}
}

// OUT-2, OUT-3: what comes of a call that fails, each with its code.
func TestOut3DirectCodes(t *testing.T) {
	failing := func(err error) func(context.Context, upstream.Call) (*upstream.Result, error) {
		return func(context.Context, upstream.Call) (*upstream.Result, error) { return nil, err }
	}
	giving := func(r upstream.Result) func(context.Context, upstream.Call) (*upstream.Result, error) {
		return func(context.Context, upstream.Call) (*upstream.Result, error) { return &r, nil }
	}
	for _, c := range []struct {
		name   string
		answer func(context.Context, upstream.Call) (*upstream.Result, error)
		asker  Asker
		status CallStatus
		code   string
		text   string
	}{
		{"nothing", giving(upstream.Result{}), nil, CallCompleted, "", "(mcp__a__plain completed with no output)"},
		{"blank", giving(upstream.Result{Text: " \n", HasText: true}), nil, CallCompleted, "", "(mcp__a__plain completed with no output)"},
		{"data alone", giving(upstream.Result{Structured: jsontext.Value(`{"a":1}`)}), nil, CallCompleted, "", `{"a":1}`},
		{"isError", giving(upstream.Result{IsError: true, Text: "no such\nrow", HasText: true}), nil, CallFailed, CodeToolError, "no such\nrow"},
		{"an unknown kind", giving(upstream.Result{Attachments: []upstream.Attachment{{Kind: "unknown", Text: `{"type":"x\ny"}`, Problem: "content of the unknown kind x\ny"}}}), nil, CallCompleted, "", "(content of the unknown kind x y)"},
		{"a blob", giving(upstream.Result{Attachments: []upstream.Attachment{{Kind: "resource", Data: "QQ==", Problem: "a blob"}}}), nil, CallCompleted, "", "(1 attachment with this text)\n(a blob)"},
		{"a link", giving(upstream.Result{Text: "x://a", HasText: true, Attachments: []upstream.Attachment{{Kind: "resource", URI: "x://a", InText: true}}}), nil, CallCompleted, "", "x://a"},
		{"isError with data alone", giving(upstream.Result{IsError: true, Structured: jsontext.Value(`{"code":"X"}`)}), nil, CallFailed, CodeToolError, `{"code":"X"}`},
		{"isError in silence", giving(upstream.Result{IsError: true}), nil, CallFailed, CodeToolError, "(mcp__a__plain failed with no output)"},
		{"unavailable", failing(&upstream.CallError{Reason: upstream.Unavailable, Message: "server a is gone"}), nil, CallFailed, CodeUnavailable, "server a is gone"},
		{"rejected", failing(&upstream.CallError{Reason: upstream.Rejected, Message: "bad"}), nil, CallFailed, CodeToolError, "bad"},
		{"late", failing(&upstream.CallError{Reason: upstream.TimedOut, Message: "x"}), nil, CallTimedOut, CodeTimeout, "mcp__a__plain timed out: the server did not answer in time"},
		{"cancelled", failing(&upstream.CallError{Reason: upstream.Cancelled, Message: "x"}), nil, CallCancelled, CodeCancelled, "cancelled"},
		{"a panic", func(context.Context, upstream.Call) (*upstream.Result, error) { panic("boom") }, nil, CallFailed, CodeToolError, "internal error in the call of mcp__a__plain"},
		{"denied", nil, &always{Answer: Answer{Decision: "deny", Reason: "no"}}, CallDenied, CodeDenied, "mcp__a__plain: denied by the user: no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := setup(t, nil)
			if c.asker != nil {
				b = setup(t, nil, ask)
			}
			b.server.answer = c.answer
			r := b.direct(t, DirectRequest{Agent: native, Asker: c.asker}, "mcp__a__plain", `{}`)
			if r.Status != c.status || r.Code != c.code || r.Text != c.text {
				t.Errorf("%s %s %q", r.Status, r.Code, r.Text)
			}
			if (c.code != "") != (r.Display.Error != "") || strings.Contains(r.Display.Error, "\n") {
				t.Errorf("error %q", r.Display.Error)
			}
		})
	}
}

// OUT-1: a result above the budget is written whole, its beginning is shown, cut
// at a line end of its second half; when it cannot be written, it is cut and
// says so.
func TestOut1Artifact(t *testing.T) {
	b := setup(t, nil)
	limits := config.DefaultLimits()
	limits.MaxInlineBytes = 3000
	b.Limits = func() config.Limits { return limits }
	text := ""
	b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) {
		return &upstream.Result{Text: text, HasText: true}, nil
	}
	line := strings.Repeat("é", 1200)
	for _, c := range []struct{ name, text, begin string }{
		{"exactly the budget", strings.Repeat("x", 3000), ""},
		{"one byte more", strings.Repeat("x", 3001), strings.Repeat("x", 2000)},
		{"a line end in the second half", line + "\n" + line, line},
		{"a line end in the first half", strings.Repeat("y", 900) + "\n" + strings.Repeat("z", 3000), strings.Repeat("y", 900) + "\n" + strings.Repeat("z", 1099)},
		{"short in characters", strings.Repeat("😀", 1500), strings.Repeat("😀", 1500)},
	} {
		text = c.text
		r := b.direct(t, DirectRequest{Agent: native}, "mcp__a__plain", `{}`)
		if c.begin == "" {
			if r.Text != text || r.Display.Truncated != nil {
				t.Errorf("%s: %+v", c.name, r)
			}
			continue
		}
		cut := r.Display.Truncated
		if cut == nil || cut.Artifact == "" || !strings.Contains(r.Text, cut.Artifact) || !strings.Contains(r.Text, fmt.Sprint(len(text), " bytes")) {
			t.Fatalf("%s: %.300s", c.name, r.Text)
		}
		if _, got, _ := strings.Cut(r.Text, "It begins:\n"); got != c.begin {
			t.Errorf("%s: begins with %d bytes, want %d", c.name, len(got), len(c.begin))
		}
		if whole, err := os.ReadFile(cut.Artifact); err != nil || string(whole) != text {
			t.Errorf("%s: %d bytes in the file, %v", c.name, len(whole), err)
		}
	}
	b.ArtifactDir = ""
	text = strings.Repeat("é", 2000)
	r := b.direct(t, DirectRequest{Agent: native}, "mcp__a__plain", `{}`)
	if r.Status != CallCompleted || !strings.HasSuffix(r.Text, "could not be kept]") || r.Display.Truncated == nil || r.Display.Truncated.Artifact != "" || len(r.Text) < 3000 {
		t.Errorf("%s %.100s…%s", r.Status, r.Text, r.Text[max(0, len(r.Text)-100):])
	}
}

func names(names ...string) (calls []DirectCall) {
	for i, n := range names {
		c := DirectCall{ID: fmt.Sprint("id", i), Name: n, Arguments: jsontext.Value(fmt.Sprintf(`{"i":%d}`, i))}
		if n == "Exec" {
			c.Arguments = jsontext.Value(`{"code":"return 1"}`)
		}
		calls = append(calls, c)
	}
	return calls
}

// SCHED-2: neighbours that may run together do, at most ten; one that may not is
// alone; groups in order; a failed group stops nothing; answers in order.
func TestSched2Groups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list []string
		for range 23 {
			list = append(list, "mcp__a__read")
		}
		list = append(list, "mcp__a__plain", "mcp__b__plain", "mcp__a__read", "mcp__b__put", "mcp__a__drop", "mcp__nope__x", "mcp__b__read", "Exec", "mcp__b__read")
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			time.Sleep(time.Second) // of the bubble
			return completed(`1`)
		})
		began := time.Now()
		type span struct{ from, to time.Duration }
		spans := map[string]span{}
		var mu sync.Mutex
		b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
			from := time.Since(began)
			time.Sleep(time.Second) // of the bubble
			mu.Lock()
			defer mu.Unlock()
			spans[string(c.Arguments)] = span{from, time.Since(began)}
			if c.Tool == "plain" {
				return nil, errors.New("broken")
			}
			return &upstream.Result{Text: string(c.Arguments), HasText: true}, nil
		}
		results := b.CallDirect(t.Context(), DirectRequest{Agent: catalog.Agent{Mode: catalog.BothModes}, Calls: names(list...)})
		// group of each call, by the second in which it ran
		want := []int{}
		for i := range 23 {
			want = append(want, i/10)
		}
		want = append(want, 3, 4, 5, 5, 6, -1, 7, -1, 9)
		for i, r := range results {
			if r.ID != fmt.Sprint("id", i) || r.Name != list[i] {
				t.Errorf("answer %d is that of %s %s", i, r.ID, r.Name)
			}
			if want[i] < 0 {
				continue
			}
			got := spans[fmt.Sprintf(`{"i":%d}`, i)]
			if at := time.Duration(want[i]) * time.Second; got.from != at || got.to != at+time.Second {
				t.Errorf("call %d (%s) ran from %v to %v, want from %v", i, list[i], got.from, got.to, at)
			}
		}
		if results[23].Code != CodeToolError || results[28].Code != CodeUnknownTool || results[30].Code != "" {
			t.Errorf("%+v\n%+v\n%+v", results[23], results[28], results[30])
		}
		if b.server.most != maxGroup {
			t.Errorf("%d at once", b.server.most)
		}
		// One run for the calls of tools, one for the script.
		if runs := b.Runs(0); len(runs) != 2 {
			t.Errorf("%+v", runs)
		}
	})
}

// SCHED-1: in a group calls start in their order.
func TestSched2Order(t *testing.T) {
	for range 20 {
		b := setup(t, nil)
		b.CallDirect(t.Context(), DirectRequest{Agent: native, Calls: names(slices.Repeat([]string{"mcp__a__read", "mcp__b__put"}, 20)...)})
		for i, c := range b.server.sent {
			if string(c.Arguments) != fmt.Sprintf(`{"i":%d}`, i) {
				t.Fatalf("call %d was sent as number %d", i, i)
			}
		}
	}
}

// SCHED-2: "deny and stop" gives every later call a cancelled result, also those
// of the same group that still wait for the person; those under way go on.
func TestSched2Stop(t *testing.T) {
	b := setup(t, nil, permission.Rule{Effect: permission.Allow, Layer: permission.Flag, Match: "mcp__b__*"})
	both := make(chan struct{})
	b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
		close(both)
		return &upstream.Result{Text: "ok", HasText: true}, ctx.Err()
	}
	person := askerFunc(func(_ context.Context, q Question) (Answer, error) {
		<-both // the neighbour that needs no question is at its server
		return Answer{Decision: "deny", Stop: true, Reason: "enough"}, nil
	})
	results := b.CallDirect(t.Context(), DirectRequest{Agent: catalog.Agent{Mode: catalog.BothModes}, Asker: person, Calls: names(
		"mcp__a__read", "mcp__a__put", "mcp__b__read", "mcp__b__plain", "Exec", "nope")})
	var codes []string
	for _, r := range results {
		codes = append(codes, r.Code)
		if r.Code == CodeAborted && r.Status != CallCancelled {
			t.Errorf("%+v", r)
		}
	}
	equal(t, "codes", codes, []string{CodeDenied, CodeAborted, "", CodeAborted, CodeAborted, CodeAborted})
	if !results[0].Stop || results[1].Stop || len(b.server.sent) != 1 {
		t.Errorf("%+v, %d sent", results[0], len(b.server.sent))
	}
	if _, err := json.Marshal(results); err != nil {
		t.Error(err)
	}
}

// SCHED-2: a script that a person stops ends the turn too.
func TestSched2StopInScript(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.call("mcp__a__plain", `{}`)
		<-s.Done()
		return sandbox.Outcome{}
	}, ask)
	results := b.CallDirect(t.Context(), DirectRequest{Asker: &always{Answer: Answer{Decision: "deny", Stop: true}}, Calls: names("Exec", "Exec")})
	if r := results[0]; r.Code != CodeDenied || !r.Stop || results[1].Code != CodeAborted {
		t.Errorf("%+v\n%+v", results[0], results[1])
	}
}

// A grant for the run is one for the batch; a rule covers calls that wait.
func TestBatchGrant(t *testing.T) {
	b := setup(t, nil, ask)
	person := &always{Answer: Answer{Decision: "allow", Scope: "run"}}
	results := b.CallDirect(t.Context(), DirectRequest{Agent: native, Asker: person, Calls: names("mcp__a__read", "mcp__a__read", "mcp__a__plain", "mcp__a__read", "mcp__a__plain")})
	for _, r := range results {
		if r.Code != "" {
			t.Errorf("%+v", r)
		}
	}
	if len(person.asked) != 2 {
		t.Errorf("%d questions", len(person.asked))
	}
}

// BUD-11: a direct call can be cancelled by its run, and ends when all closes.
func TestDirectCancel(t *testing.T) {
	for _, how := range []string{"run", "context", "close"} {
		b := setup(t, nil)
		sent := make(chan struct{})
		b.server.answer = func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
			close(sent)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		ctx, cancel := context.WithCancel(t.Context())
		var id string
		done := make(chan []CallResult)
		go func() {
			done <- b.CallDirect(ctx, DirectRequest{Agent: native, Calls: names("mcp__a__plain", "mcp__a__plain"), Events: func(e Event) {
				if e.Kind == "started" {
					id = e.RunID
				}
			}})
		}()
		<-sent
		switch how {
		case "run":
			b.Cancel(id)
		case "context":
			cancel()
		case "close":
			b.Close()
		}
		for _, r := range <-done {
			if r.Code != CodeCancelled || r.Status != CallCancelled {
				t.Errorf("%s: %+v", how, r)
			}
		}
		cancel()
	}
}

// OUT-1: data that are too long to be shown are not lost beside a short text.
func TestOut1DataBesideText(t *testing.T) {
	b := setup(t, nil)
	limits := config.DefaultLimits()
	limits.MaxInlineBytes = 3000
	b.Limits = func() config.Limits { return limits }
	data := jsontext.Value(`{"items":"` + strings.Repeat("x", 3000) + `"}`)
	b.server.answer = func(context.Context, upstream.Call) (*upstream.Result, error) {
		return &upstream.Result{Text: "one item", HasText: true, Structured: data}, nil
	}
	r := b.direct(t, DirectRequest{Agent: native}, "mcp__a__plain", `{}`)
	cut := r.Display.Truncated
	if cut == nil || !strings.HasPrefix(r.Text, "one item\n") || !strings.Contains(r.Text, cut.Artifact) || r.Display.Structured != nil || len(r.Text) > 3000 {
		t.Fatalf("%+v", r)
	}
	if whole, err := os.ReadFile(cut.Artifact); err != nil || string(whole) != string(data) {
		t.Errorf("%.100s, %v", whole, err)
	}
	b.ArtifactDir = ""
	r = b.direct(t, DirectRequest{Agent: native}, "mcp__a__plain", `{}`)
	if r.Status != CallCompleted || !strings.Contains(r.Text, "could not be kept]") || r.Display.Truncated == nil {
		t.Errorf("%+v", r)
	}
}
