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
	name := fmt.Sprintf("codemode-check:%d", checks.Add(1))
	e.put(name, l, text)
	defer func() {
		e.drop(name)
		e.poke()
	}()
	return e.Diagnostics(ctx, name)
}
