package script

import (
	"cmp"
	"slices"
)

// An Unawaited is a promise of tool calls that nobody awaits or uses.
type Unawaited struct {
	// Range is what to mark: the tool's access, or the call of the function that
	// calls tools.
	Range Range
	// Tool is the tool that is called there, or "" for a function of the script.
	Tool string
	// Callback says that it is the callback of a forEach, which does not wait.
	Callback bool
	// Whole is the expression that would have to be awaited, which is also
	// text[Start:End]; Several says that it is an array of promises, which needs
	// Promise.all.
	Whole      Range
	Start, End int
	Several    bool
	// Async says that an await is allowed there.
	Async bool
}

// FindUnawaited finds the promises of tool calls that nobody awaits or uses, in
// the order of the text (EXEC-14). When in doubt a promise is used.
func FindUnawaited(text string) []Unawaited {
	s := tokenize(text)
	u := uses{scan: s, at: positions(text)}
	u.find()
	f := awaiting{uses: &u, bodies: s.asyncBodies()}
	for i, use := range u.found {
		if use.Discarded {
			whole, _ := s.discarded(extent{u.sites[i].from, u.sites[i].to + 1})
			f.add(use.Whole, use.Name, whole)
		}
	}
	f.functions()
	f.callbacks()
	slices.SortStableFunc(f.found, func(a, b Unawaited) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
	return f.found
}

type awaiting struct {
	*uses
	bodies []asyncBody
	found  []Unawaited
}

// An asyncBody is the body of a function and whether await is allowed in it.
type asyncBody struct {
	extent
	async bool
	name  string // of the function, or ""
	head  int    // its first token
}

func (f *awaiting) add(at Range, tool string, d discard) {
	start, end := f.tokens[d.from].start, f.tokens[d.to-1].end
	f.found = append(f.found, Unawaited{
		Range: at, Tool: tool, Whole: f.span(start, end), Start: start, End: end, Several: d.several,
		Async: f.allowsAwait(d.from),
	})
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

// asyncBodies are the functions of the text, outer ones first.
func (s *scan) asyncBodies() []asyncBody {
	var all []asyncBody
	for _, body := range s.functions() {
		b := asyncBody{extent: body}
		i := body.from - 1
		if s.is(i, "=>") {
			i--
			if s.closes(i) && s.tokens[i].match >= 0 {
				i = s.tokens[i].match
			}
			if s.is(i-1, "async") {
				b.async, i = true, i-1
			}
			b.head = i
			if s.is(i-1, "=") && s.isName(i-2) && (s.is(i-3, "const") || s.is(i-3, "let") || s.is(i-3, "var")) {
				b.name = s.string(i - 2)
			}
		} else {
			b.head, b.async, b.name = s.functionHead(body.from)
		}
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b asyncBody) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	return all
}

// functionHead finds what stands before the body of a function or method that
// opens at i: its first token, whether it is async, and its name.
func (s *scan) functionHead(i int) (head int, async bool, name string) {
	for head = i - 1; head >= 0 && !s.tired(); head-- {
		switch {
		case s.closes(head) && s.tokens[head].match >= 0:
			head = s.tokens[head].match
			if s.is(head, "(") {
				// The parameters: the name and the keywords stand before them.
				if s.is(head-1, "*") {
					head--
				}
				if s.isName(head-1) && !s.is(head-1, "function") {
					name = s.string(head - 1)
					head--
				}
				if s.is(head-1, "*") {
					head--
				}
				if s.is(head-1, "function") {
					head--
				} else {
					name = "" // a method
				}
				if s.is(head-1, "async") {
					return head - 1, true, name
				}
				return head, false, name
			}
		case s.is(head, ";"), s.is(head, "{"):
			return i, false, ""
		}
	}
	return i, false, ""
}

// functions adds the calls of functions that call tools and are not awaited.
func (f *awaiting) functions() {
	names := map[string]bool{}
	for range 3 { // a function may call another one that does
		for _, b := range f.bodies {
			if b.name != "" && !names[b.name] && f.async(b) && f.reaches(b.extent, names) {
				names[b.name] = true
			}
		}
	}
	for i := range f.tokens {
		switch {
		case f.isName(i) && names[f.string(i)] && !f.afterMember(i) && !f.is(i-1, "function") && f.is(i+1, "(") && f.opens(i+1):
			if d, ok := f.discarded(extent{i, f.tokens[i+1].match + 1}); ok {
				f.add(f.span(f.tokens[i].start, f.tokens[f.tokens[i+1].match].end), "", d)
			}
		case f.is(i, "(") && f.opens(i) && f.is(f.tokens[i].match+1, "(") && f.opens(f.tokens[i].match+1):
			// (async () => { … })()
			b, ok := f.bodyFrom(i+1, f.tokens[i].match)
			if !ok || !f.async(b) || !f.reaches(b.extent, names) {
				continue
			}
			if d, ok := f.discarded(extent{i, f.tokens[f.tokens[i].match+1].match + 1}); ok {
				f.add(f.span(f.tokens[i].start, f.tokens[b.from].start), "", d)
			}
		}
	}
}

// async says whether a call of a function makes a promise: it is async, or its
// body is but a call.
func (f *awaiting) async(b asyncBody) bool {
	return b.async || f.is(b.from-1, "=>") && !f.is(b.from, "{") && !f.is(b.from, "await") && slices.ContainsFunc(f.sites, func(at site) bool {
		return at.from == b.from && at.to == b.to-1
	})
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
// the functions.
func (f *awaiting) reaches(e extent, functions map[string]bool) bool {
	for _, at := range f.sites {
		if f.tired() {
			return false
		}
		if at.to > at.from && e.from <= at.from && at.from < e.to {
			return true
		}
	}
	for i := e.from; i < e.to && !f.tired(); i++ {
		if f.isName(i) && functions[f.string(i)] && !f.afterMember(i) && f.is(i+1, "(") {
			return true
		}
	}
	return false
}

// callbacks adds the async functions that are given to forEach.
func (f *awaiting) callbacks() {
	for i := range f.tokens {
		if !f.is(i, "forEach") || !f.afterMember(i) || !f.is(i+1, "(") || !f.opens(i+1) {
			continue
		}
		end := f.tokens[i+1].match
		first := f.argumentEnd(i+2, end)
		b, ok := f.bodyFrom(i+2, first)
		if !ok || !b.async || !f.reaches(b.extent, nil) {
			continue
		}
		start, stop := f.tokens[f.headOf(i-2)].start, f.tokens[end].end
		f.found = append(f.found, Unawaited{
			Range: f.span(f.tokens[i].start, f.tokens[i].end), Callback: true,
			Whole: f.span(start, stop), Start: start, End: stop, Several: true, Async: f.allowsAwait(i),
		})
	}
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
		case s.endsStatement(d.to) && s.beginsStatement(d.from):
			return d, true
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
			return d, !d.several && s.forgotten(d.from-2)
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
	d.from, d.to = s.headOf(open-3), s.tokens[open].match+1
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
// Promise.all and the like.
func (s *scan) inArray(d *discard) bool {
	if !s.is(d.from-1, "[") && !s.is(d.from-1, ",") || !s.is(d.to, "]") && !s.is(d.to, ",") {
		return false
	}
	open := s.around(d.from)
	if open < 1 || !s.is(open, "[") || !s.opens(open) || !s.is(open-1, "(") || s.tokens[open-1].match != s.tokens[open].match+1 {
		return false
	}
	d.from, d.to, d.several = open, s.tokens[open].match+1, true
	return true
}

// forgotten says whether the name at i is declared there and never used.
func (s *scan) forgotten(i int) bool {
	if !s.isName(i) || !s.is(i-1, "const") && !s.is(i-1, "let") && !s.is(i-1, "var") {
		return false
	}
	name := s.string(i)
	for j := range s.tokens {
		if j != i && s.isName(j) && s.string(j) == name && !s.afterMember(j) || s.tired() {
			return false
		}
	}
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
	for i := e.from - 1; i >= 0 && !s.tired(); i-- {
		switch {
		case s.closes(i) && s.tokens[i].match >= 0 && !s.tokens[i].block:
			i = s.tokens[i].match
		case s.is(i, "="), s.is(i, "=>"), s.is(i, ","), s.is(i, "("), s.is(i, "["), s.is(i, "{"), s.is(i, "return"), s.is(i, "throw"),
			s.is(i, "yield"), s.is(i, "case"), s.is(i, ";"), s.is(i, "}"), s.is(i, "+="), s.tokens[i].kind == tokenTemplate && !s.tokens[i].operand:
			return false
		}
		if s.beginsStatement(i) {
			return true
		}
	}
	return false
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
