package sandbox

import (
	"math"
	"strings"

	"codemode-ls/sandbox/ecmamath"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// goja has its elementary functions from package math, whose last digits differ from
// those of other engines: 1.05 ** 10 for one, and even 10 ** -5. So powers are a
// helper's, and Math has functions of ours.

// powerName is the helper.
const powerName = "power of"

// nativePower is for what is no number: a BigInt, or what must be converted.
var nativePower = ownProgram("codemode-power", new("(function (x, y) { return x ** y })"))

// power is x ** y.
func (r *realm) power(c goja.FunctionCall) goja.Value {
	x, y := c.Argument(0), c.Argument(1)
	if isPrimitiveNumber(x) && isPrimitiveNumber(y) {
		return r.vm.ToValue(ecmamath.Pow(x.ToFloat(), y.ToFloat()))
	}
	f, err := r.vm.RunProgram(nativePower())
	if err != nil {
		panic(err)
	}
	native, _ := r.callable(f)
	v, err := native(goja.Undefined(), x, y)
	if err != nil {
		throw(err)
	}
	return v
}

func isPrimitiveNumber(v goja.Value) bool {
	_, object := v.(*goja.Object)
	return !object && goja.IsNumber(v)
}

// mendPower has an expression be the helper's result, which is never null, so that
// the node can stay: «power of»(x, y) ?? null.
func mendPower(n *ast.BinaryExpression) {
	if n.Operator != token.EXPONENT {
		return
	}
	at, end := n.Idx0(), n.Idx1()
	n.Operator, n.Left, n.Right = token.COALESCE, callAt(at, end, powerName, n.Left, n.Right), &ast.NullLiteral{Idx: end}
}

// mendPowerAssign does the same for x **= y, where x can be evaluated twice and
// nothing can be seen of it: a variable, or a member of one or of this whose key is
// in the text. All else stays goja's.
func mendPowerAssign(n *ast.AssignExpression) {
	if n.Operator != token.EXPONENT {
		return
	}
	if read := secondReading(n.Left); read != nil {
		n.Operator, n.Right = token.ASSIGN, callAt(n.Idx0(), n.Idx1(), powerName, read, n.Right)
	}
}

// secondReading is a copy of what can be evaluated twice, or nil.
func secondReading(e ast.Expression) ast.Expression {
	switch n := e.(type) {
	case *ast.Identifier:
		return secondBase(n)
	case *ast.DotExpression:
		if base := secondBase(n.Left); base != nil {
			return &ast.DotExpression{Left: base, Identifier: n.Identifier}
		}
	case *ast.PrivateDotExpression:
		if base := secondBase(n.Left); base != nil {
			return &ast.PrivateDotExpression{Left: base, Identifier: n.Identifier}
		}
	case *ast.BracketExpression:
		var key ast.Expression
		switch k := n.Member.(type) {
		case *ast.StringLiteral:
			key = new(*k)
		case *ast.NumberLiteral:
			key = new(*k)
		}
		if base := secondBase(n.Left); base != nil && key != nil {
			return &ast.BracketExpression{Left: base, Member: key, LeftBracket: n.LeftBracket, RightBracket: n.RightBracket}
		}
	}
	return nil
}

func secondBase(e ast.Expression) ast.Expression {
	switch n := e.(type) {
	case *ast.Identifier:
		return new(*n)
	case *ast.ThisExpression:
		return new(*n)
	}
	return nil
}

// mendMath replaces functions of Math for a script that has the name.
func (r *realm) mendMath(code string) {
	if !strings.Contains(code, "Math") {
		return
	}
	object, _ := r.vm.GlobalObject().Get("Math").(*goja.Object)
	replace := func(name string, length int, f func(goja.FunctionCall) float64) {
		r.define(object, name, length, func(c goja.FunctionCall) goja.Value { return r.vm.ToValue(f(c)) })
	}
	for name, f := range map[string]func(float64) float64{
		"exp": ecmamath.Exp, "log10": ecmamath.Log10, "log2": ecmamath.Log2, "sin": ecmamath.Sin, "cos": ecmamath.Cos, "tan": ecmamath.Tan,
		"asin": ecmamath.Asin, "acos": ecmamath.Acos, "atan": ecmamath.Atan, "sign": sign,
	} {
		replace(name, 1, func(c goja.FunctionCall) float64 { return f(c.Argument(0).ToFloat()) })
	}
	for name, f := range map[string]func(x, y float64) float64{"pow": ecmamath.Pow, "atan2": ecmamath.Atan2} {
		replace(name, 2, func(c goja.FunctionCall) float64 {
			x := c.Argument(0).ToFloat()
			return f(x, c.Argument(1).ToFloat())
		})
	}
}

// sign is Math.sign, which goja leaves undefined for no argument.
func sign(x float64) float64 {
	if x == 0 || math.IsNaN(x) {
		return x
	}
	return math.Copysign(1, x)
}
