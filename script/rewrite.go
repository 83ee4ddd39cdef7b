package script

// What a rewriting of loops and of promise chains must know of them. Offsets are
// in bytes, and a Span is [Start, End).
type Span struct{ Start, End int }

// A Loop is a loop statement over things that are known before its first round.
type Loop struct {
	Span
	// Each is the pattern of `for (const Each of Over)`; or Index and Count those
	// of `for (let Index = 0; Index < Count; Index++)`.
	Each, Over   Span
	Index, Count Span
	Body         Span   // between the braces, or the one statement
	Block        bool   // Body is between braces
	Statements   []Span // of the body
	// Collects says that the last statement is Collector.push(Collected), and that
	// nothing else in the body is pushed.
	Collects             bool
	Collector, Collected Span
	// Jumps says that a round can be left or skipped.
	Jumps bool
	Async bool // an await is allowed where the loop stands
}

// LoopAround is the innermost loop whose body an offset is in; ok is false when
// there is none that is understood.
func (src *Source) LoopAround(offset int) (l Loop, ok bool) {
	s := src.scan()
	at := s.at(offset)
	best := -1
	for i := range s.tokens {
		if !s.keyword(i, "for") || !s.is(i+1, "(") || !s.opens(i+1) {
			continue
		}
		if body := s.bodyAt(s.tokens[i+1].match + 1); body.from <= at && at < body.to {
			best = i
		}
	}
	if best < 0 {
		return l, false
	}
	return s.readLoop(best)
}

func (s *scan) span(e extent) Span {
	if e.to <= e.from {
		return Span{s.tokens[e.from].start, s.tokens[e.from].start}
	}
	return Span{s.tokens[e.from].start, s.tokens[e.to-1].end}
}

func (s *scan) readLoop(i int) (l Loop, ok bool) {
	open, end := i+1, s.tokens[i+1].match
	body := s.bodyAt(end + 1)
	if body.to <= body.from {
		return l, false
	}
	l.Span = s.span(extent{i, body.to})
	if !s.is(open+1, "const") && !s.is(open+1, "let") && !s.is(open+1, "var") {
		return l, false
	}
	if !s.readHead(&l, open+2, end) {
		return l, false
	}
	inner := body
	if s.is(body.from, "{") {
		if !s.opens(body.from) {
			return l, false
		}
		l.Block = true
		inner = extent{body.from + 1, body.to - 1}
		l.Body = Span{s.tokens[body.from].end, s.tokens[body.to-1].start}
	} else {
		l.Body = s.span(body)
	}
	s.readBody(&l, inner)
	l.Async = s.allowsAwait(i)
	return l, true
}

// readHead reads `x of xs` or `i = 0; i < n; i++`.
func (s *scan) readHead(l *Loop, i, end int) bool {
	name := extent{i, i + 1}
	if s.opens(i) { // a pattern
		name.to = s.tokens[i].match + 1
	}
	if s.is(name.to, "of") {
		l.Each, l.Over = s.span(name), s.span(extent{name.to + 1, end})
		return name.to+1 < end
	}
	// i = 0 ; i < n ; i ++
	if !s.isName(i) || !s.is(i+1, "=") || s.tokens[min(i+2, len(s.tokens)-1)].kind != tokenNumber || s.string(i+2) != "0" || !s.is(i+3, ";") {
		return false
	}
	n := s.string(i)
	if !s.is(i+4, n) || !s.is(i+5, "<") {
		return false
	}
	count := extent{i + 6, i + 6}
	for count.to < end && !s.is(count.to, ";") {
		count.to++
	}
	after := count.to + 1
	stepped := after+2 == end && (s.is(after, n) && s.is(after+1, "++") || s.is(after, "++") && s.is(after+1, n))
	l.Index, l.Count = s.span(extent{i, i + 1}), s.span(count)
	return stepped && count.to > count.from
}

func (s *scan) readBody(l *Loop, body extent) {
	var last extent
	for i := body.from; i < body.to && !s.overBudget(); {
		end := min(max(s.endOf(i, false), i+1), body.to)
		last = extent{i, end}
		l.Statements = append(l.Statements, s.span(last))
		i = end
	}
	pushes := 0
	for i := body.from; i < body.to && !s.overBudget(); i++ {
		switch {
		case s.keyword(i, "break"), s.keyword(i, "continue"), s.keyword(i, "return"), s.keyword(i, "yield"), s.keyword(i, "for"), s.keyword(i, "while"):
			l.Jumps = true
		case s.afterMember(i) && changes[s.string(i)] && s.is(i+1, "("):
			pushes++
		}
	}
	if pushes == 1 && s.isName(last.from) && s.is(last.from+1, ".") && s.is(last.from+2, "push") && s.is(last.from+3, "(") && s.opens(last.from+3) {
		end := s.tokens[last.from+3].match
		rest := end + 1
		if s.is(rest, ";") {
			rest++
		}
		if rest >= last.to && s.argumentEnd(last.from+4, end) == end && !s.is(last.from+4, "...") && end > last.from+4 {
			l.Collects = true
			l.Collector, l.Collected = s.span(extent{last.from, last.from + 1}), s.span(extent{last.from + 4, end})
		}
	}
}

// A Chain is a statement that waits with .then(…).
type Chain struct {
	Span
	// Before is what stands before the chain: "return", "await", or a declaration
	// such as "const x = await"; empty for a chain that is a statement.
	Before Span
	Return bool
	Base   Span // the promise
	Links  []ChainLink
	Async  bool // an await is allowed where it stands
}

// A ChainLink is one .then(…), .catch(…) or .finally(…).
type ChainLink struct {
	Method    string
	Callback  Span // as written
	Function  bool // Callback is a function of Parameter with Body
	Parameter Span // without its parentheses; empty for none
	Body      Span // of an expression, or between the braces when Block
	Block     bool
}

// ChainAt is the chain whose statement an offset is in.
func (src *Source) ChainAt(offset int) (c Chain, ok bool) {
	s := src.scan()
	for i := range s.tokens {
		if !s.is(i, "then") || !s.afterMember(i) || !s.is(i+1, "(") || !s.opens(i+1) {
			continue
		}
		if found, fits := s.readChain(i); fits && found.Start <= offset && offset <= found.End && (!ok || found.Start > c.Start) {
			c, ok = found, true
		}
	}
	return c, ok
}

func (s *scan) readChain(i int) (c Chain, ok bool) {
	from := s.headOf(i - 2)
	c.Base = s.span(extent{from, i - 1})
	next := i - 1
	for (s.is(next, ".") || s.is(next, "?.")) && s.isName(next+1) && s.is(next+2, "(") && s.opens(next+2) {
		end := s.tokens[next+2].match
		link := ChainLink{Method: s.string(next + 1)}
		switch link.Method {
		case "then", "catch", "finally":
		default:
			return c, false
		}
		if s.argumentEnd(next+3, end) != end || end == next+3 {
			return c, false // none, or two functions
		}
		s.readCallback(&link, extent{next + 3, end})
		c.Links = append(c.Links, link)
		next = end + 1
	}
	first := from
	if s.is(first-1, "await") {
		first--
	}
	switch {
	case s.is(first-1, "return"):
		first--
		c.Return = true
	case s.is(first-1, "="):
		j := first - 2
		for j > 0 && !s.overBudget() && !s.is(j, "const") && !s.is(j, "let") && !s.is(j, "var") {
			if s.is(j, ";") || s.is(j, "=") || s.is(j, ",") && s.around(j) < 0 {
				return c, false
			}
			j--
		}
		if first == from {
			return c, false // the promise itself is kept
		}
		first = j
	}
	if !s.beginsStatement(first) || !s.endsStatement(next) {
		return c, false
	}
	if s.is(next, ";") {
		next++
	}
	c.Span = s.span(extent{first, next})
	if first < from {
		c.Before = s.span(extent{first, from})
	}
	c.Async = s.allowsAwait(first)
	return c, true
}

// readCallback reads `x => …`, `(x) => { … }` and `function (x) { … }`.
func (s *scan) readCallback(l *ChainLink, e extent) {
	l.Callback = s.span(e)
	i := e.from
	if s.is(i, "async") {
		i++
	}
	arrow := true
	if s.is(i, "function") {
		arrow = false
		i++
	}
	var after int
	switch {
	case s.is(i, "(") && s.opens(i):
		after = s.tokens[i].match + 1
		if after > i+2 {
			l.Parameter = s.span(extent{i + 1, after - 1})
		}
	case s.isName(i) && arrow && s.is(i+1, "=>"):
		l.Parameter = s.span(extent{i, i + 1})
		after = i + 1
	default:
		return
	}
	if arrow {
		if !s.is(after, "=>") {
			return
		}
		after++
	}
	if after >= e.to {
		return
	}
	l.Function = true
	if s.is(after, "{") && s.tokens[after].match == e.to-1 {
		l.Block = true
		l.Body = Span{s.tokens[after].end, s.tokens[e.to-1].start}
		return
	}
	if !arrow {
		l.Function = false
		return
	}
	l.Body = s.span(extent{after, e.to})
}
