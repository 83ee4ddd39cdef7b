package typegen

import "slices"

// dependencies applies dependentRequired, dependentSchemas and the older
// `dependencies`: either the property is absent, or the rest follows.
func (b *builder) dependencies(u union, k *keywords) union {
	for _, list := range [...]*node{k.dependentRequired, k.dependentSchemas} {
		if list == nil || list.kind != '{' {
			continue
		}
		for i, name := range list.names {
			var then union
			switch dep := list.kids[i]; dep.kind {
			case '[':
				o := &objectType{strict: true}
				for _, r := range dep.kids {
					if r.kind == '"' {
						o.props = append(o.props, property{name: r.text, typ: fixed(anything)})
					}
				}
				if len(o.props) == 0 {
					continue
				}
				then = withObject(o)
			case '"': // draft 3
				then = withObject(&objectType{props: []property{{name: dep.text, typ: fixed(anything)}}})
			case '{', 'f':
				then = b.build(dep)
			default:
				continue
			}
			there := withObject(&objectType{props: []property{{name: name, typ: fixed(anything), optional: true}}, strict: true})
			u = b.meet(u, join(withObject(without(name)), b.meet(then, there)))
		}
	}
	return u
}

// without is any object without one property.
func without(name string) *objectType {
	return &objectType{props: []property{{name: name, typ: fixed(anything), optional: true, absent: true}}}
}

// withObject is every value whose objects are as given.
func withObject(o *objectType) union {
	u := slices.Clone(everything)
	u[len(u)-1] = alternative{kind: kindObject, object: o}
	return u
}

// conditional applies if/then/else: what satisfies both `if` and `then`, or
// not `if` but `else`.
func (b *builder) conditional(u union, k *keywords) union {
	if len(u) > maxObjects/2 {
		b.report(b.doc.root, tooMuchWork)
		return b.loosened(u)
	}
	no := b.subtract(u, k.ifs, 0)
	yes := b.meet(u, b.build(k.ifs))
	if k.then != nil {
		yes = b.meet(yes, b.build(k.then))
	}
	if same(no, u) && k.els == nil && !namesMore(yes, u) {
		return u // the first part adds nothing to it
	}
	if k.els != nil {
		no = b.meet(no, b.build(k.els))
	}
	return join(yes, no)
}

// namesMore reports whether objects of a set have properties that none of another's
// objects has.
func namesMore(u, than union) bool {
	for _, x := range u {
		if x.kind != kindObject {
			continue
		}
		for _, p := range x.object.props {
			known := func(y alternative) bool { return y.kind != kindObject || y.object.find(p.name) >= 0 }
			if !slices.ContainsFunc(than, known) {
				return true
			}
		}
	}
	return false
}

func same(a, b union) bool {
	return slices.EqualFunc(a, b, func(x, y alternative) bool { return contains(union{x}, y) })
}

// maxPieces bounds into how many parts one alternative falls by a `not`.
const maxPieces = 16

// subtract takes away what a schema accepts, as far as that can be said. What
// remains of an alternative is what breaks at least one of the schema's
// rules; a rule that TypeScript cannot say may be broken by any value of it.
func (b *builder) subtract(u union, n *node, depth int) union {
	if len(u) == 0 || depth > 8 {
		return u
	}
	switch n.kind {
	case 't':
		return nil
	case 'f':
		return u
	case '{':
	default:
		return u
	}
	if u.isAnything() {
		u = everything
	}
	var c collector
	for _, x := range u {
		if len(c.out) > maxObjects && len(c.out) > len(u) {
			return u
		}
		if x.kind != kindRef {
			c.add(b.subtractOne(x, n, depth))
			continue
		}
		if x.ref.state != building && depth <= 4 {
			expanded := b.build(x.ref)
			if rest := b.subtract(expanded, n, depth+1); !same(rest, expanded) {
				b.looked = true
				c.add(rest)
				continue
			}
		}
		c.add(union{x})
	}
	if same(c.out, everything) {
		return anything
	}
	return c.out
}

// subtractOne returns the parts of x that break at least one rule of n.
func (b *builder) subtractOne(x alternative, n *node, depth int) union {
	whole := union{x}
	var pieces union
	add := func(rest union) (all bool) {
		pieces = join(pieces, rest)
		return len(pieces) > maxPieces || contains(pieces, x)
	}
	for i, name := range n.names {
		v := n.kids[i]
		all := false
		switch name {
		case "type":
			all = add(subtractType(x, v))
		case "const":
			all = add(subtractValues(x, []*node{v}))
		case "enum":
			all = v.kind == '[' && add(subtractValues(x, v.kids))
		case "required":
			all = v.kind == '[' && add(b.subtractRequired(x, v))
		case "properties":
			all = v.kind == '{' && add(b.subtractProperties(x, v, depth))
		case "not":
			all = add(b.meet(whole, b.build(v)))
		case "allOf":
			if v.kind == '[' {
				for _, kid := range v.kids {
					all = all || add(b.subtract(whole, kid, depth+1))
				}
			}
		case "anyOf":
			if v.kind == '[' && len(v.kids) > 0 {
				rest := whole
				for _, kid := range v.kids {
					rest = b.subtract(rest, kid, depth+1)
				}
				all = add(rest)
			}
		case "$ref":
			target, err := b.doc.follow(n, v, false)
			all = err != nil || target == n || add(b.subtract(whole, target, depth+1))
		case "title", "description", "$comment", "$schema", "$id", "$anchor", "default", "examples", "example",
			"deprecated", "$defs", "definitions", "readOnly", "writeOnly":
		default:
			all = true
		}
		if all {
			return whole
		}
	}
	return pieces
}

func subtractType(x alternative, types *node) union {
	list := []*node{types}
	if types.kind == '[' {
		list = types.kids
	}
	own := x.kind
	if own == kindLiteral {
		own = x.base
	}
	for _, t := range list {
		var k kind
		switch t.text {
		case "string":
			k = kindString
		case "number":
			k = kindNumber
		case "boolean":
			k = kindBoolean
		case "null":
			k = kindNull
		case "array":
			k = kindArray
		case "object":
			k = kindObject
		case "integer":
			continue // numbers that are no integers remain
		}
		if own == k {
			return nil
		}
	}
	return union{x}
}

func subtractValues(x alternative, values []*node) union {
	var boolean [2]bool
	for _, v := range values {
		if v.kind == '{' || v.kind == '[' {
			continue
		}
		y := literal(v)
		switch {
		case x.kind == kindLiteral && y.kind == kindLiteral && x.text == y.text, x.kind == kindNull && y.kind == kindNull:
			return nil
		case x.kind == kindBoolean && v.kind == 't':
			boolean[1] = true
		case x.kind == kindBoolean && v.kind == 'f':
			boolean[0] = true
		}
	}
	switch boolean {
	case [2]bool{true, true}:
		return nil
	case [2]bool{true, false}:
		return union{{kind: kindLiteral, base: kindBoolean, text: "true"}}
	case [2]bool{false, true}:
		return union{{kind: kindLiteral, base: kindBoolean, text: "false"}}
	}
	return union{x}
}

// subtractRequired leaves the objects that lack one of the names.
func (b *builder) subtractRequired(x alternative, names *node) union {
	if x.kind != kindObject {
		return nil
	}
	var out union
	for _, r := range names.kids {
		if r.kind != '"' {
			continue
		}
		p := property{name: r.text, typ: fixed(anything), optional: true, absent: true}
		if o, ok := b.replace(x.object, p); ok {
			out = append(out, alternative{kind: kindObject, object: o})
		}
		if len(out) > maxPieces || b.handled > maxHandled {
			return union{x}
		}
	}
	return out
}

// subtractProperties leaves the objects where one of the properties is there
// and breaks its schema.
func (b *builder) subtractProperties(x alternative, props *node, depth int) union {
	if x.kind != kindObject {
		return nil
	}
	var out union
	for i, name := range props.names {
		old := &lazy{op: opFixed, fixed: anything, done: true}
		if j := x.object.find(name); j >= 0 {
			if x.object.props[j].absent {
				continue
			}
			old = x.object.props[j].typ
		} else if x.object.rest == restClosed {
			continue
		} else if x.object.rest == restTyped {
			old = x.object.restType
		}
		if props.kids[i].kind == 't' || props.kids[i].kind == '{' && len(props.kids[i].kids) == 0 {
			continue
		}
		rest := &lazy{op: opMinus, node: props.kids[i], kids: []*lazy{old}}
		if old.isScalar() || old.op == opFixed {
			was := b.force(old)
			left := b.subtract(was, props.kids[i], depth+1)
			if len(left) == 0 {
				continue
			}
			if same(left, was) {
				rest = old
			}
			if was.isAnything() && (left.isAnything() || !sayable(props.kids[i])) {
				rest = old
			}
		}
		o, _ := b.replace(x.object, property{name: name, typ: rest})
		out = append(out, alternative{kind: kindObject, object: o})
		if len(out) > maxPieces || b.handled > maxHandled {
			return union{x}
		}
	}
	return out
}

// sayable is whether what a schema leaves over is worth writing: all kinds but
// one is, anything but one string is not sayable.
func sayable(n *node) bool {
	return n.kind == '{' && n.member("type") != nil
}

// replace returns a copy of an object type with one property set; ok is false
// when a required property would have to be absent.
func (b *builder) replace(o *objectType, p property) (_ *objectType, ok bool) {
	b.handled += len(o.props)
	out := &objectType{props: slices.Clone(o.props), rest: o.rest, restType: o.restType, keys: o.keys, patterns: o.patterns, strict: o.strict}
	if i := o.find(p.name); i >= 0 {
		if p.absent && !o.props[i].optional {
			return nil, false
		}
		out.props[i] = p
	} else {
		out.props = append(out.props, p)
	}
	return out, true
}
