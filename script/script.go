package script

import "strings"

// Position is 0-based; Character counts UTF-16 units, as LSP does by default.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is half-open.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Language of a script.
type Language string

const (
	TypeScript Language = "typescript"
	JavaScript Language = "javascript"
)

// LanguageOf says which language a file is by its name; ok is false for a file
// that is not a script (EXEC-1: *.exec.ts, *.exec.js).
func LanguageOf(path string) (l Language, ok bool) {
	switch {
	case strings.HasSuffix(path, ".exec.ts"):
		return TypeScript, true
	case strings.HasSuffix(path, ".exec.js"):
		return JavaScript, true
	}
	return "", false
}

// Hashbang is the offset of the #! that a text begins with, or -1. A byte order
// mark may stand before it (ECMAScript takes it for white space, but then allows
// no #! behind it): some editors write one.
func Hashbang(text string) int {
	rest := strings.TrimPrefix(text, "\ufeff")
	if !strings.HasPrefix(rest, "#!") {
		return -1
	}
	return len(text) - len(rest)
}

// Options is the options line of a script (EXEC-15).
type Options struct {
	TimeoutMs       *int `json:"timeout_ms,omitzero"`
	MaxToolCalls    *int `json:"max_tool_calls,omitzero"`
	MaxOutputTokens *int `json:"max_output_tokens,omitzero"`
	// Given are the same with their places, in the order of the text.
	Given []GivenOption `json:"-"`
}

// A GivenOption is a field of the options line.
type GivenOption struct {
	Name  string
	Value int
	Range Range // of the value
}

// A Finding is what is wrong with a text, for its author.
type Finding struct {
	Range   Range
	Code    string // stable, such as "options-misplaced"
	Message string
}

// Prepared is a script ready to be compiled.
type Prepared struct {
	Text     string // without fence or wrapper; line numbers are kept
	Options  Options
	First    int      // the offset of the author's first line, behind what was removed
	Warnings []string // what was removed (EXEC-12)
	// Errors is what makes it unfit to run: blank, a wrong options line.
	Errors []Finding
}

// Program is a compiled script: an async function expression in JavaScript that
// goja can parse, and the source map back to the author's text.
//
// The expression is wrapped in parentheses and may be preceded by `var`
// declarations of helpers. Whoever runs it must check that nothing else is
// there: a text that closes its wrapper can compile (see package sandbox).
type Program struct {
	Code      string
	SourceMap []byte // JSON, version 3; the wrapper maps to line -1
	// Module is true when the text was a module with one default export (EXEC-16).
	Module bool
}
