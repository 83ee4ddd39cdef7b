package analysis

import (
	"context"
	"maps"
	"slices"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// SignatureHelp answers textDocument/signatureHelp (SIG-1): inside of a tool's
// call from the catalog, with the docs of the field that the position is in;
// elsewhere what TypeScript says.
func (s *Script) SignatureHelp(ctx context.Context, p *protocol.SignatureHelpParams) (*protocol.SignatureHelp, error) {
	snap, doc := s.View, s.Doc
	if u, path, ok := doc.Source.ArgumentAt(doc.Offset(p.Position)); ok {
		if help := toolSignature(snap, u, path); help != nil {
			return help, nil
		}
	}
	if s.Engine == nil {
		return nil, nil
	}
	trigger := p.Context
	trigger.ActiveSignatureHelp = protocol.SignatureHelp{} // the last answer may have been ours
	help, err := s.Engine.SignatureHelp(ctx, doc.URI, doc.toEngine(p.Position), engineSignatureTrigger(trigger))
	if err != nil {
		return nil, s.unanswered(ctx, "signatureHelp", err)
	}
	if help == nil {
		return nil, nil
	}
	for i := range help.Signatures {
		g := &help.Signatures[i]
		if !snap.Client.SignatureActive {
			if n, ok := g.ActiveParameter.Get(); ok && help.ActiveParameter.IsZero() {
				help.ActiveParameter = protocol.NewNullable(n)
			}
			g.ActiveParameter = protocol.Nullable[uint32]{}
		}
		if m, ok := g.Documentation.(*protocol.MarkupContent); ok {
			g.Documentation = engineMarkup(snap.Client.MarkdownSignature, m.Value)
		}
		for j := range g.Parameters {
			if m, ok := g.Parameters[j].Documentation.(*protocol.MarkupContent); ok {
				g.Parameters[j].Documentation = engineMarkup(snap.Client.MarkdownSignature, m.Value)
			}
		}
	}
	return help, nil
}

// engineSignatureTrigger is the client's context without trigger characters
// that the engine does not know.
func engineSignatureTrigger(c protocol.SignatureHelpContext) *protocol.SignatureHelpContext {
	if c.TriggerCharacter != nil && !strings.Contains("(,<)", *c.TriggerCharacter) {
		c.TriggerKind, c.TriggerCharacter = protocol.SignatureHelpTriggerKindInvoked, nil
	}
	return &c
}

// toolSignature is the signature of the tool or member that a use calls; nil
// when there is none.
func toolSignature(snap *View, u script.Use, path []string) *protocol.SignatureHelp {
	var label, description string
	var input jsontext.Value
	if m, ok := member(u.Member); ok && u.Name == script.ReservedNamespace {
		label, description, input = m.Signature(), m.Description, m.Input
	} else if t, ok := snap.Workspace.Catalog.Find(u.Name); ok && u.Member == "" {
		label, description, input = snap.Workspace.Catalog.KnownSignature(t), signatureDescription(snap, t), t.InputSchema
	} else {
		return nil
	}
	label = oneLineType(label)
	information := protocol.SignatureInformation{
		Label:         label,
		Documentation: Markup(snap.Client.MarkdownSignature, QuoteMarkdown(description)),
	}
	if parameter := parameterOf(label); parameter != "" {
		information.Parameters = []protocol.ParameterInformation{{
			Label:         protocol.String(parameter),
			Documentation: Markup(snap.Client.MarkdownSignature, fieldDocumentation(input, path)),
		}}
	}
	zero := uint32(0)
	return &protocol.SignatureHelp{
		Signatures: []protocol.SignatureInformation{information}, ActiveSignature: &zero,
		ActiveParameter: protocol.NewNullable(zero),
	}
}

func signatureDescription(snap *View, t *catalog.Tool) string {
	text := strings.TrimSpace(t.Description)
	if text == "" {
		text = t.Title
	}
	if d := snap.Workspace.Rules.Decide(t.Name); d.Effect != "" {
		text = strings.TrimSpace(text + "\n\n" + strings.ReplaceAll(permissionWords(d), "`", ""))
	}
	return text
}

// oneLineType is a signature without its comments and line breaks.
func oneLineType(signature string) string {
	return Plain(jsDoc.ReplaceAllString(signature, ""), 2000)
}

// parameterOf is the parameter in a signature's label.
func parameterOf(label string) string {
	_, rest, ok := strings.Cut(label, "(")
	if !ok {
		return ""
	}
	if i := strings.LastIndex(rest, "): Promise<"); i >= 0 {
		depth := 0
		for j := range rest {
			switch rest[j] {
			case '(':
				depth++
			case ')':
				if depth == 0 {
					return rest[:j]
				}
				depth--
			}
		}
	}
	return ""
}

// fieldDocumentation is the documentation of the field that path leads to, and
// below it the fields that are there to be given.
func fieldDocumentation(input jsontext.Value, path []string) string {
	schema := schemaNode{input, input}
	var parts []string
	for i, name := range path {
		next, found := schema.step(name)
		if !found {
			// Still being typed: stay at what it is a part of.
			path = path[:i]
			break
		}
		schema = next
	}
	if len(path) > 0 {
		head := CodeSpan(strings.ReplaceAll(strings.Join(path, "."), ".[]", "[]"))
		if d := schema.description(); d != "" {
			head += ": " + QuoteMarkdown(d)
		}
		parts = append(parts, head)
	}
	required, properties := schema.branches()[0].fields()
	names := slices.SortedFunc(maps.Keys(properties), func(a, b string) int {
		ra, rb := slices.Index(required, a), slices.Index(required, b)
		switch {
		case ra >= 0 && rb >= 0:
			return ra - rb
		case ra >= 0:
			return -1
		case rb >= 0:
			return 1
		}
		return strings.Compare(a, b)
	})
	var lines []string
	for _, name := range names[:min(len(names), 40)] {
		line := "- " + CodeSpan(name)
		if !slices.Contains(required, name) {
			line += " (optional)"
		}
		if d := properties[name].description(); d != "" {
			line += ": " + QuoteMarkdown(Plain(d, 300))
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n\n")
}
