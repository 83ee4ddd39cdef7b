package exec

import (
	"errors"
	"strings"

	"codemode-ls/internal/plaintext"
	"codemode-ls/upstream"
)

// maxError is the length of a normalised error in characters (OUT-3).
const maxError = 500

// normalise is an error in one line for people and models: the first message of
// the cause chain that is not a wrapper, folded and cut (OUT-3). The whole chain
// is for the log.
func normalise(err error) string {
	for {
		var own *upstream.CallError
		if e, ok := err.(*upstream.CallError); ok {
			own = e
		}
		cause := errors.Unwrap(err)
		if cause == nil || own != nil && strings.TrimSpace(own.Message) != "" {
			return fold(err.Error())
		}
		// "reading x: no such file" says more than its cause alone; a message that
		// only names a step before the cause's own is a wrapper.
		message := err.Error()
		if message != "" && !strings.HasSuffix(message, cause.Error()) {
			return fold(message)
		}
		err = cause
	}
}

// fold makes one line of a text that others wrote, of at most maxError characters.
func fold(s string) string { return plaintext.Line(s, maxError) }

// Codes of errors that do not come from a call (Error.Code).
const (
	CodeInvalid     = "INVALID_CODE"    // EXEC-12: nothing ran
	CodeOptions     = "INVALID_OPTIONS" // EXEC-15: nothing ran
	CodeType        = "TYPE_ERROR"      // the check found an error, nothing ran
	CodeInput       = "INVALID_INPUT"   // EXEC-18: what was given does not fit the script's type, nothing ran
	CodeTimeout     = "TIMEOUT"
	CodeActive      = "ACTIVE_BUDGET"
	CodeMemory      = "MEMORY"
	CodeStalled     = "STALLED"
	CodeCancelled   = "CANCELLED"
	CodeDenied      = "DENIED"
	CodeUnknownTool = "UNKNOWN_TOOL"
	CodeCallCap     = "TOO_MANY_CALLS"
	CodeToolError   = "TOOL_ERROR"
	CodeUnavailable = "SERVER_UNAVAILABLE"
	CodeArguments   = "INVALID_ARGUMENTS"
	CodeCrashed     = "SANDBOX_CRASHED"
	CodeTooLarge    = "TOO_LARGE"
	CodeRange       = "RANGE_ERROR"
	// CodeAborted is that of a call which was not made because a person had ended
	// the turn (SCHED-2).
	CodeAborted = "ABORTED_BEFORE_DISPATCH"
)

var (
	errCancelRequest = errors.New("the run was cancelled")
	errClosing       = errors.New("everything is closing")
)

// errCallTimeout is the cause of a call's end at its own deadline.
var errCallTimeout = errors.New("the call timed out")

// errNotSent is the end of a call whose turn did not come.
var errNotSent = errors.New("cancelled before it was sent")

// rangeError is a size limit that a script ran into.
type rangeError string

func (e rangeError) Error() string { return string(e) }
