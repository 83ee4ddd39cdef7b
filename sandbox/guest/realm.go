package guest

import (
	"sync"
	"unicode/utf8"

	"codemode-ls/sandbox/ecma"
	"codemode-ls/sandbox/frame"
	"codemode-ls/script"

	"github.com/dop251/goja"
)

// outlet is how a realm reaches the host. It must not block for long.
type outlet interface {
	call(index int, name string, args []byte, at *script.Position)
	log(level, text string)
}

// answer is the host's answer to a call.
type answer struct {
	index int
	value []byte // JSON, when err is nil
	err   *frame.CallError
}

// realm is the JavaScript world of one script. One goroutine owns it, but for
// deliver and stop.
type realm struct {
	*ecma.Runtime
	vm      *goja.Runtime
	outlet  outlet
	limits  frame.Bounds
	tools   *namespace
	members *namespace

	calls    int
	pending  map[int]*pendingCall
	waiting  []*pendingCall
	rejected map[*goja.Object]*pendingCall // errors that come from calls
	frames   []goja.StackFrame

	unhandled []*goja.Promise
	logged    int // characters
	entries   int
	logsCut   int

	// What the realm's own code uses of the language, taken before any script ran.
	objectProto, arrayProto *goja.Object
	intrinsics              map[*goja.Object]bool
	mapEach, setEach        goja.Callable
	textFn, isArrayFn       goja.Callable
	valueOf                 map[string]goja.Callable // of the classes that box primitives
	viewGetters             map[string]goja.Callable // of DataView

	busy busyness

	mu      sync.Mutex
	inbox   []answer
	stopped string
	wake    chan struct{} // cap 1
}

func (r *realm) object(n *namespace) *goja.Object {
	o := r.vm.NewDynamicObject(n)
	o.SetPrototype(nil)
	return o
}

func (r *realm) global(name string, v goja.Value) {
	r.vm.GlobalObject().DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// pendingCall is a call that the host has not answered.
type pendingCall struct {
	index   int
	name    string
	args    []byte
	at      *script.Position
	stack   string
	resolve func(any) error
	reject  func(any) error
}

// isStopped reports whether the script is to end.
func (r *realm) isStopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped != ""
}

// log takes one console entry within the caps (BUD-8).
func (r *realm) log(level string, args []goja.Value) {
	text := r.format(args)
	n := utf8.RuneCountInString(text)
	room := max(0, r.limits.LogChars-r.logged)
	if r.entries >= r.limits.LogEntries || n > 0 && room == 0 {
		r.logsCut += n
		return
	}
	r.entries++
	if n > room {
		r.logsCut += n - room
		text = firstRunes(text, room)
		n = room
	}
	r.logged += n
	r.outlet.log(level, text)
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
