package sandbox

import (
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
)

// goja takes any object whose constructor is Promise for a promise, and panics when
// a script awaits one that is none, such as a proxy of a promise. So what is awaited
// goes through a function that makes promises of other objects, as the language
// would, in as many turns of the job queue.

// awaiterName is the helper.
const awaiterName = "promise of"

// promiseOf is a promise of an object that goja would take for one; ok is false
// for all else.
func (r *realm) promiseOf(v goja.Value) (promise goja.Value, ok bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() == typePromise || o.ExportType() != typeProxy && !r.promise.SameAs(o.Get("constructor")) {
		return nil, false
	}
	p, resolve, _ := r.vm.NewPromise()
	resolve(v)
	return r.vm.ToValue(p), true
}

// awaited is what to await in place of a value.
func (r *realm) awaited(c goja.FunctionCall) goja.Value {
	v := c.Argument(0)
	if p, ok := r.promiseOf(v); ok {
		return p
	}
	return v
}

// mendAwait has an expression await what awaited makes of its argument.
func mendAwait(e *ast.AwaitExpression) {
	e.Argument = callAt(e.Argument.Idx0(), e.Argument.Idx1(), awaiterName, e.Argument)
}

// mendResolve is Promise.resolve, which goja takes in the same way.
func (r *realm) mendResolve() {
	r.promise = r.vm.GlobalObject().Get("Promise").(*goja.Object)
	native, _ := goja.AssertFunction(r.promise.Get("resolve"))
	f := r.native("resolve", func(c goja.FunctionCall) goja.Value {
		v := c.Argument(0)
		if r.promise.SameAs(c.This) {
			if p, ok := r.promiseOf(v); ok {
				return p
			}
		}
		p, err := native(c.This, v)
		if err != nil {
			panic(err)
		}
		return p
	})
	f.DefineDataProperty("length", r.vm.ToValue(1), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	r.promise.DefineDataProperty("resolve", f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}
