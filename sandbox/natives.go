package sandbox

import (
	"github.com/dop251/goja"
)

// maxStringLength is that of V8, in UTF-16 units: goja panics at some greater ones.
const maxStringLength = 1<<29 - 24

// mendMethods replaces methods of the language that fail in goja.
func (r *realm) mendMethods() {
	replace := func(class, name string, length int, mended func(native goja.Callable, c goja.FunctionCall) goja.Value) {
		prototype := r.vm.GlobalObject().Get(class).(*goja.Object).Get("prototype").(*goja.Object)
		native, _ := r.callable(prototype.Get(name))
		f := r.native(name, func(c goja.FunctionCall) goja.Value { return mended(native, c) })
		f.DefineDataProperty("length", r.vm.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		prototype.DefineDataProperty(name, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	call := func(native goja.Callable, c goja.FunctionCall, args ...goja.Value) goja.Value {
		v, err := native(c.This, args...)
		if err != nil {
			panic(err)
		}
		return v
	}
	pad := func(native goja.Callable, c goja.FunctionCall) goja.Value {
		if goja.IsUndefined(c.This) || goja.IsNull(c.This) {
			return call(native, c, c.Arguments...)
		}
		this := c.This.ToString()
		length := c.Argument(0).ToFloat()
		if length > maxStringLength {
			if filler := c.Argument(1); goja.IsUndefined(filler) || filler.ToString().String() != "" {
				panic(r.newError("RangeError", "Invalid string length"))
			}
			return this
		}
		c.This = this
		return call(native, c, r.vm.ToValue(length), c.Argument(1))
	}
	replace("String", "padStart", 1, pad)
	replace("String", "padEnd", 1, pad)
	// goja's own leaves out the length of an array.
	object := r.vm.GlobalObject().Get("Object").(*goja.Object)
	descriptors, _ := r.callable(object.Get("getOwnPropertyDescriptors"))
	all := r.native("getOwnPropertyDescriptors", func(c goja.FunctionCall) goja.Value {
		v := call(descriptors, c, c.Arguments...)
		o, isObject := c.Argument(0).(*goja.Object)
		if isObject && o.ClassName() == "Array" && o.ExportType() != typeProxy {
			length, err := r.descriptorFn(goja.Undefined(), o, r.vm.ToValue("length"))
			if err != nil {
				panic(err)
			}
			v.(*goja.Object).DefineDataProperty("length", length, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
		return v
	})
	all.DefineDataProperty("length", r.vm.ToValue(1), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	object.DefineDataProperty("getOwnPropertyDescriptors", all, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	// goja's own writes years before Christ with four digits.
	replace("Date", "toISOString", 0, func(native goja.Callable, c goja.FunctionCall) goja.Value {
		if o, ok := c.This.(*goja.Object); ok && o.ClassName() == "Date" {
			if s, ok := isoDate(o); ok {
				return r.vm.ToValue(s)
			}
		}
		return call(native, c)
	})
}
