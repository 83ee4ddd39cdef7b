package typescript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"codemode-ls/typescript/project"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// errGone is what requests get that were waiting when their child ended.
var errGone = errors.New("the TypeScript engine has stopped")

// A child is one engine process, from its start to its end.
type child struct {
	cmd       *exec.Cmd
	stream    jsonrpc2.Stream
	gone      chan struct{} // closed when nothing more can come from it
	complaint *tailBuffer   // the end of what it wrote on stderr

	// sending has one token. Who holds it may write, and knows sent.
	sending chan struct{}
	sent    sentState

	mu      sync.Mutex // guards what follows
	next    int64
	pending map[int64]chan *jsonrpc2.Response // nil after the end
}

// sentState is what the child has received.
type sentState struct {
	preferences  *preferences
	declarations *declarations
	config       bool
	documents    map[string]*document // by virtual URI
}

// start runs the command and reads what it says. The caller must stop it.
func start(command []string) (*child, error) {
	cmd := exec.Command(command[0], command[1:]...)
	if isOwn(command) {
		cmd.Env = ownEnvironment()
	}
	c := &child{
		cmd: cmd, gone: make(chan struct{}), complaint: &tailBuffer{},
		sending: make(chan struct{}, 1), pending: map[int64]chan *jsonrpc2.Response{},
		sent: sentState{documents: map[string]*document{}},
	}
	c.sending <- struct{}{}
	cmd.Stderr = c.complaint
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the TypeScript engine: %w", err)
	}
	c.stream = jsonrpc2.NewHeaderStream(pipes{out, in})
	go c.read()
	return c, nil
}

type pipes struct {
	io.ReadCloser
	in io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p pipes) Close() error                { return errors.Join(p.in.Close(), p.ReadCloser.Close()) }

// defaultCommand is this program as the engine child.
func defaultCommand() ([]string, error) {
	if runtime.GOOS == "linux" {
		// Also right after the file was replaced by a newer one, which might speak
		// another dialect.
		return []string{"/proc/self/exe", ChildCommand}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program's file: %w", err)
	}
	return []string{self, ChildCommand}, nil
}

// isOwn says that a command is our own engine, which has tsconfig.json on its
// disk; npm's has nothing.
func isOwn(command []string) bool {
	return len(command) == 0 || command[len(command)-1] == ChildCommand
}

// ownEnvironment keeps the editor's secrets from a process that needs none.
func ownEnvironment() []string {
	env := []string{}
	for _, name := range []string{"SystemRoot", "TMPDIR", "TEMP"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// read takes in what the child says until it ends.
func (c *child) read() {
	ctx := context.Background() // ends with the stream
	for {
		m, _, err := c.stream.Read(ctx)
		if err != nil {
			break
		}
		switch m := m.(type) {
		case *jsonrpc2.Response:
			id, _ := m.ID().Number()
			c.mu.Lock()
			answer := c.pending[id]
			delete(c.pending, id)
			c.mu.Unlock()
			if answer != nil {
				answer <- m
			}
		case *jsonrpc2.Call:
			c.reply(m)
		}
	}
	c.mu.Lock()
	for _, answer := range c.pending {
		close(answer)
	}
	c.pending = nil
	c.mu.Unlock()
	close(c.gone)
}

// reply answers the engine's own requests. It asks for settings, of which it
// gets none, and for registrations, which it believes to have.
func (c *child) reply(r *jsonrpc2.Call) {
	result := jsonrpc2.RawMessage("null")
	if r.Method() == protocol.MethodWorkspaceConfiguration {
		var p protocol.ConfigurationParams
		if protocol.Unmarshal(r.Params(), &p) == nil {
			result = jsonrpc2.RawMessage("[" + strings.TrimSuffix(strings.Repeat("null,", len(p.Items)), ",") + "]")
		}
	}
	_, _ = c.stream.Write(context.Background(), jsonrpc2.NewResponse(r.ID(), result, nil)) // a dead child is seen by read
}

// lock takes the right to send.
func (c *child) lock(ctx context.Context) error {
	select {
	case <-c.sending:
		return nil
	case <-c.gone:
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *child) unlock() { c.sending <- struct{}{} }

// notify sends a notification. The caller holds the right to send.
func (c *child) notify(method string, params any) error {
	raw, err := protocol.Marshal(params)
	if err != nil {
		return err
	}
	if _, err := c.stream.Write(context.Background(), jsonrpc2.NewNotification(method, raw)); err != nil {
		return errGone
	}
	return nil
}

// An inquiry is a request under way.
type inquiry struct {
	id     int64
	answer chan *jsonrpc2.Response
}

// ask sends a request. The caller holds the right to send.
func (c *child) ask(method string, params any) (inquiry, error) {
	raw, err := protocol.Marshal(params)
	if err != nil {
		return inquiry{}, err
	}
	q := inquiry{answer: make(chan *jsonrpc2.Response, 1)}
	c.mu.Lock()
	if c.pending == nil {
		c.mu.Unlock()
		return q, errGone
	}
	c.next++
	q.id = c.next
	c.pending[q.id] = q.answer
	c.mu.Unlock()
	if _, err := c.stream.Write(context.Background(), jsonrpc2.NewCall(jsonrpc2.NewNumberID(q.id), method, raw)); err != nil {
		return q, errGone
	}
	return q, nil
}

// wait is the answer to a request, decoded into result.
func (c *child) wait(ctx context.Context, q inquiry, method string, result any) error {
	select {
	case r, ok := <-q.answer:
		switch {
		case !ok:
			return errGone
		case r.Err() != nil:
			return fmt.Errorf("typescript: %s: %w", method, r.Err())
		case result == nil || len(r.Result()) == 0 || string(r.Result()) == "null":
			return nil
		}
		if raw, ok := result.(*jsontext.Value); ok {
			*raw = jsontext.Value(r.Result())
			return nil
		}
		if err := protocol.Unmarshal(r.Result(), result); err != nil {
			return fmt.Errorf("typescript: the answer to %s: %w", method, err)
		}
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.pending, q.id)
		c.mu.Unlock()
		c.cancel(q.id)
		return ctx.Err()
	}
}

// cancel notifies the engine that nobody waits any longer, unless it is busy
// receiving something else: it is a courtesy.
func (c *child) cancel(id int64) {
	select {
	case <-c.sending:
		defer c.unlock()
		_ = c.notify(protocol.MethodCancelRequest, &protocol.CancelParams{ID: protocol.Integer(int32(id))})
	default:
	}
}

func (c *child) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// kill ends the process; read notices.
func (c *child) kill() { _ = c.cmd.Process.Kill() } // it may have ended by itself

// stop ends the process and waits for everything that belongs to it. The
// result is what it died of.
func (c *child) stop() error {
	c.kill()
	<-c.gone
	err := c.cmd.Wait()
	if text := c.complaint.String(); text != "" {
		return fmt.Errorf("%v: %s", err, text)
	}
	return err
}

// handshake is initialize and initialized.
func (c *child) handshake(ctx context.Context) error {
	if err := c.lock(ctx); err != nil {
		return err
	}
	q, err := c.ask(protocol.MethodInitialize, initializeParams())
	c.unlock()
	if err != nil {
		return err
	}
	if err := c.wait(ctx, q, protocol.MethodInitialize, nil); err != nil {
		return err
	}
	if err := c.lock(ctx); err != nil {
		return err
	}
	defer c.unlock()
	return c.notify(protocol.MethodInitialized, &protocol.InitializedParams{})
}

// update makes the child current with what the author's side looks like now.
// The caller holds the right to send.
func (c *child) update(own bool, w world) error {
	d, documents := w.declarations, w.documents
	if w.preferences != c.sent.preferences {
		p := &protocol.DidChangeConfigurationParams{Settings: w.preferences.settings}
		if err := c.notify(protocol.MethodWorkspaceDidChangeConfiguration, p); err != nil {
			return err
		}
		c.sent.preferences = w.preferences
	}
	if !own && !c.sent.config {
		if err := c.open("file://"+project.Config, "jsonc", 1, project.ConfigText); err != nil {
			return err
		}
		if err := c.open("file://"+project.Language, "typescript", 1, project.LanguageText); err != nil {
			return err
		}
		c.sent.config = true
	}
	if d != c.sent.declarations {
		const uri = "file://" + project.Declarations
		var err error
		if c.sent.declarations == nil {
			err = c.open(uri, "typescript", d.version, d.text)
		} else {
			err = c.change(uri, d.version, d.text)
		}
		if err != nil {
			return err
		}
		c.sent.declarations = d
	}
	for uri := range c.sent.documents {
		if documents[uri] == nil {
			p := &protocol.DidCloseTextDocumentParams{TextDocument: identifier(uri)}
			if err := c.notify(protocol.MethodTextDocumentDidClose, p); err != nil {
				return err
			}
			delete(c.sent.documents, uri)
		}
	}
	for uri, doc := range documents {
		known := c.sent.documents[uri]
		if known == doc {
			continue
		}
		var err error
		if known == nil {
			err = c.open(uri, doc.languageID(), doc.version, doc.text)
		} else {
			err = c.change(uri, doc.version, doc.text)
		}
		if err != nil {
			return err
		}
		c.sent.documents[uri] = doc
	}
	return nil
}

func (c *child) open(uri, language string, version int32, text string) error {
	return c.notify(protocol.MethodTextDocumentDidOpen, &protocol.DidOpenTextDocumentParams{
		TextDocument: protocol.TextDocumentItem{
			URI: identifier(uri).URI, LanguageID: protocol.LanguageKind(language), Version: version, Text: text,
		},
	})
}

func (c *child) change(uri string, version int32, text string) error {
	return c.notify(protocol.MethodTextDocumentDidChange, &protocol.DidChangeTextDocumentParams{
		TextDocument: protocol.VersionedTextDocumentIdentifier{TextDocumentIdentifier: identifier(uri), Version: version},
		ContentChanges: []protocol.TextDocumentContentChangeEvent{
			&protocol.TextDocumentContentChangeWholeDocument{Text: text},
		},
	})
}

// tailBuffer keeps the last of what is written to it.
type tailBuffer struct {
	mu   sync.Mutex
	data []byte
}

const tailSize = 4 << 10

func (b *tailBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = append(b.data, p...)
	if extra := len(b.data) - tailSize; extra > 0 {
		b.data = bytes.Clone(b.data[extra:])
	}
	return len(p), nil
}

func (b *tailBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.TrimSpace(string(b.data))
}
