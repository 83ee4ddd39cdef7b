package script

// Uncalled is a function that a script obviously meant to run, or whose value it meant
// to return (EXEC-19).
type Uncalled struct {
	Range   Range
	Message string
	// At is the offset where Insert makes the script do it; Insert is "" when there is
	// no simple way.
	At     int
	Insert string
}

// Uncalled looks at the Body of a script: is all of it functions that nobody
// calls, or is the value of the function dropped that it calls at its end?
func (src *Source) Uncalled() (Uncalled, bool) {
	s := src.scan()
	statements := s.statements()
	var functions []topFunction
	for i, st := range statements {
		f, ok := s.topFunction(st)
		switch {
		case ok:
			functions = append(functions, f)
		case s.erased(st.from):
		case i == len(statements)-1:
			return s.droppedValue(st, functions)
		case s.keyword(st.from, "return") || s.is(st.from, "export") || s.is(st.from, "import"):
			return Uncalled{}, false
		case s.is(st.from, "console"):
			return Uncalled{}, false // it says what it has to say by other means
		}
	}
	// Nothing but functions; other statements would have been the last one, or stand
	// between them.
	if len(functions) == 0 || len(functions) != s.count(statements) {
		return Uncalled{}, false
	}
	f := functions[len(functions)-1]
	u := Uncalled{
		Range:   s.rangeOfTokens(extent{f.from, f.from + 1}),
		Message: "Nobody calls this function, so the script does nothing. Write its body alone, or export default it.",
	}
	switch {
	case f.generator:
	case len(functions) == 1 && (f.name == "" || f.declared):
		u.At, u.Insert = s.tokens[f.from].start, "export default "
	case f.name != "":
		u.At, u.Insert = s.tokens[f.to-1].end, "\nreturn await "+f.name+"();"
	}
	return u, true
}

// A topFunction is a statement that is a function and nothing else.
type topFunction struct {
	extent
	name      string
	declared  bool // by `function name`
	generator bool
	value     bool // it returns one
}

// statements are those at the top of the text, without empty ones.
func (s *scan) statements() (list []extent) {
	for i := 0; i < len(s.tokens) && !s.overBudget(); {
		if s.is(i, ";") {
			i++
			continue
		}
		end := s.endOf(i, false)
		if f, ok := s.functionAt(i); ok && f.declared {
			end = f.to
		}
		if end <= i { // a bracket that nothing opens
			return nil
		}
		list = append(list, extent{i, end})
		i = end
	}
	return list
}

// count leaves out what is erased with the types.
func (s *scan) count(statements []extent) (n int) {
	for _, st := range statements {
		if !s.erased(st.from) {
			n++
		}
	}
	return n
}

func (s *scan) erased(i int) bool {
	return (s.is(i, "type") || s.is(i, "interface") || s.is(i, "declare")) && s.isName(i+1)
}

// topFunction reads a statement that is a function: a declaration, an expression, with
// or without parentheses, or a variable that holds one.
func (s *scan) topFunction(st extent) (topFunction, bool) {
	from, to := st.from, st.to
	for to > from && s.is(to-1, ";") {
		to--
	}
	name, at := "", from
	if s.is(at, "const") || s.is(at, "let") || s.is(at, "var") {
		if !s.isName(at+1) || !s.is(at+2, "=") {
			return topFunction{}, false
		}
		name, at = s.string(at+1), at+3
	}
	end := to
	for at < end && s.is(at, "(") && s.tokens[at].match == end-1 {
		at, end = at+1, end-1
	}
	f, ok := s.functionAt(at)
	if !ok || f.to != end {
		return topFunction{}, false
	}
	if name != "" {
		f.name, f.declared = name, false
	}
	if from != f.from {
		f.declared = false
	}
	f.extent = extent{from, st.to}
	return f, true
}

// functionAt reads the function that begins at i.
func (s *scan) functionAt(i int) (f topFunction, ok bool) {
	f.from = i
	if s.keyword(i, "async") && i+1 < len(s.tokens) && !s.tokens[i+1].newline {
		i++
	}
	if s.keyword(i, "function") {
		i++
		if s.is(i, "*") {
			f.generator = true
			i++
		}
		if s.isName(i) {
			f.name, f.declared = s.string(i), true
			i++
		}
		for i < len(s.tokens) && !s.is(i, "(") && !s.overBudget() { // type parameters
			i++
		}
		if i >= len(s.tokens) || !s.opens(i) {
			return f, false
		}
		for i = s.tokens[i].match + 1; i < len(s.tokens) && !s.overBudget(); i++ { // a return type
			if s.is(i, "{") && s.tokens[i].block && s.opens(i) {
				f.to = s.tokens[i].match + 1
				f.value = s.returns(extent{i + 1, f.to - 1})
				return f, true
			}
			if s.is(i, "{") && s.opens(i) {
				i = s.tokens[i].match
			}
		}
		return f, false
	}
	switch {
	case s.is(i, "(") && s.opens(i):
		i = s.tokens[i].match + 1
	case s.isName(i):
		i++
	default:
		return f, false
	}
	if s.is(i, ":") { // a return type
		for i < len(s.tokens) && !s.is(i, "=>") && !s.is(i, ";") && !s.overBudget() {
			if s.opens(i) {
				i = s.tokens[i].match
			}
			i++
		}
	}
	if !s.is(i, "=>") || i+1 >= len(s.tokens) {
		return f, false
	}
	i++
	if s.is(i, "{") && s.opens(i) {
		f.to = s.tokens[i].match + 1
		f.value = s.returns(extent{i + 1, f.to - 1})
		return f, true
	}
	f.to = s.endOf(i, true)
	f.value = !s.is(i, "console") && !s.is(i, "void")
	return f, f.to > i
}

// returns reports whether the body of a function returns a value itself.
func (s *scan) returns(body extent) bool {
	for i := body.from; i < body.to && !s.overBudget(); i++ {
		if f, ok := s.functionAt(i); ok && f.to <= body.to && f.to > i+1 && (s.is(i, "(") || s.is(i, "async") || s.is(i, "function") || s.is(i+1, "=>")) {
			i = f.to - 1
			continue
		}
		if s.keyword(i, "return") && i+1 < body.to && !s.is(i+1, ";") && !s.is(i+1, "}") && !s.tokens[i+1].newline {
			return true
		}
	}
	return false
}

// droppedValue looks at the last statement of a script: a call of one of its functions,
// or of a function that stands there, whose value nobody gets.
func (s *scan) droppedValue(st extent, functions []topFunction) (Uncalled, bool) {
	at := st.from
	if s.keyword(at, "await") {
		at++
	}
	value := false
	next := at
	switch {
	case s.is(at, "(") && s.opens(at):
		next = s.tokens[at].match + 1
		f, ok := s.functionAt(at + 1)
		value = ok && f.value && !f.generator && f.to == s.tokens[at].match
	case s.isName(at):
		next = at + 1
		for _, f := range functions {
			if f.name == s.string(at) && f.value && !f.generator && s.mentions(f.name) == 2 {
				value = true
			}
		}
	}
	if !value || !s.is(next, "(") || !s.opens(next) {
		return Uncalled{}, false
	}
	next = s.tokens[next].match + 1
	for s.is(next, ".") && (s.is(next+1, "catch") || s.is(next+1, "finally")) && s.is(next+2, "(") && s.opens(next+2) {
		next = s.tokens[next+2].match + 1
	}
	for next < st.to && s.is(next, ";") {
		next++
	}
	if next != st.to {
		return Uncalled{}, false
	}
	return Uncalled{
		Range:   s.rangeOfTokens(extent{st.from, st.to}),
		Message: "The value of this call is dropped, so the script returns nothing. Put return before it.",
		At:      s.tokens[st.from].start, Insert: "return ",
	}, true
}

// mentions counts a name, properties of that name left out.
func (s *scan) mentions(name string) (n int) {
	for i := range s.tokens {
		if s.isName(i) && s.string(i) == name && !s.afterMember(i) {
			n++
		}
	}
	return n
}

// rangeOfTokens is where an extent of at least one token stands.
func (s *scan) rangeOfTokens(e extent) Range {
	return Range{positionAt(s.text, s.tokens[e.from].start), positionAt(s.text, s.tokens[e.to-1].end)}
}
