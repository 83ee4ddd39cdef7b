package codemodeshim

import (
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
)

// declarationsFile ends the name of the file that declares the tools.
const declarationsFile = "/tools.d.ts"

// lost notes an expression whose type is unknown only because inference makes
// that of any: what Map.groupBy and Array.from hand out of a value of type any.
func (r *promiseRules) lost(n *ast.Node) {
	if len(r.untyped) >= maxPromises || r.c.GetTypeAtLocation(n).Flags()&checker.TypeFlagsUnknown == 0 || r.isDeclaredUnknown(n, 0) {
		return
	}
	r.untyped = append(r.untyped, r.rangeOf(n))
}

// isDeclaredUnknown reports whether somebody wrote that a value is unknown: the
// script, the output of a tool, or Code Mode of its members.
func (r *promiseRules) isDeclaredUnknown(n *ast.Node, depth int) bool {
	if n == nil || depth > maxCalls {
		return false
	}
	n = ast.SkipParentheses(n)
	t := r.c.GetTypeAtLocation(n)
	if p := r.c.GetPromisedTypeOfPromise(t); p != nil {
		t = p
	}
	if t.Flags()&checker.TypeFlagsAny != 0 {
		return false
	}
	follow := func(next *ast.Node) bool { return r.isDeclaredUnknown(next, depth+1) }
	switch n.Kind {
	case ast.KindAwaitExpression, ast.KindNonNullExpression, ast.KindSpreadElement:
		return follow(n.Expression())
	case ast.KindAsExpression, ast.KindSatisfiesExpression, ast.KindTypeAssertionExpression:
		return true
	case ast.KindCallExpression:
		if r.isTool(n) || r.body(n) != nil {
			return true
		}
		if _, object := chained(n); object != nil && follow(object) {
			return true
		}
		for _, a := range n.Arguments() {
			if !ast.IsFunctionLike(a) && follow(a) {
				return true
			}
		}
		return false
	case ast.KindPropertyAccessExpression, ast.KindElementAccessExpression:
		if s := r.c.GetSymbolAtLocation(n); s != nil && s.ValueDeclaration != nil && strings.HasSuffix(ast.GetSourceFileOfNode(s.ValueDeclaration).FileName(), declarationsFile) {
			return true
		}
		return follow(n.Expression())
	case ast.KindIdentifier:
		s := r.c.GetSymbolAtLocation(n)
		if s == nil || s.ValueDeclaration == nil || ast.GetSourceFileOfNode(s.ValueDeclaration) != r.file {
			return false
		}
		d := s.ValueDeclaration
		for d.Kind == ast.KindBindingElement {
			d = d.Parent.Parent
		}
		if d.Type() != nil {
			return true
		}
		switch d.Kind {
		case ast.KindParameter:
			if call := d.Parent.Parent; call != nil && call.Kind == ast.KindCallExpression {
				return follow(call)
			}
		case ast.KindVariableDeclaration:
			if loop := d.Parent.Parent; loop != nil && loop.Kind == ast.KindForOfStatement {
				return follow(loop.Expression())
			}
			return follow(d.AsVariableDeclaration().Initializer)
		}
	}
	return false
}
