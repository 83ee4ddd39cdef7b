package script

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ReservedNamespace is the member of tools that holds what is not an MCP tool
// (01-scripts).
const ReservedNamespace = "$codemode"

// A Use is one place in a script where a member of tools is named.
type Use struct {
	Name      string // the member, such as mcp__github__create_issue or $codemode
	Member    string // what follows a reserved namespace: "search" in tools["$codemode"].search
	NameRange Range  // of the name as written, without quotes
	// MemberRange is that of Member.
	MemberRange Range
	// Whole is from `tools` to the end of the member access.
	Whole Range
	// Called says whether a call follows; Arguments is the range between its
	// parentheses, and ArgumentCount the number of arguments at the top level.
	Called        bool
	Arguments     Range
	ArgumentCount int
	// ArgumentRanges are the arguments' own, without the space around them.
	ArgumentRanges []Range
	// FirstArgument says what the first one plainly is: "object", "array",
	// "string", "number", "boolean", "null", "function", "regexp", or "" when
	// only a type checker can know.
	FirstArgument string
	Quoted        bool // tools["name"]
	// Alias says that another name stands for the member here, as in
	// const read = tools.mcp__a__read; read({}). NameRange is that of the other name.
	Alias   bool
	Awaited bool // `await` directly before
	InLoop  bool // inside the body of a loop statement, and run in each round
	// Discarded says that nobody awaits the call or uses its promise, so that
	// nobody ever sees whether it fails; see Unawaited.
	Discarded bool
	// Together says that the rounds of the loop do not look as if one needed what
	// another got, so that their calls could run at the same time.
	Together bool
}

// Uses finds every use of tools in a text, also in one that does not parse. It
// knows strings, templates, comments and regular expressions well enough not to
// find uses inside them.
func Uses(text string) []Use {
	if !strings.Contains(text, "tools") {
		return nil
	}
	s := tokenize(text)
	u := uses{scan: s, at: positions(text)}
	u.find()
	return u.found
}

// find finds the uses in the order of the text.
func (u *uses) find() {
	s := u.scan
	a := s.findAliases()
	taken := a.taken
	for i := range s.tokens {
		switch {
		case len(taken) > 0 && s.tokens[i].end >= taken[0].to:
			m := taken[0]
			taken = taken[1:]
			at := u.span(m.from, m.to)
			u.put(Use{Name: m.name, Quoted: m.quoted, NameRange: at, Whole: at}, site{})
		case !s.isName(i) || s.afterMember(i) || a.declared[i]:
		case s.isTools(i) || a.pools[s.string(i)]:
			u.add(i)
		case a.tools[s.string(i)] != "" && s.callAt(i+1) >= 0 && !s.is(i-1, "function"):
			t := s.tokens[i]
			at := u.span(t.start, t.end)
			u.complete(Use{Name: a.tools[s.string(i)], Alias: true, NameRange: at, Whole: at}, i, i+1)
		}
	}
}

// A site is the tokens of a call, from its first to its closing parenthesis; to
// is 0 when there is no call, or no end of it.
type site struct{ from, to int }

func (u *uses) put(use Use, at site) {
	u.found = append(u.found, use)
	u.sites = append(u.sites, at)
}

// isTools says whether the token at i is the global tools, as far as a text
// alone can tell.
func (s *scan) isTools(i int) bool {
	return s.isName(i) && s.string(i) == "tools" && !s.afterMember(i)
}

type uses struct {
	*scan
	at    func(offset int) Position
	found []Use
	sites []site // of found

	nest *nest // made when first needed
}

func (u *uses) span(from, to int) Range { return Range{u.at(from), u.at(to)} }

// A member is the access to a member of something.
type member struct {
	name     string
	from, to int // of the name in the text, without quotes
	next     int // the index of the token behind it
	quoted   bool
}

// memberAfter reads `.name`, `?.name`, `["name"]` and `?.["name"]` at i.
func (s *scan) memberAfter(i int) (m member, ok bool) {
	if s.is(i, "!") && !s.tokens[i].newline {
		i++
	}
	dotted := s.is(i, ".") || s.is(i, "?.")
	if dotted {
		i++
	}
	if dotted && s.isName(i) {
		t := s.tokens[i]
		if t.newline && beforeStatement[s.string(i)] {
			return m, false // the name is still to be typed
		}
		return member{name: unescapeName(s.string(i)), from: t.start, to: t.end, next: i + 1}, true
	}
	if s.is(i, "[") && (!dotted || s.is(i-1, "?.")) && i+2 < len(s.tokens) && s.is(i+2, "]") {
		t := s.tokens[i+1]
		if (t.kind == tokenString || t.kind == tokenTemplate && s.text[t.start] == '`' && t.operand) && t.closed {
			raw := s.text[t.start+1 : t.end-1]
			return member{name: unescape(raw), from: t.start + 1, to: t.end - 1, next: i + 3, quoted: true}, true
		}
	}
	return m, false
}

// beforeStatement are words that begin a statement, and hence are hardly ever
// meant as the member of the line before.
var beforeStatement = map[string]bool{
	"const": true, "let": true, "var": true, "return": true, "if": true, "for": true, "while": true, "do": true,
	"switch": true, "try": true, "throw": true, "function": true, "class": true, "await": true, "async": true,
	"type": true, "interface": true, "console": true, "tools": true,
}

func (u *uses) add(i int) {
	m, ok := u.memberAfter(i + 1)
	if !ok {
		return
	}
	use := Use{Name: m.name, Quoted: m.quoted, NameRange: u.span(m.from, m.to)}
	if m.name == ReservedNamespace {
		if inner, ok := u.memberAfter(m.next); ok {
			use.Member, use.MemberRange = inner.name, u.span(inner.from, inner.to)
			m = inner
		}
	}
	use.Whole = u.span(u.tokens[i].start, u.tokens[m.next-1].end)
	u.complete(use, i, m.next)
}

// complete adds a use whose access begins with the token at i and ends before
// the one at next.
func (u *uses) complete(use Use, i, next int) {
	use.Awaited = u.keyword(i-1, "await")
	at := site{from: i}
	if open := u.callAt(next); open >= 0 {
		u.call(&use, i, open)
		at.to = max(u.tokens[open].match, 0)
	}
	u.put(use, at)
}

// callAt is the index of the parenthesis of a call at i, or -1.
func (s *scan) callAt(i int) int {
	if s.is(i, "!") && !s.tokens[i].newline {
		i++
	}
	if s.is(i, "?.") {
		i++
	}
	if s.is(i, "<") { // type arguments
		depth := 0
		for j := i; j < len(s.tokens) && j < i+64 && !s.is(j, ";"); j++ {
			switch {
			case s.is(j, "<"):
				depth++
			case s.is(j, ">"):
				depth--
			}
			if depth == 0 {
				i = j + 1
				break
			}
		}
	}
	if s.is(i, "(") {
		return i
	}
	return -1
}

func (u *uses) call(use *Use, i, open int) {
	use.Called = true
	end, endOffset := u.tokens[open].match, len(u.text)
	if end >= 0 {
		endOffset = u.tokens[end].start
	} else {
		end = len(u.tokens)
	}
	use.Arguments = u.span(u.tokens[open].end, endOffset)
	for j := open + 1; j < end && !u.tired(); {
		to := u.argumentEnd(j, end)
		if to > j {
			if use.ArgumentCount == 0 {
				use.FirstArgument = u.plainly(extent{j, to})
			}
			use.ArgumentCount++
			use.ArgumentRanges = append(use.ArgumentRanges, u.span(u.tokens[j].start, u.tokens[to-1].end))
		}
		j = to + 1
	}
	if end := u.tokens[open].match; end >= 0 && !use.Awaited {
		_, use.Discarded = u.discarded(extent{i, end + 1})
	}
	u.inLoop(use, i)
}

// argumentEnd is the index behind the argument that begins at i.
func (s *scan) argumentEnd(i, end int) int {
	for i < end && !s.is(i, ",") && !s.tired() {
		if s.opens(i) && s.tokens[i].match < end {
			i = s.tokens[i].match
			if s.tokens[i].kind == tokenTemplate {
				continue // the part behind an expression may open the next one
			}
		}
		i++
	}
	return i
}

// plainly is what an expression is at first sight.
func (s *scan) plainly(e extent) string {
	first := s.tokens[e.from]
	if s.has(e, "=>") || s.is(e.from, "function") || s.is(e.from, "async") && s.is(e.from+1, "function") {
		return "function"
	}
	switch {
	case s.is(e.from, "{") && first.match == e.to-1:
		return "object"
	case s.is(e.from, "[") && first.match == e.to-1:
		return "array"
	case first.kind == tokenTemplate && s.text[first.start] == '`' && s.templateEnd(e.from) == e.to-1:
		return "string"
	case e.to-e.from == 2 && s.is(e.from, "-") && s.tokens[e.from+1].kind == tokenNumber:
		return "number"
	case e.to-e.from != 1:
		return ""
	}
	switch first.kind {
	case tokenString:
		return "string"
	case tokenNumber:
		return "number"
	case tokenRegexp:
		return "regexp"
	}
	switch s.string(e.from) {
	case "true", "false":
		return "boolean"
	case "null":
		return "null"
	}
	return ""
}

// templateEnd is the index of the last part of the template that begins at i.
func (s *scan) templateEnd(i int) int {
	for s.tokens[i].match > i {
		i = s.tokens[i].match
	}
	return i
}

// inLoop finds out whether the call at i is run by every round of a loop. Calls
// must come in order.
func (u *uses) inLoop(use *Use, i int) {
	if u.nest == nil {
		u.nest = u.nesting()
	}
	l := u.nest.loopAround(i)
	if l == nil {
		return
	}
	use.InLoop = true
	if !l.judged {
		l.judged, l.together = true, u.independent(*l)
	}
	use.Together = use.Awaited && l.together
}

// independent says whether the rounds of a loop look as if none needed what an
// earlier one did. When in doubt they do not.
func (s *scan) independent(l loop) bool {
	if !l.each {
		return false
	}
	for i := l.body.from; i < l.body.to; i++ {
		if s.tired() {
			return false
		}
		switch {
		case s.tokens[i].kind == tokenName && !s.afterMember(i):
			switch s.string(i) {
			case "break", "return", "throw", "yield":
				return false
			}
		case s.is(i, "++"), s.is(i, "--"):
			return false
		case s.is(i, "=") && !s.declares(i, l.body.from):
			return false
		case s.is(i, "+="), s.is(i, "-="), s.is(i, "*="), s.is(i, "/="), s.is(i, "%="):
			return false
		case s.afterMember(i) && s.is(i+1, "(") && changes[s.string(i)]:
			// What a round changes, no call may look at.
			if s.isName(i-2) && s.mentionedTwice(s.string(i-2), l.body) {
				return false
			}
		}
	}
	return true
}

// changes are methods that change what they are called on.
var changes = map[string]bool{
	"push": true, "pop": true, "shift": true, "unshift": true, "splice": true, "set": true, "add": true, "delete": true,
	"sort": true, "reverse": true,
}

// declares says whether the = at i belongs to a const, let or var.
func (s *scan) declares(i, from int) bool {
	for j := i - 1; j >= from && !s.tired(); j-- {
		switch {
		case s.is(j, ";"), s.is(j, "{") && s.tokens[j].block:
			return false
		case s.keyword(j, "const"), s.keyword(j, "let"), s.keyword(j, "var"):
			return true
		case s.closes(j) && s.tokens[j].match >= from:
			j = s.tokens[j].match
		case s.tokens[j].newline && s.isName(j) && j > from && s.ended(j-1):
			return false
		}
	}
	return false
}

func (s *scan) mentionedTwice(name string, e extent) bool {
	n := 0
	for i := e.from; i < e.to && !s.tired(); i++ {
		if s.isName(i) && s.string(i) == name && !s.afterMember(i) {
			n++
		}
	}
	return n > 1
}

// Completion says what is being typed at offset (in bytes) of a text.
type Completion struct {
	// Kind is "tool" behind `tools.` or inside tools["…"], "member" behind
	// tools["$codemode"]., "" anywhere else.
	Kind    string
	Prefix  string // what was typed of the name so far
	Replace Range  // of the name so far, to be replaced
	Dot     Range  // the dot (and an optional ?.) before it; empty inside brackets
	Quote   byte   // the quote it is in, or 0
}

// CompletionAt finds out what is being typed.
func CompletionAt(text string, offset int) Completion {
	offset = min(max(offset, 0), len(text))
	if !strings.Contains(text[:offset], "tools") {
		return Completion{}
	}
	s := tokenize(text)
	for _, c := range s.comments {
		if c.start < offset && (offset < c.end || offset == c.end && (!c.closed || s.text[c.start+1] == '/')) {
			return Completion{}
		}
	}
	i := s.at(offset) // the first token at or behind the offset
	if i > 0 {
		if t := s.tokens[i-1]; t.kind != tokenPunct && t.kind != tokenName && (offset < t.end || !t.closed && offset == t.end) {
			if t.kind == tokenTemplate && offset == t.end || t.kind == tokenNumber {
				return Completion{}
			}
			return s.insideQuotes(i-1, offset)
		}
	}
	return s.behindDot(i, offset)
}

// insideQuotes is for an offset inside of the literal at i.
func (s *scan) insideQuotes(i, offset int) Completion {
	quote := s.text[s.tokens[i].start]
	if quote != '"' && quote != '\'' && quote != '`' || !s.is(i-1, "[") {
		return Completion{}
	}
	before := i - 2
	if s.is(before, "?.") {
		before--
	}
	kind := s.kindBehind(before)
	if kind == "" {
		return Completion{}
	}
	from := s.tokens[i].start + 1
	to := offset
	for to < len(s.text) && isNamePart(rune(s.text[to])) || to < len(s.text) && strings.IndexByte("-.:/", s.text[to]) >= 0 {
		to++
	}
	at := positions(s.text)
	return Completion{Kind: kind, Prefix: s.text[from:offset], Replace: Range{at(from), at(to)}, Quote: quote}
}

// behindDot is for an offset in the code itself; i is the first token that
// begins at it or behind it.
func (s *scan) behindDot(i, offset int) Completion {
	from, to := offset, offset
	dot := i - 1
	switch {
	case s.isName(i-1) && offset <= s.tokens[i-1].end: // in a name or at its end
		to = s.tokens[i-1].end
		dot = s.hyphenated(i-1) - 1
		from = s.tokens[dot+1].start
	case s.isName(i) && s.tokens[i].start == offset: // right before one
		to = s.tokens[i].end
	case s.is(i-1, "-") && offset == s.tokens[i-1].end: // in the middle of a name with hyphens
		first := s.hyphenated(i - 1)
		if first == i-1 {
			return Completion{}
		}
		dot, from = first-1, s.tokens[first].start
	}
	if !s.is(dot, ".") && !s.is(dot, "?.") {
		return Completion{}
	}
	before := dot - 1
	if s.is(before, "!") {
		before--
	}
	kind := s.kindBehind(before)
	if kind == "" {
		return Completion{}
	}
	at := positions(s.text)
	d := s.tokens[dot]
	return Completion{Kind: kind, Prefix: s.text[from:offset], Replace: Range{at(from), at(to)}, Dot: Range{at(d.start), at(d.end)}}
}

// hyphenated is the index of the first token of the name with hyphens that ends
// with the token at i: people type such a name behind a dot, too.
func (s *scan) hyphenated(i int) int {
	first := i
	for j := i; j >= 0 && (j == i || s.tokens[j].end == s.tokens[j+1].start); j-- {
		if s.isName(j) && strings.HasPrefix(s.string(j), "mcp__") && (s.is(j-1, ".") || s.is(j-1, "?.")) {
			return j
		}
		if !s.isName(j) && !s.is(j, "-") && s.tokens[j].kind != tokenNumber {
			break
		}
	}
	return first
}

// kindBehind is what can follow the expression that ends with the token at i.
func (s *scan) kindBehind(i int) string {
	if s.isTools(i) || s.isName(i) && !s.afterMember(i) && s.findAliases().pools[s.string(i)] {
		return "tool"
	}
	// tools.$codemode and tools["$codemode"]
	for _, first := range []int{i - 2, i - 3, i - 4} {
		if first >= 0 && s.isTools(first) {
			if m, ok := s.memberAfter(first + 1); ok && m.next == i+1 && m.name == ReservedNamespace {
				return "member"
			}
		}
	}
	return ""
}

// ArgumentAt says where in the argument of a call of a member of tools an offset
// is: the use that is called, and the fields that lead to the offset from the
// argument's root, "[]" for an array's element. ok is false elsewhere, also in a
// call of something else inside of the argument.
func ArgumentAt(text string, offset int) (u Use, path []string, ok bool) {
	offset = min(max(offset, 0), len(text))
	if !strings.Contains(text[:offset], "tools") {
		return u, nil, false
	}
	s := tokenize(text)
	var open []int // brackets around the offset, innermost first
	for i := s.at(offset) - 1; i >= 0; i-- {
		t := s.tokens[i]
		isOpen := s.is(i, "(") || s.is(i, "[") || s.is(i, "{")
		if t.kind == tokenTemplate || !isOpen || t.end > offset || t.match >= 0 && s.tokens[t.match].start < offset {
			continue
		}
		if s.is(i, "{") && t.block {
			return u, nil, false // in a function inside of the argument
		}
		open = append(open, i)
		if s.is(i, "(") {
			break
		}
	}
	if len(open) == 0 || !s.is(open[len(open)-1], "(") {
		return u, nil, false
	}
	paren := open[len(open)-1]
	at := positions(text)
	start := at(s.tokens[paren].end)
	for _, candidate := range Uses(text) {
		if candidate.Called && candidate.Arguments.Start == start {
			u, ok = candidate, true
		}
	}
	if !ok {
		return u, nil, false
	}
	for n := len(open) - 2; n >= 0; n-- {
		if s.is(open[n], "[") {
			path = append(path, "[]")
			continue
		}
		if key := s.keyBefore(open[n], offset); key != "" {
			path = append(path, key)
		}
	}
	return u, path, true
}

// keyBefore is the last key of the object literal that opens at i whose value,
// or whose own name, an offset is in.
func (s *scan) keyBefore(i, offset int) (key string) {
	for j := i + 1; j < len(s.tokens) && s.tokens[j].start < offset; j++ {
		switch t := s.tokens[j]; {
		case s.is(j, ","):
			key = ""
		case key == "" && (s.is(j-1, ",") || j-1 == i) && t.kind == tokenName:
			key = s.string(j)
		case key == "" && (s.is(j-1, ",") || j-1 == i) && t.kind == tokenString && t.closed:
			key = unescape(s.text[t.start+1 : t.end-1])
		}
		if s.opens(j) && s.tokens[s.tokens[j].match].start < offset {
			j = s.tokens[j].match
		} else if s.is(j, "{") || s.is(j, "[") || s.is(j, "(") {
			break // the offset is in there
		}
	}
	return key
}

// Mentions finds names that are used as such: not as a member or key, and
// nowhere declared in the text. It is for the globals that a script reaches for.
func Mentions(text string, is func(name string) bool) []Range {
	s := tokenize(text)
	at := positions(text)
	var found []Range
	declared := map[string]bool{}
	names := map[string][]Range{}
	var order []string
	for i := range s.tokens {
		if !s.isName(i) || s.afterMember(i) || !is(s.string(i)) {
			continue
		}
		name := s.string(i)
		switch {
		case s.is(i+1, ":") && !s.is(i-1, "?"), s.is(i-1, "typeof"):
			continue
		case s.is(i+1, "=>"), s.is(i-1, "const"), s.is(i-1, "let"), s.is(i-1, "var"), s.is(i-1, "function"), s.is(i-1, "class"),
			s.is(i-1, "type"), s.is(i-1, "interface"), s.is(i-1, "{") && s.destructured(i), s.is(i-1, ",") && s.destructured(i),
			s.is(i-1, "(") && s.parameter(i), s.is(i-1, ",") && s.parameter(i):
			declared[name] = true
		default:
			if len(names[name]) == 0 {
				order = append(order, name)
			}
			names[name] = append(names[name], Range{at(s.tokens[i].start), at(s.tokens[i].end)})
		}
	}
	for _, name := range order {
		if !declared[name] {
			found = append(found, names[name]...)
		}
	}
	return found
}

// GlobalMembers finds names that are called or read as members of globalThis, as
// in globalThis.fetch("…"), but not assigned to or asked for with typeof.
func GlobalMembers(text string, is func(name string) bool) []Range {
	if !strings.Contains(text, "globalThis") {
		return nil
	}
	s := tokenize(text)
	at := positions(text)
	var found []Range
	for i := range s.tokens {
		if !s.isName(i) || s.string(i) != "globalThis" || s.afterMember(i) || s.is(i-1, "typeof") {
			continue
		}
		if m, ok := s.memberAfter(i + 1); ok && is(m.name) && !(s.is(m.next, "=") || s.is(i-1, "in") || s.optional(m.next)) {
			found = append(found, Range{at(m.from), at(m.to)})
		}
	}
	return found
}

// optional says whether the token at i asks whether there is something at all.
func (s *scan) optional(i int) bool {
	return s.is(i, "?.") || s.is(i, "?") || s.is(i, "??") || s.is(i, "&&") || s.is(i, "||") || s.is(i, "==") || s.is(i, "!=")
}

// around is the index of the bracket that the token at i is directly in, or -1.
func (s *scan) around(i int) int {
	for j := i - 1; j >= 0 && !s.tired(); j-- {
		switch {
		case s.closes(j) && s.tokens[j].match >= 0:
			j = s.tokens[j].match
		case s.is(j, "("), s.is(j, "["), s.is(j, "{"):
			return j
		}
	}
	return -1
}

// destructured says whether the name at i stands in a pattern of a declaration.
func (s *scan) destructured(i int) bool {
	open := s.around(i)
	return open > 0 && s.opens(open) && (s.is(open, "{") || s.is(open, "[")) && s.is(s.tokens[open].match+1, "=") &&
		(s.is(open-1, "const") || s.is(open-1, "let") || s.is(open-1, "var"))
}

// parameter says whether the name at i is a parameter of a function.
func (s *scan) parameter(i int) bool {
	open := s.around(i)
	if open < 0 || !s.is(open, "(") || !s.opens(open) {
		return false
	}
	end := s.tokens[open].match
	return s.is(end+1, "=>") || s.is(end+1, "{") && s.tokens[end+1].block && !headKeywords[s.string(max(open-1, 0))] || s.is(open-1, "catch")
}

// IsModule says whether a text is a module with a default export, and so not
// the body of a function (EXEC-16).
func IsModule(text string) bool {
	if !strings.Contains(text, "export") {
		return false
	}
	s := tokenize(text)
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
}

// Reaches finds imports and exports in a text, also in one that does not parse.
func Reaches(text string) []Reach {
	if !strings.Contains(text, "import") && !strings.Contains(text, "export") && !strings.Contains(text, "require") {
		return nil
	}
	s := tokenize(text)
	at := positions(text)
	var found []Reach
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
		found = append(found, r)
	}
	return found
}

func (s *scan) reachAt(i int) string {
	switch {
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
		if s.isName(i+1) || s.is(i+1, "{") || s.is(i+1, "*") || s.is(i+1, "=") {
			return "export"
		}
	}
	return ""
}

// onlyTypes says whether { type A, type B } begins at i.
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

// positions is positionAt for many offsets of one text.
func positions(text string) func(offset int) Position {
	starts := []int{0}
	// Behind each character that is not ASCII: its offset, and how many bytes more
	// than UTF-16 units there are up to here.
	type surplus struct{ offset, bytes int }
	var wide []surplus
	total := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			if c == '\n' || c == '\r' && !(i < len(text) && text[i] == '\n') {
				starts = append(starts, i)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		total += size - utf16Len(r)
		wide = append(wide, surplus{i, total})
	}
	before := func(offset int) int {
		n := sort.Search(len(wide), func(i int) bool { return wide[i].offset > offset })
		if n == 0 {
			return 0
		}
		return wide[n-1].bytes
	}
	return func(offset int) Position {
		line := sort.SearchInts(starts, offset+1) - 1
		start := starts[line]
		return Position{Line: line, Character: offset - start - (before(offset) - before(start))}
	}
}

// unescapeName is an identifier with its \u escapes read.
func unescapeName(name string) string {
	if !strings.Contains(name, `\`) {
		return name
	}
	return unescape(name)
}

// unescape is the value of a string literal's content.
func unescape(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 >= len(raw) {
			b.WriteByte(raw[i])
			i++
			continue
		}
		c := raw[i+1]
		switch {
		case c == 'u':
			if n := unicodeEscape(raw[i:]); n > 0 {
				digits := strings.Trim(raw[i+2:i+n], "{}")
				if v, err := strconv.ParseUint(digits, 16, 32); err == nil && v <= utf8.MaxRune {
					b.WriteRune(rune(v))
				}
				i += n
				continue
			}
		case c == 'x' && i+4 <= len(raw):
			if v, err := strconv.ParseUint(raw[i+2:i+4], 16, 8); err == nil {
				b.WriteRune(rune(v))
				i += 4
				continue
			}
		case c == 'n':
			b.WriteByte('\n')
		case c == 't':
			b.WriteByte('\t')
		case c == 'r':
			b.WriteByte('\r')
		case c == '0':
			b.WriteByte(0)
		case c == '\n':
		default:
			_, size := utf8.DecodeRuneInString(raw[i+1:])
			b.WriteString(raw[i+1 : i+1+size])
			i += size - 1
		}
		i += 2
	}
	return b.String()
}
