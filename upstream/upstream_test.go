package upstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/config"
	"codemode-ls/internal/mcptest"

	"github.com/go-json-experiment/json/jsontext"
)

func itoa(n int) string { return strconv.Itoa(n) }

const simple = `{"name": "fake", "instructions": "Be kind.", "tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}`

// Schemas are the bytes that the server sent, and no tool hides another.
func TestRawTools(t *testing.T) { // MCP-7, POOL-5
	odd := []string{
		`{"name":"list_type","inputSchema":{"type":["object","null"]}}`,
		`{"name":"boolean_schema","inputSchema":true}`,
		`{"name":"php","inputSchema":{"type":"object","properties":[]}}`,
		`{"name":"required_string","inputSchema":{"type":"object","required":"a"}}`,
		`{"name":"defs_list","inputSchema":{"type":"object","$defs":[]}}`,
		`{"name":"hint_string","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}}`,
		`{"name":"no_schema"}`,
		`{"name":"big","inputSchema":{"type":"object","properties":{"z":{"maximum":9007199254740993},"a":{"description":"<\u2028>"}},"if":{},"then":{},"x-vendor":1,"definitions":{"Z":{},"A":{}},"title":"T"},"outputSchema":{"type":"object",  "z":1,"a":1e400}}`,
		`{"name":"twice","inputSchema":{"type":"object","type":"object"},"description":"\ud800"}`,
		`{"name":7}`,
		`"not a tool"`,
	}
	fake := mcptest.Write(t, `{"tools": [`+strings.Join(odd, ",")+`]}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "odd"))
	s.untilState("odd", Connected)
	server := s.find("odd")
	for i, tool := range server.tools {
		if string(tool) != odd[i] {
			t.Errorf("tool %d:\n%s\nwant\n%s", i, tool, odd[i])
		}
	}
	got := " " + s.names() + " "
	for _, name := range []string{"list_type", "boolean_schema", "php", "required_string", "defs_list", "hint_string", "no_schema", "big", "twice"} {
		if !strings.Contains(got, " mcp__odd__"+name+" ") {
			t.Errorf("%s is hidden: %s", name, got)
		}
	}
	for _, tool := range s.Servers()[0].Tools {
		if tool.MCPName != "big" {
			continue
		}
		if want := `{"type":"object",  "z":1,"a":1e400}`; string(tool.OutputSchema) != want {
			t.Errorf("output schema %s, want %s", tool.OutputSchema, want)
		}
		if !strings.Contains(odd[7], string(tool.InputSchema)) {
			t.Errorf("input schema %s", tool.InputSchema)
		}
	}
}

func TestPages(t *testing.T) { // POOL-4, MCP-6
	var tools []string
	for i := range 25 {
		tools = append(tools, fmt.Sprintf(`{"name":"t%02d"}`, i))
	}
	fake := mcptest.Write(t, `{"pageSize": 10, "tools": [`+strings.Join(tools, ",")+`]}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "p"))
	if st := s.untilState("p", Connected); st.Tools != 25 {
		t.Errorf("%d tools", st.Tools)
	}
	again := mcptest.Write(t, `{"pageSize": 10, "sameCursor": true, "tools": [`+strings.Join(tools, ",")+`]}`)
	s.configure(again.Config(t, "p"))
	// What was read remains, each tool once, and the fault is reported.
	st := s.until("p", "incomplete", func(st Status) bool { return st.State == Connected && len(st.Faults) > 0 })
	if st.Tools != 10 || !strings.Contains(st.Faults[0], "has come before") {
		t.Errorf("%+v", st)
	}
}

func TestResults(t *testing.T) { // EXEC-3, EXEC-4, MCP-7
	tests := []struct {
		name, raw string
		want      Result
	}{
		{"text", `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, Result{Text: "a\nb", HasText: true}},
		{"empty_text", `{"content":[{"type":"text","text":""}]}`, Result{HasText: true}},
		{"nothing", `{}`, Result{}},
		{"object", `{"content":[],"structuredContent":{"b":1,"a":9007199254740993}}`, Result{Structured: jsontext.Value(`{"b":1,"a":9007199254740993}`)}},
		{"array", `{"content":[],"structuredContent":[1,[2]]}`, Result{Structured: jsontext.Value(`[1,[2]]`)}},
		{"scalar", `{"structuredContent":false}`, Result{Structured: jsontext.Value(`false`)}},
		{"null", `{"content":[{"type":"text","text":"t"}],"structuredContent":null}`, Result{Text: "t", HasText: true}},
		{"error", `{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":{"code":1}}`, Result{IsError: true, Text: "no", HasText: true, Structured: jsontext.Value(`{"code":1}`)}},
		{"error_string", `{"isError":"true","content":"x"}`, Result{IsError: true, Text: "x", HasText: true}},
		{"one", `{"content":{"type":"text","text":"t"}}`, Result{Text: "t", HasText: true}},
		{"unknown", `{"content":[{"type":"video","url":"x"},{"type":"text","text":"t"},7]}`, Result{Text: "t", HasText: true, Attachments: []Attachment{
			{Kind: "unknown", Text: `{"type":"video","url":"x"}`, Problem: `content of the unknown kind "video"`},
			{Kind: "unknown", Text: `7`, Problem: "content without a kind"},
		}}},
		{"no_string", `{"content":[{"type":"text","text":{"a":1}}]}`, Result{Attachments: []Attachment{
			{Kind: "unknown", Text: `{"type":"text","text":{"a":1}}`, Problem: "text that is not a string"},
		}}},
		{"in_order", `{"content":[{"type":"resource_link","uri":"x://a","name":"a"},{"type":"text","text":"t"},{"type":"resource","resource":{"uri":"x://1","mimeType":"text/plain","text":"hi"}},{"type":"resource_link","uri":"x://b"},{"type":"resource_link","name":"c"}]}`,
			Result{Text: "x://a\nt\nhi\nx://b", HasText: true, Attachments: []Attachment{
				{Kind: "resource", URI: "x://a", InText: true},
				{Kind: "resource", MIMEType: "text/plain", URI: "x://1", Text: "hi", InText: true},
				{Kind: "resource", URI: "x://b", InText: true},
				{Kind: "unknown", Text: `{"type":"resource_link","name":"c"}`, Problem: "a resource_link without a URI"},
			}}},
		{"error_resource", `{"isError":true,"content":[{"type":"resource","resource":{"uri":"x://1","text":""}}]}`, Result{IsError: true, HasText: true, Attachments: []Attachment{{Kind: "resource", URI: "x://1", InText: true}}}},
		{"media", `{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},{"type":"audio","data":"UklGRgAAAABXQVZF","mimeType":"audio/wav"},{"type":"image","data":"iVBORw0KGgo="},{"type":"resource","resource":{"uri":"x://2","mimeType":"a/b","blob":"Qw=="}},{"type":"resource","resource":{"uri":"x://3","blob":"?"}},{"type":"resource","resource":{}}]}`, Result{Attachments: []Attachment{
			{Kind: "image", MIMEType: "image/png", Data: "iVBORw0KGgo="}, {Kind: "audio", MIMEType: "audio/wav", Data: "UklGRgAAAABXQVZF"},
			{Kind: "image", MIMEType: "image/png", Data: "iVBORw0KGgo="},
			{Kind: "resource", MIMEType: "a/b", URI: "x://2", Data: "Qw==", Problem: "an embedded resource x://2 (a/b), which cannot be text"},
			{Kind: "resource", URI: "x://3", Data: "?", Problem: "an embedded resource x://3, whose data is not base64"},
			{Kind: "unknown", Text: `{"type":"resource","resource":{}}`, Problem: "an embedded resource with neither text nor data"},
		}}},
	}
	var tools, results []string
	for _, test := range tests {
		tools = append(tools, fmt.Sprintf(`{"name":%q}`, test.name))
		results = append(results, fmt.Sprintf(`%q:%s`, test.name, test.raw))
	}
	fake := mcptest.Write(t, `{"tools": [`+strings.Join(tools, ",")+`], "results": {`+strings.Join(results, ",")+`}}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "r"))
	for _, test := range tests {
		r := s.call("r", test.name, "{}")
		test.want.Raw = jsontext.Value(test.raw)
		if fmt.Sprintf("%+v", *r) != fmt.Sprintf("%+v", test.want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", test.name, *r, test.want)
		}
	}
}

// TRUST-4: what a result has beside what is read of it is not kept while it is read,
// however many members, elements and digits that are.
func TestTrust4OddMembers(t *testing.T) {
	var many strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&many, `"%x":1,"\u0061%x":1,`, i, i)
	}
	long := `"` + strings.Repeat("n", 1<<20) + `":1,`
	for what, raw := range map[string]string{
		"result": `{` + many.String() + long + `"content":[{"type":"text","text":"t"}]}`,
		"part":   `{"content":[{` + many.String() + long + `"type":"text","text":"t"}]}`,
	} {
		v := jsontext.Value(raw)
		if r := parseResult(v); r.Text != "t" {
			t.Errorf("%s: %+v", what, r.Text)
		}
		begin, end := new(runtime.MemStats), new(runtime.MemStats)
		runtime.ReadMemStats(begin)
		names := members(v, "content")
		for item := range elements(names["content"]) {
			members(item, "type")
		}
		runtime.ReadMemStats(end)
		if raceDetector {
			continue // it allocates at each comparison of a name
		}
		if n := end.TotalAlloc - begin.TotalAlloc; n > 20<<20 { // the decoded names, one after the other
			t.Errorf("%s: %d KB", what, n>>10)
		}
	}
}

// What is sent is what was approved, byte for byte.
func TestArgumentsAreSentAsTheyAre(t *testing.T) { // PERM-5, EXEC-5
	fake := mcptest.Write(t, simple)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	for _, test := range []struct{ given, sent string }{
		{`{"z":1,"a":"<&>\u003c","n":9007199254740993,"e":1.50e+1,"u":"\u2028 ` + "\u2028" + `"}`, ""},
		{`{"a":1,"a":2,"s":"\ud800"}`, ""},
		{"{\n  \"a\": [1,\r\n 2]\n}", `{"a":[1,2]}`},
		{"", "{}"},
		{`[1]`, ""},
	} {
		if test.sent == "" {
			test.sent = test.given
		}
		if r := s.call("f", "echo", test.given); r.Text != test.sent {
			t.Errorf("%s was sent as %s", test.given, r.Text)
		}
	}
	if _, err := s.Call(t.Context(), Call{Server: "f", Tool: "echo", Arguments: []byte(`{"a"`)}); err == nil || err.(*CallError).Reason != Rejected {
		t.Errorf("broken arguments: %v", err)
	}
}

func TestListChanged(t *testing.T) { // POOL-4, issue of a server that says so on a flood
	fake := mcptest.Write(t, simple)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	if got := s.names(); got != "mcp__f__echo" {
		t.Error(got)
	}
	before := s.Servers()[0]
	fake.Rewrite(t, `{"tools": [{"name": "echo"}, {"name": "more"}]}`)
	s.until("f", "larger", func(st Status) bool { return st.Tools == 2 })
	if got := s.names(); got != "mcp__f__echo mcp__f__more" {
		t.Error(got)
	}
	if len(before.Tools) != 1 {
		t.Error("a published value has changed")
	}
	fake.Rewrite(t, `{"tools": []}`)
	s.until("f", "empty", func(st Status) bool { return st.Tools == 0 })
}

func TestServerThatDies(t *testing.T) { // MCP-5, POOL-4
	fake := mcptest.Write(t, `{"tools": [{"name": "echo"}, {"name": "die"}], "stderr": "last words", "calls": {"die": {"die": true, "exitCode": 7}}}`)
	s := newTestSet(t, nil)
	s.policy.firstDelay = time.Hour
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	failed := s.refuse(testContext(t), "f", "die")
	if failed.Reason != Unavailable || !strings.Contains(failed.Message, "exit status 7") {
		t.Errorf("%+v", failed)
	}
	st := s.untilState("f", Failed)
	if !strings.Contains(st.Error, "exit status 7") || !strings.Contains(st.Error, "last words") || st.PID != 0 {
		t.Errorf("%+v", st)
	}
	if got := s.names(); got != "" {
		t.Errorf("a failed server's tools are in the pool: %s", got)
	}
	if failed := s.refuse(testContext(t), "f", "echo"); failed.Reason != Unavailable || !strings.Contains(failed.Message, "exit status 7") {
		t.Errorf("%+v", failed)
	}
	if err := s.Restart("f"); err != nil {
		t.Fatal(err)
	}
	s.untilState("f", Connected)
	s.call("f", "echo", "{}")
}

func TestExitIsNoticedAndRestarted(t *testing.T) { // MCP-5
	fake := mcptest.Write(t, simple)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	first := s.untilState("f", Connected).PID
	fake.Rewrite(t, `{"exit": 3}`)
	// It ends at each start until the file is right again.
	s.until("f", "failed", func(st Status) bool { return st.State == Failed })
	fake.Rewrite(t, simple)
	st := s.untilState("f", Connected)
	if st.PID == first || st.PID == 0 {
		t.Errorf("pid %d after %d", st.PID, first)
	}
	s.call("f", "echo", "{}")
}

func TestRestartsHaveALimit(t *testing.T) { // MCP-5
	fake := mcptest.Write(t, `{"exitAtStart": 9, "stderr": "no license\u001b[2J"}`)
	s := newTestSet(t, nil)
	s.policy.firstDelay, s.policy.maxRestarts = time.Millisecond, 2
	s.configure(fake.Config(t, "f"))
	st := s.untilState("f", Failed)
	if !strings.Contains(st.Error, "exit status 9") || !strings.Contains(st.Error, "no license") || strings.ContainsRune(st.Error, '\x1b') {
		t.Errorf("%+v", st)
	}
	if !strings.Contains(st.Stderr, "no license") {
		t.Errorf("standard error %q", st.Stderr)
	}
	<-s.find("f").done // it has given up
	if st := s.Status()[0]; st.State != Failed {
		t.Errorf("%+v", st)
	}
	fake.Rewrite(t, simple)
	if err := s.Restart("f"); err != nil {
		t.Fatal(err)
	}
	s.untilState("f", Connected)
}

func TestHangingServerDelaysNobody(t *testing.T) { // MCP-5
	slow := mcptest.Write(t, `{"initializeDelayMs": -1}`)
	fast := mcptest.Write(t, simple)
	s := newTestSet(t, func(o *Options) { o.Limits.ConnectTimeout = 3 * time.Second })
	s.policy.firstDelay = time.Hour
	s.configure(slow.Config(t, "slow"), fast.Config(t, "fast"))
	if st := s.untilState("fast", Connected); st.Tools != 1 {
		t.Errorf("%+v", st)
	}
	if st := s.Status()[0]; st.State != Connecting {
		t.Errorf("%+v", st)
	}
	s.call("fast", "echo", "{}")
	s.settle()
	if st := s.Status()[0]; st.State != Failed || !strings.Contains(st.Error, "did not answer in time") {
		t.Errorf("%+v", st)
	}
}

func TestSlowServerConnects(t *testing.T) {
	fake := mcptest.Write(t, `{"initializeDelayMs": 2500, "unknownMethods": "ignore", "tools": [{"name": "echo"}]}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	s.call("f", "echo", "{}") // a call waits for the first connection
	if s.Status()[0].State != Connected {
		t.Errorf("%+v", s.Status()[0])
	}
}

// A server that ends at the probe is started again without it, and the next time
// not probed at all.
func TestProbeThatKills(t *testing.T) {
	dir := t.TempDir()
	fake := mcptest.Write(t, `{"unknownMethods": "die", "tools": [{"name": "echo"}]}`)
	for round := range 2 {
		s := newTestSet(t, func(o *Options) { o.CacheDir = dir })
		s.configure(fake.Config(t, "f"))
		s.untilState("f", Connected)
		s.until("f", "live", func(st Status) bool { return !st.Cached })
		s.Close()
		probes := strings.Count(strings.Join(fake.Log(t), "\n"), "server/discover")
		if probes != 1 {
			t.Errorf("round %d: probed %d times", round, probes)
		}
	}
	legacyFake := mcptest.Write(t, `{"unknownMethods": "die", "tools": [{"name": "echo"}]}`)
	def := legacyFake.Config(t, "f")
	def.Protocol = "legacy"
	s := newTestSet(t, nil)
	s.configure(def)
	s.untilState("f", Connected)
	if strings.Contains(strings.Join(legacyFake.Log(t), "\n"), "server/discover") {
		t.Error("a legacy server was probed")
	}
}

func TestNoise(t *testing.T) {
	fake := mcptest.Write(t, `{"noise": ["starting up...", "{\"half\":", "[]", "7", "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}"], "tools": [{"name": "echo"}], "calls": {"echo": {"logs": 5000}}}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	s.call("f", "echo", "{}")
}

func TestLongLine(t *testing.T) {
	fake := mcptest.Write(t, `{"tools": [{"name": "long"}, {"name": "close"}], "calls": {"long": {"longLine": 3000000}, "close": {"closeStdout": true}}}`)
	s := newTestSet(t, func(o *Options) { o.Limits.MaxValueBytes = 1000 })
	s.configure(fake.Config(t, "f"))
	first := s.untilState("f", Connected).PID
	if failed := s.refuse(testContext(t), "f", "long"); failed.Reason != Rejected || !strings.Contains(failed.Message, "has 3000000 bytes, and at most 1050576 are read") {
		t.Errorf("%+v", failed)
	}
	if pid := s.Status()[0].PID; pid != first {
		t.Errorf("the session has ended: %d, %d", pid, first)
	}
	failed := s.refuse(testContext(t), "f", "close")
	if failed.Reason != Unavailable || !strings.Contains(failed.Message, "closed its output") {
		t.Errorf("%+v", failed)
	}
}

func TestRepairedInitialize(t *testing.T) {
	fake := mcptest.Write(t, `{"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": true}, "serverInfo": "me", "instructions": "Hello."}, "tools": [{"name": "echo"}]}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	if st := s.untilState("f", Connected); st.Tools != 1 {
		t.Errorf("%+v", st)
	}
	if got := s.Servers()[0].Instructions; got != "Hello." {
		t.Errorf("instructions %q", got)
	}
}

func TestCallErrors(t *testing.T) {
	fake := mcptest.Write(t, `{"tools": [{"name": "fault"}, {"name": "string"}, {"name": "hang"}],
		"calls": {"fault": {"error": {"code": -32603, "message": "disk full", "data": {"x": 1}}}, "string": {"error": "just text"}, "hang": {"hang": true}}}`)
	s := newTestSet(t, func(o *Options) { o.Limits.CallTimeout = 300 * time.Millisecond })
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	for tool, want := range map[string]string{"fault": "disk full", "string": "just text"} {
		if failed := s.refuse(testContext(t), "f", tool); failed.Reason != Rejected || failed.Message != want {
			t.Errorf("%s: %+v", tool, failed)
		}
	}
	if failed := s.refuse(testContext(t), "f", "hang"); failed.Reason != TimedOut || !strings.Contains(failed.Message, "within 300ms") {
		t.Errorf("%+v", failed)
	}
	fake.WaitForLog(t, "notifications/cancelled") // TIME-2
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(50*time.Millisecond))
	defer cancel()
	if failed := s.refuse(ctx, "f", "hang"); failed.Reason != TimedOut {
		t.Errorf("%+v", failed)
	}
	if failed := s.refuse(testContext(t), "nobody", "x"); failed.Reason != Unavailable {
		t.Errorf("%+v", failed)
	}
}

func TestCancel(t *testing.T) { // MCP-6, TIME-2
	fake := mcptest.Write(t, `{"tools": [{"name": "hang"}, {"name": "echo"}], "calls": {"hang": {"hang": true}}}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := s.Call(ctx, Call{Server: "f", Tool: "hang"})
		if failed := (*CallError)(nil); !errors.As(err, &failed) || failed.Reason != Cancelled {
			t.Errorf("%v", err)
		}
	})
	line := fake.WaitForLog(t, `"hang"`)
	cancel()
	wg.Wait()
	var id string
	if _, after, ok := strings.Cut(line, `"id":`); ok {
		id, _, _ = strings.Cut(after, ",")
	}
	if got := fake.WaitForLog(t, "notifications/cancelled"); !strings.Contains(got, `"requestId":`+id) {
		t.Errorf("%s does not cancel %s", got, line)
	}
	s.call("f", "echo", "{}")
}

// A server that does not read holds up neither a call's end nor the set's.
func TestDeafServer(t *testing.T) {
	fake := mcptest.Write(t, `{"deaf": true, "tools": [{"name": "echo"}]}`)
	s := newTestSet(t, func(o *Options) { o.Limits.CallTimeout = 200 * time.Millisecond })
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	big := `{"a":"` + strings.Repeat("x", 1<<20) + `"}`
	for range 2 {
		_, err := s.Call(testContext(t), Call{Server: "f", Tool: "echo", Arguments: []byte(big)})
		if failed := (*CallError)(nil); !errors.As(err, &failed) || failed.Reason != TimedOut {
			t.Errorf("%v", err)
		}
	}
}

func TestProgress(t *testing.T) { // TIME-3, MCP-6
	fake := mcptest.Write(t, `{"tools": [{"name": "work"}], "calls": {"work": {"progress": 8, "delayMs": 150}}}`)
	s := newTestSet(t, func(o *Options) { o.Limits.CallTimeout = 600 * time.Millisecond })
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	var got []string
	_, err := s.Call(testContext(t), Call{Server: "f", Tool: "work", Progress: func(p, total float64, message string) {
		got = append(got, fmt.Sprintf("%v/%v %s", p, total, message))
	}})
	if err != nil {
		t.Fatal(err) // 8 × 150 ms is longer than the limit, but progress puts it off
	}
	if len(got) != 8 || got[0] != "1/8 step 1" || got[7] != "8/8 step 8" {
		t.Errorf("%q", got)
	}
}

func TestCallsAreConcurrent(t *testing.T) {
	fake := mcptest.Write(t, `{"tools": [{"name": "slow"}], "calls": {"slow": {"delayMs": 400}}}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	begin := time.Now()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			want := `{"i":` + itoa(i) + `}`
			r, err := s.Call(testContext(t), Call{Server: "f", Tool: "slow", Arguments: []byte(want)})
			if err != nil || r.Text != want {
				t.Errorf("%v %v", r, err)
			}
		})
	}
	wg.Wait()
	if d := time.Since(begin); d > 10*time.Second {
		t.Errorf("50 calls of 400 ms took %s", d)
	}
}

func TestProcessesEnd(t *testing.T) { // MCP-5
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	fake := mcptest.Write(t, `{"grandchild": true, "stubborn": true, "tools": [{"name": "echo"}]}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	st := s.untilState("f", Connected)
	grandchild := fake.Grandchild(t)
	if !alive(st.PID) || !alive(grandchild) {
		t.Fatal("the processes do not run")
	}
	s.Close()
	if alive(st.PID) {
		t.Error("the server is left behind")
	}
	gone(t, grandchild)
	if got := s.names(); got != "" {
		t.Errorf("after Close: %s", got)
	}
	if failed := s.refuse(testContext(t), "f", "echo"); failed.Reason != Unavailable {
		t.Errorf("%+v", failed)
	}
}

// A program that ends at once leaves no server behind, and starts none any more.
func TestKill(t *testing.T) { // MCP-5, CLI-4
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	fake := mcptest.Write(t, `{"grandchild": true, "stubborn": true, "tools": [{"name": "echo"}]}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	st := s.untilState("f", Connected)
	grandchild := fake.Grandchild(t)
	s.Kill()
	gone(t, st.PID)
	gone(t, grandchild)
	if _, err := s.running.start(fake.Config(t, "late"), "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("started after Kill: %v", err)
	}
}

// A server's death takes its children with it, which hold its pipes open.
func TestGrandchildOfADeadServer(t *testing.T) { // MCP-5
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	fake := mcptest.Write(t, `{"grandchild": true, "tools": [{"name": "die"}], "calls": {"die": {"die": true, "exitCode": 1}}}`)
	s := newTestSet(t, nil)
	s.policy.firstDelay = time.Hour
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	grandchild := fake.Grandchild(t)
	s.refuse(testContext(t), "f", "die")
	s.untilState("f", Failed)
	gone(t, grandchild)
}

// A server gets the basics of our environment and its definition's own, and none
// of the secrets that an editor has.
func TestServerEnvironment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	t.Setenv("EDITOR_SECRET", "hunter2")
	t.Setenv("DISPLAY", ":7")
	s := newTestSet(t, nil)
	s.configure(config.Server{Name: "e", Transport: config.Stdio, Command: "sh", Args: []string{"-c", "env >&2; exit 3"}, Env: map[string]string{"TOKEN": "mine"}})
	got := s.untilState("e", Failed).Stderr
	if !strings.Contains(got, "PATH=") || !strings.Contains(got, "TOKEN=mine\n") || strings.Contains(got, "hunter2") || strings.Contains(got, "DISPLAY=") {
		t.Errorf("%s", got)
	}
	// What the user's setting names comes too (mcp.inherit).
	s.configure(config.Server{Name: "i", Transport: config.Stdio, Command: "sh", Args: []string{"-c", "env >&2; exit 3"}, Inherit: []string{"DISP*"}})
	if got := s.untilState("i", Failed).Stderr; !strings.Contains(got, "DISPLAY=:7\n") || strings.Contains(got, "hunter2") {
		t.Errorf("%s", got)
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plain"), []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newTestSet(t, func(o *Options) { o.Roots = []string{dir} })
	for _, test := range []struct{ command, cwd, want string }{
		{"no-such-program", "", "no-such-program: there is no such program on the PATH"},
		{"npx -y some-server", "", `no such program on the PATH; is it a program with arguments? those belong into "args"`},
		{"./plain", "", "plain: permission denied"},
		{"./missing", "", "missing: file does not exist"},
		{dir, "", "it is a folder"},
		{"sh", filepath.Join(dir, "gone"), "there is no folder"},
	} {
		s.configure(config.Server{Name: "x", Transport: config.Stdio, Command: test.command, Cwd: test.cwd})
		st := s.untilState("x", Failed)
		if !strings.Contains(st.Error, test.want) {
			t.Errorf("%s: %q, want %q", test.command, st.Error, test.want)
		}
		<-s.find("x").done // not tried again
	}
}

func TestConfigure(t *testing.T) {
	a, b := mcptest.Write(t, simple), mcptest.Write(t, simple)
	s := newTestSet(t, nil)
	defA, defB := a.Config(t, "a"), b.Config(t, "b")
	off, broken, self := b.Config(t, "off"), b.Config(t, "broken"), b.Config(t, "self")
	off.Disabled, broken.Problem, self.Args = true, "unset", []string{"mcp", "--http"}
	unknown := b.Config(t, "unknown")
	s.Configure([]config.Server{defA, defB, off, broken, self, unknown}, func(d config.Server) bool { return d.Name != "unknown" })
	s.settle()
	var got []string
	for _, st := range s.Status() {
		got = append(got, fmt.Sprintf("%s %s %q", st.Server.Name, st.State, st.Error))
	}
	want := []string{
		`a connected ""`, `b connected ""`, `off stopped ""`, `broken failed "unset"`,
		`self stopped "this server is codemode-ls itself, so it is not connected"`, `unknown untrusted ""`, // MCP-8, TRUST-1
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, name := range []string{"off", "broken", "self", "unknown", "nobody"} {
		if err := s.Restart(name); err == nil {
			t.Errorf("%s was started", name)
		}
	}
	pidA, pidB := s.Status()[0].PID, s.Status()[1].PID
	defA.Line = 17 // moved in its file: nothing changes
	changed := defB
	changed.Env = map[string]string{"NEW": "1"}
	s.configure(changed, defA, unknown)
	s.settle()
	st := s.Status()
	if len(st) != 3 || st[1].PID != pidA || st[1].Server.Line != 17 {
		t.Errorf("a was touched: %+v", st)
	}
	if st[0].PID == pidB || st[0].State != Connected {
		t.Errorf("b was not started again: %+v", st[0])
	}
	if st[2].State != Connected {
		t.Errorf("the approved server: %+v", st[2])
	}
	if alive(pidB) && runtime.GOOS == "linux" {
		t.Error("the old b lives beside the new one")
	}
	s.configure()
	if len(s.Status()) != 0 || s.names() != "" {
		t.Error("something is left")
	}
}

func TestCachedTools(t *testing.T) { // LSP-1
	dir := t.TempDir()
	fake := mcptest.Write(t, `{"instructions": "Hi.", "tools": [{"name": "echo", "inputSchema": {"type":"object",  "maximum": 9007199254740993}}]}`)
	first := newTestSet(t, func(o *Options) { o.CacheDir = dir })
	first.configure(fake.Config(t, "f"))
	first.untilState("f", Connected)
	want := string(first.Servers()[0].Tools[0].InputSchema)
	first.Close()

	fake.Rewrite(t, `{"initializeDelayMs": -1}`)
	s := newTestSet(t, func(o *Options) { o.CacheDir = dir; o.Limits.ConnectTimeout = time.Second })
	s.policy.firstDelay = time.Hour
	s.configure(fake.Config(t, "f"))
	s.until("f", "known", func(st Status) bool { return st.Cached })
	if got := s.names(); got != "mcp__f__echo (cached)" {
		t.Errorf("before it answers: %q", got)
	}
	if st := s.Status()[0]; st.State != Connecting || st.Tools != 1 {
		t.Errorf("%+v", st)
	}
	if got := s.Servers()[0]; string(got.Tools[0].InputSchema) != want || got.Instructions != "Hi." {
		t.Errorf("%s", got.Tools[0].InputSchema)
	}
	s.untilState("f", Failed)
	if got := s.names(); got != "" {
		t.Errorf("after it failed: %q", got)
	}
	other := fake.Config(t, "f")
	other.Args = append(other.Args, "x")
	s.configure(other)
	s.untilState("f", Failed)
	if got := s.names(); got != "" {
		t.Errorf("another definition has the old one's tools: %q", got)
	}
	files, err := filepath.Glob(filepath.Join(dir, "servers", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	if info, _ := os.Stat(files[0]); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// What the server asks is answered or declined in the protocol's words.
func TestRequestsOfTheServer(t *testing.T) { // MCP-6
	fake := mcptest.Write(t, `{"tools": [{"name": "roots"}, {"name": "sampling"}, {"name": "elicit"}, {"name": "other"}], "calls": {
		"roots": {"ask": "roots/list"}, "sampling": {"ask": "sampling/createMessage", "askParams": {"messages": [], "maxTokens": 1}},
		"elicit": {"ask": "elicitation/create", "askParams": {"message": "?"}}, "other": {"ask": "x/y"}}}`)
	dir := t.TempDir()
	s := newTestSet(t, func(o *Options) { o.Roots = []string{dir} })
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	for tool, want := range map[string]string{
		"roots":    `{"roots":[{"uri":"` + fileURI(dir) + `","name":"` + filepath.Base(dir) + `"}]}`,
		"sampling": `{"code":-1,"message":"sampling is not available"}`,
		"elicit":   `{"action":"decline"}`,
		"other":    `{"code":-32601,"message":"method \"x/y\" is not supported"}`,
	} {
		if got := s.call("f", tool, "{}").Text; got != want {
			t.Errorf("%s: %s, want %s", tool, got, want)
		}
	}
	if init := fake.WaitForLog(t, `"initialize"`); strings.Contains(init, "elicitation") || strings.Contains(init, "sampling") || !strings.Contains(init, `"roots"`) {
		t.Errorf("capabilities: %s", init)
	}
	s.SetRoots([]string{"/a b"})
	fake.WaitForLog(t, "notifications/roots/list_changed")
	if got, want := s.call("f", "roots", "{}").Text, `{"roots":[{"uri":"file:///a%20b","name":"a b"}]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A server whose roots are switched off hears of none, also not when folders change.
func TestWithoutRoots(t *testing.T) { // MCP-6
	fake := mcptest.Write(t, `{"tools": [{"name": "roots"}], "calls": {"roots": {"ask": "roots/list"}}}`)
	s := newTestSet(t, func(o *Options) { o.Roots = []string{t.TempDir()} })
	def := fake.Config(t, "f")
	def.WithoutRoots = true
	s.configure(def)
	s.untilState("f", Connected)
	if init := fake.WaitForLog(t, `"initialize"`); strings.Contains(init, `"roots"`) {
		t.Errorf("capabilities: %s", init)
	}
	s.SetRoots([]string{"/elsewhere"})
	if got := s.call("f", "roots", "{}").Text; strings.Contains(got, `"uri"`) {
		t.Errorf("roots: %s", got)
	}
}

func TestSelfAndCodeMode(t *testing.T) { // MCP-8
	self := mcptest.Write(t, `{"name": "codemode-ls", "tools": [{"name": "Exec"}]}`)
	other := mcptest.Write(t, `{"name": "x", "tools": [{"name": "run", "inputSchema": {"type": "object", "properties": {"code": {"type": "string"}}}}]}`)
	s := newTestSet(t, nil)
	s.configure(self.Config(t, "self"), other.Config(t, "other"))
	s.settle()
	st := s.Status()
	if st[0].State != Stopped || !strings.Contains(st[0].Error, "codemode-ls itself") {
		t.Errorf("%+v", st[0])
	}
	if st[1].State != Connected || !st[1].CodeMode {
		t.Errorf("%+v", st[1])
	}
}

// Many changes at once, from many goroutines, leave nothing behind.
func TestConfigureInParallel(t *testing.T) {
	fakes := []*mcptest.Server{mcptest.Write(t, simple), mcptest.Write(t, simple)}
	s := newTestSet(t, nil)
	defs := []config.Server{fakes[0].Config(t, "a"), fakes[1].Config(t, "b")}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 3 {
				switch (i + j) % 4 {
				case 0:
					s.configure(defs...)
				case 1:
					s.configure(defs[j%2])
				case 2:
					s.configure()
				default:
					_ = s.Restart("a")
				}
				_ = s.Status()
				_ = s.Servers()
			}
		})
	}
	wg.Wait()
	s.configure(defs...)
	s.settle()
	s.untilState("a", Connected)
	s.untilState("b", Connected)
}
