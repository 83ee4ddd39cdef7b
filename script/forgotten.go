package script

// forgotten says whether the name at i is declared there and used nowhere, or
// only where nothing comes of a promise.
func (s *scan) forgotten(i int) bool { return s.forgottenIn(i, 4) }

// forgottenIn is forgotten that follows at most depth names, one given to the
// next.
func (s *scan) forgottenIn(i, depth int) bool {
	if !s.isName(i) || !s.beginsDeclarator(i-1) {
		return false
	}
	name, scope := s.string(i), s.scopeOf(i)
	for j := scope.from; j < scope.to; j++ {
		if s.tired() || j != i && s.isName(j) && s.string(j) == name && !s.afterMember(j) && !s.idle(j, depth) {
			return false
		}
	}
	return true
}

// scopeOf is where the name that is declared at i can be used, or more: the block
// around it, or all of the text.
func (s *scan) scopeOf(i int) extent {
	all := extent{0, len(s.tokens)}
	if s.is(i-1, "var") {
		return all
	}
	for open := s.around(i); open >= 0; open = s.around(open) {
		if !s.opens(open) {
			return all
		}
		if s.is(open, "{") && s.tokens[open].block {
			return extent{open, s.tokens[open].match}
		}
	}
	return all
}

// idle says whether the name at i is looked at in a way that neither waits for a
// promise nor hands it on: its type is asked for, it is compared, or it is given
// another name that is forgotten.
func (s *scan) idle(i, depth int) bool {
	switch {
	case s.is(i+1, ".") || s.is(i+1, "?.") || s.is(i+1, "(") || s.is(i+1, "[") || s.is(i+1, "=") || s.is(i-1, "await"):
		return false
	case s.is(i-1, "typeof") || s.is(i-1, "!") && !s.tokens[i-1].operand:
		return true
	case s.compares(i+1) || s.compares(i-1):
		return true
	}
	return depth > 0 && s.is(i-1, "=") && s.endsDeclarator(i+1) && s.forgottenIn(i-2, depth-1)
}

// bare says whether the name at i is a statement of its own.
func (s *scan) bare(i int) bool {
	if !s.isName(i) || !s.beginsStatement(i) || !s.endsStatement(i+1) || s.is(i+1, "else") {
		return false
	}
	// In the body of a class or an interface it is a member.
	open := s.around(i)
	if open < 1 {
		return open < 0
	}
	switch {
	case !s.is(open, "{") || !s.tokens[open].block:
		return false
	case s.is(open-1, ")") && s.tokens[open-1].match >= 0:
		return !s.is(s.headOf(open-1)-1, "extends")
	}
	return s.is(open-1, "=>") || s.is(open-1, "else") || s.is(open-1, "do") || s.is(open-1, "try") || s.is(open-1, "catch") ||
		s.is(open-1, "finally") || s.is(open-1, ";") || s.is(open-1, "{") || s.is(open-1, "}")
}

// bareNames suspects variables that are statements of their own, when nothing
// else is done with them.
func (s *suspicion) bareNames() {
	asked := map[string]bool{}
	for i := range s.tokens {
		if s.tired() {
			return
		}
		if !s.isName(i) || !s.names[s.string(i)] || s.afterMember(i) || asked[s.string(i)] || !s.bare(i) {
			continue
		}
		name := s.string(i)
		asked[name] = true
		if s.onlyBare(name) {
			e := extent{i, i + 1}
			s.suspect(e, Promised, Unawaited{
				Range: s.spanOf(e), Whole: s.spanOf(e), Start: s.tokens[i].start, End: s.tokens[i].end, Async: s.allowsAwait(i),
			}, OnePromise, PromiseList)
		}
	}
}

// onlyBare says whether a name is nothing but declared, assigned to and named.
func (s *suspicion) onlyBare(name string) bool {
	for j := range s.tokens {
		if s.tired() || s.isName(j) && s.string(j) == name && !s.afterMember(j) &&
			!s.beginsDeclarator(j-1) && !s.is(j+1, "=") && !s.bare(j) && !s.idle(j, 1) {
			return false
		}
	}
	return true
}

// assertion goes on behind the type that an expression is asserted to be of.
func (s *scan) assertion(d *discard) {
	depth := 0
	for d.to++; d.to < len(s.tokens) && !s.tired(); {
		i := d.to
		switch {
		case s.closes(i), s.is(i, ";"), s.is(i, ",") && depth <= 0, s.is(i, "&&"), s.is(i, "||"), s.is(i, "??"), s.is(i, "?"),
			s.is(i, ":") && depth <= 0, s.tokens[i].newline && !s.continues(i) && s.ended(i-1):
			return
		case s.is(i, "<"):
			depth++
		case s.is(i, ">"):
			depth--
		case s.opens(i):
			d.to = s.tokens[i].match
		}
		d.to++
	}
}

// inSequence says whether an expression is an operand of the comma operator in a
// statement that does nothing with its value.
func (s *scan) inSequence(e extent) bool {
	begins, ends := s.beginsStatement(e.from), s.endsStatement(e.to)
	switch {
	case begins:
		return s.is(e.to, ",")
	case s.is(e.from-1, ",") && (ends || s.is(e.to, ",")):
		return s.valueUnused(e.from - 1)
	}
	return false
}

// valueUnused says whether the expression that the operator at i belongs to is a
// statement.
func (s *scan) valueUnused(i int) bool {
	for ; i >= 0 && !s.tired(); i-- {
		switch {
		case s.closes(i) && s.tokens[i].match >= 0 && !s.tokens[i].block:
			i = s.tokens[i].match
		case s.is(i, "="), s.is(i, "=>"), s.is(i, "("), s.is(i, "["), s.is(i, "{"), s.is(i, "return"), s.is(i, "throw"),
			s.is(i, "yield"), s.is(i, "case"), s.is(i, ";"), s.is(i, "}"), s.is(i, "+="), s.beginsDeclarator(i),
			s.tokens[i].kind == tokenTemplate && !s.tokens[i].operand:
			return false
		}
		if s.beginsStatement(i) {
			return true
		}
	}
	return false
}
