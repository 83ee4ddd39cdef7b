package ecma

import (
	"math"
	"strings"

	"github.com/dop251/goja"
)

// fixStringify gives JSON a stringify that indents by itself: goja's own indents too
// far behind an empty object or array.
func (r *Runtime) fixStringify() {
	object, _ := r.VM.GlobalObject().Get("JSON").(*goja.Object)
	native, _ := r.Callable(object.Get("stringify"))
	r.Define(object, "stringify", 3, func(c goja.FunctionCall) goja.Value {
		gap := indentation(c.Argument(2))
		v, err := native(c.This, c.Argument(0), c.Argument(1))
		if err != nil {
			throw(err)
		}
		if gap == "" || !IsPrimitiveString(v) {
			return v
		}
		return r.VM.ToValue(indent(v.String(), gap))
	})
}

// indentation is what JSON.stringify's space stands for.
func indentation(space goja.Value) string {
	const most = 10
	if o, ok := space.(*goja.Object); ok {
		switch {
		case o.ExportType() == TypeProxy:
		case o.ClassName() == "Number":
			space = o.ToNumber()
		case o.ClassName() == "String":
			space = o.ToString()
		}
	}
	switch {
	case isPrimitiveNumber(space):
		if n := space.ToFloat(); n >= 1 { // not of NaN
			return strings.Repeat(" ", int(math.Min(n, most)))
		}
	case IsPrimitiveString(space):
		return firstUnits(space.ToString().(goja.String), most)
	}
	return ""
}

// firstUnits are the first code units of a string.
func firstUnits(s goja.String, n int) string {
	if s.Length() > n {
		s = s.Substring(0, n)
	}
	return s.String()
}

// indent writes JSON without spaces again, each member and item on a line.
func indent(text, gap string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/2)
	depth := 0
	line := func() {
		b.WriteByte('\n')
		for range depth {
			b.WriteString(gap)
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			end := i + 1
			for text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			b.WriteString(text[i : end+1])
			i = end
		case '{', '[':
			b.WriteByte(c)
			if text[i+1] == c+2 { // its end
				i++
				b.WriteByte(c + 2)
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			b.WriteByte(c)
		case ',':
			b.WriteByte(c)
			line()
		case ':':
			b.WriteString(": ")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
