package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-sourcemap/sourcemap"
)

const (
	// opening has a line of its own, so that columns are the author's.
	opening = "(async function(" + Importer + "){\n"
	closing = "\n})"

	// Free uses of these become names that nobody writes, so that they can be
	// found in the output.
	requireMark = "require$$exec"
	metaMark    = "import_meta$$exec"
)

// Importer is the parameter of the compiled function that import() calls; package
// sandbox passes a function that throws (ISO-3). It is as long as esbuild's own
// `require`, which it replaces, so that the source map stays right.
const Importer = "$import"

const importHelp = "is not available in Exec scripts: a script is the body of one async function, and reaches the outside only through tools"

// A Transformer turns TypeScript or JavaScript into JavaScript that goja can
// run; package script/esbuild has one. What it must do with names that are not
// bound in the code is in Names.
type Transformer func(code string, l Language) Transformed

// Names are identifiers and what the Transformer writes in place of them, where
// they are not bound.
func Names() map[string]string {
	return map[string]string{"require": requireMark, "import.meta": metaMark}
}

// Transformed is what a Transformer made of a code, or why it could not.
type Transformed struct {
	Code      string
	SourceMap []byte // JSON, version 3
	Error     *TransformError
}

// TransformError is the first error of a Transformer.
type TransformError struct {
	Text string
	// Line (from 1) and Column (in bytes) of the code; Line is 0 when it is at no
	// place.
	Line, Column int
}

// SourceName is the file name in stacks and source maps.
func SourceName(l Language) string {
	if l == JavaScript {
		return "script.js"
	}
	return "script.ts"
}

// Compile turns a prepared text into JavaScript. A *CompileError is the
// author's to fix (EXEC-13).
func Compile(text string, l Language, transform Transformer) (*Program, error) {
	if Hashbang(text) >= 0 {
		end := strings.IndexAny(text+"\n", "\r\n")
		text = blank(text, 0, end)
	}
	author := text
	p := &Program{}
	tail := ""
	// Each round fixes one import or export that may stand in a script; a text
	// with more of them than this is not a script.
	for range 256 {
		res := transform(opening+text+tail+closing, l)
		if res.Error == nil {
			return finish(p, res, author)
		}
		cerr := toCompileError(author, res.Error)
		at, word := moduleWord(text, res.Error)
		switch word {
		case "import":
			if n := typeImport(text[at:]); n > 0 {
				text = blank(text, at, at+n)
				continue
			}
			cerr.At = positionAt(author, at)
			cerr.Message = "import " + importHelp + "; remove the import (the language's own built-ins need none)"
		case "export":
			cerr.At = positionAt(author, at)
			n := defaultExport(text[at:])
			switch {
			case n == 0:
				cerr.Message = "export is not available in Exec scripts, except for one `export default`: write the body alone and return the result"
			case p.Module:
				cerr.Message = "a script has one default export at most"
			default:
				// It must be a module from end to end: exports stand at its top level.
				if res := transform(author, l); res.Error != nil {
					return nil, toModuleError(author, res.Error)
				}
				p.Module = true
				text, tail = mainOf(text, at, n)
				continue
			}
		}
		return nil, cerr
	}
	return nil, &CompileError{Message: "too many imports"}
}

// finish checks the output for what must not be in a script.
func finish(p *Program, res Transformed, author string) (*Program, error) {
	p.Code = strings.ReplaceAll(res.Code, "__toESM(require(", "__toESM("+Importer+"(")
	p.SourceMap = foldLines(RebaseMap(res.SourceMap, Rebase{Lines: -1}), lineStarts(author))
	for _, m := range []struct{ mark, message string }{
		{requireMark + "(", "require() " + importHelp},
		{metaMark, "import.meta " + importHelp},
	} {
		at := strings.Index(p.Code, m.mark)
		if at < 0 {
			continue
		}
		e := &CompileError{Message: m.message, At: original(p, at)}
		e.SourceLine = LineOf(author, e.At.Line)
		return nil, e
	}
	return p, nil
}

// original maps an offset of the output to the author's text.
func original(p *Program, offset int) Position {
	head := p.Code[:offset]
	lines := languageLines(head)
	at, _ := p.Original(len(lines)-1, offset-lines[len(lines)-1])
	return at
}

// Original maps a place in the output, line and column from 0, to the author's
// text; ok is false for one that is no author's.
func (p *Program) Original(line, column int) (at Position, ok bool) {
	c, err := sourcemap.Parse("", p.SourceMap)
	if err != nil {
		return Position{}, false
	}
	_, _, l, col, ok := c.Source(line+1, column)
	if !ok || l < 1 {
		return Position{}, false
	}
	return Position{Line: l - 1, Character: col}, true
}

// CompileError is one syntax or transpile error at the author's position.
type CompileError struct {
	Message    string // in human words
	At         Position
	SourceLine string
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.At.Line+1, e.At.Character+1, e.Message)
}

// toCompileError converts an error in the wrapped text.
func toCompileError(author string, m *TransformError) *CompileError {
	return atAuthor(author, m, 1)
}

// toModuleError converts an error in the text itself.
func toModuleError(author string, m *TransformError) *CompileError {
	e := atAuthor(author, m, 0)
	switch {
	case strings.HasPrefix(m.Text, "Multiple exports"):
		e.Message = "a script has one default export at most"
	case strings.Contains(m.Text, "Top-level return"):
		e.Message = "a module with a default export cannot return: write the body alone, or export a function that returns"
	}
	return e
}

func atAuthor(author string, m *TransformError, linesBefore int) *CompileError {
	e := &CompileError{Message: m.Text}
	if m.Line == 0 {
		return e
	}
	starts := languageLines(author)
	line := m.Line - 1 - linesBefore
	if line >= len(starts) || line < 0 {
		// The error is in the wrapper's end: what is missing, is missing at the end.
		lines := splitLines(author)
		e.At.Line = len(lines) - 1
		for e.At.Line > 0 && isBlank(lines[e.At.Line]) {
			e.At.Line--
		}
		e.SourceLine = lines[e.At.Line]
		e.At.Character = columnOf(e.SourceLine, len(e.SourceLine))
		switch {
		case strings.HasPrefix(m.Text, `Expected ")" but found "}"`):
			e.Message = "unbalanced braces: there is a } too many"
		case strings.HasPrefix(m.Text, "Unexpected"), strings.HasPrefix(m.Text, "Expected"):
			e.Message = "the script ends too early: something that was opened is not closed (" + m.Text + ")"
		}
		return e
	}
	end := len(author)
	if line+1 < len(starts) {
		end = starts[line+1]
	}
	e.At = positionAt(author, min(starts[line]+m.Column, end))
	e.SourceLine = LineOf(author, e.At.Line)
	if namespaceLine().MatchString(e.SourceLine) {
		e.Message = "namespaces are not available in Exec scripts: a script is the body of a function; use an object or plain functions"
	}
	return e
}

var namespaceLine = lazily(`^\s*(?:declare\s+)?(?:namespace|module)\s+[\w$.]+\s*\{`)

// columnOf converts a column in bytes to UTF-16 units.
func columnOf(line string, bytes int) (n int) {
	for _, r := range line[:min(bytes, len(line))] {
		n += utf16Len(r)
	}
	return n
}

// splitLines splits at \n, \r\n and \r, as LSP does.
func splitLines(text string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
}

// LineOf is a line of a text, from 0, or "".
func LineOf(text string, line int) string {
	if lines := splitLines(text); line >= 0 && line < len(lines) {
		return lines[line]
	}
	return ""
}

// languageLines are the offsets at which the lines of a text begin as ECMAScript, and
// so esbuild and source maps, count them: U+2028 and U+2029 end a line, too. Nothing
// that leaves this package counts like that.
func languageLines(text string) []int {
	starts := []int{0}
	for i, r := range text {
		switch r {
		case '\r':
			if strings.HasPrefix(text[i:], "\r\n") {
				continue
			}
		case '\n':
		case '\u2028', '\u2029':
			starts = append(starts, i+len("\u2028"))
			continue
		default:
			continue
		}
		starts = append(starts, i+1)
	}
	return starts
}

// lineStarts are the author's positions of what languageLines finds; nil when these
// lines are those of LSP.
func lineStarts(text string) []Position {
	if !strings.ContainsAny(text, "\u2028\u2029") {
		return nil
	}
	var list []Position
	var at Position
	before := 0
	for _, start := range languageLines(text) {
		if moved := positionAt(text[before:start], start-before); moved.Line > 0 {
			at = Position{at.Line + moved.Line, moved.Character}
		} else {
			at.Character += moved.Character
		}
		before = start
		list = append(list, at)
	}
	return list
}

// IsCompileError unwraps a *CompileError.
func IsCompileError(err error) (*CompileError, bool) {
	var e *CompileError
	ok := errors.As(err, &e)
	return e, ok
}
