package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

const (
	// maxFileBytes bounds a configuration file: a workspace's is untrusted.
	maxFileBytes = 4 << 20
	// maxDepth bounds nesting, because the parser recurses.
	maxDepth = 64
)

// document is one JSON text with comments, and where to report what is wrong
// with it.
type document struct {
	file     string // absolute path, or "" for editor settings
	what     string // for messages: the path, or "the editor's settings"
	text     []byte
	root     *hujson.Value
	findings *[]Finding
	entries  *[]Entry // of servers, for an editor; nil when nobody looks
	reported int      // how many were
	last     place    // where position was asked for last
	// within are the paths of objects of servers: a file with a fault of syntax is read
	// as far as they can be. nil: such a file is not read at all.
	within [][]string
	// partial says that there is such a fault.
	partial bool
}

// errNoFile is that of a file which does not exist: not a fault of most
// configuration files.
var errNoFile = errors.New("no such file")

// readFile reads a configuration file. Anything but a regular file of a
// sensible size is refused: opening a pipe would hang, reading a device never
// end.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, errNoFile
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > maxFileBytes:
		return nil, fmt.Errorf("larger than %d bytes", maxFileBytes)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		err = fmt.Errorf("larger than %d bytes", maxFileBytes)
	}
	return text, err
}

// parse reads d.text. It reports what is wrong and returns the root object, or
// nil.
func (d *document) parse() *hujson.Object {
	// Offsets stay right: the mark is replaced by white space.
	if rest, ok := bytes.CutPrefix(d.text, []byte("\ufeff")); ok {
		d.text = append([]byte("   "), rest...)
	}
	if len(bytes.TrimSpace(d.text)) == 0 {
		return nil
	}
	if at := tooDeep(d.text); at >= 0 {
		d.report(at, at+1, "error", "syntax", fmt.Sprintf("nested deeper than %d levels", maxDepth))
		return nil
	}
	root, err := hujson.Parse(d.text)
	if err != nil && !bytes.HasSuffix(d.text, []byte("\n")) { // a comment is ended by the end of the file, too
		if again, ok := hujson.Parse(append(bytes.Clone(d.text), '\n')); ok == nil {
			root, err = again, nil
		}
	}
	if err != nil {
		at, message := d.syntaxError(err)
		var parts *hujson.Value
		if len(d.within) > 0 {
			parts = readableParts(d.text, at, d.within)
		}
		if parts == nil {
			d.report(at, at+1, "error", "syntax", message)
			return nil
		}
		d.report(at, at+1, "error", "syntax", message+"; only what is complete before this place is used")
		root, d.partial = *parts, true
	}
	d.root = &root
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		if lit, isLit := root.Value.(hujson.Literal); isLit && string(lit) == "null" {
			return nil
		}
		d.reportValue(&root, "error", "wrong-type", "expected an object")
		return nil
	}
	return object
}

// tooDeep is the offset of the first bracket that is nested too deep, or -1.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			// Brackets in comments do not nest.
			end := -1
			if bytes.HasPrefix(text[i:], []byte("//")) {
				end = bytes.IndexByte(text[i:], '\n')
			} else if bytes.HasPrefix(text[i:], []byte("/*")) {
				if end = bytes.Index(text[i+2:], []byte("*/")); end >= 0 {
					end += 3
				}
			} else {
				continue
			}
			if end < 0 {
				return -1
			}
			i += end
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

var syntaxPosition = regexp.MustCompile(`^hujson: line (\d+), column (\d+): (?s:(.*))$`)

// syntaxError takes the place out of a parser's message.
func (d *document) syntaxError(err error) (offset int, message string) {
	m := syntaxPosition.FindStringSubmatch(err.Error())
	if m == nil {
		return 0, err.Error()
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	for ; line > 1; line-- {
		next := bytes.IndexByte(d.text[offset:], '\n')
		if next < 0 {
			break
		}
		offset += next + 1
	}
	return min(offset+column-1, len(d.text)), strings.ReplaceAll(m[3], "unexpected EOF", "unexpected end of the file")
}

// position is the 0-based line and UTF-16 column of an offset. Lines end as in
// LSP: \n, \r\n or \r. Offsets that grow are found without beginning again.
func (d *document) position(offset int) (line, column int) {
	offset = min(offset, len(d.text))
	if offset < d.last.offset {
		d.last = place{}
	}
	at := d.last
	for at.offset < offset {
		r, size := utf8.DecodeRune(d.text[at.offset:])
		if at.offset+size > offset {
			break
		}
		switch {
		case r == '\n', r == '\r' && (at.offset+1 == len(d.text) || d.text[at.offset+1] != '\n'):
			at.line, at.column = at.line+1, 0
		case r > 0xffff:
			at.column += 2
		default:
			at.column++
		}
		at.offset += size
	}
	d.last = at
	return at.line, at.column
}

type place struct{ offset, line, column int }

// maxFindings bounds what is said of one file.
const maxFindings = 200

func (d *document) report(start, end int, severity, code, message string) {
	d.add(d.finding(start, end, severity, code, message))
}

func (d *document) add(f Finding) {
	if d.reported++; d.reported <= maxFindings {
		*d.findings = append(*d.findings, f)
	}
}

func (d *document) finding(start, end int, severity, code, message string) Finding {
	f := Finding{File: d.file, Severity: severity, Code: code, Message: message}
	f.StartLine, f.StartColumn = d.position(start)
	f.EndLine, f.EndColumn = d.position(end)
	if d.file == "" {
		f.Message = d.what + ": " + message
	}
	return f
}

func (d *document) reportValue(v *hujson.Value, severity, code, message string) {
	d.report(v.StartOffset, v.EndOffset, severity, code, message)
}

// key is a member's name.
func key(m *hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// text is a string's value.
func text(v *hujson.Value) (string, bool) {
	lit, ok := v.Value.(hujson.Literal)
	if !ok || lit.Kind() != '"' {
		return "", false
	}
	return lit.String(), true
}

// describe names a value's type for messages.
func describe(v *hujson.Value) string {
	switch v.Value.Kind() {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "null"
}
