// Package frame is what the host of a sandbox and its child share: the frames of
// their channel and the values in them. It runs nothing.
//
// A frame is its length (4 bytes, big endian), its kind (1 byte) and its body.
// JSON values that only pass through are the raw rest of a body, so that nothing
// is encoded twice.
//
//	host → child
//	  init    JSON Initial                     before the child is ready
//	  start   u32 length, JSON Start, u32 length, source map, then the script
//	  value   u32 index, then JSON             the value of a call
//	  reject  u32 index, then JSON CallError
//	  stop    text                             interrupt the script
//	child → host
//	  ready
//	  call    u32 index, i32 line, i32 character (-1: unknown), u32 length, name, then JSON
//	  log     u8 level, then text
//	  busy                                     the script has computed for as long as it may
//	  done    u32 length, JSON Finish, then the JSON of the value
//
// A compiler uses the same frames, again and again:
//
//	host → compiler
//	  init    JSON Initial                     before the compiler is ready
//	  start   u32 length, language, then the text
//	compiler → host
//	  ready
//	  done    u32 length, JSON Compilation, u32 length, source map, then the code
package frame

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

// Kinds of frames.
const (
	KindInit   = 'i'
	KindStart  = 's'
	KindValue  = 'v'
	KindReject = 'e'
	KindStop   = 'x'
	KindReady  = 'r'
	KindCall   = 'c'
	KindLog    = 'l'
	KindDone   = 'd'
	KindBusy   = 'b'
)

const (
	headBytes = 5
	// Slack is what a frame may be larger than the largest value.
	Slack = 1 << 20
	// MaxName bounds the name of a call, in bytes.
	MaxName = 1024
)

// ErrTooLarge is the error of Reader.Read for a frame beyond its bound.
var ErrTooLarge = errors.New("the frame is too large")

// Writer writes whole frames; it is safe for concurrent use.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer of frames to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write sends one frame whose body is the parts in turn.
func (f *Writer) Write(kind byte, parts ...[]byte) error {
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
	if cap(f.buf) > Slack {
		f.buf = nil
	}
	return err
}

// WriteCall sends a call whose arguments are JSON.
func (f *Writer) WriteCall(index int, name string, args []byte, at *script.Position) error {
	line, character := -1, -1
	if at != nil {
		line, character = at.Line, at.Character
	}
	head := make([]byte, 0, 16+len(name))
	for _, n := range []int{index, line, character, len(name)} {
		head = binary.BigEndian.AppendUint32(head, uint32(n))
	}
	return f.Write(KindCall, append(head, name...), args)
}

// Reader reads frames of a bounded size.
type Reader struct {
	// Max is how many bytes the body of the next frame may have.
	Max int
	r   io.Reader
}

// NewReader returns a Reader of frames of at most max bytes.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{Max: max, r: bufio.NewReaderSize(r, 16<<10)}
}

// Read returns the next frame. The body is the caller's. A length is believed only
// as far as bytes follow.
func (f *Reader) Read() (kind byte, body []byte, err error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return 0, nil, err
	}
	n := int(binary.BigEndian.Uint32(head[:])) - 1
	if n < 0 || n > f.Max {
		return 0, nil, ErrTooLarge
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

// Word is a number as it is written in a body.
func Word(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// TakeWord reads a number and returns what follows it.
func TakeWord(b []byte) (n int, rest []byte, ok bool) {
	if len(b) < 4 {
		return 0, nil, false
	}
	return int(int32(binary.BigEndian.Uint32(b))), b[4:], true
}

// TakeSized reads a length and as many bytes, and returns what follows them.
func TakeSized(b []byte) (part, rest []byte, ok bool) {
	n, b, ok := TakeWord(b)
	if !ok || n < 0 || n > len(b) {
		return nil, nil, false
	}
	return b[:n], b[n:], true
}

// TakeCall reads the body of a call. ok is false unless its arguments are one JSON
// object.
func TakeCall(b []byte) (c Call, ok bool) {
	var line, character int
	if c.Index, b, ok = TakeWord(b); !ok {
		return c, false
	}
	if line, b, ok = TakeWord(b); !ok {
		return c, false
	}
	if character, b, ok = TakeWord(b); !ok {
		return c, false
	}
	name, args, ok := TakeSized(b)
	if !ok || len(name) > MaxName {
		return c, false
	}
	if line >= 0 && character >= 0 {
		c.At = &script.Position{Line: line, Character: character}
	}
	c.Name, c.Arguments = string(name), jsontext.Value(args)
	return c, c.Arguments.IsValid() && c.Arguments.Kind() == '{'
}

// WithJSON encodes a value behind its length.
func WithJSON(v any) ([]byte, error) {
	// A compile error quotes the author's line, whatever bytes are in it.
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode a frame: %w", err)
	}
	return append(Word(len(b)), b...), nil
}
