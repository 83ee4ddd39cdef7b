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
