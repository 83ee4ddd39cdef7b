package codemodeshim

import (
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/lsp/lsproto"
)

// name notes what happens to a variable.
func (r *promiseRules) name(n *ast.Node) {
	p := n.Parent
	if ast.IsDeclarationName(n) && p.Kind != ast.KindShorthandPropertyAssignment {
		return
	}
	var s *ast.Symbol
	if p.Kind == ast.KindShorthandPropertyAssignment {
		s = r.c.GetShorthandAssignmentValueSymbol(p)
	} else {
		s = r.c.GetSymbolAtLocation(n)
	}
	if !r.isVariable(s) {
		return
	}
	v, identifier := r.variable(s), n
	for p.Kind == ast.KindParenthesizedExpression || p.Kind == ast.KindNonNullExpression || ast.IsAssertionExpression(p) || p.Kind == ast.KindSatisfiesExpression {
		n, p = p, p.Parent
	}
	switch p.Kind {
	case ast.KindExpressionStatement:
		v.bare = append(v.bare, n)
		return
	case ast.KindTypeOfExpression, ast.KindPrefixUnaryExpression:
		return
	case ast.KindVariableDeclaration:
		if p.AsVariableDeclaration().Initializer == n && p.Name().Kind == ast.KindIdentifier {
			v.aliases = append(v.aliases, p.Symbol())
			return
		}
	case ast.KindBinaryExpression:
		b := p.AsBinaryExpression()
		switch k := b.OperatorToken.Kind; k {
		case ast.KindEqualsEqualsToken, ast.KindEqualsEqualsEqualsToken, ast.KindExclamationEqualsToken, ast.KindExclamationEqualsEqualsToken:
			return
		case ast.KindEqualsToken:
			if b.Left == n && p.Parent.Kind == ast.KindExpressionStatement {
				v.values = append(v.values, b.Right)
				return
			}
		}
	case ast.KindPropertyAccessExpression:
		call := p.Parent
		if name := p.Name().Text(); p.Expression() == n && (name == "push" || name == "unshift") &&
			call.Kind == ast.KindCallExpression && call.Expression() == p && call.Parent.Kind == ast.KindExpressionStatement {
			v.values = append(v.values, call.Arguments()...)
			return
		}
	}
	for _, f := range r.found {
		if f.at == identifier || f.at == n {
			v.lost = v.lost || !f.atUse
			v.used = v.used || f.atUse
			return
		}
	}
	v.used = true
}

// reportUse is report for what does not change where a variable gets its value: it
// is used otherwise, too.
func (r *promiseRules) reportUse(e *ast.Node, p Promise) {
	n := len(r.found)
	if r.report(e, p); len(r.found) > n {
		r.found[n].atUse = true
	}
}

// isVariable reports whether a symbol is a variable of the script.
func (r *promiseRules) isVariable(s *ast.Symbol) bool {
	return s != nil && s.ValueDeclaration != nil && s.ValueDeclaration.Kind == ast.KindVariableDeclaration && !r.isDeclared(s)
}

// report adds a finding about an expression, unless no tool is behind it.
func (r *promiseRules) report(e *ast.Node, p Promise) {
	e = ast.SkipParentheses(e)
	if _, reaches := r.origin(e, nil); !reaches || len(r.found) >= maxPromises {
		return
	}
	f := finding{at: e, promise: p}
	if e.Kind == ast.KindIdentifier {
		s := r.c.GetSymbolAtLocation(e)
		if e.Parent.Kind == ast.KindShorthandPropertyAssignment {
			s = r.c.GetShorthandAssignmentValueSymbol(e.Parent)
		}
		if r.isVariable(s) {
			f.variable = r.variable(s)
		}
	}
	r.found = append(r.found, f)
}

// conclude is the answer: what was found, and what variables lose.
func (r *promiseRules) conclude() []Promise {
	for changed := true; changed; { // a variable is used where its other names are
		changed = false
		for _, v := range r.order {
			if !v.used && slices.ContainsFunc(v.aliases, func(s *ast.Symbol) bool { w := r.variables[s]; return w == nil || w.used || w.lost }) {
				v.used, changed = true, true
			}
		}
	}
	atValue := map[*variable]bool{} // reported where it gets its value
	var more []finding
	for _, v := range r.order {
		switch {
		case v.used || v.lost && !v.isConst:
			continue
		case len(v.bare) > 0 && !v.lost:
			n := v.bare[len(v.bare)-1]
			if s := r.of(n); s != none {
				r.droppedValue(n, s, &more)
			}
			continue
		}
		before := len(more)
		for _, value := range v.values {
			r.unused(value, &more)
		}
		atValue[v] = len(more) > before
	}
	all := slices.DeleteFunc(slices.Clone(r.found), func(f finding) bool {
		return f.variable != nil && f.promise.Used && (atValue[f.variable] || slices.ContainsFunc(f.variable.values, r.isReported))
	})
	all = append(all, more...)
	found := []Promise{}
	seen := map[*ast.Node]bool{}
	for _, f := range all {
		if !seen[f.at] && len(found) < maxPromises {
			seen[f.at] = true
			found = append(found, r.complete(f))
		}
	}
	slices.SortStableFunc(found, func(a, b Promise) int { return lsproto.ComparePositions(a.Mark.Start, b.Mark.Start) })
	return found
}

// isReported reports whether something was found in an expression.
func (r *promiseRules) isReported(e *ast.Node) bool {
	return slices.ContainsFunc(r.found, func(f finding) bool { return f.at.Pos() >= e.Pos() && f.at.End() <= e.End() })
}

// unused is a value that nobody reads.
func (r *promiseRules) unused(value *ast.Node, more *[]finding) {
	value = ast.SkipOuterExpressions(value, ast.OEKParentheses|ast.OEKTypeAssertions|ast.OEKSatisfies|ast.OEKNonNullAssertions)
	switch value.Kind {
	case ast.KindIdentifier, ast.KindObjectLiteralExpression: // another variable's business; what has promises inside
		return
	case ast.KindArrayLiteralExpression:
		for _, item := range value.Elements() {
			r.unused(item, more)
		}
		return
	case ast.KindConditionalExpression:
		r.unused(value.AsConditionalExpression().WhenTrue, more)
		r.unused(value.AsConditionalExpression().WhenFalse, more)
		return
	}
	if s := r.of(value); s != none && value.Kind != ast.KindAwaitExpression && !r.isHandled(value) {
		r.droppedValue(value, s, more)
	}
}

func (r *promiseRules) droppedValue(e *ast.Node, s shape, more *[]finding) {
	if _, reaches := r.origin(e, nil); reaches && !r.inExecutor(e) && !r.isKept(e) && !r.isReported(e) {
		*more = append(*more, finding{at: e, promise: Promise{Tool: r.toolOf(e), List: s == list}})
	}
}
