package typegen

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A builder turns the schemas of one document, for one direction, into sets.
type builder struct {
	doc       *document
	direction Direction
	problems  []Problem
	work      int
	handled   int  // properties, see maxHandled
	looked    bool // through a reference, since somebody cleared it
	opened    bool // closed objects are met as if they were open
	depth     int  // of builds within builds
}

type buildState uint8

const (
	unbuilt buildState = iota
	building
	built
)

// maxBuildDepth is how far chains of references are followed at once.
const maxBuildDepth = 500

// maxUnnamed is how long literals may be, in bytes, that are written anew wherever
// they are referred to.
const maxUnnamed = 1 << 10

const maxProblems = 50 // of one schema

// report notes a part that could not be rendered as it was meant.
func (b *builder) report(n *node, message string) {
	if len(b.problems) >= maxProblems {
		return
	}
	p := Problem{Path: n.pointer(), Message: message}
	if !slices.Contains(b.problems, p) {
		b.problems = append(b.problems, p)
	}
}

// keywords are the members of a schema that say something about types.
type keywords struct {
	typ, enum, konst                              *node
	properties, required, additional, patterns    *node
	propertyNames                                 *node
	items, additionalItems, prefixItems, minItems *node
	maxItems                                      *node
	allOf, anyOf, oneOf, not                      *node
	ifs, then, els                                *node
	ref, dynamicRef                               *node
	dependentRequired, dependentSchemas           *node
	nullable, readOnly, writeOnly                 *node
	defaults                                      *node
}

func readKeywords(n *node) keywords {
	var k keywords
	for i, name := range n.names {
		v := n.kids[i]
		switch name {
		case "type":
			k.typ = v
		case "enum":
			k.enum = v
		case "const":
			k.konst = v
		case "properties":
			k.properties = v
		case "required":
			k.required = v
		case "additionalProperties":
			k.additional = v
		case "patternProperties":
			k.patterns = v
		case "propertyNames":
			k.propertyNames = v
		case "items":
			k.items = v
		case "additionalItems":
			k.additionalItems = v
		case "prefixItems":
			k.prefixItems = v
		case "minItems":
			k.minItems = v
		case "maxItems":
			k.maxItems = v
		case "allOf":
			k.allOf = v
		case "anyOf":
			k.anyOf = v
		case "oneOf":
			k.oneOf = v
		case "not":
			k.not = v
		case "if":
			k.ifs = v
		case "then":
			k.then = v
		case "else":
			k.els = v
		case "$ref":
			k.ref = v
		case "$dynamicRef", "$recursiveRef":
			k.dynamicRef = v
		case "dependentRequired":
			k.dependentRequired = v
		case "dependentSchemas", "dependencies":
			k.dependentSchemas = v
		case "nullable":
			k.nullable = v
		case "readOnly":
			k.readOnly = v
		case "writeOnly":
			k.writeOnly = v
		case "default":
			k.defaults = v
		}
	}
	return k
}

// build returns the set of a schema. Properties and elements stay lazy, so
// only references that lead back to themselves directly meet themselves.
func (b *builder) build(n *node) union {
	switch n.state {
	case built:
		b.looked = b.looked || n.expanded
		return n.built
	case building:
		b.report(n, "the schema contains itself")
		return anything
	}
	n.state = building
	b.depth++
	outer := b.looked
	b.looked = false
	n.built = b.schema(n)
	n.expanded = b.looked
	b.looked = b.looked || outer
	n.state = built
	b.depth--
	return n.built
}

func (b *builder) schema(n *node) union {
	switch n.kind {
	case 't':
		return anything
	case 'f':
		return nil
	case '{':
	default:
		b.report(n, "a schema must be an object or a boolean, this is "+kindName(n.kind))
		return anything
	}
	if len(n.names) == 0 {
		return anything
	}
	keys := readKeywords(n)
	k, u := &keys, anything
	if k.ref != nil && b.doc.legacy {
		u = b.reference(n, k.ref, false)
	} else {
		u = b.narrow(u, n, k)
	}
	if k.isNullable() {
		u = join(u, primitive[kindNull])
	}
	return u
}

// isNullable is OpenAPI's word for null, which is no part of JSON Schema.
func (k *keywords) isNullable() bool { return k.nullable != nil && k.nullable.kind == 't' }

// narrow is what a set and a schema have in common.
func (b *builder) narrow(u union, n *node, k *keywords) union {
	if k.ref != nil {
		u = b.meet(u, b.reference(n, k.ref, false))
	}
	if k.dynamicRef != nil {
		u = b.meet(u, b.reference(n, k.dynamicRef, true))
	}
	u = b.meet(u, b.own(n, k))
	if list := b.list(k.allOf); list != nil {
		for _, kid := range list.kids {
			if kid.kind == '{' && (kid.member("if") != nil || kid.member("not") != nil) && kid.member("$ref") == nil {
				// Conditions say more about a set that is known already.
				keys := readKeywords(kid)
				u = b.narrow(u, kid, &keys)
				continue
			}
			u = b.meetAll(u, kid)
		}
	}
	for _, list := range [...]*node{k.anyOf, k.oneOf} {
		if list = b.list(list); list == nil || len(list.kids) == 0 {
			continue
		}
		if list == k.oneOf && list.mostlyRequire() {
			if one, ok := b.exactlyOne(u, list.kids); ok {
				u = one
				continue
			}
		}
		var branches collector
		named := false
		for _, kid := range list.kids {
			branch := b.build(kid)
			named = named || namesMore(branch, u)
			branches.add(branch)
		}
		if branches.out.isAnything() && named {
			u = b.loosened(u) // one branch names properties, another one lets anything pass
			continue
		}
		u = b.meet(u, b.apart(branches.out))
	}
	if k.dependentRequired != nil || k.dependentSchemas != nil {
		u = b.dependencies(u, k)
	}
	if k.ifs != nil && (k.then != nil || k.els != nil) {
		u = b.conditional(u, k)
	}
	if k.not != nil {
		u = b.subtract(u, k.not, 0)
	}
	return u
}

// meetAll is what a set and a schema of its allOf have in common. When that is
// nothing, since one of two closed objects requires what the other does not know,
// then the author meant both together: what comes back is of both. What is sent
// would be refused, so there it stays nothing.
func (b *builder) meetAll(u union, kid *node) union {
	got := b.meet(u, b.build(kid))
	if len(got) > 0 || len(u) == 0 || len(b.build(kid)) == 0 {
		return got
	}
	b.report(kid, "no value is valid for this and for the other parts of allOf")
	if b.direction == Output {
		b.opened = true
		got = b.meet(u, b.build(kid))
		b.opened = false
	}
	return got
}

// exactlyOne is a oneOf whose branches can be told from each other: each without
// all the others. ok is false when a branch would have to be written in several
// parts for that, or with what a property must not be.
func (b *builder) exactlyOne(u union, branches []*node) (_ union, ok bool) {
	var c collector
	for i, kid := range branches {
		part := b.meet(u, b.build(kid))
		whole := len(part)
		for j, other := range branches {
			if j != i {
				part = b.subtract(part, other, 0)
			}
		}
		if len(part) > whole || slices.ContainsFunc(part, alternative.takesAway) {
			return nil, false
		}
		c.add(part)
	}
	return c.out, true
}

// takesAway is whether an object type has a property of which something is taken
// away.
func (x alternative) takesAway() bool {
	return x.kind == kindObject && slices.ContainsFunc(x.object.props, func(p property) bool { return p.typ.op == opMinus })
}

// mostlyRequire is whether a list has few schemas, each of which requires
// properties and may say of what type they are: "one of these, and not the others".
func (n *node) mostlyRequire() bool {
	if len(n.kids) > 6 {
		return false
	}
	for _, kid := range n.kids {
		if required := kid.member("required"); required == nil || required.kind != '[' || len(required.kids) == 0 {
			return false
		}
		for _, name := range kid.names {
			switch name {
			case "required", "title", "description", "type", "properties":
			default:
				return false
			}
		}
	}
	return true
}

// acceptsNothing is whether a schema is false, or says so as { "not": {} }.
func (n *node) acceptsNothing() bool {
	if n.kind == 'f' {
		return true
	}
	not := n.member("not")
	return not != nil && len(n.names) == 1 && (not.kind == 't' || not.kind == '{' && len(not.names) == 0)
}

// list is a keyword's value when it is a list, as it must be.
func (b *builder) list(n *node) *node {
	if n != nil && n.kind != '[' {
		b.report(n, "a list of schemas is expected here, this is "+kindName(n.kind))
		return nil
	}
	return n
}

func (b *builder) reference(n, ref *node, dynamic bool) union {
	target, err := b.doc.follow(n, ref, dynamic)
	for hops := 0; err == nil; hops++ {
		// A reference to a mere reference is a reference to what that one means.
		next := target.onlyRef()
		if next == nil {
			break
		}
		if hops > 100 {
			b.report(ref, "the reference leads back to itself")
			return anything
		}
		target, err = b.doc.follow(target, next, false)
	}
	switch {
	case err != nil:
		b.report(ref, fmt.Sprintf("cannot follow the reference %s: %v", appendQuoted(nil, ref.text), err))
		return anything
	case target.kind != '{' && target.kind != 't' && target.kind != 'f':
		b.report(ref, fmt.Sprintf("the reference %s points to %s, not to a schema", appendQuoted(nil, ref.text), kindName(target.kind)))
		return anything
	case target.state == building || b.depth > maxBuildDepth:
		return union{{kind: kindRef, ref: target}}
	}
	// What has no structure of its own needs no name.
	if u := b.build(target); len(u) <= 8 {
		simple, length := true, 0
		for i := range u {
			simple = simple && (u[i].kind <= kindString || u[i].kind == kindLiteral)
			length += len(u[i].text)
		}
		if simple && length <= maxUnnamed {
			return u
		}
	}
	return union{{kind: kindRef, ref: target}}
}

// onlyRef returns the $ref of a schema that says nothing else about types.
func (n *node) onlyRef() *node {
	if n.kind != '{' {
		return nil
	}
	var ref *node
	for i, name := range n.names {
		switch name {
		case "$ref":
			ref = n.kids[i]
		case "description", "title", "$schema", "$comment", "examples", "deprecated", "$defs", "definitions":
		default:
			return nil
		}
	}
	return ref
}

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

func hasDefault(n *node) bool { return n.kind == '{' && n.member("default") != nil }

// elsewhere says whether a property is meant for the other direction (TYPE-5). A
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
		o.rest, o.restType, o.patterns = restTyped, fixed(anything), told(allowed, patterns)
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

// enumerated are the names that propertyNames lists, or nil.
func enumerated(names *node) []string {
	list := names.member("enum")
	if list == nil || list.kind != '[' || len(list.kids) == 0 {
		if one := names.member("const"); one != nil && one.kind == '"' {
			return []string{one.text}
		}
		return nil
	}
	var out []string
	for _, v := range list.kids {
		if v.kind == '"' {
			out = append(out, v.text)
		}
	}
	return unrepeated(out)
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "null"
}
