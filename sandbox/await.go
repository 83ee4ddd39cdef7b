package sandbox

import (
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// goja takes any object whose constructor is Promise for a promise, and panics when
// a script awaits one that is none, such as a proxy of a promise. So what is awaited
// goes through a function that makes promises of other objects, as the language
// would, in as many turns of the job queue.

// awaiterName is the parameter that holds the function: no name that can be written.
const awaiterName = "promise of"

// promiseOf is what to await in place of a value.
func (r *realm) promiseOf(v goja.Value) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() == typePromise {
		return v
	}
	p, resolve, _ := r.vm.NewPromise()
	resolve(v)
	return r.vm.ToValue(p)
}

// mend has a program keep to the language where goja does not: in its regular
// expressions, in what it awaits, and in functions that call themselves. The program
// is one of isBody. An error is a *script.CompileError.
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
		}
		return err == nil
	}}
	w.walk(tree.Body)
	addParameter(main, awaiterName)
	if guardRecursion(main, code) {
		addParameter(main, gaugeName)
	}
	return err
}

func addParameter(f *ast.FunctionLiteral, name unistring.String) {
	f.ParameterList.List = append(f.ParameterList.List, &ast.Binding{Target: &ast.Identifier{Name: name, Idx: f.Idx0()}})
}

// mendAwait has an expression await what promiseOf makes of its argument.
func mendAwait(e *ast.AwaitExpression) {
	at := e.Argument.Idx0()
	e.Argument = &ast.CallExpression{
		Callee:           &ast.Identifier{Name: awaiterName, Idx: at},
		LeftParenthesis:  at,
		ArgumentList:     []ast.Expression{e.Argument},
		RightParenthesis: e.Argument.Idx1(),
	}
}

// mendResolve is Promise.resolve, which goja takes in the same way.
func (r *realm) mendResolve() {
	promise := r.vm.GlobalObject().Get("Promise").(*goja.Object)
	native, _ := goja.AssertFunction(promise.Get("resolve"))
	f := r.native("resolve", func(c goja.FunctionCall) goja.Value {
		v := c.Argument(0)
		if c.This == goja.Value(promise) {
			if mended := r.promiseOf(v); mended != v {
				return mended
			}
		}
		p, err := native(c.This, v)
		if err != nil {
			panic(err)
		}
		return p
	})
	f.DefineDataProperty("length", r.vm.ToValue(1), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	promise.DefineDataProperty("resolve", f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}
