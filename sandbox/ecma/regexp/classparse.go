package regexp

import "strings"

// class reads a class, from its opening bracket.
func (p *parser) class() node {
	p.pos++
	if p.sets {
		c := p.setClass()
		if len(c.strings) > 0 {
			return p.stringsNode(c)
		}
		return p.setNode(c)
	}
	c := &class{negated: p.eat("^")}
	for !p.eat("]") {
		from, isSet := p.classAtom(c)
		if !p.looking("-") {
			p.addAtom(c, from, isSet)
			continue
		}
		p.pos++
		if p.looking("]") {
			p.addAtom(c, from, isSet)
			c.add('-', '-')
			continue
		}
		to, isSet2 := p.classAtom(c)
		switch {
		case isSet || isSet2:
			if p.unicode {
				fail("Invalid character class")
			}
			p.addAtom(c, from, isSet)
			c.add('-', '-')
			p.addAtom(c, to, isSet2)
		case from > to:
			fail("Range out of order in character class")
		default:
			c.add(from, to)
		}
	}
	return p.setNode(c)
}

func (p *parser) addAtom(c *class, r rune, isSet bool) {
	if !isSet {
		c.add(r, r)
	}
}

// classAtom reads one character, or adds the set that an escape stands for.
func (p *parser) classAtom(c *class) (r rune, isSet bool) {
	switch p.peek() {
	case -1:
		fail("Unterminated character class")
	case '\\':
		p.pos++
		if s := p.classEscape(); s != nil {
			c.union(s)
			return 0, true
		}
		switch e := p.peek(); {
		case e == 'b':
			p.pos++
			return '\b', false
		case e == 'c' && !p.unicode:
			// A backslash that stands for itself, when no control letter follows.
			return p.characterEscape(true), false
		}
		return p.characterEscape(true), false
	}
	return p.next(), false
}

// setClass reads a class of the v flag, after its opening bracket.
func (p *parser) setClass() *class {
	if p.classes++; p.classes > maxNesting {
		fail("Too many nested classes")
	}
	defer func() { p.classes-- }()
	negated := p.eat("^")
	c := &class{}
	if !p.eat("]") {
		p.setContents(c)
	}
	if negated {
		if len(c.strings) > 0 {
			fail("Negated character class may contain strings")
		}
		spans := c.spans
		if p.fold {
			spans = folded(normalize(spans))
		}
		return &class{spans: complement(spans)}
	}
	c.spans = normalize(c.spans)
	return c
}

func (p *parser) setContents(c *class) {
	first, r, isChar := p.setOperand()
	switch {
	case p.looking("&&"), p.looking("--"):
		operator := "&&"
		if p.looking("--") {
			operator = "--"
		}
		c.union(first)
		c.spans = normalize(c.spans)
		if p.fold {
			c.spans = folded(c.spans)
		}
		for p.eat(operator) {
			if operator == "&&" && p.looking("&") {
				fail("Invalid character in character class")
			}
			d, _, _ := p.setOperand()
			d.spans = normalize(d.spans)
			if p.fold {
				d.spans = folded(d.spans)
			}
			if operator == "&&" {
				c.intersect(d)
			} else {
				c.subtract(d)
			}
		}
		if !p.eat("]") {
			fail("Invalid set operation in character class")
		}
		return
	}
	for {
		if isChar && p.looking("-") && !p.looking("--") {
			p.pos++
			_, to, ok := p.setOperand()
			if !ok {
				fail("Invalid character class")
			}
			if r > to {
				fail("Range out of order in character class")
			}
			c.add(r, to)
		} else {
			c.union(first)
		}
		if p.eat("]") {
			return
		}
		if p.looking("&&") || p.looking("--") {
			fail("Invalid set operation in character class")
		}
		first, r, isChar = p.setOperand()
	}
}

// doubles may not stand twice in a row in a class of the v flag.
const doubles = "&!#$%*+,.:;<=>?@^`~"

// setOperand reads a character, an escape, a nested class or \q{…}.
func (p *parser) setOperand() (c *class, r rune, isChar bool) {
	switch x := p.peek(); {
	case x < 0:
		fail("Unterminated character class")
	case x == '[':
		p.pos++
		return p.setClass(), 0, false
	case x == '\\':
		p.pos++
		if p.eat("q{") {
			return p.classStrings(), 0, false
		}
		if s := p.classEscape(); s != nil {
			s.spans = normalize(s.spans)
			return s, 0, false
		}
	}
	r = p.setCharacter()
	return &class{spans: []span{{r, r}}}, r, true
}

// setCharacter reads one character; a backslash has been read already when the
// one before the position is an escape's.
func (p *parser) setCharacter() rune {
	if p.src[p.pos-1] == '\\' && p.escaped() {
		switch e := p.peek(); {
		case e == 'b':
			p.pos++
			return '\b'
		case e > 0 && e < 128 && strings.ContainsRune("&-!#%,:;<=>@`~", e):
			p.pos++
			return e
		}
		return p.characterEscape(true)
	}
	c := p.next()
	if c < 0 {
		fail("Unterminated character class")
	}
	if strings.ContainsRune("()[]{}/-|", c) {
		fail("Invalid character in character class")
	}
	if c < 128 && strings.ContainsRune(doubles, c) && p.peek() == c {
		fail("Invalid set operation in character class")
	}
	return c
}

// escaped reports whether an odd number of backslashes is before the position.
func (p *parser) escaped() bool {
	n := 0
	for i := p.pos - 1; i >= 0 && p.src[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// classStrings reads the alternatives of \q{…}.
func (p *parser) classStrings() *class {
	c := &class{}
	var b []byte
	n := 0
	var last rune
	end := func() {
		if n == 1 {
			c.add(last, last)
		} else {
			c.strings = append(c.strings, string(b))
		}
		b, n = nil, 0
	}
	for {
		switch {
		case p.eat("}"):
			end()
			c.spans = normalize(c.spans)
			return c
		case p.eat("|"):
			end()
			continue
		case p.looking(`\`):
			p.pos++
		}
		last = p.setCharacter()
		b = encode(b, last)
		n++
	}
}
