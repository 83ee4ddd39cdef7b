package script

// AllowsAwait reports whether an await may stand at an offset: not in a function that
// is not async.
func (src *Source) AllowsAwait(offset int) bool {
	s := src.scan()
	return s.allowsAwait(s.at(offset))
}

// ChainBefore is where the expression begins whose member is named at an offset;
// ok is false when no member is.
func (src *Source) ChainBefore(offset int) (start int, ok bool) {
	s := src.scan()
	i := s.at(offset)
	if !s.isName(i) || !s.afterMember(i) || i < 2 {
		return 0, false
	}
	return s.tokens[s.newHead(s.headOf(i-2))].start, true
}

// allowsAwait reports whether an await may stand before the token at i.
func (s *scan) allowsAwait(i int) bool {
	allowed := true
	for _, b := range s.asyncBodies() { // outer ones come first
		if s.overBudget() {
			break
		}
		if b.from <= i && i < b.to {
			allowed = b.async
		}
	}
	return allowed
}

// newHead is the index of the `new` before the token at i, or i.
func (s *scan) newHead(i int) int {
	if s.is(i-1, "new") {
		return i - 1
	}
	return i
}

// endsStatement reports whether a statement can end before the token at i.
func (s *scan) endsStatement(i int) bool {
	return i >= len(s.tokens) || s.is(i, ";") || s.is(i, "}") || s.is(i, "else") || s.tokens[i].newline && !s.continues(i)
}

// headOf is the index of the first token of the chain of members and calls that
// ends with the token at i.
func (s *scan) headOf(i int) int {
	for i > 0 && !s.overBudget() {
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
