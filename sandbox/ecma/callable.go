package ecma

import "github.com/dop251/goja"

// callable is a function of the realm for Go code that a script may be running, or
// that is a job itself; ok is false for what is no function. goja's own
// (goja.AssertFunction) is for the host: where no frame of a script is open, as in a
// job that is a built-in, it runs the jobs that are waiting, in the midst of this
// one, and returns the stop of a script as an error, after which the script could go
// on (BUD-1). Here an error is a *goja.Exception, and all else goes on as a panic.
func (r *Runtime) Callable(v goja.Value) (f goja.Callable, ok bool) {
	o, isObject := v.(*goja.Object)
	if !isObject || !IsFunction(o) {
		return nil, false
	}
	native, ok := o.Export().(func(goja.FunctionCall) goja.Value)
	if !ok { // a Proxy
		native = func(c goja.FunctionCall) goja.Value {
			args := make([]any, len(c.Arguments))
			for i, a := range c.Arguments {
				args[i] = a
			}
			return r.apply(goja.FunctionCall{This: goja.Undefined(), Arguments: []goja.Value{o, c.This, r.VM.NewArray(args...)}})
		}
	}
	return func(this goja.Value, args ...goja.Value) (result goja.Value, err error) {
		if ex := r.VM.Try(func() { result = native(goja.FunctionCall{This: this, Arguments: args}) }); ex != nil {
			return nil, ex
		}
		return result, nil
	}, true
}

// captureApply takes Reflect.apply, before a script can patch it.
func (r *Runtime) captureApply() {
	apply := r.VM.GlobalObject().Get("Reflect").(*goja.Object).Get("apply").(*goja.Object)
	r.apply = apply.Export().(func(goja.FunctionCall) goja.Value)
}
