package codemodeshim

import (
	"context"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/ls"
	"github.com/microsoft/typescript-go/internal/lsp"
	"github.com/microsoft/typescript-go/internal/lsp/lsproto"
	"github.com/microsoft/typescript-go/internal/project"
)

// MethodPromises asks for the promises of tool calls that an open document loses or
// uses as if they were their values.
const MethodPromises = "codemode/promises"

// Promises answers MethodPromises.
type Promises struct {
	// Version of the text that was looked at.
	Version int32     `json:"version"`
	Found   []Promise `json:"found"`
	// Untyped are parameters without a type of functions that are given to a callee of
	// type any, and values that are unknown because they came out of one of type any.
	Untyped []lsproto.Range `json:"untyped,omitzero"`
}

// A Promise is one expression, in UTF-16 positions of the document.
type Promise struct {
	Range lsproto.Range `json:"range"` // what would have to be awaited
	Mark  lsproto.Range `json:"mark"`  // what to underline: the tool's access, or the first line of the expression
	// Around is where TypeScript reports the same mistake: the property that it is the
	// value of, or Range.
	Around lsproto.Range `json:"around"`
	Tool   string        `json:"tool,omitzero"`
	// Callback is the function that does not wait for its callback, such as forEach,
	// and Condition says that it only checks whether the callback's value is truthy.
	Callback  string `json:"callback,omitzero"`
	Condition bool   `json:"condition,omitzero"`
	// Used: the promise is used as if it were its value. Otherwise nobody awaits it.
	Used bool `json:"used,omitzero"`
	// List: it is an array of promises. Deep: promises are somewhere inside of it.
	List bool `json:"list,omitzero"`
	Deep bool `json:"deep,omitzero"`
	// Async: await may stand there.
	Async bool `json:"async,omitzero"`
	// Name of the shorthand property that it is; Compound: await needs parentheses.
	Name     string `json:"name,omitzero"`
	Compound bool   `json:"compound,omitzero"`
}

// looseTools is in the first line of a script whose tools have results of type any
// where no server declares them.
const looseTools = "AnyResults.Tools"

// maxPromises bounds an answer.
const maxPromises = 256

func preparePromises(ctx context.Context, s *lsp.Server, params []byte) (func() (any, error), error) {
	return prepareDocument(ctx, s, params, findPromises)
}

func findPromises(ctx context.Context, l *ls.LanguageService, snapshot *project.Snapshot, uri lsproto.DocumentUri) (*Promises, error) {
	name := uri.FileName()
	program := l.GetProgram()
	file := program.GetSourceFile(name)
	answer := &Promises{Found: []Promise{}}
	if f := snapshot.GetFile(name); f != nil {
		answer.Version = f.Version()
	}
	if file == nil || len(program.GetSyntacticDiagnostics(ctx, file)) > 0 {
		return answer, nil
	}
	// The checker of the diagnostics has seen the file already, if they were asked for.
	ctx = core.WithCheckerLifetime(ctx, core.CheckerLifetimeDiagnostics)
	c, release := program.GetTypeCheckerForFileExclusive(ctx, file)
	defer release()
	done := false
	defer func() {
		if !done { // a panic may have left the checker in any state
			discard(c, file)
		}
	}()
	c.GetDiagnostics(ctx, file) // so that types are computed in the order of the text, as ever
	if c.WasCanceled() {
		done = true
		return nil, context.Canceled
	}
	r := &promiseRules{ctx: ctx, c: c, file: file, snapshot: snapshot, variables: map[*ast.Symbol]*variable{}}
	first, _, _ := strings.Cut(file.Text(), "\n")
	r.loose = strings.Contains(first, looseTools)
	r.walk(file.AsNode())
	answer.Found = r.conclude()
	answer.Untyped = r.untyped
	done = true
	return answer, ctx.Err()
}

// discard has a checker not used again.
func discard(c *checker.Checker, file *ast.SourceFile) {
	defer func() { _ = recover() }() // as it may do after a panic
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	c.GetDiagnostics(ended, file)
}

// promiseRules look at one file. They report a promise where it is lost: where
// nobody gets it, or where its value is needed and it is used instead. A variable
// whose promise is only lost is reported where it gets its value.
type promiseRules struct {
	ctx      context.Context
	c        *checker.Checker
	file     *ast.SourceFile
	snapshot *project.Snapshot

	found     []finding
	loose     bool // untyped are asked for
	untyped   []lsproto.Range
	variables map[*ast.Symbol]*variable
	order     []*variable // in the order of the text
}

// finding is a Promise whose place may still change.
type finding struct {
	at       *ast.Node
	mark     *ast.Node // nil for the usual one
	promise  Promise
	variable *variable // that is used wrongly there
	atUse    bool      // and not reported where it gets its value
}

// variable is what happens to a variable of the script.
type variable struct {
	symbol  *ast.Symbol
	values  []*ast.Node // that it gets
	stored  []*ast.Node // that its members get
	used    bool        // its promise goes where it may be awaited
	lost    bool        // a finding is about its use
	bare    []*ast.Node // where it stands as a statement
	aliases []*ast.Symbol
	isConst bool
}

func (r *promiseRules) variable(s *ast.Symbol) *variable {
	v := r.variables[s]
	if v == nil {
		v = &variable{symbol: s}
		r.variables[s] = v
		r.order = append(r.order, v)
	}
	return v
}
