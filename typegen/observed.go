package typegen

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what a Shape keeps and of how much of a value is looked at.
const (
	maxShapeDepth  = 8
	maxShapeFields = 48     // of one object; more are a map
	maxShapeNodes  = 400    // of a whole shape
	maxShapeValues = 20_000 // parts of one value
	maxShapeName   = 40     // bytes of a property's name
	// sameShapes is how many properties of one and the same shape, no two of which
	// are alike by chance, make an object a map.
	sameShapes = 4
	// fewNames is up to how many properties two objects may have none in common by
	// chance, though both are as their author made them.
	fewNames = 2
)

// A Shape is what JSON values looked like at one place: kinds and names of
// properties, never a value. It only ever becomes wider. Names that look like
// data are not kept: their object is a map.
type Shape struct {
	Null    bool `json:"null,omitzero"`
	Boolean bool `json:"boolean,omitzero"`
	Number  bool `json:"number,omitzero"`
	String  bool `json:"string,omitzero"`
	Array   bool `json:"array,omitzero"`
	Object  bool `json:"object,omitzero"`
	// Unknown: more was there than a shape keeps.
	Unknown bool              `json:"unknown,omitzero"`
	Items   *Shape            `json:"items,omitzero"`  // of arrays; nil while all were empty
	Fields  map[string]*Field `json:"fields,omitzero"` // of objects
	Values  *Shape            `json:"values,omitzero"` // of maps; Fields is then empty
}

// A Field is a property that was seen.
type Field struct {
	*Shape
	Optional bool `json:"optional,omitzero"` // some objects lacked it
}

// Observe widens the shape by a value, and tells whether it became wider. What
// is no JSON changes nothing.
func (s *Shape) Observe(value jsontext.Value) (wider bool) {
	o := observer{decoder: jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	seen := &Shape{}
	if o.value(seen, 0) != nil {
		return false
	}
	if _, err := o.decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return false
	}
	wider = s.merge(seen)
	if wider && s.nodes() > maxShapeNodes {
		s.prune()
	}
	return wider
}

// Schema is the shape as JSON Schema.
func (s *Shape) Schema() jsontext.Value {
	v, err := json.Marshal(s.schema(), json.Deterministic(true))
	if err != nil {
		return jsontext.Value(`{}`) // names are ASCII, so it always encodes
	}
	return v
}

func (s *Shape) schema() map[string]any {
	if s.Unknown {
		return map[string]any{}
	}
	types := []string{}
	out := map[string]any{}
	for _, k := range []struct {
		seen bool
		name string
	}{{s.Object, "object"}, {s.Array, "array"}, {s.String, "string"}, {s.Number, "number"}, {s.Boolean, "boolean"}, {s.Null, "null"}} {
		if k.seen {
			types = append(types, k.name)
		}
	}
	if len(types) > 0 {
		out["type"] = types
	}
	if s.Items != nil {
		out["items"] = s.Items.schema()
	}
	switch {
	case s.Values != nil:
		out["additionalProperties"] = s.Values.schema()
	case len(s.Fields) > 0:
		properties, required := map[string]any{}, []string{}
		for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
			properties[name] = s.Fields[name].schema()
			if !s.Fields[name].Optional {
				required = append(required, name)
			}
		}
		out["properties"], out["required"] = properties, required
	}
	return out
}

// An observer reads one value.
type observer struct {
	decoder *jsontext.Decoder
	values  int
}

// value reads the next value into a shape that has not seen anything.
func (o *observer) value(s *Shape, depth int) error {
	o.values++
	kind := o.decoder.PeekKind()
	if depth > maxShapeDepth || o.values > maxShapeValues {
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
	switch token.Kind() {
	case '"':
		s.String = true
	case '0':
		s.Number = true
	case 't', 'f':
		s.Boolean = true
	case 'n':
		s.Null = true
	}
	return nil
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
		if s.Items == nil {
			s.Items = element
			continue
		}
		s.Items.merge(element)
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
		field := &Shape{}
		if err := o.value(field, depth+1); err != nil {
			return err
		}
		if s.Values == nil && !looksLikeName(name) {
			s.becomeMap()
		}
		if s.Values != nil {
			s.Values.merge(field)
			continue
		}
		if old := s.Fields[name]; old != nil {
			old.merge(field)
			continue
		}
		if s.Fields == nil {
			s.Fields = map[string]*Field{}
		}
		s.Fields[name] = &Field{Shape: field}
		if len(s.Fields) > maxShapeFields {
			s.becomeMap()
		}
	}
	if s.isMapByShape() {
		s.becomeMap()
	}
	_, err := o.decoder.ReadToken()
	return err
}

// isMapByShape tells objects whose properties are all objects of one shape, such
// as people by name.
func (s *Shape) isMapByShape() bool {
	if len(s.Fields) < sameShapes {
		return false
	}
	var first *Shape
	for _, f := range s.Fields {
		switch {
		case !f.Object || len(f.Fields) == 0:
			return false
		case first == nil:
			first = f.Shape
		case !slices.Equal(slices.Sorted(maps.Keys(first.Fields)), slices.Sorted(maps.Keys(f.Fields))):
			return false
		}
	}
	return true
}

// differByName tells objects of the same simple shape that have no name in common,
// such as counts by word: another result, other names.
func differByName(a, b *Shape) bool {
	if len(a.Fields) < fewNames || len(b.Fields) < fewNames {
		return false
	}
	var kind *Shape
	for i, s := range []*Shape{a, b} {
		for name, f := range s.Fields {
			if f.Object || f.Array || f.Unknown || i == 1 && a.Fields[name] != nil {
				return false
			}
			if kind == nil {
				kind = f.Shape
			}
			if f.Null != kind.Null || f.Boolean != kind.Boolean || f.Number != kind.Number || f.String != kind.String {
				return false
			}
		}
	}
	return true
}

// becomeMap forgets the names of an object's properties.
func (s *Shape) becomeMap() {
	if s.Values == nil {
		s.Values = &Shape{}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
		s.Values.merge(s.Fields[name].Shape)
	}
	s.Fields = nil
}

// merge widens s by what other has seen. other belongs to s afterwards.
func (s *Shape) merge(other *Shape) (wider bool) {
	if s.Unknown {
		return false
	}
	if other.Unknown {
		*s = Shape{Unknown: true}
		return true
	}
	for _, k := range []struct {
		mine  *bool
		other bool
	}{{&s.Null, other.Null}, {&s.Boolean, other.Boolean}, {&s.Number, other.Number}, {&s.String, other.String}, {&s.Array, other.Array}} {
		if k.other && !*k.mine {
			*k.mine, wider = true, true
		}
	}
	switch {
	case other.Items == nil:
	case s.Items == nil:
		s.Items, wider = other.Items, true
	default:
		wider = s.Items.merge(other.Items) || wider
	}
	if !other.Object {
		return wider
	}
	if !s.Object {
		s.Object, s.Fields, s.Values = true, other.Fields, other.Values
		return true
	}
	return s.mergeObject(other) || wider
}

func (s *Shape) mergeObject(other *Shape) (wider bool) {
	if s.Values != nil || other.Values != nil || differByName(s, other) {
		if s.Values == nil {
			s.becomeMap()
			wider = true
		}
		other.becomeMap()
		return s.Values.merge(other.Values) || wider
	}
	for name, f := range s.Fields {
		if other.Fields[name] == nil && !f.Optional {
			f.Optional, wider = true, true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(other.Fields)) {
		f := other.Fields[name]
		mine := s.Fields[name]
		if mine == nil {
			if s.Fields == nil {
				s.Fields = map[string]*Field{}
			}
			f.Optional = true
			s.Fields[name], wider = f, true
			continue
		}
		if f.Optional && !mine.Optional {
			mine.Optional, wider = true, true
		}
		wider = mine.merge(f.Shape) || wider
	}
	if len(s.Fields) > maxShapeFields || s.isMapByShape() {
		s.becomeMap()
		wider = true
	}
	return wider
}

func (s *Shape) nodes() int {
	n := 1
	for _, inner := range []*Shape{s.Items, s.Values} {
		if inner != nil {
			n += inner.nodes()
		}
	}
	for _, f := range s.Fields {
		n += f.nodes()
	}
	return n
}

// prune makes the deepest parts unknown until a shape is small enough.
func (s *Shape) prune() {
	for depth := maxShapeDepth - 1; depth > 0 && s.nodes() > maxShapeNodes; depth-- {
		s.cut(depth)
	}
}

func (s *Shape) cut(depth int) {
	if depth == 0 {
		if s.Object || s.Array {
			*s = Shape{Unknown: true}
		}
		return
	}
	for _, inner := range []*Shape{s.Items, s.Values} {
		if inner != nil {
			inner.cut(depth - 1)
		}
	}
	for _, f := range s.Fields {
		f.cut(depth - 1)
	}
}

// Clean makes a shape that was read from a file one that Observe could have
// made: within the bounds, and without names that look like data.
func (s *Shape) Clean() {
	s.clean(0)
	if s.nodes() > maxShapeNodes {
		s.prune()
	}
}

func (s *Shape) clean(depth int) {
	if depth > maxShapeDepth || s.Unknown {
		*s = Shape{Unknown: true}
		return
	}
	if s.Items != nil {
		s.Items.clean(depth + 1)
	}
	for name, f := range s.Fields {
		if f == nil || f.Shape == nil {
			delete(s.Fields, name)
			continue
		}
		f.clean(depth + 1)
		if !looksLikeName(name) {
			s.becomeMap()
			break
		}
	}
	if len(s.Fields) > maxShapeFields || s.Values != nil && s.Fields != nil {
		s.becomeMap()
	}
	if s.Values != nil {
		s.Values.clean(depth + 1)
	}
}

// ObservedName is the name of the type of what was seen of a tool.
func ObservedName(tool string) string { return "Observed_" + mangle(tool) }

// DeclareObserved declares the type of what was seen of a tool's results, with
// how a script uses it. fromText says that results were texts, to be parsed.
func DeclareObserved(tool string, schema jsontext.Value, fromText bool) string {
	typ, _ := Type(schema, Options{Direction: Output})
	name := ObservedName(tool)
	use := "(await " + CallForm(tool) + "({ … })) as " + name
	if fromText {
		use = "JSON.parse(String(await " + CallForm(tool) + "({ … }))) as " + name
	}
	var b strings.Builder
	b.WriteString("\n")
	b.Write(appendComment(nil, "Seen in results of "+CallForm(tool)+", not declared by its server: other results may differ.\n\nUse: "+use, 0))
	b.WriteString("type " + name + " = " + typ + ";\n")
	return b.String()
}
