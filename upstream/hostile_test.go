package upstream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/config"
	"codemode-ls/internal/mcptest"
)

// hostile is a server that floods in one way. It connects like any other.
func hostile(way string) {
	var mu sync.Mutex
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	write := func(parts ...[]byte) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range parts {
			if _, err := out.Write(p); err != nil {
				os.Exit(1)
			}
		}
		if out.Flush() != nil {
			os.Exit(1)
		}
	}
	forever := func(f func()) {
		go func() {
			for {
				f()
			}
		}()
	}
	mega := bytes.Repeat([]byte("x"), 1<<20)
	in := bufio.NewReader(os.Stdin)
	page := 0
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		answer := func(result string) {
			write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + "}\n"))
		}
		switch m.Method {
		case "initialize":
			answer(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"hostile","version":"1"}}`)
		case "tools/list":
			page++
			switch way {
			case "pages":
				answer(fmt.Sprintf(`{"tools":[{"name":"t%d","description":%q}],"nextCursor":"%d"}`, page, mega, page))
				continue
			case "deep":
				answer(`{"tools":[{"name":"first"},{"name":"deep","inputSchema":` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000) + `},{"name":"last"}]}`)
				continue
			case "announce", "announce-new":
				write([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"))
			}
			description := ""
			if way == "announce-new" {
				description = strconv.Itoa(page)
			}
			answer(`{"tools":[{"name":"go","description":"` + description + `"},{"name":"ping"}]}`)
		case "tools/call":
			if bytes.Contains(line, []byte(`"ping"`)) {
				answer(`{"content":[{"type":"text","text":"pong"}]}`)
				continue
			}
			switch way {
			case "stderr":
				forever(func() { _, _ = os.Stderr.Write(mega) })
			case "noise":
				forever(func() { write(mega, []byte("\n")) })
			case "notes":
				note := []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 1000) + "\"}}\n")
				forever(func() { write(note) })
			case "line":
				forever(func() { write(mega) })
				continue
			case "requests":
				forever(func() { write([]byte(`{"jsonrpc":"2.0","id":"a","method":"roots/list"}` + "\n")) })
			case "structured": // the frame is below the limit, the value above
				write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[],"structuredContent":[1`))
				ones := bytes.Repeat([]byte(",1"), 1<<19)
				for range 120 {
					write(ones)
				}
				write([]byte("]}}\n"))
				continue
			case "large":
				write([]byte(`{"result":{"content":[{"type":"text","text":"`))
				for range 200 {
					write(mega)
				}
				write([]byte(`"}]},"jsonrpc":"2.0","id":` + string(m.ID) + "}\n"))
				continue
			}
			answer(`{"content":[{"type":"text","text":"done"}]}`)
		default:
			write([]byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"no"}}` + "\n"))
		}
	}
}

func hostileServer(t *testing.T, way string) config.Server {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return config.Server{Name: "h", Transport: config.Stdio, Command: executable, Args: []string{"hostile", way}}
}

// resident is the memory of this process, now and at most since resetPeak.
func resident(t *testing.T) (now, peak int64) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(status)) {
		for name, to := range map[string]*int64{"VmRSS:": &now, "VmHWM:": &peak} {
			if rest, ok := strings.CutPrefix(line, name); ok {
				kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				*to = kilobytes << 10
			}
		}
	}
	return now, peak
}

func resetPeak(t *testing.T) {
	t.Helper()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skip(err)
	}
}

// TEST-10, TRUST-4, MCP-5: whatever a server writes costs at most MaxServerBytes, and
// that is given back; a flood is slowed and named; other servers' calls go on.
func TestHostileFloods(t *testing.T) {
	if testing.Short() {
		t.Skip("moves gigabytes")
	}
	if raceDetector {
		t.Skip("the race detector's own memory is most of what would be measured")
	}
	for _, test := range []struct {
		way   string
		fails string // what the call that starts it fails with
		named string // the fault in the server's state
	}{
		{way: "stderr", named: "floods its standard error"},
		{way: "noise", named: "floods its standard output"},
		{way: "notes", named: "floods its standard output"},
		{way: "requests", named: "it does not read the answers"},
		{way: "line", fails: "wrote a line of more than"},
		{way: "structured", fails: "at most 67108864 may be in a value"},
		{way: "large", fails: "its answer cannot be read: it has 2097"},
		{way: "pages", named: "tools or 32 MB; the"},
	} {
		t.Run(test.way, func(t *testing.T) {
			good := mcptest.Write(t, simple)
			s := newTestSet(t, nil)
			s.policy.firstDelay = time.Hour
			s.configure(good.Config(t, "good"), hostileServer(t, test.way))
			s.untilState("good", Connected)
			before, _ := resident(t)
			resetPeak(t)
			s.untilState("h", Connected)
			if test.way != "pages" {
				finished := make(chan struct{})
				go func() {
					defer close(finished)
					_, err := s.Call(testContext(t), Call{Server: "h", Tool: "go"})
					switch {
					case test.fails == "" && err != nil:
						t.Error(err)
					case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
						t.Errorf("%v, want %s", err, test.fails)
					}
				}()
				for over := false; !over; {
					select {
					case <-finished:
						over = true
					default:
					}
					begin := time.Now()
					s.call("good", "echo", "{}")
					if d := time.Since(begin); d > 2*time.Second {
						t.Errorf("a call of another server took %s", d)
					}
				}
			}
			if test.named != "" {
				s.until("h", "named", func(st Status) bool { return strings.Contains(strings.Join(st.Faults, "\n"), test.named) })
			}
			_, peak := resident(t)
			t.Logf("%d MB more at most", (peak-before)>>20)
			if peak-before > MaxServerBytes {
				t.Errorf("it cost %d MB", (peak-before)>>20)
			}
			if test.way == "large" || test.way == "structured" { // the session goes on
				s.call("h", "ping", "{}")
			}
			s.memory.giveBack()
			if now, _ := resident(t); now-before > 100<<20 {
				t.Errorf("%d MB remain", (now-before)>>20)
			}
		})
	}
}

// MCP-6: a server that announces at each listing is asked ever more seldom, whether
// its tools change or not, and its state says so.
func TestEndlessAnnouncements(t *testing.T) {
	for _, way := range []string{"announce", "announce-new"} {
		t.Run(way, func(t *testing.T) {
			s := newTestSet(t, nil)
			s.policy.debounce = time.Millisecond
			s.configure(hostileServer(t, way))
			st := s.until("h", "restless", func(st Status) bool { return len(st.Faults) > 0 })
			if !strings.Contains(st.Faults[0], "announces new tools without end") {
				t.Errorf("%q", st.Faults)
			}
			s.call("h", "ping", "{}")
		})
	}
}

// A long pause is no end: announcements after a calm are followed at once again.
func TestAnnouncementsInARow(t *testing.T) {
	p := defaultPolicy
	var a announcements
	now := time.Now()
	for i := range 30 {
		a.announced(now, p)
		if i == 4 && a.pause(p) != p.debounce {
			t.Errorf("changes that are few wait %s", a.pause(p))
		}
		a.answered(true)
	}
	if a.pause(p) != p.maxPause || !strings.Contains(a.note(p), "every 1m0s") {
		t.Errorf("%s, %q", a.pause(p), a.note(p))
	}
	a.announced(a.listed.Add(p.calm+1), p)
	if a.pause(p) != p.debounce || a.note(p) != "" {
		t.Errorf("after a calm: %s, %q", a.pause(p), a.note(p))
	}
	a.answered(false)
	a.answered(false)
	if a.pause(p) <= 2*p.debounce {
		t.Errorf("without any change: %s", a.pause(p))
	}
}

// MCP-5: answers in odd forms are read, and what cannot be read fails its call at
// once, with what is wrong.
func TestOddAnswers(t *testing.T) {
	const frame = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"ok"}]}}`
	tests := []struct{ name, line, want string }{
		{"mark", "\ufeff" + frame, "ok"},
		{"batch", `[{"jsonrpc":"2.0","method":"notifications/x"},` + frame + `]`, "ok"},
		{"marked_batch", "\ufeff[" + frame + `]`, "ok"},
		{"result_first", `{"result":{"id":99,"content":[{"type":"text","text":"\"id\":5}"}]},"jsonrpc":"2.0","id":$ID}`, `"id":5}`},
		{"string_id", `{"id":"$ID","result":{"content":[{"type":"text","text":"ok"}]}}`, "ok"},
		{"fraction", `{"id":$ID.0,"result":{"content":[{"type":"text","text":"ok"}]}}`, "ok"},
		{"error_null", `{"id":$ID,"error":null,"result":{"content":[{"type":"text","text":"ok"}]}}`, "ok"},
		{"spaces", "  { \"id\" : $ID , \"result\" : { \"content\" : [ {\"type\":\"text\",\"text\":\"ok\"} ] } }  \r", "ok"},
		{"deep", `{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000) + `}}`, "cannot be read: exceeded max depth"},
		{"half", `{"jsonrpc":"2.0","id":$ID,"result":{"content":[`, "cannot be read: "},
		{"no_json", `{"jsonrpc":"2.0","id":$ID,"result":{"content":[NaN]}}`, "cannot be read: "},
		{"neither", `{"jsonrpc":"2.0","id":$ID}`, "neither a result nor an error"},
		{"error_number", `{"jsonrpc":"2.0","id":$ID,"error":7}`, "no JSON-RPC error"},
		{"no_id", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`, "parse error"},
	}
	var tools, calls []string
	for _, test := range tests {
		line, err := json.Marshal(test.line)
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, fmt.Sprintf(`{"name":%q}`, test.name))
		calls = append(calls, fmt.Sprintf(`%q:{"rawLine":%s}`, test.name, line))
	}
	fake := mcptest.Write(t, `{"tools":[`+strings.Join(tools, ",")+`],"calls":{`+strings.Join(calls, ",")+`}}`)
	s := newTestSet(t, nil)
	s.configure(fake.Config(t, "f"))
	s.untilState("f", Connected)
	for _, test := range tests {
		r, err := s.Call(testContext(t), Call{Server: "f", Tool: test.name})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = r.Text
		}
		if !strings.Contains(got, test.want) || err == nil && got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// POOL-5: a tool that no decoder takes costs no other.
func TestUnreadableTool(t *testing.T) {
	s := newTestSet(t, nil)
	s.configure(hostileServer(t, "deep"))
	s.untilState("h", Connected)
	if got := s.names(); got != "mcp__h__first mcp__h__last" {
		t.Errorf("%s", got)
	}
	if got := s.Servers()[0].Problems; len(got) != 1 || !strings.Contains(got[0], "tool 2 is left out") {
		t.Errorf("%q", got)
	}
}

// The outline of a message is the same however it is cut.
func TestOutline(t *testing.T) {
	const message = `{"jsonrpc":"2.0", "result" : {"id":1,"a":["}",{"b":"\\\""}]} ,"x":[{"id":3}],"id": "7" ,"\u0065":1, "method":"a\/b"}`
	for size := 1; size <= len(message); size++ {
		var o outline
		for at := 0; at < len(message); at += size {
			o.read([]byte(message[at:min(at+size, len(message))]))
		}
		id, ok := o.number()
		result := strings.TrimSpace(string(o.result.of([]byte(message))))
		if !ok || id != 7 || o.methodName() != "a/b" || o.depth != 0 || o.broken || result != `{"id":1,"a":["}",{"b":"\\\""}]}` {
			t.Fatalf("in pieces of %d: %d %v %q %q", size, id, ok, o.methodName(), result)
		}
	}
}
