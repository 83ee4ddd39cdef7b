package typescript

import (
	"context"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// Check type-checks one text against the current declarations without opening
// it as a document: what runs before a run and in `codemode-ls check`.
func (e *Engine) Check(ctx context.Context, text string, l script.Language) ([]protocol.Diagnostic, error) {
	panic("not built")
}
