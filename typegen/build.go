package typegen

import (
	"fmt"
	"slices"
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

// maxUnnamed is how long literals may be, in bytes, that are written again wherever
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

// exactlyOne is a oneOf whose branches can be distinguished: each without
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
