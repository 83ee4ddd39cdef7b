package sandbox

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// No script can catch goja's own StackOverflowError. So functions that may call
// themselves, in scripts that catch anything, begin with a look at the depth of
// the calls, which throws a RangeError that can be caught, a little before goja's
// limit.

// catchableDepth leaves the handlers of an error room to call functions.
const catchableDepth = maxCallDepth - 200

// gaugeName is the helper.
const gaugeName = "depth of calls"

// depthGauge is an object whose properties look at the depth when they are read.
type depthGauge struct {
	realm *realm
	calls reflect.Value // goja's own stack of calls
}

// newDepthGauge is undefined should goja be built otherwise than it is.
func newDepthGauge(r *realm) goja.Value {
	vm := reflect.ValueOf(r.vm).Elem().FieldByName("vm")
	if vm.Kind() != reflect.Pointer {
		return goja.Undefined()
	}
	calls := vm.Elem().FieldByName("callStack")
	if calls.Kind() != reflect.Slice {
		return goja.Undefined()
	}
	return r.vm.NewDynamicObject(&depthGauge{realm: r, calls: calls})
}

const tooDeep = "Maximum call stack size exceeded"

func (g *depthGauge) Get(string) goja.Value {
	if g.calls.Len() > catchableDepth {
		panic(g.realm.newError("RangeError", tooDeep))
	}
	return nil
}

func (g *depthGauge) Set(string, goja.Value) bool { return false }
func (g *depthGauge) Has(string) bool             { return false }
func (g *depthGauge) Delete(string) bool          { return false }
func (g *depthGauge) Keys() []string              { return nil }

// catching are the words without which nothing is caught.
var catching = []string{"try", "catch", "then", "allSettled", "any"}

// guardRecursion gives the functions in another that may call themselves, by
// whatever way, their look at the depth, and says whether there are any.
func guardRecursion(main *ast.FunctionLiteral, code string) (guarded bool) {
	catches := false
	for _, word := range catching {
		catches = catches || strings.Contains(code, word)
	}
	if !catches {
		return false
	}
	c := calls{last: map[unistring.String]file.Idx{}}
	w := treeWalker{enter: c.enter, leave: c.leave}
	w.walk(main.Body.List)
	for _, f := range c.functions {
		if f.recurs(c.last) {
			guarded = f.guard() || guarded
		}
	}
	return guarded
}

// calls finds which functions may call which, by names alone: what a function is
// called, and which names stand in it.
type calls struct {
	functions []*function
	open      []*function
	names     []unistring.String            // that what is being visited is given
	own       *ast.Identifier               // the name that stands in a function or class itself
	last      map[unistring.String]file.Idx // where the last function of a name begins
}

type function struct {
	node     ast.Node
	base     int                       // how many names were given outside of it
	names    map[unistring.String]bool // of its own
	mentions map[unistring.String]bool // in it and in the functions within
}

// recurs says whether a function may be the one in a circle of calls that looks at
// the depth. In each circle one function calls itself, or one that is further down.
// What is within a function counts as its own.
func (f *function) recurs(last map[unistring.String]file.Idx) bool {
	for name := range f.mentions {
		if f.names[name] || last[name] >= f.node.Idx1() {
			return true
		}
	}
	return false
}

func (c *calls) enter(node any) bool {
	name, named := nameOf(node)
	if named {
		c.names = append(c.names, name)
	}
	switch n := node.(type) {
	case *ast.Identifier:
		if n != c.own {
			c.mention(n.Name)
		}
	case *ast.DotExpression:
		c.mention(n.Identifier.Name)
	case *ast.PrivateDotExpression:
		c.mention("#" + n.Identifier.Name)
	case *ast.PropertyShort:
		c.mention(n.Name.Name)
	case *ast.ClassLiteral:
		c.own = n.Name
	case *ast.FunctionLiteral:
		c.own = n.Name
		c.begin(n)
	case *ast.ArrowFunctionLiteral:
		c.begin(n)
	}
	return true
}

func (c *calls) begin(node ast.Node) {
	f := &function{node: node, base: len(c.names), names: map[unistring.String]bool{}, mentions: map[unistring.String]bool{}}
	outside := 0
	if len(c.open) > 0 {
		outside = c.open[len(c.open)-1].base
	}
	for _, name := range c.names[outside:] {
		f.names[name] = true
		c.last[name] = max(c.last[name], node.Idx0())
	}
	c.functions = append(c.functions, f)
	c.open = append(c.open, f)
}

func (c *calls) mention(name unistring.String) {
	if len(c.open) > 0 {
		c.open[len(c.open)-1].mentions[name] = true
	}
}

func (c *calls) leave(node any) {
	switch node.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		f := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		for name := range f.mentions {
			c.mention(name)
		}
	}
	if _, named := nameOf(node); named {
		c.names = c.names[:len(c.names)-1]
	}
}

// nameOf is the name that a node gives to what is in it.
func nameOf(node any) (name unistring.String, ok bool) {
	var key any
	switch n := node.(type) {
	case *ast.FunctionLiteral:
		if n.Name != nil {
			return n.Name.Name, true
		}
	case *ast.ClassLiteral:
		if n.Name != nil {
			return n.Name.Name, true
		}
	case *ast.PropertyShort:
		return n.Name.Name, true
	case *ast.Binding:
		key = n.Target
	case *ast.AssignExpression:
		key = n.Left
	case *ast.PropertyKeyed:
		key = n.Key
	case *ast.MethodDefinition:
		key = n.Key
	case *ast.FieldDefinition:
		key = n.Key
	}
	switch k := key.(type) {
	case *ast.Identifier:
		return k.Name, true
	case *ast.PrivateIdentifier:
		return "#" + k.Name, true
	case *ast.StringLiteral:
		return k.Value, true
	case *ast.DotExpression:
		return k.Identifier.Name, true
	case *ast.PrivateDotExpression:
		return "#" + k.Identifier.Name, true
	}
	return "", false
}

// guard puts the look at the depth before the first statement, at its place.
func (f *function) guard() bool {
	var body *ast.BlockStatement
	switch n := f.node.(type) {
	case *ast.FunctionLiteral:
		body = n.Body
	case *ast.ArrowFunctionLiteral:
		switch b := n.Body.(type) {
		case *ast.BlockStatement:
			body = b
		case *ast.ExpressionBody:
			b.Expression = &ast.SequenceExpression{Sequence: []ast.Expression{lookAtDepth(b.Idx0()), b.Expression}}
			return true
		}
	}
	if body == nil {
		return false
	}
	i := 0
	for i < len(body.List) && isDirective(body.List[i]) {
		i++
	}
	if i == len(body.List) {
		return false // it calls nothing
	}
	look := &ast.ExpressionStatement{Expression: lookAtDepth(body.List[i].Idx0())}
	body.List = slices.Insert(body.List, i, ast.Statement(look))
	return true
}

func isDirective(s ast.Statement) bool {
	e, ok := s.(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	_, ok = e.Expression.(*ast.StringLiteral)
	return ok
}

func lookAtDepth(at file.Idx) ast.Expression {
	return &ast.DotExpression{Left: &ast.Identifier{Name: gaugeName, Idx: at}, Identifier: ast.Identifier{Name: "look", Idx: at}}
}
