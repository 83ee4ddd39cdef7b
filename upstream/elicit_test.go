package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"codemode-ls/internal/mcptest"

	"github.com/go-json-experiment/json/jsontext"
)

// person is an Asker of the tests.
type person func(ctx context.Context, e Elicitation) (ElicitationAnswer, error)

func (p person) Elicit(ctx context.Context, e Elicitation) (ElicitationAnswer, error) {
	return p(ctx, e)
}

const formOfAll = `{"type":"object","properties":{
	"name":{"type":"string","default":"John Doe","minLength":2,"title":"Your name"},
	"age":{"type":"integer","default":30,"minimum":0},
	"score":{"type":"number","default":95.5},
	"status":{"type":"string","enum":["active","inactive"],"enumNames":["On","Off"],"default":"active"},
	"level":{"type":"string","oneOf":[{"const":"a","title":"Low"},{"const":"b","title":"High"}]},
	"many":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"},{"const":"y"}]},"maxItems":1},
	"verified":{"type":"boolean","default":true},
	"mail":{"type":"string","format":"email","default":"not one"}
},"required":["name","mail"]}`

// MCP-6: a question of a server reaches a person, with the server's name, the fields in
// the server's order and what is filled in; the answer is checked before it is sent.
func TestMCP6Elicitation(t *testing.T) {
	fake := mcptest.Write(t, `{"tools": [{"name": "form"}, {"name": "url"}, {"name": "bad"}, {"name": "nested"}], "calls": {
		"form": {"ask": "elicitation/create", "askParams": {"message": "Who?", "requestedSchema": `+formOfAll+`}},
		"url": {"ask": "elicitation/create", "askParams": {"message": "Pay", "mode": "url", "elicitationId": "1", "url": "https://pay.example/x?y"}},
		"bad": {"ask": "elicitation/create", "askParams": {"message": "Pay", "mode": "url", "elicitationId": "1", "url": "file:///etc/passwd"}},
		"nested": {"ask": "elicitation/create", "askParams": {"message": "?", "requestedSchema": {"type":"object","properties":{"a":{"type":"object"}}}}}}}`)
	var asked []Elicitation
	var answer ElicitationAnswer
	var failure error
	s := newTestSet(t, func(o *Options) {
		o.Asker = person(func(_ context.Context, e Elicitation) (ElicitationAnswer, error) {
			asked = append(asked, e)
			return answer, failure
		})
	})
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	if init := fake.WaitForLog(t, `"initialize"`); !strings.Contains(init, `"elicitation":{"form":{},"url":{}}`) {
		t.Errorf("capabilities: %s", init)
	}
	content := func(text string) map[string]jsontext.Value {
		m := map[string]jsontext.Value{}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, test := range []struct {
		answer ElicitationAnswer
		want   string
	}{
		{ElicitationAnswer{Action: Decline, Content: content(`{"name":"secret"}`)}, `{"action":"decline"}`},
		{ElicitationAnswer{Action: Cancel}, `{"action":"cancel"}`},
		{ElicitationAnswer{Action: "yes"}, `{"action":"cancel"}`},
		{ElicitationAnswer{Action: Accept, Content: content(`{"name":"Ada","mail":"a@b.example","other":1}`)}, `{"action":"accept","content":{"mail":"a@b.example","name":"Ada"}}`},
		{ElicitationAnswer{Action: Accept, Content: content(`{"name":"Ada"}`)}, `{"action":"cancel"}`},
		{ElicitationAnswer{Action: Accept, Content: content(`{"name":"A","mail":"a@b.example"}`)}, `{"action":"cancel"}`},
		{ElicitationAnswer{Action: Accept, Content: content(`{"name":"Ada","mail":"a@b.example","age":1.5}`)}, `{"action":"cancel"}`},
		{ElicitationAnswer{Action: Accept, Content: content(`{"name":"Ada","mail":"a@b.example","level":"c"}`)}, `{"action":"cancel"}`},
		{ElicitationAnswer{Action: Accept, Content: content(`{"name":"Ada","mail":"a@b.example","many":["x","y"]}`)}, `{"action":"cancel"}`},
	} {
		answer = test.answer
		if got := s.call("f", "form", "{}").Text; got != test.want {
			t.Errorf("%+v: %s, want %s", test.answer, got, test.want)
		}
	}
	e := asked[0]
	var names []string
	for _, f := range e.Fields {
		names = append(names, fmt.Sprintf("%s:%s:%s", f.Name, f.Type, f.Default))
	}
	if got, want := strings.Join(names, " "), `name:string:"John Doe" age:integer:30 score:number:95.5 status:string:"active" level:string:null many:array:null verified:boolean:true mail:string:null`; got != want || e.Server != "f" || e.Message != "Who?" {
		t.Errorf("%s\nwant %s\n%+v", got, want, e)
	}
	if c := e.Fields[3].Choices; len(c) != 2 || c[1] != (Choice{"inactive", "Off"}) {
		t.Errorf("%+v", c)
	}
	failure = errors.New("gone")
	if got := s.call("f", "form", "{}").Text; got != `{"action":"cancel"}` {
		t.Error(got)
	}
	answer, failure = ElicitationAnswer{Action: Accept}, nil
	if got := s.call("f", "url", "{}").Text; got != `{"action":"accept"}` || asked[len(asked)-1].URL != "https://pay.example/x?y" {
		t.Errorf("%s, %+v", got, asked[len(asked)-1])
	}
	n := len(asked)
	for _, tool := range []string{"bad", "nested"} { // no person can answer it
		if got := s.call("f", tool, "{}").Text; got != `{"action":"decline"}` || len(asked) != n {
			t.Errorf("%s: %s, %+v", tool, got, asked[n:])
		}
	}
}

// MCP-6: while a person reads, neither clock of the call runs; the end of the call
// withdraws the question.
func TestMCP6ClockStandsStill(t *testing.T) {
	fake := mcptest.Write(t, `{"tools": [{"name": "ask"}], "calls": {"ask": {"ask": "elicitation/create", "askParams": {"message": "?", "requestedSchema": {"type":"object","properties":{}}}}}}`)
	const limit = 300 * time.Millisecond
	ends := make(chan struct{})
	withdrawn := make(chan struct{})
	s := newTestSet(t, func(o *Options) {
		o.Asker = person(func(ctx context.Context, _ Elicitation) (ElicitationAnswer, error) {
			select {
			case <-ends:
				return ElicitationAnswer{Action: Accept}, nil
			case <-ctx.Done():
				close(withdrawn)
				return ElicitationAnswer{}, ctx.Err()
			}
		})
	})
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	var holds, releases atomic.Int32
	asked := func() func() {
		holds.Add(1)
		time.AfterFunc(2*limit, func() { ends <- struct{}{} })
		return func() { releases.Add(1) }
	}
	r, err := s.Call(testContext(t), Call{Server: "f", Tool: "ask", Timeout: limit, Asked: asked})
	if err != nil || r.Text != `{"action":"accept","content":{}}` && r.Text != `{"action":"accept"}` || holds.Load() != 1 || releases.Load() != 1 {
		t.Errorf("%+v, %v; held %d, released %d", r, err, holds.Load(), releases.Load())
	}
	ctx, cancel := context.WithCancel(testContext(t))
	_, err = s.Call(ctx, Call{Server: "f", Tool: "ask", Asked: func() func() { cancel(); return func() {} }})
	if err == nil {
		t.Error("a result of a call that was cancelled")
	}
	<-withdrawn
}

// MCP-6: over HTTP the answer is a request of its own, with the session and the headers
// of every other; a question that no call is under way for is declined.
func TestMCP6ElicitationOverHTTP(t *testing.T) {
	answers := make(chan string, 1)
	var mu sync.Mutex
	var headers http.Header
	w := newWeb(t, nil)
	w.other = func(out http.ResponseWriter, q *http.Request, m message) bool {
		switch {
		case odd(m):
			out.Header().Set("Content-Type", "text/event-stream")
			event(out, `data: {"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}}}}}`+"\n\n")
			out.(http.Flusher).Flush()
			var text string
			select {
			case text = <-answers:
			case <-q.Context().Done():
				return true
			}
			quoted, _ := json.Marshal(text)
			event(out, fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`+"\n\n", m.ID, quoted))
			return true
		case m.Method == "" && m.ID != nil:
			mu.Lock()
			headers = q.Header
			mu.Unlock()
			out.WriteHeader(http.StatusAccepted)
			answers <- string(m.ID)
			return true
		}
		return false
	}
	s := newTestSet(t, func(o *Options) {
		o.Asker = person(func(_ context.Context, e Elicitation) (ElicitationAnswer, error) {
			if len(e.Fields) != 2 || e.Fields[0].Name != "b" { // in the server's order
				t.Errorf("%+v", e.Fields)
			}
			return ElicitationAnswer{Action: Accept, Content: map[string]jsontext.Value{"a": jsontext.Value(`"b"`)}}, nil
		})
	})
	s.connectTo(w)
	if got := s.call("h", "odd", "{}").Text; got != "77" {
		t.Error(got)
	}
	mu.Lock()
	defer mu.Unlock()
	for name, want := range map[string]string{"Mcp-Session-Id": "s1", "Mcp-Protocol-Version": "2025-06-18", "X-Own": "yes", "Authorization": "Bearer key"} {
		if got := headers.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestMCP6Unasked(t *testing.T) {
	s := &session{asker: person(func(context.Context, Elicitation) (ElicitationAnswer, error) {
		t.Error("somebody was asked")
		return ElicitationAnswer{}, nil
	}), asking: map[*heldCall]bool{}, log: newTestSet(t, nil).log}
	if got := string(s.elicit(t.Context(), jsontext.Value(`{"message":"?","requestedSchema":{"type":"object"}}`))); got != `{"action":"decline"}` {
		t.Error(got)
	}
}

// MCP-6: what a person types is read as the field has it.
func TestMCP6FieldRead(t *testing.T) {
	fields, err := readFields(jsontext.Value(formOfAll))
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]Field{}
	for _, f := range fields {
		by[f.Name] = f
	}
	for _, test := range []struct{ field, text, want string }{
		{"name", " Ada ", `"Ada"`}, {"name", "A", ""}, {"age", "3", "3"}, {"age", "3.5", ""}, {"age", "-1", ""}, {"age", "x", ""},
		{"score", "1e2", "1e2"}, {"status", "Off", `"inactive"`}, {"status", "2", `"inactive"`}, {"status", "3", ""}, {"status", "inactive", `"inactive"`},
		{"level", "High", `"b"`}, {"many", "X", `["x"]`}, {"many", "x, y", ""}, {"many", "", "[]"}, {"verified", "No", "false"}, {"verified", "maybe", ""},
		{"mail", "a@b.example", `"a@b.example"`}, {"mail", "a", ""}, {"mail", "A <a@b.example>", ""},
	} {
		v, err := by[test.field].Read(test.text)
		if (err != nil) != (test.want == "") || err == nil && string(v) != test.want {
			t.Errorf("%s %q: %s, %v", test.field, test.text, v, err)
		}
	}
}
