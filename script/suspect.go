package script

import (
	"cmp"
	"slices"
)

// A PromiseTest is what is to be found out about the type of an expression.
type PromiseTest int

const (
	// CertainPromise: it is a promise, whatever happens, or an array of nothing else.
	CertainPromise PromiseTest = iota
	// Promised: it is a promise, if it is anything, or an array of them.
	Promised
	// PromisesWithin: the same, or something that has promises in it.
	PromisesWithin
	// PromisesBehind: the same of what it brings, if it is a promise: that is deep.
	PromisesBehind
	// PromiseReturned: it is a function that returns a promise.
	PromiseReturned
)

// A Promising is what there is to a type by a PromiseTest.
type Promising int

const (
	NoPromise   Promising = iota
	OnePromise            // or a function that returns one
	PromiseList           // an array of promises
	PromiseDeep           // promises somewhere in it
)

// A Suspect is an expression that loses promises if it has any, which only its
// type tells.
type Suspect struct {
	Value Range // the expression whose type tells
	// Around is what a complaint of TypeScript's about it may be about: the property
	// that it is the value of, or Value.
	Around Range
	// Into is the variable that gets what is made of it, when that is all that the
	// statement does.
	Into string
	Test PromiseTest
	// Lost is what is to be reported when it has any. Several is to be set by what
	// was found out.
	Lost Unawaited

	accepts []Promising
	extent  extent
}

// Loses says whether promises of that kind are lost there.
func (s Suspect) Loses(p Promising) bool { return slices.Contains(s.accepts, p) }

// maxSuspects bounds the work that a text makes.
const maxSuspects = 256

// suspects are the expressions that lose promises of tool calls if they are
// promises or have some in them, unless they are known to. There are none in a
// script that awaits all that it calls.
func (f *awaiting) suspects() []Suspect {
	if !f.leaves() {
		return nil
	}
	f.steps = 0 // what was looked at before does not count
	t := f.trace()
	kept := t.keeping()
	f.found = slices.DeleteFunc(f.found, func(u Unawaited) bool { return kept[u.function] })
	s := suspicion{trace: t, kept: kept, module: IsModule(f.text), toolCalls: map[int]bool{}, told: map[string]bool{}}
	for _, at := range f.sites {
		if at.to > 0 {
			s.toolCalls[s.tokens[at.to].match] = true
		}
	}
	for _, u := range f.found {
		if i := s.scan.at(u.Start); s.is(i-1, "=") && s.isName(i-2) {
			s.told[s.string(i-2)] = true
		}
	}
	s.callbacks()
	s.calls()
	s.bareNames()
	s.values()
	s.returns()
	slices.SortStableFunc(s.all, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(a.extent.from, b.extent.from), cmp.Compare(b.extent.to, a.extent.to))
	})
	return s.all
}

// leaves says whether there are promises in the script that are not awaited
// where they are made.
func (f *awaiting) leaves() bool {
	for _, u := range f.uses.found {
		if !u.Awaited {
			return true
		}
	}
	for i := range f.tokens {
		if f.isName(i) && (f.is(i, "async") || f.is(i, "Promise") || f.is(i, "fromAsync")) {
			return true
		}
	}
	return false
}

type suspicion struct {
	*trace
	module    bool
	toolCalls map[int]bool    // the parentheses of calls of tools
	kept      map[string]bool // functions that put their promises somewhere, where they are waited for
	told      map[string]bool // variables whose promises are lost where they are made
	all       []Suspect
}

// suspect adds an expression, unless it cannot be a promise or is known to be
// lost.
func (s *suspicion) suspect(value extent, test PromiseTest, lost Unawaited, accepts ...Promising) {
	if value.to > value.from && s.flows(value) {
		s.add(value, test, lost, accepts...)
	}
}

// add is suspect for an expression that may be a promise.
func (s *suspicion) add(value extent, test PromiseTest, lost Unawaited, accepts ...Promising) {
	if len(s.all) >= maxSuspects || s.tired() {
		return
	}
	if value.to == value.from+1 && s.told[s.string(value.from)] {
		return
	}
	for _, f := range s.awaiting.found {
		if f.Range == lost.Range || f.Start >= s.tokens[value.from].start && f.End <= s.tokens[value.to-1].end {
			return
		}
	}
	for _, o := range s.all {
		if o.extent == value || o.Lost.Range == lost.Range && lost.Callback == "" {
			return
		}
	}
	around := value
	if s.is(value.from-1, ":") && s.isName(value.from-2) && (s.is(value.from-3, "{") || s.is(value.from-3, ",")) {
		around.from -= 2
	}
	s.all = append(s.all, Suspect{
		Value: s.spanOf(value), Around: s.spanOf(around), Into: s.variable(value.from), Test: test, Lost: lost,
		accepts: accepts, extent: value,
	})
}

// variable is the name that is declared by the statement that the token at i is
// in, or "".
func (s *suspicion) variable(i int) string {
	for ; i > 2 && !s.tired() && !s.is(i, ";"); i-- {
		if s.is(i, "=") && s.isName(i-1) && s.beginsDeclarator(i-2) {
			return s.string(i - 1)
		}
		if s.beginsStatement(i) {
			break
		}
	}
	return ""
}

func (s *suspicion) spanOf(e extent) Range {
	return s.span(s.tokens[e.from].start, s.tokens[e.to-1].end)
}

// used is what is reported of an expression that is used as if it were what it
// brings.
func (s *suspicion) used(e extent) Unawaited {
	u := Unawaited{Whole: s.spanOf(e), Start: s.tokens[e.from].start, End: s.tokens[e.to-1].end, Async: s.allowsAwait(e.from), Used: true}
	u.Compound = s.operandEnd(e.from) != e.to
	mark := e
	for mark.to = e.from + 1; mark.to < e.to && !s.tokens[mark.to].newline; mark.to++ {
	}
	u.Range = s.spanOf(mark)
	return u
}

// value suspects an expression of which the value is looked at: the values in it,
// if it is a literal.
func (s *suspicion) value(e extent, test PromiseTest, accepts ...Promising) {
	for e.to-e.from > 2 && s.is(e.from, "(") && s.tokens[e.from].match == e.to-1 {
		e.from, e.to = e.from+1, e.to-1
	}
	if e.to <= e.from || s.tired() {
		return
	}
	if what := s.plainly(e); what != "" && what != "object" && what != "array" {
		return
	}
	literal := s.tokens[e.from].match == e.to-1
	switch {
	case literal && s.is(e.from, "["):
		for i := e.from + 1; i < e.to-1; {
			to := s.argumentEnd(i, e.to-1)
			if !s.is(i, "...") {
				s.value(extent{i, to}, test, accepts...)
			} else if slices.Contains(accepts, PromiseList) {
				s.value(extent{i + 1, to}, test, PromiseList)
			}
			i = to + 1
		}
	case literal && s.is(e.from, "{") && !s.tokens[e.from].block:
		for i := e.from + 1; i < e.to-1; {
			to := s.argumentEnd(i, e.to-1)
			s.property(extent{i, to}, test, accepts)
			i = to + 1
		}
	default:
		s.suspect(e, test, s.used(e), accepts...)
	}
}

// property suspects the value of a property.
func (s *suspicion) property(e extent, test PromiseTest, accepts []Promising) {
	switch {
	case s.is(e.from, "..."):
		if slices.Contains(accepts, PromiseDeep) && test == PromisesWithin {
			s.value(extent{e.from + 1, e.to}, test, PromiseDeep)
		}
	case s.is(e.from, "[") && s.opens(e.from) && s.is(s.tokens[e.from].match+1, ":"):
		s.value(extent{s.tokens[e.from].match + 2, e.to}, test, accepts...)
	case s.is(e.from+1, ":"):
		s.value(extent{e.from + 2, e.to}, test, accepts...)
	case e.to == e.from+1 && s.isName(e.from):
		n := len(s.all)
		s.suspect(e, test, s.used(e), accepts...)
		if len(s.all) > n {
			s.all[n].Lost.Key = s.string(e.from) + ": "
		}
	}
}

// returns suspects what the script returns, and lists of promises that are
// awaited as if they were promises.
func (s *suspicion) returns() {
	for i := range s.tokens {
		switch {
		case s.keyword(i, "return") && s.main(i) && i+1 < len(s.tokens) && !s.tokens[i+1].newline:
			s.returned(extent{i + 1, s.endOf(i+1, true)})
		case s.keyword(i, "await") && i+1 < len(s.tokens) && !s.is(i-1, "for"):
			s.awaited(i)
		}
	}
}

// returned suspects what the script returns: a promise is waited for, but none in
// a literal.
func (s *suspicion) returned(e extent) {
	for e.to-e.from > 2 && s.is(e.from, "(") && s.tokens[e.from].match == e.to-1 {
		e.from, e.to = e.from+1, e.to-1
	}
	switch {
	case e.to <= e.from || s.sources[e.from] && s.promises(e.from, e.to): // or a call of a tool
	case (s.is(e.from, "[") || s.is(e.from, "{")) && s.tokens[e.from].match == e.to-1:
		s.value(e, PromisesWithin, OnePromise, PromiseList, PromiseDeep)
	case s.plainly(e) == "":
		s.suspect(e, PromisesBehind, s.used(e), PromiseList, PromiseDeep)
	}
}

// main says whether a return at the token at i ends the script.
func (s *suspicion) main(i int) bool {
	b := s.innermost(i)
	if !s.module {
		return b.to == 0
	}
	return b.to > 0 && s.is(b.head-1, "default")
}

// awaited suspects a list behind await, which waits for none of its promises.
func (s *suspicion) awaited(i int) {
	end := s.operandEnd(i + 1)
	operand := extent{i + 1, end}
	if end <= i+1 {
		return
	}
	open := s.tokens[end-1].match
	switch {
	case s.is(i+1, "Promise"):
		// Promise.all of lists of lists waits for none either.
		if s.is(i+3, "all") && s.countMaps(operand) > 1 {
			lost := s.used(extent{i, end})
			lost.Async = false // there is no simple way
			s.add(extent{i, end}, Promised, lost, PromiseList)
		}
	case s.isName(end-1) && s.lists[s.string(end-1)], s.is(end-1, "]") && !s.is(i+1, "["),
		open > i && s.isName(open-1) && s.afterMember(open-1) && listMethods[s.string(open-1)]:
		s.suspect(operand, Promised, s.used(operand), PromiseList)
	}
}

// listMethods are methods of arrays that return arrays.
var listMethods = map[string]bool{"map": true, "flatMap": true, "filter": true, "slice": true, "concat": true, "flat": true}

func (s *suspicion) countMaps(e extent) (n int) {
	for i := e.from; i < e.to; i++ {
		if s.afterMember(i) && (s.is(i, "map") || s.is(i, "flatMap")) && s.is(i+1, "(") {
			n++
		}
	}
	return n
}

// callbacks suspects the functions that are given to methods of arrays that look
// at whether what they return is true.
func (s *suspicion) callbacks() {
	for i := range s.tokens {
		if !s.isName(i) || !s.afterMember(i) || !s.is(i+1, "(") || !s.opens(i+1) || s.tired() {
			continue
		}
		method := s.string(i)
		if method != "forEach" && !takesValues[method] || s.hasMethod(method) {
			continue
		}
		end := s.tokens[i+1].match
		argument := extent{i + 2, s.argumentEnd(i+2, end)}
		head := s.newHead(s.headOf(i - 2))
		lost := Unawaited{
			Range: s.spanOf(extent{i, i + 1}), Callback: method, Whole: s.spanOf(extent{head, end + 1}),
			Start: s.tokens[head].start, End: s.tokens[end].end, Several: true, Async: s.allowsAwait(i),
		}
		b, isFunction := s.bodyFrom(argument.from, argument.to)
		switch {
		case !isFunction && s.is(argument.from, "Boolean"):
			s.suspect(extent{head, i - 1}, CertainPromise, lost, PromiseList)
		case !isFunction:
			if method != "forEach" || s.isName(argument.to-1) {
				s.suspect(argument, PromiseReturned, lost, OnePromise)
			}
		case b.async || method == "forEach":
		case !s.is(b.from, "{"):
			s.suspect(b.extent, CertainPromise, lost, OnePromise)
		default:
			for j := b.from; j < b.to && !s.tired(); j++ {
				if s.keyword(j, "return") && s.innermost(j).extent == b.extent && !s.tokens[j+1].newline {
					s.suspect(extent{j + 1, s.endOf(j+1, true)}, CertainPromise, lost, OnePromise)
				}
			}
		}
	}
}

// values suspects what is made a text, looked into or asked for being true.
func (s *suspicion) values() {
	for i := range s.tokens {
		if s.tired() {
			return
		}
		switch {
		case s.tokens[i].kind == tokenTemplate && s.tokens[i].match > i:
			s.value(extent{i + 1, s.tokens[i].match}, Promised, OnePromise, PromiseList)
		case s.is(i, "(") && s.opens(i) && s.toolCalls[i]:
			s.value(extent{i + 1, s.argumentEnd(i+1, s.tokens[i].match)}, PromisesWithin, OnePromise, PromiseList, PromiseDeep)
		case s.is(i, "(") && s.opens(i) && s.isName(i-1):
			s.arguments(i)
		case s.is(i, "...") && i+1 < len(s.tokens):
			if open := s.around(i); open >= 0 && s.is(open, "{") && !s.tokens[open].block && s.opens(open) {
				s.value(extent{i + 1, s.argumentEnd(i+1, s.tokens[open].match)}, CertainPromise, OnePromise)
			}
		case s.is(i, "!") && !s.tokens[i].operand && i+1 < len(s.tokens) && !s.is(i+1, "="):
			if e := (extent{i + 1, s.operandEnd(i + 1)}); s.endsCall(e) {
				s.value(e, CertainPromise, OnePromise)
			}
		case s.is(i, "+") && s.isText(i-1) && i+1 < len(s.tokens):
			s.value(extent{i + 1, s.operandEnd(i + 1)}, Promised, OnePromise, PromiseList)
		case i > 0 && i+1 < len(s.tokens) && s.is(i, "+") && s.isText(i+1),
			i > 0 && (s.is(i, "||") || s.is(i, "??") || s.compares(i)) && s.closes(i-1):
			if e := (extent{s.headOf(i - 1), i}); s.stands(e.from) && (s.is(i, "+") || s.endsCall(e)) {
				s.value(e, CertainPromise, OnePromise)
			}
		}
	}
}

// stands says whether an operand that begins at i is one by itself, without
// anything before it that binds more closely.
func (s *scan) stands(i int) bool {
	if i == 0 {
		return true
	}
	return !s.tokens[i-1].operand && !s.is(i-1, "!") && !s.is(i-1, "new") && !s.is(i-1, "await") && !s.is(i-1, "typeof") && !s.is(i-1, "void") &&
		!s.is(i-1, "delete") && !s.is(i-1, "-") && !s.is(i-1, "+") && !s.is(i-1, "in") && !s.is(i-1, "instanceof") || s.beginsStatement(i)
}

// endsCall says whether an expression is a call, as far as its end tells.
func (s *scan) endsCall(e extent) bool {
	return e.to-e.from > 2 && s.is(e.to-1, ")") && s.tokens[e.to-1].match > e.from
}

// arguments suspects those of the call whose parenthesis is at open.
func (s *suspicion) arguments(open int) {
	name, end := s.string(open-1), s.tokens[open].match
	first := extent{open + 1, s.argumentEnd(open+1, end)}
	of := ""
	if s.afterMember(open-1) && s.isName(open-3) && !s.afterMember(open-3) {
		of = s.string(open - 3)
	}
	switch {
	case of == "console":
		for i := open + 1; i < end && !s.tired(); {
			to := s.argumentEnd(i, end)
			s.value(extent{i, to}, Promised, OnePromise, PromiseList)
			i = to + 1
		}
	case of == "JSON" && name == "stringify":
		s.value(first, PromisesWithin, OnePromise, PromiseList, PromiseDeep)
	case of == "Object" && (name == "keys" || name == "values" || name == "entries"):
		s.value(first, CertainPromise, OnePromise)
	case of == "Object" && name == "assign":
		for i := first.to + 1; i < end && !s.tired(); {
			to := s.argumentEnd(i, end)
			s.value(extent{i, to}, CertainPromise, OnePromise)
			i = to + 1
		}
	case of == "" && !s.afterMember(open-1) && (name == "String" || name == "Number" || name == "Boolean"):
		s.value(first, Promised, OnePromise, PromiseList)
	case name == "join" && s.afterMember(open-1) && open > 2:
		s.value(extent{s.headOf(open - 3), open - 2}, Promised, PromiseList)
	case name == "while" && !s.afterMember(open-1):
		if e := (extent{open + 1, end}); s.endsCall(e) && s.operandEnd(e.from) == e.to {
			s.value(e, CertainPromise, OnePromise)
		}
	}
}
