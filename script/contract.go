package script

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Contract is what a script takes and returns, as its types and comments say (EXEC-18).
type Contract struct {
	Function bool // it is a module whose default export is a function
	// Takes: the function has a parameter, which is the script's input. Range is that
	// of the parameter, Name its name unless it is destructured.
	Takes    bool
	Optional bool // the function can be called without an input
	Name     string
	Range    Range
	// Input and Output are JSON Schemas (draft 2020-12), or nil: of the input when it
	// has Problems or the script takes none, of the output when its type says nothing,
	// or cannot be written as JSON.
	Input, Output jsontext.Value
	Description   string
	Examples      []Example
	Problems      []InputProblem
}

// An Example is a named input in the comment of the function.
type Example struct {
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input"` // nil when the text is no JSON
	Range Range          `json:"range"`
}

// An InputProblem is a part of the input's type that JSON cannot carry.
type InputProblem struct {
	Path    string // such as input.since
	Message string
	Range   Range
}

// ParseExample reads the text of an @example: JSON, with or without a name before it,
// a fence around it, or a caption.
func ParseExample(text string) (name string, input jsontext.Value) {
	if after, ok := strings.CutPrefix(strings.TrimSpace(text), "<caption>"); ok {
		caption, rest, _ := strings.Cut(after, "</caption>")
		_, input = ParseExample(rest)
		return strings.TrimSpace(caption), input
	}
	tries := 0
	for from := 0; from < len(text) && tries < maxTries; from++ {
		if from > 0 && !strings.ContainsRune(" \t\n:`", rune(text[from-1])) {
			continue // a value begins a word
		}
		tries++
		rest := strings.TrimSpace(text[from:])
		rest = strings.TrimSpace(strings.TrimSuffix(rest, "```"))
		if v := jsontext.Value(rest); rest != "" && v.IsValid() {
			return exampleName(text[:from]), v
		}
	}
	return exampleName(text), nil
}

// maxTries bounds the words at which a value may begin: each may be read to its end.
const maxTries = 50

// exampleName is what stands before a value, without marks.
func exampleName(head string) string {
	head = strings.TrimSpace(head)
	head = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(head, "json"), "```"))
	head, _, _ = strings.Cut(head, "\n")
	return strings.TrimSpace(strings.TrimRight(head, ":-– "))
}

// MayTakeInput reports whether the text is a module whose default function may have a
// parameter. What a name or an expression stands for only the types know.
func (src *Source) MayTakeInput() bool {
	if !strings.Contains(src.text, "export") {
		return false
	}
	s := src.scan()
	for i := 0; i < len(s.tokens); i++ {
		if s.keyword(i, "export") && s.is(i+1, "default") && s.beginsStatement(i) {
			return s.mayHaveParameter(i + 2)
		}
		if s.opens(i) {
			i = s.tokens[i].match
		}
	}
	return false
}

func (s *scan) mayHaveParameter(i int) bool {
	if s.is(i, "await") || s.is(i, "{") || s.is(i, "[") || s.is(i, "new") || s.is(i, "class") {
		return false
	}
	if s.is(i, "async") {
		i++
	}
	if s.is(i, "function") {
		for i < len(s.tokens) && !s.is(i, "(") {
			i++
		}
	}
	return !(s.is(i, "(") && s.is(i+1, ")"))
}
