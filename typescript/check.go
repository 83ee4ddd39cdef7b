package typescript

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

var checks atomic.Uint64 // makes names of texts that are checked unique

// Check is Inspect of a text that is not opened as a document: what runs before
// a run and in `codemode-ls check`.
func (e *Engine) Check(ctx context.Context, text string, l script.Language, suspects []script.Suspect) ([]protocol.Diagnostic, []script.Promising, error) {
	name, done := e.lend(text, l, asBody)
	defer done()
	return e.Inspect(ctx, name, text, suspects)
}

// Documents that are not the author's have names that begin so.
const (
	checkScheme = "codemode-check:"
	probeScheme = "codemode-probe:"
)

// ours says whether a name is that of a document that no author has.
func ours(uri string) bool {
	return strings.HasPrefix(uri, checkScheme) || strings.HasPrefix(uri, probeScheme)
}

// lend opens a text under a name of its own until done is called.
func (e *Engine) lend(text string, l script.Language, f form) (name string, done func()) {
	name = fmt.Sprint(checkScheme, checks.Add(1))
	e.put(name, l, text, f)
	return name, func() {
		e.Close(name)
	}
}
