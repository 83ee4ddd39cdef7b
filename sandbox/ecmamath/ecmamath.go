package ecmamath

import (
	"math"
	"sync"
)

var (
	ln2      = double{0.6931471805599453, 2.3190468138462996e-17}
	ln2Rest  = 5.707708438416212e-34
	ln10     = double{2.302585092994046, -2.1707562233822494e-16}
	halfPi   = double{1.5707963267948966, 6.123233995736766e-17}
	piRest   = -1.4973849048591698e-33 // of halfPi
	one      = double{1, 0}
	farthest = 1e6 // from there on, angles are left to package math
)

// inverses are 1/n!.
var inverses = sync.OnceValue(func() []double {
	list := []double{one}
	for n := 1; n < 30; n++ {
		list = append(list, list[n-1].div(double{float64(n), 0}))
	}
	return list
})

// exponential is eˣ as a·2ⁿ.
func exponential(x double) (a double, n int) {
	const halvings, terms = 8, 10
	k := math.Round(x.hi / ln2.hi)
	r := x.sub(product(k, ln2.hi)).sub(product(k, ln2.lo)).sub(double{k * ln2Rest, 0})
	r = double{math.Ldexp(r.hi, -halvings), math.Ldexp(r.lo, -halvings)}
	inverse := inverses()
	s := inverse[terms]
	for i := terms - 1; i > 0; i-- {
		s = s.mul(r).add(inverse[i])
	}
	s = s.mul(r) // eʳ - 1
	for range halvings {
		s = s.add(s).add(s.mul(s))
	}
	return one.add(s), int(k)
}

// logarithm is that of a finite number above 0.
func logarithm(x float64) double {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	near := math.Log(m)
	a, n := exponential(double{near, 0})
	a = double{math.Ldexp(a.hi, n), math.Ldexp(a.lo, n)}
	off := double{m, 0}.sub(a).times(2).div(double{m, 0}.add(a))
	whole := product(float64(e), ln2.hi).add(product(float64(e), ln2.lo))
	return whole.add(double{near, 0}).add(off)
}

// angle is the sine and cosine of an angle of less than farthest.
func angle(x float64) (sin, cos double) {
	k := math.Round(x / halfPi.hi)
	r := double{x, 0}.sub(product(k, halfPi.hi)).sub(product(k, halfPi.lo)).sub(double{k * piRest, 0})
	square, inverse := r.mul(r), inverses()
	square = double{-square.hi, -square.lo}
	const last = 27
	sin, cos = inverse[last], inverse[last-1]
	for i := last - 2; i > 0; i -= 2 {
		sin = sin.mul(square).add(inverse[i])
		cos = cos.mul(square).add(inverse[i-1])
	}
	sin = sin.mul(r)
	switch int64(k) & 3 {
	case 1:
		return cos, double{-sin.hi, -sin.lo}
	case 2:
		return double{-sin.hi, -sin.lo}, double{-cos.hi, -cos.lo}
	case 3:
		return double{-cos.hi, -cos.lo}, sin
	}
	return sin, cos
}

// special says that package math knows the result: of 0, of what is infinite or no
// number, or where the result is as good as its argument.
func special(x float64) bool {
	return math.Abs(x) < 1e-150 || math.IsNaN(x) || math.Abs(x) > 1e150
}

// Pow is Number::exponentiate.
func Pow(x, y float64) float64 {
	switch {
	case math.IsNaN(y), math.Abs(x) == 1 && math.IsInf(y, 0):
		return math.NaN()
	case y == 0 || y == 1 || x == 0 || x == 1 || math.IsNaN(x) || math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Pow(x, y)
	case y == 0.5:
		return math.Sqrt(x)
	}
	whole := y == math.Trunc(y)
	if x < 0 {
		if !whole {
			return math.NaN()
		}
		if math.Mod(y, 2) != 0 {
			return -Pow(-x, y)
		}
		x = -x
	}
	const most = 512 // multiplications lose little up to there, and nothing that is exact
	if whole && math.Abs(y) <= most {
		return wholePower(x, int(y))
	}
	l := logarithm(x).times(y)
	switch {
	case l.hi > 710:
		return math.Inf(1)
	case l.hi < -746:
		return 0
	}
	a, n := exponential(l)
	return a.scaled(n)
}

func wholePower(x float64, y int) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	n := max(y, -y)
	a, p := one, double{m, 0}
	for i := n; i > 0; i >>= 1 {
		if i&1 == 1 {
			a = a.mul(p)
		}
		p = p.mul(p)
	}
	if y < 0 {
		a = one.div(a)
	}
	return a.scaled(e * y)
}

// Exp is Math.exp.
func Exp(x float64) float64 {
	if special(x) || x > 710 || x < -746 {
		return math.Exp(x)
	}
	a, n := exponential(double{x, 0})
	return a.scaled(n)
}

// Log10 is Math.log10.
func Log10(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) || x == 1 {
		return math.Log10(x)
	}
	return logarithm(x).div(ln10).hi
}

// Log2 is Math.log2.
func Log2(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) || x == 1 {
		return math.Log2(x)
	}
	if m, e := math.Frexp(x); m == 0.5 {
		return float64(e - 1)
	}
	return logarithm(x).div(ln2).hi
}

// Sin is Math.sin.
func Sin(x float64) float64 {
	if special(x) || math.Abs(x) > farthest {
		return math.Sin(x)
	}
	s, _ := angle(x)
	return s.hi
}

// Cos is Math.cos.
func Cos(x float64) float64 {
	if special(x) || math.Abs(x) > farthest {
		return math.Cos(x)
	}
	_, c := angle(x)
	return c.hi
}

// Tan is Math.tan.
func Tan(x float64) float64 {
	if special(x) || math.Abs(x) > farthest {
		return math.Tan(x)
	}
	s, c := angle(x)
	return s.div(c).hi
}

// Atan is Math.atan.
func Atan(x float64) float64 {
	if special(x) || math.Abs(x) > farthest {
		return math.Atan(x)
	}
	return Atan2(x, 1)
}

// Atan2 is Math.atan2.
func Atan2(y, x float64) float64 {
	near := math.Atan2(y, x)
	if special(x) || special(y) || special(near) {
		return near
	}
	s, c := angle(near)
	off := c.times(y).sub(s.times(x)).div(c.times(x).add(s.times(y)))
	return double{near, 0}.add(off).hi
}

// Asin is Math.asin.
func Asin(x float64) float64 {
	near := math.Asin(x)
	if special(x) || !(math.Abs(x) < 1) {
		return near
	}
	s, c := angle(near)
	return double{near, 0}.add(double{x, 0}.sub(s).div(c)).hi
}

// Acos is Math.acos.
func Acos(x float64) float64 {
	near := math.Acos(x)
	if special(x) || !(math.Abs(x) < 1) {
		return near
	}
	s, c := angle(near)
	return double{near, 0}.add(c.sub(double{x, 0}).div(s)).hi
}
