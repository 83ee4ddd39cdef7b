package regexp

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// atomEscape reads an escape outside of a class.
func (p *parser) atomEscape() node {
	p.pos++
	c := p.peek()
	switch {
	case c < 0:
		fail(`\ at end of pattern`)
	case c == 'k' && p.named:
		p.pos++
		if !p.eat("<") {
			fail("Invalid named reference")
		}
		r := &reference{name: p.groupName(), fold: p.fold}
		p.pending = append(p.pending, r)
		return r
	case c >= '1' && c <= '9':
		start := p.pos
		n, _ := p.decimal()
		if n <= p.total {
			return &reference{groups: []int{n}, fold: p.fold}
		}
		if p.unicode {
			fail("Invalid escape")
		}
		p.pos = start
		if c >= '8' {
			p.pos++
			return &char{c, p.fold}
		}
	}
	if set := p.classEscape(); set != nil {
		if len(set.strings) > 0 {
			return p.stringsNode(set)
		}
		return p.setNode(set)
	}
	return &char{p.characterEscape(false), p.fold}
}

// setNode makes one character of a class.
func (p *parser) setNode(c *class) node {
	c.prepare(p.fold, p.unicode)
	return &set{c, p.fold}
}

// stringsNode makes the alternatives of a class with strings.
func (p *parser) stringsNode(c *class) node {
	out := &choice{}
	single := false
	one := func() {
		if !single {
			single = true
			if len(c.spans) > 0 {
				out.items = append(out.items, p.setNode(&class{spans: c.spans}))
			}
		}
	}
	for _, s := range byLength(c.strings) {
		if s == "" {
			one()
		}
		seq := &sequence{}
		for _, r := range decode(s) {
			seq.items = append(seq.items, &char{r, p.fold})
		}
		out.items = append(out.items, seq)
	}
	one()
	return &group{body: out}
}

// classEscape reads \d \D \s \S \w \W \p{…} \P{…} after the backslash; nil when it
// is another escape.
func (p *parser) classEscape() *class {
	c := p.peek()
	out := &class{}
	word := words
	if p.unicode && p.fold {
		word = wordsFolded
	}
	switch c {
	case 'd':
		out.addSpans(digits)
	case 'D':
		out.addSpans(complement(digits))
	case 's':
		out.addSpans(spaces)
	case 'S':
		out.addSpans(complement(spaces))
	case 'w':
		out.addSpans(word)
	case 'W':
		out.addSpans(complement(word))
	case 'p', 'P':
		if !p.unicode {
			return nil
		}
		p.pos++
		return p.propertyClass(c == 'P')
	default:
		return nil
	}
	p.pos++
	return out
}

func (p *parser) propertyClass(negated bool) *class {
	if !p.eat("{") {
		fail("Invalid property name")
	}
	var b strings.Builder
	for !p.eat("}") {
		c := p.next()
		if c < 0 || c > 127 {
			fail("Invalid property name")
		}
		b.WriteRune(c)
	}
	name := b.String()
	if spans, ok := property(name); ok {
		out := &class{}
		if p.sets && p.fold {
			spans = folded(spans)
		}
		if negated {
			spans = complement(spans)
		}
		out.addSpans(spans)
		return out
	}
	if p.sets {
		if c, ok := stringProperty(name); ok {
			if negated {
				fail("Invalid property name")
			}
			return c
		}
	}
	fail("Invalid property name '" + name + "'")
	return nil
}

// folded adds what a set's characters fold to and from, so that a complement
// leaves them all out.
func folded(spans []span) []span {
	out := append([]span(nil), spans...)
	for _, s := range spans {
		for r := s.from; r <= s.to && r < 0x1e944; r++ {
			for _, o := range equivalents(r, true) {
				out = append(out, span{o, o})
			}
		}
	}
	return normalize(out)
}

// characterEscape reads an escape that is one character, after its backslash.
func (p *parser) characterEscape(inClass bool) rune {
	start := p.pos
	c := p.next()
	switch c {
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	case 'c':
		l := p.peek()
		switch {
		case 'a' <= l && l <= 'z' || 'A' <= l && l <= 'Z',
			inClass && !p.unicode && (l == '_' || '0' <= l && l <= '9'):
			p.pos++
			return l % 32
		case p.unicode:
			fail("Invalid unicode escape")
		}
		p.pos = start
		return '\\'
	case '0', '1', '2', '3', '4', '5', '6', '7':
		if p.unicode || c == '0' && (p.peek() < '0' || p.peek() > '9') {
			if l := p.peek(); c != '0' || '0' <= l && l <= '9' {
				fail("Invalid decimal escape")
			}
			return 0
		}
		return p.octal(c - '0')
	case 'x':
		if r, ok := p.hex(2); ok {
			return r
		}
		if p.unicode {
			fail("Invalid escape")
		}
		return 'x'
	case 'u':
		p.pos = start
		if r := p.unicodeEscape(); r >= 0 {
			return r
		}
		if p.unicode {
			fail("Invalid Unicode escape")
		}
		p.pos = start + 1
		return 'u'
	case -1:
		fail(`\ at end of pattern`)
	}
	if p.unicode {
		if !strings.ContainsRune(`^$\.*+?()[]{}|/`, c) && !(inClass && c == '-') {
			fail("Invalid escape")
		}
		return c
	}
	if c == 'k' && p.named {
		fail("Invalid escape")
	}
	return c
}

// octal reads the rest of a legacy octal escape.
func (p *parser) octal(n rune) rune {
	for p.more() && n < 32 {
		c := rune(p.src[p.pos])
		if c < '0' || c > '7' {
			break
		}
		n = n*8 + c - '0'
		p.pos++
	}
	return n
}

// hex reads exactly n digits, or nothing.
func (p *parser) hex(n int) (r rune, ok bool) {
	if len(p.src)-p.pos < n {
		return 0, false
	}
	for i := range n {
		d := hexDigit(p.src[p.pos+i])
		if d < 0 {
			return 0, false
		}
		r = r*16 + d
	}
	p.pos += n
	return r, true
}

func hexDigit(c uint16) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// unicodeEscape reads uXXXX, a pair of them, or u{…}; -1 when it is none.
func (p *parser) unicodeEscape() rune {
	if !p.eat("u") {
		return -1
	}
	if p.unicode && p.eat("{") {
		r, n := rune(0), 0
		for p.more() && hexDigit(p.src[p.pos]) >= 0 {
			r = r*16 + hexDigit(p.src[p.pos])
			if r > maxRune {
				fail("Invalid Unicode escape")
			}
			n++
			p.pos++
		}
		if n == 0 || !p.eat("}") {
			return -1
		}
		return r
	}
	r, ok := p.hex(4)
	if !ok {
		return -1
	}
	if p.unicode && r >= 0xd800 && r < 0xdc00 {
		start := p.pos
		if p.eat(`\u`) {
			if low, ok := p.hex(4); ok {
				if both := utf16.DecodeRune(r, low); both != '\ufffd' {
					return both
				}
			}
		}
		p.pos = start
	}
	return r
}

// decode is the code points of a class's string; surrogates are kept.
func decode(s string) []rune {
	var out []rune
	for i := 0; i < len(s); {
		r, n := decodeRune(s[i:])
		out = append(out, r)
		i += n
	}
	return out
}

// encode and decodeRune are UTF-8 with the surrogates too.
func encode(b []byte, r rune) []byte {
	if r >= 0xd800 && r < 0xe000 {
		return append(b, 0xed, byte(0x80|r>>6&0x3f), byte(0x80|r&0x3f))
	}
	return append(b, string(r)...)
}

func decodeRune(s string) (rune, int) {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return utf8.DecodeRuneInString(s)
}
