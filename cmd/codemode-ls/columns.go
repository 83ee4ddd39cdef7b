package main

import "unicode"

// columns is how wide a text is on a terminal; where terminals differ, rather more
// than less.
func columns(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me), r == '\u200b', r == '\u200d': // it stands on the one before it, or nowhere
		case unicode.Is(wide, r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// wide are the characters that take two columns: those of East Asia (UAX #11, W
// and F) and those that are shown as pictures (UTS #51).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x231a, Hi: 0x231b, Stride: 1}, {Lo: 0x2329, Hi: 0x232a, Stride: 1},
		{Lo: 0x23e9, Hi: 0x23f3, Stride: 1}, {Lo: 0x25fd, Hi: 0x25fe, Stride: 1}, {Lo: 0x2600, Hi: 0x27bf, Stride: 1},
		{Lo: 0x2b1b, Hi: 0x2b1c, Stride: 1}, {Lo: 0x2b50, Hi: 0x2b55, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1}, {Lo: 0xa960, Hi: 0xa97f, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe10, Hi: 0xfe19, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff01, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe0, Hi: 0x18dff, Stride: 1}, {Lo: 0x1aff0, Hi: 0x1b2ff, Stride: 1}, {Lo: 0x1f000, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}
