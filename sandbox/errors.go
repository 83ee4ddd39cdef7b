package sandbox

import (
	"context"
	"errors"
	"time"

	"codemode-ls/sandbox/frame"
)

// crash is the end of a child that should have gone on.
type crash struct {
	status Status
	err    *ScriptError
}

func (e *crash) Error() string { return e.err.Message }

// slow ends the compilation of a script that is out of time.
type slow struct{ status Status }

func (e slow) Error() string { return string(e.status) }

// unfit is the outcome of a run whose script does not compile.
func unfit(ctx context.Context, err error, r Request, active time.Duration) Outcome {
	o := Outcome{Wall: r.Clock.Elapsed(), Active: active}
	var tooSlow slow
	var crashed *crash
	switch {
	case ctx.Err() != nil:
		o.Status, o.Error = Cancelled, stoppedError()
	case errors.As(err, &tooSlow):
		o.Status, o.Error = tooSlow.status, stoppedError()
	case errors.As(err, &crashed):
		o.Status, o.Error = crashed.status, crashed.err
	default:
		o.Status, o.Error = Invalid, frame.SyntaxError(err, r.Language)
		o.Error.Clip()
	}
	return o
}

// stoppedError is the error of a run that did not end by itself: its status says
// why.
func stoppedError() *ScriptError { return &ScriptError{Call: -1} }

// errGarbage is for a child that does not keep to the protocol.
var errGarbage = errors.New("the sandbox process sent something that it may not send")
