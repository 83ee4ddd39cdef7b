package ecma

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"codemode-ls/script"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
)

// ErrShape is for a text that closes the function it is the body of.
var ErrShape = &script.CompileError{Message: "the script must be the body of one function: a } closes it before its end"}

// load turns a compiled script into a program of goja.
func (r *Runtime) Load(p *script.Program) (*goja.Program, error) {
	m := script.RebaseMap(p.SourceMap, script.Rebase{GeneratedColumns: 1, Columns: 1}) // goja counts from 1, stacks too
	tree, err := parse(p.Code, m)
	if err != nil {
		return nil, engineError(err, p)
	}
	if !isBody(tree.Body) {
		return nil, ErrShape
	}
	if err := r.rewrite(tree, p.Code); err != nil {
		return nil, err
	}
	program, err := goja.CompileAST(tree, false)
	if err != nil {
		return nil, engineError(err, p)
	}
	return program, nil
}

// isBody reports whether a program is esbuild's helpers and then exactly one async
// function: anything else means that the text closed its wrapper.
func isBody(statements []ast.Statement) bool {
	for i, s := range statements {
		if i < len(statements)-1 {
			if _, ok := s.(*ast.VariableStatement); !ok {
				return false
			}
			continue
		}
		e, ok := s.(*ast.ExpressionStatement)
		if !ok {
			return false
		}
		f, ok := e.Expression.(*ast.FunctionLiteral)
		return ok && f.Async
	}
	return false
}

// parse reads the transpiler's output, also where goja's parser refuses what is
// right.
func parse(code string, sourceMap []byte) (tree *ast.Program, err error) {
	defer func() {
		if x := recover(); x != nil {
			tree, err = nil, fmt.Errorf("%v", x)
		}
	}()
	return parseFrom(1, code+"\n//# sourceMappingURL=map", parser.WithSourceMapLoader(func(string) ([]byte, error) { return sourceMap, nil }))
}

// parseFrom reads a text whose first byte has the place base. It repairs class fields
// with some names (quoteField) and array patterns that have defaults
// (refusedPattern); nothing changes its place by that.
func parseFrom(base int, code string, options ...parser.Option) (tree *ast.Program, err error) {
	var patterns []textSpan
	for range maxRepairs {
		var files file.FileSet
		if base > 1 {
			files.AddFile("", strings.Repeat(" ", base-2)) // the next one begins behind it
		}
		tree, err = parser.ParseFile(&files, programName, blank(code, patterns), 0, options...)
		if err == nil {
			return tree, restorePatterns(tree, base, code, patterns)
		}
		var list parser.ErrorList
		if !errors.As(err, &list) || len(list) == 0 {
			return nil, err
		}
		at := offsetOf(code, list[0].Position.Line, list[0].Position.Column)
		if at < 0 {
			return nil, err
		}
		if p, ok := refusedPattern(tree, base, at); ok {
			patterns = append(patterns, p)
			continue
		}
		fixed := false
		if code, fixed = quoteField(code, at); !fixed {
			return nil, err
		}
	}
	return nil, err
}

// textSpan is a part of a text, in bytes.
type textSpan struct{ from, to int }

// blank makes empty arrays of array patterns.
func blank(code string, patterns []textSpan) string {
	if len(patterns) == 0 {
		return code
	}
	text := []byte(code)
	for _, p := range patterns {
		for i := p.from + 1; i < p.to-1; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	return string(text)
}

// refusedPattern is the array pattern around an offset that goja's parser refuses.
// In a declaration, an array pattern that has a default and is the value of a
// property may not have defaults itself: const { a: [x = 1] = [] } = b.
func refusedPattern(tree *ast.Program, base, at int) (p textSpan, ok bool) {
	w := treeWalker{enter: func(node any) bool {
		if a, is := node.(*ast.ArrayPattern); is && !ok {
			p = textSpan{int(a.LeftBracket) - base, int(a.RightBracket) - base + 1}
			ok = p.from < at && at < p.to && slices.ContainsFunc(a.Elements, func(e ast.Expression) bool {
				_, bad := e.(*ast.BadExpression)
				return bad
			})
		}
		return !ok
	}}
	w.walk(tree.Body)
	return p, ok
}

// restorePatterns puts patterns that were blank into a tree. As assignments, goja's
// parser takes them, and makes the same of them.
func restorePatterns(tree *ast.Program, base int, code string, patterns []textSpan) error {
	if len(patterns) == 0 {
		return nil
	}
	const before, after = "(async function* () {(", "= 0)})" // defaults may await and yield
	read := map[file.Idx]*ast.ArrayPattern{}
	for _, p := range patterns {
		begin := base + p.from
		again, err := parseFrom(begin-len(before), before+code[p.from:p.to]+after, parser.WithDisableSourceMaps)
		if err != nil {
			return err
		}
		w := treeWalker{enter: func(node any) bool {
			if a, ok := node.(*ast.ArrayPattern); ok && int(a.LeftBracket) == begin {
				read[a.LeftBracket] = a
			}
			return read[file.Idx(begin)] == nil
		}}
		w.walk(again.Body)
	}
	w := treeWalker{enter: func(node any) bool {
		if a, ok := node.(*ast.ArrayPattern); ok {
			if r := read[a.LeftBracket]; r != nil {
				a.Elements, a.Rest = r.Elements, r.Rest
			}
		}
		return true
	}}
	w.walk(tree.Body)
	return nil
}

// maxRepairs is how many names are put in quotes at most.
const maxRepairs = 200

// quoteField puts the name of a field in quotes whose end goja complains of. Only
// spaces are lost, so what follows stays in its column.
func quoteField(code string, at int) (string, bool) {
	from := strings.LastIndexByte(code[:at], '\n') + 1
	line, rest, _ := strings.Cut(code[from:], "\n")
	name := strings.TrimPrefix(strings.TrimLeft(line, " "), "static ")
	for _, word := range []string{"get", "set", "async"} {
		start := from + len(line) - len(name)
		if start > at {
			break
		}
		if value, ok := strings.CutPrefix(name, word+" = "); ok {
			return code[:start] + `"` + word + `"=` + value + "\n" + rest, true
		}
		if name == word+";" {
			return code[:start] + `"` + word + "\";\n" + rest, true
		}
	}
	return code, false
}

// offsetOf is the offset of a line and column, both from 1; -1 for none.
func offsetOf(text string, line, column int) int {
	at := 0
	for range line - 1 {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return -1
		}
		at += n + 1
	}
	if at += column - 1; at > len(text) {
		return -1
	}
	return at
}

// engineError is for what the transpiler accepts and goja does not.
func engineError(err error, p *script.Program) error {
	e := &script.CompileError{Message: "the script engine does not support this: " + err.Error()}
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		e.Message = "the script engine does not support this: " + list[0].Message
		e.At, _ = p.Original(list[0].Position.Line-1, list[0].Position.Column-1)
	}
	return e
}
