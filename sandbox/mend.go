package sandbox

import (
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// mend has a program keep to the language where goja does not: in its regular
// expressions, in what it awaits, in functions that call themselves, and in super
// in async generators. The program is one of isBody; it becomes a function that
// makes the script's, of the realm's helpers: functions that the added code calls,
// by names that nobody can write. An error is a *script.CompileError.
func (r *realm) mend(tree *ast.Program, code string) (err error) {
	last := len(tree.Body) - 1
	main := tree.Body[last].(*ast.ExpressionStatement).Expression.(*ast.FunctionLiteral)
	r.reads = reads{file: tree.File}
	w := treeWalker{enter: func(node any) bool {
		switch n := node.(type) {
		case *ast.RegExpLiteral:
			if err == nil {
				err = r.patterns.internLiteral(n, tree, r.vm)
			}
		case *ast.AwaitExpression:
			mendAwait(n)
		case *ast.FunctionLiteral:
			mendSuper(n)
			r.reads.addPattern(n, n.ParameterList)
		case *ast.ArrowFunctionLiteral:
			r.reads.addPattern(n, n.ParameterList)
		case *ast.CallExpression:
			r.reads.add(n.Callee, true)
		case *ast.DotExpression:
			r.reads.add(n, false)
		}
		return err == nil
	}}
	w.walk(tree.Body)
	if err != nil {
		return err
	}
	guardRecursion(main, code)

	// The transpiler's helpers would be properties of globalThis as variables of the
	// program (ISO-1), so they are in the function too.
	at := main.Idx0()
	parameters := &ast.ParameterList{Opening: at, Closing: at}
	for _, name := range []unistring.String{awaiterName, superName, gaugeName} {
		parameters.List = append(parameters.List, &ast.Binding{Target: &ast.Identifier{Name: name, Idx: at}})
	}
	body := append(tree.Body[:last:last], &ast.ReturnStatement{Return: at, Argument: main})
	tree.Body = []ast.Statement{&ast.ExpressionStatement{Expression: &ast.FunctionLiteral{
		Function: at, ParameterList: parameters,
		Body:            &ast.BlockStatement{LeftBrace: at, List: body, RightBrace: at},
		DeclarationList: tree.DeclarationList,
	}}}
	tree.DeclarationList = nil
	return nil
}

func callAt(at, end file.Idx, name unistring.String, args ...ast.Expression) *ast.CallExpression {
	return &ast.CallExpression{Callee: &ast.Identifier{Name: name, Idx: at}, LeftParenthesis: at, ArgumentList: args, RightParenthesis: end}
}
