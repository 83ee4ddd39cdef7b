package regexp

import (
	"math"
	"slices"
	"strings"
	"unicode/utf16"
)

// Flags of a regular expression.
type Flags struct {
	HasIndices, Global, IgnoreCase, Multiline, DotAll, Unicode, UnicodeSets, Sticky bool
}

// ParseFlags reads the flags of a literal; ok is false for an unknown or double
// one, and for u together with v.
func ParseFlags(s string) (f Flags, ok bool) {
	for _, r := range s {
		var flag *bool
		switch r {
		case 'd':
			flag = &f.HasIndices
		case 'g':
			flag = &f.Global
		case 'i':
			flag = &f.IgnoreCase
		case 'm':
			flag = &f.Multiline
		case 's':
			flag = &f.DotAll
		case 'u':
			flag = &f.Unicode
		case 'v':
			flag = &f.UnicodeSets
		case 'y':
			flag = &f.Sticky
		default:
			return f, false
		}
		if *flag {
			return f, false
		}
		*flag = true
	}
	return f, !f.Unicode || !f.UnicodeSets
}

// maxNesting bounds groups within groups.
const maxNesting = 500

// SyntaxError says what is wrong with a pattern.
type SyntaxError struct{ Message string }

func (e *SyntaxError) Error() string { return e.Message }

// parser reads a pattern. Its methods panic with a *SyntaxError.
type parser struct {
	src      []uint16
	pos      int
	unicode  bool // u or v
	sets     bool // v
	named    bool // the pattern has named groups, or is unicode
	total    int  // groups in the whole pattern
	groups   int  // groups so far
	names    []string
	nested   int
	classes  int // depth of classes
	fold     bool
	multi    bool
	dotAll   bool
	pending  []*reference
	children map[string][]int
}

func fail(message string) { panic(&SyntaxError{message}) }

func (p *parser) more() bool { return p.pos < len(p.src) }

// peek is the next character, or -1.
func (p *parser) peek() rune {
	if !p.more() {
		return -1
	}
	r, _ := p.at(p.pos)
	return r
}

// at is the character at i: a code point with u or v.
func (p *parser) at(i int) (rune, int) {
	c := rune(p.src[i])
	if p.unicode && utf16.IsSurrogate(c) && i+1 < len(p.src) {
		if r := utf16.DecodeRune(c, rune(p.src[i+1])); r != '\ufffd' {
			return r, 2
		}
	}
	return c, 1
}

func (p *parser) next() rune {
	if !p.more() {
		return -1
	}
	r, n := p.at(p.pos)
	p.pos += n
	return r
}

func (p *parser) eat(s string) bool {
	if p.looking(s) {
		p.pos += len(s)
		return true
	}
	return false
}

func (p *parser) looking(s string) bool {
	if len(p.src)-p.pos < len(s) {
		return false
	}
	for i := range len(s) {
		if p.src[p.pos+i] != uint16(s[i]) {
			return false
		}
	}
	return true
}

// count finds how many groups there are, and whether any has a name.
func (p *parser) count() {
	depth := 0
	for i := 0; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '[':
			if p.sets || depth == 0 {
				depth++
			}
		case ']':
			depth = max(0, depth-1)
		case '(':
			if depth > 0 {
				continue
			}
			if i+1 >= len(p.src) || p.src[i+1] != '?' {
				p.total++
				continue
			}
			if i+2 < len(p.src) && p.src[i+2] == '<' && (i+3 >= len(p.src) || p.src[i+3] != '=' && p.src[i+3] != '!') {
				p.total++
				p.named = true
			}
		}
	}
}

// parse reads a whole pattern.
func parse(src []uint16, f Flags) (root node, p *parser, err error) {
	p = &parser{src: src, unicode: f.Unicode || f.UnicodeSets, sets: f.UnicodeSets, fold: f.IgnoreCase, multi: f.Multiline, dotAll: f.DotAll, children: map[string][]int{}}
	defer func() {
		if x := recover(); x != nil {
			e, ok := x.(*SyntaxError)
			if !ok {
				panic(x)
			}
			root, err = nil, e
		}
	}()
	p.count()
	p.named = p.named || p.unicode
	root, _ = p.disjunction()
	if p.more() {
		fail("Unmatched ')'")
	}
	for _, r := range p.pending {
		if r.groups = p.children[r.name]; len(r.groups) == 0 {
			fail("Invalid named capture referenced")
		}
	}
	return root, p, nil
}

// disjunction also gives the names of the groups in it.
func (p *parser) disjunction() (node, []string) {
	if p.nested++; p.nested > maxNesting {
		fail("Too many nested groups")
	}
	defer func() { p.nested-- }()
	var items []node
	var names []string
	for {
		n, own := p.alternative()
		items = append(items, n)
		for _, name := range own {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if !p.eat("|") {
			break
		}
	}
	if len(items) == 1 {
		return items[0], names
	}
	return &choice{items}, names
}

func (p *parser) alternative() (node, []string) {
	var items []node
	var names []string
	for p.more() && !p.looking("|") && !p.looking(")") {
		n, own := p.term()
		for _, name := range own {
			if slices.Contains(names, name) {
				fail("Duplicate capture group name")
			}
		}
		names = append(names, own...)
		items = append(items, n)
	}
	switch len(items) {
	case 0:
		return empty{}, names
	case 1:
		return items[0], names
	}
	return &sequence{items}, names
}

func (p *parser) term() (n node, names []string) {
	before := p.groups
	quantifiable := true
	switch c := p.peek(); c {
	case '^', '$':
		p.pos++
		return &edge{end: c == '$', multiline: p.multi}, nil
	case '(':
		n, names, quantifiable = p.parenthesis()
	case '.':
		p.pos++
		n = &anyChar{p.dotAll}
	case '[':
		n = p.class()
	case '\\':
		if p.looking(`\b`) || p.looking(`\B`) {
			n := &boundary{negative: p.looking(`\B`), fold: p.fold && p.unicode}
			p.pos += 2
			return n, nil
		}
		n = p.atomEscape()
	case '*', '+', '?':
		fail("Nothing to repeat")
	case '{':
		if p.unicode {
			fail("Nothing to repeat")
		}
		if _, _, ok := p.braces(); ok {
			fail("Nothing to repeat")
		}
		p.pos++
		n = &char{'{', p.fold}
	case '}', ']':
		if p.unicode {
			fail("Lone quantifier brackets")
		}
		fallthrough
	default:
		n = &char{p.next(), p.fold}
	}
	return p.quantified(n, before, quantifiable), names
}

func (p *parser) quantified(n node, before int, quantifiable bool) node {
	least, most, lazy, ok := p.quantifier()
	if !ok {
		return n
	}
	if !quantifiable {
		fail("Invalid quantifier on an assertion")
	}
	return &repeat{body: n, min: least, max: most, lazy: lazy, from: before, upTo: p.groups}
}

func (p *parser) quantifier() (least, most int, lazy, ok bool) {
	switch p.peek() {
	case '*':
		least, most = 0, -1
		p.pos++
	case '+':
		least, most = 1, -1
		p.pos++
	case '?':
		least, most = 0, 1
		p.pos++
	case '{':
		start := p.pos
		if least, most, ok = p.braces(); !ok {
			if p.unicode {
				fail("Incomplete quantifier")
			}
			p.pos = start
			return 0, 0, false, false
		}
		if most >= 0 && least > most {
			fail("numbers out of order in {} quantifier")
		}
	default:
		return 0, 0, false, false
	}
	return least, most, p.eat("?"), true
}

// braces reads {n}, {n,} or {n,m}; otherwise it leaves the position where it was.
func (p *parser) braces() (least, most int, ok bool) {
	start := p.pos
	p.pos++
	least, ok = p.decimal()
	most = least
	if ok && p.eat(",") {
		if most, ok = p.decimal(); !ok {
			most, ok = -1, true
		}
	}
	if !ok || !p.eat("}") {
		p.pos = start
		return 0, 0, false
	}
	return least, most, true
}

// decimal reads digits; a number that is too large becomes the largest.
func (p *parser) decimal() (n int, ok bool) {
	for p.more() && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		n = min(n*10+int(p.src[p.pos]-'0'), math.MaxInt32)
		ok = true
		p.pos++
	}
	return n, ok
}

func (p *parser) parenthesis() (n node, names []string, quantifiable bool) {
	p.pos++
	quantifiable = true
	switch {
	case p.eat("?="), p.eat("?!"):
		l := &look{negative: p.src[p.pos-1] == '!'}
		l.body, names = p.disjunction()
		n, quantifiable = l, !p.unicode
	case p.eat("?<="), p.eat("?<!"):
		l := &look{behind: true, negative: p.src[p.pos-1] == '!'}
		l.body, names = p.disjunction()
		n, quantifiable = l, false
	case p.eat("?<"):
		name := p.groupName()
		g := p.capture(name)
		g.body, names = p.disjunction()
		if slices.Contains(names, name) {
			fail("Duplicate capture group name")
		}
		n, names = g, append(names, name)
	case p.eat("?:"):
		g := &group{}
		g.body, names = p.disjunction()
		n = g
	case p.eat("?"):
		n, names = p.modified()
	default:
		g := p.capture("")
		g.body, names = p.disjunction()
		n = g
	}
	if !p.eat(")") {
		fail("Unterminated group")
	}
	return n, names, quantifiable
}

func (p *parser) capture(name string) *group {
	p.groups++
	p.names = append(p.names, name)
	if name != "" {
		p.children[name] = append(p.children[name], p.groups)
	}
	return &group{index: p.groups}
}

// modified reads (?ims-ims: after its question mark.
func (p *parser) modified() (node, []string) {
	fold, multi, dotAll := p.fold, p.multi, p.dotAll
	value := true
	seen := ""
	count := 0
	for !p.eat(":") {
		c := p.next()
		if c == '-' && value {
			value = false
			continue
		}
		if c < 0 || !strings.ContainsRune("ims", c) || strings.ContainsRune(seen, c) {
			fail("Invalid group")
		}
		seen += string(c)
		count++
		switch c {
		case 'i':
			p.fold = value
		case 'm':
			p.multi = value
		case 's':
			p.dotAll = value
		}
	}
	if count == 0 {
		fail("Invalid group")
	}
	g := &group{}
	var names []string
	g.body, names = p.disjunction()
	p.fold, p.multi, p.dotAll = fold, multi, dotAll
	return g, names
}

// groupName reads a name and its closing >.
func (p *parser) groupName() string {
	was := p.unicode
	p.unicode = true // names are made of code points in any case
	defer func() { p.unicode = was }()
	var b strings.Builder
	for !p.eat(">") {
		c := p.next()
		if c == '\\' {
			if c = p.unicodeEscape(); c < 0 {
				fail("Invalid Unicode escape")
			}
		}
		if c < 0 || !isNamePart(c, b.Len() == 0) {
			fail("Invalid capture group name")
		}
		b.WriteRune(c)
	}
	if b.Len() == 0 {
		fail("Invalid capture group name")
	}
	return b.String()
}

func isNamePart(r rune, first bool) bool {
	if r == '$' || r == '_' || !first && (r == 0x200c || r == 0x200d) {
		return true
	}
	if r < 128 {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || !first && '0' <= r && r <= '9'
	}
	name := "ID_Continue"
	if first {
		name = "ID_Start"
	}
	spans, _ := property(name)
	return hasRune(spans, r)
}
