package script

// An extent is a run of tokens, [from, to).
type extent struct{ from, to int }

func (s *scan) opens(i int) bool { return s.tokens[i].match > i }
func (s *scan) isName(i int) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == tokenName
}
func (s *scan) afterMember(i int) bool { return s.is(i-1, ".") || s.is(i-1, "?.") }

func (s *scan) closes(i int) bool {
	return s.is(i, ")") || s.is(i, "]") || s.is(i, "}")
}

// continues reports whether the token at i, at the beginning of a line, goes on
// with the expression before it (ECMAScript, automatic semicolon insertion).
func (s *scan) continues(i int) bool {
	t := &s.tokens[i]
	switch t.kind {
	case tokenTemplate:
		return true
	case tokenName:
		switch s.string(i) {
		case "instanceof", "in", "of", "as", "satisfies", "else", "catch", "finally":
			return true
		}
	case tokenPunct:
		switch s.string(i) {
		case "{", "++", "--", "!", "~", "@", "...":
			return false
		}
		return true
	}
	return false
}

// endOf is the index behind the expression or statement that begins at i. An
// expression also ends at a comma.
func (s *scan) endOf(i int, expression bool) int {
	for j := i; j < len(s.tokens) && !s.overBudget(); {
		switch {
		case s.closes(j):
			return j
		case s.is(j, ";"):
			if expression {
				return j
			}
			return j + 1
		case expression && s.is(j, ","):
			return j
		case j > i && s.tokens[j].newline && !s.continues(j) && s.ended(j-1):
			return j
		case s.opens(j) && s.tokens[j].kind != tokenTemplate:
			j = s.tokens[j].match + 1
		default:
			j++
		}
	}
	return len(s.tokens)
}

// ended reports whether a statement can end with the token at i.
func (s *scan) ended(i int) bool {
	return s.tokens[i].operand || s.closes(i) || s.isName(i)
}

// beginsStatement reports whether the token at i is the first of a statement.
func (s *scan) beginsStatement(i int) bool {
	if i == 0 {
		return true
	}
	p := &s.tokens[i-1]
	switch {
	case s.is(i-1, ";"):
		return true
	case s.is(i-1, "{"), s.is(i-1, ":"):
		return p.block
	case s.is(i-1, "}"):
		return p.block || s.tokens[i].newline
	case s.is(i-1, ")"):
		return !p.operand || s.tokens[i].newline
	case s.is(i-1, "else"), s.is(i-1, "do"):
		return !s.afterMember(i - 1)
	}
	return s.tokens[i].newline && p.operand && !s.continues(i)
}

// keyword reports whether the token at i is that word and not a property's name.
func (s *scan) keyword(i int, word string) bool {
	return s.isName(i) && s.string(i) == word && !s.afterMember(i) && !s.is(i+1, ":")
}

// A loop is a loop statement, or a function that a method of arrays calls for
// each element.
type loop struct {
	head, body extent
	each       bool // for…of or for(;;): every round is known before the first
	callback   bool // a function

	judged, together bool  // whether its rounds are independent, once asked for
	at               Range // of body, once asked for
}

// loops are the loop statements of the text.
func (s *scan) loops() []loop {
	var all []loop
	conditions := map[int]bool{} // `while` of do…while
	for i := range s.tokens {
		switch {
		case conditions[i]:
		case s.keyword(i, "for"):
			open := i + 1
			await := s.keyword(open, "await")
			if await {
				open++
			}
			if l, ok := s.loopAt(open); ok {
				l.each = !await && (s.has(l.head, "of") || s.counts(l.head))
				all = append(all, l)
			}
		case s.keyword(i, "while"):
			if l, ok := s.loopAt(i + 1); ok {
				all = append(all, l)
			}
		case s.keyword(i, "do") && s.is(i+1, "{"):
			body := s.bodyAt(i + 1)
			conditions[body.to] = true
			all = append(all, loop{body: body})
		}
	}
	return all
}

// counts reports whether the head of a for(;;) moves on without calling anything: its
// rounds do not depend on each other.
func (s *scan) counts(head extent) bool {
	parts := 0
	for i := head.from; i < head.to && !s.overBudget(); i++ {
		switch {
		case s.opens(i) && parts < 2:
			i = s.tokens[i].match
		case s.is(i, ";"):
			parts++
		case parts == 2 && (s.is(i, "(") || s.is(i, "await")):
			return false
		}
	}
	return parts == 2
}

func (s *scan) loopAt(open int) (loop, bool) {
	if !s.is(open, "(") || !s.opens(open) {
		return loop{}, false
	}
	end := s.tokens[open].match
	return loop{head: extent{open + 1, end}, body: s.bodyAt(end + 1)}, true
}

// bodyAt is the block or the statement that begins at i.
func (s *scan) bodyAt(i int) extent {
	if i >= len(s.tokens) {
		return extent{i, i}
	}
	if s.is(i, "{") {
		if !s.opens(i) { // still being typed
			return extent{i, len(s.tokens)}
		}
		return extent{i, s.tokens[i].match + 1}
	}
	return extent{i, s.endOf(i, false)}
}

// has reports whether one of the words stands in an extent, outside of brackets.
func (s *scan) has(e extent, words ...string) bool {
	for i := e.from; i < e.to && !s.overBudget(); {
		for _, w := range words {
			if s.is(i, w) && !s.afterMember(i) {
				return true
			}
		}
		if s.opens(i) {
			i = s.tokens[i].match + 1
		} else {
			i++
		}
	}
	return false
}
