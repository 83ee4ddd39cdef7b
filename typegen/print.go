package typegen

import (
	"slices"
	"strconv"
	"strings"
)

// A printer writes sets as TypeScript. With a registry, recursive and shared
// references become named types; without, recursion ends in `unknown`.
type printer struct {
	*builder
	out      []byte
	names    *registry
	maxDepth int // of objects and arrays; 0 is no limit
	limit    int // bytes, after which nothing with a structure is written any more

	// within are the types that are being written, outermost first.
	within []*node
	// keys are the same for combined types; seen counts how often each was
	// written.
	keys []string
	seen map[string]int
	// defining is the type whose declaration is being written: at its top it
	// must not refer to itself.
	defining *node
}

// hoistDepth is how deep types are written into each other in a .d.ts, before
// the inner one gets a name: compilers recurse too.
const hoistDepth = 40

// deepest is how deep a type that stands alone is written at all.
const deepest = 200

func newPrinter(b *builder, names *registry, maxDepth int) *printer {
	return &printer{
		builder: b, names: names, maxDepth: maxDepth, limit: 1<<18 + 8*b.doc.size,
		out: make([]byte, 0, b.doc.size),
	}
}

func (p *printer) text(s string) { p.out = append(p.out, s...) }

// lazy writes a property's or element's type.
func (p *printer) lazy(l *lazy, level, depth int) {
	u := p.force(l)
	if !hasStructure(u) {
		p.union(u, level, depth)
		return
	}
	switch l.op {
	case opNode:
		p.node(l.node, u, level, depth)
	case opAnd, opOr, opMinus:
		key := l.identity()
		if key == "" {
			p.union(u, level, depth)
			return
		}
		if slices.Contains(p.keys, key) || p.names != nil && p.seen[key] > 0 || len(p.out) > p.limit {
			if p.names == nil || len(p.out) > p.limit {
				if len(p.out) > p.limit {
					p.tooMuch()
				}
				p.text("unknown")
				return
			}
			p.text(p.names.nameCombined(key, l))
			return
		}
		if p.seen == nil {
			p.seen = map[string]int{}
		}
		p.seen[key]++
		p.keys = append(p.keys, key)
		p.union(u, level, depth)
		p.keys = p.keys[:len(p.keys)-1]
	default:
		p.union(u, level, depth)
	}
}

// tooMuch notes that the type has become many times as long as its schema: by
// references, or by one schema for many properties.
func (p *printer) tooMuch() {
	p.report(p.doc.root, "the same parts multiply: the type would be too long, some of it is unknown")
}

// node writes the type of a schema in place, unless it is being written
// already or would be for the second time though it combines references.
func (p *printer) node(n *node, u union, level, depth int) {
	again := false
	if n.expanded {
		if p.seen == nil {
			p.seen = map[string]int{}
		}
		key := strconv.Itoa(int(n.id))
		again = p.seen[key] > 0
		p.seen[key]++
	}
	switch {
	case n.expanded && len(p.out) > p.limit:
		p.tooMuch()
		p.text("unknown")
	case p.names == nil && slices.Contains(p.within, n):
		p.text("unknown")
	case p.names != nil && (again || n.named || slices.Contains(p.within, n)):
		p.text(p.names.name(n))
	default:
		p.within = append(p.within, n)
		p.union(u, level, depth)
		p.within = p.within[:len(p.within)-1]
	}
}

func hasStructure(u union) bool {
	for i := range u {
		switch u[i].kind {
		case kindArray, kindObject, kindRef:
			return true
		}
	}
	return false
}

// A member is one alternative with the references through which it is seen.
type member struct {
	alternative
	via []*node
}

// flatten replaces references by what they point to, where they are written
// in place.
func (p *printer) flatten(out []member, u union, via []*node, top bool) []member {
	for _, x := range u {
		if x.kind != kindRef {
			out = append(out, member{x, via})
			continue
		}
		n := x.ref
		switch {
		case p.defining != nil && top && p.leads(n, p.defining, nil):
			p.report(n, "the reference leads back to itself")
			out = append(out, member{alternative{kind: kindAny}, nil})
		case p.names != nil && n.named:
			out = append(out, member{x, nil})
		case slices.Contains(via, n) || slices.Contains(p.within, n):
			if p.names != nil && !slices.Contains(via, n) {
				out = append(out, member{x, nil})
				break
			}
			if slices.Contains(via, n) {
				p.report(n, "the reference leads back to itself")
			}
			out = append(out, member{alternative{kind: kindAny}, nil})
		case len(p.out) > p.limit || len(via) > 64:
			p.tooMuch()
			out = append(out, member{alternative{kind: kindAny}, nil})
		default:
			out = p.flatten(out, p.build(n), append(slices.Clip(via), n), top)
		}
	}
	return out
}

// leads reports whether a reference to n means goal without anything between.
func (p *printer) leads(n, goal *node, seen []*node) bool {
	if n == goal {
		return true
	}
	if slices.Contains(seen, n) || len(seen) > 64 {
		return len(seen) > 64
	}
	seen = append(seen, n)
	for _, x := range p.build(n) {
		if x.kind == kindRef && p.leads(x.ref, goal, seen) {
			return true
		}
	}
	return false
}

func (p *printer) union(u union, level, depth int) {
	if len(u) == 1 && u[0].kind != kindRef {
		p.alternative(&u[0], level, depth)
		return
	}
	simple := true
	for i := range u {
		simple = simple && u[i].kind != kindRef && u[i].kind != kindObject
	}
	if simple {
		p.simpleUnion(u, level, depth)
		return
	}
	members := p.flatten(make([]member, 0, len(u)), u, nil, depth == 0)
	for i := range members {
		if members[i].kind == kindAny {
			p.text("unknown")
			return
		}
	}
	if p.factored(members, level, depth) {
		return
	}
	first, unknown := true, false
	written := make(map[alternative]bool, len(members))
	for i := range members {
		m := &members[i]
		if m.kind != kindObject && written[m.alternative] {
			continue
		}
		written[m.alternative] = true
		from := len(p.out)
		if !first {
			p.text(" | ")
		}
		first = false
		p.within = append(p.within, m.via...)
		mark := len(p.out)
		p.alternative(&m.alternative, level, depth)
		p.within = p.within[:len(p.within)-len(m.via)]
		if string(p.out[mark:]) == "unknown" { // too deep, as another one may be
			if unknown {
				p.out = p.out[:from]
			}
			unknown = true
		}
	}
	if first {
		p.text("never")
	}
}

func (p *printer) simpleUnion(u union, level, depth int) {
	if len(u) == 0 {
		p.text("never")
		return
	}
	if u.isAnything() {
		p.text("unknown")
		return
	}
	booleans := 0
	for i := range u {
		if u[i].kind == kindLiteral && u[i].base == kindBoolean {
			booleans++
		}
	}
	for i := range u {
		if booleans == 2 && u[i].kind == kindLiteral && u[i].base == kindBoolean {
			// true | false
			if booleans = 3; i > 0 {
				p.text(" | ")
			}
			p.text("boolean")
			continue
		}
		if booleans == 3 && u[i].kind == kindLiteral && u[i].base == kindBoolean {
			continue
		}
		if i > 0 {
			p.text(" | ")
		}
		p.alternative(&u[i], level, depth)
	}
}

func (p *printer) alternative(x *alternative, level, depth int) {
	switch x.kind {
	case kindAny:
		p.text("unknown")
	case kindNull:
		p.text("null")
	case kindBoolean:
		p.text("boolean")
	case kindNumber:
		p.text("number")
	case kindString:
		p.text("string")
	case kindLiteral:
		p.text(x.text)
	case kindArray:
		p.array(x.array, level, depth)
	case kindObject:
		p.object(x.object, level, depth)
	case kindRef:
		p.text(p.names.name(x.ref))
	}
}

func (p *printer) tooDeep(depth int) bool {
	if len(p.out) > p.limit {
		p.tooMuch()
		return true
	}
	if p.names == nil && depth >= deepest {
		p.report(p.doc.root, "nested too deep: parts of the type are unknown")
		return true
	}
	return p.maxDepth > 0 && depth >= p.maxDepth
}

// hoist reports whether a type is so deep that it should get a name.
func (p *printer) hoist(depth int) bool {
	return p.names != nil && depth > 0 && depth%hoistDepth == 0
}

func (p *printer) array(a *arrayType, level, depth int) {
	if p.tooDeep(depth) {
		p.text("unknown")
		return
	}
	if p.hoist(depth) {
		p.text(p.names.nameDeep(alternative{kind: kindArray, array: a}))
		return
	}
	if len(a.prefix) == 0 {
		if a.rest == nil {
			p.text("[]")
			return
		}
		p.text("Array<")
		p.lazy(a.rest, level, depth+1)
		p.text(">")
		return
	}
	p.text("[")
	for i, l := range a.prefix {
		if i > 0 {
			p.text(", ")
		}
		from := len(p.out)
		p.lazy(l, level, depth+1)
		if i >= a.min {
			p.parenthesize(from)
			p.text("?")
		}
	}
	if a.rest != nil {
		// Not `...Array<T>`: a tuple with that in it may not contain itself.
		p.text(", ...")
		from := len(p.out)
		p.lazy(a.rest, level, depth+1)
		p.parenthesize(from)
		p.text("[]")
	}
	p.text("]")
}

// parenthesize encloses what was written since from, when it is a combination.
func (p *printer) parenthesize(from int) {
	if s := string(p.out[from:]); strings.Contains(s, " | ") || strings.Contains(s, " & ") {
		p.out = append(append(append(p.out[:from], '('), s...), ')')
	}
}

func (p *printer) object(o *objectType, level, depth int) {
	if p.tooDeep(depth) {
		p.text("unknown")
		return
	}
	if len(o.props) == 0 {
		switch {
		case o.rest == restClosed:
			p.text("Record<string, never>")
			return
		case o.rest == restOpen && o.strict:
			p.text("Record<string, unknown>")
			return
		case o.rest == restOpen:
			p.text("{}")
			return
		}
	}
	if p.hoist(depth) {
		p.text(p.names.nameDeep(alternative{kind: kindObject, object: o}))
		return
	}
	p.text("{\n")
	var types []span
	for i := range o.props {
		typ := p.property(&o.props[i], level+1, depth)
		if o.rest == restTyped {
			types = append(types, typ)
		}
	}
	if o.rest == restTyped {
		p.index(o, types, level+1, depth)
	}
	p.out = appendIndent(p.out, level)
	p.text("}")
}

// A span is a part of what was written.
type span struct{ from, to int }

// property writes a property, and says where its type stands.
func (p *printer) property(q *property, level, depth int) span {
	if !q.absent {
		p.out = p.appendDoc(p.out, q.typ, level)
	}
	p.out = appendIndent(p.out, level)
	p.out = appendPropertyName(p.out, q.name)
	if q.optional {
		p.text("?")
	}
	p.text(": ")
	typ := span{from: len(p.out)}
	p.propertyType(q, level, depth)
	typ.to = len(p.out)
	p.text(";\n")
	return typ
}

// propertyType writes the type of a property. For TypeScript every object
// literal has the methods of Object.prototype: one without an optional
// property of such a name has a function there, and must stay assignable.
func (p *printer) propertyType(q *property, level, depth int) {
	from := len(p.out)
	if q.absent {
		p.text("never")
	} else {
		p.lazy(q.typ, level, depth+1)
	}
	if !q.optional || !inherited(q.name) {
		return
	}
	switch string(p.out[from:]) {
	case "unknown", "{}":
		return
	case "never":
		p.out = append(p.out[:from], "Function"...)
	default:
		p.text(" | Function")
	}
}

// inherited reports whether a name is a member of TypeScript's interface Object.
func inherited(name string) bool {
	switch name {
	case "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf":
		return true
	}
	return false
}

// maxIndexed is how long the types of an object's properties may be, in bytes, to
// be said again in its index signature: objects in objects would double each time.
const maxIndexed = 4 << 10

// index writes the index signature. TypeScript wants it to cover the declared
// properties too, whose types are given, and `undefined` where one is optional.
func (p *printer) index(o *objectType, types []span, level, depth int) {
	if len(o.keys) == 0 {
		p.indexOf("string", o, types, level, depth)
	}
	for _, key := range o.keys {
		p.indexOf(key, o, types, level, depth)
	}
	for _, pattern := range o.patterns {
		like := &objectType{restType: pattern.typ}
		var likeTypes []span
		for i, q := range o.props {
			if pattern.matches(q.name) {
				like.props = append(like.props, q)
				likeTypes = append(likeTypes, types[i])
			}
		}
		p.indexOf(pattern.key, like, likeTypes, level, depth)
	}
}

func (p *printer) indexOf(key string, o *objectType, types []span, level, depth int) {
	p.out = p.appendDoc(p.out, o.restType, level)
	p.out = appendIndent(p.out, level)
	p.text("[key: " + key + "]: ")
	from := len(p.out)
	p.lazy(o.restType, level, depth+1)
	unknown := string(p.out[from:]) == "unknown"
	optional, length := false, 0
	written := map[string]bool{string(p.out[from:]): true}
	for i := 0; i < len(o.props) && !unknown; i++ {
		q := &o.props[i]
		optional = optional || q.optional
		if (q.absent || q.typ == o.restType) && !(q.optional && inherited(q.name)) {
			continue
		}
		typ := string(p.out[types[i].from:types[i].to])
		if written[typ] {
			continue
		}
		written[typ] = true
		length += len(typ)
		unknown = typ == "unknown" || length > maxIndexed
		p.text(" | ")
		p.text(typ)
	}
	if unknown {
		p.out = append(p.out[:from], "unknown"...)
	} else if optional {
		p.text(" | undefined")
	}
	p.text(";\n")
}

// factored writes objects that have most properties in common, such as those
// of an anyOf beside properties, as `{ common } & ({ a } | { b })`: each field
// and its documentation once.
func (p *printer) factored(members []member, level, depth int) bool {
	var objects []*objectType
	for i := range members {
		m := &members[i]
		switch {
		case m.kind != kindObject:
			continue
		case m.object.rest == restTyped || len(m.via) > 0:
			return false
		}
		objects = append(objects, m.object)
	}
	if len(objects) < 2 || p.tooDeep(depth) {
		return false
	}
	common := map[string]bool{}
	first := &objectType{}
	for _, q := range objects[0].props {
		in := true
		for _, o := range objects[1:] {
			j := o.find(q.name)
			in = in && j >= 0 && o.props[j].typ == q.typ && o.props[j].optional == q.optional && o.props[j].absent == q.absent
		}
		if in {
			common[q.name] = true
			first.props = append(first.props, q)
		}
	}
	if len(common) == 0 {
		return false
	}
	for i := range members {
		if m := &members[i]; m.kind != kindObject {
			p.alternative(&m.alternative, level, depth)
			p.text(" | ")
		}
	}
	p.object(first, level, depth)
	p.text(" & (")
	for i, o := range objects {
		if i > 0 {
			p.text(" | ")
		}
		own := &objectType{}
		for _, q := range o.props {
			if !common[q.name] {
				own.props = append(own.props, q)
			}
		}
		p.object(own, level, depth)
	}
	p.text(")")
	return true
}

// identity is equal for combined types of the same parts.
func (l *lazy) identity() string {
	if l.key != "" {
		return l.key
	}
	var b []byte
	switch l.op {
	case opNode:
		return strconv.Itoa(int(l.node.id))
	case opFixed:
		return ""
	case opAnd, opOr:
		var parts []string
		for _, kid := range l.kids {
			s := kid.identity()
			if s == "" {
				return ""
			}
			parts = append(parts, s)
		}
		slices.Sort(parts)
		parts = slices.Compact(parts)
		mark := "&"
		if l.op == opOr {
			mark = "|"
		}
		b = append(b, '(')
		b = append(b, strings.Join(parts, mark)...)
		b = append(b, ')')
	case opMinus:
		s := l.kids[0].identity()
		if s == "" {
			return ""
		}
		b = append(append(b, s...), '-')
		b = strconv.AppendInt(b, int64(l.node.id), 10)
	}
	l.key = string(b)
	return l.key
}
