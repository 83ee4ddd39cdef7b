package typegen

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keysOf are the names that the patterns of patternProperties allow, as
// TypeScript's template literals, which may allow more: `x-${string}` for ^x-[a-z]+,
// `${string}_id` for _id$.
// nil is names of which TypeScript cannot say anything.
func keysOf(patterns []string) []string {
	var keys []string
	for _, p := range patterns {
		prefix, suffix := prefixOf(p), suffixOf(p)
		if prefix == "" && suffix == "" {
			return nil
		}
		keys = append(keys, "`"+prefix+"${string}"+suffix+"`")
	}
	return unrepeated(keys)
}

// writable are the patterns that TypeScript can express exactly, with the types of their
// properties: ^x- and _id$. Of two that may match one name, only the first is.
func writable(patterns []string, types []*lazy) (list []patternType) {
	var taken [][2]string
	for i, p := range patterns {
		prefix, suffix := "", ""
		begins, isPrefix := strings.CutPrefix(p, "^")
		ends, isSuffix := strings.CutSuffix(p, "$")
		switch {
		case isPrefix && !isSuffix:
			prefix = literalText(strings.TrimSuffix(begins, ".*"))
		case isSuffix && !isPrefix:
			suffix = literalText(ends)
		}
		apart := func(other [2]string) bool {
			return prefix != "" && other[0] != "" && !strings.HasPrefix(prefix, other[0]) && !strings.HasPrefix(other[0], prefix) ||
				suffix != "" && other[1] != "" && !strings.HasSuffix(suffix, other[1]) && !strings.HasSuffix(other[1], suffix)
		}
		if prefix+suffix == "" || slices.ContainsFunc(taken, func(other [2]string) bool { return !apart(other) }) {
			continue
		}
		taken = append(taken, [2]string{prefix, suffix})
		list = append(list, patternType{key: "`" + prefix + "${string}" + suffix + "`", typ: types[i]})
	}
	return list
}

// matchesAll reports whether a regular expression matches every name.
func matchesAll(pattern string) bool {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
	if inner, ok := strings.CutPrefix(pattern, "("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); ok {
			pattern = strings.TrimPrefix(inner, "?:")
		}
	}
	switch strings.TrimSuffix(pattern, "?") { // `.*?` is as much as `.*`
	case "", ".*", `[\s\S]*`, "[^]*":
		return true
	}
	return false
}

// literalText is a regular expression that stands for itself, as text; "" when it
// says more.
func literalText(pattern string) string {
	text, rest := literalRun([]rune(pattern))
	if len(rest) > 0 {
		return ""
	}
	return string(text)
}

// literalRun is the text that a regular expression begins with and that stands for
// itself, and what follows it.
func literalRun(pattern []rune) (text, rest []rune) {
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c == '\\' && i+1 < len(pattern) && strings.ContainsRune(`-./:_@ $`, pattern[i+1]) {
			i++
			c = pattern[i]
		} else if !plain(c) {
			return text, pattern[i:]
		}
		text = append(text, c)
	}
	return text, nil
}

// matches reports whether a name is like the key.
func (p patternType) matches(name string) bool {
	prefix, suffix, _ := strings.Cut(strings.Trim(p.key, "`"), "${string}")
	return strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix)
}

func unrepeated(list []string) []string {
	seen := map[string]bool{}
	out := list[:0]
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// prefixOf is what every text begins with that a regular expression (ECMA-262)
// matches, "" when that is nothing or is unknown. It has only letters,
// digits and characters that mean nothing in a template literal.
func prefixOf(pattern string) string {
	rest, ok := strings.CutPrefix(pattern, "^")
	if !ok || hasAlternation(rest) {
		return ""
	}
	prefix, more := literalRun([]rune(rest))
	if len(more) > 0 && strings.ContainsRune("*?{", more[0]) && len(prefix) > 0 {
		prefix = prefix[:len(prefix)-1] // the last one may be missing
	}
	return string(prefix)
}

// suffixOf is what every text ends with that a regular expression (ECMA-262)
// matches, "" when that is nothing, is unknown, or is the whole text.
func suffixOf(pattern string) string {
	rest, ok := strings.CutSuffix(pattern, "$")
	if !ok || strings.HasSuffix(rest, `\`) || strings.Contains(rest, "(?i") || hasAlternation(rest) {
		return ""
	}
	// Whatever is not plain text begins the suffix again behind it.
	var suffix []rune
	anew := !strings.HasPrefix(rest, "^")
	runes := []rune(strings.TrimPrefix(rest, "^"))
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case c == '\\' && i+1 < len(runes) && strings.ContainsRune(`-./:_@ $`, runes[i+1]):
			i++
			suffix = append(suffix, runes[i])
		case c == '\\' && i+1 < len(runes) && strings.ContainsRune(`dDwWsSbB`, runes[i+1]):
			i++
			suffix, anew = nil, true
		case c == '\\':
			return "" // of several characters, perhaps
		case c == '[' || c == '{':
			end := map[rune]rune{'[': ']', '{': '}'}[c]
			for i++; i < len(runes) && runes[i] != end; i++ {
				if runes[i] == '\\' {
					i++
				}
			}
			suffix, anew = nil, true
		case plain(c):
			suffix = append(suffix, c)
		default:
			suffix, anew = nil, true
		}
	}
	if !anew {
		return ""
	}
	return string(suffix)
}

// plain reports whether a character stands for itself in an expression and in a
// template literal.
func plain(c rune) bool {
	return c != utf8.RuneError && (unicode.IsLetter(c) || '0' <= c && c <= '9' || strings.ContainsRune("-_:@/ ,;<>=", c))
}

// hasAlternation reports whether an expression has a | outside of groups, so that
// only its first part begins with what it begins with.
func hasAlternation(pattern string) bool {
	groups, class := 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			groups++
		case c == ')':
			groups--
		case c == '|' && groups <= 0:
			return true
		}
	}
	return false
}
