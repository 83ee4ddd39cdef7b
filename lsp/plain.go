package lsp

import (
	"strings"
	"unicode"
)

// plain makes one line of text that others wrote: white space is folded, what
// cannot be seen or reorders its surroundings is shown as U+FFFD, and more than
// limit characters are cut (TRUST-2).
func plain(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > limit {
		text = string(r[:limit]) + "…"
	}
	return printable(text)
}

// printable replaces every character that is not visible or has an effect on
// others: control characters other than line breaks, terminal escapes, marks of
// writing direction, joiners.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == ' ':
			return r
		case r == '\r':
			return -1
		case unicode.IsPrint(r):
			return r
		default:
			return unicode.ReplacementChar
		}
	}, text)
}
