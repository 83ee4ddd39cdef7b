package ecma

import (
	"fmt"
	"reflect"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// maxCallDepth is how deep a script's functions may call each other. Where they do
// it through built-ins, the time that goja takes to give up grows with its square.
const maxCallDepth = 7_000

// Types by which goja distinguishes objects that share a class name.
var (
	TypeProxy       = reflect.TypeFor[goja.Proxy]()
	TypeArrayBuffer = reflect.TypeFor[goja.ArrayBuffer]()
	TypePromise     = reflect.TypeFor[*goja.Promise]()
)

// Runtime is a goja runtime with what ECMAScript has and goja does not. One goroutine
// owns it.
type Runtime struct {
	VM *goja.Runtime
	// Helpers are the arguments of the function that a loaded program returns: what
	// the code that Load adds calls.
	Helpers []goja.Value
	// Errors are the original constructors of errors, by name.
	Errors map[string]*goja.Object

	// Prelude has the functions that the JavaScript of this package shares.
	Prelude *goja.Object

	isStopped func() bool

	// What our own code uses of the language, taken before any script ran.
	hasOwn, descriptor      goja.Callable
	rejectFn                goja.Callable // Promise.reject
	apply                   func(goja.FunctionCall) goja.Value
	regexpProto             *goja.Object
	nativeSource            goja.Callable
	nativeFlags             []nativeFlag
	nativeCompile, stringOf goja.Callable
	patterns                *patterns
	searched                searched
	proxyConstructor        *goja.Object
	promise                 *goja.Object // the constructor
	reads                   reads
}

// New makes a runtime. isStopped reports whether the script was interrupted; any
// goroutine may make it true, after VM.Interrupt.
func New(isStopped func() bool) *Runtime {
	vm := goja.New()
	vm.SetMaxCallStackSize(maxCallDepth)
	// Never the default: goja would read the file that a sourceMappingURL names.
	vm.SetParserOptions(parser.WithDisableSourceMaps)
	r := &Runtime{VM: vm, Errors: map[string]*goja.Object{}, isStopped: isStopped}
	r.captureApply()
	r.captureRegExp()
	installPrelude(r)
	r.capture()
	r.fixResolve()
	r.fixMethods()
	r.fixMath()
	r.fixStringify()
	importer := r.Native("import", func(goja.FunctionCall) goja.Value {
		panic(r.NewError("TypeError", "import() is not available in Exec scripts: a script cannot load modules; it reaches the outside only through tools"))
	})
	r.Helpers = []goja.Value{r.Native("await", r.awaited), r.Native("super", r.superOf), newDepthGauge(r), importer, r.Native("power", r.power), r.Native("generator", r.asyncGenerator)}
	return r
}

// capture takes the built-ins that Go code uses, before a script can patch them.
func (r *Runtime) capture() {
	get := func(name string) *goja.Object { return r.VM.GlobalObject().Get(name).(*goja.Object) }
	for _, name := range []string{"Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError"} {
		r.Errors[name] = get(name)
	}
	r.proxyConstructor = get("Proxy")
	object := get("Object")
	r.hasOwn, _ = r.Callable(object.Get("prototype").(*goja.Object).Get("hasOwnProperty"))
	r.descriptor, _ = r.Callable(object.Get("getOwnPropertyDescriptor"))
}

// Native makes a function of the realm. goja would name it after the Go function.
func (r *Runtime) Native(name string, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := r.VM.ToValue(f).(*goja.Object)
	o.DefineDataProperty("name", r.VM.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return o
}

// NewError makes an error of the realm with one of its original constructors.
func (r *Runtime) NewError(class, message string) *goja.Object {
	c := r.Errors[class]
	if c == nil {
		c = r.Errors["Error"]
	}
	o, err := r.VM.New(c, r.VM.ToValue(message))
	if err != nil {
		panic(err)
	}
	return o
}

// Interrupt ends a stopped script from inside a built-in: the engine looks for
// interrupts between instructions alone, and a built-in that just returned may
// have been the last thing that the script did. It does not return.
func (r *Runtime) Interrupt() {
	_, err := r.VM.RunString("")
	panic(err)
}

// HasOwn reports whether an object has a property of its own.
func (r *Runtime) HasOwn(o *goja.Object, key string) bool {
	v, err := r.hasOwn(o, r.VM.ToValue(key))
	return err == nil && v.ToBoolean()
}

// Descriptor is Object.getOwnPropertyDescriptor.
func (r *Runtime) Descriptor(o *goja.Object, key goja.Value) (goja.Value, error) {
	return r.descriptor(goja.Undefined(), o, key)
}

// IsFunction reports whether an object can be called.
func IsFunction(o *goja.Object) bool {
	_, ok := goja.AssertFunction(o)
	return ok
}

// IsPrimitiveString reports whether a value is a string, not an object around one.
func IsPrimitiveString(v goja.Value) bool {
	_, object := v.(*goja.Object)
	return !object && goja.IsString(v)
}

// ISODate is the date as JSON has it; ok is false for an invalid one.
func ISODate(o *goja.Object) (s string, ok bool) {
	t, ok := o.Export().(time.Time)
	if !ok {
		return "", false
	}
	t = t.UTC()
	switch y := t.Year(); {
	case y < 0:
		return fmt.Sprintf("-%06d", -y) + t.Format("-01-02T15:04:05.000Z"), true
	case y > 9999:
		return fmt.Sprintf("+%06d", y) + t.Format("-01-02T15:04:05.000Z"), true
	}
	return t.Format("2006-01-02T15:04:05.000Z"), true
}
