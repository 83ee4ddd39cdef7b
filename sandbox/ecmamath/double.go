package ecmamath

import (
	"math"
	"math/big"
)

// double is a number of some 106 bits: the sum of two of which the second is no more
// than half of the first one's last bit (Dekker 1971).
type double struct{ hi, lo float64 }

// normal adds two numbers of which the first is the greater one.
func normal(a, b float64) double {
	s := a + b
	return double{s, b - (s - a)}
}

func sum(a, b float64) double {
	s := a + b
	c := s - a
	return double{s, (a - (s - c)) + (b - c)}
}

func product(a, b float64) double {
	p := a * b
	return double{p, math.FMA(a, b, -p)}
}

func (a double) add(b double) double {
	s, t := sum(a.hi, b.hi), sum(a.lo, b.lo)
	s = normal(s.hi, s.lo+t.hi)
	return normal(s.hi, s.lo+t.lo)
}

func (a double) sub(b double) double { return a.add(double{-b.hi, -b.lo}) }

func (a double) mul(b double) double {
	p := product(a.hi, b.hi)
	return normal(p.hi, p.lo+(a.hi*b.lo+a.lo*b.hi))
}

func (a double) times(x float64) double { return a.mul(double{x, 0}) }

func (a double) div(b double) double {
	q := a.hi / b.hi
	rest := a.sub(b.times(q))
	r := rest.hi / b.hi
	rest = rest.sub(b.times(r))
	return normal(q, r).add(double{rest.hi / b.hi, 0})
}

// scaled is a·2ⁿ, rounded once.
func (a double) scaled(n int) float64 {
	if _, e := math.Frexp(a.hi); e+n > -1020 {
		return math.Ldexp(a.hi, n)
	}
	exact := new(big.Float).SetPrec(200).SetFloat64(a.hi)
	exact.Add(exact, new(big.Float).SetFloat64(a.lo))
	x, _ := exact.SetMantExp(exact, n).Float64()
	return x
}
