package script

// Names that a script gives to tools, and to members of it:
//
//	const t = tools;
//	const { mcp__a__b, mcp__a__c: c, ...rest } = tools;
//	const d = tools.mcp__a__d;
//
// A name counts when it is declared once in the text: scopes are not looked at.
type aliases struct {
	pools map[string]bool   // names for tools itself
	tools map[string]string // names for members, and the members
	// taken are the members that patterns take out of tools.
	taken []member
	// declared are the tokens where the names are declared, which are no uses.
	declared map[int]bool
}

// findAliases reads the declarations of a text.
func (s *scan) findAliases() aliases {
	a := aliases{pools: map[string]bool{}, tools: map[string]string{}, declared: map[int]bool{}}
	times := map[string]int{}
	for i := range s.tokens {
		if !s.keyword(i, "const") && !s.keyword(i, "let") && !s.keyword(i, "var") {
			continue
		}
		for j := i + 1; j < len(s.tokens) && !s.tired(); j++ {
			if s.isName(j) {
				times[s.string(j)]++
				s.namedAlias(&a, j)
			} else if s.is(j, "{") && s.opens(j) {
				s.patternAlias(&a, j, times)
			}
			if j = s.endOf(j, true); !s.is(j, ",") {
				break
			}
		}
	}
	for i := range s.tokens {
		if s.isName(i) && (a.pools[s.string(i)] || a.tools[s.string(i)] != "") && !s.afterMember(i) &&
			(s.is(i-1, "(") || s.is(i-1, ",") || s.is(i+1, "=>")) && (s.is(i+1, "=>") || s.parameter(i)) {
			times[s.string(i)]++
		}
	}
	for name, n := range times {
		if n > 1 {
			delete(a.pools, name)
			delete(a.tools, name)
		}
	}
	return a
}

// namedAlias reads `name = tools` and `name = tools.member` behind const; i is
// the name's token.
func (s *scan) namedAlias(a *aliases, i int) {
	if !s.is(i+1, "=") || !s.isTools(i+2) {
		return
	}
	if s.endsDeclarator(i + 3) {
		a.pools[s.string(i)], a.declared[i] = true, true
		return
	}
	if m, ok := s.memberAfter(i + 3); ok && m.name != ReservedNamespace && s.endsDeclarator(m.next) {
		a.tools[s.string(i)], a.declared[i] = m.name, true
	}
}

// patternAlias reads `{ member, member: name, ...rest } = tools`; open is the
// brace's token.
func (s *scan) patternAlias(a *aliases, open int, times map[string]int) {
	end := s.tokens[open].match
	if !s.is(end+1, "=") || !s.isTools(end+2) || !s.endsDeclarator(end+3) {
		return
	}
	for i := open + 1; i < end && !s.tired(); i++ {
		from := i
		i = s.argumentEnd(i, end)
		key := s.tokens[from]
		switch {
		case s.is(from, "...") && s.isName(from+1):
			times[s.string(from+1)]++
			a.pools[s.string(from+1)], a.declared[from+1] = true, true
		case key.kind == tokenName || key.kind == tokenString && key.closed:
			m := member{from: key.start, to: key.end, next: from + 1}
			if key.kind == tokenString {
				m.from, m.to, m.quoted = key.start+1, key.end-1, true
			}
			m.name = unescape(s.text[m.from:m.to])
			if m.name == ReservedNamespace {
				continue
			}
			a.taken = append(a.taken, m)
			name := from
			if s.is(from+1, ":") {
				name = from + 2
			}
			if s.isName(name) && name < i {
				times[s.string(name)]++
				a.tools[s.string(name)], a.declared[name] = m.name, true
			}
		}
	}
}

// endsDeclarator says whether the declaration of one name ends before the token
// at i.
func (s *scan) endsDeclarator(i int) bool {
	return i >= len(s.tokens) || s.is(i, ";") || s.is(i, ",") || s.is(i, "}") || s.tokens[i].newline && !s.continues(i)
}
