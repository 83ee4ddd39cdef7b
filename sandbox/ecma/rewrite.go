package ecma

import (
	"strings"

	"codemode-ls/script"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// rewrite changes a program so that goja keeps to the language: in its regular
// expressions, in what it awaits, in functions that call themselves, in arguments of
// arrow functions, in import(), in async generators, in super, in finally and in
// powers. The program is one of isBody; it
// becomes a function that makes the script's, of the realm's helpers: functions that
// the added code calls, by names that nobody can write. An error is a
// *script.CompileError.
func (r *Runtime) rewrite(tree *ast.Program, code string) (err error) {
	last := len(tree.Body) - 1
	main := tree.Body[last].(*ast.ExpressionStatement).Expression.(*ast.FunctionLiteral)
	r.reads = reads{file: tree.File}
	await := awaitHelper(tree.Body[:last])
	w := treeWalker{enter: func(node any) bool {
		switch n := node.(type) {
		case *ast.RegExpLiteral:
			if err == nil {
				err = r.patterns.internLiteral(n, tree, r.VM)
			}
		case *ast.AwaitExpression:
			rewriteAwait(n)
		case *ast.FieldDefinition:
			rewriteField(n)
		case *ast.BinaryExpression:
			rewritePower(n)
		case *ast.AssignExpression:
			rewritePowerAssign(n)
		case *ast.TryStatement:
			rewriteTry(n)
		case *ast.FunctionLiteral:
			rewriteSuper(n)
			r.reads.addPattern(n, n.ParameterList)
		case *ast.ArrowFunctionLiteral:
			r.reads.addPattern(n, n.ParameterList)
		case *ast.CallExpression:
			r.reads.add(n.Callee, true)
			rewriteImport(n)
			rewriteAsyncReturn(n, await)
		case *ast.DotExpression:
			r.reads.add(n, false)
		case *ast.Binding:
			if _, ok := n.Target.(ast.Pattern); ok {
				rewriteLiteral(&n.Initializer)
			}
		case *ast.ForOfStatement:
			rewriteLiteral(&n.Source)
		case *ast.SpreadElement:
			rewriteLiteral(&n.Expression)
		}
		return err == nil
	}}
	w.walk(tree.Body)
	if err != nil {
		return err
	}
	for _, s := range tree.Body[:last] {
		rewriteAsyncGenerator(s)
	}
	nameArguments(tree.Body, code)
	guardRecursion(main, code)
	main.ParameterList.List = nil // no script can name what fails for import()

	// The transpiler's helpers would be properties of globalThis as variables of the
	// program (ISO-1), so they are in the function too.
	at := main.Idx0()
	parameters := &ast.ParameterList{Opening: at, Closing: at}
	for _, name := range []unistring.String{awaiterName, superName, gaugeName, importerName, powerName, generatorName} {
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

// rewriteTry has a statement with catch and finally be one within another. To goja, what
// a finally block throws is the catch block's, when the statement went well until
// then, and the finally block runs once more.
func rewriteTry(s *ast.TryStatement) {
	if s.Catch == nil || s.Finally == nil {
		return
	}
	inner := &ast.TryStatement{Try: s.Try, Body: s.Body, Catch: s.Catch}
	s.Body = &ast.BlockStatement{LeftBrace: s.Body.LeftBrace, List: []ast.Statement{inner}, RightBrace: s.Catch.Body.RightBrace}
	s.Catch = nil
}

// rewriteLiteral gives a place to what is taken apart and cannot be, as in
// `const { a } = null`: goja would report that of what it ran before (EXEC-11).
func rewriteLiteral(e *ast.Expression) {
	switch (*e).(type) {
	case *ast.NullLiteral, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.UnaryExpression: // undefined is void 0
		*e = &ast.SequenceExpression{Sequence: []ast.Expression{lookAtDepth((*e).Idx0()), *e}}
	}
}

// importerName is the helper that fails for import() (ISO-3).
const importerName = "import of"

// rewriteImport has a call that the transpiler makes of import() call the helper.
func rewriteImport(e *ast.CallExpression) {
	outer, ok := e.Callee.(*ast.Identifier)
	if !ok || !strings.HasPrefix(string(outer.Name), "__toESM") || len(e.ArgumentList) != 1 {
		return
	}
	inner, ok := e.ArgumentList[0].(*ast.CallExpression)
	if !ok {
		return
	}
	if f, ok := inner.Callee.(*ast.Identifier); ok && (f.Name == script.Importer || f.Name == "require") {
		f.Name = importerName
	}
}

func callAt(at, end file.Idx, name unistring.String, args ...ast.Expression) *ast.CallExpression {
	return &ast.CallExpression{Callee: &ast.Identifier{Name: name, Idx: at}, LeftParenthesis: at, ArgumentList: args, RightParenthesis: end}
}
