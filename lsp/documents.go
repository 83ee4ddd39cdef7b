package lsp

import (
	"path"

	"codemode-ls/analysis"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// title names a script as text for a person.
func title(d *analysis.Document) string {
	if d.URI == "" {
		return "a script"
	}
	return analysis.Plain(path.Base(uri.URI(d.URI).Path()), 80)
}

// outOfStep is the one diagnostic of a document whose text may not be the editor's.
func outOfStep(doc *analysis.Document) []protocol.Diagnostic {
	return []protocol.Diagnostic{{
		Severity: protocol.DiagnosticSeverityError, Code: protocol.String(analysis.DiagnosticOutOfStep), Source: analysis.Optional("codemode"),
		Message: protocol.String(analysis.Printable("The server's copy of this text may differ from yours: " + doc.Unreadable + ". Close the file and open it again; until then it is neither checked nor run.")),
	}}
}
