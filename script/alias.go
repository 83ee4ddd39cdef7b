package script

// Names that a script gives to tools, and to members of it:
//
//	const t = tools;
//	const { mcp__a__b, mcp__a__c: c, ...rest } = tools;
//	const d = tools.mcp__a__d;
//	const { tools: e } = globalThis;
//
// A name counts when it is declared once in the text and not assigned to: scopes
// are not looked at.
type aliases struct {
	pools   map[string]bool   // names for tools itself
	untyped map[string]bool   // those of pools that TypeScript may not know
	tools   map[string]string // names for members, and the members
	// taken are the members that patterns take out of tools.
	taken []member
	// declared are the tokens where the names are declared, which are no uses.
	declared map[int]bool
	// calls are the offsets of members of what TypeScript does not know, whose other
	// names are called, and nothing else.
	calls map[int]bool
	// from are those offsets, and of names that are looked at.
	from map[string]int
}

// findAliases reads the declarations of a text.
func (s *scan) findAliases() aliases {
	a := aliases{
		pools: map[string]bool{}, untyped: map[string]bool{}, tools: map[string]string{}, declared: map[int]bool{},
		calls: map[int]bool{}, from: map[string]int{},
	}
	times := map[string]int{}
	for i := range s.tokens {
		if !s.keyword(i, "const") && !s.keyword(i, "let") && !s.keyword(i, "var") {
			continue
		}
		for j := i + 1; j < len(s.tokens) && !s.overBudget(); j++ {
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
		if !s.isName(i) || !a.pools[s.string(i)] && a.tools[s.string(i)] == "" || s.afterMember(i) || a.declared[i] {
			continue
		}
		parameter := (s.is(i-1, "(") || s.is(i-1, ",") || s.is(i+1, "=>")) && (s.is(i+1, "=>") || s.parameter(i))
		if parameter || s.is(i+1, "=") && !s.is(i-1, ":") {
			times[s.string(i)]++
		}
	}
	for name, n := range times {
		if n > 1 {
			delete(a.pools, name)
			delete(a.tools, name)
			delete(a.from, name)
		}
	}
	s.calledAliases(&a)
	return a
}

// calledAliases fills in calls.
func (s *scan) calledAliases(a *aliases) {
	if len(a.from) == 0 {
		return
	}
	called, looked := map[string]bool{}, map[string]bool{}
	for i := range s.tokens {
		if !s.isName(i) || s.afterMember(i) || a.declared[i] {
			continue
		}
		if name := s.string(i); s.callsNow(i + 1) {
			called[name] = true
		} else {
			looked[name] = true
		}
	}
	for name, from := range a.from {
		if called[name] && !looked[name] {
			a.calls[from] = true
		}
	}
}

// namedAlias reads `name = tools` and `name = tools.member` behind const; i is
// the name's token.
func (s *scan) namedAlias(a *aliases, i int) {
	name, next := s.string(i), i+1
	if s.is(next, ":") {
		next = s.assignment(next)
	}
	if !s.is(next, "=") {
		return
	}
	p, ok := s.poolFrom(next+1, a)
	if !ok {
		return
	}
	p.untyped = p.untyped || next > i+1
	if m, ok := s.memberAfter(p.to); ok {
		if m.name != ReservedNamespace && s.endsDeclarator(m.next) {
			a.tools[name], a.declared[i] = m.name, true
			if p.untyped {
				a.from[name] = m.from
			}
		}
		return
	}
	if untyped, ok := s.poolEnds(p.to); ok {
		a.pools[name], a.declared[i] = true, true
		a.untyped[name] = p.untyped || untyped
	}
}

// poolEnds reports whether the declaration of a name for a pool ends at i, or goes
// on with a type alone.
func (s *scan) poolEnds(i int) (untyped, ok bool) {
	if i < len(s.tokens) && s.asserted(i) {
		end := s.endOf(i, true)
		return true, s.isType(extent{i, end})
	}
	return false, s.endsDeclarator(i)
}

// assignment is the index of the = behind the type of a declared name, which
// begins with the colon at i.
func (s *scan) assignment(i int) int {
	for i < len(s.tokens) && !s.is(i, "=") && !s.is(i, ";") && !s.closes(i) && !s.overBudget() {
		if s.opens(i) {
			i = s.tokens[i].match
		}
		i++
	}
	return i
}

// patternAlias reads `{ member, member: name, ...rest } = tools`; open is the
// brace's token.
func (s *scan) patternAlias(a *aliases, open int, times map[string]int) {
	end := s.tokens[open].match
	next := end + 1
	if s.is(next, ":") {
		next = s.assignment(next)
	}
	if !s.is(next, "=") {
		return
	}
	if s.is(next+1, "globalThis") {
		s.poolOutOfGlobal(a, extent{open + 1, end})
		return
	}
	p, ok := s.poolFrom(next+1, a)
	if !ok {
		return
	}
	untyped, ok := s.poolEnds(p.to)
	if !ok {
		return
	}
	untyped = untyped || p.untyped || next > end+1
	for i := open + 1; i < end && !s.overBudget(); i++ {
		from := i
		i = s.argumentEnd(i, end)
		key := s.tokens[from]
		switch {
		case s.is(from, "...") && s.isName(from+1):
			times[s.string(from+1)]++
			a.pools[s.string(from+1)], a.declared[from+1] = true, true
			a.untyped[s.string(from+1)] = untyped
		case key.kind == tokenName || key.kind == tokenString && key.closed:
			m := member{from: key.start, to: key.end, next: from + 1, untyped: untyped}
			if key.kind == tokenString {
				m.from, m.to, m.quoted = key.start+1, key.end-1, true
			}
			m.name = unescape(s.text[m.from:m.to])
			if m.name == ReservedNamespace {
				continue
			}
			name := from
			if s.is(from+1, ":") {
				name = from + 2
			}
			if s.isName(name) && name < i {
				times[s.string(name)]++
				a.tools[s.string(name)], a.declared[name] = m.name, true
				if untyped && name+1 == i { // without a value for when there is none
					a.from[s.string(name)] = m.from
				}
			}
			a.taken = append(a.taken, m)
		}
	}
}

// poolOutOfGlobal reads `{ tools: name } = globalThis`.
func (s *scan) poolOutOfGlobal(a *aliases, in extent) {
	for i := in.from; i+2 < in.to; i++ {
		if s.is(i, "tools") && s.is(i+1, ":") && s.isName(i+2) && (i == in.from || s.is(i-1, ",")) {
			name := s.string(i + 2)
			a.pools[name], a.untyped[name], a.declared[i+2] = true, true, true
		}
	}
}

// endsDeclarator reports whether the declaration of one name ends before the token
// at i.
func (s *scan) endsDeclarator(i int) bool {
	return i >= len(s.tokens) || s.is(i, ";") || s.is(i, ",") || s.is(i, "}") || s.tokens[i].newline && !s.continues(i)
}
