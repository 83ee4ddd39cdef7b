package seen

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
)

// Bounds of what a Shape keeps.
const (
	maxDepth  = 10
	maxFields = 128   // of one object; more are a map
	maxNodes  = 1_200 // of a whole shape
	maxKinds  = 8     // of objects that a property distinguishes
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
	JSON    *Shape            `json:"json,omitzero"`   // of strings that are JSON texts
	Items   *Shape            `json:"items,omitzero"`  // of arrays; nil while all were empty
	Fields  map[string]*Field `json:"fields,omitzero"` // of objects
	Values  *Shape            `json:"values,omitzero"` // of maps; Fields is then empty
	// Tag is the property whose value distinguishes several kinds of objects, and Kinds
	// are these by that value: the name of a kind, such as "file" and "directory", or
	// true and false. Fields and Values are then empty.
	Tag   string            `json:"tag,omitzero"`
	Kinds map[string]*Shape `json:"kinds,omitzero"`

	// While a value is read: what an object's own tag says.
	tag, kind string
}

// A Field is a property that was seen.
type Field struct {
	*Shape
	Optional bool `json:"optional,omitzero"` // some objects lacked it
}

// text is the shape as it is kept, for comparing.
func (s *Shape) text() string {
	b, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		return err.Error() // names are ASCII, so it always encodes
	}
	return string(b)
}

// inner are the shapes directly inside of this one.
func (s *Shape) inner() []*Shape {
	var all []*Shape
	for _, x := range []*Shape{s.JSON, s.Items, s.Values} {
		if x != nil {
			all = append(all, x)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
		all = append(all, s.Fields[name].Shape)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Kinds)) {
		all = append(all, s.Kinds[name])
	}
	return all
}

func (s *Shape) nodes() int {
	n := 1
	for _, x := range s.inner() {
		n += x.nodes()
	}
	return n
}

// becomeMap forgets the names of an object's properties.
func (s *Shape) becomeMap() {
	s.flatten()
	if s.Values == nil {
		s.Values = &Shape{}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
		s.Values.merge(s.Fields[name].Shape)
	}
	s.Fields = nil
}

// flatten makes one kind of object of several.
func (s *Shape) flatten() {
	kinds := s.Kinds
	s.Tag, s.Kinds, s.tag, s.kind = "", nil, "", ""
	first := true
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[name]
		if first {
			s.Fields, s.Values, first = k.Fields, k.Values, false
			continue
		}
		s.mergeFields(k)
	}
}

// merge widens s by what other has seen. other belongs to s afterwards.
func (s *Shape) merge(other *Shape) {
	if s.Unknown || other.Unknown {
		*s = Shape{Unknown: true}
		return
	}
	s.Null, s.Boolean, s.Number = s.Null || other.Null, s.Boolean || other.Boolean, s.Number || other.Number
	s.String, s.Array = s.String || other.String, s.Array || other.Array
	s.JSON, s.Items = merged(s.JSON, other.JSON), merged(s.Items, other.Items)
	switch {
	case !other.Object:
	case !s.Object:
		s.Object, s.Fields, s.Values, s.Tag, s.Kinds = true, other.Fields, other.Values, other.Tag, other.Kinds
		s.tag, s.kind = other.tag, other.kind
	default:
		s.mergeObject(other)
	}
}

func merged(a, b *Shape) *Shape {
	switch {
	case a == nil:
		return b
	case b != nil:
		a.merge(b)
	}
	return a
}

// mergeObject keeps kinds of objects apart where a property says which is which.
func (s *Shape) mergeObject(other *Shape) {
	mine, tag := s.kinds()
	theirs, otherTag := other.kinds()
	if tag == "" || tag != otherTag {
		s.flatten()
		other.flatten()
		s.mergeFields(other)
		return
	}
	if len(mine) == 1 && s.Kinds == nil && other.Kinds == nil && s.kind == other.kind {
		s.mergeFields(other)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if mine[name] == nil {
			mine[name] = theirs[name]
			continue
		}
		mine[name].mergeFields(theirs[name])
	}
	s.Tag, s.Kinds, s.Fields, s.Values, s.tag, s.kind = tag, mine, nil, nil, "", ""
	if len(mine) > maxKinds {
		s.flatten()
	}
}

// kinds are the kinds of objects by their tag's value; "" when no tag is known.
func (s *Shape) kinds() (map[string]*Shape, string) {
	switch {
	case s.Kinds != nil:
		return s.Kinds, s.Tag
	case s.tag != "":
		return map[string]*Shape{s.kind: {Object: true, Fields: s.Fields, Values: s.Values}}, s.tag
	}
	return nil, ""
}

// mergeFields merges objects of one kind.
func (s *Shape) mergeFields(other *Shape) {
	if s.Values != nil || other.Values != nil || differByName(s, other) {
		s.becomeMap()
		other.becomeMap()
		s.Values.merge(other.Values)
		return
	}
	for name, f := range s.Fields {
		if other.Fields[name] == nil {
			f.Optional = true
		}
	}
	for name, f := range other.Fields {
		mine := s.Fields[name]
		if mine == nil {
			if s.Fields == nil {
				s.Fields = map[string]*Field{}
			}
			f.Optional = true
			s.Fields[name] = f
			continue
		}
		mine.Optional = mine.Optional || f.Optional
		mine.merge(f.Shape)
	}
	if len(s.Fields) > maxFields || s.isMapByShape() {
		s.becomeMap()
	}
}

// isMapByShape recognizes objects whose properties are all objects of one shape, such
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
		case !sameNames(first, f.Shape):
			return false
		}
	}
	return true
}

func sameNames(a, b *Shape) bool {
	return slices.Equal(slices.Sorted(maps.Keys(a.Fields)), slices.Sorted(maps.Keys(b.Fields)))
}

// differByName recognizes objects of the same simple shape that have no name in common,
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
			if !f.sameScalars(kind) {
				return false
			}
		}
	}
	return true
}

func (s *Shape) sameScalars(other *Shape) bool {
	return s.Null == other.Null && s.Boolean == other.Boolean && s.Number == other.Number && s.String == other.String
}

// settle makes one kind of object of those that do not differ, and forgets what
// an object's own tag said.
func (s *Shape) settle() {
	s.tag, s.kind = "", ""
	for _, x := range s.inner() {
		x.settle()
	}
	if s.Kinds == nil {
		return
	}
	var first *Shape
	for _, k := range s.Kinds {
		if first == nil {
			first = k
		} else if k.Values != nil || first.Values != nil || !sameNames(first, k) {
			return
		}
	}
	s.flatten()
}

// prune makes the deepest parts unknown until a shape is small enough.
func (s *Shape) prune() {
	for depth := maxDepth - 1; depth > 0 && s.nodes() > maxNodes; depth-- {
		s.cut(depth)
	}
	if s.nodes() > maxNodes {
		*s = Shape{Unknown: true}
	}
}

func (s *Shape) cut(depth int) {
	if depth == 0 {
		if s.Object || s.Array || s.JSON != nil {
			*s = Shape{Unknown: true}
		}
		return
	}
	for _, x := range s.inner() {
		x.cut(depth - 1)
	}
}

// Clean makes a shape that was read from a file one that Observe could have
// made: within the bounds, and without names that look like data.
func (s *Shape) Clean() {
	s.clean(0)
	s.settle()
	s.prune()
}

func (s *Shape) clean(depth int) {
	if depth > maxDepth || s.Unknown {
		*s = Shape{Unknown: true}
		return
	}
	for name, f := range s.Fields {
		if f == nil || f.Shape == nil {
			delete(s.Fields, name)
		}
	}
	for kind, k := range s.Kinds {
		if k == nil || k.Kinds != nil || !k.Object || !isKind(kind) {
			s.Tag, s.Kinds, s.Values = "", nil, &Shape{Unknown: true}
			break
		}
	}
	if s.Kinds != nil && (len(s.Kinds) > maxKinds || !isTag(s.Tag) || s.Fields != nil || s.Values != nil) {
		s.flatten()
	}
	for _, x := range s.inner() {
		x.clean(depth + 1)
	}
	for name := range s.Fields {
		if !looksLikeName(name) {
			s.becomeMap()
			break
		}
	}
	if len(s.Fields) > maxFields || s.Values != nil && s.Fields != nil {
		s.becomeMap()
	}
}
