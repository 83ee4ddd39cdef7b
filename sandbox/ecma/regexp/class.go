package regexp

import (
	"slices"
	"strings"
	"unicode"
)

const maxRune = 0x10ffff

// span is a range of code points, both ends included.
type span struct{ from, to rune }

// class is a set of characters, and with the v flag of strings too.
type class struct {
	spans   []span   // sorted, apart
	strings []string // of more or less than one code point; as UTF-8 with surrogates in WTF-8's manner
	negated bool
	ascii   [4]uint32 // which of the first 128 match, when prepared
}

func (c *class) add(from, to rune) { c.spans = append(c.spans, span{from, to}) }

func (c *class) addSpans(s []span) { c.spans = append(c.spans, s...) }

// normalize sorts spans and joins those that touch.
func normalize(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return int(a.from - b.from) })
	out := spans[:0:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to+1 {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

func complement(spans []span) (out []span) {
	next := rune(0)
	for _, s := range normalize(spans) {
		if s.from > next {
			out = append(out, span{next, s.from - 1})
		}
		next = s.to + 1
	}
	if next <= maxRune {
		out = append(out, span{next, maxRune})
	}
	return out
}

func intersect(a, b []span) []span {
	return complement(append(complement(a), complement(b)...))
}

func hasRune(spans []span, r rune) bool {
	lo, hi := 0, len(spans)
	for lo < hi {
		mid := (lo + hi) / 2
		switch s := spans[mid]; {
		case r < s.from:
			hi = mid
		case r > s.to:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}

func (c *class) intersect(d *class) {
	c.spans = intersect(c.spans, d.spans)
	c.strings = slices.DeleteFunc(c.strings, func(s string) bool { return !slices.Contains(d.strings, s) })
}

func (c *class) subtract(d *class) {
	c.spans = intersect(c.spans, complement(d.spans))
	c.strings = slices.DeleteFunc(c.strings, func(s string) bool { return slices.Contains(d.strings, s) })
}

func (c *class) union(d *class) {
	c.addSpans(d.spans)
	c.strings = append(c.strings, d.strings...)
}

// prepare makes a class ready to match.
func (c *class) prepare(fold, unicodeMode bool) {
	c.spans = normalize(c.spans)
	for r := range rune(128) {
		if c.matches(r, fold, unicodeMode) {
			c.ascii[r/32] |= 1 << (r % 32)
		}
	}
}

// matches reports whether a character is in the class, without the short cut.
func (c *class) matches(r rune, fold, unicodeMode bool) bool {
	in := hasRune(c.spans, r)
	if !in && fold {
		for _, other := range equivalents(r, unicodeMode) {
			if hasRune(c.spans, other) {
				in = true
				break
			}
		}
	}
	return in != c.negated
}

var (
	digits = []span{{'0', '9'}}
	words  = []span{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	spaces = []span{{'\t', '\r'}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
		{0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}}
	// With u and i, two more characters fold to those of \w.
	wordsFolded = append(slices.Clone(words), span{0x17f, 0x17f}, span{0x212a, 0x212a})
)

// canonical is the specification's Canonicalize under the i flag.
func canonical(r rune, unicodeMode bool) rune {
	if r < 128 {
		if 'a' <= r && r <= 'z' {
			return r - 32
		}
		if !unicodeMode || r != 'S' && r != 'K' {
			return r
		}
	}
	if unicodeMode {
		least := r
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		return least
	}
	if r >= 0x10000 || severalUpper(r) {
		return r
	}
	up := unicode.ToUpper(r)
	if up < 128 || up > 0xffff {
		return r
	}
	return up
}

// severalUpper reports whether a character's full upper case has several code
// units, although its simple one has not (SpecialCasing.txt).
func severalUpper(r rune) bool {
	return 0x1f80 <= r && r <= 0x1faf || r == 0x1fb3 || r == 0x1fbc || r == 0x1fc3 || r == 0x1fcc || r == 0x1ff3 || r == 0x1ffc
}

// equivalents are the other characters that a folding match takes for r.
func equivalents(r rune, unicodeMode bool) (out []rune) {
	want := canonical(r, unicodeMode)
	try := func(o rune) {
		if o != r && canonical(o, unicodeMode) == want && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		try(o)
	}
	if !unicodeMode {
		// Upper cases that are no folds: of letters such as the micro sign's kin.
		try(want)
		for o := unicode.SimpleFold(want); o != want; o = unicode.SimpleFold(o) {
			try(o)
		}
	}
	return out
}

// byLength sorts the strings of a class as they are tried: the longest first.
func byLength(list []string) []string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b string) int { return len([]rune(b)) - len([]rune(a)) })
	return slices.CompactFunc(list, func(a, b string) bool { return strings.Compare(a, b) == 0 })
}
