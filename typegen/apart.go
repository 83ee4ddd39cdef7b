package typegen

import "slices"

// How many object types of a union, and how many properties of each, are kept
// apart: beyond that a type is no more read than it was.
const (
	maxApart      = 4
	maxForeign    = 6
	maxApartProps = 16
)

// apart is a union whose object types do not mix: an object with no other
// properties than its own cannot have those of another one, which TypeScript lets
// pass in a union unless it is said (`other?: never`). Types that a property with
// a fixed value distinguishes need it not. What comes back is read, not written:
// there, `"other" in it` has to distinguish the types, as it does when only one of
// them has the property.
func (b *builder) apart(u union) union {
	if b.direction == Output {
		return u
	}
	var objects []*objectType
	for i := range u {
		if u[i].kind == kindRef {
			return u
		}
		if u[i].kind == kindObject {
			objects = append(objects, u[i].object)
		}
	}
	if len(objects) < 2 || len(objects) > maxApart || discriminated(objects) {
		return u
	}
	out := slices.Clone(u)
	for i := range out {
		if out[i].kind == kindObject && out[i].object.rest == restClosed {
			out[i].object = out[i].object.without(objects)
		}
	}
	return out
}

// without is a closed object type that says of the others' properties that it has
// none of them.
func (o *objectType) without(others []*objectType) *objectType {
	closed := &objectType{props: slices.Clip(o.props), rest: o.rest, strict: o.strict}
	foreign := 0
	for _, other := range others {
		for _, q := range other.props {
			if q.absent || closed.find(q.name) >= 0 {
				continue
			}
			if foreign++; foreign > maxForeign || len(closed.props) >= maxApartProps-1 {
				return o
			}
			closed.props = append(closed.props, property{name: q.name, typ: q.typ, optional: true, absent: true})
		}
	}
	return closed
}

// discriminated reports whether all have one property of which each requires another
// fixed value.
func discriminated(objects []*objectType) bool {
	for _, p := range objects[0].props {
		seen := map[string]bool{}
		for _, o := range objects {
			i := o.find(p.name)
			if i < 0 || o.props[i].optional {
				break
			}
			value, ok := o.props[i].typ.fixedValue()
			if !ok || seen[value] {
				break
			}
			seen[value] = true
		}
		if len(seen) == len(objects) {
			return true
		}
	}
	return false
}

// fixedValue identifies the only values that a schema lists, when they are
// strings or the like.
func (l *lazy) fixedValue() (values string, ok bool) {
	if l.op != opNode {
		return "", false
	}
	list := []*node{l.node.member("const")}
	if enum := l.node.member("enum"); enum != nil && enum.kind == '[' {
		list = enum.kids
	}
	for _, v := range list {
		if v == nil || v.kind == '{' || v.kind == '[' {
			return "", false
		}
		values += string(rune(v.kind)) + v.text + "\x00"
	}
	return values, len(list) > 0
}
