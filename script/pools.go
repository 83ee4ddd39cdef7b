package script

import (
	"sort"
	"strings"
)

// A pool is an expression whose value is tools: tools itself, another name for
// it, globalThis.tools, and any of them in parentheses, with or without a type:
// (tools as any), (<any>tools), (tools satisfies object).
type pool struct {
	extent
	// untyped says that TypeScript may not know what it is, and so says nothing of
	// a member that it does not have.
	untyped bool
}

// poolAt is the pool that the name at i makes, without what is around it; ok is
// false for any other name.
func (s *scan) poolAt(i int, a *aliases) (p pool, ok bool) {
	if !s.isName(i) || s.afterMember(i) {
		return p, false
	}
	switch name := s.string(i); {
	case name == "tools":
		return pool{extent: extent{i, i + 1}}, true
	case a.pools[name]:
		return pool{extent{i, i + 1}, a.untyped[name]}, !a.declared[i]
	case name == "globalThis":
		p = pool{extent{i, i + 1}, true}
		for {
			if m, ok := s.memberAfter(p.to); ok {
				p.to = m.next
				return p, m.name == "tools"
			}
			if p, ok = s.widened(p); !ok {
				return p, false
			}
		}
	}
	return p, false
}

// widened is a pool with the parentheses around it, or a ! behind it; ok is
// false when there are none of which that is known.
func (s *scan) widened(p pool) (pool, bool) {
	if s.is(p.to, "!") && !s.tokens[p.to].newline {
		p.to++
		return p, true
	}
	open, untyped := p.from-1, p.untyped
	if s.is(open, ">") { // <any>
		if open = s.typeStart(open) - 1; open < 0 {
			return p, false
		}
		untyped = true
	}
	if !s.is(open, "(") || !s.opens(open) || open > 0 && s.tokens[open-1].operand {
		return p, false
	}
	untyped = untyped || s.commentedType(open)
	end := s.tokens[open].match
	if p.to < end {
		if !s.asserted(p.to) || !s.isType(extent{p.to, end}) {
			return p, false
		}
		untyped = true
	}
	return pool{extent{open, end + 1}, untyped}, p.to <= end
}

// commentedType reports whether a comment gives the parenthesis at i a type, as in
// /** @type {any} */ (tools).
func (s *scan) commentedType(i int) bool {
	from, to := 0, s.tokens[i].start
	if i > 0 {
		from = s.tokens[i-1].end
	}
	n := sort.Search(len(s.comments), func(n int) bool { return s.comments[n].end > to })
	return n > 0 && s.comments[n-1].start >= from && strings.Contains(s.text[s.comments[n-1].start:to], "@type")
}

// asserted reports whether the token at i begins `as T` or `satisfies T`.
func (s *scan) asserted(i int) bool {
	return (s.is(i, "as") || s.is(i, "satisfies")) && !s.tokens[i].newline
}

// isType reports whether what begins with `as T` is nothing else, as far as it can
// be known.
func (s *scan) isType(e extent) bool {
	return !s.has(e, "||", "&&", "??", "==", "!=", "===", "!==", "?") && (s.has(e, "<") || !s.has(e, ","))
}

// typeStart is the index of the < whose > is at i, or -1.
func (s *scan) typeStart(i int) int {
	depth := 0
	for j := i; j >= 0 && j > i-64; j-- {
		switch {
		case s.is(j, ">"):
			depth++
		case s.is(j, "<"):
			depth--
		}
		if depth == 0 {
			return j
		}
	}
	return -1
}

// poolFrom is the pool that begins at i and is as long as can be.
func (s *scan) poolFrom(i int, a *aliases) (p pool, ok bool) {
	base, untyped := i, false
	for base < i+8 && base < len(s.tokens) {
		switch {
		case s.is(base, "("):
			base++
			continue
		case s.is(base, "<"):
			for base++; base < len(s.tokens) && base < i+64 && !s.is(base, ">"); base++ {
			}
			base++
			untyped = s.is(i, "<")
			continue
		}
		break
	}
	inner, ok := s.poolAt(base, a)
	for ; ok; inner, ok = s.widened(inner) {
		if inner.from < i {
			break
		}
		p = inner
	}
	if untyped && p.from > i {
		p.from = i
	}
	p.untyped = p.untyped || untyped
	return p, p.to > p.from && p.from == i
}

// endsPool reports whether a pool ends with the token at i.
func (s *scan) endsPool(i int, a *aliases) bool {
	for j := max(0, i-64); j <= i; j++ { // casts are short
		p, ok := s.poolAt(j, a)
		for ; ok && p.to <= i+1; p, ok = s.widened(p) {
			if p.to == i+1 {
				return true
			}
		}
	}
	return false
}

// objectMembers are what every object has (ECMA-262, 20.1.3).
var objectMembers = map[string]bool{
	"constructor": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true, "toLocaleString": true,
	"toString": true, "valueOf": true, "__proto__": true, "then": true,
}
