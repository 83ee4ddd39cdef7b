package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"codemode-ls/script"

	"github.com/dop251/goja"
)

// finish is what a script's end looks like from inside.
type finish struct {
	Status   Status       `json:"status"` // Completed, Thrown, Invalid, Stalled, or "" when it was stopped
	HasValue bool         `json:"hasValue,omitzero"`
	Error    *ScriptError `json:"error,omitzero"`
	Warnings []warning    `json:"warnings,omitzero"`
	LogsCut  int          `json:"logsCut,omitzero"`
	Pending  []int        `json:"pending,omitzero"` // calls whose answers the script did not get
	value    []byte
}

// clip bounds what the host bounds too: a script's own texts may be of any length.
func (f *finish) clip() {
	if e := f.Error; e != nil {
		e.Name, e.Message, e.Stack, e.Code = clip(e.Name), clip(e.Message), clip(e.Stack), clip(e.Code)
	}
	for i := range f.Warnings {
		w := &f.Warnings[i]
		w.Message, w.Path = clipTo(w.Message, maxWarningText), clipTo(w.Path, maxWarningText)
	}
}

// warning is a Warning on the wire.
type warning struct {
	Message string           `json:"message"`
	Path    string           `json:"path,omitzero"`
	At      *script.Position `json:"at,omitzero"`
}

// stalled is the end of a script that waits for nothing (BUD-3).
func (r *realm) stalled() finish {
	f := finish{Status: Stalled, Error: &ScriptError{
		Name: "Error", Call: -1,
		Message: "the script waits for a promise that can never settle: no tool call is in flight and nothing else is left to run",
	}}
	f.Warnings = r.leftovers(nil)
	return f
}

// failed is the end of a script by an error that no promise carries.
func (r *realm) failed(err error) finish {
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	var exception *goja.Exception
	switch {
	case errors.As(err, &interrupted):
		at, stack := describeFrames(interrupted.Stack())
		return finish{Error: &ScriptError{Stack: stack, At: at, Call: -1}}
	case errors.As(err, &overflow):
		at, stack := describeFrames(overflow.Stack())
		return finish{Status: Thrown, Error: &ScriptError{Name: "RangeError", Message: tooDeep, Stack: "RangeError: " + tooDeep + stack, At: at, Call: -1}}
	case errors.As(err, &exception):
		return finish{Status: Thrown, Error: r.scriptError(exception.Value())}
	}
	return finish{Status: Thrown, Error: &ScriptError{Name: "Error", Message: err.Error(), Call: -1}}
}

// broken is the end of a script at which the engine itself gave up.
func (r *realm) broken(x any) finish {
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
	return finish{Status: Thrown, Error: &ScriptError{Name: "InternalError", Call: -1, Message: message}}
}

// serialize is the end of a script that returned.
func (r *realm) serialize(v goja.Value) finish {
	e := &resultEncoder{realm: r, max: r.limits.ValueBytes}
	f := finish{Status: Completed}
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
		return finish{Status: Thrown, Error: &ScriptError{
			Name: "TypeError", Code: "RESULT", Call: -1,
			Message: "the returned value cannot be converted to JSON: " + why + ", at " + path,
		}}
	}
	f.value = e.buf.Bytes()
	for _, w := range e.warnings {
		f.Warnings = append(f.Warnings, warning{Message: w.Message, Path: w.Path})
	}
	if e.more > 0 {
		f.Warnings = append(f.Warnings, warning{Message: fmt.Sprintf("%d more conversions like these", e.more)})
	}
	return f
}

// leftovers are the warnings about what the script did not wait for.
func (r *realm) leftovers(main *goja.Promise) (warnings []warning) {
	for _, p := range r.unhandled {
		if p == main {
			continue
		}
		if len(warnings) == maxWarnings {
			warnings = append(warnings, warning{Message: fmt.Sprintf("%d more unhandled rejections", len(r.unhandled)-maxWarnings)})
			break
		}
		e := r.scriptError(p.Result())
		line := e.Message
		if e.Name != "" {
			line = e.Name + ": " + e.Message
		}
		warnings = append(warnings, warning{Message: "unhandled rejection, nobody awaited it: " + line, At: e.At})
	}
	for i, c := range r.waiting {
		if i == maxWarnings {
			warnings = append(warnings, warning{Message: fmt.Sprintf("%d more calls were not started", len(r.waiting)-i)})
			break
		}
		warnings = append(warnings, warning{Message: "the call to " + c.name + " was not started: the script ended before it was its turn", At: c.at})
	}
	return warnings
}
