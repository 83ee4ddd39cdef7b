package ecma

import (
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
)

// goja takes any object whose constructor is Promise for a promise, and panics when
// a script awaits one that is none, such as a proxy of a promise; it also runs the
// getters of such constructors, which the language does not read. So what is awaited
// goes through a function that makes promises of other objects, as the language
// would, in as many turns of the job queue.

// awaiterName is the helper.
const awaiterName = "promise of"

// promiseOf is a promise of an object that is none; ok is false for all else.
func (r *Runtime) promiseOf(v goja.Value) (promise goja.Value, ok bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() == TypePromise {
		return nil, false
	}
	p, resolve, _ := r.VM.NewPromise()
	if err := resolve(v); err != nil {
		panic(err)
	}
	promise = r.VM.ToValue(p)
	// A script may have changed what all promises inherit.
	promise.(*goja.Object).DefineDataProperty("constructor", r.promise, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return promise, true
}

// awaited is what to await in place of a value.
func (r *Runtime) awaited(c goja.FunctionCall) goja.Value {
	v := c.Argument(0)
	if p, ok := r.promiseOf(v); ok {
		return p
	}
	return v
}

// rewriteAwait has an expression await what awaited makes of its argument.
func rewriteAwait(e *ast.AwaitExpression) {
	e.Argument = callAt(e.Argument.Idx0(), e.Argument.Idx1(), awaiterName, e.Argument)
}

// fixResolve gives Promise a resolve that does the same.
func (r *Runtime) fixResolve() {
	r.promise = r.VM.GlobalObject().Get("Promise").(*goja.Object)
	must := func(v goja.Value, err error) goja.Value {
		if err != nil {
			panic(err)
		}
		return v
	}
	native, _ := r.Callable(r.promise.Get("resolve"))
	r.rejectFn, _ = r.Callable(r.promise.Get("reject"))
	r.Define(r.promise, "resolve", 1, func(c goja.FunctionCall) goja.Value {
		v := c.Argument(0)
		o, isObject := v.(*goja.Object)
		_, isClass := c.This.(*goja.Object)
		if !isObject || !isClass || o.ExportType() == TypePromise {
			return must(native(c.This, v))
		}
		return r.capability(c.This, v)
	})
}

// rejection is a promise that is rejected.
func (r *Runtime) Rejection(e *goja.Object) goja.Value {
	p, err := r.rejectFn(r.promise, e)
	if err != nil {
		panic(err)
	}
	return p
}

// capability is a promise of a class that is resolved with a value
// (NewPromiseCapability).
func (r *Runtime) capability(class, v goja.Value) goja.Value {
	var resolve, reject goja.Value
	executor := r.Native("", func(c goja.FunctionCall) goja.Value {
		if resolve != nil && !goja.IsUndefined(resolve) || reject != nil && !goja.IsUndefined(reject) {
			panic(r.NewError("TypeError", "the executor of a promise was called twice"))
		}
		resolve, reject = c.Argument(0), c.Argument(1)
		return goja.Undefined()
	})
	executor.DefineDataProperty("length", r.VM.ToValue(2), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	p, err := r.VM.New(class, executor)
	if err != nil {
		panic(err)
	}
	settle, ok := r.Callable(resolve)
	if _, both := r.Callable(reject); !ok || !both {
		panic(r.NewError("TypeError", "the class makes promises without functions that settle them"))
	}
	if _, err := settle(goja.Undefined(), v); err != nil {
		panic(err)
	}
	return p
}
