package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// stdioTransport speaks JSON-RPC with a process for the MCP library's client. The
// library's own transport reads lines of any length, copies them several times,
// and drops what it cannot decode, so that a call waits for an answer that has
// come (MCP-5, TRUST-4). Here a line is bounded while it is read, its members are
// found without decoding, and an answer that nobody can read fails its call.
type stdioTransport struct {
	s       *session
	in      io.Reader
	out     *outbox
	log     *slog.Logger
	limit   int           // of a line, in bytes
	changed func()        // notes has something new
	aside   throttle      // for what nobody asked for
	replies chan struct{} // has a place for each request of the server that is being answered

	ended   chan struct{} // closed when nothing is read any more
	working sync.WaitGroup

	mu        sync.Mutex
	waiting   map[int64]chan answer
	why       error // that reading has ended early, valid after ended
	strange   []string
	notes     []string
	onNotice  func(mcp.JSONRPCNotification)
	onRequest transport.RequestHandler
}

// answer is what a request was answered with.
type answer struct {
	result jsontext.Value
	fault  *mcp.JSONRPCErrorDetails
	err    error
}

// unreadableError is an answer that came and cannot be read.
type unreadableError struct{ reason string }

func (e *unreadableError) Error() string { return "its answer cannot be read: " + e.reason }

// lineError ends the reading of a server that wrote a line without an end.
type lineError struct{ limit int }

func (e *lineError) Error() string {
	return fmt.Sprintf("it wrote a line of more than %d bytes (exec.maxValueBytes bounds answers)", e.limit)
}

// byteOrderMark is what encoders that think of files write first.
var byteOrderMark = []byte("\xef\xbb\xbf")

const (
	chunkBytes = 64 << 10
	// endlessFactor is how many times the limit a line may be, and is passed over,
	// before the server is given up.
	endlessFactor = 4
	// keptBuffer is the largest buffer that is kept for the next line.
	keptBuffer = 1 << 20
	maxStrange = 20  // lines that are no messages and are kept
	strangeLen = 300 // runes of each
	maxNotes   = 20
)

func newStdioTransport(s *session, in io.Reader, out *outbox, limit int, log *slog.Logger, changed func()) *stdioTransport {
	t := &stdioTransport{
		s: s, in: in, out: out, log: log, limit: limit, changed: changed,
		replies: make(chan struct{}, maxReplies), ended: make(chan struct{}), waiting: map[int64]chan answer{},
	}
	t.aside.what, t.aside.notify = "standard output", changed
	return t
}

// Start begins to read. The context ends what the server asked for.
func (t *stdioTransport) Start(ctx context.Context) error {
	t.working.Go(func() {
		err := t.read(ctx)
		t.mu.Lock()
		if err != io.EOF && !errors.Is(err, os.ErrClosed) && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.why = err
		}
		t.mu.Unlock()
		close(t.ended)
	})
	return nil
}

// Close waits for the reader and the answers to the server's own requests. The
// pipes have been closed before.
func (t *stdioTransport) Close() error {
	t.working.Wait()
	return nil
}

// reason is why reading ended early, or nil.
func (t *stdioTransport) reason() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}

// read reads lines to the end of the output.
func (t *stdioTransport) read(ctx context.Context) error {
	chunk := make([]byte, chunkBytes)
	var line []byte
	var o outline
	for {
		n, err := t.in.Read(chunk)
		for rest := chunk[:n]; len(rest) > 0; {
			piece, after, whole := bytes.Cut(rest, []byte{'\n'})
			rest = after
			o.read(piece)
			if o.size <= t.limit {
				line = append(line, piece...)
			} else {
				line = nil
			}
			if o.size > endlessFactor*t.limit {
				return &lineError{t.limit}
			}
			if !whole {
				continue
			}
			if err := t.message(ctx, line, &o); err != nil {
				return err
			}
			if o.size > keptBuffer || cap(line) > keptBuffer {
				line = nil // its parts are in use, or it is garbage
				t.s.trim()
			}
			line = line[:0]
			o.reset()
		}
		if err != nil {
			return err
		}
	}
}

// message takes one line. line is valid during the call, unless it is long: then
// it is the callee's.
func (t *stdioTransport) message(ctx context.Context, line []byte, o *outline) error {
	if o.size > t.limit {
		return t.tooLong(ctx, o)
	}
	text := bytes.TrimPrefix(line, byteOrderMark)
	if o.depth == 0 && o.batch && !o.broken { // JSON-RPC batches, as 2025-03-26 allows them
		some := false
		for _, part := range parts(text) {
			some = true
			var inner outline
			inner.read(part)
			if inner.batch {
				t.stray(ctx, part)
			} else if err := t.message(ctx, part, &inner); err != nil {
				return err
			}
		}
		if !some {
			t.stray(ctx, line)
		}
		return nil
	}
	method := o.methodName()
	id, isID := o.number()
	switch {
	case method == "" && isID && (o.result.start > 0 || o.fault.start > 0 || t.waits(id)):
		t.deliver(id, t.readAnswer(line, o), o.size)
	case method != "" && !o.hasID:
		t.aside.pass(ctx, max(len(line), floodLine))
		t.notice(text)
	case method != "":
		t.aside.pass(ctx, max(len(line), floodLine))
		t.request(ctx, text, method)
	default:
		if o.fault.start > 0 && t.refusedUnread(o.fault.of(line)) {
			return nil
		}
		t.stray(ctx, line)
	}
	return nil
}

// waits reports whether a request waits for its answer.
func (t *stdioTransport) waits(id int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waiting[id] != nil
}

// readAnswer finds the result or the error in a line.
func (t *stdioTransport) readAnswer(line []byte, o *outline) answer {
	result, fault := o.result.of(line), o.fault.of(line)
	switch {
	case o.depth != 0 || o.broken || o.inString:
		reason := "it ends in the middle"
		if err := unreadable(bytes.TrimPrefix(line, byteOrderMark)); err != nil {
			reason = err.Error()
		}
		return answer{err: &unreadableError{reason}}
	case len(fault) > 0 && jsontext.Value(fault).Kind() != 'n':
		details := new(mcp.JSONRPCErrorDetails)
		if len(fault) > maxAside {
			return answer{err: &unreadableError{fmt.Sprintf("the error in it has %d bytes", len(fault))}}
		}
		if err := json.Unmarshal(fault, details); err != nil {
			return answer{err: &unreadableError{"the error in it is no JSON-RPC error: " + clip(err.Error(), 200)}}
		}
		return answer{fault: details}
	case len(result) > 0:
		result = bytes.TrimRight(result, " \t\r")
		if len(result) <= keptBuffer {
			result = bytes.Clone(result) // the line is read into again
		}
		return answer{result: result}
	}
	return answer{err: &unreadableError{"it has neither a result nor an error"}}
}

// deliver hands an answer to the request that waits for it.
func (t *stdioTransport) deliver(id int64, a answer, size int) {
	t.mu.Lock()
	waits := t.waiting[id]
	delete(t.waiting, id)
	t.mu.Unlock()
	if waits == nil {
		t.aside.pass(t.s.ctx, max(size, floodLine))
		t.log.Debug("the server answered a request that waits no longer", "server", t.s.name, "id", id)
		return
	}
	waits <- a
}

// onlyWaiter is the one request that waits, when it is one.
func (t *stdioTransport) onlyWaiter() (int64, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.waiting {
		return id, len(t.waiting) == 1
	}
	return 0, false
}

// refusedUnread takes an error without an id: the server could not read a request.
// When only one waits, it is that one.
func (t *stdioTransport) refusedUnread(raw []byte) bool {
	id, only := t.onlyWaiter()
	details := new(mcp.JSONRPCErrorDetails)
	if !only || len(raw) > maxAside || json.Unmarshal(raw, details) != nil {
		return false
	}
	t.deliver(id, answer{fault: details}, len(raw))
	return true
}

// tooLong is the end of a line that was not kept.
func (t *stdioTransport) tooLong(ctx context.Context, o *outline) error {
	id, isID := o.number()
	if !isID || o.hasMethod {
		id, isID = t.onlyWaiter()
	}
	if o.hasMethod {
		t.note(fmt.Sprintf("it sent %q with %d bytes, which was left out", clip(o.methodName(), 60), o.size))
		t.aside.pass(ctx, o.size)
		return nil
	}
	if !isID {
		return &lineError{t.limit}
	}
	t.deliver(id, answer{err: &unreadableError{fmt.Sprintf("it has %d bytes, and at most %d are read (see exec.maxValueBytes)", o.size, t.limit)}}, floodLine)
	return nil
}

// notice passes a notification on.
func (t *stdioTransport) notice(line []byte) {
	if len(line) > maxAside {
		t.note(fmt.Sprintf("it sent a notification of %d bytes, which was left out", len(line)))
		return
	}
	var n mcp.JSONRPCNotification
	if err := json.Unmarshal(line, &n); err != nil {
		t.log.Debug("a notification cannot be read", "server", t.s.name, "err", err)
		return
	}
	t.mu.Lock()
	handle := t.onNotice
	t.mu.Unlock()
	if handle != nil {
		handle(n)
	}
}

// request answers what the server asks of us. A server that asks faster than it is
// answered, or that does not read the answers, gets none.
func (t *stdioTransport) request(ctx context.Context, line []byte, method string) {
	t.mu.Lock()
	handle := t.onRequest
	t.mu.Unlock()
	if handle == nil {
		return
	}
	var r transport.JSONRPCRequest
	if len(line) > maxAside || json.Unmarshal(line, &r) != nil {
		t.note(fmt.Sprintf("its request %q cannot be read and was not answered", clip(method, 60)))
		return
	}
	r.Params = json.RawMessage(part(line, "params")) // in the server's order
	if t.out.waiting() > maxQueuedReplies {
		t.note("it does not read the answers to its requests, so they are no longer answered")
		return
	}
	select {
	case t.replies <- struct{}{}:
	default:
		t.reply(transport.NewJSONRPCErrorResponse(r.ID, mcp.INTERNAL_ERROR, "too many requests at a time", nil))
		return
	}
	t.working.Go(func() {
		defer func() { <-t.replies }()
		response, err := handle(ctx, r)
		if err != nil {
			response = transport.NewJSONRPCErrorResponse(r.ID, mcp.INTERNAL_ERROR, err.Error(), nil)
		}
		if response != nil {
			t.reply(response)
		}
	})
}

func (t *stdioTransport) reply(response *transport.JSONRPCResponse) {
	frame, err := json.Marshal(response)
	if err == nil {
		_, err = t.out.Write(append(frame, '\n'))
	}
	if err != nil { // it has ended, or soon will: nobody can act on it
		t.log.Debug("cannot answer a request of the server", "server", t.s.name, "err", err)
	}
}

// stray keeps a line that is no message, for whoever has to find out why a server
// does not work.
func (t *stdioTransport) stray(ctx context.Context, line []byte) {
	t.aside.pass(ctx, max(len(line), floodLine))
	text := clip(strings.ToValidUTF8(string(line[:min(len(line), 4*strangeLen)]), "\ufffd"), strangeLen)
	if strings.TrimSpace(text) == "" {
		return
	}
	t.log.Debug("the server wrote a line that is no message", "server", t.s.name, "line", text)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.strange) == maxStrange {
		copy(t.strange, t.strange[1:])
		t.strange = t.strange[:maxStrange-1]
	}
	t.strange = append(t.strange, text)
}

// strayLines are the last lines of the output that are no messages.
func (t *stdioTransport) strayLines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.strange...)
}

// note keeps a fault of the server that costs nothing else, once.
func (t *stdioTransport) note(text string) {
	t.mu.Lock()
	for _, known := range t.notes {
		if known == text {
			t.mu.Unlock()
			return
		}
	}
	if len(t.notes) < maxNotes {
		t.notes = append(t.notes, text)
	}
	t.mu.Unlock()
	t.log.Warn("a server misbehaves", "server", t.s.name, "fault", text)
	t.changed()
}

// faults are what was noted.
func (t *stdioTransport) faults() []string {
	t.mu.Lock()
	notes := append([]string(nil), t.notes...)
	t.mu.Unlock()
	if flood := t.aside.note(); flood != "" {
		notes = append(notes, flood)
	}
	return notes
}

// SendRequest sends a request and waits for its answer.
func (t *stdioTransport) SendRequest(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	resp, err := sendTapped(ctx, req, t.roundTrip)
	if resp != nil && resp.Error == nil && req.Method == string(mcp.MethodToolsList) {
		resp.Result = json.RawMessage(`{"tools":[]}`) // listTools reads what the tap has
	}
	t.s.cancelled(ctx, req, err, t.send)
	return resp, err
}

func (t *stdioTransport) roundTrip(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	id, ok := req.ID.Value().(int64)
	if !ok {
		return nil, fmt.Errorf("a request has the id %v", req.ID)
	}
	frame, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	answered := make(chan answer, 1)
	t.mu.Lock()
	t.waiting[id] = answered
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		delete(t.waiting, id)
		t.mu.Unlock()
	}()
	select {
	case <-t.ended:
		return nil, transport.ErrTransportClosed
	default:
	}
	if _, err := t.out.Write(append(frame, '\n')); err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	select {
	case a := <-answered:
		return a.response(req)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-t.ended:
		select { // it may have come just before the end
		case a := <-answered:
			return a.response(req)
		default:
			return nil, transport.ErrTransportClosed
		}
	}
}

// response checks what an answer may cost before anybody decodes it. The results
// of calls and lists are read by us alone, as bytes.
func (a answer) response(req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if a.err != nil {
		return nil, a.err
	}
	switch mcp.MCPMethod(req.Method) {
	case mcp.MethodToolsCall, mcp.MethodToolsList:
	default:
		if len(a.result) > maxAside {
			return nil, &unreadableError{fmt.Sprintf("it has %d bytes, and at most %d are read for %s", len(a.result), maxAside, req.Method)}
		}
	}
	return &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: req.ID, Result: json.RawMessage(a.result), Error: a.fault}, nil
}

// SendNotification leaves out what the library would repeat of a cancelled call.
func (t *stdioTransport) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	if _, ofCall := ctx.Value(tapKey{}).(*tap); ofCall && n.Method == string(mcp.MethodNotificationCancelled) {
		return nil
	}
	return t.send(ctx, n)
}

func (t *stdioTransport) send(ctx context.Context, n mcp.JSONRPCNotification) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	frame, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encode the notification: %w", err)
	}
	_, err = t.out.Write(append(frame, '\n'))
	return err
}

func (t *stdioTransport) SetNotificationHandler(handle func(mcp.JSONRPCNotification)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onNotice = handle
}

func (t *stdioTransport) SetRequestHandler(handle transport.RequestHandler) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onRequest = t.s.answering(handle, nil)
}

func (t *stdioTransport) GetSessionId() string { return "" }
