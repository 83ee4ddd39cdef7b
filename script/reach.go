package script

import "strings"

// IsModule reports whether a text is a module with a default export, and so not
// the body of a function (EXEC-16).
func (src *Source) IsModule() bool {
	if !strings.Contains(src.text, "export") {
		return false
	}
	s := src.scan()
	for i := 0; i < len(s.tokens); i++ {
		if s.keyword(i, "export") && s.is(i+1, "default") && s.beginsStatement(i) {
			return true
		}
		if s.opens(i) {
			i = s.tokens[i].match
		}
	}
	return false
}

// A Reach is a place where a script tries to reach other files.
type Reach struct {
	// Kind is "import", "import type", "import()", "import.meta", "export" (all
	// but a module's default export) or "require".
	Kind string
	// Range is that of the keyword, Whole that of the statement or expression,
	// which is also text[Start:End].
	Range, Whole Range
	Start, End   int
	// Module is the name of what is imported, when it is a plain string.
	Module string
	// Names are what the statement declares: of an import, and of a declaration that
	// has nothing but a require or import() for its value, which Declaration is.
	Names       []Imported
	Declaration Span
}

// An Imported is a name that comes from another file.
type Imported struct {
	Name  string // there; "default", or "*" for all of it
	Local string // in the script
	Uses  int    // of Local elsewhere in the script
}

// Reaches finds imports and exports in a text, also in one that does not parse.
func (src *Source) Reaches() []Reach {
	if !strings.Contains(src.text, "import") && !strings.Contains(src.text, "export") && !strings.Contains(src.text, "require") {
		return nil
	}
	s := src.scan()
	at := s.position
	var found []Reach
	var used map[string]int // how often each name is used
	for i := range s.tokens {
		kind := s.reachAt(i)
		if kind == "" {
			continue
		}
		end := i + 1
		switch kind {
		case "import()", "require":
			if s.opens(i + 1) {
				end = s.tokens[i+1].match + 1
			}
		case "import.meta":
			end = min(i+3, len(s.tokens))
			if m, ok := s.memberAfter(end); ok {
				end = m.next
			}
		default:
			end = s.endOf(i, false)
		}
		t := s.tokens[i]
		r := Reach{Kind: kind, Range: Range{at(t.start), at(t.end)}, Start: t.start, End: s.tokens[max(end, i+1)-1].end}
		r.Whole = Range{at(r.Start), at(r.End)}
		statement := s.readImported(&r, extent{i, max(end, i+1)})
		if len(r.Names) > 0 && used == nil {
			used = map[string]int{}
			s.countUses(used, extent{0, len(s.tokens)})
		}
		inside := map[string]int{}
		s.countUses(inside, statement)
		for i := range r.Names {
			r.Names[i].Uses = used[r.Names[i].Local] - inside[r.Names[i].Local]
		}
		found = append(found, r)
	}
	return found
}

func (s *scan) reachAt(i int) string {
	switch {
	case s.keyword(i, "require") && s.is(i-1, "=") && s.is(i-3, "import"):
		return "" // which is said of the import
	case s.keyword(i, "require") && s.is(i+1, "(") && !s.is(i-1, "function"):
		return "require"
	case s.keyword(i, "import"):
		switch {
		case s.is(i+1, "("):
			return "import()"
		case s.is(i+1, "."):
			return "import.meta"
		case !s.beginsStatement(i) || i+1 >= len(s.tokens):
			return ""
		case s.is(i+1, "type") && !s.is(i+2, "from") && !s.is(i+2, ",") && !s.is(i+2, "="), s.onlyTypes(i + 1):
			return "import type"
		case s.tokens[i+1].kind == tokenString, s.isName(i + 1), s.is(i+1, "{"), s.is(i+1, "*"):
			return "import"
		}
	case s.keyword(i, "export") && s.beginsStatement(i) && !s.is(i+1, "default"):
		if s.inNamespace(i) {
			return "" // which is an error itself
		}
		if s.isName(i+1) || s.is(i+1, "{") || s.is(i+1, "*") || s.is(i+1, "=") {
			return "export"
		}
	}
	return ""
}

// inNamespace reports whether the token at i is directly in the body of a namespace.
func (s *scan) inNamespace(i int) bool {
	open := s.around(i)
	return open > 1 && s.is(open, "{") && (s.is(open-2, "namespace") || s.is(open-2, "module"))
}

// onlyTypes reports whether { type A, type B } begins at i.
func (s *scan) onlyTypes(i int) bool {
	if !s.is(i, "{") || !s.opens(i) || s.tokens[i].match == i+1 {
		return false
	}
	for j := i; j < s.tokens[i].match; j++ {
		if (j == i || s.is(j, ",")) && j+1 < s.tokens[i].match && !(s.is(j+1, "type") && s.isName(j+2)) {
			return false
		}
	}
	return true
}

// readImported fills in what a reach declares, and is its statement; e is that of
// an import, or the call.
func (s *scan) readImported(r *Reach, e extent) extent {
	switch r.Kind {
	case "import":
		for i := e.from + 1; i < e.to; i++ {
			switch {
			case s.is(i, "{") && s.opens(i):
				r.Names = append(r.Names, s.importedNames(extent{i + 1, s.tokens[i].match}, "as")...)
				i = s.tokens[i].match
			case s.is(i, "*") && s.is(i+1, "as") && s.isName(i+2):
				r.Names = append(r.Names, Imported{Name: "*", Local: s.string(i + 2)})
				i += 2
			case s.is(i, "=") && s.is(i+1, "require") && s.is(i+2, "("):
				r.Module = s.plainString(i + 3)
				i = e.to
			case s.is(i, "from"):
				r.Module = s.plainString(i + 1)
				i = e.to
			case s.isName(i):
				r.Names = append(r.Names, Imported{Name: "default", Local: s.string(i)})
			case i == e.from+1:
				r.Module = s.plainString(i)
			}
		}
	case "require", "import()":
		if e.to == e.from+4 {
			r.Module = s.plainString(e.from + 2)
		}
		return s.readDeclaration(r, e)
	}
	return e
}

// readDeclaration reads `const x = require("y");` around the call.
func (s *scan) readDeclaration(r *Reach, call extent) extent {
	i := call.from - 1
	if s.is(i, "await") {
		i--
	}
	if i < 2 || !s.is(i, "=") || !s.endsDeclarator(call.to) || s.is(call.to, ",") {
		return call
	}
	name := i - 1
	if s.closes(name) && s.tokens[name].match >= 0 {
		name = s.tokens[name].match
	}
	if !s.is(name-1, "const") && !s.is(name-1, "let") && !s.is(name-1, "var") {
		return call
	}
	if s.isName(name) {
		r.Names = []Imported{{Name: "*", Local: s.string(name)}}
	} else if s.is(name, "{") {
		r.Names = s.importedNames(extent{name + 1, i - 1}, ":")
	}
	e := extent{name - 1, call.to}
	if s.is(e.to, ";") {
		e.to++
	}
	r.Declaration = s.span(e)
	return e
}

// importedNames reads `a, b as c`; as is the word between a name and its local
// one.
func (s *scan) importedNames(e extent, as string) (all []Imported) {
	for i := e.from; i < e.to && !s.overBudget(); i++ {
		from := i
		i = s.argumentEnd(i, e.to)
		if s.is(from, "type") && s.isName(from+1) && !s.is(from+1, as) {
			from++
		}
		n := Imported{Name: s.plainString(from)}
		if s.isName(from) {
			n.Name, n.Local = s.string(from), s.string(from)
		}
		if s.is(from+1, as) && s.isName(from+2) {
			n.Local = s.string(from + 2)
		}
		if n.Name != "" && n.Local != "" {
			all = append(all, n)
		}
	}
	return all
}

// plainString is the value of the string at i, or "".
func (s *scan) plainString(i int) string {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].kind != tokenString || !s.tokens[i].closed {
		return ""
	}
	return unescape(s.text[s.tokens[i].start+1 : s.tokens[i].end-1])
}

// countUses counts the names in an extent that are used as such: not as those of
// members or keys.
func (s *scan) countUses(used map[string]int, e extent) {
	for i := e.from; i < e.to; i++ {
		if s.isName(i) && !s.afterMember(i) && (!s.is(i+1, ":") || s.is(i-1, "?")) {
			used[s.string(i)]++
		}
	}
}
