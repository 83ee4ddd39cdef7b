package analysis

import (
	"context"
	"slices"
	"strings"
	"unicode/utf16"

	"codemode-ls/exec/input"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// Contract is what the script takes and returns; nil when it takes nothing, or when its
// types cannot be read now.
func (s *Script) Contract(ctx context.Context) *script.Contract {
	if s.Engine == nil || !s.Doc.Source.MayTakeInput() {
		return nil
	}
	c, err := s.Engine.Contract(ctx, s.Doc.URI)
	if err != nil {
		return nil
	}
	return c
}

// input reports what cannot be an input, and examples that do not fit.
func (d *Diagnosis) input() {
	if d.contract == nil || d.Pending {
		return
	}
	for _, p := range d.contract.Problems {
		if !d.reported(p.Range) {
			d.add(finding{at: firstLineIn(p.Range, d.text), Code: DiagnosticInputType, Severity: protocol.DiagnosticSeverityError, Message: p.Message})
		}
	}
	for _, x := range d.contract.Examples {
		if why := d.misfit(x); why != "" {
			d.add(finding{at: firstLineIn(x.Range, d.text), Code: DiagnosticInputExample, Severity: protocol.DiagnosticSeverityWarning, Message: why})
		}
	}
}

// reported reports whether TypeScript has an error within a range: what it cannot find is
// no type for JSON either.
func (d *Diagnosis) reported(in script.Range) bool {
	return slices.ContainsFunc(d.Types, func(t protocol.Diagnostic) bool {
		return t.Severity == protocol.DiagnosticSeverityError && covers(in, utf16Range(t.Range))
	})
}

// misfit says why an example is no input of the script, "" when it is.
func (d *Diagnosis) misfit(x script.Example) string {
	switch {
	case !d.contract.Takes:
		return ""
	case x.Input == nil:
		return "This example is not JSON, so the script cannot be run with it."
	case d.contract.Input == nil:
		return ""
	}
	found, err := input.Check(d.contract.Input, x.Input)
	if err != nil || len(found) == 0 {
		return ""
	}
	lines := make([]string, len(found))
	for i, m := range found {
		lines[i] = m.String()
	}
	return "This example does not fit the type of the input: " + strings.Join(lines, "; ") + "."
}

// firstLineIn is the part of a range that is on its first line.
func firstLineIn(r script.Range, text string) script.Range {
	if r.End.Line > r.Start.Line {
		line := script.LineOf(text, r.Start.Line)
		r.End = script.Position{Line: r.Start.Line, Character: len(utf16.Encode([]rune(strings.TrimRight(line, " \t"))))}
	}
	return r
}
