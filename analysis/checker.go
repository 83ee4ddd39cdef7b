package analysis

import (
	"context"
	"fmt"

	"codemode-ls/catalog"
	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/typescript"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// A checker checks scripts before they run with the session's own engine, which
// has the declarations of the session's pool.
type checker struct{ engine *typescript.Engine }

// NewChecker checks with an engine that has the declarations of the pool.
func NewChecker(engine *typescript.Engine) exec.Checker { return checker{engine} }

// Check satisfies exec.Checker: what an editor would show, in the same words. Why a
// tool is not in the pool is the run's to report.
func (c checker) Check(ctx context.Context, source *script.Source, l script.Language, pool *catalog.Catalog) ([]exec.Diagnostic, error) {
	return Check(ctx, c.engine, &workspace.Snapshot{Catalog: pool, Rules: &permission.Rules{}}, source, l)
}

// Contract satisfies exec.Checker.
func (c checker) Contract(ctx context.Context, source *script.Source, l script.Language, _ *catalog.Catalog) (*script.Contract, error) {
	return c.engine.ReadContract(ctx, source, l)
}

// withoutProtocol are diagnostics for those who do not speak LSP; found counts UTF-16
// units.
func withoutProtocol(found []protocol.Diagnostic) []exec.Diagnostic {
	list := make([]exec.Diagnostic, 0, len(found))
	for _, d := range found {
		source, _ := d.Source.Get()
		list = append(list, exec.Diagnostic{
			Range: utf16Range(d.Range), Severity: int(d.Severity), Source: source,
			Code: CodeText(d.Code), Message: messageText(d.Message),
		})
	}
	return list
}

// CodeText is a diagnostic's code, a number or a word, as text.
func CodeText(code protocol.ProgressToken) string {
	if code == nil {
		return ""
	}
	return fmt.Sprint(code)
}

func messageText(m protocol.InlayHintTooltip) string {
	switch m := m.(type) {
	case protocol.String:
		return string(m)
	case *protocol.MarkupContent:
		return m.Value
	}
	return ""
}
