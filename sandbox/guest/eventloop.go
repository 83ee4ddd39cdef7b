package guest

import (
	"maps"
	"slices"
	"time"

	"codemode-ls/sandbox/ecma"
	"codemode-ls/sandbox/frame"
	"codemode-ls/script"

	"github.com/dop251/goja"
	"github.com/go-json-experiment/json/jsontext"
)

// newRealm makes a world without tools. It does everything that does not depend
// on the script, so that a child can do it while it waits.
func newRealm(out outlet) *realm {
	r := &realm{
		outlet:  out,
		pending: map[int]*pendingCall{}, rejected: map[*goja.Object]*pendingCall{},
		intrinsics: map[*goja.Object]bool{},
		wake:       make(chan struct{}, 1),
		busy:       busyness{began: time.Now()},
	}
	r.Runtime = ecma.New(r.isStopped)
	r.vm = r.VM
	r.capture()
	r.vm.SetPromiseRejectionTracker(r.track)
	r.tools = newNamespace(r, "")
	r.members = newNamespace(r, codemode+".")
	r.tools.values[codemode] = r.object(r.members)
	r.global("tools", r.object(r.tools))
	console := r.vm.CreateObject(r.objectProto)
	for _, level := range []string{"log", "info", "warn", "error", "debug"} {
		console.Set(level, r.Native(level, func(c goja.FunctionCall) goja.Value {
			r.log(level, c.Arguments)
			return goja.Undefined()
		}))
	}
	r.global("console", console)
	return r
}

// capture takes the built-ins that Go code uses, before a script can patch them.
func (r *realm) capture() {
	get := func(path ...string) *goja.Object {
		o := r.vm.GlobalObject()
		for _, p := range path {
			o = o.Get(p).(*goja.Object)
		}
		return o
	}
	callable := func(path ...string) goja.Callable {
		f, ok := r.Callable(get(path...))
		if !ok {
			panic("sandbox: not a function: " + path[len(path)-1])
		}
		return f
	}
	for _, name := range []string{"Object", "Array", "Map", "Set", "Error", "RegExp", "Promise", "Number", "String", "Boolean", "Function", "Date"} {
		r.intrinsics[get(name, "prototype")] = true
	}
	r.valueOf = map[string]goja.Callable{}
	for _, name := range []string{"Number", "String", "Boolean", "Symbol", "BigInt"} {
		r.valueOf[name] = callable(name, "prototype", "valueOf")
	}
	r.viewGetters = map[string]goja.Callable{}
	views := get("DataView", "prototype")
	describe := callable("Object", "getOwnPropertyDescriptor")
	for _, name := range []string{"byteLength", "byteOffset", "buffer"} {
		d, err := describe(goja.Undefined(), views, r.vm.ToValue(name))
		if err != nil {
			panic(err)
		}
		r.viewGetters[name], _ = r.Callable(d.(*goja.Object).Get("get"))
	}
	r.objectProto, r.arrayProto = get("Object", "prototype"), get("Array", "prototype")
	r.mapEach = callable("Map", "prototype", "forEach")
	r.setEach = callable("Set", "prototype", "forEach")
	r.textFn = callable("Function", "prototype", "toString")
	r.isArrayFn = callable("Array", "isArray")
}

// begin sets what one run has.
func (r *realm) begin(limits frame.Bounds, tools, members []string) {
	r.limits = limits
	r.tools.add(tools)
	r.members.addMembers(members, false)
}

// deliver hands over an answer; any goroutine may call it.
func (r *realm) deliver(a answer) {
	r.mu.Lock()
	r.inbox = append(r.inbox, a)
	r.mu.Unlock()
	r.notify()
}

// stop interrupts the script; any goroutine may call it.
func (r *realm) stop(reason string) {
	r.vm.Interrupt(reason)
	r.mu.Lock() // after: who sees it can count on the interrupt
	r.stopped = reason
	r.mu.Unlock()
	r.notify()
}

func (r *realm) notify() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// take waits for answers. stopped is true when the script has been stopped.
func (r *realm) take() (answers []answer, stopped bool) {
	for {
		r.mu.Lock()
		answers, stopped = r.inbox, r.stopped != ""
		r.inbox = nil
		r.mu.Unlock()
		if stopped || len(answers) > 0 {
			return answers, stopped
		}
		r.busy.pause()
		<-r.wake
		r.busy.resume()
	}
}

// run executes a script to its end. It never panics.
func (r *realm) run(p *script.Program, l script.Language, input jsontext.Value) (f frame.Finish) {
	defer func() {
		if x := recover(); x != nil {
			f = r.broken(x)
		}
		f.LogsCut = r.logsCut
		f.Pending = slices.Sorted(maps.Keys(r.pending))
		f.Clip()
	}()
	r.busy.resume()
	program, err := r.Load(p)
	if err != nil {
		return frame.Finish{Status: frame.Invalid, Error: frame.SyntaxError(err, l)}
	}
	v, err := r.vm.RunProgram(program)
	if err != nil {
		return r.failed(err)
	}
	maker, ok := goja.AssertFunction(v)
	if !ok {
		return frame.Finish{Status: frame.Invalid, Error: frame.SyntaxError(ecma.ErrShape, l)}
	}
	if v, err = maker(goja.Undefined(), r.Helpers...); err != nil {
		return r.failed(err)
	}
	main, ok := goja.AssertFunction(v)
	if !ok {
		return frame.Finish{Status: frame.Invalid, Error: frame.SyntaxError(ecma.ErrShape, l)}
	}
	// Without an input the compiled function has no arguments, which a script can count.
	var given []goja.Value
	if input != nil {
		value, err := decodeValue(r.vm, input)
		if err != nil {
			return r.failed(err)
		}
		given = []goja.Value{goja.Undefined(), value}
	}
	v, err = main(r.vm.GlobalObject(), given...)
	if err != nil {
		return r.failed(err)
	}
	promise, ok := v.Export().(*goja.Promise)
	if !ok {
		return frame.Finish{Status: frame.Invalid, Error: frame.SyntaxError(ecma.ErrShape, l)}
	}
	for promise.State() == goja.PromiseStatePending {
		if len(r.pending) == 0 {
			return r.stalled()
		}
		answers, stopped := r.take()
		if stopped {
			return frame.Finish{}
		}
		for _, a := range answers {
			if err := r.settle(a); err != nil {
				return r.failed(err)
			}
			if promise.State() != goja.PromiseStatePending {
				break
			}
		}
	}
	if promise.State() == goja.PromiseStateRejected {
		f = frame.Finish{Status: frame.Thrown, Error: r.scriptError(promise.Result())}
	} else {
		f = r.serialize(promise.Result())
	}
	f.Warnings = append(f.Warnings, r.leftovers(promise)...)
	return f
}

// track remembers rejections that nobody handles (EXEC-14).
func (r *realm) track(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		r.unhandled = append(r.unhandled, p)
		return
	}
	for i, q := range r.unhandled {
		if q == p {
			r.unhandled = append(r.unhandled[:i], r.unhandled[i+1:]...)
			return
		}
	}
}
