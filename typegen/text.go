package typegen

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"codemode-ls/internal/plaintext"
)

// appendWTF8 appends a code point, surrogates included.
func appendWTF8(b []byte, r rune) []byte {
	if r >= 0xD800 && r < 0xE000 {
		return append(b, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(b, r)
}

// decodeWTF8 is utf8.DecodeRuneInString that knows unpaired surrogates.
func decodeWTF8(s string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 && len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] < 0xC0 && s[2] >= 0x80 && s[2] < 0xC0 {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, size
}

// appendQuoted appends a string literal that JSON and TypeScript read alike.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	before := rune(0)
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7F {
			if c == '"' || c == '\\' {
				b = append(b, '\\')
			}
			b = append(b, c)
			before = rune(c)
			i++
			continue
		}
		r, size := decodeWTF8(s[i:])
		switch {
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case r >= 0xD800 && r < 0xE000 || r == utf8.RuneError && size == 1:
			b = appendEscape(b, uint16(r))
		case plaintext.Hidden(before, r, following(s[i+size:])):
			for _, unit := range utf16.AppendRune(nil, r) {
				b = appendEscape(b, unit)
			}
		default:
			b = append(b, s[i:i+size]...)
		}
		before = r
		i += size
	}
	return append(b, '"')
}

// appendEscape appends a UTF-16 code unit as JSON and TypeScript escape it.
func appendEscape(b []byte, unit uint16) []byte {
	b = append(b, `\u`...)
	h := strconv.FormatUint(uint64(unit), 16)
	b = append(b, "0000"[len(h):]...)
	return append(b, h...)
}

// following is the character that a text begins with.
func following(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// isIdentifier reports whether a name can stand after a dot. Reserved words can.
func isIdentifier(name string) bool {
	if name == "" {
		return false
	}
	for i := 0; i < len(name); {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || i > 0 && c >= '0' && c <= '9':
			i++
		case c < utf8.RuneSelf:
			return false
		default:
			r, size := utf8.DecodeRuneInString(name[i:])
			if !unicode.In(r, unicode.L, unicode.Nl) && (i == 0 || !unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)) {
				return false // invalid bytes too: U+FFFD is no letter
			}
			if plaintext.Hidden(0, r, 0) { // Hangul fillers are letters
				return false
			}
			i += size
		}
	}
	return true
}

// appendPropertyName appends a name as a member of an object type. Some
// identifiers mean something else there (`new(…)` is a constructor), and
// `__proto__` and `constructor` are quoted so that nobody has to wonder.
func appendPropertyName(b []byte, name string) []byte {
	switch name {
	case "new", "get", "set", "readonly", "static", "async", "declare", "abstract", "accessor", "constructor", "__proto__":
		return appendQuoted(b, name)
	}
	if isIdentifier(name) {
		return append(b, name...)
	}
	return appendQuoted(b, name)
}

// mangle makes an identifier of any name, a different one for each.
func mangle(name string) string {
	var b []byte
	for i := 0; i < len(name); {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || i > 0 && c >= '0' && c <= '9' {
			b = append(b, c)
			i++
			continue
		}
		r, size := decodeWTF8(name[i:])
		b = append(b, '$')
		b = strconv.AppendUint(b, uint64(r), 16)
		if r == utf8.RuneError && size == 1 {
			b = append(b, '_')
			b = strconv.AppendUint(b, uint64(c), 16)
		}
		b = append(b, '$')
		i += size
	}
	if len(b) == 0 {
		return "$"
	}
	return string(b)
}

// canonicalNumber writes a JSON number as a TypeScript literal type; ok is
// false when a double cannot hold it.
func canonicalNumber(text string) (literal string, ok bool) {
	if len(text) <= 15 && isDigits(text) {
		return text, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return "", false
	}
	if f == 0 {
		return "0", true // -0 too
	}
	format := byte('f')
	if a := math.Abs(f); a < 1e-6 || a >= 1e21 {
		format = 'e'
	}
	return strconv.FormatFloat(f, format, -1, 64), true
}

func isDigits(s string) bool {
	if s == "" || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// appendIndent starts a new line at a level of two spaces each.
func appendIndent(b []byte, level int) []byte {
	const spaces = "                                                                "
	n := 2 * level
	for n > len(spaces) {
		b = append(b, spaces...)
		n -= len(spaces)
	}
	return append(b, spaces[:n]...)
}

// appendComment appends a JSDoc comment with its line end: `/** text */` for
// one line, the block form for several; nothing for no text. The text comes
// from servers: it must neither end the comment nor hide anything in it.
func appendComment(b []byte, text string, level int) []byte {
	text = commentText(text)
	if text == "" {
		return b
	}
	b = appendIndent(b, level)
	if !strings.Contains(text, "\n") {
		b = append(b, "/** "...)
		b = append(b, text...)
		return append(b, " */\n"...)
	}
	b = append(b, "/**\n"...)
	for line := range strings.SplitSeq(text, "\n") {
		b = appendIndent(b, level)
		b = append(b, " *"...)
		if line != "" {
			b = append(b, ' ')
			b = append(b, line...)
		}
		b = append(b, '\n')
	}
	b = appendIndent(b, level)
	return append(b, " */\n"...)
}

// commentText makes a text safe inside a comment: line ends become \n, controls and
// what reorders a text become visible, what shows nothing is removed, `*/` becomes
// `*\/`.
func commentText(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = c >= 0x20 && c < 0x7F && (c != '*' || i+1 >= len(s) || s[i+1] != '/') || c == '\n'
	}
	if plain {
		return strings.Trim(s, " \n")
	}
	b := make([]byte, 0, len(s)+16)
	before := rune(0)
	for i := 0; i < len(s); {
		r, size := decodeWTF8(s[i:])
		switch {
		case r == '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				break // the line feed that follows counts
			}
			b = append(b, '\n')
		case r == '\n' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
			b = append(b, '\n')
		case r == '\t':
			b = append(b, '\t')
		case r == '/' && len(b) > 0 && b[len(b)-1] == '*':
			b = append(b, `\/`...)
		case r < 0x20:
			b = utf8.AppendRune(b, 0x2400+r) // the picture of the control
		case r >= 0x7F && r < 0xA0 || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0xFEFF || r >= 0xFFF9 && r <= 0xFFFB:
			b = appendEscape(b, uint16(r))
		case r >= 0xD800 && r < 0xE000 || r == utf8.RuneError:
			b = utf8.AppendRune(b, utf8.RuneError)
		case plaintext.Hidden(before, r, following(s[i+size:])):
			i += size // it shows nothing
			continue
		default:
			b = append(b, s[i:i+size]...)
		}
		before = r
		i += size
	}
	return strings.Trim(string(b), " \t\n")
}
