package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/typescript"

	"go.lsp.dev/protocol"
)

// InlayHint answers textDocument/inlayHint: TypeScript's own hints, as far as
// the settings ask for them, and at the ends of lines what is known of the calls
// in them.
func (s *Script) InlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	snap, doc := s.View, s.Doc
	hints := s.lineHints(p.Range)
	if s.Engine == nil {
		return hints, nil
	}
	s.Engine.SetInlayHints(engineHints(snap.Workspace.Config.InlayHints))
	found, err := s.Engine.InlayHints(ctx, doc.URI, doc.rangeToEngine(p.Range))
	if err != nil {
		return hints, s.unanswered(ctx, "inlayHint", err)
	}
	for _, h := range found {
		if strings.HasPrefix(hintText(h), "...") {
			continue // the name of a rest parameter says nothing of one argument
		}
		h.Position = doc.fromEngine(protocol.Range{Start: h.Position, End: h.Position}).Start
		h.TextEdits = doc.fromEngineEdits(h.TextEdits)
		if m, ok := h.Tooltip.(*protocol.MarkupContent); ok {
			h.Tooltip = engineMarkup(snap.Client.MarkdownHover, m.Value)
		}
		hints = append(hints, h)
	}
	slices.SortStableFunc(hints, func(a, b protocol.InlayHint) int { return ComparePositions(a.Position, b.Position) })
	return hints, nil
}

// hintText is the label of a hint, also of one in parts.
func hintText(h protocol.InlayHint) string {
	switch label := h.Label.(type) {
	case protocol.String:
		return string(label)
	case protocol.InlayHintLabelPartSlice:
		text := ""
		for _, part := range label {
			text += part.Value
		}
		return text
	}
	return ""
}

// engineHints are the settings as the engine knows them.
func engineHints(h config.InlayHintSettings) typescript.InlayHints {
	return typescript.InlayHints{
		ParameterNames: h.ParameterNames, VariableTypes: h.VariableTypes, ParameterTypes: h.ParameterTypes,
		ReturnTypes: h.ReturnTypes, EnumValues: h.EnumValues, PropertyTypes: h.VariableTypes,
	}
}

// A callMark is what is known of a call in a script.
type callMark struct {
	use   script.Use
	known bool // its tool is in the pool
	words []string
	why   []string
}

// callMarks are the calls of a script with what a person should see beside them,
// as far as the settings ask for it: what the server says of the tool, what the
// rules say of the call where that differs between the calls, and how the last run
// went.
func (s *Script) callMarks(uses []script.Use) []callMark {
	settings := s.View.Workspace.Config.Marks
	var states map[script.Position]string
	if settings.Results {
		states = s.callStates()
	}
	mixed := settings.Permissions && len(effects(s.View, uses)) > 1
	var marks []callMark
	for _, u := range uses {
		if !u.Called || u.Member != "" {
			continue
		}
		m := callMark{use: u}
		tool, known := s.View.Workspace.Catalog.Find(u.Name)
		m.known = known
		if known && settings.Annotations {
			words, why := warningWords(tool)
			if len(words) > 0 {
				m.words = words
				m.why = append(m.why, "The server of "+Plain(u.Name, 200)+" reports: "+strings.Join(why, "; ")+".")
			}
		}
		if decision := s.View.Workspace.Rules.Decide(u.Name); mixed && (known || decision.Effect == permission.Deny) {
			m.words = append(m.words, PermissionState(decision))
			m.why = append(m.why, "By the permission rules that are in force now.")
		}
		if state := states[u.Whole.Start]; state != "" {
			m.words = append(m.words, state)
			m.why = append(m.why, "The last run; the time is the call's own, without waiting for you.")
		}
		marks = append(marks, m)
	}
	return marks
}

// lineHints are the marks of the calls in a range, one hint at the end of each line.
func (s *Script) lineHints(in protocol.Range) []protocol.InlayHint {
	hints := []protocol.InlayHint{}
	last := -1
	for _, m := range s.callMarks(s.Doc.Source.Uses()) {
		if len(m.words) == 0 {
			continue
		}
		line := m.use.Whole.Start.Line
		words, why := strings.Join(m.words, " · "), strings.Join(m.why, " ")
		if line == last && len(hints) > 0 {
			h := &hints[len(hints)-1]
			h.Label = protocol.String(fmt.Sprintf("%v | %s", h.Label, words))
			h.Tooltip = protocol.String(fmt.Sprintf("%v %s", h.Tooltip, why))
			continue
		}
		at := s.Doc.FromUTF16(s.Doc.PositionUTF16(s.Doc.OffsetUTF16(script.Position{Line: line, Character: 1 << 30})))
		if ComparePositions(at, in.Start) < 0 || ComparePositions(in.End, at) < 0 {
			continue
		}
		last = line
		left := true
		hints = append(hints, protocol.InlayHint{Position: at, Label: protocol.String(words), PaddingLeft: &left, Tooltip: protocol.String(why)})
	}
	return hints
}

// warningWords are what a person should know before a tool is called: in a word
// each, and in full. Only what a server says itself counts: most say nothing.
func warningWords(t *catalog.Tool) (words, why []string) {
	if isDestructive(t) {
		words, why = append(words, "⚠ destructive"), append(why, "it may delete or overwrite things")
	}
	if open := t.Annotations.OpenWorld; open != nil && *open {
		words, why = append(words, "open world"), append(why, "it deals with systems outside, such as the web")
	}
	return words, why
}
