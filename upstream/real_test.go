package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"codemode-ls/config"
)

// The demo server speaks the newest protocol version.
func TestDemo(t *testing.T) {
	s := newTestSet(t, nil)
	s.configure(config.DemoServer(""))
	s.settle()
	if !s.find("demo").session.modern {
		t.Error("the newest protocol version was not agreed on")
	}
	if got := s.names(); !strings.Contains(got, "mcp__demo__list_issues") {
		t.Error(got)
	}
	if r := s.call("demo", "add", `{"a": 9007199254740991, "b": 1}`); string(r.Structured) != `{"sum":9007199254740992}` {
		t.Errorf("%s", r.Raw)
	}
	if r := s.call("demo", "fail", `{"message":"<as asked>"}`); !r.IsError || r.Text != "<as asked>" {
		t.Errorf("%s", r.Raw)
	}
	if r := s.call("demo", "picture", ""); len(r.Attachments) != 1 || r.Attachments[0].MIMEType != "image/png" {
		t.Errorf("%s", r.Raw)
	}
	var steps int
	if _, err := s.Call(testContext(t), Call{Server: "demo", Tool: "slow", Arguments: []byte(`{"ms":40,"steps":4}`), Progress: func(float64, float64, string) { steps++ }}); err != nil || steps < 3 { // its library may send the last one after the answer
		t.Errorf("%d steps, %v", steps, err)
	}
	failed := s.refuse(testContext(t), "demo", "no_such_tool")
	if failed.Reason != Rejected || !strings.Contains(failed.Message, "no_such_tool") {
		t.Errorf("%+v", failed)
	}
}

// npm is the folder with node_modules of the servers that the tests want.
func npm(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("CODEMODE_NPM_SERVERS")
	if dir == "" {
		t.Skip("CODEMODE_NPM_SERVERS does not name a folder with MCP servers installed by npm")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func node(t *testing.T, name string, args ...string) config.Server {
	args = append([]string{filepath.Join(npm(t), "node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js")}, args...)
	return config.Server{Name: name, Layer: config.Flag, Transport: config.Stdio, Command: "node", Args: args}
}

func TestRealServers(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	memory := node(t, "memory")
	memory.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.jsonl")}
	s := newTestSet(t, func(o *Options) { o.Roots = []string{dir} })
	s.configure(node(t, "everything", "stdio"), node(t, "filesystem", dir), memory)
	s.settle()
	for _, st := range s.Status() {
		t.Logf("%s %s: %d tools, protocol legacy=%v", st.Server.Name, st.State, st.Tools, s.find(st.Server.Name).session.legacy)
		if st.State != Connected || st.Tools < 5 {
			t.Fatalf("%+v", st)
		}
	}

	file := filepath.Join(dir, "a.txt")
	arguments, _ := json.Marshal(map[string]string{"path": file, "content": "héllo\n"})
	if r := s.call("filesystem", "write_file", string(arguments)); r.IsError {
		t.Fatalf("%s", r.Raw)
	}
	if content, err := os.ReadFile(file); err != nil || string(content) != "héllo\n" {
		t.Errorf("%q %v", content, err)
	}
	r := s.call("filesystem", "read_text_file", string(arguments))
	if r.IsError || r.Text != "héllo\n" || !strings.Contains(string(r.Structured), "héllo") {
		t.Errorf("%s", r.Raw)
	}
	if r := s.call("filesystem", "read_text_file", `{"path":"/etc/passwd"}`); !r.IsError || r.Text == "" {
		t.Errorf("outside of its folder: %s", r.Raw)
	}

	r = s.call("memory", "create_entities", `{"entities":[{"name":"a","entityType":"t","observations":["o"]}]}`)
	if r.IsError || !strings.HasPrefix(string(r.Structured), `{"entities"`) {
		t.Errorf("%s", r.Raw)
	}

	if r := s.call("everything", "echo", `{"message":"x"}`); r.Text != "Echo: x" {
		t.Errorf("%s", r.Raw)
	}
	if r := s.call("everything", "get-tiny-image", ""); len(r.Attachments) != 1 || r.Attachments[0].Kind != "image" {
		t.Errorf("%.300s", r.Raw)
	}
	if r := s.call("everything", "get-structured-content", `{"location":"Chicago"}`); len(r.Structured) == 0 {
		t.Errorf("%s", r.Raw)
	}
	if r := s.call("everything", "get-roots-list", ""); !strings.Contains(r.Text, fileURI(dir)) {
		t.Errorf("roots: %s", r.Raw)
	}
	var steps []float64
	if _, err := s.Call(testContext(t), Call{Server: "everything", Tool: "trigger-long-running-operation", Arguments: []byte(`{"duration":1,"steps":5}`), Progress: func(p, _ float64, _ string) { steps = append(steps, p) }}); err != nil || len(steps) < 4 || !slices.IsSorted(steps) {
		t.Errorf("progress %v, %v", steps, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = s.Call(ctx, Call{Server: "everything", Tool: "trigger-long-running-operation", Arguments: []byte(`{"duration":60,"steps":600}`), Progress: func(float64, float64, string) { cancel() }})
	if failed := (*CallError)(nil); !errors.As(err, &failed) || failed.Reason != Cancelled {
		t.Errorf("%v", err)
	}
	// Wrong arguments are an isError result or an error of the protocol, as the server likes.
	if r, err := s.Call(testContext(t), Call{Server: "everything", Tool: "get-sum", Arguments: []byte(`{"a":"x"}`)}); err == nil && !r.IsError {
		t.Errorf("%s", r.Raw)
	}
}

// Schemas of a real server are those that any client sees on the wire.
func TestRealServersSchemas(t *testing.T) { // MCP-7
	def := node(t, "filesystem", t.TempDir())
	cmd := exec.Command(def.Command, def.Args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	var tools []json.RawMessage
	for decoder := json.NewDecoder(out); tools == nil; {
		var m struct {
			Result struct{ Tools []json.RawMessage }
		}
		if err := decoder.Decode(&m); err != nil {
			t.Fatal(err)
		}
		tools = m.Result.Tools
	}
	in.Close()
	_ = cmd.Wait()

	s := newTestSet(t, nil)
	s.configure(def)
	s.settle()
	got := s.find("filesystem").tools
	if len(got) != len(tools) {
		t.Fatalf("%d tools, want %d", len(got), len(tools))
	}
	for i := range tools {
		if string(got[i]) != string(tools[i]) {
			t.Errorf("%s\nwant %s", got[i], tools[i])
		}
	}
}

// freePort is one that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// startHTTP starts server-everything over HTTP and waits until it listens.
func startHTTP(t *testing.T, mode, port string) (stop func()) {
	t.Helper()
	def := node(t, "everything", mode)
	cmd := exec.Command(def.Command, def.Args...)
	cmd.Env = append(os.Environ(), "PORT="+port)
	var mu sync.Mutex
	var output strings.Builder
	listening := make(chan struct{})
	var once sync.Once
	cmd.Stderr = writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		output.Write(p)
		if strings.Contains(output.String(), port) {
			once.Do(func() { close(listening) })
		}
		return len(p), nil
	})
	cmd.Stdout = cmd.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(stop)
	select {
	case <-listening:
	case <-testContext(t).Done():
		t.Fatalf("it does not listen:\n%s", output.String())
	}
	return stop
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestRealServerOverHTTP(t *testing.T) { // MCP-3, MCP-5
	for mode, transport := range map[string]string{"streamableHttp": config.HTTP, "sse": config.SSE} {
		t.Run(mode, func(t *testing.T) {
			port := freePort(t)
			stop := startHTTP(t, mode, port)
			path := "/mcp"
			if transport == config.SSE {
				path = "/sse"
			}
			s := newTestSet(t, nil)
			s.policy.maxRestarts = 1_000
			s.configure(config.Server{Name: "http", Transport: transport, URL: "http://127.0.0.1:" + port + path})
			s.settle()
			if st := s.Status()[0]; st.State != Connected || st.Tools < 5 {
				t.Fatalf("%+v", st)
			}
			if r := s.call("http", "echo", `{"message":"<x>"}`); r.Text != "Echo: <x>" {
				t.Errorf("%s", r.Raw)
			}
			ctx, cancel := context.WithCancel(t.Context())
			_, err := s.Call(ctx, Call{Server: "http", Tool: "trigger-long-running-operation", Arguments: []byte(`{"duration":60,"steps":600}`), Progress: func(float64, float64, string) { cancel() }})
			if failed := (*CallError)(nil); !errors.As(err, &failed) || failed.Reason != Cancelled {
				t.Errorf("%v", err)
			}
			// The server forgets us, because it is another one now.
			stop()
			startHTTP(t, mode, port)
			for i := 0; ; i++ {
				r, err := s.Call(testContext(t), Call{Server: "http", Tool: "echo", Arguments: []byte(`{"message":"again"}`)})
				if err == nil {
					if r.Text != "Echo: again" {
						t.Errorf("%s", r.Raw)
					}
					break
				}
				t.Logf("%v", err)
				if transport == config.HTTP {
					t.Errorf("a forgotten session costs a call: %v", err)
				}
				if i == 100 {
					t.Fatalf("never connected again: %v, %+v", err, s.Status())
				}
				select {
				case <-s.dirty:
				case <-t.Context().Done():
				}
			}
		})
	}
}
