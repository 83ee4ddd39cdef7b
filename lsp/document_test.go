package lsp

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"codemode-ls/analysis"
	"codemode-ls/internal/growth"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
	"pgregory.net/rapid"
)

var encodings = []protocol.PositionEncodingKind{
	protocol.PositionEncodingKindUTF8,
	protocol.PositionEncodingKindUTF16,
	protocol.PositionEncodingKindUTF32,
}

// LSP-2: positions in all encodings with characters of every width, all line
// endings and tabs.
func TestPositions(t *testing.T) {
	const text = "a\tä€\U0001F600z\r\n\U0001F600\U0001F600\rlast"
	type at struct{ line, character uint32 }
	for _, test := range []struct {
		offset             int
		utf8, utf16, utf32 at
	}{
		{0, at{0, 0}, at{0, 0}, at{0, 0}},
		{2, at{0, 2}, at{0, 2}, at{0, 2}},   // ä
		{4, at{0, 4}, at{0, 3}, at{0, 3}},   // €
		{7, at{0, 7}, at{0, 4}, at{0, 4}},   // 😀
		{11, at{0, 11}, at{0, 6}, at{0, 5}}, // z
		{12, at{0, 12}, at{0, 7}, at{0, 6}}, // \r
		{14, at{1, 0}, at{1, 0}, at{1, 0}},  // second line
		{18, at{1, 4}, at{1, 2}, at{1, 1}},  // its second 😀
		{22, at{1, 8}, at{1, 4}, at{1, 2}},  // lone \r
		{23, at{2, 0}, at{2, 0}, at{2, 0}},  // last line
		{27, at{2, 4}, at{2, 4}, at{2, 4}},  // end
	} {
		for i, want := range []at{test.utf8, test.utf16, test.utf32} {
			d := analysis.NewDocument("file:///a.exec.ts", 1, "", text, encodings[i])
			p := d.Position(test.offset)
			if p.Line != want.line || p.Character != want.character {
				t.Errorf("%s: offset %d is at %v, want %v", encodings[i], test.offset, p, want)
			}
			if got := d.Offset(protocol.Position{Line: want.line, Character: want.character}); got != test.offset {
				t.Errorf("%s: %v is offset %d, want %d", encodings[i], want, got, test.offset)
			}
			u := d.UTF16(p)
			if u != (script.Position{Line: int(test.utf16.line), Character: int(test.utf16.character)}) {
				t.Errorf("%s: %v in UTF-16 is %v, want %v", encodings[i], p, u, test.utf16)
			}
			if back := d.FromUTF16(u); back != p {
				t.Errorf("%s: %v came back as %v", encodings[i], p, back)
			}
		}
	}
}

// LSP-2: positions outside of a line or of the text, and inside of a code point.
func TestPositionsOutside(t *testing.T) {
	for _, test := range []struct {
		encoding        protocol.PositionEncodingKind
		line, character uint32
		offset          int
	}{
		{protocol.PositionEncodingKindUTF16, 0, 99, 5},
		{protocol.PositionEncodingKindUTF16, 0, 2, 1}, // between two surrogates
		{protocol.PositionEncodingKindUTF8, 0, 3, 1},  // inside of four bytes
		{protocol.PositionEncodingKindUTF16, 1, 4294967295, 9},
		{protocol.PositionEncodingKindUTF16, 4294967295, 0, 9},
		{"", 0, 3, 5}, // nothing negotiated is UTF-16
	} {
		d := analysis.NewDocument("", 0, "", "a\U0001F600\r\nbc", test.encoding)
		if got := d.Offset(protocol.Position{Line: test.line, Character: test.character}); got != test.offset {
			t.Errorf("%s %d:%d: offset %d, want %d", test.encoding, test.line, test.character, got, test.offset)
		}
	}
	d := analysis.NewDocument("", 0, "", "a\r\nb", "")
	if p := d.Position(2); p.Line != 0 || p.Character != 1 {
		t.Errorf("between \\r and \\n: %v", p)
	}
	if p := d.Position(-5); p != (protocol.Position{}) {
		t.Errorf("before the text: %v", p)
	}
	if p := d.Position(99); p.Line != 1 || p.Character != 1 {
		t.Errorf("behind the text: %v", p)
	}
}

// LSP-2: positions of a long line take no longer than those of many lines.
func TestPositionsAreLinear(t *testing.T) {
	for _, encoding := range encodings {
		growth.Linear(t, string(encoding), 40_000, func(n int) {
			text := strings.Repeat("é = [\U0001F600, 1, 2, 3];", n)
			d := analysis.NewDocument("", 0, "", text, encoding)
			for offset := 0; offset < len(text); offset += 7 {
				p := d.UTF16(d.Position(offset))
				if back := d.OffsetUTF16(p); back > offset || back < offset-3 {
					t.Fatalf("%s: offset %d came back as %d", encoding, offset, back)
				}
			}
		})
	}
}

// naive is a document that is easy to believe in: a slice of code points, and
// positions found by walking from the start.
type naive struct {
	text     []rune
	encoding protocol.PositionEncodingKind
}

func (n naive) width(r rune) uint32 {
	switch n.encoding {
	case protocol.PositionEncodingKindUTF8:
		return uint32(utf8.RuneLen(r))
	case protocol.PositionEncodingKindUTF16:
		return uint32(len(utf16.Encode([]rune{r})))
	}
	return 1
}

// positions are those of every code point and of the end; \n of \r\n has none.
func (n naive) positions() map[protocol.Position]int {
	at := map[protocol.Position]int{}
	var p protocol.Position
	for i, r := range n.text {
		inCRLF := r == '\n' && i > 0 && n.text[i-1] == '\r'
		if !inCRLF {
			at[p] = i
		}
		if r == '\n' || r == '\r' && (i+1 == len(n.text) || n.text[i+1] != '\n') {
			p = protocol.Position{Line: p.Line + 1}
		} else if r != '\r' {
			p.Character += n.width(r)
		}
	}
	at[p] = len(n.text)
	return at
}

// LSP-2: any history of edits gives the text and the positions of the naive
// model, in every encoding.
func TestEditsAgainstModel(t *testing.T) {
	piece := rapid.StringOfN(rapid.SampledFrom([]rune("ab\t\n\rä€\U0001F600\U00010000\u2028")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		encoding := rapid.SampledFrom(encodings).Draw(t, "encoding")
		text := piece.Draw(t, "text")
		d := analysis.NewDocument("file:///a.exec.ts", 0, "", text, encoding)
		model := naive{[]rune(text), encoding}
		for version := range rapid.Int32Range(1, 6).Draw(t, "edits") {
			var changes []protocol.TextDocumentContentChangeEvent
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				insert := piece.Draw(t, "insert")
				if rapid.IntRange(0, 9).Draw(t, "whole") == 0 {
					changes = append(changes, &protocol.TextDocumentContentChangeWholeDocument{Text: insert})
					model.text = []rune(insert)
					continue
				}
				at := model.positions()
				from, to := anyPosition(t, at), anyPosition(t, at)
				if at[from] > at[to] {
					from, to = to, from
				}
				changes = append(changes, &protocol.TextDocumentContentChangePartial{Range: protocol.Range{Start: from, End: to}, Text: insert})
				model.text = []rune(string(model.text[:at[from]]) + insert + string(model.text[at[to]:]))
			}
			next, err := d.Edited(version, changes)
			if err != nil {
				t.Fatal(err)
			}
			d = next
			if d.Text != string(model.text) {
				t.Fatalf("text %q, want %q", d.Text, string(model.text))
			}
			for p, i := range model.positions() {
				offset := len(string(model.text[:i]))
				if got := d.Offset(p); got != offset {
					t.Fatalf("%q: %v is offset %d, want %d", d.Text, p, got, offset)
				}
				if got := d.Position(offset); got != p {
					t.Fatalf("%q: offset %d is at %v, want %v", d.Text, offset, got, p)
				}
				if back := d.FromUTF16(d.UTF16(p)); back != p {
					t.Fatalf("%q: %v came back from UTF-16 as %v", d.Text, p, back)
				}
			}
		}
	})
}

func anyPosition(t *rapid.T, at map[protocol.Position]int) protocol.Position {
	list := make([]protocol.Position, 0, len(at))
	for p := range at {
		list = append(list, p)
	}
	// A map's order is random; the choice must not be, or failures do not shrink.
	for i := range list {
		for j := i; j > 0 && at[list[j]] < at[list[j-1]]; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return rapid.SampledFrom(list).Draw(t, "position")
}

// LSP-2: the client's order counts, and UTF-16 is what every client has.
func TestNegotiate(t *testing.T) {
	for offered, want := range map[string]protocol.PositionEncodingKind{
		"":                    "utf-16",
		"utf-8 utf-16":        "utf-8",
		"utf-16 utf-8":        "utf-16",
		"ebcdic utf-32":       "utf-32",
		"ebcdic":              "utf-16",
		"utf-32 utf-8 utf-16": "utf-32",
	} {
		var kinds []protocol.PositionEncodingKind
		for _, k := range strings.Fields(offered) {
			kinds = append(kinds, protocol.PositionEncodingKind(k))
		}
		if got := negotiate(kinds); got != want {
			t.Errorf("%q: %s, want %s", offered, got, want)
		}
	}
}
