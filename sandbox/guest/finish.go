package guest

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"codemode-ls/sandbox/ecma"
	"codemode-ls/sandbox/frame"

	"github.com/dop251/goja"
)

// stalled is the end of a script that waits for nothing (BUD-3).
func (r *realm) stalled() frame.Finish {
	f := frame.Finish{Status: frame.Stalled, Error: &frame.ScriptError{
		Name: "Error", Call: -1,
		Message: "the script waits for a promise that can never settle: no tool call is in flight and nothing else is left to run",
	}}
	f.Warnings = r.leftovers(nil)
	return f
}

// failed is the end of a script by an error that no promise carries.
func (r *realm) failed(err error) frame.Finish {
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	var exception *goja.Exception
	switch {
	case errors.As(err, &interrupted):
		at, stack := ecma.DescribeFrames(interrupted.Stack())
		return frame.Finish{Error: &frame.ScriptError{Stack: stack, At: at, Call: -1}}
	case errors.As(err, &overflow):
		at, stack := ecma.DescribeFrames(overflow.Stack())
		return frame.Finish{Status: frame.Thrown, Error: &frame.ScriptError{Name: "RangeError", Message: ecma.TooDeep, Stack: "RangeError: " + ecma.TooDeep + stack, At: at, Call: -1}}
	case errors.As(err, &exception):
		return frame.Finish{Status: frame.Thrown, Error: r.scriptError(exception.Value())}
	}
	return frame.Finish{Status: frame.Thrown, Error: &frame.ScriptError{Name: "Error", Message: err.Error(), Call: -1}}
}

// broken is the end of a script at which the engine itself gave up.
func (r *realm) broken(x any) frame.Finish {
	if err, ok := x.(error); ok {
		var interrupted *goja.InterruptedError
		var overflow *goja.StackOverflowError
		if errors.As(err, &interrupted) || errors.As(err, &overflow) {
			return r.failed(err)
		}
	}
	message := "the script engine cannot run this script; the part that it failed at uses the language in a way that it does not support"
	if err, ok := x.(runtime.Error); ok && strings.Contains(err.Error(), "nil pointer") {
		message += "; most often it is an iterator that has no next function"
	}
	return frame.Finish{Status: frame.Thrown, Error: &frame.ScriptError{Name: "InternalError", Call: -1, Message: message}}
}

// serialize is the end of a script that returned.
func (r *realm) serialize(v goja.Value) frame.Finish {
	e := &resultEncoder{realm: r, max: r.limits.ValueBytes}
	f := frame.Finish{Status: frame.Completed}
	var err error
	if ex := r.vm.Try(func() { f.HasValue, err = e.value(v, "$") }); ex != nil {
		err = errors.New("converting it threw " + r.errorLine(ex.Value()))
	}
	if err == nil && e.buf.Len() > e.max {
		err = errTooLarge
	}
	if err != nil {
		why, path := err.Error(), "$"
		var at *valueError
		if errors.As(err, &at) {
			why, path = at.why, at.path
		}
		return frame.Finish{Status: frame.Thrown, Error: &frame.ScriptError{
			Name: "TypeError", Code: "RESULT", Call: -1,
			Message: "the returned value cannot be converted to JSON: " + why + ", at " + path,
		}}
	}
	f.Value = e.buf.Bytes()
	for _, w := range e.warnings {
		f.Warnings = append(f.Warnings, frame.Warning{Message: w.Message, Path: w.Path})
	}
	if e.more > 0 {
		f.Warnings = append(f.Warnings, frame.Warning{Message: fmt.Sprintf("%d more conversions like these", e.more)})
	}
	return f
}

// leftovers are the warnings about what the script did not wait for.
func (r *realm) leftovers(main *goja.Promise) (warnings []frame.Warning) {
	for _, p := range r.unhandled {
		if p == main {
			continue
		}
		if len(warnings) == frame.MaxWarnings {
			warnings = append(warnings, frame.Warning{Message: fmt.Sprintf("%d more unhandled rejections", len(r.unhandled)-frame.MaxWarnings)})
			break
		}
		e := r.scriptError(p.Result())
		line := e.Message
		if e.Name != "" {
			line = e.Name + ": " + e.Message
		}
		warnings = append(warnings, frame.Warning{Message: "unhandled rejection, nobody awaited it: " + line, At: e.At})
	}
	for i, c := range r.waiting {
		if i == frame.MaxWarnings {
			warnings = append(warnings, frame.Warning{Message: fmt.Sprintf("%d more calls were not started", len(r.waiting)-i)})
			break
		}
		warnings = append(warnings, frame.Warning{Message: "the call to " + c.name + " was not started: the script ended before it was its turn", At: c.at})
	}
	return warnings
}
