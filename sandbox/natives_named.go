package sandbox

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// Methods that are mended in scripts which have their names, as those of Math
// (mendMath): other scripts start without that.

// native is a method as goja has it.
type native = func(goja.FunctionCall) goja.Value

// mendNamed replaces methods that go wrong in goja, for a script that names them.
func (r *realm) mendNamed(code string) {
	replace := func(holder *goja.Object, name string, mended func(native, goja.FunctionCall) goja.Value) *goja.Object {
		old := holder.Get(name).(*goja.Object)
		own := old.Export().(native)
		return r.define(holder, name, int(old.Get("length").ToInteger()), func(c goja.FunctionCall) goja.Value { return mended(own, c) })
	}
	global := func(name string) *goja.Object { return r.vm.GlobalObject().Get(name).(*goja.Object) }
	prototype := func(class string) *goja.Object { return global(class).Get("prototype").(*goja.Object) }

	for _, name := range []string{"toLowerCase", "toUpperCase", "toLocaleLowerCase", "toLocaleUpperCase", "normalize"} {
		if strings.Contains(code, name) {
			replace(prototype("String"), name, r.keepingSurrogates(r.piecewise))
		}
	}
	if strings.Contains(code, "trim") {
		for name, alias := range map[string]string{"trim": "", "trimStart": "trimLeft", "trimEnd": "trimRight"} {
			f := replace(prototype("String"), name, r.keepingSurrogates(r.trimmed))
			if alias != "" {
				prototype("String").DefineDataProperty(alias, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
			}
		}
	}
	if strings.Contains(code, "includes") {
		replace(prototype("Array"), "includes", r.includes)
	}
	for _, name := range []string{"with", "toReversed", "toSorted", "toSpliced"} {
		if strings.Contains(code, name) {
			replace(prototype("Array"), name, r.withoutHoles)
		}
	}
	if strings.Contains(code, "BigInt64Array") || strings.Contains(code, "BigUint64Array") {
		typed := prototype("BigInt64Array").Prototype()
		for _, name := range []string{"includes", "indexOf", "lastIndexOf"} {
			replace(typed, name, r.find(name))
		}
	}
	for _, name := range []string{"asIntN", "asUintN"} {
		if strings.Contains(code, name) {
			replace(global("BigInt"), name, r.asInt(name == "asIntN"))
		}
	}
}

// keepingSurrogates is for methods of strings that goja has U+FFFD of a surrogate
// without its other half: again finds what else the method would be.
func (r *realm) keepingSurrogates(again func(own native, c goja.FunctionCall, this goja.String, result goja.Value) goja.Value) func(native, goja.FunctionCall) goja.Value {
	return func(own native, c goja.FunctionCall) goja.Value {
		if o, ok := c.This.(*goja.Object); ok {
			c.This = o.ToString() // once
		}
		result := own(c)
		if !strings.Contains(result.String(), "\ufffd") {
			return result
		}
		this, ok := c.This.(goja.String)
		if !ok {
			return result
		}
		return again(own, c, this, result)
	}
}

// trimmed is the part of a text that is left of it.
func (r *realm) trimmed(_ native, _ goja.FunctionCall, this goja.String, result goja.Value) goja.Value {
	before, _, _ := strings.Cut(this.String(), result.String()) // white space: a unit each
	start := len([]rune(before))
	return this.Substring(start, start+result.(goja.String).Length())
}

// piecewise applies a method to what stands between the surrogates.
func (r *realm) piecewise(own native, c goja.FunctionCall, this goja.String, _ goja.Value) goja.Value {
	var all []uint16
	begin := 0
	flush := func(end int) {
		if begin == end {
			return
		}
		c.This = this.Substring(begin, end)
		piece := own(c).(goja.String)
		for i := range piece.Length() {
			all = append(all, piece.CharAt(i))
		}
	}
	for i := 0; i < this.Length(); i++ {
		unit := this.CharAt(i)
		switch {
		case unit < 0xd800 || unit > 0xdfff:
		case unit < 0xdc00 && i+1 < this.Length() && this.CharAt(i+1)&0xfc00 == 0xdc00:
			i++
		default:
			flush(i)
			all = append(all, unit)
			begin = i + 1
		}
	}
	flush(this.Length())
	return goja.StringFromUTF16(all)
}

// What Array.prototype.map makes of an array with holes is to goja an array that has
// none, whose elements are not even undefined.

// includes is Array.prototype.includes.
func (r *realm) includes(own native, c goja.FunctionCall) goja.Value {
	o, ok := c.This.(*goja.Object)
	if !ok || !goja.IsUndefined(c.Argument(0)) || o.ClassName() != "Array" || o.ExportType() == typeProxy {
		return own(c)
	}
	from := c.Argument(1).ToInteger()
	result := own(goja.FunctionCall{This: o, Arguments: []goja.Value{goja.Undefined(), r.vm.ToValue(from)}})
	length := o.Get("length").ToInteger()
	if from < 0 {
		from = max(from+length, 0)
	}
	for ; !result.ToBoolean() && from < length; from++ {
		if o.Get(strconv.FormatInt(from, 10)) == nil {
			result = r.vm.ToValue(true)
		}
	}
	return result
}

// withoutHoles is a method whose result has no holes.
func (r *realm) withoutHoles(own native, c goja.FunctionCall) goja.Value {
	result := own(c)
	if o, ok := result.(*goja.Object); ok && o.ClassName() == "Array" {
		for i := range int(o.Get("length").ToInteger()) {
			if key := strconv.Itoa(i); o.Get(key) == nil {
				o.DefineDataProperty(key, goja.Undefined(), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
			}
		}
	}
	return result
}

// find is includes, indexOf or lastIndexOf of typed arrays. To goja -1n is 1n in a
// BigInt64Array, and 2n ** 64n is 0n in both classes.
func (r *realm) find(name string) func(native, goja.FunctionCall) goja.Value {
	return func(own native, c goja.FunctionCall) goja.Value {
		x, ok := c.Argument(0).Export().(*big.Int)
		array, isObject := c.This.(*goja.Object)
		if !ok || !isObject || array.ExportType() == typeProxy {
			return own(c)
		}
		if len(c.Arguments) > 1 {
			c.Arguments = []goja.Value{c.Arguments[0], c.Arguments[1].ToNumber()} // once
		}
		result := own(c) // also throws what is to be thrown
		at := -1
		switch list := array.Export().(type) {
		case []int64:
			if x.IsInt64() && x.Sign() >= 0 {
				return result
			}
			if x.IsInt64() {
				at = findInt64(list, x.Int64(), name, c)
			}
		case []uint64:
			if x.IsUint64() {
				return result
			}
		default:
			return result
		}
		if name == "includes" {
			return r.vm.ToValue(at >= 0)
		}
		return r.vm.ToValue(at)
	}
}

func findInt64(list []int64, x int64, name string, c goja.FunctionCall) int {
	length := int64(len(list))
	from := c.Argument(1).ToInteger()
	if from < 0 {
		from = max(from, -length-1) + length
	}
	if name != "lastIndexOf" {
		from = max(from, 0)
		if from < length {
			if i := slices.Index(list[from:], x); i >= 0 {
				return i + int(from)
			}
		}
		return -1
	}
	if len(c.Arguments) < 2 {
		from = length - 1
	}
	for i := min(from, length-1); i >= 0; i-- {
		if list[i] == x {
			return int(i)
		}
	}
	return -1
}

// maxBigIntBits is how long a BigInt is in V8.
const maxBigIntBits = 1 << 30

// asInt is BigInt.asIntN (signed) or BigInt.asUintN. goja's own makes a number of as
// many bits as it is asked for.
func (r *realm) asInt(signed bool) func(native, goja.FunctionCall) goja.Value {
	return func(own native, c goja.FunctionCall) goja.Value {
		n, ok := c.Argument(0).Export().(int64)
		x, isBig := c.Argument(1).Export().(*big.Int)
		if !ok || !isBig || n <= maxBigIntBits || n > 1<<53-1 || x.BitLen() >= maxBigIntBits {
			return own(c)
		}
		if !signed && x.Sign() < 0 {
			panic(r.newError("RangeError", "Maximum BigInt size exceeded"))
		}
		return c.Argument(1)
	}
}
