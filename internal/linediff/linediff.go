// Package linediff compares texts line by line.
package linediff

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a difference: what is longer is compared line by line, and a reader
// does not get through more.
const (
	maxCompared = 4_000 // lines of each side, in which the fewest changes are looked for
	maxChanged  = 400   // lines that are printed
	around      = 3     // lines before and after a change
)

// An edit is a line that both texts have (' '), the first alone ('-') or the
// second alone ('+').
type edit struct {
	kind byte
	line string
}

// Unified is how two texts differ, in the form of diff -u under two names.
func Unified(before, after, want, got string) string {
	edits := compareLines(strings.Split(want, "\n"), strings.Split(got, "\n"))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", before, after)
	printed := 0
	a, c := 1, 1 // line numbers
	for i := 0; i < len(edits); {
		if edits[i].kind == ' ' {
			i, a, c = i+1, a+1, c+1
			continue
		}
		// A hunk: from some lines before the change to where nothing changes for a
		// while.
		from := max(i-around, 0)
		for from < i && edits[from].kind != ' ' {
			from++
		}
		to, quiet := i, 0
		for to < len(edits) && quiet <= 2*around {
			if edits[to].kind == ' ' {
				quiet++
			} else {
				quiet = 0
			}
			to++
		}
		to -= max(quiet-around, 0)
		hunk := edits[from:to]
		startA, startC := a-(i-from), c-(i-from)
		countA, countC := 0, 0
		for _, e := range hunk {
			if e.kind != '+' {
				countA++
			}
			if e.kind != '-' {
				countC++
			}
		}
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", startA, countA, startC, countC)
		for _, e := range hunk {
			if printed++; printed > maxChanged {
				fmt.Fprintf(&b, "… and more\n")
				return b.String()
			}
			fmt.Fprintf(&b, "%c%s\n", e.kind, shortened(e.line))
		}
		a, c, i = startA+countA, startC+countC, to
	}
	return b.String()
}

// shortened is a line of bounded length.
func shortened(line string) string {
	const most = 2_000
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	return string([]rune(line)[:most]) + "…"
}

// compareLines are the fewest edits from one text to another: what both begin and
// end with, and between these the longest common subsequence.
func compareLines(a, b []string) []edit {
	var head, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, edit{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	slices.Reverse(tail)
	middle := head
	if len(a) > maxCompared || len(b) > maxCompared {
		for _, line := range a {
			middle = append(middle, edit{'-', line})
		}
		for _, line := range b {
			middle = append(middle, edit{'+', line})
		}
		return append(middle, tail...)
	}
	// common[i][j] is the length of the longest common subsequence of a[i:], b[j:].
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			middle = append(middle, edit{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			middle = append(middle, edit{'-', a[i]})
			i++
		default:
			middle = append(middle, edit{'+', b[j]})
			j++
		}
	}
	return append(middle, tail...)
}
