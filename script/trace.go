package script

// A trace is where promises may get to that nobody awaits, by the names that
// they go under. It is coarse, and rather says too much: it decides only whether
// it is worth asking for a type.
type trace struct {
	*awaiting
	names   map[string]bool // variables that may have some in them, functions whose calls may make some
	members map[string]bool // methods and properties of that kind
	lists   map[string]bool // of names: those that may be arrays
	within  map[string]bool // async functions that may bring some in their value
	sources map[int]bool    // tokens where a tool is called or named
}

func (f *awaiting) trace() *trace {
	t := &trace{
		awaiting: f, names: map[string]bool{}, members: map[string]bool{}, lists: map[string]bool{}, within: map[string]bool{},
		sources: map[int]bool{},
	}
	for i, at := range f.sites {
		if at.to > 0 || at.from > 0 {
			t.sources[f.sites[i].from] = true
		}
	}
	for range 4 { // from one name to the next
		before := len(t.names) + len(t.members) + len(t.lists) + len(t.within)
		t.throughFunctions()
		t.throughAssignments()
		if len(t.names)+len(t.members)+len(t.lists)+len(t.within) == before {
			break
		}
	}
	return t
}

// throughFunctions follows promises out of functions, and from what callbacks are
// called with into their parameters.
func (t *trace) throughFunctions() {
	for _, b := range t.bodies {
		if t.tired() {
			return
		}
		if b.async || t.flows(b.extent) {
			t.mark(b.name, t.names)
			t.mark(b.method, t.members)
		}
		if b.async && t.brings(b) {
			t.mark(b.name, t.within)
			t.mark(b.method, t.within)
		}
		open := t.around(b.head)
		if open < 3 || !t.is(open, "(") || !t.afterMember(open-1) || t.string(open-1) == "then" {
			continue
		}
		if from := t.headOf(open - 3); t.flows(extent{from, open}) {
			for i := b.head; i < b.from; i++ {
				if t.isName(i) && !t.is(i, "async") {
					t.names[t.string(i)] = true
				}
			}
		}
	}
}

func (t *trace) mark(name string, in map[string]bool) {
	if name != "" {
		in[name] = true
	}
}

// brings says whether there may be promises in what an async function returns:
// in it, for the promise that it returns itself is waited for.
func (t *trace) brings(b asyncBody) bool {
	if !t.is(b.from, "{") {
		return !t.promises(b.from, b.to) && t.flows(b.extent)
	}
	for i := b.from; i < b.to && !t.tired(); i++ {
		if !t.is(i, "return") || t.afterMember(i) || t.innermost(i).extent != b.extent {
			continue
		}
		if e := (extent{i + 1, t.endOf(i+1, true)}); !t.promises(e.from, e.to) && t.flows(e) {
			return true
		}
	}
	return false
}

// adds are methods that put their arguments into what they are called on.
var adds = map[string]bool{"push": true, "unshift": true, "set": true, "add": true}

// throughAssignments follows promises into variables, properties and collections.
func (t *trace) throughAssignments() {
	for i := range t.tokens {
		switch {
		case t.tired():
			return
		case t.is(i, "=") && i > 0:
			value := extent{i + 1, t.endOf(i+1, true)}
			if t.flows(value) {
				t.assigned(i, t.makesList(value))
			}
		case t.keyword(i, "of") && t.isName(i-1) || t.is(i, "of") && i > 0 && t.closes(i-1):
			if open := t.around(i); open > 0 && t.is(open, "(") && t.opens(open) && t.flows(extent{i + 1, t.tokens[open].match}) {
				t.assigned(i, false)
			}
		case t.afterMember(i) && t.isName(i) && adds[t.string(i)] && t.is(i+1, "(") && t.opens(i+1):
			if t.flows(extent{i + 2, t.tokens[i+1].match}) {
				for j := t.headOf(i - 2); j < i; j++ {
					if t.isName(j) {
						t.names[t.string(j)], t.members[t.string(j)] = true, true
						t.lists[t.string(j)] = true
					}
				}
			}
		}
	}
}

// assigned marks the names that what stands behind the token at i goes to.
func (t *trace) assigned(i int, list bool) {
	for j := i - 1; j >= 0 && i-j < longestType && !t.tired(); j-- {
		if open := t.tokens[j].match; t.is(j, "]") && open > 0 && t.tokens[open-1].operand && !t.beginsDeclarator(open-1) {
			j = open // an index
			continue
		}
		if t.isName(j) {
			if t.beginsDeclarator(j) {
				return
			}
			name := t.string(j)
			if t.afterMember(j) {
				t.members[name] = true
			} else {
				t.names[name] = true
			}
			if list {
				t.lists[name] = true
			}
		}
		if t.beginsStatement(j) || t.is(j, ";") || t.is(j, "(") && t.opens(j) && t.tokens[j].match > i {
			return
		}
	}
}

// makesList says whether an expression may be an array of promises.
func (t *trace) makesList(e extent) bool {
	for i := e.from; i < e.to; i++ {
		if t.is(i, "[") && !(i > 0 && t.tokens[i-1].operand) || t.isName(i) &&
			(t.lists[t.string(i)] || t.afterMember(i) && (t.string(i) == "map" || t.string(i) == "flatMap" || t.string(i) == "from")) {
			return true
		}
	}
	return false
}

// flows says whether an expression may make promises or hand some on, other than
// those that are awaited in it.
func (t *trace) flows(e extent) bool {
	for i := e.from; i < e.to && i < len(t.tokens); i++ {
		if t.tired() {
			return false
		}
		if t.keyword(i, "await") {
			if end := t.operandEnd(i + 1); end > i+1 && !t.bringsMore(i+1, end) {
				i = end - 1
				continue
			}
		}
		if t.source(i) {
			return true
		}
	}
	return false
}

// bringsMore says whether an operand of await is the call of a function of which
// there may be promises left in what it brings.
func (t *trace) bringsMore(from, end int) bool {
	open := t.tokens[end-1].match
	return open > from && t.isName(open-1) && t.within[t.string(open-1)]
}

// source says whether a promise may come from the token at i.
func (t *trace) source(i int) bool {
	if t.sources[i] {
		return true
	}
	if !t.isName(i) {
		return false
	}
	name := t.string(i)
	switch {
	case t.afterMember(i):
		return t.members[name] || name == "then"
	case t.is(i+1, ":") && (t.is(i-1, "{") || t.is(i-1, ",")):
		return false // a key
	case name == "async":
		return !t.is(i+1, ":") && !t.is(i+1, ",") && !t.is(i+1, "}")
	case name == "Promise":
		return true
	}
	return t.names[name]
}

// operandEnd is the index behind the operand of await, void or ! that begins at i.
func (s *scan) operandEnd(i int) int {
	for s.is(i, "new") || s.is(i, "await") || s.is(i, "!") || s.is(i, "async") || s.is(i, "typeof") {
		i++
	}
	if i >= len(s.tokens) {
		return i
	}
	switch {
	case s.keyword(i, "function"):
		for i < len(s.tokens) && !s.is(i, "(") && !s.tired() {
			i++
		}
		if i >= len(s.tokens) || !s.opens(i) {
			return i
		}
		i = s.bodyAt(s.tokens[i].match + 1).to
	case s.opens(i) && s.tokens[i].kind != tokenTemplate:
		i = s.tokens[i].match + 1
	case s.tokens[i].kind == tokenTemplate:
		i = s.templateEnd(i) + 1
	default:
		i++
	}
	for i < len(s.tokens) && !s.tired() {
		switch {
		case s.is(i, "!") && !s.tokens[i].newline:
			i++
		case s.is(i, ".") || s.is(i, "?."):
			i++
			if s.isName(i) {
				i++
			}
		case (s.is(i, "(") || s.is(i, "[")) && s.opens(i) && (!s.tokens[i].newline || s.is(i-1, "?.")):
			i = s.tokens[i].match + 1
		case s.is(i, "<") && s.callAt(i) > i && s.opens(s.callAt(i)): // type arguments
			i = s.callAt(i)
		case s.tokens[i].kind == tokenTemplate && !s.tokens[i].newline && s.text[s.tokens[i].start] == '`':
			i = s.templateEnd(i) + 1
		default:
			return i
		}
	}
	return i
}
