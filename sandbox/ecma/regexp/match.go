package regexp

import (
	"slices"
	"unicode/utf16"
)

// Text is what is searched: bytes when all of it is ASCII, else code units.
type Text struct {
	ASCII string
	Wide  []uint16
}

// Len is in code units.
func (t *Text) Len() int {
	if t.Wide != nil {
		return len(t.Wide)
	}
	return len(t.ASCII)
}

func (t *Text) at(i int) rune {
	if t.Wide != nil {
		return rune(t.Wide[i])
	}
	return rune(t.ASCII[i])
}

// frame is where to go on after a failure; with a negative pc a register to set
// back; with repeats in its pc, the opStar there with what it can still do.
type frame struct{ pc, pos, more int32 }

const repeats = 1 << 30

// pollSteps is how many steps lie between two looks at interrupted.
const pollSteps = 1 << 14

type matcher struct {
	*Program
	text        Text
	size        int
	regs        []int32
	stack       []frame
	steps, poll int // steps so far, and at which to look at interrupted
	interrupted func() bool
	over        bool
}

// Match searches from a position, at that position alone when the flag is sticky.
// It gives the begin and the end of the match and of each group in code units, -1
// for a group that is not part of it, or nil. When interrupted returns true it
// ends early, and nothing is known of the text: over.
func (p *Program) Match(text Text, from int, interrupted func() bool) (groups []int32, over bool) {
	m := matcher{Program: p, text: text, size: text.Len(), regs: make([]int32, p.regs), poll: pollSteps, interrupted: interrupted}
	for at := from; at <= m.size; {
		if !p.Flags.Sticky {
			if at = m.skip(at); at < 0 {
				return nil, false
			}
		}
		for i := range m.regs {
			m.regs[i] = -1
		}
		m.stack = m.stack[:0]
		end := m.run(0, at)
		switch {
		case m.over:
			return nil, true
		case end >= 0:
			m.regs[0], m.regs[1] = int32(at), int32(end)
			return m.regs[:2*(len(p.Names)+1)], false
		case p.Flags.Sticky || p.atZero:
			return nil, false
		}
		_, n := m.ahead(at)
		at += max(1, n)
	}
	return nil, false
}

// skip finds the next position at which a match can begin, or -1.
func (m *matcher) skip(at int) int {
	if m.first == nil {
		return at
	}
	if m.text.Wide == nil {
		for ; at < m.size; at++ {
			if m.first[m.text.ASCII[at]] {
				return at
			}
		}
		return -1
	}
	for at < m.size {
		c := m.text.Wide[at]
		if c < 256 && m.first[c] || c >= 256 && m.wide {
			return at
		}
		_, n := m.ahead(at)
		at += n
	}
	return -1
}

// ahead is the character at a position, and its length in units; 0 at the end.
func (m *matcher) ahead(at int) (rune, int) {
	if at >= m.size {
		return 0, 0
	}
	c := m.text.at(at)
	if m.full && c >= 0xd800 && c < 0xdc00 && at+1 < m.size {
		if r := utf16.DecodeRune(c, m.text.at(at+1)); r != '\ufffd' {
			return r, 2
		}
	}
	return c, 1
}

func (m *matcher) behind(at int) (rune, int) {
	if at <= 0 {
		return 0, 0
	}
	c := m.text.at(at - 1)
	if m.full && c >= 0xdc00 && c < 0xe000 && at > 1 {
		if r := utf16.DecodeRune(m.text.at(at-2), c); r != '\ufffd' {
			return r, 2
		}
	}
	return c, 1
}

// one matches an instruction that reads one character; it gives the next
// position, or -1.
func (m *matcher) one(i *inst, pos int) int {
	var r rune
	var n int
	switch {
	case i.back:
		r, n = m.behind(pos)
	default:
		r, n = m.ahead(pos)
	}
	if n == 0 {
		return -1
	}
	switch i.op {
	case opChar:
		if r != i.r {
			return -1
		}
	case opCharFold:
		if r != i.r && canonical(r, m.full) != i.r {
			return -1
		}
	case opClass:
		if r < 128 {
			if i.class.ascii[r/32]&(1<<(r%32)) == 0 {
				return -1
			}
		} else if !i.class.matches(r, i.fold, m.full) {
			return -1
		}
	case opAny:
		if isLineEnd(r) {
			return -1
		}
	}
	if i.back {
		return pos - n
	}
	return pos + n
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029 }

func (m *matcher) set(reg int32, v int32) {
	m.stack = append(m.stack, frame{pc: ^reg, pos: m.regs[reg]})
	m.regs[reg] = v
}

// run matches from an instruction on and gives the end, or -1. It leaves the
// stack of a success above where it began.
func (m *matcher) run(start, pos int) int {
	base := len(m.stack)
	pc := int32(start)
	for {
		if m.steps++; m.steps >= m.poll {
			m.poll = m.steps + pollSteps
			m.over = m.over || m.interrupted != nil && m.interrupted()
			if m.over {
				return -1 // a part that has none (?!…) would match by it
			}
		}
		i := &m.code[pc]
		ok := true
		switch i.op {
		case opAccept:
			return pos
		case opChar, opCharFold, opClass, opAny, opAnyLine:
			next := m.one(i, pos)
			if ok = next >= 0; ok {
				pos = next
				pc++
			}
		case opSplit:
			m.stack = append(m.stack, frame{pc: i.y, pos: int32(pos)})
			pc = i.x
		case opJump:
			pc = i.x
		case opSave:
			m.set(i.x, int32(pos))
			pc++
		case opClear:
			for g := i.x; g <= i.y; g++ {
				if m.regs[2*g] >= 0 || m.regs[2*g+1] >= 0 {
					m.set(2*g, -1)
					m.set(2*g+1, -1)
				}
			}
			pc++
		case opZero:
			m.set(i.x, 0)
			pc++
		case opLook:
			if ok = m.look(i, pc, pos); ok {
				pc = i.x
			}
		case opStart:
			ok = pos == 0 || i.r == 1 && isLineEnd(m.text.at(pos-1))
			pc++
		case opEnd:
			ok = pos == m.size || i.r == 1 && isLineEnd(m.text.at(pos))
			pc++
		case opBoundary:
			ok = (m.isWord(pos-1, i.fold) != m.isWord(pos, i.fold)) == (i.r == 0)
			pc++
		case opRef:
			if pos = m.refer(i, pos); pos < 0 {
				ok = false
			}
			pc++
		case opLoop:
			pc = m.loop(i, pc, pos)
		case opNext:
			loop := &m.code[i.x]
			count := m.regs[loop.x]
			if ok = int32(pos) != m.regs[loop.x+1] || count < loop.least; ok {
				m.set(loop.x, count+1)
				pc = i.x
			}
		case opStar:
			if pos = m.star(i, pc, pos); pos < 0 {
				ok = false
			}
			pc += 2
		}
		if ok {
			continue
		}
		if m.over {
			return -1
		}
		if pc, pos = m.back(base); pc < 0 {
			return -1
		}
	}
}

// back undoes what was done since the last choice, and takes the other way.
func (m *matcher) back(base int) (pc int32, pos int) {
	for len(m.stack) > base {
		f := &m.stack[len(m.stack)-1]
		if f.pc < 0 {
			m.regs[^f.pc] = f.pos
			m.stack = m.stack[:len(m.stack)-1]
			continue
		}
		if f.pc&repeats == 0 {
			pc, pos = f.pc, int(f.pos)
			m.stack = m.stack[:len(m.stack)-1]
			return pc, pos
		}
		star := f.pc &^ repeats
		i := &m.code[star]
		if i.lazy { // one more
			next := m.one(&m.code[star+1], int(f.pos))
			if next < 0 {
				m.stack = m.stack[:len(m.stack)-1]
				continue
			}
			pc, pos = star+2, next
			f.pos = int32(next)
			if f.more > 0 {
				f.more--
			}
			if f.more == 0 {
				m.stack = m.stack[:len(m.stack)-1]
			}
			return pc, pos
		}
		// One less: to where the least ends.
		pc, pos = star+2, int(f.pos)
		var n int
		if i.back {
			_, n = m.ahead(pos)
			pos += n
		} else {
			_, n = m.behind(pos)
			pos -= n
		}
		f.pos = int32(pos)
		if f.pos == f.more {
			m.stack = m.stack[:len(m.stack)-1]
		}
		return pc, pos
	}
	return -1, 0
}

// star repeats one instruction. A greedy one leaves a frame with its least end, a
// lazy one with how many more it may take (-1: any number).
func (m *matcher) star(i *inst, pc int32, pos int) int {
	body := &m.code[pc+1]
	for range i.least {
		if pos = m.one(body, pos); pos < 0 {
			return -1
		}
	}
	left := int32(-1)
	if i.most >= 0 {
		left = i.most - i.least
	}
	if left == 0 {
		return pos
	}
	if i.lazy {
		m.stack = append(m.stack, frame{pc: pc | repeats, pos: int32(pos), more: left})
		return pos
	}
	least := pos
	for left != 0 {
		next := m.one(body, pos)
		if next < 0 {
			break
		}
		pos = next
		left--
	}
	m.steps += (pos - least) / 64
	if pos != least {
		m.stack = append(m.stack, frame{pc: pc | repeats, pos: int32(pos), more: int32(least)})
	}
	return pos
}

// loop decides whether a group is repeated once more, and gives where to go on.
func (m *matcher) loop(i *inst, pc int32, pos int) int32 {
	count := m.regs[i.x]
	switch {
	case count < i.least:
	case i.most >= 0 && count >= i.most:
		return i.y
	case i.lazy:
		// The body is the other way; where it begins must be known then.
		m.set(i.x+1, int32(pos))
		m.stack = append(m.stack, frame{pc: pc + 1, pos: int32(pos)})
		return i.y
	default:
		m.stack = append(m.stack, frame{pc: i.y, pos: int32(pos)})
	}
	m.set(i.x+1, int32(pos))
	return pc + 1
}

func (m *matcher) look(i *inst, pc int32, pos int) bool {
	base := len(m.stack)
	matched := m.run(int(pc)+1, pos) >= 0
	if m.over {
		return false
	}
	if !matched || i.r == 1 {
		for len(m.stack) > base {
			if f := m.stack[len(m.stack)-1]; f.pc < 0 {
				m.regs[^f.pc] = f.pos
			}
			m.stack = m.stack[:len(m.stack)-1]
		}
		return matched != (i.r == 1)
	}
	// No other way inside is tried any more; what was set can still be undone.
	kept := slices.DeleteFunc(m.stack[base:], func(f frame) bool { return f.pc >= 0 })
	m.stack = m.stack[:base+len(kept)]
	return true
}

func (m *matcher) isWord(at int, fold bool) bool {
	if at < 0 || at >= m.size {
		return false
	}
	r := m.text.at(at)
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || fold && (r == 0x17f || r == 0x212a)
}

func (m *matcher) refer(i *inst, pos int) int {
	for _, g := range i.groups {
		from, to := m.regs[2*g], m.regs[2*g+1]
		if from < 0 || to < 0 {
			continue
		}
		n := int(to - from)
		at := pos
		if i.back {
			at -= n
		}
		if at < 0 || at+n > m.size {
			return -1
		}
		for k := range n {
			a, b := m.text.at(int(from)+k), m.text.at(at+k)
			if a != b && !(i.fold && canonical(a, m.full) == canonical(b, m.full)) {
				if !i.fold || !m.full || !m.samePair(int(from)+k, at+k) {
					return -1
				}
			}
		}
		m.steps += n / 64
		if i.back {
			return at
		}
		return at + n
	}
	return pos
}

// samePair compares the code points that two units are part of, folded.
func (m *matcher) samePair(a, b int) bool {
	point := func(at int) rune {
		if c := m.text.at(at); c >= 0xdc00 && c < 0xe000 && at > 0 {
			at--
		}
		r, _ := m.ahead(at)
		return r
	}
	return canonical(point(a), true) == canonical(point(b), true)
}
