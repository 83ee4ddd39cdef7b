package typegen

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// identifiers knows the nodes that a document names by $id and $anchor.
type identifiers struct {
	base    map[*node]string // of each node that sets a base URI
	byURI   map[string]*node // resources, without fragment
	anchors map[string]*node // base URI + "#" + name
	dynamic map[string][]*node
}

// resolve finds the node that a $ref of n points to.
func (d *document) resolve(n *node, ref string) (*node, error) {
	if !d.hasID {
		// The usual case: one resource, whose base is unknown.
		if fragment, ok := strings.CutPrefix(ref, "#"); ok {
			return d.fragment(d.root, fragment)
		}
		return nil, errors.New("other documents are not loaded")
	}
	d.identify()
	base := d.baseOf(n)
	target, err := joinURI(base, ref)
	if err != nil {
		return nil, err
	}
	uri, fragment, _ := strings.Cut(target, "#")
	if found, ok := d.ids.anchors[uri+"#"+fragment]; ok && fragment != "" {
		return found, nil
	}
	resource, ok := d.ids.byURI[uri]
	if !ok {
		return nil, errors.New("other documents are not loaded")
	}
	return d.fragment(resource, fragment)
}

// fragment follows a JSON Pointer, in the URI form (RFC 6901, section 6).
func (d *document) fragment(from *node, fragment string) (*node, error) {
	if fragment == "" {
		return from, nil
	}
	if fragment[0] != '/' {
		return nil, errors.New("there is no such anchor")
	}
	if strings.Contains(fragment, "%") {
		if decoded, err := url.PathUnescape(fragment); err == nil {
			fragment = decoded
		}
	}
	n := from
	for segment := range strings.SplitSeq(fragment[1:], "/") {
		if strings.Contains(segment, "~") {
			segment = strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
		}
		var next *node
		switch n.kind {
		case '{':
			next = n.member(segment)
		case '[':
			if i, err := strconv.Atoi(segment); err == nil && i >= 0 && i < len(n.kids) && isDigits(segment) {
				next = n.kids[i]
			}
		}
		if next == nil {
			return nil, errors.New("there is nothing at that place")
		}
		n = next
	}
	return n, nil
}

// baseOf is the base URI in force at a node.
func (d *document) baseOf(n *node) string {
	for ; n != nil; n = n.parent {
		if base, ok := d.ids.base[n]; ok {
			return base
		}
	}
	return unknownBase
}

// unknownBase stands for the URI of a schema that does not say its own, so that
// a relative $id, such as "Node", and references to it meet.
const unknownBase = "schema:///"

// identify collects $id, $anchor and their older forms, once.
func (d *document) identify() {
	if d.ids != nil {
		return
	}
	d.ids = &identifiers{
		base:    map[*node]string{d.root: unknownBase},
		byURI:   map[string]*node{unknownBase: d.root},
		anchors: map[string]*node{},
		dynamic: map[string][]*node{},
	}
	d.identifyIn(d.root, unknownBase)
}

func (d *document) identifyIn(n *node, base string) {
	if n.kind == '{' && !isNameMap(n) {
		for _, keyword := range [...]string{"$id", "id"} {
			id := n.member(keyword)
			if id == nil || id.kind != '"' || d.legacy && n.member("$ref") != nil {
				continue
			}
			if anchor, ok := strings.CutPrefix(id.text, "#"); ok { // drafts 4 to 7
				d.ids.anchors[base+"#"+anchor] = n
				continue
			}
			uri, err := joinURI(base, id.text)
			if err != nil {
				continue
			}
			uri, _, _ = strings.Cut(uri, "#")
			base = uri
			d.ids.base[n] = base
			if _, taken := d.ids.byURI[base]; !taken || n == d.root {
				d.ids.byURI[base] = n
			}
		}
		for _, keyword := range [...]string{"$anchor", "$dynamicAnchor"} {
			if anchor := n.member(keyword); anchor != nil && anchor.kind == '"' {
				d.ids.anchors[base+"#"+anchor.text] = n
				if keyword == "$dynamicAnchor" {
					d.ids.dynamic[anchor.text] = append(d.ids.dynamic[anchor.text], n)
				}
			}
		}
	}
	for i, kid := range n.kids {
		if kid.kind != '{' && kid.kind != '[' {
			continue
		}
		if n.kind == '{' && !isNameMap(n) {
			switch n.names[i] {
			case "enum", "const", "default", "examples", "example":
				continue // values, not schemas
			}
		}
		d.identifyIn(kid, base)
	}
}

// isNameMap reports whether an object's members are named by the author, such as
// those of `properties`, so that none of them is a keyword.
func isNameMap(n *node) bool {
	if n.parent == nil || n.parent.kind != '{' {
		return false
	}
	switch n.parent.names[n.slot] {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies", "dependentRequired":
		return !isNameMap(n.parent)
	}
	return false
}

// joinURI resolves a reference against a base (RFC 3986), which may be opaque,
// such as a URN.
func joinURI(base, ref string) (string, error) {
	if strings.HasPrefix(ref, "#") {
		return base + ref, nil
	}
	r, err := url.Parse(ref)
	if err != nil {
		return "", fmt.Errorf("not a URI reference: %w", errors.Unwrap(err))
	}
	b, err := url.Parse(base)
	if err != nil {
		return r.String(), nil
	}
	return b.ResolveReference(r).String(), nil
}

// follow resolves $ref, $dynamicRef and $recursiveRef of a schema. The dynamic
// ones are followed where only one target is possible.
func (d *document) follow(n, ref *node, dynamic bool) (*node, error) {
	if ref.kind != '"' {
		return nil, errors.New("a reference must be a string")
	}
	if !dynamic {
		return d.resolve(n, ref.text)
	}
	d.identify()
	if len(d.ids.base) > 1 {
		return nil, errors.New("the target is decided at run time")
	}
	if name, ok := strings.CutPrefix(ref.text, "#"); ok && len(d.ids.dynamic[name]) > 1 {
		return nil, errors.New("the target is decided at run time")
	}
	return d.resolve(n, ref.text)
}

type walkState uint8

const (
	unwalked walkState = iota
	walking
	walked
)

// findShared marks the schemas that need a name in a .d.ts: those which refer
// to themselves, and those which are used in several places (TYPE-1).
func (d *document) findShared() {
	if !d.hasRef {
		return
	}
	// Depth first, with a stack of its own: chains of references can be long.
	type step struct {
		node *node
		next int
	}
	d.root.uses = 1
	d.root.walked = walking
	stack := []step{{node: d.root}}
	for len(stack) > 0 {
		s := &stack[len(stack)-1]
		n := s.node
		if s.next == len(n.kids) {
			n.walked = walked
			stack = stack[:len(stack)-1]
			continue
		}
		i := s.next
		s.next++
		kid := n.kids[i]
		if n.kind == '{' && !isNameMap(n) {
			switch n.names[i] {
			case "enum", "const", "default", "examples", "example", "$defs", "definitions":
				continue
			case "$ref", "$dynamicRef", "$recursiveRef":
				target, err := d.follow(n, kid, n.names[i] != "$ref")
				if err != nil || target.kind != '{' {
					continue
				}
				kid = target
				if kid.walked == walking {
					kid.named = true
				}
			}
		}
		if kid.kind != '{' && kid.kind != '[' {
			continue
		}
		if kid.uses++; kid.uses > 1 {
			kid.named = true
		}
		if kid.walked == unwalked {
			kid.walked = walking
			stack = append(stack, step{node: kid})
		}
	}
}
