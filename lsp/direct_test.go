package lsp

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// callerFunc is a server that every call goes to.
type callerFunc func(ctx context.Context, c upstream.Call) (*upstream.Result, error)

func (f callerFunc) Call(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
	return f(ctx, c)
}

// withCalls is a workspace with a pool of two tools, whose direct calls go through
// the real funnel.
func withCalls(t *testing.T, caller callerFunc) *fakeWorkspace {
	w := newFakeWorkspace(t, nil)
	tool := func(name string) jsontext.Value {
		return jsontext.Value(`{"name":"` + name + `","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`)
	}
	w.snapshot.Catalog = catalog.New([]*catalog.Server{catalog.NewServer("a", []jsontext.Value{tool("x"), tool("y")}, "", false)}, nil)
	w.snapshot.Rules = w.rules.Rules()
	r := &exec.Runner{
		Caller: caller, Rules: w.rules, Limits: config.DefaultLimits,
		Pool: func() *catalog.Catalog { return w.Snapshot().Catalog },
	}
	w.fake.direct = r.CallDirect
	return w
}

func answering(_ context.Context, c upstream.Call) (*upstream.Result, error) {
	return &upstream.Result{Text: c.Tool + string(c.Arguments), HasText: true}, nil
}

// COL-1, COL-2 on the wire: what becomes of a direct call, by mode.
func TestCallTool(t *testing.T) {
	c := initialized(t, withCalls(t, answering), `{"experimental":{"codemode":{"permission":true,"events":true}}}`)
	asked := 0
	c.answerWith(func(m message) string {
		if m.Method == "codemode/permission" {
			asked++
			return `{"decision":"allow"}`
		}
		return "null"
	})
	for _, test := range []struct {
		params, code, text string
		asked              int
	}{
		{`{"name":"mcp__a__x","arguments":{}}`, "UNKNOWN_TOOL", "there is no tool mcp__a__x to call directly", 0},
		{`{"name":"mcp__a__x","arguments":{},"mode":"code"}`, "UNKNOWN_TOOL", "", 0},
		{`{"name":"nope","mode":"native"}`, "UNKNOWN_TOOL", "", 0},
		{`{"name":"Exec","arguments":{"code":"return 1"},"mode":"native"}`, "UNKNOWN_TOOL", "", 0},
		{`{"name":"mcp__a__x","arguments":{"n": 1e3},"mode":"native"}`, "", `x{"n":1e3}`, 1},
		{`{"name":"mcp__a__y","mode":"both"}`, "", "y{}", 1},
		{`{"name":"mcp__a__y","disallowed":["Exec"]}`, "", "y{}", 1},
		{`{"name":"mcp__a__x","arguments":[1],"mode":"native"}`, "INVALID_ARGUMENTS", "one JSON object", 0},
		{`{"name":"mcp__a__x","arguments":7}`, "INVALID_ARGUMENTS", "", 0},
		{`{"name":"mcp__a__x","arguments":{"a":1,"a":2},"mode":"native"}`, "INVALID_ARGUMENTS", "", 0},
		{`{"name":"Exec","arguments":{"code":1}}`, "INVALID_ARGUMENTS", "", 0},
	} {
		t.Run(test.params, func(t *testing.T) {
			asked = 0
			var r exec.CallResult
			if err := json.Unmarshal([]byte(c.call("codemode/callTool", test.params).ok()), &r); err != nil {
				t.Fatal(err)
			}
			if r.Code != test.code || !strings.Contains(r.Text, test.text) || asked != test.asked {
				t.Errorf("%q %q, asked %d times", r.Code, r.Text, asked)
			}
		})
	}
	c.notification("codemode/execEvent")
}

// SCHED-2 on the wire: answers in the order given, with their ids.
func TestExecuteBatch(t *testing.T) {
	w := withCalls(t, answering)
	if err := w.rules.Set(permission.Session, permission.Allow, "mcp__a__*"); err != nil {
		t.Fatal(err)
	}
	c := initialized(t, w, `{}`)
	var results []exec.CallResult
	answer := c.call("codemode/executeBatch", `{"mode":"native","calls":[
		{"id":"one","name":"mcp__a__y","arguments":{"i":1}},{"id":"two","name":"nope"},{"id":"three","name":"mcp__a__x"}]}`).ok()
	if err := json.Unmarshal([]byte(answer), &results); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, r := range results {
		got += r.ID + " " + r.Code + " " + r.Text + "\n"
	}
	if want := "one  y{\"i\":1}\ntwo UNKNOWN_TOOL there is no tool nope\nthree  x{}\n"; got != want {
		t.Errorf("got %s", got)
	}
	if got := c.call("codemode/executeBatch", `{"calls":[]}`).ok(); got != "[]" {
		t.Errorf("no calls: %s", got)
	}
}

// COL-2: a cancelled request is answered as such, and its call ended.
func TestCallToolCancelled(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	w := withCalls(t, func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	if err := w.rules.Set(permission.Session, permission.Allow, "mcp__a__*"); err != nil {
		t.Fatal(err)
	}
	c := initialized(t, w, `{}`)
	call := c.call("codemode/callTool", `{"name":"mcp__a__x","mode":"native"}`)
	<-began
	c.notify("$/cancelRequest", `{"id":`+call.id+`}`)
	<-ended
	call.fails(-32800)
}

// Parameters that lack something or are none are InvalidParams.
func TestMissingParams(t *testing.T) {
	c := initialized(t, withCalls(t, answering), `{}`)
	for method, list := range map[string][]string{
		"codemode/callTool":      {`{}`, `{"name":""}`, `{"name":1}`, `{"name":"Exec","mode":"Code"}`, `[]`, `7`, `"Exec"`, `null`, `true`},
		"codemode/executeBatch":  {`{}`, `{"calls":null}`, `{"calls":[{"name":"Exec"}]}`, `{"calls":[{"id":"1"}]}`, `{"calls":[],"mode":"x"}`, `7`},
		"codemode/run":           {`{}`, `7`, `{"runId":""}`},
		"codemode/value":         {`{}`, `{"runId":"r","offset":-1}`, `{"runId":""}`},
		"codemode/cancel":        {`{}`, `false`},
		"codemode/describe":      {`{}`, `"x"`},
		"codemode/restartServer": {`{}`, `0`},
		"codemode/approveServer": {`{"decision":"allow"}`, `{"name":"a","decision":"allow"}`, `{"name":"a","hash":"b"}`, `1`},
		"codemode/catalog":       {`7`, `"x"`, `true`},
	} {
		for _, params := range list {
			t.Run(method+" "+params, func(t *testing.T) { c.call(method, params).fails(-32602) })
		}
	}
	c.alive()
}

// DECL-5, DECL-7, DECL-9, ANN-0: each request is answered again by the settings
// and rules of its moment, in both directions.
func TestDecl5AndDecl7AtOnce(t *testing.T) {
	w := withCalls(t, answering)
	c := initialized(t, w, `{}`)
	declared := func() string {
		var a catalog.AgentTools
		if err := json.Unmarshal([]byte(c.call("codemode/declarations", `{}`).ok()), &a); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range a.Tools {
			names = append(names, tool.Name)
		}
		return string(a.Mode) + " " + strings.Join(names, " ")
	}
	direct := func() string {
		var r exec.CallResult
		if err := json.Unmarshal([]byte(c.call("codemode/callTool", `{"name":"mcp__a__x"}`).ok()), &r); err != nil {
			t.Fatal(err)
		}
		return r.Code
	}
	if err := w.rules.Set(permission.Session, permission.Allow, "mcp__a__*"); err != nil {
		t.Fatal(err)
	}
	pool := w.snapshot.Catalog
	for _, step := range []struct {
		what           string
		change         func(*workspace.Snapshot)
		declared, code string
	}{
		{"on", func(s *workspace.Snapshot) {}, "code Exec", "UNKNOWN_TOOL"},
		{"off", func(s *workspace.Snapshot) { s.Config = &config.Config{} }, "native mcp__a__x mcp__a__y", ""},
		{"on again", func(s *workspace.Snapshot) { s.Config = &config.Config{ExecEnabled: true} }, "code Exec", "UNKNOWN_TOOL"},
		{"denied", func(s *workspace.Snapshot) {
			s.Rules = permission.NewRules([]permission.Rule{{Effect: permission.Deny, Layer: permission.User, Match: "Exec"}})
		}, "native mcp__a__x mcp__a__y", ""},
		{"excluded", func(s *workspace.Snapshot) {
			s.Rules = permission.NewRules(nil)
			s.Config = &config.Config{ExecEnabled: true, Exclude: []string{"Exec"}}
		}, "native mcp__a__x mcp__a__y", ""},
		{"one tool direct", func(s *workspace.Snapshot) {
			s.Config = &config.Config{ExecEnabled: true, Exposure: map[string]string{"mcp__a__x": "direct"}}
		}, "code Exec mcp__a__x", ""},
		{"a server direct, but for one tool", func(s *workspace.Snapshot) {
			s.Config = &config.Config{ExecEnabled: true, Exposure: map[string]string{"a": "direct", "mcp__a__x": "code"}}
		}, "code Exec mcp__a__y", "UNKNOWN_TOOL"},
		{"an empty pool", func(s *workspace.Snapshot) { s.Catalog = catalog.Empty() }, "code ", "UNKNOWN_TOOL"},
		{"a pool again", func(s *workspace.Snapshot) {
			s.Config, s.Catalog = &config.Config{ExecEnabled: true}, pool
		}, "code Exec", "UNKNOWN_TOOL"},
	} {
		w.change(step.change)
		for begin := time.Now(); declared() != step.declared; {
			if time.Since(begin) > time.Minute {
				t.Fatalf("%s: %s, want %s", step.what, declared(), step.declared)
			}
		}
		if got := direct(); got != step.code {
			t.Errorf("%s: code %q, want %q", step.what, got, step.code)
		}
	}
}

// A value that its result has left out arrives whole, in pieces of whole characters.
func TestValueInPieces(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	want := `"x` + strings.Repeat("é😀", maxPiece/2) + `"`
	w.fake.values = map[string]jsontext.Value{"long": jsontext.Value(want), "none": nil}
	c := initialized(t, w, `{}`)
	var got strings.Builder
	for offset, pieces := 0, 0; ; pieces++ {
		var p ValuePiece
		answer := c.call("codemode/value", fmt.Sprintf(`{"runId":"long","offset":%d}`, offset)).ok()
		if err := json.Unmarshal([]byte(answer), &p); err != nil {
			t.Fatal(err)
		}
		if len(p.JSON) > maxPiece || p.Bytes != len(want) || pieces > len(want)/maxPiece+1 {
			t.Fatalf("piece %d: %d of %d bytes", pieces, len(p.JSON), p.Bytes)
		}
		got.WriteString(p.JSON)
		if offset = p.Next; offset == 0 {
			break
		}
	}
	if got.String() != want {
		t.Errorf("%d bytes arrived, not %d, or others", got.Len(), len(want))
	}
	c.call("codemode/value", `{"runId":"long","offset":3}`).fails(-32602) // inside of a character
	c.call("codemode/value", `{"runId":"other"}`).fails(int(CodeUnknownRun))
	if answer := c.call("codemode/value", `{"runId":"none"}`).ok(); answer != `{"json":"","bytes":0}` {
		t.Errorf("of a run without a value: %s", answer)
	}
}
