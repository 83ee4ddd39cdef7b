package ecma

import (
	"math"
	"math/big"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// goja computes powers with package math, whose last digits differ from those of
// other engines in cases that people notice: 10 ** -5, 1.05 ** 10. So powers go
// through a helper.

// powerName is the helper.
const powerName = "power of"

// nativePower is for what is no number: a BigInt, or what must be converted.
var nativePower = ownProgram("codemode-power", new("(function (x, y) { return x ** y })"))

// power is x ** y.
func (r *Runtime) power(c goja.FunctionCall) goja.Value {
	x, y := c.Argument(0), c.Argument(1)
	if isPrimitiveNumber(x) && isPrimitiveNumber(y) {
		return r.VM.ToValue(pow(x.ToFloat(), y.ToFloat()))
	}
	f, err := r.VM.RunProgram(nativePower())
	if err != nil {
		panic(err)
	}
	native, _ := r.Callable(f)
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

// rewritePower has an expression be the helper's result, which is never null, so that
// the node can stay: «power of»(x, y) ?? null.
func rewritePower(n *ast.BinaryExpression) {
	if n.Operator != token.EXPONENT {
		return
	}
	at, end := n.Idx0(), n.Idx1()
	n.Operator, n.Left, n.Right = token.COALESCE, callAt(at, end, powerName, n.Left, n.Right), &ast.NullLiteral{Idx: end}
}

// rewritePowerAssign does the same for x **= y, where x can be evaluated twice and
// nothing can be seen of it: a variable, or a member of one or of this whose key is
// in the text. All else stays goja's.
func rewritePowerAssign(n *ast.AssignExpression) {
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

// fixMath replaces the functions of Math whose inexactness people notice: Math.pow,
// and Math.log10, which counts the digits of a number.
func (r *Runtime) fixMath() {
	object, _ := r.VM.GlobalObject().Get("Math").(*goja.Object)
	r.Define(object, "pow", 2, func(c goja.FunctionCall) goja.Value {
		x := c.Argument(0).ToFloat()
		return r.VM.ToValue(pow(x, c.Argument(1).ToFloat()))
	})
	r.Define(object, "log10", 1, func(c goja.FunctionCall) goja.Value {
		x := c.Argument(0).ToFloat()
		log := math.Log10(x)
		if whole := math.Round(log); pow(10, whole) == x {
			log = whole
		}
		return r.VM.ToValue(log)
	})
}

// pow is Number::exponentiate of ECMA-262.
func pow(x, y float64) float64 {
	const most = 512 // repeated squaring stays exact to the last digit up to there
	switch {
	case math.IsNaN(y), math.Abs(x) == 1 && math.IsInf(y, 0):
		return math.NaN()
	case x == 0, math.IsInf(x, 0), math.IsNaN(x), y != math.Trunc(y), math.Abs(y) > most:
		return math.Pow(x, y)
	}
	result := wholePower(math.Abs(x), int(y))
	if x < 0 && math.Mod(y, 2) != 0 {
		return -result
	}
	return result
}

// wholePower computes xʸ by repeated squaring in twice the precision of a float64.
func wholePower(x float64, y int) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	result, square := double{1, 0}, double{m, 0}
	for i := max(y, -y); i > 0; i >>= 1 {
		if i&1 == 1 {
			result = result.times(square)
		}
		square = square.times(square)
	}
	if y < 0 {
		result = result.reciprocal()
	}
	return result.scaled(e * y)
}

// double is the unevaluated sum of two float64, the second at most half of the last
// bit of the first (T. J. Dekker, A floating-point technique for extending the
// available precision, 1971).
type double struct{ hi, lo float64 }

func (a double) times(b double) double {
	p := a.hi * b.hi
	rest := math.FMA(a.hi, b.hi, -p) + (a.hi*b.lo + a.lo*b.hi)
	s := p + rest
	return double{s, rest - (s - p)}
}

func (a double) reciprocal() double {
	q := 1 / a.hi
	rest := math.FMA(-q, a.hi, 1) - q*a.lo
	return double{q, rest / a.hi}
}

// scaled is a·2ⁿ, rounded once, also where the result is subnormal.
func (a double) scaled(n int) float64 {
	if _, e := math.Frexp(a.hi); e+n > -1020 {
		return math.Ldexp(a.hi, n)
	}
	exact := new(big.Float).SetPrec(200).SetFloat64(a.hi)
	exact.Add(exact, new(big.Float).SetFloat64(a.lo))
	x, _ := exact.SetMantExp(exact, n).Float64()
	return x
}
