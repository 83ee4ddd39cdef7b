package seen

import (
	"errors"
	"fmt"
	"strings"
)

// ResultsInterface is the interface of a results.d.ts that maps full names of tools
// to types.
const ResultsInterface = "Results"

// A Written is a results.d.ts: types of results that a person wrote.
type Written struct {
	Entries []Entry
	// Body is where the members of the interface stand, as offsets; empty without one.
	Start, End int
}

// An Entry is one tool's type.
type Entry struct {
	Tool       string // full name
	Start, End int    // of the name, quotes included
	Type       string
}

// ParseWritten reads a results.d.ts. It may hold types and nothing else: an error
// says what else is in it, or that brackets do not match.
func ParseWritten(text string) (Written, error) {
	var w Written
	tokens, err := tokenize(text)
	if err != nil {
		return w, err
	}
	depth := 0
	for i, t := range tokens {
		switch t.text {
		case "{", "(", "[":
			depth++
		case "}", ")", "]":
			depth--
		case "import", "global", "module", "require":
			if depth == 0 {
				return w, fmt.Errorf("%q cannot be used here: the file holds types of its own and nothing else", t.text)
			}
		case ResultsInterface:
			if depth == 0 && i > 0 && tokens[i-1].text == "interface" && i+1 < len(tokens) && tokens[i+1].text == "{" {
				w.Start, w.End = tokens[i+1].end, len(text)
				w.members(text, tokens[i+2:])
			}
		}
	}
	return w, nil
}

// members reads the members of the interface up to its end.
func (w *Written) members(text string, tokens []token) {
	depth := 0
	begin := -1 // of the type that is being read
	finish := func(end int) {
		if begin >= 0 {
			w.Entries[len(w.Entries)-1].Type = strings.TrimSpace(text[begin:end])
		}
		begin = -1
	}
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		if depth == 0 {
			name, colon := t, i+1
			if colon < len(tokens) && tokens[colon].text == "?" {
				colon++
			}
			isMember := (name.kind == word || name.kind == quoted) && colon < len(tokens) && tokens[colon].text == ":" && (begin < 0 || t.newline)
			switch {
			case t.text == "}":
				finish(t.start)
				w.End = t.start
				return
			case t.text == ";" || t.text == ",":
				finish(t.start)
				continue
			case isMember:
				finish(t.start)
				tool := t.text
				if t.kind == quoted {
					tool = tool[1 : len(tool)-1]
				}
				w.Entries = append(w.Entries, Entry{Tool: tool, Start: t.start, End: t.end})
				begin = tokens[colon].end
				i = colon
				continue
			}
		}
		switch t.text {
		case "{", "(", "[", "<":
			depth++
		case "}", ")", "]", ">":
			depth--
		}
	}
}

type kind int

const (
	sign kind = iota
	word
	quoted
)

type token struct {
	text       string
	kind       kind
	start, end int
	newline    bool // it is the first of its line
}

// tokenize splits a text of types into tokens, without comments.
func tokenize(text string) ([]token, error) {
	var tokens []token
	var open []byte
	newline := true
	for i := 0; i < len(text); {
		start, c := i, text[i]
		switch {
		case c == '\n' || c == '\r':
			newline = true
			i++
			continue
		case c == ' ' || c == '\t':
			i++
			continue
		case strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' && text[i] != '\r' {
				i++
			}
			continue
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return nil, errors.New("a comment does not end")
			}
			i += end + 4
			continue
		case c == '"' || c == '\'' || c == '`':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' {
					i++
				}
				if c != '`' && i < len(text) && text[i] == '\n' {
					return nil, errors.New("a string does not end on its line")
				}
			}
			if i >= len(text) {
				return nil, errors.New("a string does not end")
			}
			i++
			tokens = append(tokens, token{text[start:i], quoted, start, i, newline})
		case isLetter(c):
			for i < len(text) && isLetter(text[i]) {
				i++
			}
			tokens = append(tokens, token{text[start:i], word, start, i, newline})
		case strings.HasPrefix(text[i:], "=>"):
			i += 2
			tokens = append(tokens, token{"=>", sign, start, i, newline})
		default:
			i++
			switch c {
			case '{', '(', '[':
				open = append(open, c)
			case '}', ')', ']':
				if len(open) == 0 || open[len(open)-1] != map[byte]byte{'}': '{', ')': '(', ']': '['}[c] {
					return nil, fmt.Errorf("line %d: %q closes nothing", 1+strings.Count(text[:start], "\n"), string(c))
				}
				open = open[:len(open)-1]
			}
			tokens = append(tokens, token{string(c), sign, start, i, newline})
		}
		newline = false
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("%q is not closed", string(open[len(open)-1]))
	}
	return tokens, nil
}

func isLetter(c byte) bool {
	return isDigit(c) || isLower(c) || isUpper(c) || c == '_' || c == '$' || c >= 0x80
}
