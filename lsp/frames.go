package lsp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// maxFrame bounds what one message makes the server allocate. A longer one is
// read past and answered with an error.
const maxFrame = 256 << 20

// frames stands between the client's bytes and the JSON-RPC connection, which
// would end a session for one bad message. It hands on whole, well-formed
// messages only and answers the others itself:
//
//   - what is not JSON, is a batch, or is no JSON-RPC 2.0 message: an error, and
//     the session goes on;
//   - a broken header, or a body of another length than announced: everything up
//     to the next Content-Length is lost, with an error;
//   - of these, what may have changed a document: a change that names no document
//     in its place, which takes all of them out of use (LSP-5);
//   - an id such as 7.0: the same number as 7, which the connection can read;
//   - lone surrogates and bytes that are not UTF-8: replaced by U+FFFD, which has
//     the same length in UTF-16, so that positions behind them stay right.
//
// It reads ahead in a goroutine of its own, so the end of the stream is seen at
// once, whatever the connection is doing; and it writes from another, so that a
// client which does not read for a while stops nothing here.
type frames struct {
	rwc    io.ReadWriteCloser
	log    *slog.Logger
	next   chan []byte   // whole frames, header included
	closed chan struct{} // closed by Close
	once   sync.Once
	done   chan struct{} // the reading goroutine has ended
	rest   []byte        // of the frame that Read is giving out; owned by Read
	out    *outbox
}

// newFrames starts reading and writing. hangup is called when the stream has
// ended or cannot be written to.
func newFrames(rwc io.ReadWriteCloser, log *slog.Logger, hangup func(error)) *frames {
	f := &frames{
		rwc: rwc, log: log,
		next: make(chan []byte), closed: make(chan struct{}), done: make(chan struct{}),
		out: newOutbox(rwc, hangup),
	}
	go func() {
		defer close(f.done)
		defer close(f.next)
		hangup(f.pump(bufio.NewReaderSize(rwc, 64<<10)))
	}()
	return f
}

// Read gives out the bytes of whole frames.
func (f *frames) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		select {
		case frame, ok := <-f.next:
			if !ok {
				return 0, io.EOF
			}
			f.rest = frame
		case <-f.closed:
			return 0, io.EOF
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// Write sends one frame; the connection composes each in one call. It does not
// wait until the client has read it.
func (f *frames) Write(p []byte) (int, error) { return f.out.send(p) }

// Close ends Read at once, gives what was written a moment to reach the client
// and closes the stream. A goroutine that is parked in a read which closing does
// not end (standard input) stays until the process ends.
func (f *frames) Close() error {
	var err error
	f.once.Do(func() {
		close(f.closed)
		f.out.finish(flushTime)
		err = f.rwc.Close()
	})
	return err
}

func (f *frames) pump(in *bufio.Reader) error {
	for {
		body, problem, err := readFrame(in)
		if err != nil {
			return fmt.Errorf("peer hung up: %w", err)
		}
		if err := f.report(problem); err != nil {
			return err
		}
		if body == nil {
			continue
		}
		body, problem = wellFormed(body)
		if err := f.report(problem); err != nil {
			return err
		}
		if problem != nil {
			continue
		}
		if err := f.handOn(body); err != nil {
			return err
		}
	}
}

// report answers a message that cannot be handed on, nil for none, and hands on
// lostChange in its place where it may have been a change.
func (f *frames) report(problem *refusal) error {
	if problem == nil {
		return nil
	}
	f.log.Warn("message refused", "err", problem.err)
	f.refuse(problem)
	if !problem.change {
		return nil
	}
	return f.handOn([]byte(lostChange))
}

func (f *frames) handOn(body []byte) error {
	select {
	case f.next <- append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...):
		return nil
	case <-f.closed:
		return io.EOF
	}
}

// refusal is the answer to a message that cannot be handed on.
type refusal struct {
	id  jsonrpc2.ID // of the request, when it can be read
	err *jsonrpc2.Error
	// change says that the message may have changed a document.
	change bool
}

// lostChange takes the place of a message that may have changed a document: a change
// that names none, so that no document is used until the client sends it whole (LSP-5).
const lostChange = `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{}}`

// mayChange reports whether bytes that are no message look like one that changes a
// document. The name of the method may be the part that is missing.
func mayChange(text []byte) bool {
	for _, word := range []string{"textDocument/didChange", "textDocument/didOpen", `"contentChanges"`} {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}

func refuse(code jsonrpc2.Code, format string, args ...any) *refusal {
	return &refusal{err: jsonrpc2.Errorf(code, format, args...)}
}

// refuse answers a message that the connection never sees.
func (f *frames) refuse(r *refusal) {
	body, err := jsonrpc2.EncodeMessage(jsonrpc2.NewResponse(r.id, nil, r.err))
	if err != nil {
		f.log.Error("answer not encoded", "err", err)
		return
	}
	frame := append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...)
	if _, err := f.Write(frame); err != nil {
		f.log.Debug("answer not sent", "err", err)
	}
}

// readFrame reads one header and body. A refusal is for what was read past before the
// body, or with it: then the body is nil.
func readFrame(in *bufio.Reader) ([]byte, *refusal, error) {
	length, lost, change := -1, false, false
	for {
		line, err := in.ReadSlice('\n')
		if err == bufio.ErrBufferFull { // no header line is this long
			lost, change = true, change || mayChange(line)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if mayChange(line) { // no header has such words: the body before it was longer than announced
			lost, change = true, true
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			if length >= 0 {
				break
			}
			continue // blank lines between frames hurt nobody
		}
		// In garbage a header may begin in the middle of a line: the body before it
		// was longer than announced.
		if i := strings.LastIndex(asciiLower(text), "content-length:"); i >= 0 {
			n, err := strconv.Atoi(strings.TrimSpace(text[i+len("content-length:"):]))
			if err != nil || n < 0 {
				lost = true
				continue
			}
			lost = lost || i > 0
			length = n
		} else if !strings.Contains(text, ":") || text[0] == '{' {
			lost = true
		}
	}
	if length > maxFrame {
		if _, err := io.CopyN(io.Discard, in, int64(length)); err != nil {
			return nil, nil, err
		}
		r := refuse(jsonrpc2.InvalidRequest, "a message of %d bytes is over the limit of %d", length, maxFrame)
		r.change = true // nothing else that clients send is so long
		return nil, r, nil
	}
	body, err := readBody(in, length)
	if err != nil {
		return nil, nil, err
	}
	if lost && !jsontext.Value(body).IsValid() {
		r := refuse(jsonrpc2.ParseError, "the header of a message is broken")
		r.change = change || mayChange(body)
		return nil, r, nil
	}
	if change {
		return body, &refusal{err: jsonrpc2.Errorf(jsonrpc2.ParseError, "a message was longer than announced"), change: true}, nil
	}
	return body, nil, nil
}

// asciiLower keeps every byte in its place, which strings.ToLower does not.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// readBody allocates as the bytes arrive, not as announced.
func readBody(in io.Reader, length int) ([]byte, error) {
	if length <= 1<<20 {
		body := make([]byte, length)
		_, err := io.ReadFull(in, body)
		return body, err
	}
	var buf bytes.Buffer
	if _, err := io.CopyN(&buf, in, int64(length)); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// wellFormed returns the message in a form that the connection takes, or why it
// cannot be taken.
func wellFormed(body []byte) ([]byte, *refusal) {
	body = repairText(body)
	var m struct {
		JSONRPC jsontext.Value `json:"jsonrpc,omitzero"`
		ID      jsontext.Value `json:"id,omitzero"`
		Method  jsontext.Value `json:"method,omitzero"`
		Params  jsontext.Value `json:"params,omitzero"`
		Result  jsontext.Value `json:"result,omitzero"`
		Error   jsontext.Value `json:"error,omitzero"`
	}
	v := jsontext.Value(body)
	if !v.IsValid(jsontext.AllowDuplicateNames(true)) {
		r := refuse(jsonrpc2.ParseError, "the message is not JSON")
		r.change = mayChange(body)
		return nil, r
	}
	if v.Kind() != '{' {
		return nil, refuse(jsonrpc2.InvalidRequest, "the message is not one JSON object; LSP has no batches")
	}
	if err := json.Unmarshal(body, &m, jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, refuse(jsonrpc2.InvalidRequest, "the message is not JSON-RPC: %v", err)
	}
	id, idOK := readID(m.ID)
	r := &refusal{}
	if idOK {
		r.id = id
	}
	switch {
	case string(m.JSONRPC) != `"2.0"`:
		r.err = jsonrpc2.Errorf(jsonrpc2.InvalidRequest, `"jsonrpc": "2.0" is missing in the message`)
	case !idOK:
		r.err = jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "an id must be a whole number or a string")
	case m.Method == nil && m.Result == nil && m.Error == nil:
		r.err = jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the message has no method and is no answer")
	case m.Method != nil && m.Method.Kind() != '"':
		r.err = jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a method must be a string")
	case m.Params != nil && m.Params.Kind() != '{' && m.Params.Kind() != '[' && m.Params.Kind() != 'n':
		r.err = jsonrpc2.Errorf(jsonrpc2.InvalidParams, "params must be an object or an array")
	case m.Method != nil && string(m.ID) == "null":
		// A request that could not be answered.
		r.err = jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "a request's id must not be null")
	default:
		if plain := wholeNumber(m.ID); !bytes.Equal(plain, m.ID) {
			m.ID = plain // the connection reads digits alone
			if again, err := json.Marshal(m, jsontext.AllowDuplicateNames(true)); err == nil {
				body = again
			}
		}
		return body, nil
	}
	return nil, r
}

// readID reads an id of a request or of $/cancelRequest: a string or a whole
// number, also written as 7.0. ok is false for anything else; absent and null
// are an invalid ID and ok.
func readID(v jsontext.Value) (id jsonrpc2.ID, ok bool) {
	switch v.Kind() {
	case 0, 'n':
		return jsonrpc2.ID{}, true
	case '"':
		var s string
		if json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) != nil {
			return jsonrpc2.ID{}, false
		}
		return jsonrpc2.NewStringID(s), true
	case '0':
		n, err := strconv.ParseInt(string(wholeNumber(v)), 10, 64)
		return jsonrpc2.NewNumberID(n), err == nil
	default:
		return jsonrpc2.ID{}, false
	}
}

// repairText replaces what no Unicode text can hold: bytes that are not UTF-8, and
// escaped surrogates without their other half.
func repairText(body []byte) []byte {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	for i := 0; i < len(body); {
		j := bytes.IndexByte(body[i:], '\\')
		if j < 0 {
			break
		}
		i += j
		high, ok := surrogate(body[i:])
		switch {
		case !ok:
			i += 2 // some other escape
		case high && isLow(body[i+6:]):
			i += 12
		default:
			copy(body[i:], `\uFFFD`)
			i += 6
		}
	}
	return body
}

// surrogate reports whether text begins with an escaped surrogate, and whether it
// is a high one.
func surrogate(text []byte) (high, ok bool) {
	if len(text) < 6 || text[1] != 'u' || text[2]|0x20 != 'd' {
		return false, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil || n < 0xD800 || n > 0xDFFF {
		return false, false
	}
	return n < 0xDC00, true
}

func isLow(text []byte) bool {
	if len(text) == 0 || text[0] != '\\' {
		return false
	}
	high, ok := surrogate(text)
	return ok && !high
}
