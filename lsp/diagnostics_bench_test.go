package lsp

import (
	"fmt"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/permission"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// PERF-4: what is added to TypeScript's diagnostics of a script with a wrong
// name in each of its 8,000 lines grows with the script, not with its square.
func BenchmarkDiagnosis(b *testing.B) {
	g := newStageWith(b, able(), recordedPool(b, permission.NewRules(nil)), nil)
	for _, lines := range []int{1000, 8000} {
		var text strings.Builder
		var types []protocol.Diagnostic
		for i := range lines {
			fmt.Fprintf(&text, "await tools.mcp__memory__read_grph({ a: %d });\n", i)
			at := func(c uint32) protocol.Position { return protocol.Position{Line: uint32(i), Character: c} }
			types = append(types, protocol.Diagnostic{
				Range: protocol.Range{Start: at(12), End: at(34)}, Code: protocol.Integer(2551),
				Message: protocol.String("Property 'mcp__memory__read_grph' does not exist on type 'Tools'."),
			})
		}
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			for b.Loop() {
				d := analysis.NewDiagnosis(g.snap.Workspace, true, analysis.NewDocument("", 0, script.TypeScript, text.String(), ""))
				d.Checked, d.Types = true, append([]protocol.Diagnostic(nil), types...)
				d.Run()
				if len(d.Found) != lines || len(d.Types) != 0 {
					b.Fatalf("%d found, %d left", len(d.Found), len(d.Types))
				}
			}
		})
	}
}
