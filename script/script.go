package script

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
func LanguageOf(path string) (l Language, ok bool) { panic("not built") }

// Options is the options line of a script (EXEC-15).
type Options struct {
	TimeoutMs       *int `json:"timeout_ms,omitzero"`
	MaxToolCalls    *int `json:"max_tool_calls,omitzero"`
	MaxOutputTokens *int `json:"max_output_tokens,omitzero"`
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
	Warnings []string // what was removed (EXEC-12)
	// Errors is what makes it unfit to run: blank, a wrong options line.
	Errors []Finding
}

// Prepare removes a Markdown fence or a stray parameter wrapper around the
// whole text and reads the options line (EXEC-12, EXEC-15). Removed lines stay
// as blank ones so that positions are those of the author.
func Prepare(text string) Prepared { panic("not built") }

// Program is a compiled script: an async function expression in JavaScript that
// goja can parse, and the source map back to the author's text.
type Program struct {
	Code      string
	SourceMap []byte // JSON, version 3
	// Module is true when the text was a module with one default export (EXEC-16).
	Module bool
}

// Compile turns a prepared text into JavaScript. A *CompileError is the
// author's to mend (EXEC-13).
func Compile(text string, l Language) (*Program, error) { panic("not built") }

// CompileError is one syntax or transpile error at the author's position.
type CompileError struct {
	Message    string // in human words
	At         Position
	SourceLine string
}

func (e *CompileError) Error() string { panic("not built") }
