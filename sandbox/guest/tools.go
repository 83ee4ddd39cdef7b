package guest

import (
	"errors"
	"reflect"
	"strings"

	"codemode-ls/sandbox/frame"

	"github.com/dop251/goja"
)

// codemode is the reserved namespace on tools.
const codemode = "$codemode"

// namespace is `tools`, or `tools["$codemode"]`, as an object of the realm
// (ISO-8). A name that it does not know gives a function too: the host answers
// such a call with what there is instead (EXEC-6).
type namespace struct {
	realm  *realm
	prefix string // of the call's name
	names  []string
	known  map[string]bool
	values map[string]goja.Value
	groups map[string]*namespace // objects of functions; they are in values too
}

var typeNamespace = reflect.TypeFor[*namespace]()

// ordinary are names that engines, promises and serialisers look up on any
// object: on a namespace they are undefined.
var ordinary = map[string]bool{
	"then": true, "toJSON": true, "inspect": true,
	"constructor": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true,
	"toLocaleString": true, "toString": true, "valueOf": true, "prototype": true, "__proto__": true,
	"__defineGetter__": true, "__defineSetter__": true, "__lookupGetter__": true, "__lookupSetter__": true,
}

func newNamespace(r *realm, prefix string) *namespace {
	return &namespace{realm: r, prefix: prefix, known: map[string]bool{}, values: map[string]goja.Value{}}
}

func (n *namespace) add(names []string) {
	for _, name := range names {
		if !n.known[name] {
			n.known[name] = true
			n.names = append(n.names, name)
		}
	}
}

// addMembers adds functions of tools["$codemode"]. One with a dot in its name,
// such as models.list, is a function of an object. What is absent can be called,
// for the host to say why it is not there, and is not listed.
func (n *namespace) addMembers(names []string, absent bool) {
	for _, name := range names {
		outer, inner, nested := strings.Cut(name, ".")
		if !absent {
			n.add([]string{outer})
		}
		if !nested {
			continue
		}
		if n.groups[outer] == nil {
			if n.groups == nil {
				n.groups = map[string]*namespace{}
			}
			n.groups[outer] = newNamespace(n.realm, n.prefix+outer+".")
			n.values[outer] = n.realm.object(n.groups[outer])
		}
		n.groups[outer].addMembers([]string{inner}, absent)
	}
}

func (n *namespace) Get(key string) goja.Value {
	if v := n.values[key]; v != nil {
		return v
	}
	if ordinary[key] && !n.known[key] {
		return nil
	}
	name := n.prefix + key
	v := n.realm.Native(key, func(c goja.FunctionCall) goja.Value { return n.realm.call(name, c.Arguments) })
	n.values[key] = v
	return v
}

func (n *namespace) Has(key string) bool {
	return n.known[key] || n.values[key] != nil && key == codemode
}
func (n *namespace) Keys() []string              { return n.names }
func (n *namespace) Set(string, goja.Value) bool { return false }
func (n *namespace) Delete(key string) bool      { return !n.known[key] }

// call is what a tool function does: check the argument, tell the host, give a
// promise.
func (r *realm) call(name string, args []goja.Value) goja.Value {
	at, stack := r.here()
	refuse := func(message string) goja.Value {
		return r.Rejection(r.typeError(errors.New(name+": "+message), stack))
	}
	data := []byte("{}")
	switch {
	case len(name) > frame.MaxName:
		name = firstRunes(name, 100) + "…"
		return refuse("no tool has such a long name; only MCP tools can be reached: find them by tools[\"$codemode\"].search(...)")
	case len(args) > 1:
		return refuse("expected one plain object as the only argument, but there are more arguments")
	case len(args) == 1 && !goja.IsUndefined(args[0]):
		e := &argumentEncoder{objectProto: r.objectProto, arrayProto: r.arrayProto, max: r.limits.ValueBytes}
		var err error
		if ex := r.vm.Try(func() { err = e.arguments(args[0]) }); ex != nil {
			return refuse("reading the argument threw " + r.errorLine(ex.Value()))
		}
		if err != nil {
			return refuse(err.Error())
		}
		data = e.buf.Bytes()
	}
	p, resolve, reject := r.vm.NewPromise()
	r.send(&pendingCall{name: name, args: data, at: at, stack: stack, resolve: resolve, reject: reject})
	return r.vm.ToValue(p)
}

// send tells the host of a call as soon as it may be in flight.
func (r *realm) send(c *pendingCall) {
	c.index = r.calls
	r.calls++
	r.waiting = append(r.waiting, c)
	r.sendWaiting()
}

// full reports whether no more calls may be in flight.
func (r *realm) full() bool {
	return r.limits.MaxConcurrent > 0 && len(r.pending) >= r.limits.MaxConcurrent
}

// sendWaiting tells the host of as many calls as may be in flight.
func (r *realm) sendWaiting() {
	for len(r.waiting) > 0 && !r.full() {
		c := r.waiting[0]
		r.waiting[0] = nil
		r.waiting = r.waiting[1:]
		r.pending[c.index] = c
		r.outlet.call(c.index, c.name, c.args, c.at)
		c.args = nil
	}
}

// settle hands the host's answer to the script.
func (r *realm) settle(a answer) error {
	c, ok := r.pending[a.index]
	if !ok {
		return nil
	}
	delete(r.pending, a.index)
	r.sendWaiting()
	v, e := r.received(c, a)
	if e != nil {
		return c.reject(e)
	}
	return c.resolve(v)
}

// received is the value of an answer, or the error that it rejects with.
func (r *realm) received(c *pendingCall, a answer) (goja.Value, *goja.Object) {
	if a.err == nil {
		v, err := r.answerValue(c, a.value)
		if err == nil {
			return v, nil
		}
		a.err = &frame.CallError{Message: "the host's answer cannot be read: " + err.Error()}
	}
	name := a.err.Name
	if !strings.HasSuffix(name, "Error") {
		name = "Error"
	}
	e := r.NewError(name, a.err.Message)
	define := func(key string, v goja.Value) {
		e.DefineDataProperty(key, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	if a.err.Tool != "" {
		define("tool", r.vm.ToValue(a.err.Tool))
	}
	if a.err.Code != "" {
		define("code", r.vm.ToValue(a.err.Code))
	}
	if a.err.Structured != nil {
		if v, err := decodeValue(r.vm, a.err.Structured); err == nil {
			define("structuredContent", v)
		}
	}
	r.setStack(e, c.stack)
	r.rejected[e] = c
	return nil, e
}

// answerValue decodes an answer. That of search is {"value": […], "remaining": n}
// (see Host): the script gets the list, with remaining as a property that does
// not show.
func (r *realm) answerValue(c *pendingCall, data []byte) (goja.Value, error) {
	v, err := decodeValue(r.vm, data)
	if err != nil || c.name != codemode+".search" {
		return v, err
	}
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() == "Array" {
		return v, nil
	}
	list, ok := o.Get("value").(*goja.Object)
	if !ok {
		return v, nil
	}
	if remaining := o.Get("remaining"); remaining != nil {
		list.DefineDataProperty("remaining", remaining, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	return list, nil
}
