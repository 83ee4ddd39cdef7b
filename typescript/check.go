package typescript

import (
	"context"
	"fmt"
	"sync/atomic"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

var checks atomic.Uint64 // makes names of texts that are checked unique

// Check type-checks one text against the current declarations without opening
// it as a document: what runs before a run and in `codemode-ls check`.
func (e *Engine) Check(ctx context.Context, text string, l script.Language) ([]protocol.Diagnostic, error) {
	name, done := e.lend(text, l, asBody)
	defer done()
	return e.Diagnostics(ctx, name)
}

// lend opens a text under a name of its own until done is called.
func (e *Engine) lend(text string, l script.Language, f form) (name string, done func()) {
	name = fmt.Sprintf("codemode-check:%d", checks.Add(1))
	e.put(name, l, text, f)
	return name, func() {
		e.drop(name)
		e.poke()
	}
}
