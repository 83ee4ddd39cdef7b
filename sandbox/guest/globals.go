package guest

import (
	"fmt"
	"slices"
	"strings"

	"codemode-ls/sandbox/ecma"
	"codemode-ls/sandbox/frame"

	"github.com/dop251/goja"
	"github.com/go-json-experiment/json/jsontext"
)

// allTools is the global with the whole pool.
const allTools = "ALL_TOOLS"

// install adds the global names of a run (exec.globals "extended"). list is the
// JSON of ALL_TOOLS, read when a script first looks at it.
func (r *realm) install(globals []frame.Global, list jsontext.Value) {
	objects := map[string]*goja.Object{}
	for _, g := range globals {
		f := r.Native(g.Name[strings.LastIndexByte(g.Name, '.')+1:], func(c goja.FunctionCall) goja.Value { return r.callGlobal(g, c.Arguments) })
		outer, name, nested := strings.Cut(g.Name, ".")
		if !nested {
			r.global(outer, f)
			continue
		}
		if objects[outer] == nil {
			objects[outer] = r.vm.CreateObject(r.objectProto)
			r.global(outer, objects[outer])
		}
		objects[outer].Set(name, f)
	}
	if list == nil {
		return
	}
	get := r.Native("get "+allTools, func(goja.FunctionCall) goja.Value {
		v, err := decodeValue(r.vm, list)
		if err != nil {
			return goja.Undefined()
		}
		r.global(allTools, v)
		return v
	})
	r.vm.GlobalObject().DefineAccessorProperty(allTools, get, nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// callGlobal calls the member that a global stands for.
func (r *realm) callGlobal(g frame.Global, args []goja.Value) goja.Value {
	at, stack := r.here()
	data, err := r.globalArguments(g, args)
	c := &pendingCall{name: codemode + "." + g.Member, args: data, at: at, stack: stack}
	if g.Now {
		if err == nil && (len(r.waiting) > 0 || r.full()) {
			err = fmt.Errorf("%s: too many calls are in flight; await some of them first", g.Name)
		}
		if err != nil {
			panic(r.typeError(err, stack))
		}
		return r.callNow(c)
	}
	if err != nil {
		return r.Rejection(r.typeError(err, stack))
	}
	p, resolve, reject := r.vm.NewPromise()
	c.resolve, c.reject = resolve, reject
	r.send(c)
	return r.vm.ToValue(p)
}

// globalArguments makes the member's argument, a JSON object, of what a global
// was called with.
func (r *realm) globalArguments(g frame.Global, args []goja.Value) (data []byte, err error) {
	e := &argumentEncoder{objectProto: r.objectProto, arrayProto: r.arrayProto, max: r.limits.ValueBytes}
	encode := func() {
		switch {
		case len(args) == 1 && r.isArgument(g, args[0]):
			err = e.arguments(args[0])
		default:
			err = e.positional(g, args, r.format)
		}
	}
	if ex := r.vm.Try(encode); ex != nil {
		return nil, fmt.Errorf("%s: reading the arguments threw %s", g.Name, r.errorLine(ex.Value()))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.Name, err)
	}
	return e.buf.Bytes(), nil
}

// isArgument reports whether the only argument of a global is the member's own.
func (r *realm) isArgument(g frame.Global, v goja.Value) bool {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() == ecma.TypeProxy || ecma.IsFunction(o) || o.ClassName() == "Array" {
		return false
	}
	return !g.Any || slices.Equal(o.Keys(), g.Fields[:1])
}

// positional writes positional arguments as the fields that they stand for. A
// first argument of any kind that is no plain data is shown as console does.
func (e *argumentEncoder) positional(g frame.Global, args []goja.Value, show func([]goja.Value) string) error {
	for len(args) > 0 && goja.IsUndefined(args[len(args)-1]) && !(g.Any && len(args) == 1) {
		args = args[:len(args)-1]
	}
	if most := len(g.Fields) + map[bool]int{true: 1}[g.Options]; len(args) > most {
		return fmt.Errorf("expected at most %d arguments, not %d", most, len(args))
	}
	e.buf.WriteByte('{')
	for i, field := range g.Fields {
		if i >= len(args) {
			break
		}
		mark := e.buf.Len()
		if mark > 1 {
			e.buf.WriteByte(',')
		}
		writeString(&e.buf, field)
		e.buf.WriteByte(':')
		value := e.buf.Len()
		ok, err := e.value(args[i], "$."+field)
		switch {
		case g.Any && i == 0 && (err != nil || !ok):
			e.buf.Truncate(value)
			e.stack = nil
			writeString(&e.buf, show(args[:1]))
		case err != nil:
			return err
		case !ok:
			e.buf.Truncate(mark)
		}
	}
	if len(args) > len(g.Fields) && !goja.IsNull(args[len(g.Fields)]) {
		options := &argumentEncoder{objectProto: e.objectProto, arrayProto: e.arrayProto, max: e.max}
		if err := options.arguments(args[len(g.Fields)]); err != nil {
			return err
		}
		if more := options.buf.Bytes(); len(more) > len(`{}`) {
			if e.buf.Len() > 1 {
				e.buf.WriteByte(',')
			}
			e.buf.Write(more[1 : len(more)-1])
		}
	}
	e.buf.WriteByte('}')
	return nil
}

// callNow makes a call and waits for its answer, while answers to other calls
// wait for the script.
func (r *realm) callNow(c *pendingCall) goja.Value {
	c.index = r.calls
	r.calls++
	r.outlet.call(c.index, c.name, c.args, c.at)
	for {
		r.mu.Lock()
		stopped := r.stopped != ""
		i := slices.IndexFunc(r.inbox, func(a answer) bool { return a.index == c.index })
		var a answer
		if i >= 0 {
			a = r.inbox[i]
			r.inbox = slices.Delete(r.inbox, i, i+1)
		}
		r.mu.Unlock()
		switch {
		case i >= 0:
			v, err := r.received(c, a)
			if err != nil {
				panic(err)
			}
			if goja.IsNull(v) {
				return goja.Undefined()
			}
			return v
		case stopped:
			r.Interrupt()
		}
		<-r.wake
	}
}
