package codemodeshim

import (
	"context"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/json"
	"github.com/microsoft/typescript-go/internal/ls"
	"github.com/microsoft/typescript-go/internal/lsp"
	"github.com/microsoft/typescript-go/internal/lsp/lsproto"
	"github.com/microsoft/typescript-go/internal/project"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// MethodContract asks what the default function of an open document takes and returns.
const MethodContract = "codemode/contract"

// Contract answers MethodContract. Positions are in UTF-16 units of the document.
type Contract struct {
	// Function is where the function begins; nil when the document exports none.
	Function *lsproto.Range `json:"function,omitzero"`
	// Parameter is the function's parameter, which is the input; nil when it takes none.
	Parameter *lsproto.Range `json:"parameter,omitzero"`
	Name      string         `json:"name,omitzero"`     // of the parameter, "" when it is destructured
	Optional  bool           `json:"optional,omitzero"` // the function can be called without an input
	// Input is the JSON Schema of the parameter's type; absent when the type has Problems.
	Input json.Value `json:"input,omitzero"`
	// Output is the JSON Schema of the resolved return value; absent when JSON cannot
	// carry it, or when the type says nothing about it.
	Output      json.Value `json:"output,omitzero"`
	Description string     `json:"description,omitzero"`
	Examples    []Example  `json:"examples,omitzero"`
	Problems    []Problem  `json:"problems,omitzero"`
}

// Example is the text behind one @example of the function's comment.
type Example struct {
	Text  string        `json:"text"`
	Range lsproto.Range `json:"range"`
}

// Problem is a part of the parameter's type that JSON cannot carry.
type Problem struct {
	Path    string        `json:"path"` // such as input.since
	Message string        `json:"message"`
	Range   lsproto.Range `json:"range"`
}

// maxExamples and maxProblems bound an answer.
const (
	maxExamples = 20
	maxProblems = 50
	maxSchema   = 1 << 20 // bytes
)

func prepareContract(ctx context.Context, s *lsp.Server, params []byte) (func() (any, error), error) {
	return prepareDocument(ctx, s, params, findContract)
}

func findContract(ctx context.Context, l *ls.LanguageService, snapshot *project.Snapshot, uri lsproto.DocumentUri) (*Contract, error) {
	program := l.GetProgram()
	answer := &Contract{}
	file := program.GetSourceFile(uri.FileName())
	if file == nil {
		return answer, nil
	}
	c, release := program.GetTypeCheckerForFileExclusive(core.WithCheckerLifetime(ctx, core.CheckerLifetimeDiagnostics), file)
	defer release()
	done := false
	defer func() {
		if !done { // a panic may have left the checker in any state
			discard(c, file)
		}
	}()
	r := &contractReader{c: c, file: file, snapshot: snapshot, answer: answer}
	r.read()
	done = true
	return answer, ctx.Err()
}

// contractReader reads the contract of one file.
type contractReader struct {
	c        *checker.Checker
	file     *ast.SourceFile
	snapshot *project.Snapshot
	answer   *Contract
}

func (r *contractReader) rangeOf(n *ast.Node) lsproto.Range {
	return r.snapshot.Converters().ToLSPRange(r.file, core.NewTextRange(scanner.GetTokenPosOfNode(n, r.file, false), n.End()))
}

func (r *contractReader) read() {
	if r.file.Symbol == nil { // no module
		return
	}
	exported := r.file.Symbol.Exports[ast.InternalSymbolNameDefault]
	if exported == nil {
		return
	}
	t := r.c.GetTypeOfSymbol(r.c.SkipAlias(exported))
	signatures := r.c.GetSignaturesOfType(t, checker.SignatureKindCall)
	if len(signatures) == 0 {
		return
	}
	signature := signatures[0]
	function := signature.Declaration()
	if function == nil || ast.GetSourceFileOfNode(function) != r.file {
		return
	}
	at := r.rangeOf(function)
	r.answer.Function = &at
	docs := r.docsOf(function)
	params := r.describe(docs)
	r.answer.Output = r.output(signature)
	if len(signatures) > 1 {
		r.problem(function, "input", "The function has several signatures. Write one, with a union for the type of the input.")
	}
	parameters := signature.Parameters()
	if len(parameters) == 0 {
		return
	}
	p := parameters[0].ValueDeclaration
	if p == nil || p.Kind != ast.KindParameter || ast.GetSourceFileOfNode(p) != r.file {
		p = function // a parameter that only a type names
	} else if p.Name().Kind == ast.KindIdentifier {
		r.answer.Name = p.Name().Text()
	}
	place := r.rangeOf(p)
	r.answer.Parameter = &place
	r.answer.Optional = signature.MinArgumentCount() == 0
	if signature.HasRestParameter() || len(parameters) > 1 {
		last := parameters[len(parameters)-1].ValueDeclaration
		if last == nil {
			last = function
		}
		r.problem(last, "input", "A script takes one parameter, its input. Make the others fields of it.")
		return
	}
	typeNode := p
	if p.Kind == ast.KindParameter && p.Type() != nil {
		typeNode = p.Type()
	}
	s := &schemaReader{contractReader: r, fallback: typeNode, closed: true, params: params}
	root := s.root(r.c.GetTypeOfSymbol(parameters[0]), "input")
	if p.Kind == ast.KindParameter {
		s.defaultsOf(p, function, root)
	}
	if len(r.answer.Problems) > 0 {
		return
	}
	if r.answer.Input = encodeSchema(root); len(r.answer.Input) > maxSchema {
		r.answer.Input = nil
		r.problem(typeNode, "input", "This type is too large: it stands for too many values.")
	}
}

// output is the schema of what a function returns, or nil.
func (r *contractReader) output(signature *checker.Signature) json.Value {
	t := r.c.GetReturnTypeOfSignature(signature)
	if promised := r.c.GetPromisedTypeOfPromise(t); promised != nil {
		t = promised
	}
	if t.Flags()&(checker.TypeFlagsAnyOrUnknown|checker.TypeFlagsVoidLike|checker.TypeFlagsNever) != 0 {
		return nil
	}
	for _, part := range t.Distributed() {
		if part.Flags()&checker.TypeFlagsVoidLike != 0 {
			return nil
		}
	}
	silent := &contractReader{c: r.c, file: r.file, snapshot: r.snapshot, answer: &Contract{}}
	s := &schemaReader{contractReader: silent, fallback: signature.Declaration()}
	root := s.root(t, "output")
	if len(silent.answer.Problems) > 0 {
		return nil
	}
	schema := encodeSchema(root)
	if len(schema) > maxSchema {
		return nil
	}
	return schema
}

// problem notes a part of the type that JSON cannot carry.
func (r *contractReader) problem(at *ast.Node, path, message string) {
	if len(r.answer.Problems) < maxProblems {
		r.answer.Problems = append(r.answer.Problems, Problem{Path: path, Message: message, Range: r.rangeOf(at)})
	}
}

// docsOf is the comment of a function, which may stand before the statement that it
// is in. It is nil when there is none.
func (r *contractReader) docsOf(function *ast.Node) *ast.Node {
	for n := function; n != nil && n.Kind != ast.KindSourceFile && n.Kind != ast.KindBlock; n = n.Parent {
		if docs := core.LastOrNil(n.JSDoc(r.file)); docs != nil {
			return docs
		}
	}
	for _, statement := range r.file.Statements.Nodes { // export default main
		if statement.Kind == ast.KindExportAssignment {
			return core.LastOrNil(statement.JSDoc(r.file))
		}
	}
	return nil
}

// describe takes the description and the examples out of a comment, and returns what
// its @param tags say of properties, by path without the parameter's name.
func (r *contractReader) describe(docs *ast.Node) map[string]string {
	params := map[string]string{}
	if docs == nil {
		return params
	}
	r.answer.Description = scanner.GetTextOfJSDocComment(docs.CommentList())
	if docs.AsJSDoc().Tags == nil {
		return params
	}
	for _, tag := range docs.AsJSDoc().Tags.Nodes {
		text := scanner.GetTextOfJSDocComment(tag.CommentList())
		switch {
		case tag.Kind == ast.KindJSDocParameterTag && tag.Name() != nil:
			_, path, _ := strings.Cut(scanner.GetTextOfNode(tag.Name()), ".")
			params[path] = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "-"))
		case tag.Kind == ast.KindJSDocUnknownTag && tag.TagName().Text() == "example" && len(r.answer.Examples) < maxExamples:
			r.answer.Examples = append(r.answer.Examples, Example{Text: text, Range: r.rangeOf(tag)})
		}
	}
	return params
}
