package gateway

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// heap is what is reachable now.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TEST-10, GATE-1: a thousand sessions, half requests and long messages leave the gateway
// within a stated bound; it serves meanwhile, and gives everything back.
func TestGate1HostileMemory(t *testing.T) {
	s := openHTTP(t)
	s.exec(s.begin(), "return 1")
	before := heap()
	var mu sync.Mutex
	var sessions []string
	var all sync.WaitGroup
	refused := 0
	for range 20 {
		all.Go(func() {
			for range 60 {
				r := s.request("", initialize, nil)
				mu.Lock()
				if id := r.Header.Get("Mcp-Session-Id"); id != "" {
					sessions = append(sessions, id)
				} else if r.StatusCode == http.StatusServiceUnavailable {
					refused++
				}
				mu.Unlock()
				r.Body.Close()
			}
		})
	}
	all.Wait()
	if len(sessions) < maxHTTPSessions-1 || len(sessions) > maxHTTPSessions+20 || refused == 0 {
		t.Errorf("%d sessions, %d refused", len(sessions), refused)
	}
	for range 200 { // half requests
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), Endpoint))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ")
	}
	if grown := heap() - before; grown > 40<<20 {
		t.Errorf("1000 sessions and 200 half requests take %d MB", grown>>20)
	} else {
		t.Logf("1000 sessions and 200 half requests take %d KB", grown>>10)
	}
	long := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"Exec","arguments":{"code":"` + strings.Repeat("x", 3<<20) + `"}}}`
	statuses := map[int]int{}
	for i := range 40 {
		all.Go(func() {
			r := s.request(sessions[i], long, nil)
			messages(r, func(m wire) bool { return true })
			mu.Lock()
			statuses[r.StatusCode]++
			mu.Unlock()
		})
	}
	all.Wait()
	if statuses[200] == 0 || statuses[200]+statuses[503] != 40 {
		t.Errorf("long messages: %v", statuses)
	}
	if r := s.exec(sessions[0], "return 42"); r.IsError || !strings.Contains(r.text(), "42") {
		t.Errorf("%+v", r)
	}
	for _, id := range sessions {
		s.request(id, "", func(r *http.Request) { r.Method = http.MethodDelete }).Body.Close()
	}
	if r := s.exec(s.begin(), "return 42"); r.IsError {
		t.Errorf("%+v", r)
	}
	// The history keeps what was run, whoever asked for it (OBS-2).
	if left := heap() - before; left > 80<<20 {
		t.Errorf("%d MB are left", left>>20)
	} else {
		t.Logf("%d MB are left", left>>20)
	}
}

// Long messages beyond what may be answered at once are refused, short ones are not.
func TestGate1LongMessages(t *testing.T) {
	f := open(t, nil)
	a := f.connect("2025-11-25", "{}")
	for range maxLongMessages {
		f.long <- struct{}{}
	}
	long := func() wire {
		return a.ask("tools/call", `{"name":"Exec","arguments":{"code":"return 1 //`+strings.Repeat("x", longMessage)+`"}}`)
	}
	if m := long(); m.Error == nil || !strings.Contains(m.Error.Message, "try again later") {
		t.Errorf("%s", m.raw)
	}
	if r := a.exec("return 42"); r.IsError {
		t.Errorf("%+v", r)
	}
	<-f.long
	if m := long(); m.Error != nil {
		t.Errorf("%s", m.raw)
	}
	f.long <- struct{}{} // its place is free again
}
