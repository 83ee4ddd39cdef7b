package lsp

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// INLAY-1: calls of tools that their server calls destructive or open to the
// world are marked, at the ends of their lines and within the range that is asked
// for. As the rules treat these calls differently, each shows what it would meet.
func TestInlay1CallMarks(t *testing.T) {
	g := newStage(t, able(), "")
	doc := g.open("/* 😀 */ await tools.mcp__github__create_issue({ owner: \"\", title: \"\", state: \"open\" });\n" +
		"await tools[\"mcp__github__create_issue\"]?.({ owner: \"\", title: \"\", state: \"open\" });\n" +
		"await tools.mcp__github__get_issue({ id: 1 });\nconst f = tools.mcp__github__create_issue;\n" +
		"await tools.mcp__github__secret({});\n// tools.mcp__github__create_issue({})\nreturn \"tools.mcp__github__create_issue({})\" + f;\n")
	for _, tt := range []struct {
		in   protocol.Range
		want []string
	}{
		{doc.Range(0, len(doc.Text)), []string{"0:88 ⚠ destructive · open world · will ask", "1:84 ⚠ destructive · open world · will ask", "2:46 allowed by mcp__github__get_* (session)", "4:36 denied by mcp__github__secret (user)"}},
		{protocol.Range{Start: protocol.Position{Line: 1}, End: protocol.Position{Line: 2}}, []string{"1:84 ⚠ destructive · open world · will ask"}},
		{protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 4}}, []string{"2:46 allowed by mcp__github__get_* (session)"}},
		{protocol.Range{Start: protocol.Position{Line: 3}, End: protocol.Position{Line: 4}}, nil},
	} {
		hints, err := g.inlayHint(t.Context(), g.snap, &protocol.InlayHintParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.URI(scriptURI)}, Range: tt.in,
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range hints {
			got = append(got, fmt.Sprintf("%d:%d %v", h.Position.Line, h.Position.Character, h.Label))
			if h.Tooltip == nil {
				t.Errorf("%v explains nothing", h)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v (-want +got)\n%s", tt.in, diff)
		}
	}
}
