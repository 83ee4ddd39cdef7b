package lsp

import (
	"testing"

	"codemode-ls/permission"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// PERF-3 without the wire.
func BenchmarkToolCompletion(b *testing.B) {
	g := newStageWith(b, able(), &workspace.Snapshot{Catalog: bigPool(5000), Rules: permission.NewRules(nil)}, nil)
	p := &protocol.CompletionParams{TextDocumentPositionParams: g.at("await tools.|")}
	for b.Loop() {
		if _, err := g.completion(b.Context(), g.snap, p); err != nil {
			b.Fatal(err)
		}
	}
}
