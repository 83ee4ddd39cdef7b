package ecma

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// The transpiler's helper for async generators goes on after each await with what it
// was asked for last. Where that was return, as by a break in for await, the first
// await of a finally block would be the end of it:
//
//	resume(k === "return" ? k : "next", v[1] ? …)
//
// It is right for yield* alone, which v[1] shows:
//
//	resume(k === "return" && v[1] ? k : "next", v[1] ? …)
//
// What a generator returns is awaited when it is over, which no catch and no finally
// of it can see. So a return in a try statement awaits as yield does:
//
//	return yield new __await(v)
//
// What it returns is an object whose methods are its own, and can be seen; another
// helper has it look like a generator.

// generatorName is that helper.
const generatorName = "generator of"

// asyncGeneratorHelper is what the name of the transpiler's begins with.
const asyncGeneratorHelper = "__asyncGenerator"

// rewriteAsyncGenerator corrects the helper, when a statement of the program's own
// level declares it.
func rewriteAsyncGenerator(s ast.Statement) {
	if helperOf(s, asyncGeneratorHelper) == "" {
		return
	}
	w := treeWalker{enter: func(node any) bool {
		switch n := node.(type) {
		case *ast.CallExpression:
			rewriteResume(n)
		case *ast.ReturnStatement:
			list, ok := n.Argument.(*ast.SequenceExpression)
			if !ok {
				break
			}
			last := &list.Sequence[len(list.Sequence)-1]
			if it, ok := (*last).(*ast.Identifier); ok {
				*last = callAt(it.Idx, it.Idx, generatorName, it)
			}
		}
		return true
	}}
	w.walk([]ast.Statement{s})
}

func rewriteResume(call *ast.CallExpression) {
	if len(call.ArgumentList) != 4 {
		return
	}
	method, ok := call.ArgumentList[0].(*ast.ConditionalExpression)
	if !ok {
		return
	}
	if value, ok := call.ArgumentList[1].(*ast.ConditionalExpression); ok {
		method.Test = &ast.BinaryExpression{Operator: token.LOGICAL_AND, Left: method.Test, Right: value.Test}
	}
}

// awaitHelper is the transpiler's class of what is awaited in async generators, if
// the statements declare it.
func awaitHelper(statements []ast.Statement) unistring.String {
	for _, s := range statements {
		if name := helperOf(s, "__await"); name != "" {
			return name
		}
	}
	return ""
}

// helperOf is the name of the transpiler's helper that a statement declares, when it
// begins so: a script that has the name has it numbered.
func helperOf(s ast.Statement, prefix string) unistring.String {
	declaration, ok := s.(*ast.VariableStatement)
	if !ok || len(declaration.List) != 1 {
		return ""
	}
	name, ok := declaration.List[0].Target.(*ast.Identifier)
	if !ok || !strings.HasPrefix(string(name.Name), prefix) {
		return ""
	}
	return name.Name
}

// rewriteAsyncReturn has the return statements in try statements of an async generator
// await what they return.
func rewriteAsyncReturn(call *ast.CallExpression, await unistring.String) {
	callee, ok := call.Callee.(*ast.Identifier)
	if !ok || await == "" || !strings.HasPrefix(string(callee.Name), asyncGeneratorHelper) || len(call.ArgumentList) != 3 {
		return
	}
	inner, ok := call.ArgumentList[2].(*ast.FunctionLiteral)
	if !ok || !inner.Generator {
		return
	}
	depth := 0
	w := treeWalker{
		enter: func(node any) bool {
			switch n := node.(type) {
			case *ast.TryStatement:
				depth++
			case *ast.ReturnStatement:
				if depth > 0 && n.Argument != nil {
					at, end := n.Argument.Idx0(), n.Argument.Idx1()
					n.Argument = &ast.YieldExpression{Yield: at, Argument: &ast.NewExpression{
						New: at, Callee: &ast.Identifier{Name: await, Idx: at},
						LeftParenthesis: at, ArgumentList: []ast.Expression{n.Argument}, RightParenthesis: end,
					}}
				}
			case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
				return false
			}
			return true
		},
		leave: func(node any) {
			if _, ok := node.(*ast.TryStatement); ok {
				depth--
			}
		},
	}
	w.walk(inner.Body.List)
}

// asyncGenerator has an object look like an async generator.
func (r *Runtime) asyncGenerator(c goja.FunctionCall) goja.Value {
	o, _ := c.Argument(0).(*goja.Object)
	const yes, no = goja.FLAG_TRUE, goja.FLAG_FALSE
	for _, name := range []string{"next", "throw", "return"} {
		o.DefineDataProperty(name, o.Get(name), yes, yes, no)
	}
	for _, symbol := range o.Symbols() {
		o.DefineDataPropertySymbol(symbol, o.GetSymbol(symbol), yes, yes, no)
	}
	o.DefineDataPropertySymbol(goja.SymToStringTag, r.VM.ToValue("AsyncGenerator"), no, yes, no)
	return o
}

// rewriteField puts what a field begins with into an arrow function that is called,
// when it has super in it: goja takes super there in functions alone.
func rewriteField(f *ast.FieldDefinition) {
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
