package script

import (
	"cmp"
	"slices"
)

// A nest is the loops and functions of a text, for finding what is around a
// token.
type nest struct {
	layers []layer // by their beginning, outer ones first
	inner  []int32 // for each token the innermost layer that it is in, or -1
}

// A layer is the body of a function, or of a loop.
type layer struct {
	extent
	outer int32 // the layer around it, or -1
	loop  *loop
	// passes says that it is a function that is called where it stands, so that it is
	// in the loops around it.
	passes bool
}

// eachMethods are the methods of arrays and iterators that call a function for
// each element.
var eachMethods = map[string]bool{
	"map": true, "forEach": true, "flatMap": true, "filter": true, "some": true, "every": true, "find": true, "findIndex": true,
	"findLast": true, "findLastIndex": true, "reduce": true, "reduceRight": true,
}

func (s *scan) nesting() *nest {
	n := &nest{}
	loops := s.loops()
	for i := range loops {
		n.layers = append(n.layers, layer{extent: loops[i].body, loop: &loops[i]})
	}
	bodies := s.asyncBodies()
	for _, b := range bodies {
		l := layer{extent: b.extent}
		switch open, calls := s.argumentOf(b); {
		case s.callsEach(open, b.head):
			l.loop = &loop{body: b.extent, callback: true}
		case calls:
			l.passes = true
		}
		n.layers = append(n.layers, l)
	}
	slices.SortStableFunc(n.layers, func(a, b layer) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	n.sweep(len(s.tokens))
	s.namedLoops(n, bodies)
	return n
}

// sweep finds what is in what.
func (n *nest) sweep(tokens int) {
	n.inner = make([]int32, tokens)
	var open []int32
	next := 0
	for i := range tokens {
		for next < len(n.layers) && n.layers[next].from <= i {
			open = closed(open, n.layers, i)
			n.layers[next].outer = -1
			if len(open) > 0 {
				n.layers[next].outer = open[len(open)-1]
			}
			open = append(open, int32(next))
			next++
		}
		open = closed(open, n.layers, i)
		n.inner[i] = -1
		if len(open) > 0 {
			n.inner[i] = open[len(open)-1]
		}
	}
}

// closed is open without the layers that end before the token at i. Broken texts
// have layers that cross; the inner one wins.
func closed(open []int32, layers []layer, i int) []int32 {
	for len(open) > 0 && layers[open[len(open)-1]].to <= i {
		open = open[:len(open)-1]
	}
	return open
}

// loopAround is the innermost loop that the token at i is run by, or nil: a
// function in a loop may run at another time. direct says that no function is
// between them.
func (n *nest) loopAround(i int) (l *loop, direct bool) {
	direct = true
	for at := n.inner[i]; at >= 0; at = n.layers[at].outer {
		switch around := &n.layers[at]; {
		case around.loop != nil:
			return around.loop, direct && !around.loop.callback
		case !around.passes:
			return nil, false
		}
		direct = false
	}
	return nil, false
}

// argumentOf is the parenthesis of the call that a function's expression is an
// argument of, or -1. calls says that it is called there once: by itself, by
// then, catch and finally, or by another function that is not a method.
func (s *scan) argumentOf(b asyncBody) (open int, calls bool) {
	arrow := s.is(b.from-1, "=>")
	if !arrow && !s.is(b.head, "function") && !(s.is(b.head, "async") && s.is(b.head+1, "function")) {
		return -1, false // a method
	}
	if !s.is(b.head-1, "(") && !s.is(b.head-1, ",") {
		return -1, false
	}
	open = s.around(b.head)
	if open < 0 || !s.is(open, "(") || !s.opens(open) {
		return -1, false
	}
	if end := s.tokens[open].match; open+1 == b.head && end == b.to && (open == 0 || !s.tokens[open-1].operand) {
		return -1, s.is(end+1, "(") // (async () => { … })()
	}
	if !s.isName(open-1) || !s.tokens[open-1].operand {
		return -1, false
	}
	if !s.afterMember(open - 1) {
		return open, !headKeywords[s.string(open-1)]
	}
	name := s.string(open - 1)
	return open, name == "then" || name == "catch" || name == "finally"
}

// callsEach reports whether the call whose parenthesis is at open calls the
// argument that begins with the token at i for each of several elements.
func (s *scan) callsEach(open, i int) bool {
	if open < 2 || !s.afterMember(open-1) {
		return false
	}
	if s.is(open-1, "from") || s.is(open-1, "fromAsync") {
		return s.is(open-3, "Array") && i > open+1
	}
	return i == open+1 && eachMethods[s.string(open-1)]
}

// namedLoops makes loops of the functions that are called by their name in one,
// or given by it to a method that calls them for each element.
func (s *scan) namedLoops(n *nest, bodies []asyncBody) {
	named := map[string]asyncBody{}
	twice := map[string]bool{}
	for _, b := range bodies {
		if b.name != "" {
			before, was := named[b.name]
			twice[b.name] = twice[b.name] || was && before.extent != b.extent
			named[b.name] = b
		}
	}
	if len(named) == 0 {
		return
	}
	for range 3 { // one function may call another
		changed := false
		for i := range s.tokens {
			if !s.isName(i) || s.afterMember(i) {
				continue
			}
			name := s.string(i)
			b, ok := named[name]
			if !ok || twice[name] || b.from <= i && i < b.to || !s.runsEach(n, i) {
				continue
			}
			for at := range n.layers {
				if l := &n.layers[at]; l.extent == b.extent {
					l.loop = &loop{body: b.extent, callback: true}
				}
			}
			delete(named, name)
			changed = true
		}
		if !changed {
			return
		}
	}
}

// runsEach reports whether the function whose name is at i is run there by each
// round of something.
func (s *scan) runsEach(n *nest, i int) bool {
	if s.is(i+1, "(") {
		l, _ := n.loopAround(i)
		return l != nil
	}
	return s.eachArgument(extent{i, i + 1})
}

// eachArgument reports whether an expression is an argument that is called for each
// of several elements.
func (s *scan) eachArgument(e extent) bool {
	if !s.is(e.from-1, "(") && !s.is(e.from-1, ",") || !s.is(e.to, ")") && !s.is(e.to, ",") {
		return false
	}
	open := s.around(e.from)
	return open > 0 && s.is(open, "(") && s.callsEach(open, e.from)
}
