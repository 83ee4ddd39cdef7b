package typescript

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// What TypeScript users expect besides (NAV-1). All of it follows one pattern:
// request with the engine's positions, then map what came back; what belongs to
// the wrapper alone is left out.

// ErrGenerated is in the error of a rename that would have to change the
// generated declarations.
var ErrGenerated = errors.New("it is declared in the generated declarations")

// A RefusedError is the engine's word that something cannot be done, for a
// person.
type RefusedError struct{ Message string }

func (e *RefusedError) Error() string { return e.Message }

// refused is err, as a RefusedError when the engine has refused.
func refused(err error) error {
	var answer *jsonrpc2.Error
	if errors.As(err, &answer) && answer.Code == jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed) {
		return &RefusedError{strings.TrimSpace(answer.Message)}
	}
	return err
}

// PrepareRename is the range of the name at a position; nil when nothing is
// there that has one. A *RefusedError says why a name must stay.
func (e *Engine) PrepareRename(ctx context.Context, uri string, at protocol.Position) (*protocol.Range, error) {
	var raw jsontext.Value
	d, err := e.request(ctx, uri, protocol.MethodTextDocumentPrepareRename, func(d *document) any {
		return &protocol.PrepareRenameParams{TextDocumentPositionParams: place(d, at)}
	}, &raw)
	if err != nil || raw == nil {
		return nil, refused(err)
	}
	var with protocol.PrepareRenamePlaceholder
	var bare protocol.Range
	switch {
	case protocol.Unmarshal(raw, &with) == nil && with.Range != (protocol.Range{}):
		bare = with.Range
	case protocol.Unmarshal(raw, &bare) == nil && bare != (protocol.Range{}):
	default:
		return nil, nil
	}
	if !d.inAuthor(bare) {
		return nil, nil
	}
	bare = d.rangeToAuthor(bare)
	return &bare, nil
}

// Rename of what stands at a position, as edits by the author's URI; none for
// nothing. What is declared in the .d.ts cannot be renamed: ErrGenerated.
func (e *Engine) Rename(ctx context.Context, u string, at protocol.Position, name string) (map[string][]protocol.TextEdit, error) {
	var edit protocol.WorkspaceEdit
	from, err := e.request(ctx, u, protocol.MethodTextDocumentRename, func(d *document) any {
		return &protocol.RenameParams{TextDocumentPositionParams: place(d, at), NewName: name}
	}, &edit)
	if err != nil {
		return nil, refused(err)
	}
	all := map[uri.URI][]protocol.TextEdit{}
	for at, edits := range edit.Changes {
		all[at] = append(all[at], edits...)
	}
	for _, change := range edit.DocumentChanges {
		if c, ok := change.(*protocol.TextDocumentEdit); ok {
			for _, x := range c.Edits {
				if t, ok := x.(*protocol.TextEdit); ok {
					all[c.TextDocument.URI] = append(all[c.TextDocument.URI], *t)
				}
			}
		}
	}
	renamed := map[string][]protocol.TextEdit{}
	for at, edits := range all {
		for _, x := range edits {
			l := protocol.Location{URI: at, Range: x.Range}
			switch ok := e.locate(from, &l); {
			case !ok && string(at) == from.virtual:
				return nil, &RefusedError{"What is imported as a type is not there when a script runs: it cannot be renamed."}
			case !ok, l.URI == DeclarationsURI:
				return nil, ErrGenerated
			}
			x.Range = l.Range
			renamed[string(l.URI)] = append(renamed[string(l.URI)], x)
		}
	}
	return renamed, nil
}

// Highlights are the other places of what stands at a position.
func (e *Engine) Highlights(ctx context.Context, uri string, at protocol.Position) ([]protocol.DocumentHighlight, error) {
	var all []protocol.DocumentHighlight
	d, err := e.request(ctx, uri, protocol.MethodTextDocumentDocumentHighlight, func(d *document) any {
		return &protocol.DocumentHighlightParams{TextDocumentPositionParams: place(d, at)}
	}, &all)
	shown := all[:0]
	for _, h := range all {
		if d.inAuthor(h.Range) {
			h.Range = d.rangeToAuthor(h.Range)
			shown = append(shown, h)
		}
	}
	return shown, err
}

// Symbols of a document, without the wrapper.
func (e *Engine) Symbols(ctx context.Context, uri string) ([]protocol.DocumentSymbol, error) {
	var all []protocol.DocumentSymbol
	d, err := e.request(ctx, uri, protocol.MethodTextDocumentDocumentSymbol, func(d *document) any {
		return &protocol.DocumentSymbolParams{TextDocument: identifier(d.virtual)}
	}, &all)
	if err != nil {
		return nil, err
	}
	return d.symbols(all), nil
}

func (d *document) symbols(all []protocol.DocumentSymbol) []protocol.DocumentSymbol {
	shown := []protocol.DocumentSymbol{}
	for _, s := range all {
		children := d.symbols(s.Children)
		if !d.inAuthor(s.Range) {
			shown = append(shown, children...) // the wrapper's own
			continue
		}
		s.Range, s.SelectionRange, s.Children = d.rangeToAuthor(s.Range), d.rangeToAuthor(s.SelectionRange), children
		shown = append(shown, s)
	}
	return shown
}

// inAuthor reports whether a range of the engine lies in the author's text.
func (d *document) inAuthor(r protocol.Range) bool {
	if d.shift == 0 {
		return true
	}
	end := d.end
	end.Line += d.shift
	return r.Start.Line >= d.shift && !after(r.End, end)
}

// Folding ranges of a document.
func (e *Engine) Folding(ctx context.Context, uri string) ([]protocol.FoldingRange, error) {
	var all []protocol.FoldingRange
	d, err := e.request(ctx, uri, protocol.MethodTextDocumentFoldingRange, func(d *document) any {
		return &protocol.FoldingRangeParams{TextDocument: identifier(d.virtual)}
	}, &all)
	shown := all[:0]
	for _, f := range all {
		if f.StartLine < d.shift || f.EndLine-d.shift > d.end.Line {
			continue
		}
		f.StartLine, f.EndLine = f.StartLine-d.shift, f.EndLine-d.shift
		shown = append(shown, f)
	}
	return shown, err
}

// Selections are the ranges around positions, each from the inside out.
func (e *Engine) Selections(ctx context.Context, uri string, at []protocol.Position) ([]protocol.SelectionRange, error) {
	var all []protocol.SelectionRange
	d, err := e.request(ctx, uri, protocol.MethodTextDocumentSelectionRange, func(d *document) any {
		p := &protocol.SelectionRangeParams{TextDocument: identifier(d.virtual)}
		for _, x := range at {
			p.Positions = append(p.Positions, d.toEngine(x))
		}
		return p
	}, &all)
	if err != nil {
		return nil, err
	}
	for i := range all {
		for r := &all[i]; r != nil; r = r.Parent {
			for r.Parent != nil && !d.inAuthor(r.Parent.Range) {
				r.Parent = r.Parent.Parent
			}
			r.Range = d.rangeToAuthor(r.Range)
		}
	}
	return all, nil
}

// InlayHints in a range of a document.
func (e *Engine) InlayHints(ctx context.Context, uri string, in protocol.Range) ([]protocol.InlayHint, error) {
	var all []protocol.InlayHint
	d, err := e.request(ctx, uri, protocol.MethodTextDocumentInlayHint, func(d *document) any {
		return &protocol.InlayHintParams{TextDocument: identifier(d.virtual), Range: d.rangeToEngine(in)}
	}, &all)
	shown := all[:0]
	for _, h := range all {
		if !d.inAuthor(protocol.Range{Start: h.Position, End: h.Position}) {
			continue
		}
		h.Position = d.toAuthor(h.Position)
		for i := range h.TextEdits {
			h.TextEdits[i].Range = d.rangeToAuthor(h.TextEdits[i].Range)
		}
		h.Data = nil // nothing of ours resolves it
		if parts, ok := h.Label.(protocol.InlayHintLabelPartSlice); ok {
			for i := range parts {
				// Most are of the library, which no editor can open.
				parts[i].Location = protocol.Location{}
			}
		}
		shown = append(shown, h)
	}
	return shown, err
}

// TokenTypes and TokenModifiers are the legend of SemanticTokens. The engine
// numbers those that its client names in an order of its own, which is this one.
var (
	TokenTypes = []string{
		"namespace", "class", "enum", "interface", "struct", "typeParameter", "type", "parameter", "variable", "property",
		"enumMember", "decorator", "event", "function", "method", "macro", "label", "comment", "string", "keyword", "number", "regexp", "operator",
	}
	TokenModifiers = []string{
		"declaration", "definition", "readonly", "static", "deprecated", "abstract", "async", "modification", "documentation", "defaultLibrary", "local",
	}
)

// SemanticTokens of a document, in LSP's relative form, with TokenTypes and
// TokenModifiers as the legend: those that touch a range, or with nil all of them.
// Those of a screen are much quicker than those of a long script.
func (e *Engine) SemanticTokens(ctx context.Context, uri string, in *protocol.Range) ([]uint32, error) {
	method := protocol.MethodTextDocumentSemanticTokensFull
	if in != nil {
		method = protocol.MethodTextDocumentSemanticTokensRange
	}
	var raw struct {
		Data []uint32 `json:"data"`
	}
	d, err := e.request(ctx, uri, method, func(d *document) any {
		if in != nil {
			return &protocol.SemanticTokensRangeParams{TextDocument: identifier(d.virtual), Range: d.rangeToEngine(*in)}
		}
		return &protocol.SemanticTokensParams{TextDocument: identifier(d.virtual)}
	}, &raw)
	if err != nil {
		return nil, err
	}
	shown := make([]uint32, 0, len(raw.Data))
	var line, char, lastLine, lastChar uint32
	for i := 0; i+5 <= len(raw.Data); i += 5 {
		t := raw.Data[i : i+5]
		if t[0] > 0 {
			line, char = line+t[0], 0
		}
		char += t[1]
		at := protocol.Position{Line: line, Character: char}
		if !d.inAuthor(protocol.Range{Start: at, End: at}) {
			continue
		}
		own := line - d.shift
		delta := char
		if len(shown) > 0 && own == lastLine {
			delta = char - lastChar
		}
		from := lastLine
		if len(shown) == 0 {
			from = 0
		}
		shown = append(shown, own-from, delta, t[2], t[3], t[4])
		lastLine, lastChar = own, char
	}
	return shown, nil
}
