package script

import (
	"strings"
	"unicode/utf8"
)

// Completion says what is being typed at offset (in bytes) of a text.
type Completion struct {
	// Kind is "tool" behind `tools.` or inside tools["…"], "member" behind
	// tools["$codemode"]., "pattern" in `const { … } = tools`, "" anywhere else.
	Kind    string
	Prefix  string // what was typed of the name so far
	Replace Range  // of the name so far, to be replaced
	Dot     Range  // the dot (and an optional ?.) before it; empty inside brackets
	Quote   byte   // the quote it is in, or 0
	// Brackets says that it stands between brackets without quotes, as in tools[na],
	// where a variable may be meant, too.
	Brackets bool
	Taken    []string // the other names in the pattern
}

// CompletionAt finds out what is being typed.
func (src *Source) CompletionAt(offset int) Completion {
	offset = min(max(offset, 0), len(src.text))
	if !strings.Contains(src.text, "tools") {
		return Completion{}
	}
	s := src.scan()
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
	if c, ok := s.betweenBrackets(i, offset); ok {
		return c
	}
	if c, ok := s.inPattern(i, offset); ok {
		return c
	}
	return s.behindDot(i, offset)
}

// word is the name that an offset is in or at the end of, right before it or
// nothing: its offsets, and the indexes of the tokens before and behind it. i is
// the first token that begins at the offset or behind it.
func (s *scan) word(i, offset int) (from, to, before, behind int) {
	switch {
	case s.isName(i-1) && offset <= s.tokens[i-1].end:
		return s.tokens[i-1].start, s.tokens[i-1].end, i - 2, i
	case s.isName(i) && s.tokens[i].start == offset:
		return offset, s.tokens[i].end, i - 1, i + 1
	}
	return offset, offset, i - 1, i
}

// betweenBrackets is for an offset in tools[…] where no quote has been typed.
func (s *scan) betweenBrackets(i, offset int) (c Completion, ok bool) {
	from, to, open, behind := s.word(i, offset)
	if !s.is(open, "[") || behind < len(s.tokens) && !s.is(behind, "]") && !s.tokens[behind].newline && !s.endsStatement(behind) {
		return c, false
	}
	before := open - 1
	if s.is(before, "?.") {
		before--
	}
	kind := s.kindBehind(before)
	at := s.position
	return Completion{Kind: kind, Prefix: s.text[from:offset], Replace: Range{at(from), at(to)}, Brackets: true}, kind != ""
}

// inPattern is for an offset where a name is taken out of tools, as in
// const { … } = tools.
func (s *scan) inPattern(i, offset int) (c Completion, ok bool) {
	from, to, before, _ := s.word(i, offset)
	open := s.around(before + 1)
	if open < 1 || !s.is(open, "{") || !s.opens(open) || !s.is(before, "{") && !s.is(before, ",") ||
		!s.is(open-1, "const") && !s.is(open-1, "let") && !s.is(open-1, "var") {
		return c, false
	}
	a := s.findAliases()
	end := s.tokens[open].match
	if p, ok := s.poolFrom(end+2, &a); !ok || !s.is(end+1, "=") || s.afterMember(p.to+1) {
		return c, false
	}
	at := s.position
	c = Completion{Kind: "pattern", Prefix: s.text[from:offset], Replace: Range{at(from), at(to)}}
	for j := open + 1; j < end && !s.overBudget(); j++ {
		key := s.tokens[j]
		switch {
		case key.start <= offset && offset <= key.end: // the one that is being typed
		case key.kind == tokenName:
			c.Taken = append(c.Taken, unescapeName(s.string(j)))
		case key.kind == tokenString && key.closed:
			c.Taken = append(c.Taken, unescape(s.text[key.start+1:key.end-1]))
		}
		j = s.argumentEnd(j, end)
	}
	return c, true
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
	if m, ok := s.memberAfter(i - 1); ok && m.from == from {
		to = m.to
	} else { // the end of the literal is still to be typed
		for _, r := range s.text[to:] {
			if !isNamePart(r) && !strings.ContainsRune("-.:/", r) {
				break
			}
			to += utf8.RuneLen(r)
		}
	}
	at := s.position
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
	at := s.position
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
	a := s.findAliases()
	if s.endsPool(i, &a) {
		return "tool"
	}
	// tools.$codemode and tools["$codemode"]
	for _, before := range []int{i - 2, i - 3, i - 4} {
		if m, ok := s.memberAfter(before + 1); ok && m.next == i+1 && m.name == ReservedNamespace && s.endsPool(before, &a) {
			return "member"
		}
	}
	return ""
}

// ArgumentAt says where in the argument of a call of a member of tools an offset
// is: the use that is called, and the fields that lead to the offset from the
// argument's root, "[]" for an array's element. ok is false elsewhere, also in a
// call of something else inside of the argument.
func (src *Source) ArgumentAt(offset int) (u Use, path []string, ok bool) {
	offset = min(max(offset, 0), len(src.text))
	if !strings.Contains(src.text[:offset], "tools") {
		return u, nil, false
	}
	s := src.scan()
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
	at := s.position
	start := at(s.tokens[paren].end)
	for _, candidate := range src.Uses() {
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
