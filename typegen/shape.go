package typegen

// The builder reads a schema as a set of JSON values, in a form that
// TypeScript can say: a union of alternatives. Combining keywords are set
// operations on it (meet for allOf and siblings, concatenation for anyOf,
// subtract for not). Wherever a set cannot be written exactly, it becomes a
// larger one: a type may accept too much, but never refuses a valid value
// (TYPE-4).

// A union is a set of values: all that one of the alternatives has. An empty
// union has none (`never`).
type union []alternative

type alternative struct {
	kind   kind
	text   string // of a literal: its TypeScript form
	base   kind   // of a literal: what it is one of
	array  *arrayType
	object *objectType
	ref    *node // what a reference points to
}

type kind uint8

const (
	kindAny kind = iota // every value: `unknown`
	kindNull
	kindBoolean
	kindNumber
	kindString
	kindArray
	kindObject
	kindLiteral
	kindRef
)

// Shared by all: unions are never changed after they were made.
var (
	anything  = union{{kind: kindAny}}
	primitive = [...]union{
		kindNull:    {{kind: kindNull}},
		kindBoolean: {{kind: kindBoolean}},
		kindNumber:  {{kind: kindNumber}},
		kindString:  {{kind: kindString}},
		kindArray:   {{kind: kindArray, array: &arrayType{rest: &lazy{op: opFixed, fixed: union{{kind: kindAny}}}}}},
		kindObject:  {{kind: kindObject, object: &objectType{}}},
	}
	// mapOfAnything is any object, said so that nothing else is one: `{}` also
	// accepts strings and numbers.
	mapOfAnything = alternative{kind: kindObject, object: &objectType{strict: true}}
	// everything is anything with its kinds separated, to take some away.
	everything = union{primitive[kindString][0], primitive[kindNumber][0], primitive[kindBoolean][0],
		primitive[kindNull][0], primitive[kindArray][0], mapOfAnything}
)

func (u union) isAnything() bool {
	for i := range u {
		if u[i].kind == kindAny {
			return true
		}
	}
	return false
}

// An arrayType is an array or, with a prefix, a tuple.
type arrayType struct {
	prefix []*lazy
	min    int   // length at least
	rest   *lazy // nil: no more elements
}

func (a *arrayType) at(i int) *lazy {
	if i < len(a.prefix) {
		return a.prefix[i]
	}
	return a.rest
}

// An objectType has its declared properties, and a rule for the others.
type objectType struct {
	props    []property
	index    map[string]int // of props, when they are many
	rest     rest
	restType *lazy
	keys     []string      // of restTyped: the only names that others may have, as template literals; nil is any
	patterns []patternType // of restTyped: names that have a type of their own
	strict   bool          // written so that only objects match, when there are no properties
}

// A patternType is the type of all properties with a name like a template literal.
type patternType struct {
	key string
	typ *lazy
}

type property struct {
	name     string
	typ      *lazy
	optional bool
	absent   bool // must not be there: `name?: never`
}

type rest uint8

const (
	// restOpen is the default of JSON Schema: other properties may be there.
	// TypeScript types are open too, so nothing is written; a literal with a
	// property that nobody declared is then most often a mistake.
	restOpen rest = iota
	restClosed
	restTyped // an index signature
)

const indexedFrom = 16 // properties

func (o *objectType) find(name string) int {
	if len(o.props) < indexedFrom {
		for i := range o.props {
			if o.props[i].name == name {
				return i
			}
		}
		return -1
	}
	if o.index == nil {
		o.index = make(map[string]int, len(o.props))
		for i := range o.props {
			o.index[o.props[i].name] = i
		}
	}
	if i, ok := o.index[name]; ok {
		return i
	}
	return -1
}

// add adds a property that is not there yet.
func (o *objectType) add(p property) {
	if o.index != nil {
		o.index[p.name] = len(o.props)
	}
	o.props = append(o.props, p)
}

// A lazy is a type that is built when it is needed: recursive schemas have
// types without end.
type lazy struct {
	op    op
	node  *node   // opNode; what is taken away in opMinus
	kids  []*lazy // opAnd, opOr, opMinus (one)
	fixed union   // opFixed, or the result when done
	done  bool
	key   string
}

type op uint8

const (
	opNode op = iota
	opFixed
	opAnd
	opOr
	opMinus
)

func fixed(u union) *lazy { return &lazy{op: opFixed, fixed: u, done: true} }

func both(a, b *lazy) *lazy {
	switch {
	case a == b || a.op == opNode && b.op == opNode && a.node == b.node:
		return a
	case a.op == opFixed && a.fixed.isAnything():
		return b
	case b.op == opFixed && b.fixed.isAnything():
		return a
	}
	l := &lazy{op: opAnd}
	for _, side := range [...]*lazy{a, b} {
		if side.op == opAnd {
			l.kids = append(l.kids, side.kids...)
		} else {
			l.kids = append(l.kids, side)
		}
	}
	return l
}

// force builds a lazy type.
func (b *builder) force(l *lazy) union {
	if l.done || l.op == opFixed {
		return l.fixed
	}
	var u union
	switch l.op {
	case opNode:
		u = b.build(l.node)
		if l.node.state == building { // in the middle of itself: not to be kept
			return u
		}
	case opAnd:
		u = anything
		for _, kid := range l.kids {
			u = b.meet(u, b.force(kid))
		}
	case opOr:
		for _, kid := range l.kids {
			u = join(u, b.force(kid))
		}
	case opMinus:
		u = b.subtract(b.force(l.kids[0]), l.node, 0)
	}
	l.fixed, l.done = u, true
	return u
}

// join is the union of two sets, each alternative once.
func join(a, b union) union {
	if len(a) == 0 || b.isAnything() {
		return b
	}
	if len(b) == 0 || a.isAnything() {
		return a
	}
	c := collector{out: append(make(union, 0, len(a)+len(b)), a...)}
	c.add(b)
	return c.out
}

// A collector joins many sets.
type collector struct {
	out  union
	seen map[alternative]bool // of out, once it is long
}

func (c *collector) add(u union) {
	if len(c.out) == 1 && c.out[0].kind == kindAny {
		return
	}
	if u.isAnything() {
		c.out, c.seen = anything, nil
		return
	}
	for _, x := range u {
		if c.seen == nil && len(c.out) >= 16 {
			c.seen = make(map[alternative]bool, 2*len(c.out)+len(u))
			for _, y := range c.out {
				c.seen[y] = true
			}
		}
		if c.seen == nil {
			if contains(c.out, x) {
				continue
			}
		} else if c.seen[x] {
			continue
		} else {
			c.seen[x] = true
		}
		c.out = append(c.out, x)
	}
}

func contains(u union, x alternative) bool {
	for i := range u {
		y := &u[i]
		if x == *y {
			return true
		}
	}
	return false
}

// Limits of what is worked out. Beyond them a type is wider than its schema.
const (
	maxProduct = 1 << 14 // pairs of alternatives in one meet
	maxObjects = 64      // object alternatives that a meet may produce
	maxWork    = 200_000 // meets of a whole document
	maxHandled = 2 << 20 // properties of all object types that meet in a document
)

// meet is the intersection of two sets.
func (b *builder) meet(x, y union) union {
	switch {
	case x.isAnything():
		return y
	case y.isAnything():
		return x
	case len(x) == 0 || len(y) == 0:
		return nil
	}
	if b.work++; b.work > maxWork || b.handled > maxHandled {
		b.report(b.doc.root, tooMuchWork)
		return b.loosened(x)
	}
	if len(x)*len(y) > maxProduct {
		return b.meetMany(x, y)
	}
	var c collector
	objects := 0
	for i := range x {
		for j := range y {
			got := b.meetOne(x[i], y[j])
			for _, g := range got {
				if g.kind == kindObject {
					objects++
				}
			}
			c.add(got)
		}
		if objects > maxObjects && len(x) > 1 && len(y) > 1 {
			b.report(b.doc.root, tooMuchWork)
			return b.loosened(x)
		}
	}
	return c.out
}

const tooMuchWork = "too much to work out: some parts are wider than the schema says"

// loosened is a set that stands for less than what is known of it: its objects may
// have properties that only another part of the schema names.
func (b *builder) loosened(u union) union {
	out := make(union, 0, len(u))
	for _, x := range u {
		switch {
		case x.kind == kindRef && x.ref.state == building:
			return anything
		case x.kind == kindRef:
			b.looked = true
			out = append(out, b.loosened(b.build(x.ref))...)
		case x.kind == kindObject && x.object.rest == restOpen:
			o := *x.object
			o.rest, o.restType = restTyped, fixed(anything)
			out = append(out, alternative{kind: kindObject, object: &o})
		default:
			out = append(out, x)
		}
	}
	return out
}

// meetMany handles long enumerations, and gives up on the rest.
func (b *builder) meetMany(x, y union) union {
	literals := make(map[string]bool, len(y))
	var whole [kindLiteral + 1]bool // kinds of which y has every value
	for i := range y {
		if y[i].kind > kindString && y[i].kind != kindLiteral {
			return b.loosened(x)
		}
		literals[y[i].text] = true
		whole[y[i].kind] = true
	}
	var out union
	for _, a := range x {
		switch {
		case a.kind != kindLiteral:
			return b.loosened(x)
		case literals[a.text] || whole[a.base]:
			out = append(out, a)
		}
	}
	return out
}

func (b *builder) meetOne(x, y alternative) union {
	if x.kind == kindRef || y.kind == kindRef {
		if x.kind == y.kind && x.ref == y.ref {
			return union{x}
		}
		if x.kind != kindRef {
			return b.meetRef(y, x, false)
		}
		return b.meetRef(x, y, true)
	}
	switch {
	case x.kind == kindLiteral && y.kind == kindLiteral:
		if x.text == y.text {
			return union{x}
		}
	case x.kind == kindLiteral:
		if x.base == y.kind {
			return union{x}
		}
	case y.kind == kindLiteral:
		if y.base == x.kind {
			return union{y}
		}
	case x.kind != y.kind:
	case x.kind == kindArray:
		return meetArrays(x, y)
	case x.kind == kindObject:
		return b.meetObjects(x, y)
	default:
		return union{x}
	}
	return nil
}

// meetRef looks through a reference. In the middle of its own target nothing
// is known of it, and the other side alone is the wider answer.
func (b *builder) meetRef(ref, other alternative, refFirst bool) union {
	b.looked = true
	if ref.ref.state == building {
		b.report(ref.ref, "the reference leads back to itself")
		return union{other}
	}
	if b.depth > 2*maxBuildDepth {
		b.report(ref.ref, "the chain of references is too long")
		return union{other}
	}
	target := b.build(ref.ref)
	if refFirst {
		return b.meet(target, union{other})
	}
	return b.meet(union{other}, target)
}

func meetArrays(x, y alternative) union {
	a, c := x.array, y.array
	if c == primitive[kindArray][0].array {
		return union{x}
	}
	if a == primitive[kindArray][0].array {
		return union{y}
	}
	out := &arrayType{min: max(a.min, c.min)}
	for i := range max(len(a.prefix), len(c.prefix)) {
		p, q := a.at(i), c.at(i)
		if p == nil || q == nil {
			if out.min > i {
				return nil
			}
			return union{{kind: kindArray, array: out}}
		}
		out.prefix = append(out.prefix, both(p, q))
	}
	if a.rest != nil && c.rest != nil {
		out.rest = both(a.rest, c.rest)
	} else if out.min > len(out.prefix) {
		return nil
	}
	return union{{kind: kindArray, array: out}}
}

func (b *builder) meetObjects(x, y alternative) union {
	a, c := x.object, y.object
	if len(c.props) == 0 && c.rest == restOpen {
		return union{x}
	}
	if len(a.props) == 0 && a.rest == restOpen {
		return union{y}
	}
	b.handled += len(a.props) + len(c.props)
	out := &objectType{props: make([]property, 0, len(a.props)+len(c.props)), strict: a.strict || c.strict}
	for i := range a.props {
		p := a.props[i]
		var ok bool
		if j := c.find(p.name); j >= 0 {
			p, ok = b.meetProperties(p, c.props[j])
		} else {
			p, ok = b.restrict(p, c)
		}
		if !ok {
			return nil
		}
		out.props = append(out.props, p)
	}
	for i := range c.props {
		if a.find(c.props[i].name) >= 0 {
			continue
		}
		p, ok := b.restrict(c.props[i], a)
		if !ok {
			return nil
		}
		out.props = append(out.props, p)
	}
	out.keys = a.keys // where both have some, those of one are more
	if out.keys == nil {
		out.keys = c.keys
	}
	switch {
	case a.rest == restClosed || c.rest == restClosed:
		out.rest, out.keys = restClosed, nil
	case a.rest == restTyped && c.rest == restTyped:
		out.rest, out.restType = restTyped, both(a.restType, c.restType)
	case a.rest == restTyped:
		out.rest, out.restType = restTyped, a.restType
	case c.rest == restTyped:
		out.rest, out.restType = restTyped, c.restType
	}
	return union{{kind: kindObject, object: out}}
}

// meetProperties is one property under two rules; ok is false when no object
// can satisfy both.
func (b *builder) meetProperties(p, q property) (_ property, ok bool) {
	out := property{name: p.name, optional: p.optional && q.optional, absent: p.absent || q.absent}
	if out.absent {
		return property{name: p.name, typ: p.typ, optional: true, absent: true}, out.optional
	}
	out.typ = both(p.typ, q.typ)
	if p.typ.isScalar() && q.typ.isScalar() && len(b.force(out.typ)) == 0 {
		// `kind: "a"` and `kind: "b"`: two members of a discriminated union
		out.absent = true
		return out, out.optional
	}
	return out, true
}

// restrict is a declared property under an object's rule for others.
func (b *builder) restrict(p property, o *objectType) (_ property, ok bool) {
	switch o.rest {
	case restClosed:
		if b.opened {
			return p, true
		}
		return property{name: p.name, typ: p.typ, optional: true, absent: true}, p.optional
	case restTyped:
		p.typ = both(p.typ, o.restType)
	}
	return p, true
}

// isScalar reports whether a type is cheap to work out, and of no objects, arrays
// or references.
func (l *lazy) isScalar() bool {
	switch l.op {
	case opNode:
		scalar := false
		for i, name := range l.node.names {
			switch name {
			case "const", "enum":
				scalar = true
			case "type":
				switch l.node.kids[i].text {
				case "string", "number", "integer", "boolean", "null":
					scalar = true
				}
			case "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if":
				return false
			}
		}
		return scalar
	case opMinus:
		return l.kids[0].isScalar()
	case opAnd:
		for _, kid := range l.kids {
			if !kid.isScalar() {
				return false
			}
		}
		return true
	}
	return len(l.fixed) > 0 && l.fixed[0].kind == kindLiteral
}
