package script

// A Literal is a value as it is written in a text, with its place there. Offsets
// are in bytes.
type Literal struct {
	// Kind is "object", "array", "string", or "" for what is no literal or has
	// nothing in it.
	Kind       string
	Start, End int
	Fields     []LiteralField // of an object, in order
	Elements   []Literal      // of an array, in order
	// Open says that there is more than can be seen: a spread, a computed name, or
	// a bracket that is not closed.
	Open bool
	// Comma says that what is between the brackets ends with one.
	Comma bool
}

// A LiteralField is a field of an object.
type LiteralField struct {
	Name       string
	Start, End int     // of the name as written, with quotes
	Value      Literal // of no kind for { name } and for methods
}

// ReadLiteral reads the value that begins at an offset.
func (src *Source) LiteralAt(offset int) Literal {
	s := src.scan()
	i := s.at(offset)
	if i >= len(s.tokens) {
		return Literal{Start: offset, End: offset}
	}
	return s.literal(extent{i, s.endOf(i, true)}, 0)
}

// maxLiteralDepth is how deep values are read; nobody writes deeper ones by hand.
const maxLiteralDepth = 32

func (s *scan) literal(e extent, depth int) Literal {
	l := Literal{Start: s.tokens[e.from].start, End: s.tokens[max(e.to, e.from+1)-1].end}
	if depth > maxLiteralDepth || s.overBudget() {
		return l
	}
	first := s.tokens[e.from]
	switch {
	case first.kind == tokenString && e.to == e.from+1:
		l.Kind = "string"
	case s.is(e.from, "{") && (first.match < 0 || first.match == e.to-1):
		l.Kind = "object"
		s.fields(&l, e.from, depth)
	case s.is(e.from, "[") && (first.match < 0 || first.match == e.to-1):
		l.Kind = "array"
		s.elements(&l, e.from, depth)
	}
	return l
}

// parts are what stands between the commas of the bracket at open.
func (s *scan) parts(l *Literal, open int) []extent {
	end := s.tokens[open].match
	if end < 0 {
		l.Open, end = true, len(s.tokens)
	}
	var all []extent
	for i := open + 1; i < end && !s.overBudget(); i++ {
		to := s.argumentEnd(i, end)
		if to > i {
			all = append(all, extent{i, to})
		}
		i = to
	}
	l.Comma = end > open+1 && s.is(end-1, ",")
	return all
}

func (s *scan) elements(l *Literal, open, depth int) {
	for _, e := range s.parts(l, open) {
		if s.is(e.from, "...") {
			l.Open = true
			continue
		}
		l.Elements = append(l.Elements, s.literal(e, depth+1))
	}
}

func (s *scan) fields(l *Literal, open, depth int) {
	for _, e := range s.parts(l, open) {
		key := s.tokens[e.from]
		f := LiteralField{Start: key.start, End: key.end, Value: Literal{Start: key.start, End: key.end}}
		switch {
		case key.kind == tokenString && key.closed:
			f.Name = unescape(s.text[key.start+1 : key.end-1])
		case key.kind == tokenName, key.kind == tokenNumber:
			f.Name = unescapeName(s.string(e.from))
		default: // ...more, [computed]
			l.Open = true
			continue
		}
		if s.is(e.from+1, ":") && e.to > e.from+2 {
			f.Value = s.literal(extent{e.from + 2, e.to}, depth+1)
		}
		l.Fields = append(l.Fields, f)
	}
}
