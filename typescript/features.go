package typescript

import (
	"context"
	"slices"

	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

func identifier(u string) protocol.TextDocumentIdentifier {
	return protocol.TextDocumentIdentifier{URI: uri.URI(u)}
}

func place(d *document, at protocol.Position) protocol.TextDocumentPositionParams {
	return protocol.TextDocumentPositionParams{TextDocument: identifier(d.virtual), Position: d.toEngine(at)}
}

// Diagnostics of a document as TypeScript sees it, with top-level await and
// return allowed (DIAG-1).
func (e *Engine) Diagnostics(ctx context.Context, uri string) ([]protocol.Diagnostic, error) {
	var report protocol.RelatedFullDocumentDiagnosticReport
	d, err := e.request(ctx, uri, protocol.MethodTextDocumentDiagnostic, func(d *document) any {
		return &protocol.DocumentDiagnosticParams{TextDocument: identifier(d.virtual)}
	}, &report)
	if err != nil {
		return nil, err
	}
	found := make([]protocol.Diagnostic, 0, len(report.Items))
	var javascript *tolerance
	if d.language == script.JavaScript {
		javascript = &tolerance{document: d}
	}
	for _, f := range report.Items {
		if d.nocheck && !isSyntax(f.Code) {
			continue
		}
		if d.shift > 0 && f.Range.End.Line < d.shift || d.isErased(d.rangeToAuthor(f.Range)) || javascript != nil && javascript.tolerates(f) {
			continue // of the wrapper itself, or asking JavaScript for types it cannot have
		}
		f.Range = d.visible(d.rangeToAuthor(f.Range))
		f.RelatedInformation = slices.DeleteFunc(f.RelatedInformation, func(r protocol.DiagnosticRelatedInformation) bool {
			return !e.locate(d, &r.Location)
		})
		for i := range f.RelatedInformation {
			e.locate(d, &f.RelatedInformation[i].Location)
		}
		found = append(found, f)
	}
	return found, nil
}

// isSyntax says that an error is about the text, not about types: those have
// codes from 1000 on, and from 8000 on what is no JavaScript.
func isSyntax(code protocol.ProgressToken) bool {
	n, ok := code.(protocol.Integer)
	return ok && (n/1000 == 1 || n/1000 == 8)
}

// implicitAny says that an error is one of those that ask for a type
// annotation, which JavaScript does not have.
func implicitAny(code protocol.ProgressToken) bool {
	n, ok := code.(protocol.Integer)
	if !ok {
		return false
	}
	switch n {
	case 7005, 7006, 7008, 7009, 7010, 7011, 7015, 7016, 7017, 7018, 7019, 7020, 7022, 7023, 7024, 7025, 7031, 7034, 7044, 7045, 7046, 7047, 7048, 7049, 7050, 7055:
		return true
	}
	return false
}

// locate maps a location to an author's document, or to DeclarationsURI; false
// for the standard library, which no editor can open, and for the wrapper.
func (e *Engine) locate(from *document, l *protocol.Location) bool {
	switch u := string(l.URI); {
	case u == DeclarationsURI:
		return true
	case u == declarationsFile:
		l.URI = DeclarationsURI
		return true
	default:
		d := from
		if u != from.virtual {
			d = e.world().documents[u]
		}
		if d == nil || ours(d.uri) && d != from || !d.inAuthor(l.Range) {
			return false
		}
		l.URI, l.Range = uri.URI(d.uri), d.rangeToAuthor(l.Range)
		return true
	}
}

// locations are those that can be shown.
func (e *Engine) locations(from *document, all []protocol.Location) []protocol.Location {
	shown := all[:0]
	for _, l := range all {
		if e.locate(from, &l) {
			shown = append(shown, l)
		}
	}
	return shown
}

// Completion at a position. Items' Data is opaque and must come back unchanged
// to Resolve.
func (e *Engine) Completion(ctx context.Context, uri string, at protocol.Position, trigger *protocol.CompletionContext) (*protocol.CompletionList, error) {
	var list protocol.CompletionList
	d, err := e.request(ctx, uri, protocol.MethodTextDocumentCompletion, func(d *document) any {
		p := &protocol.CompletionParams{TextDocumentPositionParams: place(d, at)}
		p.Context.TriggerKind = protocol.CompletionTriggerKindInvoked
		if trigger != nil && trigger.TriggerKind != 0 {
			p.Context = *trigger
		}
		return p
	}, &list)
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		d.itemToAuthor(&list.Items[i])
	}
	return &list, nil
}

// CompletionIn is Completion in a text that is not the one of an open document.
// Its items cannot be resolved.
func (e *Engine) CompletionIn(ctx context.Context, text string, l script.Language, at protocol.Position) (*protocol.CompletionList, error) {
	name, done := e.lend(script.Read(text), l, asBody)
	defer done()
	list, err := e.Completion(ctx, name, at, nil)
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		list.Items[i].Data = nil
	}
	return list, nil
}

// Resolve fills in documentation and detail of a completion item.
func (e *Engine) Resolve(ctx context.Context, uri string, item *protocol.CompletionItem) (*protocol.CompletionItem, error) {
	var resolved protocol.CompletionItem
	d, err := e.request(ctx, uri, protocol.MethodCompletionItemResolve, func(d *document) any {
		asked := *item
		asked.TextEdit, asked.AdditionalTextEdits = nil, nil // it makes nothing of them
		return &asked
	}, &resolved)
	if err != nil {
		return nil, err
	}
	d.itemToAuthor(&resolved)
	resolved.TextEdit = item.TextEdit
	if resolved.AdditionalTextEdits == nil {
		resolved.AdditionalTextEdits = item.AdditionalTextEdits
	}
	return &resolved, nil
}

func (d *document) itemToAuthor(item *protocol.CompletionItem) {
	switch edit := item.TextEdit.(type) {
	case *protocol.TextEdit:
		edit.Range = d.rangeToAuthor(edit.Range)
	case *protocol.InsertReplaceEdit:
		edit.Insert, edit.Replace = d.rangeToAuthor(edit.Insert), d.rangeToAuthor(edit.Replace)
	}
	for i := range item.AdditionalTextEdits {
		item.AdditionalTextEdits[i].Range = d.rangeToAuthor(item.AdditionalTextEdits[i].Range)
	}
}

// Hover is what TypeScript says about a position, in Markdown; nil for nothing.
func (e *Engine) Hover(ctx context.Context, uri string, at protocol.Position) (*protocol.Hover, error) {
	var hover protocol.Hover
	d, err := e.request(ctx, uri, protocol.MethodTextDocumentHover, func(d *document) any {
		return &protocol.HoverParams{TextDocumentPositionParams: place(d, at)}
	}, &hover)
	if err != nil || hover.Contents == nil {
		return nil, err
	}
	if hover.Range != nil {
		if hover.Range.Start.Line < d.shift {
			return nil, nil // of the wrapper
		}
		r := d.rangeToAuthor(*hover.Range)
		hover.Range = &r
	}
	return &hover, nil
}

// SignatureHelp of the call that a position is in; nil for none.
func (e *Engine) SignatureHelp(ctx context.Context, uri string, at protocol.Position, trigger *protocol.SignatureHelpContext) (*protocol.SignatureHelp, error) {
	var help protocol.SignatureHelp
	_, err := e.request(ctx, uri, protocol.MethodTextDocumentSignatureHelp, func(d *document) any {
		p := &protocol.SignatureHelpParams{TextDocumentPositionParams: place(d, at)}
		p.Context.TriggerKind = protocol.SignatureHelpTriggerKindInvoked
		if trigger != nil && trigger.TriggerKind != 0 {
			p.Context = *trigger
		}
		return p
	}, &help)
	if err != nil || len(help.Signatures) == 0 {
		return nil, err
	}
	return &help, nil
}

// Definition of what stands at a position. Locations in the .d.ts have
// DeclarationsURI.
func (e *Engine) Definition(ctx context.Context, uri string, at protocol.Position) ([]protocol.Location, error) {
	return e.goTo(ctx, uri, protocol.MethodTextDocumentDefinition, func(d *document) any {
		return &protocol.DefinitionParams{TextDocumentPositionParams: place(d, at)}
	})
}

// TypeDefinition of what stands at a position.
func (e *Engine) TypeDefinition(ctx context.Context, uri string, at protocol.Position) ([]protocol.Location, error) {
	return e.goTo(ctx, uri, protocol.MethodTextDocumentTypeDefinition, func(d *document) any {
		return &protocol.TypeDefinitionParams{TextDocumentPositionParams: place(d, at)}
	})
}

// Implementation of what stands at a position: for an interface or an abstract
// member, what implements it.
func (e *Engine) Implementation(ctx context.Context, uri string, at protocol.Position) ([]protocol.Location, error) {
	return e.goTo(ctx, uri, protocol.MethodTextDocumentImplementation, func(d *document) any {
		return &protocol.ImplementationParams{TextDocumentPositionParams: place(d, at)}
	})
}

// References of what stands at a position, in open documents.
func (e *Engine) References(ctx context.Context, uri string, at protocol.Position, withDeclaration bool) ([]protocol.Location, error) {
	return e.goTo(ctx, uri, protocol.MethodTextDocumentReferences, func(d *document) any {
		return &protocol.ReferenceParams{
			TextDocumentPositionParams: place(d, at),
			Context:                    protocol.ReferenceContext{IncludeDeclaration: withDeclaration},
		}
	})
}

func (e *Engine) goTo(ctx context.Context, uri, method string, params func(*document) any) ([]protocol.Location, error) {
	var raw jsontext.Value
	d, err := e.request(ctx, uri, method, params, &raw)
	if err != nil || raw == nil {
		return nil, err
	}
	var all []protocol.Location
	if raw.Kind() == '{' {
		all = make([]protocol.Location, 1)
		err = protocol.Unmarshal(raw, &all[0])
	} else {
		err = protocol.Unmarshal(raw, &all)
	}
	if err != nil {
		return nil, err
	}
	return e.locations(d, all), nil
}
