package seen

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of how much of a value is looked at.
const (
	maxParts   = 20_000  // of one value; what is behind them is unknown
	maxStrings = 100_000 // that names are compared with
)

// A Result is what one call resolved to.
type Result struct {
	Structured jsontext.Value // nil: the result is Text
	Text       string
	HasText    bool // without any, the result is null
	// Arguments of the call: what occurs in them is data.
	Arguments jsontext.Value
	// About are texts of the tool's author: its name, description and input schema.
	// Names that are made of their words are names.
	About []string
}

// Of is the result that a script got as value.
func Of(value jsontext.Value) Result {
	switch value.Kind() {
	case 'n', 0:
		return Result{}
	case '"':
		text, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return Result{}
		}
		return Result{Text: string(text), HasText: true}
	}
	return Result{Structured: value}
}

// Add widens the shape by another one.
func (s *Shape) Add(other *Shape) {
	s.merge(other)
	s.settle()
	s.prune()
}

// Observe widens the shape by a result, and reports whether it became wider. What
// is no JSON changes nothing.
func (s *Shape) Observe(r Result) (wider bool) {
	o := observer{values: map[string]bool{}, words: map[string]bool{}}
	for _, text := range r.About {
		o.learn(text)
	}
	o.collect(r.Arguments)
	now := &Shape{}
	switch {
	case r.Structured != nil:
		o.collect(r.Structured)
		if !o.whole(now, r.Structured, 0) {
			return false
		}
	case r.HasText:
		o.collect(jsontext.Value(r.Text))
		o.text(now, r.Text, 0)
	default:
		now.Null = true
	}
	before := s.text()
	s.merge(now)
	o.forget(s)
	s.settle()
	s.prune()
	return s.text() != before
}

// An observer reads one result.
type observer struct {
	decoder *jsontext.Decoder
	parts   int
	values  map[string]bool // strings in the result and its arguments that might be names
	words   map[string]bool // of the tool's author
}

func newDecoder(value []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// collect notes the strings of a value that could be taken for names.
func (o *observer) collect(value jsontext.Value) {
	d := newDecoder(value)
	for len(o.values) < maxStrings {
		token, err := d.ReadToken()
		if err != nil {
			return
		}
		if token.Kind() != '"' {
			continue
		}
		if kind, n := d.StackIndex(d.StackDepth()); kind == '{' && n%2 == 1 {
			continue // a name
		}
		text := token.String()
		if looksLikeName(text) {
			o.values[text] = true
		} else if isJSON(text) {
			o.collect(jsontext.Value(text))
		}
	}
}

// isJSON reports whether a text begins as a JSON object or array does.
func isJSON(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return text != "" && (text[0] == '{' || text[0] == '[')
}

// whole reads a value that has nothing behind it.
func (o *observer) whole(s *Shape, value jsontext.Value, depth int) bool {
	outer := o.decoder
	defer func() { o.decoder = outer }()
	o.decoder = newDecoder(value)
	if o.value(s, depth) != nil {
		return false
	}
	_, err := o.decoder.ReadToken()
	return errors.Is(err, io.EOF)
}

// text is a string, which may be JSON itself.
func (o *observer) text(s *Shape, text string, depth int) {
	s.String = true
	if depth > maxDepth || !isJSON(text) {
		return
	}
	if inner := (&Shape{}); o.whole(inner, jsontext.Value(text), depth) {
		s.JSON = inner
	}
}

// value reads the next value into a shape that has not seen anything.
func (o *observer) value(s *Shape, depth int) error {
	o.parts++
	kind := o.decoder.PeekKind()
	if depth > maxDepth || o.parts > maxParts {
		s.Unknown = true
		return o.decoder.SkipValue()
	}
	switch kind {
	case '{':
		return o.object(s, depth)
	case '[':
		return o.array(s, depth)
	}
	token, err := o.decoder.ReadToken()
	if err != nil {
		return err
	}
	o.scalar(s, token, depth)
	return nil
}

func (o *observer) scalar(s *Shape, token jsontext.Token, depth int) {
	switch token.Kind() {
	case '"':
		o.text(s, token.String(), depth+1)
	case '0':
		s.Number = true
	case 't', 'f':
		s.Boolean = true
	case 'n':
		s.Null = true
	}
}

func (o *observer) array(s *Shape, depth int) error {
	s.Array = true
	if _, err := o.decoder.ReadToken(); err != nil {
		return err
	}
	for o.decoder.PeekKind() != ']' {
		element := &Shape{}
		if err := o.value(element, depth+1); err != nil {
			return err
		}
		if o.parts > maxParts && s.Items != nil {
			continue // what was not looked at says nothing of the elements that were
		}
		s.Items = merged(s.Items, element)
	}
	_, err := o.decoder.ReadToken()
	return err
}

func (o *observer) object(s *Shape, depth int) error {
	s.Object = true
	if _, err := o.decoder.ReadToken(); err != nil {
		return err
	}
	for o.decoder.PeekKind() != '}' {
		token, err := o.decoder.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		field, kind := &Shape{}, o.decoder.PeekKind()
		if isTag(name) && (kind == '"' || kind == 't' || kind == 'f') {
			o.parts++
			if token, err = o.decoder.ReadToken(); err != nil {
				return err
			}
			o.scalar(field, token, depth+1)
			if s.tag == "" && s.Values == nil && isKind(token.String()) {
				s.tag, s.kind = name, token.String()
			}
		} else if err := o.value(field, depth+1); err != nil {
			return err
		}
		if s.Values == nil && (!looksLikeName(name) || o.isData(name)) {
			s.becomeMap()
		}
		if s.Values != nil {
			s.Values.merge(field)
			continue
		}
		if old := s.Fields[name]; old != nil {
			s.tag, s.kind = "", ""
			old.merge(field)
			continue
		}
		if s.Fields == nil {
			s.Fields = map[string]*Field{}
		}
		s.Fields[name] = &Field{Shape: field}
		if len(s.Fields) > maxFields {
			s.becomeMap()
		}
	}
	if s.isMapByShape() || o.isMapByWords(s, depth) {
		s.becomeMap()
	}
	_, err := o.decoder.ReadToken()
	return err
}

// isMapByWords recognizes objects whose values are all alike and none of whose names
// has a word of the usual ones or of the tool's author: people, places, branches.
// The one list or object at the top of a result is taken for its author's.
func (o *observer) isMapByWords(s *Shape, depth int) bool {
	if len(s.Fields) == 0 {
		return false
	}
	var first *Shape
	for name, f := range s.Fields {
		if o.isWord(name) {
			return false
		}
		if first == nil {
			first = f.Shape
		}
		if !f.sameScalars(first) || f.Array != first.Array || f.Object != first.Object {
			return false
		}
	}
	return len(s.Fields) > 1 || depth > 0 || !first.Array && !first.Object
}

// isData reports whether a name occurs as a value in the result or its arguments,
// and is not one that programs use everywhere.
func (o *observer) isData(name string) bool { return o.values[name] && !o.isWord(name) }

// forget makes maps of objects that were seen before with names that are values now.
func (o *observer) forget(s *Shape) {
	for name := range s.Fields {
		if o.isData(name) {
			s.becomeMap()
			break
		}
	}
	for _, k := range s.Kinds {
		for name := range k.Fields {
			if o.isData(name) {
				s.becomeMap()
				break
			}
		}
	}
	for _, x := range s.inner() {
		o.forget(x)
	}
}
