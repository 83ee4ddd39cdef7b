package regexp

import (
	"slices"
	"unicode/utf16"
)

type op uint8

const (
	opAccept   op = iota
	opChar        // r
	opCharFold    // r, canonical
	opClass       // class, fold
	opAny         // but line ends
	opAnyLine     // line ends too
	opSplit       // x first, then y
	opJump        // x
	opSave        // register x
	opClear       // groups x to y
	opLook        // the body follows; then x. r is 1 for a negative one
	opStart       // ^, r is 1 for multiline
	opEnd         // $, r is 1 for multiline
	opBoundary    // r is 1 for \B
	opRef         // groups
	opZero        // register x
	opLoop        // counter x, least and most; the body follows; y behind
	opNext        // the end of a loop's body: loop at x
	opStar        // one instruction, least to most times; it follows
)

type inst struct {
	op          op
	fold        bool
	back        bool // what is read lies before the position
	lazy        bool
	x, y        int32
	r           rune
	least, most int32
	class       *class
	groups      []int
}

// Program is a compiled pattern. It is immutable.
type Program struct {
	Flags  Flags
	Names  []string // of each group from the first; "" for those without
	code   []inst
	regs   int
	full   bool // by code points
	first  *[256]bool
	wide   bool // a match can begin with a unit above 255
	atZero bool // a match can begin at 0 alone
}

// Groups is how many groups capture.
func (p *Program) Groups() int { return len(p.Names) }

// maxCode bounds what a pattern becomes.
const maxCode = 1 << 20

// Compile compiles a pattern. The error is a *SyntaxError.
func Compile(source []uint16, f Flags) (*Program, error) {
	root, ps, err := parse(source, f)
	if err != nil {
		return nil, err
	}
	p := &Program{Flags: f, Names: ps.names, full: ps.unicode}
	p.regs = 2 * (len(ps.names) + 1)
	c := &compiler{Program: p}
	c.emit(root, false)
	c.add(inst{op: opAccept})
	if c.tooLarge {
		return nil, &SyntaxError{"Regular expression too large"}
	}
	p.start(root)
	return p, nil
}

// Parse finds the early errors of a pattern.
func Parse(source []uint16, f Flags) error {
	_, _, err := parse(source, f)
	return err
}

// Units is a text as code units.
func Units(s string) []uint16 { return utf16.Encode([]rune(s)) }

type compiler struct {
	*Program
	tooLarge bool
}

func (c *compiler) add(i inst) int {
	if len(c.code) > maxCode {
		c.tooLarge = true
		return 0
	}
	c.code = append(c.code, i)
	return len(c.code) - 1
}

func (c *compiler) here() int32 { return int32(len(c.code)) }

func (c *compiler) emit(n node, back bool) {
	switch n := n.(type) {
	case *sequence:
		items := n.items
		if back {
			items = slices.Clone(items)
			slices.Reverse(items)
		}
		for _, item := range items {
			c.emit(item, back)
		}
	case *choice:
		c.choice(n.items, back)
	case *char:
		i := inst{op: opChar, r: n.r, back: back}
		if n.fold {
			i.op, i.r = opCharFold, canonical(n.r, c.full)
		}
		c.add(i)
	case *set:
		c.add(inst{op: opClass, class: n.class, fold: n.fold, back: back})
	case *anyChar:
		i := inst{op: opAny, back: back}
		if n.lineEnds {
			i.op = opAnyLine
		}
		c.add(i)
	case *group:
		if n.index == 0 {
			c.emit(n.body, back)
			return
		}
		from, to := int32(2*n.index), int32(2*n.index+1)
		if back {
			from, to = to, from
		}
		c.add(inst{op: opSave, x: from})
		c.emit(n.body, back)
		c.add(inst{op: opSave, x: to})
	case *look:
		at := c.add(inst{op: opLook, r: bit(n.negative)})
		c.emit(n.body, n.behind)
		c.add(inst{op: opAccept})
		c.code[at].x = c.here()
	case *edge:
		i := inst{op: opStart, r: bit(n.multiline)}
		if n.end {
			i.op = opEnd
		}
		c.add(i)
	case *boundary:
		c.add(inst{op: opBoundary, r: bit(n.negative), fold: n.fold})
	case *reference:
		c.add(inst{op: opRef, groups: n.groups, fold: n.fold, back: back})
	case *repeat:
		c.repeat(n, back)
	}
}

func bit(b bool) rune {
	if b {
		return 1
	}
	return 0
}

func (c *compiler) choice(items []node, back bool) {
	var ends []int
	for i, item := range items {
		if i == len(items)-1 {
			c.emit(item, back)
			break
		}
		split := c.add(inst{op: opSplit})
		c.code[split].x = c.here()
		c.emit(item, back)
		ends = append(ends, c.add(inst{op: opJump}))
		c.code[split].y = c.here()
	}
	for _, e := range ends {
		c.code[e].x = c.here()
	}
}

func (c *compiler) repeat(n *repeat, back bool) {
	if n.max == 0 {
		return
	}
	most := int32(n.max)
	switch n.body.(type) {
	case *char, *set, *anyChar:
		c.add(inst{op: opStar, least: int32(n.min), most: most, lazy: n.lazy, back: back})
		c.emit(n.body, back)
		return
	}
	counter := int32(c.regs)
	c.regs += 2 // the counter, and where an iteration began
	c.add(inst{op: opZero, x: counter})
	loop := c.add(inst{op: opLoop, x: counter, least: int32(n.min), most: most, lazy: n.lazy})
	if n.upTo > n.from {
		c.add(inst{op: opClear, x: int32(n.from + 1), y: int32(n.upTo)})
	}
	c.emit(n.body, back)
	c.add(inst{op: opNext, x: int32(loop)})
	c.code[loop].y = c.here()
}

// start finds out what a match can begin with.
func (p *Program) start(root node) {
	var first [256]bool
	if known, wide := p.begins(root, &first); known {
		p.first, p.wide = &first, wide
	}
	p.atZero = anchored(root)
}

func anchored(n node) bool {
	switch n := n.(type) {
	case *edge:
		return !n.end && !n.multiline
	case *sequence:
		return anchored(n.items[0])
	case *group:
		return anchored(n.body)
	case *choice:
		for _, item := range n.items {
			if !anchored(item) {
				return false
			}
		}
		return true
	}
	return false
}

// begins collects the units that a node's match begins with; known is false when
// it may be empty, or is not known.
func (p *Program) begins(n node, first *[256]bool) (known, wide bool) {
	take := func(match func(r rune) bool) (bool, bool) {
		for r := range rune(256) {
			if match(r) {
				first[r] = true
			}
		}
		return true, true
	}
	switch n := n.(type) {
	case *char:
		if n.fold {
			want := canonical(n.r, p.full)
			return take(func(r rune) bool { return canonical(r, p.full) == want })
		}
		if n.r < 256 {
			first[n.r] = true
			return true, false
		}
		return true, true
	case *set:
		return take(func(r rune) bool { return n.class.matches(r, n.fold, p.full) })
	case *group:
		return p.begins(n.body, first)
	case *repeat:
		if n.min == 0 {
			return false, false
		}
		return p.begins(n.body, first)
	case *sequence:
		for _, item := range n.items {
			switch item.(type) {
			case *edge, *boundary, *look:
				continue
			}
			return p.begins(item, first)
		}
	case *choice:
		for _, item := range n.items {
			k, w := p.begins(item, first)
			if !k {
				return false, false
			}
			wide = wide || w
		}
		return true, wide
	}
	return false, false
}
