package lsp

import (
	"slices"
	"strings"
	"testing"

	"codemode-ls/analysis"
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
		doc := analysis.NewDocument(scriptURI, 1, "ts", text, tt.encoding)
		if diff := cmp.Diff(tt.want, doc.Tokens(engine, tt.in)); diff != "" {
			t.Errorf("%s, %v (-want +got)\n%s", tt.encoding, tt.in, diff)
		}
	}
}

// NAV-1: after an edit a client that can is sent what has changed of the tokens.
func TestNav1TokensDelta(t *testing.T) {
	tokens := func(lines ...uint32) (data []uint32) {
		for _, n := range lines {
			data = append(data, n, 0, 2, 8, 0)
		}
		return data
	}
	for _, tt := range []struct {
		name        string
		before, now []uint32
		start, gone int
	}{
		{"the same", tokens(0, 1, 2), tokens(0, 1, 2), 0, 0},
		{"one more", tokens(0, 1, 2), tokens(0, 1, 3, 2), 10, 0},
		{"one less", tokens(0, 1, 3, 2), tokens(0, 1, 2), 10, 5},
		{"the last one", tokens(0, 1), tokens(0, 1, 1), 10, 0},
		{"repeated", tokens(1, 1, 1), tokens(1, 1), 10, 5},
		{"all", tokens(1, 2), tokens(3), 0, 10},
		{"none before", nil, tokens(1), 0, 0},
		{"none now", tokens(1), nil, 0, 5},
	} {
		edits := tokensEdits(tt.before, tt.now)
		got := tt.before
		for _, e := range edits {
			if int(e.Start) != tt.start || int(e.DeleteCount) != tt.gone {
				t.Errorf("%s: %+v", tt.name, e)
			}
			got = slices.Concat(got[:e.Start], e.Data, got[e.Start+e.DeleteCount:])
		}
		if !slices.Equal(got, tt.now) || len(edits) > 1 {
			t.Errorf("%s: %v becomes %v by %+v", tt.name, tt.before, got, edits)
		}
	}

	client := able()
	client.TokensDelta = true
	g := newStage(t, client, "const a = 1;\nconst b = 2;\nreturn a + b;")
	id := protocol.TextDocumentIdentifier{URI: scriptURI}
	first, err := g.semanticTokensFull(t.Context(), g.snap, &protocol.SemanticTokensParams{TextDocument: id})
	if err != nil || first.ResultID == nil {
		t.Fatalf("%+v %v", first, err)
	}
	g.open("const a = 1;\nconst b = 2;\nconst c = 3;\nreturn a + b;")
	changed, err := g.semanticTokensDelta(t.Context(), g.snap, &protocol.SemanticTokensDeltaParams{TextDocument: id, PreviousResultID: *first.ResultID})
	delta, ok := changed.(*protocol.SemanticTokensDelta)
	if err != nil || !ok || len(delta.Edits) != 1 || len(delta.Edits[0].Data) != 5 || *delta.ResultID == *first.ResultID {
		t.Fatalf("%+v %v", changed, err)
	}
	again, err := g.semanticTokensDelta(t.Context(), g.snap, &protocol.SemanticTokensDeltaParams{TextDocument: id, PreviousResultID: *first.ResultID})
	if whole, ok := again.(*protocol.SemanticTokens); err != nil || !ok || len(whole.Data) != len(first.Data)+5 {
		t.Fatalf("of a result that is gone: %+v %v", again, err)
	}
}

// What is offered follows what the client knows.
func TestTokensDeltaIsOffered(t *testing.T) {
	for request, want := range map[string]string{`true`: `"full":true`, `{"delta":true}`: `"full":{"delta":true}`, `{"delta":false}`: `"full":true`} {
		c := connect(t, newFakeWorkspace(t, echo))
		got := c.call("initialize", `{"processId":null,"capabilities":{"textDocument":{"semanticTokens":{"requests":{"full":`+request+`},"tokenTypes":[],"tokenModifiers":[],"formats":["relative"]}}}}`).ok()
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s", request, got)
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
