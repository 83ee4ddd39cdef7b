package codemodeshim

import (
	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
)

// shape says where promises are in a type.
type shape int

const (
	none   shape = iota
	maybe        // a promise or something else
	always       // a promise, or nothing
	list         // an array of promises
	deep         // promises somewhere inside
)

// shape of a type, not looking into objects.
func (r *promiseRules) shape(t *checker.Type) shape {
	t = r.c.GetNonNullableType(r.c.GetApparentType(t))
	if t.Flags()&(checker.TypeFlagsNever|checker.TypeFlagsAny|checker.TypeFlagsUnknown) != 0 {
		return none
	}
	some, all, lists := false, true, false
	for _, m := range t.Distributed() {
		if r.c.GetPromisedTypeOfPromise(m) != nil {
			some = true
			continue
		}
		all = false
		if r.c.IsArrayLikeType(m) {
			if e := r.c.GetNumberIndexType(m); e != nil {
				inner := r.shape(e)
				lists = lists || inner == always || inner == list
			}
		}
	}
	switch {
	case some && all:
		return always
	case some:
		return maybe
	case lists:
		return list
	}
	return none
}

// maxDepth bounds the search for promises in objects.
const maxDepth = 4

// within is shape, and deep for objects, maps and lists that have promises inside.
func (r *promiseRules) within(t *checker.Type, depth int) shape {
	if s := r.shape(t); s != none || depth > maxDepth {
		return s
	}
	for _, m := range r.c.GetNonNullableType(r.c.GetApparentType(t)).Distributed() {
		if m.Flags()&checker.TypeFlagsObject == 0 || r.c.TypeHasCallOrConstructSignatures(m) {
			continue
		}
		if r.c.IsArrayLikeType(m) {
			if e := r.c.GetNumberIndexType(m); e != nil && r.within(e, depth+1) != none {
				return deep
			}
			continue
		}
		if symbol := m.Symbol(); symbol != nil && (symbol.Name == "Map" || symbol.Name == "Set") {
			for _, a := range r.c.GetTypeArguments(m) {
				if r.within(a, depth+1) != none {
					return deep
				}
			}
			continue
		}
		if e := r.c.GetStringIndexType(m); e != nil && r.within(e, depth+1) != none {
			return deep
		}
		if r.isDeclared(m.Symbol()) {
			continue // an object of the language or of our declarations
		}
		for _, p := range r.c.GetPropertiesOfType(m) {
			if p.Flags&ast.SymbolFlagsMethod == 0 && r.within(r.c.GetTypeOfSymbol(p), depth+1) != none {
				return deep
			}
		}
	}
	return none
}

// isDeclared reports whether a symbol is declared outside of the script.
func (r *promiseRules) isDeclared(s *ast.Symbol) bool {
	return s != nil && len(s.Declarations) > 0 && ast.GetSourceFileOfNode(s.Declarations[0]) != r.file
}

// of is the shape of an expression. A call of a tool whose name is computed has no
// type, and is a promise all the same.
func (r *promiseRules) of(n *ast.Node) shape {
	if s := r.shape(r.c.GetTypeAtLocation(n)); s != none {
		return s
	}
	if n.Kind == ast.KindCallExpression && r.isComputedTool(n.Expression()) {
		return always
	}
	return none
}

// isComputedTool reports whether an expression is tools[…] with a name that is not
// known.
func (r *promiseRules) isComputedTool(n *ast.Node) bool {
	n = ast.SkipParentheses(n)
	if n.Kind != ast.KindElementAccessExpression {
		return false
	}
	s := r.c.GetTypeAtLocation(n.Expression()).Symbol()
	return s != nil && s.Name == "Tools" && r.isDeclared(s) && r.c.GetTypeAtLocation(n).Flags()&checker.TypeFlagsAny != 0 &&
		!ast.IsStringLiteralLike(n.AsElementAccessExpression().ArgumentExpression)
}
