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
	guardFields(main)
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

// guardFields puts the look before what fields call when an object is made.
func guardFields(main *ast.FunctionLiteral) {
	w := treeWalker{enter: func(node any) bool {
		f, ok := node.(*ast.FieldDefinition)
		if !ok || f.Static {
			return true
		}
		switch f.Initializer.(type) {
		case *ast.NewExpression, *ast.CallExpression:
			f.Initializer = &ast.SequenceExpression{Sequence: []ast.Expression{lookAtDepth(f.Initializer.Idx0()), f.Initializer}}
		}
		return true
	}}
	w.walk(main.Body.List)
}

// calls finds which functions may call which, by names: what a function is called,
// and which names stand in it. Some names are no help: those of functions that the
// language calls, and those of variables that hold any function.
type calls struct {
	functions []*function
	accessor  ast.Expression // a function that is called without its name
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
	callees  []unistring.String        // of its own calls of a name
	implicit bool                      // it may be called, or calls, without a name
}

// implicitNames are of functions that the language calls by itself.
var implicitNames = map[unistring.String]bool{
	"toString": true, "valueOf": true, "toJSON": true, "toLocaleString": true, "then": true, "next": true, "return": true, "throw": true,
	// those of a Proxy
	"get": true, "set": true, "has": true, "apply": true, "construct": true, "deleteProperty": true, "defineProperty": true,
	"getOwnPropertyDescriptor": true, "getPrototypeOf": true, "setPrototypeOf": true, "ownKeys": true, "isExtensible": true,
	"preventExtensions": true,
}

// plainGlobals are functions of the language that do not begin with a capital.
var plainGlobals = map[unistring.String]bool{
	"parseInt": true, "parseFloat": true, "isNaN": true, "isFinite": true, "structuredClone": true, "queueMicrotask": true,
	"atob": true, "btoa": true, "encodeURIComponent": true, "decodeURIComponent": true, "encodeURI": true, "decodeURI": true,
	"escape": true, "unescape": true,
}

// holdsAny says whether a name that is called may be any function's: it is none of
// the script's functions, the language's or the transpiler's.
func holdsAny(name unistring.String, last map[unistring.String]file.Idx) bool {
	if _, known := last[name]; known || plainGlobals[name] || name == "" {
		return false
	}
	s := name.String()
	return !(s[0] >= 'A' && s[0] <= 'Z' && len(s) > 1) && !strings.HasPrefix(s, "__") && !strings.Contains(s, " ")
}

// recurs says whether a function may be the one in a circle of calls that looks at
// the depth. In each circle one function calls itself, or one that is further down.
// What is within a function counts as its own.
func (f *function) recurs(last map[unistring.String]file.Idx) bool {
	if f.implicit || slices.ContainsFunc(f.callees, func(name unistring.String) bool { return holdsAny(name, last) }) {
		return true
	}
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
	case *ast.BracketExpression:
		if key, ok := n.Member.(*ast.StringLiteral); ok {
			c.mention(key.Value)
		}
	case *ast.CallExpression:
		c.call(n.Callee)
	case *ast.NewExpression:
		c.call(n.Callee)
	case *ast.TemplateLiteral:
		if n.Tag != nil {
			c.call(n.Tag)
		}
	case *ast.PropertyKeyed:
		if n.Computed || n.Kind == ast.PropertyKindGet || n.Kind == ast.PropertyKindSet {
			c.accessor = n.Value
		}
	case *ast.MethodDefinition:
		if n.Computed || n.Kind == ast.PropertyKindGet || n.Kind == ast.PropertyKindSet {
			c.accessor = n.Body
		}
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
	f.implicit = c.accessor == node
	outside := 0
	if len(c.open) > 0 {
		outside = c.open[len(c.open)-1].base
	}
	for _, name := range c.names[outside:] {
		f.names[name] = true
		f.implicit = f.implicit || implicitNames[name]
		c.last[name] = max(c.last[name], node.Idx0())
	}
	c.functions = append(c.functions, f)
	c.open = append(c.open, f)
}

// call notes what is called in the innermost function.
func (c *calls) call(callee ast.Expression) {
	if len(c.open) == 0 {
		return
	}
	f := c.open[len(c.open)-1]
	if o, ok := callee.(*ast.Optional); ok {
		callee = o.Expression
	}
	switch e := callee.(type) {
	case *ast.Identifier:
		f.callees = append(f.callees, e.Name)
	case *ast.BracketExpression:
		if _, named := e.Member.(*ast.StringLiteral); !named {
			f.implicit = true
		}
	case *ast.CallExpression, *ast.ConditionalExpression, *ast.BinaryExpression:
		f.implicit = true
	}
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
	case *ast.BracketExpression:
		if member, ok := k.Member.(*ast.StringLiteral); ok {
			return member.Value, true
		}
	case *ast.PrivateDotExpression:
		return "#" + k.Identifier.Name, true
	}
	return "", false
}

// guard puts the look at the depth before the first statement, at its place, and
// before what parameters are by default.
func (f *function) guard() bool {
	switch n := f.node.(type) {
	case *ast.FunctionLiteral:
		defaults := beforeInitializers(n.ParameterList, false, lookAtDepth)
		return insertFirst(n.Body, lookAtDepth) || defaults
	case *ast.ArrowFunctionLiteral:
		defaults := beforeInitializers(n.ParameterList, false, lookAtDepth)
		switch b := n.Body.(type) {
		case *ast.BlockStatement:
			return insertFirst(b, lookAtDepth) || defaults
		case *ast.ExpressionBody:
			b.Expression = &ast.SequenceExpression{Sequence: []ast.Expression{lookAtDepth(b.Idx0()), b.Expression}}
			return true
		}
	}
	return false
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
