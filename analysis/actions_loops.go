package analysis

import (
	"regexp"
	"strings"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

const kindRewrite = protocol.CodeActionKindRefactorRewrite

// together turns a loop whose calls run one after another into calls that run at
// the same time. What the loop pushes stays in order.
func (m *fixer) together(f finding) (fix, bool) {
	l, ok := m.source.LoopAround(m.offset(f.at.Start))
	if !ok || l.Jumps || !l.Async || len(l.Statements) == 0 {
		return fix{}, false
	}
	part := func(s script.Span) string { return m.text[s.Start:s.End] }
	each, over := "", ""
	switch {
	case l.Over.End > l.Over.Start:
		each = part(l.Each)
		over = m.mapped(l.Over)
	default:
		each = "_, " + part(l.Index)
		over = "Array.from({ length: " + part(l.Count) + " }, "
	}
	body := ""
	if l.Collects {
		if len(l.Statements) == 1 {
			value := part(l.Collected)
			if strings.HasPrefix(value, "{") {
				value = "(" + value + ")"
			}
			body = value
		} else {
			last := l.Statements[len(l.Statements)-1]
			body = "{" + m.text[l.Body.Start:last.Start] + "return " + part(l.Collected) + ";" + m.text[last.End:l.Body.End] + "}"
		}
	} else if l.Block {
		body = "{" + part(l.Body) + "}"
	} else {
		body = "{ " + part(l.Body) + " }"
	}
	if !l.Collects && strings.Contains(body, ".push(") {
		return fix{}, false // what it collects would be in the order of the answers
	}
	text := "await Promise.all(" + over + "async (" + each + ") => " + body + "))"
	if l.Collects {
		text = part(l.Collector) + ".push(...(" + text + "))"
	}
	return fix{title: "Run the calls together with Promise.all", edits: []edit{{l.Start, l.End, text + ";"}}, preferred: true}, true
}

var arrayType = regexp.MustCompile(`(?m)^(?:\(\w+\) )?(?:const|let|var|parameter)?\s*[\w$]+: (?:readonly .*|.*\[\])$`)

// mapped is the beginning of a call that makes something of each element:
// list.map( for what is plainly an array, Array.from(list, for all else.
func (m *fixer) mapped(over script.Span) string {
	text := m.text[over.Start:over.End]
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") && m.source.LiteralAt(over.Start).End == over.End {
		return text + ".map("
	}
	if isIdentifier(text) && m.s.Engine != nil {
		hover, err := m.s.Engine.Hover(m.ctx, m.s.Doc.URI, engineAt(m.at.PositionUTF16(over.Start)))
		if err == nil && hover != nil {
			if c, ok := hover.Contents.(*protocol.MarkupContent); ok && arrayType.MatchString(c.Value) {
				return text + ".map("
			}
		}
	}
	return "Array.from(" + text + ", "
}

// engineAt is a position of package script for the engine.
func engineAt(p script.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}
