package permission

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf16"

	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// A word is what salvage looks at: the name of a list, or something that may be a
// rule; first as a string, and when that makes no sense in whatever quotes.
var (
	quotedWord = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|[^\\s\"'`,:{}\\[\\]]+")
	plainWord  = regexp.MustCompile("[^\\s\"'`,:{}\\[\\]]+")
)

// salvage finds the denials of a file that cannot be parsed as a whole: every
// rule that stands behind the word deny and before that of another list
// (PERM-10). How it is quoted, and what brackets, commas and ends of strings or
// comments there are, does not matter: a file may be broken in any way, or be
// written in another notation. Comments that have an end are left out. Finding a
// denial too many asks for nothing that was not written there.
func salvage(text []byte, path string, layer Layer) []Rule {
	text = asUTF8(text)
	var rules []Rule
	at := &positions{text: text}
	readable := blankComments(text)
	denying := false
	// meant reports whether a word means something.
	meant := func(w string, from, to int, quoted bool) bool {
		switch effect := strings.ToLower(w); {
		case isEffect(effect):
			denying = effect == string(Deny)
		case Canonical(w) == everyTool && !quoted, Valid(w) != nil && (Meant(w) == "" || !denying):
			return false // a star may be anything; of a rule in another notation the denial is what counts
		case denying:
			r := script.Range{Start: at.at(from)}
			r.End = at.at(to)
			if Valid(w) != nil {
				w = Meant(w)
			}
			rules = append(rules, Rule{Effect: Deny, Layer: layer, Match: w, File: path, Range: r})
		}
		return true
	}
	for _, place := range quotedWord.FindAllIndex(readable, -1) {
		from, to := place[0], place[1]
		if readable[from] != '"' {
			meant(string(readable[from:to]), from, to, false)
			continue
		}
		if unquoted, err := jsontext.AppendUnquote(nil, readable[from:to]); err == nil && meant(string(unquoted), from, to, true) {
			continue
		}
		for _, inner := range plainWord.FindAllIndex(readable[from:to], -1) {
			meant(string(readable[from+inner[0]:from+inner[1]]), from+inner[0], from+inner[1], false)
		}
	}
	return rules
}

// blankComments is text of the same length with spaces for comments. What looks
// like one within a string is a string: a rule may hold slashes and stars.
func blankComments(text []byte) []byte {
	text = bytes.Clone(text)
	for i := 0; i < len(text); {
		length := 1
		switch rest := text[i:]; {
		case rest[0] == '"':
			length = stringLength(rest)
		case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")):
			end := "\n"
			if rest[1] == '*' {
				end = "*/"
			}
			n := bytes.Index(rest[2:], []byte(end))
			switch {
			case n >= 0:
				length = 2 + n + len(end)
			case end == "\n":
				length = len(rest)
			default:
				length = 2 // without an end: what follows was not meant to be a comment
			}
			for j, c := range rest[:length] {
				if c != '\n' {
					rest[j] = ' '
				}
			}
		}
		i += length
	}
	return text
}

// asUTF8 reads a text that an editor has saved as UTF-16.
func asUTF8(text []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return text
	}
	units := make([]uint16, 0, len(text)/2)
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, order.Uint16(text[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

// stringLength is the length of the string that text begins with; one without an
// end ends with its line.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return i
		}
	}
	return len(text)
}
