package guest

import (
	"strconv"
	"strings"

	"codemode-ls/sandbox/ecma"
	"codemode-ls/sandbox/frame"
	"codemode-ls/script"

	"github.com/dop251/goja"
)

// here is where the script is: the innermost position in the author's text, and
// the stack as lines.
func (r *realm) here() (*script.Position, string) {
	r.frames = r.vm.CaptureCallStack(ecma.MaxFrames, r.frames[:0])
	return ecma.DescribeFrames(r.frames)
}

// setStack gives an error the place of a call as its stack.
func (r *realm) setStack(e *goja.Object, stack string) {
	line := r.errorLine(e)
	e.DefineDataProperty("stack", r.vm.ToValue(line+stack), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// nameAndMessage of a thrown value. Getters of the script may run.
func (r *realm) nameAndMessage(v goja.Value) (name, message string) {
	e, ok := isError(v)
	if !ok {
		return "", r.safeInspect(v)
	}
	ex := r.vm.Try(func() {
		name = stringOr(e.Get("name"), "Error")
		if m := e.Get("message"); m != nil && !goja.IsUndefined(m) {
			if ecma.IsPrimitiveString(m) {
				message = ecma.AuthorsWords(m.String())
			} else {
				message = r.inspect(m)
			}
		}
	})
	if ex != nil {
		return "Error", "(its name or message cannot be read)"
	}
	return name, message
}

// errorLine is "Name: message", as an error converts to a string.
func (r *realm) errorLine(v goja.Value) string {
	name, message := r.nameAndMessage(v)
	switch {
	case name == "":
		return message
	case message == "":
		return name
	}
	return name + ": " + message
}

// safeInspect is inspect for values that may throw.
func (r *realm) safeInspect(v goja.Value) (s string) {
	if ex := r.vm.Try(func() {
		if ecma.IsPrimitiveString(v) {
			s = v.String()
		} else {
			s = r.inspect(v)
		}
	}); ex != nil {
		return "(a value that cannot be shown)"
	}
	return s
}

// scriptError describes an uncaught value (EXEC-11).
func (r *realm) scriptError(v goja.Value) *frame.ScriptError {
	e := &frame.ScriptError{Call: -1}
	e.Name, e.Message = r.nameAndMessage(v)
	o, ok := isError(v)
	if !ok {
		e.Name = "Error"
		return e
	}
	r.vm.Try(func() {
		e.Stack = r.errorStack(o, stringOr(o.Get("stack"), ""))
		e.Code = stringOr(o.Get("code"), "")
		r.addErrors(e, o)
		cause := o.Get("cause")
		for range 5 {
			if cause == nil || goja.IsUndefined(cause) {
				break
			}
			e.Stack += "\ncaused by " + strings.TrimSpace(r.causeText(cause))
			c, ok := isError(cause)
			if !ok {
				break
			}
			cause = c.Get("cause")
		}
	})
	e.At = ecma.PositionIn(e.Stack)
	if c := r.rejected[o]; c != nil {
		e.Call = c.index
		e.At = c.at
	}
	return e
}

// allRejected is the message of Promise.any's error, which says less than its errors.
const allRejected = "All promises were rejected"

// addErrors lists the errors that an AggregateError holds, such as that of
// Promise.any.
func (r *realm) addErrors(e *frame.ScriptError, o *goja.Object) {
	list, ok := o.Get("errors").(*goja.Object)
	if !ok || !r.isArray(list) {
		return
	}
	const most = 5
	n := int(list.Get("length").ToInteger())
	var lines []string
	for i := range min(n, most) {
		v := list.Get(strconv.Itoa(i))
		lines = append(lines, r.errorLine(v))
		e.Stack += "\nerror " + strconv.Itoa(i+1) + " of " + strconv.Itoa(n) + ": " + strings.TrimSpace(r.causeText(v))
	}
	if (e.Message == "" || e.Message == allRejected) && n > 0 {
		if n > most {
			lines = append(lines, "…")
		}
		e.Message = strconv.Itoa(n) + " errors: " + strings.Join(lines, "; ")
		if n == 1 {
			e.Message = lines[0]
		}
	}
}

// errorStack is an error's stack in Node's form. The frames of the constructors
// of the error's own classes are left out: the place is where it was made.
func (r *realm) errorStack(e *goja.Object, stack string) string {
	stack = strings.TrimSuffix(ecma.CleanStack(stack), "\n")
	const at = "\n    at "
	head := strings.Index(stack, at)
	for p := e.Prototype(); p != nil && head >= 0 && p.ExportType() != ecma.TypeProxy && !r.isErrorProto(p); p = p.Prototype() {
		c, ok := r.own(p, "constructor").value.(*goja.Object)
		if !ok || c.ExportType() == ecma.TypeProxy || !strings.Contains(r.functionText(c), "constructor(") {
			continue
		}
		if next := strings.Index(stack[head+1:], at); next >= 0 {
			stack = stack[:head] + stack[head+1+next:]
		}
	}
	return r.FixPlace(stack)
}

func (r *realm) isErrorProto(o *goja.Object) bool {
	for _, c := range r.Errors {
		if r.own(c, "prototype").value == goja.Value(o) {
			return true
		}
	}
	return false
}

func (r *realm) causeText(v goja.Value) string {
	if o, ok := isError(v); ok {
		if s := stringOr(o.Get("stack"), ""); s != "" {
			return r.errorStack(o, s)
		}
	}
	return r.errorLine(v)
}
