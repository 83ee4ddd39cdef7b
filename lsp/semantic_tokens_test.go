package lsp

import (
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

// LSP-2, NAV-1: tokens of the engine in other encodings, and those of a range.
func TestNav1SemanticTokens(t *testing.T) {
	const text = "a\n😀bb ccc\nd"
	engine := []uint32{0, 0, 1, 8, 1, 1, 2, 2, 8, 0, 0, 3, 3, 9, 0, 1, 0, 1, 8, 2} // a, bb, ccc, d
	second := &protocol.Range{Start: protocol.Position{Line: 1}, End: protocol.Position{Line: 2}}
	for _, tt := range []struct {
		encoding protocol.PositionEncodingKind
		in       *protocol.Range
		want     []uint32
	}{
		{"utf-16", nil, engine},
		{"utf-8", nil, []uint32{0, 0, 1, 8, 1, 1, 4, 2, 8, 0, 0, 3, 3, 9, 0, 1, 0, 1, 8, 2}},
		{"utf-32", nil, []uint32{0, 0, 1, 8, 1, 1, 1, 2, 8, 0, 0, 3, 3, 9, 0, 1, 0, 1, 8, 2}},
		{"utf-8", second, []uint32{1, 4, 2, 8, 0, 0, 3, 3, 9, 0}},
	} {
		doc := newDocument(scriptURI, 1, "ts", text, tt.encoding)
		if diff := cmp.Diff(tt.want, doc.tokens(engine, tt.in)); diff != "" {
			t.Errorf("%s, %v (-want +got)\n%s", tt.encoding, tt.in, diff)
		}
	}
}

// DIAG-2: when the pool changes, what depends on it is asked for again.
func TestDiag2SemanticTokensRefresh(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{"workspace":{"semanticTokens":{"refreshSupport":true},"inlayHint":{"refreshSupport":true}}}`)
	w.change(func(s *workspace.Snapshot) {
		s.Catalog = catalog.New([]*catalog.Server{catalog.NewServer("s", []jsontext.Value{
			jsontext.Value(`{"name":"t","inputSchema":{"type":"object"}}`),
		}, "", false)}, nil)
	})
	c.notification("workspace/semanticTokens/refresh")
	c.notification("workspace/inlayHint/refresh")
}
