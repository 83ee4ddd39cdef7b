package script

import "strings"

// UnfinishedPattern is a text with the rest of the function whose first parameter
// is a pattern that is being typed at offset (in bytes), as in
//
//	tools.mcp__a__b({}).then(({ |
//
// which is an object in parentheses until the arrow is typed. Nothing before the
// offset differs. ok is false when no name in such a pattern can be typed there.
func (src *Source) UnfinishedPattern(offset int) (finished string, ok bool) {
	offset = min(max(offset, 0), len(src.text))
	brace := strings.LastIndexByte(src.text[:offset], '{')
	if brace < 0 {
		return "", false
	}
	const space = " \t\r\n"
	outer, ok := strings.CutSuffix(strings.TrimRight(src.text[:brace], space), "(")
	outer = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(outer, space), "async"), space)
	if !ok || !strings.HasSuffix(outer, "(") {
		return "", false // as nearly always: the text need not be read
	}
	s := src.scan()
	_, to, before, _ := s.word(s.at(offset), offset)
	open := s.around(before + 1)
	if open < 2 || !s.is(open, "{") || !s.is(before, "{") && !s.is(before, ",") || !s.is(open-1, "(") {
		return "", false
	}
	call := open - 2
	if s.is(call, "async") {
		call--
	}
	if !s.is(call, "(") || !s.isName(call-1) || !s.afterMember(call-1) {
		return "", false
	}
	end := s.tokens[open].match
	if end < open || !s.is(end+1, ")") || s.tokens[end+1].match != open-1 {
		return src.text[:to] + "}) => 0);" + src.text[to:], true
	}
	if s.is(end+2, "=>") || s.is(end+2, ":") {
		return "", false
	}
	behind, rest := s.tokens[end+1].end, " => 0"
	if !s.opens(call) {
		rest += ");"
	}
	return src.text[:behind] + rest + src.text[behind:], true
}
