package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/workspace"
)

const doIt = `return (await tools.mcp__a__do({ what: "now" })).arguments.what`

// GATE-1: the agent's person is asked by a form that shows what will be sent; an answer
// for the session is for that session alone.
func TestGate1Elicitation(t *testing.T) {
	f := open(t, nil)
	a, other := f.connect("2025-11-25", `{"elicitation":{"form":{}}}`), f.connect("2025-06-18", `{"elicitation":{}}`)
	answer := func(a *agent, decision string) toolResult {
		t.Helper()
		id := a.begin("tools/call", `{"name":"Exec","arguments":{"code":`+quoted(doIt)+`}}`)
		q := a.until("elicitation/create")
		for _, part := range []string{"mcp__a__do", `agent \"tester\"`, `\"what\": \"now\"`, "Allow for this session"} {
			if !strings.Contains(q.raw, part) {
				t.Errorf("no %s in %s", part, q.raw)
			}
		}
		a.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":` + decision + `}`)
		return a.result(a.answer(id))
	}
	if r := answer(a, `{"action":"accept","content":{"decision":"Allow once"}}`); r.IsError || !strings.Contains(r.text(), "now") {
		t.Errorf("%+v", r)
	}
	if r := answer(a, `{"action":"accept","content":{"decision":"Deny"}}`); !r.IsError || !strings.Contains(r.text(), "denied by the user") {
		t.Errorf("%+v", r)
	}
	for _, nobody := range []string{`{"action":"cancel"}`, `{"action":"decline"}`} {
		if r := answer(a, nobody); !r.IsError || !strings.Contains(r.text(), "codemode-ls permissions allow 'mcp__a__do'") {
			t.Errorf("%s: %+v", nobody, r)
		}
	}
	if r := answer(a, `{"action":"accept","content":{"decision":"allow everything"}}`); !r.IsError {
		t.Errorf("an answer that was not offered: %+v", r)
	}
	answer(a, `{"action":"accept","content":{"decision":"Allow for this session"}}`)
	if r := a.exec(doIt); r.IsError {
		t.Errorf("asked again in the session: %+v", r)
	}
	if r := answer(other, `{"action":"accept","content":{"decision":"Deny"}}`); !r.IsError {
		t.Errorf("another session has the grant: %+v", r)
	}
}

// modern is what every request of 2026-07-28 carries.
func modern(capabilities string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
}

// GATE-1: the protocol without a handshake: what was asked comes back with the call.
func TestGate1Modern(t *testing.T) {
	f := open(t, nil)
	a := f.dial()
	meta := modern(`{"elicitation":{"form":{}}}`)
	m := a.ask("server/discover", `{`+meta+`}`)
	var hello struct {
		SupportedVersions []string
		Instructions      string
	}
	if json.Unmarshal(m.Result, &hello) != nil || fmt.Sprint(hello.SupportedVersions) != "[2026-07-28 2025-11-25 2025-06-18 2025-03-26 2024-11-05]" || !strings.Contains(hello.Instructions, "4 MCP tools") {
		t.Errorf("%s", m.raw)
	}
	if m := a.ask("tools/list", `{`+meta+`}`); !strings.Contains(m.raw, `"resultType":"complete"`) || !strings.Contains(m.raw, `"name":"Exec"`) {
		t.Errorf("%s", m.raw)
	}
	call := `"name":"Exec","arguments":{"code":` + quoted(doIt) + `},` + meta
	r := a.result(a.ask("tools/call", `{`+call+`}`))
	if r.ResultType != "input_required" || len(r.InputRequests) != 1 || !strings.Contains(fmt.Sprint(string(r.InputRequests[questionID])), "mcp__a__do") {
		t.Fatalf("%+v", r)
	}
	r = a.result(a.ask("tools/call", `{`+call+`,"requestState":`+quoted(r.RequestState)+`,"inputResponses":{"permission":{"action":"accept","content":{"decision":"Allow once"}}}}`))
	if r.ResultType != "complete" || r.IsError || !strings.Contains(r.text(), "now") || r.Structured["status"] != "completed" {
		t.Errorf("%+v", r)
	}
	calls := 0
	for _, line := range f.server.Log(t) {
		if strings.Contains(line, "tools/call") {
			calls++
		}
	}
	if calls != 1 {
		t.Errorf("the tool was called %d times", calls)
	}
}

// A client of 2026-07-28 hears of changes on the stream that it asked for, with its id.
func TestGate1ModernListen(t *testing.T) {
	f := open(t, nil)
	a := f.dial()
	a.ask("server/discover", `{`+modern(`{}`)+`}`)
	id := a.begin("subscriptions/listen", `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["codemode://catalog"]},`+modern(`{}`)+`}`)
	a.until("notifications/subscriptions/acknowledged")
	f.server.Rewrite(t, description+"-- tools/new.json --\n{\"name\": \"brand_new\", \"inputSchema\": {\"type\": \"object\"}}\n")
	for _, method := range []string{"notifications/tools/list_changed", "notifications/resources/updated"} {
		if m := a.until(method); !strings.Contains(m.raw, `"io.modelcontextprotocol/subscriptionId":`+id) {
			t.Errorf("%s", m.raw)
		}
	}
}

// Sessions see nothing of each other: neither stored values nor questions.
func TestGate1SessionsApart(t *testing.T) {
	f := open(t, nil)
	a, b := f.connect("2025-11-25", `{"elicitation":{}}`), f.connect("2025-11-25", `{"elicitation":{}}`)
	a.exec(`tools["$codemode"].store({ key: "secret", value: 42 })`)
	if r := b.exec(`return await tools["$codemode"].load({ key: "secret" }) ?? "nothing"`); !strings.Contains(r.text(), "nothing") {
		t.Errorf("%+v", r)
	}
	if r := a.exec(`return await tools["$codemode"].load({ key: "secret" })`); !strings.Contains(r.text(), "42") {
		t.Errorf("%+v", r)
	}
	id := a.begin("tools/call", `{"name":"Exec","arguments":{"code":`+quoted(doIt)+`}}`)
	q := a.until("elicitation/create")
	// The other client knows the id and answers.
	b.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"accept","content":{"decision":"Allow once"}}}`)
	b.ask("ping", "{}")
	for _, m := range b.seen {
		if m.Method == "elicitation/create" {
			t.Errorf("another session was asked: %s", m.raw)
		}
	}
	a.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"accept","content":{"decision":"Deny"}}}`)
	if r := a.result(a.answer(id)); !r.IsError {
		t.Errorf("another session's answer counted: %+v", r)
	}
}

// GATE-1, PERM-11: the audit log tells sessions apart.
func TestGate1AuditBySession(t *testing.T) {
	state := t.TempDir()
	f := open(t, func(_ *Options, w *workspace.Options) { w.StateDir = state })
	for range 2 {
		f.connect("2025-11-25", "{}").exec(`await tools.mcp__a__read({ n: 1 }); await tools.mcp__a__read({ n: 2 })`)
	}
	entries, err := f.host.(*Local).Workspace().Decisions(10)
	if err != nil {
		t.Fatal(err)
	}
	sessions := map[string]int{}
	for _, e := range entries {
		sessions[e.Session]++
	}
	if len(entries) != 4 || len(sessions) != 2 || sessions[""] > 0 {
		t.Errorf("%+v", entries)
	}
}

// What is no request is answered or ignored, and the session goes on.
func TestGate1Hostile(t *testing.T) {
	a := open(t, nil).connect("2025-11-25", "{}")
	for _, line := range []string{
		`garbage`, `{`, `[]`, `null`, `42`, `"x"`, `{}`, `[1,2,{}]`, `{"jsonrpc":"1.0","id":9000,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":9001,"method":42}`, `{"jsonrpc":"2.0","id":9002,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":9003,"method":"tools/call","params":{"name":"Exec","arguments":"x"}}`,
		`{"jsonrpc":"2.0","id":"codemode-1","result":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}`,
		`{"jsonrpc":"2.0","id":9004,"method":"tools/call","params":{"name":"Exec","arguments":{"code":"return 1"},"requestState":"AAAA"}}`,
		`{"jsonrpc":"2.0","id":9005,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
		strings.Repeat("[", 100_000),
	} {
		a.send(line)
	}
	go func() { // more than a message may have
		_, _ = io.WriteString(a.in, `{"jsonrpc":"2.0","id":9006,"method":"ping","params":{"x":"`)
		for range maxMessage >> 20 {
			_, _ = io.WriteString(a.in, strings.Repeat("x", 1<<20))
		}
		_, _ = io.WriteString(a.in, "\"}}\n")
		a.send(`{"jsonrpc":"2.0","id":9007,"method":"ping"}`)
	}()
	a.answer("9007")
	if r := a.exec("return 42"); r.IsError || !strings.Contains(r.text(), "42") {
		t.Errorf("%+v", r)
	}
}

// 2025-03-26 has batches.
func TestGate1Batch(t *testing.T) {
	a := open(t, nil).connect("2025-03-26", "{}")
	a.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`)
	var answers []wire
	if m := a.receive(); json.Unmarshal([]byte(m.raw), &answers) != nil || len(answers) != 2 {
		t.Errorf("%s", m.raw)
	}
}

// A flood of requests is answered, at the speed at which it is read.
func TestGate1Flood(t *testing.T) {
	a := open(t, nil).connect("2025-11-25", "{}")
	const many = 3000
	var sending sync.WaitGroup
	sending.Go(func() {
		for i := range many {
			a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 10_000+i))
		}
	})
	for range many {
		a.receive()
	}
	sending.Wait()
	deadline := time.After(long)
	done := make(chan toolResult, 1)
	go func() { done <- a.exec("return 1") }()
	select {
	case <-done:
	case <-deadline:
		t.Error("the session does not answer any more")
	}
}
