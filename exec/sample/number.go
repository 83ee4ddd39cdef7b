package sample

import "math"

// number makes a number in the bounds of a schema; n makes several differ.
func number(s object, n int, whole bool) float64 {
	low, hasLow := s["minimum"].(float64)
	high, hasHigh := s["maximum"].(float64)
	step, hasStep := s["multipleOf"].(float64)
	hasStep = hasStep && step > 0
	if whole && hasStep && step != math.Trunc(step) {
		for i := 2.0; i <= 1000; i++ { // a whole multiple
			if step*i == math.Trunc(step*i) {
				step *= i
				break
			}
		}
	}
	grain := 1.0
	if hasStep {
		grain = step
	}
	openLow, openHigh := s["exclusiveMinimum"] == true, s["exclusiveMaximum"] == true // draft 4
	if v, ok := s["exclusiveMinimum"].(float64); ok && (!hasLow || v >= low) {
		low, hasLow, openLow = v, true, true
	}
	if v, ok := s["exclusiveMaximum"].(float64); ok && (!hasHigh || v <= high) {
		high, hasHigh, openHigh = v, true, true
	}
	v := 1 + float64(n)
	switch {
	case hasLow && hasHigh && (v < low || v > high || openLow && v <= low || openHigh && v >= high):
		v = low + float64(n)*grain
		if openLow {
			v += grain
		}
		if v > high || openHigh && v >= high {
			v = low + (high-low)*(float64(n)+1)/(float64(n)+2)
			if !openHigh && n == 0 {
				v = high
			}
		}
	case hasLow && (v < low || openLow && v <= low):
		v = low + float64(n)*grain
		if openLow {
			v += grain
		}
	case hasHigh && (v > high || openHigh && v >= high):
		v = high - float64(n)*grain
		if openHigh {
			v -= grain
		}
	}
	if whole && !hasStep {
		step, hasStep = 1, true
	}
	if hasStep && v == v && !math.IsInf(v, 0) && math.Abs(v/step) < 1<<53 {
		up := math.Ceil(v/step) * step
		if down := math.Floor(v/step) * step; hasHigh && (up > high || openHigh && up >= high) {
			up = down
		}
		v = up
	}
	if v == 0 {
		return 0 // not minus zero
	}
	return v
}
