package mcptest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The first arguments by which Main knows what it is.
const (
	serverArgument     = "mcptest"
	grandchildArgument = "mcptest-grandchild"
)

// lookEvery is how often the server looks at its file.
const lookEvery = 10 * time.Millisecond

// Main is the fake server when this process was started as one, and then never
// returns. Else it returns at once.
func Main() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == serverArgument:
		os.Exit(serve(os.Args[2]))
	case len(os.Args) == 2 && os.Args[1] == grandchildArgument:
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		<-time.After(10 * time.Minute)
		os.Exit(0)
	}
}

// server is one running fake.
type server struct {
	path string
	log  *os.File
	// timeline is nil when there is none.
	timeline *os.File

	mu    sync.Mutex
	d     *Description
	out   *os.File
	calls map[string]context.CancelFunc // by request id
	asked map[string]chan jsontext.Value
	next  int
}

// message is any JSON-RPC message.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

func serve(path string) int {
	read, _ := os.Stat(path) // before it is read: a change after that is one
	d, err := Read(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	s := &server{path: path, d: d, out: os.Stdout, calls: map[string]context.CancelFunc{}, asked: map[string]chan jsontext.Value{}}
	if s.log, err = os.OpenFile(path+".log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if d.Timeline != "" {
		if s.timeline, err = os.OpenFile(d.Timeline, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	if d.Stderr != "" {
		fmt.Fprintln(os.Stderr, d.Stderr)
	}
	if d.ExitAtStart != 0 {
		return d.ExitAtStart
	}
	if d.Stubborn {
		signal.Ignore(syscall.SIGTERM)
	}
	if d.Grandchild {
		if err := s.startGrandchild(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	go s.look(read)
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		s.record(line)
		s.receive(line)
	}
	s.record([]byte("-- end of input\n"))
	if s.description().Stubborn {
		<-time.After(10 * time.Minute)
	}
	return 0
}

func (s *server) startGrandchild() error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	p, err := os.StartProcess(executable, []string{executable, grandchildArgument}, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return err
	}
	return os.WriteFile(s.path+".grandchild", []byte(strconv.Itoa(p.Pid)), 0o600)
}

func (s *server) description() *Description {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.d
}

func (s *server) record(line []byte) { _, _ = s.log.Write(line) }

// mark adds a line to the timeline: one write, so that those of several servers
// stand in the order in which they were made.
func (s *server) mark(event, tool string, arguments jsontext.Value) {
	if s.timeline == nil {
		return
	}
	if len(arguments) == 0 {
		arguments = jsontext.Value("{}")
	}
	_, _ = fmt.Fprintf(s.timeline, "{\"server\":%s,\"event\":%q,\"tool\":%s,\"arguments\":%s}\n", quote(s.description().Name), event, quote(tool), arguments)
}

// look follows the file, from how it was before it was read.
func (s *server) look(before os.FileInfo) {
	for range time.Tick(lookEvery) {
		now, err := os.Stat(s.path)
		if err != nil || (os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size()) {
			continue
		}
		d, err := Read(s.path)
		if err != nil {
			continue // half written
		}
		before = now
		s.mu.Lock()
		old := s.d
		s.d = d
		s.mu.Unlock()
		if d.Exit != 0 {
			os.Exit(d.Exit)
		}
		if d.CloseStdout {
			os.Stdout.Close()
		}
		if !slices.EqualFunc(old.Tools, d.Tools, func(a, b jsontext.Value) bool { return bytes.Equal(a, b) }) {
			s.notify("notifications/tools/list_changed", "{}")
		}
	}
}

// write sends one line. Raw JSON of a description may be on several lines.
func (s *server) write(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.out, strings.ReplaceAll(line, "\n", " ")+"\n")
}

func (s *server) notify(method, params string) {
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

func (s *server) answer(id jsontext.Value, result string) {
	for _, line := range s.description().Noise {
		s.write(line)
	}
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (s *server) fail(id jsontext.Value, fault string) {
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, id, fault))
}

func unmarshal(v jsontext.Value, to any) {
	_ = json.Unmarshal(v, to, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func quote(s string) string {
	b, _ := jsontext.AppendQuote(nil, s)
	return string(b)
}

// after runs f, at once or later; negative is never.
func after(ms int, f func()) {
	switch {
	case ms == 0:
		f()
	case ms > 0:
		time.AfterFunc(time.Duration(ms)*time.Millisecond, f)
	}
}

func (s *server) receive(line []byte) {
	var m message
	unmarshal(bytes.TrimSpace(line), &m)
	d := s.description()
	switch m.Method {
	case "":
		s.mu.Lock()
		answer := s.asked[string(m.ID)]
		delete(s.asked, string(m.ID))
		s.mu.Unlock()
		if answer != nil {
			answer <- slices.Concat(m.Result, m.Error)
		}
	case "initialize":
		result := string(d.Initialize)
		if result == "" {
			var params struct {
				ProtocolVersion string `json:"protocolVersion"`
			}
			unmarshal(m.Params, &params)
			name := d.Name
			if name == "" {
				name = "fake"
			}
			result = fmt.Sprintf(`{"protocolVersion":%s,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":%s,"version":%s},"instructions":%s}`,
				quote(params.ProtocolVersion), quote(name), quote(d.Version), quote(d.Instructions))
		}
		after(d.InitializeDelayMs, func() { s.answer(m.ID, result) })
	case "ping":
		s.answer(m.ID, "{}")
	case "tools/list":
		after(d.ListDelayMs, func() { s.list(m) })
		if d.Deaf {
			<-time.After(10 * time.Minute)
		}
	case "tools/call":
		var params callParams
		unmarshal(m.Params, &params)
		s.mark("call", params.Name, params.Arguments)
		ctx, cancel := context.WithCancel(context.Background())
		s.mu.Lock()
		s.calls[string(m.ID)] = cancel
		s.mu.Unlock()
		go s.call(ctx, m, params)
	case "notifications/cancelled":
		var params struct {
			RequestID jsontext.Value `json:"requestId"`
		}
		unmarshal(m.Params, &params)
		s.mu.Lock()
		if cancel := s.calls[string(params.RequestID)]; cancel != nil {
			cancel()
		}
		s.mu.Unlock()
	default:
		switch {
		case d.UnknownMethods == "die" && !strings.HasPrefix(m.Method, "notifications/"):
			os.Exit(1)
		case d.UnknownMethods == "ignore" || len(m.ID) == 0:
		default:
			s.fail(m.ID, `{"code":-32601,"message":"method not found"}`)
		}
	}
}

func (s *server) list(m message) {
	d := s.description()
	var params struct {
		Cursor string `json:"cursor"`
	}
	unmarshal(m.Params, &params)
	first, _ := strconv.Atoi(params.Cursor)
	end := len(d.Tools)
	cursor := ""
	if d.PageSize > 0 && first+d.PageSize < end {
		end = first + d.PageSize
		cursor = fmt.Sprintf(`,"nextCursor":"%d"`, end)
	}
	if d.SameCursor {
		cursor = `,"nextCursor":"0"`
	}
	var tools []string
	for _, tool := range d.Tools[min(first, end):end] {
		tools = append(tools, string(tool))
	}
	s.answer(m.ID, `{"tools":[`+strings.Join(tools, ",")+`]`+cursor+`}`)
}

// callParams are those of tools/call.
type callParams struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
	Meta      struct {
		ProgressToken jsontext.Value `json:"progressToken"`
	} `json:"_meta"`
}

func (s *server) call(ctx context.Context, m message, params callParams) {
	d := s.description()
	b := d.Calls[params.Name]
	for i := range b.Logs {
		s.notify("notifications/message", fmt.Sprintf(`{"level":"info","data":"log %d"}`, i))
	}
	for i := range b.Progress {
		s.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":%d,"message":"step %d"}`, params.Meta.ProgressToken, i+1, b.Progress, i+1))
		if b.DelayMs > 0 && !pause(ctx, b.DelayMs) {
			return
		}
	}
	if b.Progress == 0 && b.DelayMs > 0 && !pause(ctx, b.DelayMs) {
		return
	}
	if !b.Hang {
		s.mark("answer", params.Name, params.Arguments)
	}
	switch {
	case b.Hang:
		<-ctx.Done()
	case b.Die:
		os.Exit(b.ExitCode)
	case b.CloseStdout:
		os.Stdout.Close()
	case b.LongLine > 0:
		s.write(strings.Repeat("x", b.LongLine))
	case b.RawLine != "":
		s.write(strings.ReplaceAll(b.RawLine, "$ID", string(m.ID)))
	case b.Error != nil:
		s.fail(m.ID, string(b.Error))
	case b.Ask != "":
		s.answer(m.ID, `{"content":[{"type":"text","text":`+quote(string(s.ask(b.Ask, b.AskParams)))+`}]}`)
	case d.Results[params.Name] != nil:
		s.answer(m.ID, string(d.Results[params.Name]))
	default:
		arguments := string(params.Arguments)
		if arguments == "" {
			arguments = "null"
		}
		s.answer(m.ID, `{"content":[{"type":"text","text":`+quote(arguments)+`}],"structuredContent":{"arguments":`+arguments+`}}`)
	}
}

func pause(ctx context.Context, ms int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return true
	}
}

// ask sends a request to the client and waits for what it answers.
func (s *server) ask(method string, params jsontext.Value) jsontext.Value {
	if params == nil {
		params = jsontext.Value("{}")
	}
	answer := make(chan jsontext.Value, 1)
	s.mu.Lock()
	s.next++
	id := strconv.Itoa(1_000 + s.next)
	s.asked[id] = answer
	s.mu.Unlock()
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return <-answer
}
