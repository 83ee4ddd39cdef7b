package ecma

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// No script can catch goja's own StackOverflowError: authors meet it when data has a
// cycle that their code does not expect. So in scripts that catch anything, functions
// begin with a look at the depth of the calls, which throws a RangeError that can be
// caught, a little before goja's limit.

// catchableDepth leaves the handlers of an error room to call functions.
const catchableDepth = maxCallDepth - 200

// gaugeName is the helper.
const gaugeName = "depth of calls"

// depthGauge is an object whose properties look at the depth when they are read.
type depthGauge struct {
	realm *Runtime
	calls reflect.Value // goja's own stack of calls
}

// newDepthGauge is undefined should goja be built otherwise than it is.
func newDepthGauge(r *Runtime) goja.Value {
	vm := reflect.ValueOf(r.VM).Elem().FieldByName("vm")
	if vm.Kind() != reflect.Pointer {
		return goja.Undefined()
	}
	calls := vm.Elem().FieldByName("callStack")
	if calls.Kind() != reflect.Slice {
		return goja.Undefined()
	}
	return r.VM.NewDynamicObject(&depthGauge{realm: r, calls: calls})
}

const TooDeep = "Maximum call stack size exceeded"

func (g *depthGauge) Get(string) goja.Value {
	if g.calls.Len() > catchableDepth {
		panic(g.realm.NewError("RangeError", TooDeep))
	}
	return nil
}

func (g *depthGauge) Set(string, goja.Value) bool { return false }
func (g *depthGauge) Has(string) bool             { return false }
func (g *depthGauge) Delete(string) bool          { return false }
func (g *depthGauge) Keys() []string              { return nil }

// catching are the words without which nothing is caught.
var catching = []string{"try", "catch", "then", "allSettled", "any"}

// guardRecursion makes the functions in another look at the depth, and reports
// whether there are any. Functions that call nothing and stand in the arguments of a
// call, as most callbacks do, are spared the cost: no circle of calls needs them.
func guardRecursion(main *ast.FunctionLiteral, code string) (guarded bool) {
	if !slices.ContainsFunc(catching, func(word string) bool { return strings.Contains(code, word) }) {
		return false
	}
	guardFields(main)
	callbacks := map[any]bool{}
	var calls []bool // of the functions around the node, the innermost last
	call := func(arguments []ast.Expression) {
		for i := range calls {
			calls[i] = true
		}
		for _, a := range arguments {
			callbacks[a] = true
		}
	}
	w := treeWalker{
		enter: func(node any) bool {
			switch n := node.(type) {
			case *ast.CallExpression:
				call(n.ArgumentList)
			case *ast.NewExpression:
				call(n.ArgumentList)
			case *ast.TemplateLiteral:
				call(nil) // a tag, or toString of what is in it
			case *ast.SpreadElement, *ast.ForOfStatement:
				call(nil) // an iterator
			case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
				calls = append(calls, false)
			}
			return true
		},
		leave: func(node any) {
			switch node.(type) {
			case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
				last := len(calls) - 1
				if calls[last] || !callbacks[node] {
					guarded = guard(node) || guarded
				}
				calls = calls[:last]
			}
		},
	}
	w.walk(main.Body.List)
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

// guard puts the look at the depth before the first statement, at its place, and
// before what parameters are by default.
func guard(function any) bool {
	switch n := function.(type) {
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
