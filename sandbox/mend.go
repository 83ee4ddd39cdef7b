package sandbox

import (
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// mend has a program keep to the language where goja does not: in its regular
// expressions, in what it awaits, in functions that call themselves, and in super
// in async generators. The program is one of isBody. An error is a
// *script.CompileError.
//
// The code that it adds calls functions of the realm. They are parameters of the
// script's function, with names that nobody can write: see helpers.
func (r *realm) mend(tree *ast.Program, code string) (err error) {
	main := tree.Body[len(tree.Body)-1].(*ast.ExpressionStatement).Expression.(*ast.FunctionLiteral)
	w := treeWalker{enter: func(node any) bool {
		switch n := node.(type) {
		case *ast.RegExpLiteral:
			if err == nil {
				err = r.patterns.internLiteral(n, tree, r.vm)
			}
		case *ast.AwaitExpression:
			if n.Idx0() > main.Idx0() {
				mendAwait(n)
			}
		case *ast.FunctionLiteral:
			mendSuper(n)
		}
		return err == nil
	}}
	w.walk(tree.Body)
	guardRecursion(main, code)
	for _, name := range []unistring.String{awaiterName, superName, gaugeName} {
		main.ParameterList.List = append(main.ParameterList.List, &ast.Binding{Target: &ast.Identifier{Name: name, Idx: main.Idx0()}})
	}
	return err
}

// helpers are the arguments of a script's function.
func (r *realm) helpers() []goja.Value {
	return []goja.Value{
		r.importer,
		r.native("await", r.awaited),
		r.native("super", r.superOf),
		newDepthGauge(r),
	}
}

func callAt(at, end file.Idx, name unistring.String, args ...ast.Expression) *ast.CallExpression {
	return &ast.CallExpression{Callee: &ast.Identifier{Name: name, Idx: at}, LeftParenthesis: at, ArgumentList: args, RightParenthesis: end}
}
