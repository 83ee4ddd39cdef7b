package upstream

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"codemode-ls/internal/plaintext"
)

var errNotReading = errors.New("the server does not read its standard input")

// outbox writes to a server without ever blocking the caller: a server that
// does not read must not hold up a cancellation, nor another call.
type outbox struct {
	file *os.File
	done chan struct{} // closed when the writer has ended

	mu      sync.Mutex
	queue   [][]byte
	queued  int
	closed  bool
	failure error
	wake    chan struct{}
	held    map[string]held // by placeholder
}

// held is what goes out in the place of a placeholder; see hold.
type held struct {
	raw  []byte
	sent func() // nil for nothing
}

func newOutbox(file *os.File) *outbox {
	o := &outbox{file: file, done: make(chan struct{}), wake: make(chan struct{}, 1), held: map[string]held{}}
	go o.write()
	return o
}

// hold makes the JSON string placeholder, wherever a frame has it, go out as
// raw. mcp-go's encoder would rewrite raw JSON (escape "<", for one), and what a
// person has approved is what must be sent, byte for byte (PERM-5). sent is
// called when such a frame has its place in the stream.
func (o *outbox) hold(placeholder string, raw []byte, sent func()) (release func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held[placeholder] = held{raw, sent}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.held, placeholder)
	}
}

// holds reports whether no frame with the placeholder has gone out.
func (o *outbox) holds(placeholder string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, holds := o.held[placeholder]
	return holds
}

// broken reports whether writing has failed.
func (o *outbox) broken() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failure != nil
}

// waiting is how much waits to be written.
func (o *outbox) waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.queued
}

// Write takes one whole frame.
func (o *outbox) Write(frame []byte) (int, error) {
	sent, err := o.put(frame)
	if err != nil {
		return 0, err
	}
	if sent != nil {
		sent()
	}
	return len(frame), nil
}

// put queues a frame and gives what its placeholder has to be called with.
func (o *outbox) put(frame []byte) (sent func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.failure != nil:
		return nil, o.failure
	case o.closed:
		return nil, os.ErrClosed
	case o.queued+len(frame) > maxQueued:
		return nil, errNotReading
	}
	out := bytes.Clone(frame)
	placeholder := ""
	for p, h := range o.held {
		if quoted := []byte(`"` + p + `"`); bytes.Contains(out, quoted) {
			out = bytes.Replace(out, quoted, h.raw, 1)
			sent, placeholder = h.sent, p
			delete(o.held, p)
			break
		}
	}
	if o.queued == 0 {
		// Most often the server reads as fast as we write, and nothing has to wait for
		// the writer.
		n, err := writeNow(o.file, out)
		if err != nil {
			o.failure = fmt.Errorf("write to the server: %w", err)
			if n == 0 && placeholder != "" {
				o.held[placeholder] = held{} // nobody has read a byte of it
			}
			return nil, o.failure
		}
		if out = out[n:]; len(out) == 0 {
			return sent, nil
		}
	}
	o.queue = append(o.queue, out)
	o.queued += len(out)
	o.signal()
	return sent, nil
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Close ends the writer after what is queued; a server that does not read gets
// little time for it.
func (o *outbox) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		_ = o.file.SetWriteDeadline(time.Now().Add(drainGrace))
		o.signal()
	}
	return nil
}

func (o *outbox) write() {
	defer close(o.done)
	defer o.file.Close()
	for range o.wake {
		o.mu.Lock()
		frames, closed := o.queue, o.closed
		o.queue = nil
		o.mu.Unlock()
		for _, frame := range frames {
			_, err := o.file.Write(frame)
			o.mu.Lock()
			o.queued -= len(frame)
			if err != nil {
				o.failure = fmt.Errorf("write to the server: %w", err)
			}
			o.mu.Unlock()
			if err != nil {
				return
			}
		}
		if closed {
			return
		}
	}
}

// ringBytes is how much of a server's standard error is kept (MCP-5).
const ringBytes = 16 << 10

// ring keeps the last bytes that were written to it.
type ring struct {
	mu   sync.Mutex
	data []byte
}

func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data = append(r.data, p[max(0, len(p)-ringBytes):]...)
	if excess := len(r.data) - ringBytes; excess > 0 {
		r.data = append(r.data[:0], r.data[excess:]...)
	}
	return len(p), nil
}

// reset forgets everything, for the next process.
func (r *ring) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data = nil
}

// String is what was kept, from the start of a line when something was dropped.
func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := string(r.data)
	if len(r.data) == ringBytes {
		if _, rest, ok := strings.Cut(s, "\n"); ok {
			s = rest
		}
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// maxLastWords is how much of what a program said at its end is part of a message,
// in bytes.
const maxLastWords = 4 << 10

// tail is the end of a text in whole lines, without what is not text.
func tail(s string, size int) string {
	if len(s) > size {
		s = s[len(s)-size:]
		if _, rest, ok := strings.Cut(s, "\n"); ok {
			s = rest
		}
		s = "…\n" + strings.ToValidUTF8(s, "")
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = clip(strings.TrimRight(line, " \t\r"), 400)
	}
	return strings.Join(lines, "\n")
}

// errorLine begins as languages and tools begin the line that names a failure:
// "Error: …", "TypeError [CODE]: …", "package.Exception: …", "panic: …", "prog: error: …".
var errorLine = regexp.MustCompile(`(?i)^(?:uncaught |fatal |[\w.-]+: )?[\w.]*(?:error|exception|panic|fatal)(?: \[\w+\])?: \S|^npm (?:error|ERR!) (?:\d{3} |[\w.-]+: )\S`)

// signature is a line that a tool writes behind every failure.
var signature = regexp.MustCompile(`^Node\.js v|A complete log of this run can be found in`)

// maxTellingLines is how far from the end a line that names a failure counts.
const maxTellingLines = 60

// TellingLine is the line of a standard error that says best why a program has
// ended: of its last lines the last one that names an error, else the last with
// something in it. "" when there is none.
func TellingLine(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	last := ""
	for i := len(lines) - 1; i >= max(0, len(lines)-maxTellingLines); i-- {
		line := strings.TrimRight(plaintext.Lines(lines[i]), " \t\r") // colours are no part of it
		if errorLine.MatchString(line) {
			return clip(line, 200)
		}
		if last == "" && !signature.MatchString(line) {
			last = strings.TrimSpace(line)
		}
	}
	return clip(last, 200)
}

// clip is the beginning of a text for a message, at most width characters on one
// line, without what a terminal would obey.
func clip(s string, width int) string {
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return -1
		}
		return r
	}, plaintext.Lines(s))
	if runes := []rune(s); len(runes) > width {
		return string(runes[:width]) + "…"
	}
	return s
}
