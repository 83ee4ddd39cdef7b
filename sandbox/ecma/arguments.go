package ecma

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/unistring"
)

// goja finds the arguments of a function in its arrow functions only when the
// function itself has named them before: otherwise it takes another value of its
// own stack for them, or panics. So such a function begins by naming them.

const argumentsName unistring.String = "arguments"

// nameArguments has the functions of a program name their arguments where their
// arrow functions do.
func nameArguments(statements []ast.Statement, code string) {
	if !strings.Contains(code, string(argumentsName)) {
		return
	}
	type open struct {
		function   *ast.FunctionLiteral
		arrows     int
		use        file.Idx // in an arrow function; 0 for none
		parameters bool     // there is one in those of the function
		own        bool     // arguments is a variable
	}
	var stack []*open
	use := func(at file.Idx) {
		if len(stack) == 0 {
			return
		}
		f := stack[len(stack)-1]
		if f.arrows == 0 {
			return
		}
		if body := f.function.Body; body != nil && at < body.LeftBrace {
			f.parameters = true
		}
		f.use = max(f.use, at)
	}
	w := treeWalker{
		enter: func(node any) bool {
			switch n := node.(type) {
			case *ast.FunctionLiteral:
				stack = append(stack, &open{function: n})
			case *ast.ArrowFunctionLiteral:
				if len(stack) > 0 {
					stack[len(stack)-1].arrows++
				}
			case *ast.Binding:
				if name, ok := n.Target.(*ast.Identifier); ok && name.Name == argumentsName && len(stack) > 0 {
					stack[len(stack)-1].own = true
				}
			case *ast.Identifier:
				if n.Name == argumentsName {
					use(n.Idx)
				}
			case *ast.PropertyShort:
				if n.Name.Name == argumentsName {
					use(n.Name.Idx)
				}
			}
			return true
		},
		leave: func(node any) {
			switch node.(type) {
			case *ast.ArrowFunctionLiteral:
				if len(stack) > 0 {
					stack[len(stack)-1].arrows--
				}
			case *ast.FunctionLiteral:
				f := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if f.use == 0 || f.own {
					return
				}
				if f.parameters {
					beforeInitializers(f.function.ParameterList, true, func(at file.Idx) ast.Expression {
						return &ast.Identifier{Name: argumentsName, Idx: at}
					})
				}
				insertFirst(f.function.Body, func(at file.Idx) ast.Expression {
					return &ast.Identifier{Name: argumentsName, Idx: at}
				})
			}
		},
	}
	w.walk(statements)
}

// insertFirst puts an expression before the first statement that is no directive,
// at its place; ok is false when there is none.
func insertFirst(body *ast.BlockStatement, make func(file.Idx) ast.Expression) (ok bool) {
	if body == nil {
		return false
	}
	i := 0
	for i < len(body.List) && isDirective(body.List[i]) {
		i++
	}
	if i == len(body.List) {
		return false
	}
	first := &ast.ExpressionStatement{Expression: make(body.List[i].Idx0())}
	body.List = slices.Insert(body.List, i, ast.Statement(first))
	return true
}

// beforeInitializers evaluates an expression before each initializer of parameters
// that may call something, and of arrow functions when arrows is true, which then
// lose the parameter's name; done is false when there is none.
func beforeInitializers(list *ast.ParameterList, arrows bool, make func(file.Idx) ast.Expression) (done bool) {
	if list == nil {
		return false
	}
	before := func(e *ast.Expression) {
		switch (*e).(type) {
		case nil, *ast.StringLiteral, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.NullLiteral, *ast.Identifier:
			return // they call nothing
		case *ast.FunctionLiteral, *ast.ClassLiteral:
			return // the parameter is what names them
		case *ast.ArrowFunctionLiteral:
			if !arrows {
				return
			}
		}
		at := (*e).Idx0()
		*e = &ast.SequenceExpression{Sequence: []ast.Expression{make(at), *e}}
		done = true
	}
	w := treeWalker{enter: func(node any) bool {
		switch n := node.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral, *ast.SequenceExpression:
			return false
		case *ast.Binding:
			before(&n.Initializer)
		case *ast.PropertyShort:
			before(&n.Initializer)
		case *ast.AssignExpression:
			before(&n.Right)
		}
		return true
	}}
	for _, b := range list.List {
		w.walk([]ast.Statement{&ast.LexicalDeclaration{List: []*ast.Binding{b}}})
	}
	return done
}
