package analysis

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// What a script consists of (NAV-1): symbols, folds, selections, highlights. All
// of it is TypeScript's, in the client's encoding and form.

// DocumentHighlight answers textDocument/documentHighlight.
func (s *Script) DocumentHighlight(ctx context.Context, p *protocol.DocumentHighlightParams) ([]protocol.DocumentHighlight, error) {
	doc := s.Doc
	if s.Engine == nil {
		return []protocol.DocumentHighlight{}, nil
	}
	found, err := s.Engine.Highlights(ctx, doc.URI, doc.toEngine(p.Position))
	if err != nil {
		return []protocol.DocumentHighlight{}, s.unanswered(ctx, "documentHighlight", err)
	}
	for i := range found {
		found[i].Range = doc.fromEngine(found[i].Range)
	}
	return OrEmpty(found), nil
}

// DocumentSymbol answers textDocument/documentSymbol: a tree, or a list for
// clients that know no trees.
func (s *Script) DocumentSymbol(ctx context.Context) (protocol.DocumentSymbolResult, error) {
	snap, doc := s.View, s.Doc
	if s.Engine == nil {
		return protocol.DocumentSymbolSlice{}, nil
	}
	found, err := s.Engine.Symbols(ctx, doc.URI)
	if err != nil {
		return protocol.DocumentSymbolSlice{}, s.unanswered(ctx, "documentSymbol", err)
	}
	if snap.Client.HierarchicalSymbols {
		return doc.symbolTree(found), nil
	}
	return doc.symbolList(found, "", protocol.SymbolInformationSlice{}), nil
}

func (d *Document) symbolTree(found []protocol.DocumentSymbol) protocol.DocumentSymbolSlice {
	tree := make(protocol.DocumentSymbolSlice, 0, len(found))
	for _, f := range found {
		f.Name = symbolName(f.Name)
		f.Range, f.SelectionRange = d.fromEngine(f.Range), d.fromEngine(f.SelectionRange)
		if len(f.Children) > 0 {
			f.Children = d.symbolTree(f.Children)
		}
		tree = append(tree, f)
	}
	return tree
}

func (d *Document) symbolList(found []protocol.DocumentSymbol, container string, list protocol.SymbolInformationSlice) protocol.SymbolInformationSlice {
	for _, f := range found {
		item := protocol.SymbolInformation{
			BaseSymbolInformation: protocol.BaseSymbolInformation{Name: symbolName(f.Name), Kind: f.Kind, Tags: f.Tags},
			Location:              protocol.Location{URI: uri.URI(d.URI), Range: d.fromEngine(f.Range)},
		}
		if container != "" {
			item.ContainerName = &container
		}
		list = d.symbolList(f.Children, item.Name, append(list, item))
	}
	return list
}

// symbolName is never empty: LSP forbids that.
func symbolName(name string) string {
	if name = Plain(name, 0); name == "" {
		return "(unnamed)"
	}
	return name
}

// FoldingRange answers textDocument/foldingRange.
func (s *Script) FoldingRange(ctx context.Context, p *protocol.FoldingRangeParams) ([]protocol.FoldingRange, error) {
	snap, doc := s.View, s.Doc
	if s.Engine == nil {
		return []protocol.FoldingRange{}, nil
	}
	found, err := s.Engine.Folding(ctx, doc.URI)
	if err != nil {
		return []protocol.FoldingRange{}, s.unanswered(ctx, "foldingRange", err)
	}
	shown := make([]protocol.FoldingRange, 0, len(found))
	for _, f := range found {
		f = doc.fold(f)
		if snap.Client.LineFolding {
			f.StartCharacter, f.EndCharacter = nil, nil
			if doc.closesAt(f.EndLine) && f.EndLine > f.StartLine {
				f.EndLine-- // so that the closing bracket stays in sight
			}
		}
		if f.EndLine > f.StartLine {
			shown = append(shown, f)
		}
	}
	if limit := snap.Client.FoldingLimit; limit > 0 && len(shown) > limit {
		shown = shown[:limit]
	}
	return shown, nil
}

// fold is a fold of the engine as the client counts.
func (d *Document) fold(f protocol.FoldingRange) protocol.FoldingRange {
	if f.StartCharacter != nil {
		c := d.fromEngine(protocol.Range{Start: protocol.Position{Line: f.StartLine, Character: *f.StartCharacter}}).Start.Character
		f.StartCharacter = &c
	}
	if f.EndCharacter != nil {
		c := d.fromEngine(protocol.Range{End: protocol.Position{Line: f.EndLine, Character: *f.EndCharacter}}).End.Character
		f.EndCharacter = &c
	}
	return f
}

// closesAt reports whether a line begins with what closes something.
func (d *Document) closesAt(line uint32) bool {
	start := d.Offset(protocol.Position{Line: line})
	rest := strings.TrimLeft(d.Text[start:], " \t")
	return rest != "" && strings.ContainsAny(rest[:1], "}])`>")
}

// SelectionRange answers textDocument/selectionRange.
func (s *Script) SelectionRange(ctx context.Context, p *protocol.SelectionRangeParams) ([]protocol.SelectionRange, error) {
	doc := s.Doc
	if s.Engine == nil || len(p.Positions) == 0 {
		return []protocol.SelectionRange{}, nil
	}
	positions := make([]protocol.Position, 0, len(p.Positions))
	for _, at := range p.Positions {
		positions = append(positions, doc.toEngine(at))
	}
	found, err := s.Engine.Selections(ctx, doc.URI, positions)
	if err != nil {
		return []protocol.SelectionRange{}, s.unanswered(ctx, "selectionRange", err)
	}
	for i := range found {
		for r := &found[i]; r != nil; r = r.Parent {
			r.Range = doc.fromEngine(r.Range)
		}
	}
	return OrEmpty(found), nil
}
