package codemodeshim

import (
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/lsp/lsproto"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// complete adds places and what a fix needs.
func (r *promiseRules) complete(f finding) Promise {
	p := f.promise
	p.Range = r.rangeOf(f.at)
	p.Around = p.Range
	if f.at.Parent.Kind == ast.KindPropertyAssignment {
		p.Around = r.rangeOf(f.at.Parent)
	}
	mark := f.mark
	if mark == nil {
		mark = r.marked(f.at)
	}
	p.Mark = r.rangeOf(mark)
	if p.Mark.End.Line > p.Mark.Start.Line {
		text := r.file.Text()
		from := scanner.GetTokenPosOfNode(mark, r.file, false)
		to := from + strings.IndexAny(text[from:mark.End()], "\r\n")
		p.Mark = r.snapshot.Converters().ToLSPRange(r.file, core.NewTextRange(from, to))
	}
	p.Async = r.allowsAwait(f.at)
	switch f.at.Kind {
	case ast.KindBinaryExpression, ast.KindConditionalExpression, ast.KindArrowFunction, ast.KindYieldExpression, ast.KindAsExpression, ast.KindSatisfiesExpression:
		p.Compound = true
	}
	return p
}

func (r *promiseRules) rangeOf(n *ast.Node) lsproto.Range {
	return r.snapshot.Converters().ToLSPRange(r.file, core.NewTextRange(scanner.GetTokenPosOfNode(n, r.file, false), n.End()))
}

// marked is what is underlined of an expression: the access of a tool, the name of
// the method that makes a list, or the expression.
func (r *promiseRules) marked(e *ast.Node) *ast.Node {
	for n := e; ; {
		if r.isTool(n) {
			return n.Expression()
		}
		method, object := chained(n)
		switch {
		case object == nil:
			return e
		case isChain(n):
			n = object
		case method == "map" || method == "flatMap":
			return r.markedCallback(n)
		default:
			return e
		}
	}
}

// markedCallback is what is underlined of a call with a callback: what the callback
// calls, when that is all of it, or the name of the method.
func (r *promiseRules) markedCallback(call *ast.Node) *ast.Node {
	if len(call.Arguments()) > 0 {
		f := ast.SkipParentheses(call.Arguments()[0])
		if f.Kind == ast.KindArrowFunction && !ast.HasSyntacticModifier(f, ast.ModifierFlagsAsync) {
			if body := ast.SkipParentheses(f.Body()); body.Kind == ast.KindCallExpression {
				return r.marked(body)
			}
		}
	}
	return ast.SkipParentheses(call.Expression()).Name()
}

// allowsAwait reports whether await may stand before an expression.
func (r *promiseRules) allowsAwait(e *ast.Node) bool {
	f := ast.GetContainingFunction(e)
	if f == nil {
		return true
	}
	if f.Body() != nil && (e.Pos() < f.Body().Pos() || e.End() > f.Body().End()) {
		return false // a default of a parameter
	}
	return ast.HasSyntacticModifier(f, ast.ModifierFlagsAsync)
}
