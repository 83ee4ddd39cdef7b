package typescript

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"codemode-ls/script"
)

var checks atomic.Uint64 // makes names of texts that are checked unique

// Check is Inspect of a text that is not opened as a document: what runs before
// a run and in `codemode-ls check`.
func (e *Engine) Check(ctx context.Context, source *script.Source, l script.Language, loosely bool) (*Inspection, error) {
	name, done := e.lend(source, l, asBody)
	defer done()
	return e.Inspect(ctx, name, loosely)
}

// checkScheme begins the names of documents that are not the author's.
const checkScheme = "codemode-check:"

// ours reports whether a name is that of a document that no author has.
func ours(uri string) bool { return strings.HasPrefix(uri, checkScheme) }

// lend opens a text under a name of its own until done is called.
func (e *Engine) lend(source *script.Source, l script.Language, f form) (name string, done func()) {
	name = fmt.Sprint(checkScheme, checks.Add(1))
	e.put(name, l, source, f)
	return name, func() {
		e.Close(name)
	}
}
