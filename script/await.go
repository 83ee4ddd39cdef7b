package script

import (
	"cmp"
	"slices"
	"strings"
)

// An Unawaited is a promise of tool calls that nobody awaits or uses.
type Unawaited struct {
	// Range is what to mark: the tool's access, or the call of the function that
	// calls tools.
	Range Range
	// Tool is the tool that is called there, or "" for a function of the script.
	Tool string
	// Callback is the method of arrays that does not wait for its callback, such as
	// forEach, or "".
	Callback string
	// Whole is the expression that would have to be awaited, which is also
	// text[Start:End]; Several says that it is an array of promises, which needs
	// Promise.all.
	Whole      Range
	Start, End int
	Several    bool
	// Async says that an await is allowed there.
	Async bool
	// Used says that it is used as if it were what it brings.
	Used bool
	// Key has to be written before it where it is a property in short; Compound says
	// that it needs parentheses behind an await.
	Key      string
	Compound bool

	function string // of the script, that is called there
}

// Promises are those of tool calls that nobody awaits or uses, in the order of
// the text (EXEC-14). When in doubt a promise is used.
type Promises struct {
	Lost     []Unawaited
	Suspects []Suspect // which only types tell; not more than maxSuspects
}

// FindPromises finds what happens to the promises of tool calls in a text.
func FindPromises(text string) Promises {
	if !strings.Contains(text, "tools") {
		return Promises{}
	}
	s := tokenize(text)
	u := uses{scan: s, at: positions(text)}
	u.find()
	f := awaiting{uses: &u, bodies: s.asyncBodies()}
	f.find()
	suspects := f.suspects() // which says of some that are found that they are not lost
	return Promises{f.found, suspects}
}

func (f *awaiting) find() {
	for i, use := range f.uses.found {
		at := f.sites[i]
		if !use.Called || at.to <= at.from {
			continue
		}
		if whole, ok := f.discarded(extent{at.from, at.to + 1}); ok && !(whole.to > at.to+1 && f.inExecutor(at.from)) || f.lost(whole) {
			f.add(use.Whole, use.Name, whole)
		}
	}
	f.functions()
	f.callbacks()
	slices.SortStableFunc(f.found, func(a, b Unawaited) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
}

type awaiting struct {
	*uses
	bodies []asyncBody
	found  []Unawaited

	names, methods map[string]bool // of functions whose calls make promises of tool calls
}

func (f *awaiting) add(at Range, tool string, d discard) {
	start, end := f.tokens[d.from].start, f.tokens[d.to-1].end
	f.found = append(f.found, Unawaited{
		Range: at, Tool: tool, Whole: f.span(start, end), Start: start, End: end, Several: d.several,
		Async: f.allowsAwait(d.from),
	})
}

// AllowsAwait says whether an await may stand at an offset: not in a function that
// is not async.
func AllowsAwait(text string, offset int) bool {
	s := tokenize(text)
	f := awaiting{uses: &uses{scan: s}, bodies: s.asyncBodies()}
	return f.allowsAwait(s.at(offset))
}

// ChainBefore is where the expression begins whose member is named at an offset;
// ok is false when no member is.
func ChainBefore(text string, offset int) (start int, ok bool) {
	s := tokenize(text)
	i := s.at(offset)
	if !s.isName(i) || !s.afterMember(i) || i < 2 {
		return 0, false
	}
	return s.tokens[s.newHead(s.headOf(i-2))].start, true
}

// allowsAwait says whether an await may stand before the token at i.
func (f *awaiting) allowsAwait(i int) bool {
	allowed := true
	for _, b := range f.bodies { // outer ones come first
		if f.tired() {
			break
		}
		if b.from <= i && i < b.to {
			allowed = b.async
		}
	}
	return allowed
}

// functions adds the calls of functions that call tools and are not awaited.
func (f *awaiting) functions() {
	f.calling()
	for i := range f.tokens {
		switch {
		case f.isName(i) && f.is(i+1, "(") && f.opens(i+1) && f.calls(i) && !f.is(i-1, "function"):
			from := i
			if f.afterMember(i) {
				from = f.newHead(f.headOf(i - 2))
			}
			if d, ok := f.discarded(extent{from, f.tokens[i+1].match + 1}); ok && !f.inExecutor(i) {
				f.add(f.span(f.tokens[from].start, f.tokens[f.tokens[i+1].match].end), "", d)
				f.found[len(f.found)-1].function = f.string(i)
			}
		case f.is(i, "(") && f.opens(i) && f.is(f.tokens[i].match+1, "(") && f.opens(f.tokens[i].match+1):
			// (async () => { … })()
			b, ok := f.bodyFrom(i+1, f.tokens[i].match)
			if !ok || !f.async(b) || !f.reaches(b.extent) {
				continue
			}
			if d, ok := f.discarded(extent{i, f.tokens[f.tokens[i].match+1].match + 1}); ok {
				f.add(f.span(f.tokens[i].start, f.tokens[b.from].start), "", d)
			}
		}
	}
}

// calling finds the functions whose calls make promises of tool calls.
func (f *awaiting) calling() {
	f.names, f.methods = map[string]bool{}, map[string]bool{}
	other := map[string]bool{} // methods that are not all async
	for _, b := range f.bodies {
		if b.method != "" && !f.async(b) {
			other[b.method] = true
		}
	}
	for range 3 { // a function may call another one that does
		for _, b := range f.bodies {
			named, member := b.name != "" && !f.names[b.name], b.method != "" && !f.methods[b.method] && !other[b.method] && !builtIn[b.method]
			if (named || member) && f.async(b) && f.reaches(b.extent) {
				f.names[b.name] = f.names[b.name] || named
				f.methods[b.method] = f.methods[b.method] || member
			}
		}
	}
}

// builtIn are methods of the language's own objects, which are called for what
// they do: one of the same name in the script does not say whose is meant.
var builtIn = map[string]bool{
	"": true, "add": true, "append": true, "adopt": true, "clear": true, "copyWithin": true, "debug": true, "defer": true, "delete": true,
	"dispose": true, "disposeAsync": true, "error": true, "fill": true, "forEach": true, "info": true, "log": true, "move": true, "next": true,
	"pop": true, "push": true, "return": true, "reverse": true, "set": true, "shift": true, "sort": true, "splice": true, "throw": true,
	"unshift": true, "use": true, "warn": true, "then": true, "catch": true, "finally": true, "call": true, "apply": true,
}

// calls says whether the function whose name is at i is one that calls tools.
func (f *awaiting) calls(i int) bool {
	if !f.afterMember(i) {
		return f.names[f.string(i)]
	}
	return f.methods[f.string(i)] && !slices.ContainsFunc(f.sites, func(at site) bool { return at.from <= i && i < at.to })
}

// newHead is the index of the `new` before the token at i, or i.
func (s *scan) newHead(i int) int {
	if s.is(i-1, "new") {
		return i - 1
	}
	return i
}

// async says whether a call of a function makes a promise: it is async, or all
// that it does is to return the promise of a call.
func (f *awaiting) async(b asyncBody) bool {
	if b.async {
		return true
	}
	if !f.is(b.from, "{") {
		return f.is(b.from-1, "=>") && f.promises(b.from, b.to)
	}
	for i := b.from; i < b.to && !f.tired(); i++ {
		if f.is(i, "return") && !f.afterMember(i) && f.innermost(i).extent == b.extent && f.promises(i+1, f.endOf(i+1, true)) {
			return true
		}
	}
	return false
}

// promises says whether the expression from i to the token before end is the
// call of a tool, or a list of them put together.
func (f *awaiting) promises(i, end int) bool {
	if f.is(i, "Promise") && f.is(i+1, ".") && f.isName(i+2) && combines[f.string(i+2)] && f.is(i+3, "(") {
		return true
	}
	return slices.ContainsFunc(f.sites, func(at site) bool {
		if at.from != i || at.to <= at.from {
			return false
		}
		to, handled := f.chainEnd(at.to + 1)
		return !handled && to == end
	})
}

// combines are the methods of Promise that make one promise of several.
var combines = map[string]bool{"all": true, "allSettled": true, "race": true, "any": true}

// innermost is the innermost function around the token at i.
func (f *awaiting) innermost(i int) (b asyncBody) {
	for _, o := range f.bodies { // outer ones come first
		if f.tired() {
			break
		}
		if o.from <= i && i < o.to {
			b = o
		}
	}
	return b
}

// bodyFrom is the function that begins with the token at i and ends before to.
func (f *awaiting) bodyFrom(i, to int) (asyncBody, bool) {
	for _, b := range f.bodies {
		if f.tired() {
			break
		}
		if b.head == i && b.to == to {
			return b, true
		}
	}
	return asyncBody{}, false
}

// reaches says whether tools are called within an extent, directly or by one of
// the script's functions.
func (f *awaiting) reaches(e extent) bool {
	for _, at := range f.sites {
		if f.tired() {
			return false
		}
		if at.to > at.from && e.from <= at.from && at.from < e.to {
			return true
		}
	}
	for i := e.from; i < e.to && !f.tired(); i++ {
		if f.isName(i) && f.is(i+1, "(") && f.calls(i) {
			return true
		}
	}
	return false
}

// callbacks adds the async functions that are given to methods of arrays which
// do not wait for them, and the arrays of promises that map makes of them.
func (f *awaiting) callbacks() {
	for i := range f.tokens {
		if !f.isName(i) || !f.afterMember(i) || !f.is(i+1, "(") || !f.opens(i+1) {
			continue
		}
		method := f.string(i)
		list := method == "map" || method == "flatMap"
		if method != "forEach" && !list && !takesValues[method] || f.hasMethod(method) {
			continue
		}
		end := f.tokens[i+1].match
		if !f.asyncArgument(extent{i + 2, f.argumentEnd(i+2, end)}, method == "forEach" || list) {
			continue
		}
		head := f.newHead(f.headOf(i - 2))
		if list {
			d, ok := f.discarded(extent{head, end + 1})
			d.several = d.several || d.from == head
			if ok || f.lost(d) {
				f.add(f.span(f.tokens[i].start, f.tokens[i].end), "", d)
			}
			continue
		}
		start, stop := f.tokens[head].start, f.tokens[end].end
		f.found = append(f.found, Unawaited{
			Range: f.span(f.tokens[i].start, f.tokens[i].end), Callback: method,
			Whole: f.span(start, stop), Start: start, End: stop, Several: true, Async: f.allowsAwait(i),
		})
	}
}

// takesValues are the methods of arrays that look at whether their callback's
// value is true, which a promise always is.
var takesValues = map[string]bool{
	"filter": true, "some": true, "every": true, "find": true, "findIndex": true, "findLast": true, "findLastIndex": true,
}

// asyncArgument says whether an argument is a function that makes promises of
// tool calls. asyncOnly leaves out functions that return them without being
// async, whose calls are followed by themselves.
func (f *awaiting) asyncArgument(e extent, asyncOnly bool) bool {
	if e.to == e.from+1 && f.isName(e.from) {
		return f.names[f.string(e.from)]
	}
	b, ok := f.bodyFrom(e.from, e.to)
	return ok && (b.async || !asyncOnly && f.async(b)) && f.reaches(b.extent)
}

// hasMethod says whether the script itself has a method of that name.
func (f *awaiting) hasMethod(name string) bool {
	return slices.ContainsFunc(f.bodies, func(b asyncBody) bool { return b.method == name })
}

// lost says whether promises go where nobody waits for them: into what the script
// returns, at once or under a name that does nothing else, or into an await of
// their list, which waits for none of them.
func (f *awaiting) lost(d discard) bool {
	switch {
	case d.several && (f.returned(d.extent) || f.is(d.from-1, "await")), f.inReturned(d.extent):
		return true
	case !f.is(d.from-1, "=") || !f.endsDeclarator(d.to) || !f.isName(d.from-2) || !f.is(d.from-3, "const"):
		return false
	}
	name, mentions := f.string(d.from-2), 0
	for i := range f.tokens {
		if f.tired() {
			return false
		}
		if i == d.from-2 || !f.isName(i) || f.string(i) != name || f.afterMember(i) {
			continue
		}
		at := extent{i, i + 1}
		if !(d.several && f.returned(at)) && !f.inReturned(at) && !f.madeText(at) {
			return false
		}
		mentions++
	}
	return mentions > 0
}

// inReturned says whether an expression is an element or a property of what the
// script returns: a promise in there is not waited for.
func (f *awaiting) inReturned(e extent) bool {
	if !f.is(e.to, ",") && !f.is(e.to, "}") && !f.is(e.to, "]") {
		return false
	}
	open := f.around(e.from)
	return open > 0 && f.opens(open) && f.returned(extent{open, f.tokens[open].match + 1}) &&
		(f.is(open, "[") && (e.from-1 == open || f.is(e.from-1, ",")) || f.is(open, "{") && (f.is(e.from-1, ":") || e.to == e.from+1 && (e.from-1 == open || f.is(e.from-1, ","))))
}

// returned says whether an expression is what the script returns.
func (f *awaiting) returned(e extent) bool {
	return f.is(e.from-1, "return") && f.endsStatement(e.to) && f.innermost(e.from).to == 0
}

// A discard is an expression whose value is thrown away.
type discard struct {
	extent
	several bool // it is an array of promises
}

// discarded follows a promise from the expression that makes it to where its
// value ends up, and says whether that is nowhere.
func (s *scan) discarded(e extent) (discard, bool) {
	d := discard{extent: e}
	for !s.tired() {
		end, handled := s.chainEnd(d.to)
		if handled {
			return d, false
		}
		d.to = end
		switch {
		case s.madeText(d.extent):
			return d, true
		case s.endsStatement(d.to) && s.beginsStatement(d.from), s.inSequence(d.extent):
			return d, true
		case d.to < len(s.tokens) && s.asserted(d.to):
			s.assertion(&d)
		case s.is(d.from-1, "(") && s.is(d.to, ")") && s.tokens[d.from-1].match == d.to:
			if !s.enclosed(&d) {
				return d, false
			}
		case s.is(d.from-1, "=>") && (s.is(d.to, ")") || s.is(d.to, ",")):
			if !s.ofCallback(&d) {
				return d, false
			}
		case s.inArray(&d):
		case s.is(d.from-1, "=") && s.endsDeclarator(d.to):
			return d, s.forgotten(d.from - 2)
		default:
			return d, s.branch(d.extent)
		}
	}
	return d, false
}

// chainEnd is the index behind .then(…).finally(…) and the like; handled says
// that the rejection is dealt with, or that it is no such chain.
func (s *scan) chainEnd(i int) (end int, handled bool) {
	for i < len(s.tokens) && !s.tired() {
		switch {
		case s.is(i, "!") && !s.tokens[i].newline:
			i++
		case (s.is(i, ".") || s.is(i, "?.")) && s.isName(i+1) && s.is(i+2, "(") && s.opens(i+2):
			end := s.tokens[i+2].match
			switch s.string(i + 1) {
			case "then":
				if s.argumentEnd(i+3, end)+1 < end {
					return i, true
				}
			case "catch":
				if end > i+3 {
					return i, true
				}
			case "finally":
			default:
				return i, true
			}
			i = end + 1
		case s.is(i, "."), s.is(i, "?."), s.is(i, "["), s.is(i, "("):
			return i, true
		default:
			return i, false
		}
	}
	return i, false
}

// endsStatement says whether a statement can end before the token at i.
func (s *scan) endsStatement(i int) bool {
	return i >= len(s.tokens) || s.is(i, ";") || s.is(i, "}") || s.is(i, "else") || s.tokens[i].newline && !s.continues(i)
}

// madeText says whether an expression is made a text, in a template, by a call
// or by a string that it is added to: a promise's says nothing.
func (s *scan) madeText(e extent) bool {
	if e.from == 0 || e.to >= len(s.tokens) {
		return false
	}
	before := s.tokens[e.from-1]
	if before.kind == tokenTemplate {
		return before.match == e.to
	}
	if s.is(e.from-1, "+") && s.isText(e.from-2) || s.is(e.to, "+") && s.isText(e.to+1) && (s.is(e.from-1, "(") || s.is(e.from-1, "=") || s.is(e.from-1, "return")) {
		return true
	}
	if s.is(e.from-1, "(") || s.is(e.from-1, ",") {
		if open := s.around(e.from); open > 2 && s.is(open, "(") && s.is(open-2, ".") && s.is(open-3, "console") && !s.afterMember(open-3) &&
			(s.is(e.to, ")") || s.is(e.to, ",")) {
			return true
		}
	}
	if before.match != e.to || !s.is(e.from-1, "(") {
		return false
	}
	return s.is(e.from-2, "stringify") && s.is(e.from-3, ".") && s.is(e.from-4, "JSON") || s.is(e.from-2, "String") && !s.afterMember(e.from-2)
}

// isText says that the token at i is a string or the end of a template.
func (s *scan) isText(i int) bool {
	return i >= 0 && i < len(s.tokens) && (s.tokens[i].kind == tokenString || s.tokens[i].kind == tokenTemplate)
}

// enclosed goes on with what is around the parentheses of d: nothing, or a call
// that takes the promise on. It is false when the call does something with it.
func (s *scan) enclosed(d *discard) bool {
	open := d.from - 1
	switch {
	case s.isName(open-1) && s.is(open-2, ".") && s.is(open-3, "Promise") && !s.afterMember(open-3):
		switch s.string(open - 1) {
		case "all", "allSettled", "race", "any", "resolve":
			d.from, d.to, d.several = open-3, d.to+1, false
			return true
		}
		return false
	case s.isName(open-1) && (s.afterMember(open-1) || !beforeExpression[s.string(open-1)]), open > 0 && s.closes(open-1) && s.tokens[open-1].operand:
		return false // an argument of something else
	}
	d.from, d.to = open, d.to+1
	return true
}

// ofCallback goes on from the body of an arrow function to the call that it is
// an argument of, when that throws the body's value away or collects it.
func (s *scan) ofCallback(d *discard) bool {
	i := d.from - 2 // the end of the parameters
	if s.closes(i) && s.tokens[i].match >= 0 {
		i = s.tokens[i].match
	}
	if s.is(i-1, "async") {
		i--
	}
	open := i - 1
	if !s.is(open, "(") || !s.opens(open) || !s.isName(open-1) || !s.afterMember(open-1) {
		return false
	}
	d.from, d.to = s.newHead(s.headOf(open-3)), s.tokens[open].match+1
	switch s.string(open - 1) {
	case "forEach":
		return s.beginsStatement(d.from) && s.endsStatement(d.to)
	case "map", "flatMap":
		d.several = true
		return true
	}
	return false
}

// inArray goes on from an element of an array to the array, when it is given to
// Promise.all and the like, or when nothing is done with it.
func (s *scan) inArray(d *discard) bool {
	if !s.is(d.from-1, "[") && !s.is(d.from-1, ",") || !s.is(d.to, "]") && !s.is(d.to, ",") {
		return false
	}
	open := s.around(d.from)
	if open < 0 || !s.is(open, "[") || !s.opens(open) {
		return false
	}
	end := s.tokens[open].match + 1
	switch {
	case s.is(open-1, "(") && s.tokens[open-1].match == end:
	case s.is(open-1, "=") && s.endsDeclarator(end) && s.forgotten(open-2):
	case s.beginsStatement(open) && s.endsStatement(end):
	default:
		return false
	}
	d.from, d.to, d.several = open, end, true
	return true
}

// branch says whether an expression is the last operand of && and the like, or a
// branch of a choice, in a statement that does nothing with its value.
func (s *scan) branch(e extent) bool {
	if !s.is(e.from-1, "&&") && !s.is(e.from-1, "||") && !s.is(e.from-1, "??") && !s.is(e.from-1, "?") && !s.is(e.from-1, ":") {
		return false
	}
	if !s.is(e.to, ":") && !s.endsStatement(e.to) {
		return false
	}
	return s.valueUnused(e.from - 1)
}

// headOf is the index of the first token of the chain of members and calls that
// ends with the token at i.
func (s *scan) headOf(i int) int {
	for i > 0 && !s.tired() {
		for i > 0 && s.closes(i) && s.tokens[i].match >= 0 {
			i = s.tokens[i].match
			if !(s.isName(i-1) && !beforeExpression[s.string(i-1)]) && !s.closes(i-1) {
				break
			}
			i--
		}
		if !s.afterMember(i) {
			break
		}
		i -= 2
	}
	return max(i, 0)
}
