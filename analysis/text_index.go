package analysis

import (
	"sort"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// A textIndex finds positions in a text in logarithmic time, on lines of any
// length: minified code and data stand on one.
type textIndex struct {
	text   string
	starts []int      // offsets of the lines' starts
	wide   []wideRune // all code points of more than one byte, in order
}

// A wideRune is a code point of several bytes. Everything else takes one unit in
// every encoding; so does each byte that is not UTF-8.
type wideRune struct {
	start int
	size  int // in bytes
	// saved16 and saved32 are how many units fewer than bytes the code points up to
	// here take, this one left out.
	saved16, saved32 int
}

func newTextIndex(text string) *textIndex {
	x := &textIndex{text: text, starts: make([]int, 1, 1+len(text)/32)}
	saved16, saved32 := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			c := text[i]
			i++
			if c == '\n' || c == '\r' && !(i < len(text) && text[i] == '\n') {
				x.starts = append(x.starts, i)
			}
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		if size > 1 {
			x.wide = append(x.wide, wideRune{i, size, saved16, saved32})
			saved16 += size - wideRune{size: size}.units(protocol.PositionEncodingKindUTF16)
			saved32 += size - 1
		}
		i += size
	}
	return x
}

// units are how many a code point takes.
func (w wideRune) units(e protocol.PositionEncodingKind) int {
	switch {
	case e == protocol.PositionEncodingKindUTF8:
		return w.size
	case e == protocol.PositionEncodingKindUTF32:
		return 1
	}
	return 1 + w.size/utf8.UTFMax // beyond the Basic Multilingual Plane: two
}

// saved are the units that were saved before w.
func (w wideRune) saved(e protocol.PositionEncodingKind) int {
	switch e {
	case protocol.PositionEncodingKindUTF8:
		return 0
	case protocol.PositionEncodingKindUTF32:
		return w.saved32
	}
	return w.saved16
}

// line is where the content of a line begins and ends.
func (x *textIndex) line(n int) (start, end int) {
	start, end = x.starts[n], len(x.text)
	if n+1 < len(x.starts) {
		end = x.starts[n+1]
	}
	return start, start + len(strings.TrimRight(x.text[start:end], "\r\n"))
}

// wideFrom is the index of the first wide code point at an offset or behind it.
func (x *textIndex) wideFrom(offset int) int {
	return sort.Search(len(x.wide), func(i int) bool { return x.wide[i].start >= offset })
}

// savedBefore are the units saved by the first n wide code points.
func (x *textIndex) savedBefore(n int, e protocol.PositionEncodingKind) int {
	if n < len(x.wide) {
		return x.wide[n].saved(e)
	}
	if n == 0 {
		return 0
	}
	last := x.wide[n-1]
	return last.saved(e) + last.size - last.units(e)
}

// offset of a position; see Document.Offset.
func (x *textIndex) offset(line, character uint64, e protocol.PositionEncodingKind) int {
	if line >= uint64(len(x.starts)) {
		return len(x.text)
	}
	start, end := x.line(int(line))
	if character >= uint64(end-start) {
		character = uint64(end - start) // no unit is less than a byte
	}
	want := int(character)
	from, to := x.wideFrom(start), x.wideFrom(end)
	before := x.savedBefore(from, e)
	unit := func(i int) int { return x.wide[i].start - start - (x.wide[i].saved(e) - before) }
	n := sort.Search(to-from, func(i int) bool { return unit(from+i) > want })
	if n == 0 {
		return start + want
	}
	last := x.wide[from+n-1]
	past := want - unit(from+n-1) - last.units(e)
	if past < 0 {
		return last.start // or inside of it
	}
	return min(last.start+last.size+past, end)
}

// position of an offset; see Document.Position.
func (x *textIndex) position(offset int, e protocol.PositionEncodingKind) (line, character int) {
	offset = min(max(offset, 0), len(x.text))
	line = sort.Search(len(x.starts), func(i int) bool { return x.starts[i] > offset }) - 1
	// The end of a line's content is the last position on it: there is none between
	// \r and \n.
	start, end := x.line(line)
	offset = min(offset, end)
	n := x.wideFrom(offset)
	if n > 0 && x.wide[n-1].start+x.wide[n-1].size > offset {
		n-- // inside of it
		offset = x.wide[n].start
	}
	return line, offset - start - (x.savedBefore(n, e) - x.savedBefore(x.wideFrom(start), e))
}
