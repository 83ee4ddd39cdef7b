package analysis

import (
	"cmp"
	"context"
	"slices"

	"codemode-ls/script"
	"codemode-ls/typescript"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Definition answers textDocument/definition (NAV-1): a tool is defined in the
// generated .d.ts, everything else where TypeScript says.
func (s *Script) Definition(ctx context.Context, p *protocol.DefinitionParams) ([]protocol.Location, error) {
	snap, doc := s.View, s.Doc
	if u, onMember, ok := useAt(doc, p.Position); ok && !onMember && snap.DeclarationsURI != "" {
		if l, ok := declarationOf(snap, u.Name); ok {
			return []protocol.Location{l}, nil
		}
	}
	if s.Engine == nil {
		return []protocol.Location{}, nil
	}
	found, err := s.Engine.Definition(ctx, doc.URI, doc.toEngine(p.Position))
	if err != nil {
		return []protocol.Location{}, s.unanswered(ctx, "definition", err)
	}
	return s.locations(found), nil
}

// TypeDefinition answers textDocument/typeDefinition: where the type of what
// stands at a position is declared.
func (s *Script) TypeDefinition(ctx context.Context, p *protocol.TypeDefinitionParams) ([]protocol.Location, error) {
	return s.goTo(ctx, p.TextDocumentPositionParams, "typeDefinition", s.Engine.TypeDefinition)
}

// Implementation answers textDocument/implementation: what implements an
// interface or a member of one.
func (s *Script) Implementation(ctx context.Context, p *protocol.ImplementationParams) ([]protocol.Location, error) {
	return s.goTo(ctx, p.TextDocumentPositionParams, "implementation", s.Engine.Implementation)
}

// goTo asks the engine where something is; ask is not called when there is none.
func (s *Script) goTo(ctx context.Context, p protocol.TextDocumentPositionParams, what string, ask func(context.Context, string, protocol.Position) ([]protocol.Location, error)) ([]protocol.Location, error) {
	doc := s.Doc
	if s.Engine == nil {
		return []protocol.Location{}, nil
	}
	found, err := ask(ctx, doc.URI, doc.toEngine(p.Position))
	if err != nil {
		return []protocol.Location{}, s.unanswered(ctx, what, err)
	}
	return s.locations(found), nil
}

// declarationOf is where a tool is declared in the written tools.d.ts.
func declarationOf(snap *View, name string) (protocol.Location, bool) {
	file := snap.Workspace.Catalog.Declarations()
	at, ok := file.Positions[name]
	if !ok {
		return protocol.Location{}, false
	}
	text := NewDocument(snap.DeclarationsURI, 0, script.TypeScript, file.Text, snap.Client.Encoding)
	start := script.Position{Line: at.Line, Character: at.Character}
	length := len(name) // what is longer in the file is escaped, and then ASCII too
	if offset := text.OffsetUTF16(start); offset < len(file.Text) && file.Text[offset] == '"' {
		length += 2
	}
	end := script.Position{Line: at.Line, Character: at.Character + length}
	return protocol.Location{
		URI: uri.URI(snap.DeclarationsURI), Range: text.FromUTF16Range(script.Range{Start: start, End: end}),
	}, true
}

// locations are the engine's for the client: in its encoding, and those in the
// .d.ts in the file that was written.
func (s *View) locations(found []protocol.Location) []protocol.Location {
	shown := []protocol.Location{}
	var declarations *Document
	for _, l := range found {
		if l.URI == typescript.DeclarationsURI {
			if s.DeclarationsURI == "" {
				continue
			}
			if declarations == nil {
				text := s.Workspace.Catalog.Declarations().Text
				declarations = NewDocument(s.DeclarationsURI, 0, script.TypeScript, text, s.Client.Encoding)
			}
			shown = append(shown, protocol.Location{URI: uri.URI(s.DeclarationsURI), Range: declarations.fromEngine(l.Range)})
			continue
		}
		if d, ok := s.Docs[string(l.URI)]; ok {
			shown = append(shown, protocol.Location{URI: l.URI, Range: d.fromEngine(l.Range)})
		}
	}
	return shown
}

// References answers textDocument/references, in all open scripts.
func (s *Script) References(ctx context.Context, p *protocol.ReferenceParams) ([]protocol.Location, error) {
	doc := s.Doc
	if s.Engine == nil {
		return []protocol.Location{}, nil
	}
	found, err := s.Engine.References(ctx, doc.URI, doc.toEngine(p.Position), p.Context.IncludeDeclaration)
	if err != nil {
		return []protocol.Location{}, s.unanswered(ctx, "references", err)
	}
	shown := s.locations(found)
	slices.SortStableFunc(shown, func(a, b protocol.Location) int {
		return cmp.Or(cmp.Compare(a.URI, b.URI), ComparePositions(a.Range.Start, b.Range.Start))
	})
	return shown, nil
}
