package editortest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/uri"
)

// Patience is how long an editor waits for what must come.
const Patience = time.Minute

// A Message is one message on the wire.
type Message struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id,omitzero"`
	Method  string         `json:"method,omitzero"`
	Params  jsontext.Value `json:"params,omitzero"`
	Result  jsontext.Value `json:"result,omitzero"`
	Error   *Error         `json:"error,omitzero"`
}

// An Error is the error of an answer.
type Error struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data,omitzero"`
}

func (e *Error) Error() string {
	if e.Data == nil {
		return fmt.Sprintf("%d %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%d %s %s", e.Code, e.Message, e.Data)
}

// An Editor is one client of one server. Its methods may be called from any
// goroutine.
type Editor struct {
	profile  Profile
	conn     io.ReadWriteCloser
	encoding string // that was negotiated
	// tokenTypes and tokenModifiers are the server's legend of semantic tokens.
	tokenTypes, tokenModifiers []string
	done                       chan struct{}

	writing sync.Mutex

	mu       sync.Mutex // guards all below
	changed  chan struct{}
	nextID   int
	answers  map[string]Message
	notes    []Message // received and not yet waited for
	prompts  []*Prompt // open, oldest first
	gone     int       // prompts that the server withdrew
	standing string    // answers every prompt, unless ""
	settings jsontext.Value
	docs     map[string]*document // by URI
	shown    []string             // URIs of window/showDocument
	ended    error                // why nothing comes any more
}

// New is an editor on a connection, before initialize.
func New(p Profile, conn io.ReadWriteCloser) *Editor {
	e := &Editor{
		profile: p, conn: conn, done: make(chan struct{}),
		changed: make(chan struct{}), answers: map[string]Message{}, docs: map[string]*document{},
		settings: jsontext.Value("null"),
	}
	go func() {
		defer close(e.done)
		e.read()
	}()
	return e
}

// Initialize does the handshake for a workspace of one folder.
func (e *Editor) Initialize(ctx context.Context, folder string) (jsontext.Value, error) {
	root := string(uri.File(folder))
	name, _ := json.Marshal(e.profile.ClientName)
	params := fmt.Sprintf(`{"processId":null,"clientInfo":{"name":%s,"version":"test"},"rootUri":%q,"workspaceFolders":[{"uri":%q,"name":"scenario"}],"capabilities":%s}`,
		name, root, root, e.profile.Capabilities)
	result, err := e.Call(ctx, "initialize", jsontext.Value(params))
	if err != nil {
		return nil, err
	}
	var r struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
			Semantic         struct {
				Legend struct {
					Types     []string `json:"tokenTypes"`
					Modifiers []string `json:"tokenModifiers"`
				} `json:"legend"`
			} `json:"semanticTokensProvider"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return nil, err
	}
	e.encoding = r.Capabilities.PositionEncoding
	e.tokenTypes, e.tokenModifiers = r.Capabilities.Semantic.Legend.Types, r.Capabilities.Semantic.Legend.Modifiers
	return result, e.Notify("initialized", jsontext.Value("{}"))
}

// Shutdown ends the session as the protocol requires.
func (e *Editor) Shutdown(ctx context.Context) error {
	if _, err := e.Call(ctx, "shutdown", nil); err != nil {
		return err
	}
	return e.Notify("exit", nil)
}

// Close hangs up and waits until nothing comes any more.
func (e *Editor) Close() {
	e.conn.Close()
	<-e.done
}

// Call sends a request and waits for its answer. When ctx ends first, the
// request is cancelled and its answer awaited all the same.
func (e *Editor) Call(ctx context.Context, method string, params jsontext.Value) (jsontext.Value, error) {
	return e.Start(method, params).Wait(ctx)
}

// A Request is on its way.
type Request struct {
	e  *Editor
	id string
}

// Start sends a request.
func (e *Editor) Start(method string, params jsontext.Value) *Request {
	e.mu.Lock()
	e.nextID++
	id := strconv.Itoa(e.nextID)
	e.mu.Unlock()
	// A failure to send is one to receive, too.
	_ = e.send(Message{JSONRPC: "2.0", ID: jsontext.Value(id), Method: method, Params: params})
	return &Request{e, id}
}

// Cancel sends $/cancelRequest.
func (r *Request) Cancel() error {
	return r.e.Notify("$/cancelRequest", jsontext.Value(`{"id":`+r.id+`}`))
}

// Wait waits for the answer; an *Error is the server's.
func (r *Request) Wait(ctx context.Context) (jsontext.Value, error) {
	var m Message
	err := r.e.await(ctx, "an answer to request "+r.id, func() bool {
		var ok bool
		m, ok = r.e.answers[r.id]
		delete(r.e.answers, r.id)
		return ok
	})
	switch {
	case err != nil:
		return nil, err
	case m.Error != nil:
		return nil, m.Error
	}
	return m.Result, nil
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params jsontext.Value) error {
	return e.send(Message{JSONRPC: "2.0", Method: method, Params: params})
}

// Notification waits for the oldest notification (or request that the editor
// answers by itself) that ok takes.
func (e *Editor) Notification(ctx context.Context, method string, ok func(params string) bool) (jsontext.Value, error) {
	var found Message
	err := e.await(ctx, method, func() bool {
		for i, m := range e.notes {
			if m.Method == method && ok(string(m.Params)) {
				found = m
				e.notes = append(e.notes[:i:i], e.notes[i+1:]...)
				return true
			}
		}
		return false
	})
	return found.Params, err
}

// SetSettings sets what workspace/configuration answers for the section
// `codemode`.
func (e *Editor) SetSettings(value jsontext.Value) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.settings = value
}

// Shown are the documents that the server has asked to open.
func (e *Editor) Shown() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.shown...)
}

// await waits until ok, called with mu held each time that something has come.
func (e *Editor) await(ctx context.Context, what string, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	for {
		e.mu.Lock()
		if ok() {
			e.mu.Unlock()
			return nil
		}
		changed, ended := e.changed, e.ended
		e.mu.Unlock()
		if ended != nil {
			return fmt.Errorf("%s did not come: %w", what, ended)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s did not come: %w", what, ctx.Err())
		}
	}
}

// update changes what await looks at.
func (e *Editor) update(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
	close(e.changed)
	e.changed = make(chan struct{})
}

func (e *Editor) send(m Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	_, err = fmt.Fprintf(e.conn, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (e *Editor) read() {
	in := bufio.NewReader(e.conn)
	for {
		m, err := readMessage(in)
		if err != nil {
			e.update(func() { e.ended = fmt.Errorf("the server is gone: %w", err) })
			return
		}
		e.receive(m)
	}
}

func readMessage(in *bufio.Reader) (m Message, err error) {
	length := -1
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return m, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(value); err != nil {
				return m, err
			}
		}
	}
	if length < 0 {
		return m, errors.New("a message without Content-Length")
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return m, err
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return m, fmt.Errorf("not a message: %w: %.200s", err, body)
	}
	if m.JSONRPC != "2.0" {
		return m, fmt.Errorf("not JSON-RPC 2.0: %.200s", body)
	}
	return m, nil
}

func (e *Editor) receive(m Message) {
	switch {
	case m.Method == "":
		e.update(func() { e.answers[string(m.ID)] = m })
	case m.ID == nil:
		e.notification(m)
	default:
		e.request(m)
	}
}

func (e *Editor) notification(m Message) {
	switch m.Method {
	case "$/cancelRequest":
		e.withdraw(m.Params)
	case "textDocument/publishDiagnostics":
		e.published(m.Params)
	}
	e.update(func() { e.notes = append(e.notes, m) })
}

// request answers what the server asks, as an editor does by itself; prompts
// wait for a person.
func (e *Editor) request(m Message) {
	var result string
	switch m.Method {
	case "workspace/configuration":
		result = e.configuration(m.Params)
	case "window/showMessageRequest", "codemode/permission":
		if e.profile.NoPrompts {
			e.update(func() { e.notes = append(e.notes, m) })
			e.answer(m.ID, "", &Error{Code: -32601, Message: m.Method + " is not supported"})
			return
		}
		e.prompt(m)
		return
	case "window/showDocument":
		var p struct {
			URI string `json:"uri"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			e.update(func() { e.shown = append(e.shown, p.URI) })
		}
		result = `{"success":true}`
	case "workspace/applyEdit":
		result = e.applyEdit(m.Params)
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create",
		"workspace/codeLens/refresh", "workspace/diagnostic/refresh", "workspace/inlayHint/refresh", "workspace/semanticTokens/refresh":
		result = "null"
	default:
		e.answer(m.ID, "", &Error{Code: -32601, Message: m.Method + " is not supported"})
		return
	}
	e.update(func() { e.notes = append(e.notes, m) })
	e.answer(m.ID, result, nil)
}

func (e *Editor) answer(id jsontext.Value, result string, err *Error) {
	m := Message{JSONRPC: "2.0", ID: id, Error: err}
	if err == nil {
		m.Result = jsontext.Value(result)
	}
	_ = e.send(m)
}

func (e *Editor) configuration(params jsontext.Value) string {
	var p struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if json.Unmarshal(params, &p) != nil {
		return "[]"
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	values := make([]string, len(p.Items))
	for i, item := range p.Items {
		values[i] = "null"
		if item.Section == "codemode" {
			values[i] = string(e.settings)
		}
	}
	return "[" + strings.Join(values, ",") + "]"
}

// URI of a file.
func URI(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return string(uri.File(path))
}
