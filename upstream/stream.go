package upstream

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"
)

// tooLarge is an answer over its bound.
type tooLarge struct{ limit int }

func (e tooLarge) Error() string {
	return fmt.Sprintf("the server's answer is larger than %d MB (exec.maxValueBytes)", e.limit>>20)
}

// limited ends a body whose content is of no interest.
type limited struct {
	io.ReadCloser
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, io.EOF
	}
	n, err := l.ReadCloser.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// chunks collect what is read without copying it at each growth.
type chunks struct {
	list [][]byte
	size int
}

func (c *chunks) add(p []byte) {
	c.size += len(p)
	for len(p) > 0 {
		last := len(c.list) - 1
		if last < 0 || len(c.list[last]) == cap(c.list[last]) {
			c.list = append(c.list, make([]byte, 0, min(max(4<<10, c.size), 4<<20)))
			last++
		}
		n := min(len(p), cap(c.list[last])-len(c.list[last]))
		c.list[last] = append(c.list[last], p[:n]...)
		p = p[n:]
	}
}

func (c *chunks) bytes() []byte {
	if len(c.list) == 1 {
		return c.list[0]
	}
	return slices.Concat(c.list...)
}

// hold counts bytes that are kept of answers. All that one server's answers cost
// while they are read is what one of the largest may cost, and the small change.
func (g *gate) hold(n, limit, size int) error {
	if size > limit {
		return tooLarge{limit}
	}
	if g.held.Load()+int64(n) > int64(g.max+maxAside) {
		return tooLarge{g.max}
	}
	g.held.Add(int64(n))
	return nil
}

// fill reads all of a body.
func (g *gate) fill(c *chunks, body io.Reader, limit int) error {
	buffer := make([]byte, 32<<10)
	for {
		n, err := body.Read(buffer)
		if hold := g.hold(n, limit, c.size+n); hold != nil {
			return hold
		}
		c.add(buffer[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// An envelope is a JSON-RPC message whose parts are still as the server sent them.
type envelope struct {
	id, method, result, fault jsontext.Value
}

// open reads one message without copying or decoding it. All of it has to be JSON.
func open(text []byte) (*envelope, error) {
	if err := unreadable(text); err != nil {
		return nil, err
	}
	if text[0] != '{' {
		return nil, errors.New("it is not an object")
	}
	e := new(envelope)
	for name, value := range parts(text) {
		switch string(name) {
		case "id":
			e.id = value
		case "method":
			e.method = value
		case "result":
			e.result = value
		case "error":
			e.fault = value
		}
	}
	return e, nil
}

// hasID reports whether the message has an id that can be answered.
func (e *envelope) hasID() bool { return len(e.id) > 0 && e.id.Kind() != 'n' }

// number is the id as the number that all our requests have. Some servers send it
// back as a string.
func (e *envelope) number() (int64, bool) {
	text := string(e.id)
	if e.id.Kind() == '"' {
		text = stringOf(e.id)
	}
	n, err := strconv.ParseFloat(text, 64)
	return int64(n), err == nil && n == float64(int64(n))
}

// answers reports whether the message is the answer to the request with an id. An
// error without an id is that of a server which could not read the request.
func (e *envelope) answers(id int64) bool {
	if !e.hasID() {
		return len(e.fault) > 0
	}
	n, ok := e.number()
	return ok && n == id
}

// events is the stream of a server as the MCP library may read it: each event
// bounded, whole and of one line. Answers to requests are kept aside (see
// exchange), so that they are decoded once.
type events struct {
	gate     *gate
	ctx      context.Context
	exchange *exchange // nil on a stream that answers no request
	body     io.ReadCloser
	in       *bufio.Reader
	closed   func()
	closing  sync.Once // the library closes a stream from two goroutines

	out []byte // not yet read by the library
	err error  // comes after out

	// The event that is being read.
	name, id, retry string
	hasID           bool
	data            chunks
	size            int
}

func (g *gate) newEvents(ctx context.Context, body io.ReadCloser, x *exchange) *events {
	return &events{gate: g, ctx: ctx, exchange: x, body: body, in: bufio.NewReaderSize(body, 32<<10)}
}

// maxField bounds the fields of an event beside its data, of which long ones are
// left out.
const maxField = 4 << 10

func (e *events) Read(p []byte) (int, error) {
	for len(e.out) == 0 && e.err == nil {
		e.event()
	}
	if len(e.out) == 0 {
		return 0, e.err
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

func (e *events) Close() error {
	e.closing.Do(func() {
		if e.closed != nil {
			e.closed()
		}
	})
	if e.body == nil {
		return nil
	}
	return e.body.Close()
}

// limit is that of one event.
func (e *events) limit() int {
	if e.gate.sse && e.gate.waiting() {
		return e.gate.max
	}
	return e.gate.bound(e.exchange)
}

// event reads up to the end of one event.
func (e *events) event() {
	defer func() {
		e.gate.held.Add(-int64(e.data.size))
		e.name, e.id, e.retry, e.hasID, e.data, e.size = "", "", "", false, chunks{}, 0
	}()
	for {
		field, value, err := e.line()
		if err != nil {
			e.finish(err)
			return
		}
		switch field {
		case "":
			if e.id != "" || e.hasID {
				e.out = append(e.out, "id: "+e.id+"\n"...)
			}
			if e.retry != "" {
				e.out = append(e.out, "retry: "+e.retry+"\n"...)
			}
			if len(e.out) > 0 { // an event of its own, because its data may be left out
				e.out = append(e.out, '\n')
			}
			if e.data.size > 0 {
				e.take(cmp.Or(e.name, "message"), bytes.TrimSpace(e.data.bytes()))
			}
			return
		case "event":
			e.name = value
		case "id":
			e.id, e.hasID = value, true
		case "retry":
			e.retry = value
		}
	}
}

// line reads one line. Data is added to the event's; what has no meaning is read
// over. field is "" for the end of the event.
func (e *events) line() (field, value string, err error) {
	var head []byte // of a line that is no data
	start, isData := true, false
	read := 0
	for {
		piece, err := e.in.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			if isData || len(piece) > 0 || e.data.size > 0 {
				e.add(piece, &start, &isData, &head)
				err = unfinished{err}
			}
			return "", "", err
		}
		whole := err == nil
		read += len(piece)
		e.size += len(piece)
		if limit := e.limit(); e.size > limit {
			return "", "", tooLarge{limit}
		}
		if whole {
			piece = bytes.TrimRight(piece, "\r\n")
		}
		if whole && start && len(piece) == 0 {
			e.gate.flood.pass(e.ctx, 0)
			return "", "", nil
		}
		if err := e.add(piece, &start, &isData, &head); err != nil {
			return "", "", err
		}
		if whole {
			break
		}
	}
	if isData {
		return "data", "", nil
	}
	e.gate.flood.pass(e.ctx, max(read, floodLine)) // a comment, or as good as one
	name, rest, _ := bytes.Cut(head, []byte(":"))
	if len(name) == 0 {
		return "comment", "", nil
	}
	return string(name), string(bytes.TrimPrefix(rest, []byte(" "))), nil
}

// add takes the next piece of a line.
func (e *events) add(piece []byte, start, isData *bool, head *[]byte) error {
	if *start {
		*start = false
		piece = bytes.TrimPrefix(piece, []byte("\xef\xbb\xbf"))
		if rest, ok := bytes.CutPrefix(piece, []byte("data:")); ok {
			*isData = true
			piece = rest
			if e.data.size > 0 {
				piece = append([]byte(" "), rest...) // a line break between the tokens of JSON
			}
		}
	}
	if !*isData {
		if len(*head)+len(piece) <= maxField {
			*head = append(*head, piece...)
		}
		return nil
	}
	if err := e.gate.hold(len(piece), e.limit(), e.data.size+len(piece)); err != nil {
		return err
	}
	e.data.add(piece)
	return nil
}

// unfinished is the end of a stream within an event.
type unfinished struct{ error }

func (u unfinished) Unwrap() error { return u.error }

// finish ends the stream. A last event without its empty line counts when it is
// whole.
func (e *events) finish(err error) {
	var large tooLarge
	switch {
	case errors.As(err, &large):
		e.fail(large.Error())
	case errors.Is(err, io.EOF):
		e.err = io.EOF
		if text := bytes.TrimSpace(e.data.bytes()); len(text) > 0 && unreadable(text) == nil {
			e.take(cmp.Or(e.name, "message"), text)
		}
		if e.exchange != nil && e.exchange.answer.Load() == nil {
			e.exchange.ended.Store(true)
		}
	default:
		e.err = err
		e.exchange.fail(&httpFailure{problem: "the connection was cut during the answer: " + err.Error()})
	}
}

// fail ends the stream with an error that its request, or its session, ends with.
func (e *events) fail(problem string) {
	f := &httpFailure{problem: problem}
	e.exchange.fail(f)
	e.err = f
}

// take hands one message on.
func (e *events) take(name string, text []byte) {
	switch {
	case name == "endpoint" && e.gate.sse:
		e.endpoint(text)
		return
	case name != "message" || len(text) == 0:
		return
	case text[0] == '[' && unreadable(text) == nil: // a batch, which one version had
		for _, message := range parts(text) {
			e.take(name, message)
		}
		return
	}
	m, err := open(text)
	if err != nil {
		e.garbled(text, err)
		return
	}
	if len(m.method) > 0 {
		e.gate.flood.pass(e.ctx, max(len(text), floodLine))
		if len(text) > maxNotice || m.hasID() && !e.gate.requests.allow() {
			e.gate.log.Debug("left out a message of the server", "server", e.gate.s.name, "method", brief(stringOf(m.method)), "bytes", len(text))
			return
		}
		if m.hasID() && stringOf(m.method) == string(mcp.MethodElicitationCreate) {
			e.gate.s.keepParams(m.id, part(text, "params"))
		}
		e.pass(text)
		return
	}
	x := e.exchange
	if x == nil {
		x = e.gate.waitingFor(m)
	}
	if x == nil || !m.answers(x.id) || x.answer.Load() != nil {
		e.gate.flood.pass(e.ctx, max(len(text), floodLine))
		return // of a request that nobody waits for
	}
	e.data.list = nil // belongs to the answer now
	x.answer.Store(m)
	e.pass(m.forLibrary(x, e.gate.modern()))
}

// forLibrary is an answer as the MCP library gets it: what is read from the
// exchange has no content there.
func (m *envelope) forLibrary(x *exchange, modern bool) []byte {
	frame := func(member string, value []byte) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"%s":%s}`, x.id, member, value)
	}
	if len(m.fault) > 0 {
		fault := mcp.JSONRPCErrorDetails{Message: brief(stringOf(part(m.fault, "message")))}
		_ = jsonv2.Unmarshal(part(m.fault, "code"), &fault.Code)
		if len(m.fault) <= maxErrorBody {
			return frame("error", m.fault)
		}
		short, err := jsonv2.Marshal(fault)
		if err != nil {
			short = []byte(`{"code":-32603,"message":""}`)
		}
		return frame("error", short)
	}
	switch mcp.MCPMethod(x.method) {
	case mcp.MethodToolsCall:
		if !m.asksInput() {
			return frame("result", []byte(`{"content":[]}`))
		}
	case mcp.MethodToolsList:
		if !modern { // whose headers the library makes of the tools' schemas
			return frame("result", []byte(`{"tools":[]}`))
		}
	}
	return frame("result", m.result)
}

// asksInput reports whether a result asks for something, and is none yet.
func (m *envelope) asksInput() bool {
	for name, value := range parts(m.result) {
		if string(name) == "resultType" {
			return stringOf(value) == "input_required"
		}
	}
	return false
}

// pass hands a message to the library, as one line.
func (e *events) pass(text []byte) {
	e.out = append(e.out, "data: "...)
	start := len(e.out)
	e.out = append(e.out, text...)
	for i, c := range e.out[start:] {
		if c == '\n' || c == '\r' {
			e.out[start+i] = ' '
		}
	}
	e.out = append(e.out, "\n\n"...)
}

// garbled is for a message that is not JSON. When it is an answer, the request ends
// with it; there will be no other.
func (e *events) garbled(text []byte, err error) {
	unread := &unreadableError{err.Error()}
	f := &httpFailure{problem: unread.Error(), err: unread}
	if e.exchange != nil {
		e.exchange.fail(f)
		e.err = f
		return
	}
	var o outline
	o.read(text)
	if id, ok := o.number(); ok && !o.hasMethod {
		if x := e.gate.waitingForID(id); x != nil {
			x.fail(f)
			e.pass(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"error":{"code":%d,"message":""}}`, id, mcp.PARSE_ERROR))
			return
		}
	}
	e.gate.flood.pass(e.ctx, max(len(text), floodLine))
	e.gate.log.Debug("the server sent what is no message", "server", e.gate.s.name, "bytes", len(text), "err", err)
}

// endpoint is the first event of the old transport: where requests go.
func (e *events) endpoint(text []byte) {
	to, err := e.gate.origin.Parse(string(text))
	switch {
	case err != nil || len(text) > maxField:
		e.fail("the server names an endpoint that is not a URL")
	case !sameOrigin(to, e.gate.origin):
		e.fail(fmt.Sprintf("the server names an endpoint of another origin, %s, which nothing is sent to", e.gate.place(to)))
	default:
		e.out = append(e.out, "event: endpoint\n"...)
		e.pass(text)
		return
	}
	e.gate.s.end(e.err)
}
