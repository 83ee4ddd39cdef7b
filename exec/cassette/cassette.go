package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Version of the format that this package writes and reads.
const Version = 1

// A Cassette is a recorded run.
type Cassette struct {
	Version int    `json:"cassette"`
	Script  string `json:"script,omitzero"` // name of its file, for display
	// Input is what the script was given, absent when it was given nothing (EXEC-18).
	Input jsontext.Value `json:"input,omitzero"`
	Calls []Call         `json:"calls"` // in the order of the script
	// Answered are the indexes of Calls in the order in which the script got
	// their answers, when that is another one than that of Calls.
	Answered []int `json:"answered,omitzero"`
	// Result is how the run ended, what a test expects.
	Result *Result `json:"result,omitzero"`
}

// Status of a recorded call.
type Status string

const (
	Completed Status = "completed" // it has a value
	Failed    Status = "failed"    // it has an error, as the three that follow
	Denied    Status = "denied"
	TimedOut  Status = "timeout"
	// Cancelled is a call that the script's end cut off: it has no answer, and in
	// a replay it never gets one.
	Cancelled Status = "cancelled"
)

// A Call is one call and what the script got for it.
type Call struct {
	// Tool is the full name, mcp__server__tool, or $codemode.member for a member
	// of the reserved namespace.
	Tool        string         `json:"tool"`
	Server      string         `json:"server,omitzero"` // configured name
	Arguments   jsontext.Value `json:"arguments"`
	Status      Status         `json:"status"`
	Value       jsontext.Value `json:"value,omitzero"`
	Error       *Error         `json:"error,omitzero"`
	Attachments []Attachment   `json:"attachments,omitzero"`
}

// Error is what a call was rejected with, or what a run failed with.
type Error struct {
	Name       string         `json:"name,omitzero"` // "" is Error
	Message    string         `json:"message"`
	Code       string         `json:"code,omitzero"`
	Structured jsontext.Value `json:"structuredContent,omitzero"`
}

// Attachment is what a call brought back beside its value: an image, audio, a
// resource or "unknown"; an item of a run's output, which may also be "text".
type Attachment struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitzero"`
	MIMEType string `json:"mimeType,omitzero"`
	Data     string `json:"data,omitzero"` // base64
	URI      string `json:"uri,omitzero"`
	Problem  string `json:"problem,omitzero"` // why it is neither text nor can be shown
}

// Result is how a run ended.
type Result struct {
	Status string         `json:"status"`
	Value  jsontext.Value `json:"value,omitzero"` // absent when the script returned nothing
	Error  *Error         `json:"error,omitzero"`
	Output []Attachment   `json:"output,omitzero"`
}

// faithful keeps values as servers sent them: halves of surrogate pairs, members
// that come twice, numbers that no float64 holds.
var faithful = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true))

// Encode is the cassette as the text of a file. The same run is the same text.
func (c *Cassette) Encode() ([]byte, error) {
	b, err := json.Marshal(c, faithful, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encoding the cassette: %w", err)
	}
	return append(Escape(b), '\n'), nil
}

// Escape writes those characters of a JSON text as \u escapes that a terminal
// obeys or that make a text look other than it is: C1 controls, DEL, marks of
// direction, line separators (TRUST-2). The text means the same. What is no
// UTF-8 becomes U+FFFD.
func Escape(text []byte) []byte {
	if !slices.ContainsFunc(text, func(b byte) bool { return b >= 0x7f }) {
		return text
	}
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == 0x7f || 0x80 <= r && r < 0xa0 || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
		text = text[n:]
	}
	return out
}

// Parse reads the text of a cassette. Its errors say where in the text and what
// to do.
func Parse(text []byte) (*Cassette, error) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("the file is empty, not a cassette; record one with run --record")
	}
	var head struct {
		Version jsontext.Value `json:"cassette"`
	}
	if err := json.Unmarshal(text, &head, faithful); err != nil {
		return nil, broken(text, err)
	}
	switch string(head.Version) {
	case "1":
	case "":
		return nil, errors.New(`not a cassette: it has no member "cassette"; record one with run --record`)
	default:
		return nil, fmt.Errorf(`a cassette of format %s, and this version reads format %d: record it again, or use the version that wrote it`, clip(string(head.Version)), Version)
	}
	c := new(Cassette)
	if err := json.Unmarshal(text, c, faithful, json.RejectUnknownMembers(true)); err != nil {
		return nil, broken(text, err)
	}
	for i := range c.Calls {
		call := &c.Calls[i]
		if err := call.check(); err != nil {
			return nil, fmt.Errorf("calls[%d] (%s): %w", i, clip(call.Tool), err)
		}
		compact(&call.Arguments, &call.Value)
		if call.Error != nil {
			compact(&call.Error.Structured)
		}
	}
	compact(&c.Input)
	if c.Answered != nil {
		if err := permutation(c.Answered, len(c.Calls)); err != nil {
			return nil, err
		}
	}
	if c.Result != nil && c.Result.Status == "" {
		return nil, errors.New(`result has no "status"`)
	}
	if c.Result != nil {
		compact(&c.Result.Value)
	}
	return c, nil
}

// compact takes out the white space that values have in the file alone.
func compact(values ...*jsontext.Value) {
	for _, v := range values {
		if *v != nil {
			_ = v.Compact(faithful) // what is no JSON has been refused
		}
	}
}

func (c *Call) check() error {
	if c.Tool == "" {
		return errors.New(`it has no "tool"`)
	}
	if k := c.Arguments.Kind(); k != '{' {
		return errors.New(`"arguments" is not an object`)
	}
	switch c.Status {
	case Completed:
		if c.Error != nil {
			return errors.New(`a completed call has a "value", no "error"`)
		}
		if c.Value == nil {
			c.Value = jsontext.Value("null")
		}
	case Failed, Denied, TimedOut:
		if c.Error == nil || c.Value != nil {
			return fmt.Errorf(`a call with the status %q has an "error", no "value"`, c.Status)
		}
	case Cancelled:
		if c.Error != nil || c.Value != nil {
			return errors.New(`a cancelled call has neither "value" nor "error"`)
		}
	default:
		return fmt.Errorf(`"status" is %q; it must be completed, failed, denied, timeout or cancelled`, clip(string(c.Status)))
	}
	return nil
}

// permutation checks that every index of n calls is in the list once.
func permutation(list []int, n int) error {
	seen := make([]bool, n)
	for _, i := range list {
		if i < 0 || i >= n || seen[i] {
			return fmt.Errorf(`"answered" must name every call once, by its index from 0 to %d; %d is wrong (without "answered" calls are answered in their order)`, n-1, i)
		}
		seen[i] = true
	}
	if len(list) != n {
		return fmt.Errorf(`"answered" names %d of %d calls; it must name all, or be left out`, len(list), n)
	}
	return nil
}

// broken is an error of the JSON reader in the terms of somebody who edits the
// file.
func broken(text []byte, err error) error {
	at := int64(-1)
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	what := "not JSON that a cassette can be read from"
	switch {
	case errors.As(err, &syntax):
		at = syntax.ByteOffset
		what = "not JSON: " + syntax.Err.Error()
	case errors.As(err, &meaning):
		at = meaning.ByteOffset
		place := strings.TrimPrefix(strings.ReplaceAll(string(meaning.JSONPointer), "/", "."), ".")
		switch {
		case errors.Is(err, json.ErrUnknownName):
			what = fmt.Sprintf("%s is no member of a cassette", clip(place))
		case place == "":
			what = "not a cassette: it is no JSON object"
		default:
			what = fmt.Sprintf("%s is of the wrong type", clip(place))
		}
	}
	if at < 0 || at > int64(len(text)) {
		return errors.New(what)
	}
	before := text[:at]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Errorf("line %d, column %d: %s", line, column, what)
}

// clip makes part of a file fit for one line of a message.
func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	const most = 80
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
