package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A table is rows of cells under a heading. On a terminal it fits the width: the widest
// columns become narrower and their cells take several lines, so that nothing is cut
// (TRUST-1 wants all of a command in view); in a pipe each row is one line.
type table struct {
	rows [][]string
	// right are the columns of numbers.
	right map[int]bool
}

func newTable(heading ...string) *table { return &table{rows: [][]string{heading}} }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// columnGap is between two columns, narrowest how narrow a column may become.
const (
	columnGap = 2
	narrowest = 10
)

// print writes the table; width is that of the terminal, or 0 for a pipe.
func (t *table) print(w io.Writer, width int) error {
	widths := t.widths(width)
	var b strings.Builder
	for _, row := range t.rows {
		cells := make([][]string, len(row))
		height := 1
		for i, cell := range row {
			cells[i] = []string{cell}
			if width > 0 {
				cells[i] = folded(cell, widths[i])
			}
			height = max(height, len(cells[i]))
		}
		for line := range height {
			var text strings.Builder
			for i := range row {
				cell := ""
				if line < len(cells[i]) {
					cell = cells[i][line]
				}
				if t.right[i] {
					cell = strings.Repeat(" ", max(0, widths[i]-columns(cell))) + cell
				}
				text.WriteString(padded(cell, widths[i]+columnGap))
			}
			b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// widths are those of the columns: as wide as their cells, less where the whole does not
// fit.
func (t *table) widths(width int) []int {
	widths := make([]int, len(t.rows[0]))
	sum := -columnGap
	for i := range widths {
		for _, row := range t.rows {
			widths[i] = max(widths[i], columns(row[i]))
		}
		sum += widths[i] + columnGap
	}
	for width > 0 && sum > width-1 {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= narrowest {
			break
		}
		widths[widest]--
		sum--
	}
	return widths
}

// folded are the lines of a text of at most so many columns, broken behind a space or a
// slash where there is one in the second half of a line.
func folded(s string, width int) []string {
	var lines []string
	for columns(s) > width {
		at, good := 0, 0
		for used := 0; at < len(s); {
			r, n := utf8.DecodeRuneInString(s[at:])
			if used += columns(string(r)); used > width && at > 0 {
				break
			}
			at += n
			if r == ' ' || r == '/' {
				good = at
			}
		}
		if good > at/2 {
			at = good
		}
		lines = append(lines, strings.TrimRight(s[:at], " "))
		s = s[at:]
	}
	return append(lines, s)
}

// printTable prints a table to standard output.
func (a *app) printTable(t *table) error {
	width := 0
	if isTerminal(a.stdout) {
		width = screenWidth(a.stdout)
	}
	return t.print(a.stdout, width)
}

// thousands is a number that people read: 12,345.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
