package upstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// The reading of messages as bytes. Nothing here decodes or recurses, so that a
// message that no decoder takes, because of its depth or its size, still has an id
// whose call can be failed at once.

// maxNoted is how much of a message's method, id and member names is kept.
const maxNoted = 256

// span is a place in a message; its end is 0 while it is open.
type span struct{ start, end int }

func (s span) of(b []byte) []byte {
	if s.end <= s.start || s.end > len(b) {
		return nil
	}
	return b[s.start:s.end]
}

// outline reads a message piece by piece and keeps where its members are. It
// keeps the id and the method themselves, because the message may be too long to
// be kept.
type outline struct {
	size      int // bytes so far
	depth     int
	inString  bool
	escaped   bool
	batch     bool // it is an array
	broken    bool // its brackets do not match
	isKey     bool // the string that is being read is a member's name
	afterKey  bool // a member's value comes next, or is being read
	started   bool // that value has started
	key       []byte
	id        []byte
	method    []byte
	result    span
	fault     span
	params    span
	hasID     bool
	hasMethod bool
}

func (o *outline) reset() { *o = outline{key: o.key[:0], id: o.id[:0], method: o.method[:0]} }

// value is where the value of the present key is put, if it is of interest.
func (o *outline) value() *span {
	switch string(o.key) {
	case "result":
		return &o.result
	case "error":
		return &o.fault
	case "params":
		return &o.params
	}
	return nil
}

// begin notes that the value of a member starts at an offset.
func (o *outline) begin(at int) {
	if o.started {
		return
	}
	o.started = true
	if s := o.value(); s != nil {
		*s = span{start: at}
	}
	switch string(o.key) {
	case "id":
		o.hasID, o.id = true, o.id[:0]
	case "method":
		o.hasMethod, o.method = true, o.method[:0]
	}
}

// finish notes that the value of a member has ended before an offset.
func (o *outline) finish(at int) {
	if s := o.value(); s != nil && o.started {
		s.end = at
	}
	o.afterKey, o.started, o.key = false, false, o.key[:0]
}

// keep adds a byte to what is kept of the present member.
func (o *outline) keep(c byte) {
	var to *[]byte
	switch {
	case o.isKey:
		to = &o.key
	case !o.afterKey || o.depth != 1:
		return
	case string(o.key) == "id":
		to = &o.id
	case string(o.key) == "method":
		to = &o.method
	default:
		return
	}
	if len(*to) < maxNoted {
		*to = append(*to, c)
	}
}

// read takes the next piece of the message.
func (o *outline) read(p []byte) {
	for i := 0; i < len(p); i++ {
		c := p[i]
		if o.inString {
			switch {
			case o.escaped:
				o.escaped = false
			case c == '\\':
				o.escaped = true
			case c == '"':
				o.inString = false
				if o.isKey {
					o.isKey = false
					continue
				}
			case o.depth > 1 || !o.isKey && o.value() != nil:
				// Inside a long value nothing counts before the next quote or escape.
				for i+1 < len(p) && p[i+1] != '"' && p[i+1] != '\\' {
					i++
				}
				continue
			}
			o.keep(c)
			continue
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '"':
			o.inString = true
			if o.depth == 1 && !o.batch && !o.afterKey {
				o.isKey, o.key = true, o.key[:0]
				continue
			}
			if o.depth == 1 {
				o.begin(o.size + i)
			}
		case '{', '[':
			if o.depth == 0 {
				o.batch = c == '['
			} else if o.depth == 1 {
				o.begin(o.size + i)
			}
			o.depth++
			continue
		case '}', ']':
			if o.depth == 1 {
				o.finish(o.size + i)
			}
			o.depth--
			if o.depth < 0 {
				o.broken = true
			}
			continue
		case ',':
			if o.depth == 1 {
				o.finish(o.size + i)
				continue
			}
		case ':':
			if o.depth == 1 && !o.afterKey {
				o.afterKey = true
				continue
			}
		default:
			if o.depth == 1 {
				o.begin(o.size + i)
			}
		}
		o.keep(c)
	}
	o.size += len(p)
}

// number is the id as the number that all our requests have. A server that sends
// it back as a string, or with a fraction of zero, means the same.
func (o *outline) number() (int64, bool) {
	text := string(o.id)
	if unquoted, err := strconv.Unquote(text); err == nil {
		text = unquoted
	}
	f, err := strconv.ParseFloat(text, 64)
	return int64(f), err == nil && f == float64(int64(f))
}

// methodName is the method, which is no method unless it is a string.
func (o *outline) methodName() string {
	if len(o.method) < 2 || o.method[0] != '"' {
		return ""
	}
	if o.method[len(o.method)-1] != '"' {
		return string(o.method[1:])
	}
	return stringOf(o.method)
}

// parts are the values of an array or the members of an object, as they are in
// the bytes. Nothing of them is checked.
func parts(v []byte) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		v = bytes.TrimSpace(v)
		if len(v) < 2 || v[0] != '{' && v[0] != '[' {
			return
		}
		object := v[0] == '{'
		for i := 1; i < len(v); {
			i = skipSpace(v, i)
			var key []byte
			if object {
				end := skipValue(v, i)
				key = keyOf(v[i:end])
				if i = skipSpace(v, end); i >= len(v) || v[i] != ':' {
					return
				}
				i = skipSpace(v, i+1)
			}
			end := skipValue(v, i)
			if end <= i {
				return
			}
			if !yield(key, jsontext.Value(bytes.TrimRight(v[i:end:end], " \t\r\n"))) {
				return
			}
			if i = skipSpace(v, end); i >= len(v) || v[i] != ',' {
				return
			}
			i++
		}
	}
}

// keyOf is a member's name, nothing for one that is too long to be of interest.
func keyOf(quoted []byte) []byte {
	if len(quoted) < 2 || quoted[0] != '"' || len(quoted) > maxNoted {
		return nil
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	return []byte(stringOf(quoted))
}

func skipSpace(v []byte, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\t' || v[i] == '\r' || v[i] == '\n') {
		i++
	}
	return i
}

// skipValue is the end of the value that starts at i.
func skipValue(v []byte, i int) int {
	depth := 0
	for ; i < len(v); i++ {
		switch v[i] {
		case '"':
			if i = skipString(v, i); depth == 0 {
				return min(i+1, len(v))
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // of what is around it
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':':
			if depth == 0 {
				return i
			}
		}
	}
	return len(v)
}

// skipString is the place of the quote that ends the string that starts at i.
func skipString(v []byte, i int) int {
	for i++; i < len(v); i++ {
		switch v[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(v)
}

// unreadable says why a value is not JSON, nil when it is. Depth counts: what a
// decoder here does not take, none of those behind it takes either.
func unreadable(v []byte) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := d.SkipValue(); err != nil {
		if syntactic := (*jsontext.SyntacticError)(nil); errors.As(err, &syntactic) {
			return fmt.Errorf("%w at byte %d", syntactic.Err, syntactic.ByteOffset)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("it ends in the middle")
		}
		return err
	}
	if d.PeekKind() != 0 {
		return errors.New("something follows its end")
	}
	return nil
}
