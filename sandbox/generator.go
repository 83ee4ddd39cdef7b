package sandbox

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// The transpiler's helper for async generators goes on after each await with what it
// was asked for last. Where that was return, as by a break in for await, the first
// await of a finally block would be the end of it:
//
//	resume(k === "return" ? k : "next", v[1] ? …)
//
// It is right for yield* alone, which v[1] tells:
//
//	resume(k === "return" && v[1] ? k : "next", v[1] ? …)

// mendAsyncGenerator corrects the helper, when a statement of the program's own
// level declares it.
func mendAsyncGenerator(s ast.Statement) {
	declaration, ok := s.(*ast.VariableStatement)
	if !ok || len(declaration.List) != 1 {
		return
	}
	name, ok := declaration.List[0].Target.(*ast.Identifier)
	if !ok || !strings.HasPrefix(string(name.Name), "__asyncGenerator") {
		return
	}
	w := treeWalker{enter: func(node any) bool {
		call, ok := node.(*ast.CallExpression)
		if !ok || len(call.ArgumentList) != 4 {
			return true
		}
		method, ok := call.ArgumentList[0].(*ast.ConditionalExpression)
		if !ok {
			return true
		}
		if value, ok := call.ArgumentList[1].(*ast.ConditionalExpression); ok {
			method.Test = &ast.BinaryExpression{Operator: token.LOGICAL_AND, Left: method.Test, Right: value.Test}
		}
		return true
	}}
	w.walk([]ast.Statement{s})
}

// mendField puts what a field begins with into an arrow function that is called,
// when it has super in it: goja takes super there in functions alone.
func mendField(f *ast.FieldDefinition) {
	if f.Initializer == nil {
		return
	}
	found := false
	w := treeWalker{enter: func(node any) bool {
		switch n := node.(type) {
		case *ast.SuperExpression:
			found = true
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
			return false
		case *ast.PropertyKeyed:
			return n.Kind == ast.PropertyKindValue
		}
		return !found
	}}
	w.walk([]ast.Statement{&ast.ExpressionStatement{Expression: f.Initializer}})
	if !found {
		return
	}
	at, end := f.Initializer.Idx0(), f.Initializer.Idx1()
	f.Initializer = &ast.CallExpression{
		Callee: &ast.ArrowFunctionLiteral{
			Start: at, ParameterList: &ast.ParameterList{Opening: at, Closing: at}, Body: &ast.ExpressionBody{Expression: f.Initializer},
		},
		LeftParenthesis: at, RightParenthesis: end,
	}
}
