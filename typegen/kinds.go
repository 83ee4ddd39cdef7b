package typegen

import (
	"slices"
	"strconv"
)

// own is what a schema says by type, enum, const and the keywords of objects
// and arrays.
func (b *builder) own(n *node, k *keywords) union {
	objects := k.properties != nil || k.required != nil || k.additional != nil || k.patterns != nil || k.propertyNames != nil
	arrays := k.items != nil || k.prefixItems != nil || k.minItems != nil || k.maxItems != nil
	u := anything
	switch {
	case k.typ == nil:
		if objects || arrays {
			u = b.everyKind(k, objects, arrays)
		}
	case k.typ.kind == '"':
		u = b.ofType(k.typ, k, true)
	case k.typ.kind == '[' && len(k.typ.kids) > 0:
		u = nil
		for _, t := range k.typ.kids {
			again := slices.ContainsFunc(u, func(x alternative) bool {
				return x.kind == kindObject && t.text == "object" || x.kind == kindArray && t.text == "array"
			})
			if !again {
				u = join(u, b.ofType(t, k, true))
			}
		}
	case k.typ.kind == '{' && len(k.typ.kids) > 0: // draft 3 wrote schemas here; a mistake today
		u = b.build(k.typ)
	default:
		b.report(k.typ, "type must name one or several types, this is "+kindName(k.typ.kind))
	}
	if k.isNullable() {
		u = join(u, primitive[kindNull]) // so that enum may list it
	}
	if k.konst != nil {
		u = b.listed(u, []*node{k.konst}, n)
	}
	if k.enum != nil {
		switch {
		case k.enum.kind != '[':
			b.report(k.enum, "enum must be a list, this is "+kindName(k.enum.kind))
		case len(k.enum.kids) == 0:
			b.report(k.enum, "enum lists no value; it is ignored")
		default:
			u = b.listed(u, k.enum.kids, n)
		}
	}
	return u
}

// everyKind is a schema without `type`: its keywords bind values of their own
// kind and no others.
func (b *builder) everyKind(k *keywords, objects, arrays bool) union {
	var u union
	if objects {
		o := b.object(k)
		if len(o.props) == 0 && o.rest == restOpen {
			objects = false
		}
		o.strict = true
		u = append(u, alternative{kind: kindObject, object: o})
	}
	if arrays {
		a := b.array(k)
		u = append(u, alternative{kind: kindArray, array: a})
		arrays = len(a.prefix) > 0 || a.rest == nil || !b.plainAnything(a.rest)
	}
	if !objects && !arrays {
		return anything
	}
	for _, x := range everything {
		if !slices.ContainsFunc(u, func(y alternative) bool { return x.kind == y.kind }) {
			u = append(u, x)
		}
	}
	return u
}

func (b *builder) plainAnything(l *lazy) bool {
	return l.op == opFixed && l.fixed.isAnything()
}

func (b *builder) ofType(t *node, k *keywords, report bool) union {
	if t.kind == '"' {
		switch t.text {
		case "string":
			return primitive[kindString]
		case "number", "integer":
			return primitive[kindNumber]
		case "boolean":
			return primitive[kindBoolean]
		case "null":
			return primitive[kindNull]
		case "array":
			if k.items == nil && k.prefixItems == nil && k.minItems == nil && k.maxItems == nil {
				return primitive[kindArray]
			}
			return union{{kind: kindArray, array: b.array(k)}}
		case "object":
			if k.properties == nil && k.required == nil && k.additional == nil && k.patterns == nil && k.propertyNames == nil {
				return primitive[kindObject]
			}
			return union{{kind: kindObject, object: b.object(k)}}
		}
	}
	if t.kind == '{' {
		return b.build(t)
	}
	if report {
		b.report(t, "there is no such type")
	}
	return anything
}

// listed narrows a set to the values of an enum or const.
func (b *builder) listed(u union, values []*node, n *node) union {
	all := make(union, 0, len(values))
	plain := true
	for _, v := range values {
		x := literal(v)
		plain = plain && x.kind == kindLiteral
		all = append(all, x)
	}
	if plain && len(all) > 1 {
		all = unique(all)
	}
	got := b.meet(u, all)
	if len(got) == 0 && len(u) > 0 {
		b.report(n, "none of the listed values is of the type; the type is ignored")
		return all
	}
	return got
}

func unique(u union) union {
	seen := make(map[string]bool, len(u))
	out := u[:0]
	for _, x := range u {
		if !seen[x.text] {
			seen[x.text] = true
			out = append(out, x)
		}
	}
	return out
}

// literal is the set of one JSON value.
func literal(v *node) alternative {
	switch v.kind {
	case '"':
		return alternative{kind: kindLiteral, base: kindString, text: string(appendQuoted(make([]byte, 0, len(v.text)+2), v.text))}
	case '0':
		if text, ok := canonicalNumber(v.text); ok {
			return alternative{kind: kindLiteral, base: kindNumber, text: text}
		}
		return primitive[kindNumber][0]
	case 't':
		return alternative{kind: kindLiteral, base: kindBoolean, text: "true"}
	case 'f':
		return alternative{kind: kindLiteral, base: kindBoolean, text: "false"}
	case '[':
		a := &arrayType{min: len(v.kids)}
		for _, kid := range v.kids {
			a.prefix = append(a.prefix, fixed(union{literal(kid)}))
		}
		return alternative{kind: kindArray, array: a}
	case '{':
		o := &objectType{rest: restClosed}
		for i, kid := range v.kids {
			o.props = append(o.props, property{name: v.names[i], typ: fixed(union{literal(kid)})})
		}
		return alternative{kind: kindObject, object: o}
	}
	return primitive[kindNull][0]
}

func (b *builder) array(k *keywords) *arrayType {
	a := &arrayType{min: count(k.minItems)}
	prefix, rest := k.prefixItems, k.items
	if k.items != nil && k.items.kind == '[' { // before 2020-12
		prefix, rest = k.items, k.additionalItems
	}
	if prefix != nil && prefix.kind != '[' {
		b.report(prefix, "a list of schemas is expected here, this is "+kindName(prefix.kind))
		prefix = nil
	}
	if prefix != nil {
		for _, kid := range prefix.kids {
			a.prefix = append(a.prefix, &lazy{node: kid})
		}
	}
	switch {
	case rest == nil:
		a.rest = fixed(anything)
	case !rest.acceptsNothing():
		a.rest = &lazy{node: rest}
	}
	if k.maxItems != nil && k.maxItems.kind == '0' {
		most := count(k.maxItems)
		if most <= len(a.prefix) {
			a.prefix, a.rest = a.prefix[:most], nil
		}
	}
	return a
}

func count(n *node) int {
	if n == nil || n.kind != '0' {
		return 0
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || f < 0 || f > 1<<30 {
		return 0
	}
	return int(f)
}

func (b *builder) object(k *keywords) *objectType {
	o := &objectType{}
	if k.properties != nil {
		if k.properties.kind == '{' {
			o.props = make([]property, 0, len(k.properties.kids))
			lazies := make([]lazy, len(k.properties.kids))
			for i, kid := range k.properties.kids {
				lazies[i].node = kid
				o.props = append(o.props, property{name: k.properties.names[i], typ: &lazies[i], optional: true})
			}
		} else {
			b.report(k.properties, "properties must be an object, this is "+kindName(k.properties.kind))
		}
	}
	b.others(o, k)
	if k.required != nil && k.required.kind == '[' {
		for _, r := range k.required.kids {
			if r.kind != '"' {
				b.report(r, "required must list names, this is "+kindName(r.kind))
				continue
			}
			if i := o.find(r.text); i >= 0 {
				p := &o.props[i]
				p.optional = p.typ.op == opNode && (b.direction == Input && hasDefault(p.typ.node) || b.elsewhere(p.typ.node))
				continue
			}
			if o.rest == restClosed {
				b.report(r, "this property is required, but not allowed; it is ignored")
				continue
			}
			typ := fixed(anything)
			if o.rest == restTyped {
				typ = o.restType
			}
			o.add(property{name: r.text, typ: typ})
		}
	}
	return o
}

// elsewhere reports whether a property is meant for the other direction (TYPE-5). A
// schema accepts it all the same (TYPE-4), so it is there, and never required.
func (b *builder) elsewhere(n *node) bool {
	if n.kind != '{' {
		return false
	}
	keyword := "readOnly"
	if b.direction == Output {
		keyword = "writeOnly"
	}
	v := n.member(keyword)
	return v != nil && v.kind == 't'
}

// others reads the rule for undeclared properties.
func (b *builder) others(o *objectType, k *keywords) {
	names := k.propertyNames
	if names != nil && names.acceptsNothing() {
		o.rest = restClosed
		return
	}
	var additional *lazy // nil: not said
	closed := false
	switch {
	case k.additional == nil:
	case k.additional.acceptsNothing():
		closed = true
	case k.additional.kind == 't':
		additional = fixed(anything)
	case k.additional.kind == '{':
		additional = &lazy{node: k.additional}
	default:
		b.report(k.additional, "additionalProperties must be a schema, this is "+kindName(k.additional.kind))
	}
	var patterns []*lazy
	var allowed []string // the patterns of patterns
	if k.patterns != nil && k.patterns.kind == '{' {
		for i, kid := range k.patterns.kids {
			l := &lazy{node: kid}
			switch {
			case matchesAll(k.patterns.names[i]): // nothing is left for others
				if closed = kid.acceptsNothing(); !closed {
					additional = l
				}
			case !kid.acceptsNothing():
				patterns = append(patterns, l)
				allowed = append(allowed, k.patterns.names[i])
			}
		}
	}
	if listed := enumerated(names); listed != nil && !closed && len(patterns) == 0 {
		// Only these names can be there, each with the type of all.
		typ := additional
		if typ == nil {
			typ = fixed(anything)
		}
		for _, name := range listed {
			if o.find(name) < 0 {
				o.add(property{name: name, typ: typ, optional: true})
			}
		}
		o.rest = restClosed
		return
	}
	switch {
	case closed && len(patterns) == 0:
		o.rest = restClosed
	case closed:
		o.rest, o.restType, o.keys = restTyped, anyOf(patterns), keysOf(allowed)
	case additional != nil:
		o.rest, o.restType = restTyped, anyOf(append(patterns, additional))
	case len(patterns) > 0:
		o.rest, o.restType, o.patterns = restTyped, fixed(anything), writable(allowed, patterns)
	}
	pattern := names.member("pattern")
	if o.rest == restClosed || len(patterns) > 0 || pattern == nil || pattern.kind != '"' {
		return
	}
	if keys := keysOf([]string{pattern.text}); keys != nil {
		if o.rest == restOpen {
			o.restType = fixed(anything)
		}
		o.rest, o.keys = restTyped, keys
	}
}

func anyOf(list []*lazy) *lazy {
	if len(list) == 1 {
		return list[0]
	}
	return &lazy{op: opOr, kids: list}
}
