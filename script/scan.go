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
	// Called reports whether a call follows; Arguments is the range between its
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
	// Tagged says that it is the tag of a template, which Arguments is then.
	Tagged bool
	Quoted bool // tools["name"]
	// Alias says that another name stands for the member here, as in
	// const read = tools.mcp__a__read; read({}). NameRange is that of the other name.
	Alias bool
	// Untyped says that the script goes past TypeScript to the member, as in
	// (tools as any).name({}), so that nobody else complains when there is none.
	// Unasked says that it then calls it without looking whether there is one.
	Untyped, Unasked bool
	Awaited          bool // `await` directly before
	InLoop           bool // run in each round of a loop statement or of map, forEach and the like
	// Together says that the rounds of the loop do not look as if one needed what
	// another got, so that their calls could run at the same time. Loop is then
	// the loop's body.
	Together bool
	Loop     Range
}

func (src *Source) findUses() []Use {
	if !strings.Contains(src.text, "tools") {
		return nil
	}
	s := src.scan()
	u := uses{scan: s}
	u.find()
	return u.found
}

// find finds the uses in the order of the text.
func (u *uses) find() {
	s := u.scan
	a := s.findAliases()
	taken := a.taken
	for i := range s.tokens {
		if len(taken) > 0 && s.tokens[i].end >= taken[0].to {
			m := taken[0]
			taken = taken[1:]
			at := u.span(m.from, m.to)
			u.put(Use{Name: m.name, Quoted: m.quoted, NameRange: at, Whole: at, Untyped: m.untyped, Unasked: m.untyped && a.calls[m.from] && u.certain(m.name, &a)}, site{})
			continue
		}
		if !s.isName(i) || s.afterMember(i) || a.declared[i] {
			continue
		}
		if p, ok := s.poolAt(i, &a); ok {
			u.add(p, &a)
		} else if a.tools[s.string(i)] != "" && s.callAt(i+1) >= 0 && !s.is(i-1, "function") {
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

type uses struct {
	*scan
	found []Use
	sites []site // of found

	nest  *nest           // made when first needed
	asked map[string]bool // see asks; made when first needed
}

func (u *uses) span(from, to int) Range { return Range{u.position(from), u.position(to)} }

// A member is the access to a member of something.
type member struct {
	name     string
	from, to int // of the name in the text, without quotes
	next     int // the index of the token behind it
	quoted   bool
	untyped  bool // taken by a pattern out of what TypeScript does not know
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

// add adds the use of the member behind a pool, when there is one.
func (u *uses) add(p pool, a *aliases) {
	m, ok := u.memberAfter(p.to)
	for !ok {
		if p, ok = u.widened(p); !ok {
			return
		}
		m, ok = u.memberAfter(p.to)
	}
	use := Use{Name: m.name, Quoted: m.quoted, NameRange: u.span(m.from, m.to)}
	switch {
	case m.name == ReservedNamespace:
		if inner, ok := u.memberAfter(m.next); ok {
			use.Member, use.MemberRange = inner.name, u.span(inner.from, inner.to)
			m = inner
		}
	case p.untyped:
		open := u.callAt(m.next)
		use.Untyped = true
		use.Unasked = (open >= 0 && !u.is(open-1, "?.") || a.calls[m.from]) && u.certain(m.name, a)
	}
	use.Whole = u.span(u.tokens[p.from].start, u.tokens[m.next-1].end)
	u.complete(use, p.from, m.next)
}

// certain says that a script that calls a member of an untyped pool does so
// whether there is one or not: it names it nowhere else but in calls, and tools
// is not a name of its own.
func (u *uses) certain(name string, a *aliases) bool {
	if objectMembers[name] {
		return false
	}
	if u.asked == nil {
		u.asked = u.asks(a)
	}
	return !u.asked[name] && !u.asked[""]
}

// asks are the members of tools that the script may ask for before it calls
// them: those that it names but to call them, as in "name" in tools; and "" when
// the script declares tools itself.
func (s *scan) asks(a *aliases) map[string]bool {
	asked := map[string]bool{}
	for i, t := range s.tokens {
		switch {
		case t.kind == tokenString && t.closed:
			if !(s.is(i-1, "[") && s.is(i+1, "]") && (s.callsNow(i+2) || a.calls[t.start+1])) && !(s.is(i+1, ":") && !s.is(i-1, "?")) {
				asked[unescape(s.text[t.start+1:t.end-1])] = true
			}
		case t.kind != tokenName:
		case s.afterMember(i):
			if !s.callsNow(i+1) && !a.calls[t.start] {
				asked[unescapeName(s.string(i))] = true
			}
		case s.string(i) == "tools":
			if s.is(i-1, "const") || s.is(i-1, "let") || s.is(i-1, "var") || s.is(i-1, "function") || s.is(i-1, "class") ||
				s.is(i+1, "=>") || s.is(i+1, "=") || s.beginsBinding(i) && (s.destructured(i) && !s.is(i+1, ":") || s.parameter(i)) {
				asked[""] = true
			}
		}
	}
	return asked
}

// beginsBinding reports whether a name in a pattern or a parameter can begin at i.
func (s *scan) beginsBinding(i int) bool {
	return s.is(i-1, "(") || s.is(i-1, ",") || s.is(i-1, "{") || s.is(i-1, "[") || s.is(i-1, ":") || s.is(i-1, "...")
}

// callsNow reports whether a call that is made whatever is called stands at i.
func (s *scan) callsNow(i int) bool {
	open := s.callAt(i)
	return open >= 0 && !s.is(open-1, "?.")
}

// complete adds a use whose access begins with the token at i and ends before
// the one at next.
func (u *uses) complete(use Use, i, next int) {
	use.Awaited = u.keyword(i-1, "await")
	at := site{from: i}
	if open := u.callAt(next); open >= 0 {
		u.call(&use, i, open)
		at.to = max(u.tokens[open].match, 0)
	} else {
		if next < len(u.tokens) && u.tokens[next].kind == tokenTemplate && u.text[u.tokens[next].start] == '`' {
			use.Tagged = true
			use.Arguments = u.span(u.tokens[next].start, u.tokens[min(u.templateEnd(next), len(u.tokens)-1)].end)
		}
		use.InLoop = u.eachArgument(extent{i, next})
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
	for j := open + 1; j < end && !u.overBudget(); {
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
	u.inLoop(use, i)
}

// ArgumentsBehind is what stands between the parentheses of the call of what ends at
// an offset; ok is false when nothing is called there.
func (src *Source) ArgumentsBehind(offset int) (r Range, ok bool) {
	s := src.scan()
	open := s.callAt(s.at(offset))
	if open < 0 || !s.opens(open) {
		return r, false
	}
	at := s.position
	return Range{at(s.tokens[open].end), at(s.tokens[s.tokens[open].match].start)}, true
}

// argumentEnd is the index behind the argument that begins at i.
func (s *scan) argumentEnd(i, end int) int {
	for i < end && !s.is(i, ",") && !s.overBudget() {
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

// inLoop finds out whether the call at i is run by every round of a loop.
func (u *uses) inLoop(use *Use, i int) {
	if u.nest == nil {
		u.nest = u.nesting()
	}
	l, direct := u.nest.loopAround(i)
	if l == nil {
		return
	}
	use.InLoop = true
	if !direct {
		return
	}
	if !l.judged {
		l.judged, l.together = true, u.independent(*l)
	}
	if use.Together = use.Awaited && l.together; use.Together {
		if l.at == (Range{}) {
			l.at = u.span(u.tokens[l.body.from].start, u.tokens[l.body.to-1].end)
		}
		use.Loop = l.at
	}
}

// independent reports whether the rounds of a loop look as if none needed what an
// earlier one did. When in doubt they do not.
func (s *scan) independent(l loop) bool {
	if !l.each {
		return false
	}
	for i := l.body.from; i < l.body.to; i++ {
		if s.overBudget() {
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

// declares reports whether the = at i belongs to a const, let or var.
func (s *scan) declares(i, from int) bool {
	for j := i - 1; j >= from && !s.overBudget(); j-- {
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
	for i := e.from; i < e.to && !s.overBudget(); i++ {
		if s.isName(i) && s.string(i) == name && !s.afterMember(i) {
			n++
		}
	}
	return n > 1
}

// Mentions finds names that are used as such: not as a member or key, and
// nowhere declared in the text. It is for the globals that a script reaches for.
func (src *Source) Mentions(is func(name string) bool) []Range {
	s := src.scan()
	at := s.position
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
func (src *Source) GlobalMembers(is func(name string) bool) []Range {
	if !strings.Contains(src.text, "globalThis") {
		return nil
	}
	s := src.scan()
	at := s.position
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

// optional reports whether the token at i asks whether there is something at all.
func (s *scan) optional(i int) bool {
	return s.is(i, "?.") || s.is(i, "?") || s.is(i, "??") || s.is(i, "&&") || s.is(i, "||") || s.compares(i)
}

// compares reports whether the token at i asks whether two values are equal.
func (s *scan) compares(i int) bool {
	return s.is(i, "==") || s.is(i, "!=") || s.is(i, "===") || s.is(i, "!==")
}

// around is the index of the bracket that the token at i is directly in, or -1.
func (s *scan) around(i int) int {
	for j := i - 1; j >= 0 && !s.overBudget(); j-- {
		switch {
		case s.closes(j) && s.tokens[j].match >= 0:
			j = s.tokens[j].match
		case s.is(j, "("), s.is(j, "["), s.is(j, "{"):
			return j
		}
	}
	return -1
}

// destructured reports whether the name at i stands in a pattern of a declaration.
func (s *scan) destructured(i int) bool {
	open := s.around(i)
	return open > 0 && s.opens(open) && (s.is(open, "{") || s.is(open, "[")) && s.is(s.tokens[open].match+1, "=") &&
		(s.is(open-1, "const") || s.is(open-1, "let") || s.is(open-1, "var"))
}

// parameter reports whether the name at i is a parameter of a function.
func (s *scan) parameter(i int) bool {
	open := s.around(i)
	if open < 0 || !s.is(open, "(") || !s.opens(open) {
		return false
	}
	end := s.tokens[open].match
	return s.is(end+1, "=>") || s.is(end+1, "{") && s.tokens[end+1].block && !headKeywords[s.string(max(open-1, 0))] || s.is(open-1, "catch")
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
