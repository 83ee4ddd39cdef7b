package redact

import (
	"slices"
	"strings"
)

// finder finds any of some strings, each of at least four bytes, the longest
// first. How many there are makes next to no difference: most places of a text are
// known by their first four bytes to be the beginning of none.
type finder struct {
	begins []uint64            // a bit for each hash of four bytes that one begins with
	by     map[uint32][]target // those that begin with four bytes, the longest first

}

// target is one of the strings. Of a secret its larger part is one, too, where a
// text has been cut.
type target struct {
	text   string
	secret bool
}

func newFinder(secrets, others []string) finder {
	f := finder{by: map[uint32][]target{}}
	if len(secrets)+len(others) == 0 {
		return f
	}
	f.begins = make([]uint64, 1<<16/64)
	add := func(list []string, secret bool) {
		for _, s := range list {
			b := begin(s, 0)
			h := hash(b)
			f.begins[h/64] |= 1 << (h % 64)
			f.by[b] = append(f.by[b], target{s, secret})
		}
	}
	add(secrets, true)
	add(others, false)
	for _, list := range f.by {
		slices.SortStableFunc(list, func(a, b target) int { return len(b.text) - len(a.text) })
	}
	return f
}

func (f finder) empty() bool { return f.begins == nil }

// beginning is how many bytes of a string are looked at first.
const beginning = minSecret

func begin[T ~string | ~[]byte](s T, at int) uint32 {
	return uint32(s[at])<<24 | uint32(s[at+1])<<16 | uint32(s[at+2])<<8 | uint32(s[at+3])
}

func hash(begin uint32) uint16 { return uint16(begin * 2654435761 >> 16) } // Fibonacci hashing

// candidates are the strings that begin as s does at a place.
func candidates[T ~string | ~[]byte](f finder, s T, at int) []target {
	b := begin(s, at)
	h := hash(b)
	if f.begins[h/64]&(1<<(h%64)) == 0 {
		return nil
	}
	return f.by[b]
}

// in reports whether one of the strings is in s.
func in[T ~string | ~[]byte](f finder, s T) bool {
	if f.empty() {
		return false
	}
	for i := 0; i+beginning <= len(s); i++ {
		for _, c := range candidates(f, s, i) {
			if n := len(c.text); n <= len(s)-i && string(s[i:i+n]) == c.text {
				return true
			}
		}
	}
	return false
}

// replace puts Mark in the place of each of the strings.
func (f finder) replace(s string) string {
	if f.empty() {
		return s
	}
	var out strings.Builder
	done := 0
	put := func(from, to int) {
		out.WriteString(s[done:from])
		out.WriteString(Mark)
		done = to
	}
	for i := 0; i+beginning <= len(s); i++ {
		for _, c := range candidates(f, s, i) {
			if n := c.found(s[i:]); n > 0 {
				put(i, i+n)
				i += n - 1
				break
			}
		}
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// minCut is the least that is taken for a secret where a text has been cut: before
// an ellipsis, and maybe at its end, where ordinary words have to be distinguished from it.
const (
	minCut = 8
	minEnd = 16
)

const ellipsis = "…"

// found is how much of the beginning of s is the target, 0 for nothing.
func (t target) found(s string) int {
	if strings.HasPrefix(s, t.text) {
		return len(t.text)
	}
	if !t.secret {
		return 0
	}
	least := max(minCut, len(t.text)/2)
	if n := len(s); n < len(t.text) && n >= max(least, minEnd) && strings.HasPrefix(t.text, s) {
		return n
	}
	n := strings.Index(s[:min(len(s), len(t.text)+len(ellipsis))], ellipsis)
	if n >= least && strings.HasPrefix(t.text, s[:n]) {
		return n
	}
	return 0
}
