package ecma

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// The transpiler makes of an async generator method a function within the method,
// where super cannot be written. So there it is the name of an object that stands
// for it, and that the method makes:
//
//	const super = «super of»((key) => super[key], (key, value) => super[key] = value)
//
// Of a method that is called, as in super.m(), the object must know this:
//
//	const callee = «super of»((key) => super[key], (key, value) => super[key] = value, this)

const (
	superName   = "super of"     // the helper
	superObject = "super object" // what it makes
	superCallee = "super callee" // what it makes for methods that are called
)

// rewriteSuper replaces super in the function that an async generator method was made
// into.
func rewriteSuper(method *ast.FunctionLiteral) {
	if method.Body == nil || len(method.Body.List) != 1 {
		return
	}
	back, ok := method.Body.List[0].(*ast.ReturnStatement)
	if !ok {
		return
	}
	call, ok := back.Argument.(*ast.CallExpression)
	if !ok || len(call.ArgumentList) != 3 {
		return
	}
	callee, ok := call.Callee.(*ast.Identifier)
	if !ok || !strings.HasPrefix(string(callee.Name), "__asyncGenerator") {
		return
	}
	inner, ok := call.ArgumentList[2].(*ast.FunctionLiteral)
	if !ok || !inner.Generator {
		return
	}
	found := map[unistring.String]bool{}
	replace := func(left *ast.Expression, by unistring.String) {
		if s, ok := (*left).(*ast.SuperExpression); ok {
			*left = &ast.Identifier{Name: by, Idx: s.Idx}
			found[by] = true
		}
	}
	called := func(callee ast.Expression) {
		if o, ok := callee.(*ast.Optional); ok {
			callee = o.Expression
		}
		switch c := callee.(type) {
		case *ast.DotExpression:
			replace(&c.Left, superCallee)
		case *ast.BracketExpression:
			replace(&c.Left, superCallee)
		}
	}
	w := treeWalker{enter: func(node any) bool {
		switch n := node.(type) {
		case *ast.CallExpression:
			called(n.Callee)
		case *ast.TemplateLiteral:
			called(n.Tag)
		case *ast.DotExpression:
			replace(&n.Left, superObject)
		case *ast.BracketExpression:
			replace(&n.Left, superObject)
		case *ast.ClassLiteral:
			return false // has a super of its own
		case *ast.PropertyKeyed:
			return n.Kind == ast.PropertyKindValue
		}
		return true
	}}
	w.walk([]ast.Statement{&ast.ExpressionStatement{Expression: inner}})
	if len(found) == 0 {
		return
	}
	at := back.Return
	identifier := func(name unistring.String) *ast.Identifier { return &ast.Identifier{Name: name, Idx: at} }
	member := func() ast.Expression {
		return &ast.BracketExpression{Left: &ast.SuperExpression{Idx: at}, Member: identifier("key"), LeftBracket: at, RightBracket: at}
	}
	arrow := func(body ast.Expression, parameters ...unistring.String) ast.Expression {
		list := &ast.ParameterList{Opening: at, Closing: at}
		for _, p := range parameters {
			list.List = append(list.List, &ast.Binding{Target: identifier(p)})
		}
		return &ast.ArrowFunctionLiteral{Start: at, ParameterList: list, Body: &ast.ExpressionBody{Expression: body}}
	}
	var list []*ast.Binding
	for _, name := range []unistring.String{superObject, superCallee} {
		if !found[name] {
			continue
		}
		made := callAt(at, at, superName,
			arrow(member(), "key"),
			arrow(&ast.AssignExpression{Operator: token.ASSIGN, Left: member(), Right: identifier("value")}, "key", "value"))
		if name == superCallee {
			made.ArgumentList = append(made.ArgumentList, &ast.ThisExpression{Idx: at})
		}
		list = append(list, &ast.Binding{Target: identifier(name), Initializer: made})
	}
	method.Body.List = []ast.Statement{&ast.LexicalDeclaration{Idx: at, Token: token.CONST, List: list}, back}
}

// superOf makes the object that stands for super: its arguments read a member,
// write one, and, for methods that are called, are this.
func (r *Runtime) superOf(made goja.FunctionCall) goja.Value {
	read, _ := r.Callable(made.Argument(0))
	write, _ := r.Callable(made.Argument(1))
	calls, this := len(made.Arguments) == 3, made.Argument(2)
	must := func(v goja.Value, err error) goja.Value {
		if err != nil {
			panic(err)
		}
		return v
	}
	traps := r.VM.CreateObject(nil)
	traps.Set("get", r.Native("get", func(c goja.FunctionCall) goja.Value {
		v := must(read(goja.Undefined(), c.Argument(1)))
		f, ok := r.Callable(v)
		if !ok || !calls {
			return v
		}
		// super.m() calls m with this, not with super.
		return r.Native("super", func(c goja.FunctionCall) goja.Value { return must(f(this, c.Arguments...)) })
	}))
	traps.Set("set", r.Native("set", func(c goja.FunctionCall) goja.Value {
		must(write(goja.Undefined(), c.Argument(1), c.Argument(2)))
		return r.VM.ToValue(true)
	}))
	o, err := r.VM.New(r.proxyConstructor, r.VM.CreateObject(nil), traps)
	if err != nil {
		panic(err)
	}
	return o
}
