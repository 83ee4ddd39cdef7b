package typescript

import (
	"context"
	"log/slog"
	"time"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// ChildCommand is the hidden subcommand that runs the engine.
const ChildCommand = "ts-engine"

// Options of an Engine.
type Options struct {
	// Command starts the engine: program and arguments. Nil: this executable with
	// ChildCommand. It may be npm's `tsc --lsp --stdio`.
	Command []string
	// Timeout of one request; 0 is 10 seconds. An engine that exceeds it is
	// restarted.
	Timeout time.Duration
	Log     *slog.Logger
}

// Engine is a running TypeScript engine. All methods are safe for concurrent
// use; documents are named by the author's URI.
type Engine struct {
	// unexported
}

// New starts the engine in the background.
func New(o Options) *Engine { panic("not built") }

// SetDeclarations replaces the .d.ts that every script is checked against.
func (e *Engine) SetDeclarations(text string) { panic("not built") }

// Open, Change and Close mirror the open documents. The text is the author's;
// version must grow.
func (e *Engine) Open(uri string, l script.Language, version int32, text string) { panic("not built") }
func (e *Engine) Change(uri string, version int32, text string)                  { panic("not built") }
func (e *Engine) Close(uri string)                                               { panic("not built") }

// Diagnostics of a document as TypeScript sees it, with top-level await and
// return allowed (DIAG-1).
func (e *Engine) Diagnostics(ctx context.Context, uri string) ([]protocol.Diagnostic, error) {
	panic("not built")
}

// Completion at a position. Items' Data is opaque and must come back unchanged
// to Resolve.
func (e *Engine) Completion(ctx context.Context, uri string, at protocol.Position, trigger *protocol.CompletionContext) (*protocol.CompletionList, error) {
	panic("not built")
}

// Resolve fills in documentation and detail of a completion item.
func (e *Engine) Resolve(ctx context.Context, uri string, item *protocol.CompletionItem) (*protocol.CompletionItem, error) {
	panic("not built")
}

func (e *Engine) Hover(ctx context.Context, uri string, at protocol.Position) (*protocol.Hover, error) {
	panic("not built")
}

func (e *Engine) SignatureHelp(ctx context.Context, uri string, at protocol.Position, trigger *protocol.SignatureHelpContext) (*protocol.SignatureHelp, error) {
	panic("not built")
}

// Definition of what stands at a position. Locations in the .d.ts have
// DeclarationsURI.
func (e *Engine) Definition(ctx context.Context, uri string, at protocol.Position) ([]protocol.Location, error) {
	panic("not built")
}

// References of what stands at a position, in open documents.
func (e *Engine) References(ctx context.Context, uri string, at protocol.Position, withDeclaration bool) ([]protocol.Location, error) {
	panic("not built")
}

// DeclarationsURI is what locations in the .d.ts carry.
const DeclarationsURI = "codemode:///tools.d.ts"

// Restarts is how often the engine was restarted, for status and tests.
func (e *Engine) Restarts() int { panic("not built") }

// Close ends the child and waits for it.
func (e *Engine) Shutdown() { panic("not built") }
