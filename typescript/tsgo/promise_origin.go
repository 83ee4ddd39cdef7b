package codemodeshim

import (
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// isTool reports whether a node is a call of a tool or a member of tools["$codemode"].
func (r *promiseRules) isTool(n *ast.Node) bool {
	if n.Kind != ast.KindCallExpression {
		return false
	}
	if r.isComputedTool(n.Expression()) {
		return true
	}
	s := r.c.GetResolvedSignature(n)
	return s != nil && s.Declaration() != nil && r.isToolMember(s.Declaration())
}

// toolOf is the name of the tool that an expression calls itself, or "".
func (r *promiseRules) toolOf(e *ast.Node) string {
	if e = baseOf(e); !r.isTool(e) {
		return ""
	}
	s := r.c.GetResolvedSignature(e)
	if s == nil || s.Declaration() == nil || s.Declaration().Name() == nil {
		return ""
	}
	if p := s.Declaration().Parent; p.Name().Text() == "CodeMode" {
		return "$codemode"
	}
	return s.Declaration().Name().Text()
}

// maxCalls is how many calls away from an expression tools are looked for.
const maxCalls = 5

// origin looks for a call of a tool behind an expression: in it, in the functions
// that it calls, and in the values of its variables. A function that the script is
// given may call tools, too.
func (r *promiseRules) origin(n *ast.Node, seen []*ast.Node) (tool string, reaches bool) {
	if len(seen) > maxCalls {
		return "", false
	}
	follow := func(d *ast.Node) bool {
		if d == nil || slices.Contains(seen, d) || ast.GetSourceFileOfNode(d) != r.file {
			return false
		}
		if _, is := r.origin(d, append(slices.Clip(seen), d)); is {
			reaches = true
		}
		return reaches
	}
	var look func(*ast.Node) bool
	look = func(n *ast.Node) bool {
		switch n.Kind {
		case ast.KindCallExpression:
			if r.isTool(n) {
				tool, reaches = r.toolOf(n), true
				return true
			}
			if body := r.body(n); body != nil && follow(body) {
				return true
			}
			if len(seen) == 0 && r.isParameter(n.Expression()) { // elsewhere, the arguments say what it calls
				reaches = true
				return true
			}
		case ast.KindIdentifier:
			s := r.c.GetSymbolAtLocation(n)
			if n.Parent.Kind == ast.KindShorthandPropertyAssignment {
				s = r.c.GetShorthandAssignmentValueSymbol(n.Parent)
			}
			if s == nil || s.ValueDeclaration == nil {
				break
			}
			switch d := s.ValueDeclaration; d.Kind {
			case ast.KindVariableDeclaration:
				if v := r.variables[s]; v != nil {
					for _, value := range slices.Concat(v.values, v.stored) {
						if follow(value) {
							return true
						}
					}
				}
				if follow(d.AsVariableDeclaration().Initializer) {
					return true
				}
				if loop := d.Parent.Parent; loop != nil && loop.Kind == ast.KindForOfStatement && follow(loop.Expression()) {
					return true
				}
			case ast.KindFunctionDeclaration:
				if n != d.Name() && follow(d.Body()) {
					return true
				}
			case ast.KindPropertySignature, ast.KindMethodSignature:
				if r.isToolMember(d) {
					tool, reaches = d.Name().Text(), true
					return true
				}
			}
		case ast.KindPropertyAccessExpression, ast.KindElementAccessExpression:
			if s := r.c.GetSymbolAtLocation(n); s != nil && s.ValueDeclaration != nil && r.isToolMember(s.ValueDeclaration) {
				tool, reaches = s.ValueDeclaration.Name().Text(), true
				return true
			}
		}
		return n.ForEachChild(look)
	}
	look(n)
	return tool, reaches
}

// isToolMember reports whether a declaration is a tool's, which the script cannot forge.
func (r *promiseRules) isToolMember(d *ast.Node) bool {
	p := d.Parent
	return p != nil && p.Kind == ast.KindInterfaceDeclaration && (p.Name().Text() == "Tools" || p.Name().Text() == "CodeMode") && ast.GetSourceFileOfNode(d) != r.file
}

// body of the script's function that a call calls, or nil.
func (r *promiseRules) body(call *ast.Node) *ast.Node {
	s := r.c.GetResolvedSignature(call)
	if s == nil || s.Declaration() == nil || ast.GetSourceFileOfNode(s.Declaration()) != r.file || !ast.IsFunctionLike(s.Declaration()) {
		return nil
	}
	return s.Declaration().Body()
}

// functionOf is the script's function that a name stands for, or nil.
func (r *promiseRules) functionOf(n *ast.Node) *ast.Node {
	s := r.c.GetSymbolAtLocation(n)
	if s == nil || s.ValueDeclaration == nil {
		return nil
	}
	d := s.ValueDeclaration
	if d.Kind == ast.KindVariableDeclaration {
		d = d.AsVariableDeclaration().Initializer
	}
	if d == nil || !ast.IsFunctionLike(d) {
		return nil
	}
	return d
}

// isParameter reports whether an expression is a parameter of a function, which may
// be any function.
func (r *promiseRules) isParameter(n *ast.Node) bool {
	n = ast.SkipParentheses(n)
	if n.Kind != ast.KindIdentifier {
		return false
	}
	s := r.c.GetSymbolAtLocation(n)
	return s != nil && s.ValueDeclaration != nil && s.ValueDeclaration.Kind == ast.KindParameter
}
