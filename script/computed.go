package script

// globalTools are the global names that reach tools without naming them, for
// scripts with exec.globals "extended".
var globalTools = map[string]bool{"ALL_TOOLS": true, "searchTools": true, "describeTool": true, "describeNamespace": true}

// discovers are the reserved members whose answer depends on every server's tools.
var discovers = map[string]bool{"search": true, "describe": true, "namespace": true, "list": true}

// Computed reports whether a script may use tools that Uses does not find: it computes
// their names, passes tools on, enumerates it, or searches it.
func (src *Source) Computed() bool {
	s := src.scan()
	a := s.findAliases()
	for i := range s.tokens {
		if !s.isName(i) || s.afterMember(i) {
			continue
		}
		name := s.string(i)
		switch {
		case globalTools[name]:
			return true
		case name != "tools" && name != "globalThis" && !a.pools[name], a.declared[i], s.is(i+1, ":") && !s.is(i-1, "?"):
			continue
		}
		if p, ok := s.poolAt(i, &a); ok && !s.namesMember(p, &a) || !ok && name == "globalThis" && !s.plainMember(i) {
			return true
		}
	}
	return false
}

// plainMember reports whether the members that are taken out of the name at i are
// written out.
func (s *scan) plainMember(i int) bool {
	m, ok := s.memberAfter(i + 1)
	return ok && m.name != "tools" || s.is(i-1, "=") && s.is(i-2, "}")
}

// namesMember reports whether what follows a pool is a member that is written out, or
// the pool is only given another name.
func (s *scan) namesMember(p pool, a *aliases) bool {
	m, ok := s.memberAfter(p.to)
	for !ok {
		wider, widened := s.widened(p)
		if !widened {
			return s.renames(p, a)
		}
		p = wider
		m, ok = s.memberAfter(p.to)
	}
	if m.name != ReservedNamespace {
		return true
	}
	inner, ok := s.memberAfter(m.next)
	return ok && !discovers[inner.name]
}

// renames reports whether a pool is the value of a declaration whose names are known.
func (s *scan) renames(p pool, a *aliases) bool {
	i := p.from - 2
	switch {
	case !s.is(p.from-1, "=") || i < 0:
		return false
	case s.isName(i):
		return a.declared[i] && a.pools[s.string(i)]
	case s.is(i, "}") && s.tokens[i].match >= 0:
		for j := s.tokens[i].match; j < i; j++ {
			if s.is(j, "[") || s.is(j, ReservedNamespace) {
				return false
			}
		}
		return true
	}
	return false
}
