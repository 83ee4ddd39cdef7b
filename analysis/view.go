package analysis

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"codemode-ls/exec"
	"codemode-ls/typescript"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// A View is what is known at one moment about the open documents, what scripts can
// use, and what the client can show. It never changes.
type View struct {
	Docs map[string]*Document // open documents by URI
	// Workspace is never nil: before one is open it has an empty pool.
	Workspace *workspace.Snapshot
	Opened    bool // Workspace is that of an open workspace
	Client    *Client
	// DeclarationsURI is the file URI of the written tools.d.ts, or "" while there
	// is none.
	DeclarationsURI string
	// LastRuns are the newest runs of open documents by URI.
	LastRuns map[string]*LastRun
}

// A LastRun is how a script's newest run ended.
type LastRun struct {
	Result *exec.Result // ranges in UTF-16 units
	Text   string       // that ran
}

// A Client is what features need to know about who shows their answers. The zero
// value can show nothing special.
type Client struct {
	Encoding protocol.PositionEncodingKind

	// Completion items.
	Snippets           bool
	LabelDetails       bool
	InsertReplace      bool
	MarkdownCompletion bool // documentation of items may be Markdown
	DeprecatedTags     bool // items may carry CompletionItemTagDeprecated
	Deprecated         bool // the older `deprecated` property
	ItemDefaults       []string
	// ResolveProperties are what the client asks for by completionItem/resolve;
	// before LSP 3.16, documentation and detail.
	ResolveProperties []string

	MarkdownHover       bool
	MarkdownSignature   bool
	SignatureActive     bool // signatures may carry activeParameter
	ParameterOffsets    bool // parameter labels may be offsets
	HierarchicalSymbols bool
	LineFolding         bool // folds are of whole lines
	FoldingLimit        int  // how many folds the client takes; 0 is any number
	PrepareRename       bool
	DocumentChanges     bool // edits of documents may name their versions
	DiagnosticTags      bool
	DiagnosticRelated   bool
	DiagnosticCodeLink  bool // codeDescription
	DiagnosticData      bool
	CodeActionLiterals  bool
	CodeActionPreferred bool // actions may be marked as preferred
	ApplyEdit           bool
	InlayHints          bool
}

// Script is one script in a View, with all else that its features depend on.
type Script struct {
	*View
	Doc *Document
	// Engine has the document open and the declarations of the pool; nil: there is none.
	Engine *typescript.Engine
	Log    *slog.Logger
	// Page is where an editor can open the page on a diagnostic's code, or "".
	Page func(code string) uri.URI
	// Layer is where a rule is kept that a person wants for always.
	Layer string
	// Running says that a run of the script is in progress; Calls are those of its
	// newest run, as far as it has come.
	Running bool
	Calls   []exec.CallRecord
	// Newest waits for the view in which the tools of last time are known, for a
	// client that asks right after its start; nil: View is that.
	Newest func(context.Context) *View
}

// newest is the view to answer from when tools are asked for.
func (s *Script) newest(ctx context.Context) *View {
	if s.Opened || s.Newest == nil {
		return s.View
	}
	return s.Newest(ctx)
}

// unanswered says what to do when the engine has no answer: the caller's own
// end is passed on, an engine that is down or has not received a document yet is
// not the client's problem.
func (s *Script) unanswered(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, typescript.ErrUnavailable) || errors.Is(err, typescript.ErrNotOpen) {
		s.Log.Debug("no answer from TypeScript", "to", what, "err", err)
	} else {
		s.Log.Warn("no answer from TypeScript", "to", what, "err", err)
	}
	return nil
}

// Resolves says that the client asks for a property of a completion item later.
func (c *Client) Resolves(property string) bool {
	return slices.Contains(c.ResolveProperties, property)
}
