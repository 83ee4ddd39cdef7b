package lsp

import (
	"hash/maphash"

	"codemode-ls/catalog"
	"codemode-ls/permission"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// A published set of diagnostics is what the client shows for a document.
type published struct {
	hash    uint64
	version int32
	empty   bool
}

// publisher remembers what was sent. It belongs to the one goroutine that
// Watch runs at a time.
type publisher struct {
	seed maphash.Seed
	sent map[string]published
	// What the client was last asked to look at again.
	catalog   *catalog.Catalog
	rules     *permission.Rules
	workspace *workspace.Snapshot // for documents that show the state of servers
	// ruleProblems is ruleDiagnostics of the workspace rulesOf.
	rulesOf      *workspace.Snapshot
	ruleProblems map[string][]protocol.Diagnostic
}
