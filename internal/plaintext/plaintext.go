package plaintext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lines is text fit to be shown on several lines.
func Lines(text string) string {
	if isOrdinary(text, true) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for r := range shown(text, false) {
		b.WriteRune(r)
	}
	return b.String()
}

// Line is text fit to be shown within one line: white space is folded, and what is
// longer than limit characters is cut and ends with an ellipsis. A limit of 0 is
// none.
func Line(text string, limit int) string {
	var b strings.Builder
	n, blank := 0, false
	for r := range shown(text, true) {
		if r == ' ' {
			blank = n > 0
			continue
		}
		if blank {
			if limit > 0 && n+1 >= limit {
				return b.String() + "…"
			}
			b.WriteByte(' ')
			n++
			blank = false
		}
		if limit > 0 && n >= limit {
			return strings.TrimRight(b.String(), string([]rune{nonJoiner, joiner})) + "…"
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// Exact is text on one line of which nothing is lost: what Lines would remove or
// replace, line breaks and tabs among it, is spelled as an escape. It is for text that
// somebody decides on.
func Exact(text string) string {
	if isOrdinary(text, false) {
		return text
	}
	var b strings.Builder
	before := rune(0)
	for i := 0; i < len(text); {
		r, size := decode(text[i:])
		after, _ := utf8.DecodeRuneInString(text[i+size:])
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == utf8.RuneError && text[i:i+size] != "\ufffd":
			for _, c := range []byte(text[i : i+size]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		case r == utf8.RuneError, treatmentOf(before, r, after) == keep:
			b.WriteString(text[i : i+size])
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		before, i = r, i+size
	}
	return b.String()
}

// Hidden reports whether r, between two other characters (0 at an end), cannot be
// seen as what it is: Lines would remove or replace it. White space and U+FFFD are
// not hidden.
func Hidden(before, r, after rune) bool {
	if r == utf8.RuneError {
		return false
	}
	how := treatmentOf(before, r, after)
	return how == remove || how == mark
}

// isOrdinary reports whether there is nothing but printable ASCII in a text.
func isOrdinary(text string, lines bool) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && (!lines || c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
	}
	return true
}

// shown yields the characters of a text as they may be shown: on one line, or on
// several.
func shown(text string, oneLine bool) func(yield func(rune) bool) {
	return func(yield func(rune) bool) {
		before := rune(0) // the last one that was yielded
		marked := false   // since then there was one that is hidden
		for i := 0; i < len(text); {
			if n := controlSequence(text[i:]); n > 0 {
				i += n
				continue
			}
			r, size := decode(text[i:])
			i += size
			if r == '\r' && i < len(text) && text[i] == '\n' {
				continue
			}
			after, _ := utf8.DecodeRuneInString(text[i:])
			how := treatmentOf(before, r, after)
			if oneLine && unicode.IsSpace(r) {
				how = space
			}
			switch how {
			case remove:
				continue
			case space:
				r = ' '
			case mark:
				if marked {
					continue
				}
				r = utf8.RuneError
			}
			if !yield(r) {
				return
			}
			before, marked = r, how == mark
		}
	}
}

// decode is utf8.DecodeRuneInString, but for three bytes that spell a surrogate,
// which are one invalid character.
func decode(s string) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 && len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] < 0xc0 && s[2] >= 0x80 && s[2] < 0xc0 {
		return r, 3
	}
	return r, size
}

// controlSequence is the length of a complete terminal control sequence that a
// text begins with (ECMA-48), or 0.
func controlSequence(s string) int {
	kind, at := byte(0), 0
	switch {
	case len(s) >= 2 && s[0] == 0x1b:
		kind, at = s[1], 2
	case len(s) >= 2 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0: // C1 in UTF-8
		kind, at = s[1]-0x40, 2
	default:
		return 0
	}
	switch kind {
	case '[':
		at = skip(s, at, 0x30, 0x3f)
		at = skip(s, at, 0x20, 0x2f)
		if at < len(s) && s[at] >= 0x40 && s[at] <= 0x7e {
			return at + 1
		}
	case ']', 'P', 'X', '^', '_': // strings: up to BEL or ST
		for ; at < len(s) && s[at] != '\n'; at++ {
			switch {
			case s[at] == 0x07:
				return at + 1
			case s[at] == 0xc2 && at+1 < len(s) && s[at+1] == 0x9c:
				return at + 2
			case s[at] == 0x1b:
				if at+1 < len(s) && s[at+1] == '\\' {
					return at + 2
				}
				return 0
			}
		}
	case '(', ')', '*', '+': // character sets
		if at < len(s) && s[at] >= 0x30 && s[at] <= 0x7e && s[0] == 0x1b {
			return at + 1
		}
	}
	return 0
}

func skip(s string, at int, from, to byte) int {
	for at < len(s) && s[at] >= from && s[at] <= to {
		at++
	}
	return at
}

type treatment int

const (
	keep   treatment = iota
	remove           // it shows nothing
	space            // an ordinary space instead
	mark             // U+FFFD instead
)

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// treatmentOf is the rule that the package's documentation states.
func treatmentOf(before, r, after rune) treatment {
	switch {
	case r < utf8.RuneSelf:
		if r == '\n' || r == '\t' || r >= ' ' && r != 0x7f {
			return keep
		}
		return mark
	case r < 0xa0, r == '\u2028', r == '\u2029', r == utf8.RuneError:
		return mark
	case r == nonJoiner || r == joiner:
		if joinsLetters(before) || r == joiner && isPictographic(before) && isPictographic(after) {
			return keep
		}
		return remove
	case unicode.Is(unicode.Variation_Selector, r):
		if selects(before, r, after) {
			return keep
		}
		return remove
	case r == '\u00ad', r == '\u034f', r == '\u061c', r == '\u180e', '\u200b' <= r && r <= '\u200f', '\u2060' <= r && r <= '\u2064', r == '\ufeff':
		return remove
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // visible, though of the format characters
		return keep
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point), r == '\u2800', r&0xfffe == 0xfffe, 0xfdd0 <= r && r <= 0xfdef, 0xe0000 <= r && r <= 0xe0fff:
		return mark
	case r != '\u3000' && unicode.Is(unicode.Zs, r):
		return space
	}
	return keep
}

// joining are the blocks of the scripts whose letters need joiners, or their
// absence, to be written right: Arabic, Syriac, N'Ko, the scripts of India and its
// neighbours, Mongolian, Adlam.
var joining = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0620, Hi: 0x08ff, Stride: 1}, {Lo: 0x0900, Hi: 0x0dff, Stride: 1}, {Lo: 0x0f00, Hi: 0x109f, Stride: 1},
		{Lo: 0x1780, Hi: 0x180a, Stride: 1}, {Lo: 0x1820, Hi: 0x18af, Stride: 1}, {Lo: 0x1a20, Hi: 0x1aaf, Stride: 1}, {Lo: 0x1b00, Hi: 0x1bff, Stride: 1},
		{Lo: 0xa840, Hi: 0xa87f, Stride: 1}, {Lo: 0xa8e0, Hi: 0xa8ff, Stride: 1}, {Lo: 0xa980, Hi: 0xa9ff, Stride: 1},
		{Lo: 0xaa60, Hi: 0xaaff, Stride: 1}, {Lo: 0xabc0, Hi: 0xabff, Stride: 1}, {Lo: 0xfb50, Hi: 0xfdcf, Stride: 1}, {Lo: 0xfe70, Hi: 0xfefc, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x11000, Hi: 0x1173f, Stride: 1}, {Lo: 0x1e900, Hi: 0x1e95f, Stride: 1}},
}

func joinsLetters(before rune) bool {
	return before >= 0x0620 && unicode.Is(joining, before) && unicode.In(before, unicode.L, unicode.M)
}

// isPictographic reports whether r may be part of an emoji. It takes in other symbols
// as well.
func isPictographic(r rune) bool {
	switch {
	case r < 0xa9 || r == utf8.RuneError || r == '\u2800':
		return false
	case 0x1f000 <= r && r <= 0x1faff, 0x2190 <= r && r <= 0x21ff, r == '\ufe0f':
		return true
	case r == '\u203c', r == '\u2049', r == '\u2139', r == '\u3030', r == '\u303d':
		return true
	}
	return unicode.Is(unicode.So, r)
}

// selects reports whether a variation selector has a character to select a form of.
func selects(before, selector, after rune) bool {
	switch {
	case selector == '\ufe0e' || selector == '\ufe0f':
		keycap := after == '\u20e3' && (before == '#' || before == '*' || '0' <= before && before <= '9')
		return keycap || before != '\ufe0f' && isPictographic(before)
	case selector <= '\u180f': // of Mongolian
		return 0x1820 <= before && before <= 0x18af
	case selector <= '\ufe02' || 0xe0100 <= selector && selector <= 0xe010f:
		return unicode.Is(unicode.Han, before)
	}
	return false
}
