package sandbox

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
//	const super = «super of»((key) => super[key], (key, value) => super[key] = value, this)

const (
	superName   = "super of"     // the helper
	superObject = "super object" // what it makes
)

// mendSuper replaces super in the function that an async generator method was made
// into.
func mendSuper(method *ast.FunctionLiteral) {
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
	found := false
	replace := func(left *ast.Expression) {
		if s, ok := (*left).(*ast.SuperExpression); ok {
			*left = &ast.Identifier{Name: superObject, Idx: s.Idx}
			found = true
		}
	}
	w := treeWalker{enter: func(node any) bool {
		switch n := node.(type) {
		case *ast.DotExpression:
			replace(&n.Left)
		case *ast.BracketExpression:
			replace(&n.Left)
		case *ast.ClassLiteral:
			return false // has a super of its own
		case *ast.PropertyKeyed:
			return n.Kind == ast.PropertyKindValue
		}
		return true
	}}
	w.walk([]ast.Statement{&ast.ExpressionStatement{Expression: inner}})
	if !found {
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
	made := callAt(at, at, superName,
		arrow(member(), "key"),
		arrow(&ast.AssignExpression{Operator: token.ASSIGN, Left: member(), Right: identifier("value")}, "key", "value"),
		&ast.ThisExpression{Idx: at})
	method.Body.List = []ast.Statement{
		&ast.LexicalDeclaration{Idx: at, Token: token.CONST, List: []*ast.Binding{{Target: identifier(superObject), Initializer: made}}},
		back,
	}
}

// superOf makes the object that stands for super: its arguments read a member,
// write one, and are this.
func (r *realm) superOf(c goja.FunctionCall) goja.Value {
	read, _ := goja.AssertFunction(c.Argument(0))
	write, _ := goja.AssertFunction(c.Argument(1))
	this := c.Argument(2)
	must := func(v goja.Value, err error) goja.Value {
		if err != nil {
			panic(err)
		}
		return v
	}
	traps := r.vm.CreateObject(nil)
	traps.Set("get", r.native("get", func(c goja.FunctionCall) goja.Value {
		v := must(read(goja.Undefined(), c.Argument(1)))
		f, ok := goja.AssertFunction(v)
		if !ok {
			return v
		}
		// super.m() calls m with this, not with super.
		return r.native("super", func(c goja.FunctionCall) goja.Value { return must(f(this, c.Arguments...)) })
	}))
	traps.Set("set", r.native("set", func(c goja.FunctionCall) goja.Value {
		must(write(goja.Undefined(), c.Argument(1), c.Argument(2)))
		return r.vm.ToValue(true)
	}))
	o, err := r.vm.New(r.proxyConstructor, r.vm.CreateObject(nil), traps)
	if err != nil {
		panic(err)
	}
	return o
}
