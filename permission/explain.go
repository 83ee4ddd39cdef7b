package permission

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// errMatch is what there is to say of a text that resembles no rule.
var errMatch = errors.New(`a rule is Exec or the full name of a tool, mcp__server__tool, with * for a part of it (mcp__server__* is every tool of a server, * every tool)`)

// explain says why a text is no rule. Where a rule would do what it seems to say,
// it is named: other programs write rules in other notations.
func explain(match string) error {
	meant := Meant(match)
	switch {
	case strings.TrimSpace(match) == "":
		return errMatch
	case meant != "" && meant == strings.TrimSpace(match):
		return fmt.Errorf("there is white space around it: write %q", meant)
	case meant != "" && strings.ContainsAny(match, "(:"):
		return fmt.Errorf("a rule is about a tool's name, not about its arguments: write %q, which is every call of it", meant)
	case meant != "":
		return fmt.Errorf("write %q", meant)
	}
	return errMatch
}

// Meant is the rule that would do what a text in another notation seems to say,
// or "".
func Meant(match string) string {
	s := strings.TrimFunc(match, func(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' })
	s = strings.Trim(s, "\"'`^$")
	s = strings.TrimPrefix(s, "tools.")
	if i := strings.IndexAny(s, "([{?: \t"); i >= 0 { // arguments, in one notation or another
		if strings.Contains(s[i:], "__") {
			return "" // which part is the name is not plain
		}
		s = s[:i]
	}
	switch {
	case s != "" && !isKeyRune(rune(s[0])) && s[0] != '*':
		return ""
	case strings.EqualFold(s, Exec):
		return Exec
	case s == "":
		return ""
	case len(s) > 3 && strings.EqualFold(s[:3], "mcp") && strings.ContainsRune("_./-", rune(s[3])):
		rest := strings.TrimLeft(s[3:], "_./-")
		if rest == "" {
			return ""
		}
		if !strings.Contains(rest, "__") {
			if i := strings.IndexAny(rest, "./"); i > 0 {
				rest = rest[:i] + "__" + rest[i+1:]
			}
		}
		s = "mcp__" + rest
	case strings.Count(s, "__") >= 1, strings.Count(s, "/") == 1:
		s = "mcp__" + strings.Replace(s, "/", "__", 1)
	default:
		return ""
	}
	segments, ok := split(s)
	for _, end := range []string{"*", "__*"} {
		if !ok {
			segments, ok = split(s + end)
		}
	}
	if !ok || segments[2] == "" {
		return ""
	}
	segments[1] = strings.Map(func(r rune) rune {
		if isKeyRune(r) || r == '*' {
			return r
		}
		return '_'
	}, segments[1])
	if rest, regexp := strings.CutPrefix(segments[2], ".*"); regexp {
		segments[2] = "*" + rest
	}
	meant := strings.Join(segments[:], "__")
	if meant == match || strings.Contains(segments[1], "__") {
		return ""
	}
	if _, ok := pieces(segments[2]); !ok {
		return ""
	}
	return meant
}
