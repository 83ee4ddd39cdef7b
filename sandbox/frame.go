package sandbox

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"codemode-ls/script"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A frame is its length (4 bytes, big endian), its kind (1 byte) and its body.
// JSON values that only pass through are the raw rest of a body, so that nothing
// is encoded twice.
//
//	host → child
//	  init    JSON initial                     before the child is ready
//	  start   u32 length, JSON start, u32 length, source map, then the script
//	  value   u32 index, then JSON             a call's value
//	  reject  u32 index, then JSON CallError
//	  stop    text                             interrupt the script
//	child → host
//	  ready
//	  call    u32 index, i32 line, i32 character (-1: unknown), u32 length, name, then JSON
//	  log     u8 level, then text
//	  busy                                     the script has computed for as long as it may
//	  done    u32 length, JSON finish, then the value's JSON
//
// A compiler is spoken to in the same frames, again and again:
//
//	host → compiler
//	  init    JSON initial                     before the compiler is ready
//	  start   u32 length, language, then the text
//	compiler → host
//	  ready
//	  done    u32 length, JSON compilation, u32 length, source map, then the code
const (
	frameInit   = 'i'
	frameStart  = 's'
	frameValue  = 'v'
	frameReject = 'e'
	frameStop   = 'x'
	frameReady  = 'r'
	frameCall   = 'c'
	frameLog    = 'l'
	frameDone   = 'd'
	frameBusy   = 'b'
)

const (
	frameHead  = 5
	frameSlack = 1 << 20 // what a frame may be larger than the largest value
	maxName    = 1024    // bytes of a call's name
)

var errFrame = errors.New("the frame is too large")

// initial is what a child is told before it hardens itself.
type initial struct {
	MemoryMB int `json:"memoryMB"`
}

// start is a script to run.
type start struct {
	Language script.Language `json:"language"`
	Tools    []string        `json:"tools"`
	Members  []string        `json:"members"`
	Absent   []string        `json:"absent,omitzero"`
	Globals  []Global        `json:"globals,omitzero"`
	AllTools jsontext.Value  `json:"allTools,omitzero"`
	Bounds   bounds          `json:"bounds"`
}

// bounds are the limits that a child keeps by itself; the host checks them too.
type bounds struct {
	MaxConcurrent int `json:"maxConcurrent"`
	LogChars      int `json:"logChars"`
	LogEntries    int `json:"logEntries"`
	ValueBytes    int `json:"valueBytes"`
	// BusyMs is for how long the script may compute before the host is told.
	BusyMs int64 `json:"busyMs"`
}

func boundsOf(l Limits) bounds {
	return bounds{MaxConcurrent: l.MaxConcurrent, LogChars: l.LogChars, LogEntries: l.LogEntries, ValueBytes: l.ValueBytes, BusyMs: l.Wall.Milliseconds()}
}

var levels = [...]string{"log", "info", "warn", "error", "debug"}

// frameWriter writes whole frames; it is safe for concurrent use.
type frameWriter struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// write sends one frame whose body is the parts in turn.
func (f *frameWriter) write(kind byte, parts ...[]byte) error {
	n := 1
	for _, p := range parts {
		n += len(p)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buf = binary.BigEndian.AppendUint32(f.buf[:0], uint32(n))
	f.buf = append(f.buf, kind)
	for _, p := range parts {
		f.buf = append(f.buf, p...)
	}
	_, err := f.w.Write(f.buf)
	if cap(f.buf) > frameSlack {
		f.buf = nil
	}
	return err
}

// frameReader reads frames of a bounded size.
type frameReader struct {
	r   io.Reader
	max int
}

func newFrameReader(r io.Reader, max int) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 16<<10), max: max}
}

// read gives the next frame. The body is the caller's. A length is believed only
// as far as bytes follow.
func (f *frameReader) read() (kind byte, body []byte, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return 0, nil, err
	}
	n := int(binary.BigEndian.Uint32(head[:])) - 1
	if n < 0 || n > f.max {
		return 0, nil, errFrame
	}
	const trusted = 64 << 10
	if n <= trusted {
		body = make([]byte, n)
		_, err = io.ReadFull(f.r, body)
		return head[4], body, err
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, f.r, int64(n)); err != nil {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return head[4], b.Bytes(), nil
}

func word(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// takeWord reads a word and what follows it.
func takeWord(b []byte) (n int, rest []byte, ok bool) {
	if len(b) < 4 {
		return 0, nil, false
	}
	return int(int32(binary.BigEndian.Uint32(b))), b[4:], true
}

// takeSized reads a length and as many bytes, and what follows them.
func takeSized(b []byte) (part, rest []byte, ok bool) {
	n, b, ok := takeWord(b)
	if !ok || n < 0 || n > len(b) {
		return nil, nil, false
	}
	return b[:n], b[n:], true
}

func (f *frameWriter) call(index int, name string, args []byte, at *script.Position) error {
	line, character := -1, -1
	if at != nil {
		line, character = at.Line, at.Character
	}
	head := make([]byte, 0, 16+len(name))
	for _, n := range []int{index, line, character, len(name)} {
		head = binary.BigEndian.AppendUint32(head, uint32(n))
	}
	return f.write(frameCall, append(head, name...), args)
}

// takeCall reads the body of a call.
func takeCall(b []byte) (c Call, ok bool) {
	var line, character int
	if c.Index, b, ok = takeWord(b); !ok {
		return c, false
	}
	if line, b, ok = takeWord(b); !ok {
		return c, false
	}
	if character, b, ok = takeWord(b); !ok {
		return c, false
	}
	name, args, ok := takeSized(b)
	if !ok || len(name) > maxName {
		return c, false
	}
	if line >= 0 && character >= 0 {
		c.At = &script.Position{Line: line, Character: character}
	}
	c.Name, c.Arguments = string(name), jsontext.Value(args)
	return c, c.Arguments.IsValid() && c.Arguments.Kind() == '{'
}

// withJSON encodes a value behind its length.
func withJSON(v any) ([]byte, error) {
	// A compile error quotes the author's line, whatever bytes are in it.
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode a frame: %w", err)
	}
	return append(word(len(b)), b...), nil
}
