package analysis

import (
	"context"
	"fmt"
	"strings"

	"codemode-ls/permission"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// Hover answers textDocument/hover (HOV-1): of a tool, what the catalog and the
// rules know; of everything else, what TypeScript says.
func (s *Script) Hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	snap, doc := s.View, s.Doc
	if u, onMember, ok := useAt(doc, p.Position); ok {
		snap = s.newest(ctx)
		text, at := useDocumentation(snap, u, onMember)
		if text != "" {
			r := doc.FromUTF16Range(at)
			return &protocol.Hover{Contents: Markup(snap.Client.MarkdownHover, text), Range: &r}, nil
		}
	}
	if s.Engine == nil {
		return nil, nil
	}
	hover, err := s.Engine.Hover(ctx, doc.URI, doc.toEngine(p.Position))
	if err != nil {
		return nil, s.unanswered(ctx, "hover", err)
	}
	if hover == nil {
		return nil, nil
	}
	if hover.Range != nil {
		r := doc.fromEngine(*hover.Range)
		hover.Range = &r
	}
	if m, ok := hover.Contents.(*protocol.MarkupContent); ok {
		hover.Contents = engineMarkup(snap.Client.MarkdownHover, m.Value)
	}
	return hover, nil
}

// useDocumentation is what is said of the name in a use, in Markdown, and where
// the name stands; "" when only TypeScript may know.
func useDocumentation(snap *View, u script.Use, onMember bool) (string, script.Range) {
	switch {
	case onMember && u.Name == script.ReservedNamespace:
		if m, ok := member(u.Member); ok {
			return memberDocumentation(m), u.MemberRange
		}
		return "", u.MemberRange
	case onMember || u.Name == script.ReservedNamespace:
		return "", u.NameRange
	}
	if t, ok := snap.Workspace.Catalog.Find(u.Name); ok {
		return toolDocumentation(snap, t), u.NameRange
	}
	if d := snap.Workspace.Rules.Decide(u.Name); d.Effect == permission.Deny {
		return CodeSpan(u.Name) + "\n\nStatus: denied. " + permissionWords(d), u.NameRange
	}
	if !strings.HasPrefix(u.Name, "mcp__") {
		return "", u.NameRange
	}
	if why := Absence(snap.Workspace, u.Name); why != "" {
		return fmt.Sprintf("%s\n\n%s", CodeSpan(u.Name), QuoteMarkdown(why)), u.NameRange
	}
	return "", u.NameRange
}
