package ecma

import (
	"github.com/dop251/goja"
)

// maxStringLength is that of V8, in UTF-16 units: goja panics at some greater ones.
const maxStringLength = 1<<29 - 24

// define gives an object a method of ours, as the language has methods: writable, not
// enumerable, with the number of its parameters.
func (r *Runtime) Define(holder *goja.Object, name string, length int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := r.Native(name, f)
	o.DefineDataProperty("length", r.VM.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	holder.DefineDataProperty(name, o, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return o
}

// fixMethods replaces methods of the language that fail in goja.
func (r *Runtime) fixMethods() {
	replace := func(class, name string, length int, fixed func(native goja.Callable, c goja.FunctionCall) goja.Value) {
		prototype := r.VM.GlobalObject().Get(class).(*goja.Object).Get("prototype").(*goja.Object)
		native, _ := r.Callable(prototype.Get(name))
		r.Define(prototype, name, length, func(c goja.FunctionCall) goja.Value { return fixed(native, c) })
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
				panic(r.NewError("RangeError", "Invalid string length"))
			}
			return this
		}
		c.This = this
		return call(native, c, r.VM.ToValue(length), c.Argument(1))
	}
	replace("String", "padStart", 1, pad)
	replace("String", "padEnd", 1, pad)
	// goja's own leaves out the length of an array.
	object := r.VM.GlobalObject().Get("Object").(*goja.Object)
	descriptors, _ := r.Callable(object.Get("getOwnPropertyDescriptors"))
	r.Define(object, "getOwnPropertyDescriptors", 1, func(c goja.FunctionCall) goja.Value {
		v := call(descriptors, c, c.Arguments...)
		o, isObject := c.Argument(0).(*goja.Object)
		if isObject && o.ClassName() == "Array" && o.ExportType() != TypeProxy {
			length, err := r.Descriptor(o, r.VM.ToValue("length"))
			if err != nil {
				panic(err)
			}
			v.(*goja.Object).DefineDataProperty("length", length, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
		return v
	})
	// goja's own writes years before Christ with four digits.
	replace("Date", "toISOString", 0, func(native goja.Callable, c goja.FunctionCall) goja.Value {
		if o, ok := c.This.(*goja.Object); ok && o.ClassName() == "Date" {
			if s, ok := ISODate(o); ok {
				return r.VM.ToValue(s)
			}
		}
		return call(native, c)
	})
}
