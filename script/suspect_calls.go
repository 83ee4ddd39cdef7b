package script

import (
	"slices"
	"sync"
)

// calls suspects the calls of functions that call tools and are not async, where
// nobody does anything with what they return.
func (s *suspicion) calls() {
	called := s.callers()
	// A callback that puts its promises somewhere has them awaited there.
	anyKept := sync.OnceValue(func() bool {
		return slices.ContainsFunc(s.bodies, func(b asyncBody) bool { return s.keeps(b.extent) })
	})
	for i := range s.tokens {
		if !s.isName(i) || s.is(i-1, "function") || s.tired() {
			continue
		}
		open := s.callAt(i + 1)
		if open < 0 || !s.opens(open) {
			continue
		}
		name, from, end := s.string(i), i, s.tokens[open].match
		given := false // it is a parameter, of which only the type tells
		switch {
		case s.is(i-2, "Promise") && s.is(i-1, ".") && combines[name]:
			from = i - 2
		case s.afterMember(i):
			if builtIn[name] || !called.methods[name] {
				continue
			}
			from = s.newHead(s.headOf(i - 2))
		case !called.names[name] && !(s.names[name] && s.reaches(extent{open + 1, end})):
			if given = s.beginsStatement(i) && s.isGiven(i) && !anyKept(); !given {
				continue
			}
		}
		if s.awaiting.calls(i) && open == i+1 || s.inExecutor(i) {
			continue // known, or waited for in another way
		}
		e := extent{from, end + 1}
		d, ok := s.discarded(e)
		if !ok && !s.lost(d) {
			continue
		}
		lost := Unawaited{
			Range: s.spanOf(e), Whole: s.spanOf(d.extent), Start: s.tokens[d.from].start, End: s.tokens[d.to-1].end,
			Several: d.several, Async: s.allowsAwait(d.from),
		}
		if given {
			s.add(e, Promised, lost, OnePromise, PromiseList)
		} else {
			s.suspect(e, Promised, lost, OnePromise, PromiseList)
		}
	}
}

// isGiven says whether the name at i is a parameter of a function around it.
func (s *suspicion) isGiven(i int) bool {
	for _, b := range s.bodies {
		if s.tired() || b.from > i {
			break
		}
		if i >= b.to {
			continue
		}
		for j := b.head; j < b.from; j++ {
			if s.isName(j) && s.string(j) == s.string(i) && (s.is(j-1, "(") || s.is(j-1, ",") || j == b.head || s.is(j-1, "async")) {
				return true
			}
		}
	}
	return false
}

type callers struct{ names, methods map[string]bool }

// callers are the functions of the script that call tools, directly or by others,
// and the variables that may be such functions; but for those that put their
// promises somewhere, where they are waited for.
func (s *suspicion) callers() callers {
	c := callers{map[string]bool{}, map[string]bool{}}
	own := map[string]bool{}
	for range 3 {
		for _, b := range s.bodies {
			own[b.name] = true
			if b.name == "" && b.method == "" || c.names[b.name] || c.methods[b.method] {
				continue
			}
			if s.reaches(b.extent) || s.callsOne(b.extent, c) {
				s.mark(b.name, c.names)
				s.mark(b.method, c.methods)
			}
		}
	}
	for name := range s.names {
		if !own[name] {
			c.names[name] = true
		}
	}
	for name := range s.kept {
		delete(c.names, name)
		delete(c.methods, name)
		delete(s.names, name)
	}
	return c
}

// keeping are the functions that put promises somewhere outside of them.
func (t *trace) keeping() map[string]bool {
	kept := map[string]bool{}
	for _, b := range t.bodies {
		if (b.name != "" || b.method != "") && t.keeps(b.extent) {
			t.mark(b.name, kept)
			t.mark(b.method, kept)
		}
	}
	return kept
}

func (t *trace) keeps(e extent) bool {
	for i := e.from; i < e.to && !t.tired(); i++ {
		switch {
		case t.afterMember(i) && t.isName(i) && adds[t.string(i)] && t.is(i+1, "(") && t.opens(i+1):
			if t.outside(t.headOf(i-2), e) && t.flows(extent{i + 2, t.tokens[i+1].match}) {
				return true
			}
		case t.is(i, "=") && i > e.from && !t.declares(i, e.from) && t.outside(t.headOf(i-1), e) && t.flows(extent{i + 1, t.endOf(i+1, true)}):
			return true
		}
	}
	return false
}

// outside says whether the name at i is declared elsewhere than in an extent.
func (t *trace) outside(i int, e extent) bool {
	if !t.isName(i) {
		return false
	}
	for j := e.from; j < e.to && !t.tired(); j++ {
		if t.isName(j) && t.string(j) == t.string(i) && t.beginsDeclarator(j-1) {
			return false
		}
	}
	return true
}

func (s *suspicion) callsOne(e extent, c callers) bool {
	for i := e.from; i < e.to && !s.tired(); i++ {
		if s.isName(i) && s.is(i+1, "(") && (s.afterMember(i) && c.methods[s.string(i)] && !builtIn[s.string(i)] || !s.afterMember(i) && c.names[s.string(i)]) {
			return true
		}
	}
	return false
}

// inExecutor says whether the token at i is in the function that `new Promise`
// is given: what runs there ends when it says so.
func (f *awaiting) inExecutor(i int) bool {
	for _, b := range f.bodies {
		if f.tired() || b.from > i {
			break
		}
		if i >= b.to || !f.is(b.head-1, "(") {
			continue
		}
		if of := f.typeParameters(b.head-1) - 1; f.is(of, "Promise") && f.is(of-1, "new") {
			return true
		}
	}
	return false
}
