package configfile

import (
	"fmt"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/config"
	"codemode-ls/upstream"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Lenses show the state of each server above its definition, and what can be done
// with it.
func (file *File) Lenses() []protocol.CodeLens {
	snap, doc, f := file.View, file.Doc, file.Parsed
	lenses := []protocol.CodeLens{}
	for _, e := range f.Entries {
		at := doc.Span(e.Name)
		add := func(title, command string, args ...any) {
			lenses = append(lenses, protocol.CodeLens{Range: at, Command: protocol.Command{Title: title, Command: command, Arguments: analysis.Arguments(args...)}})
		}
		name := e.Server.Name
		v, ok := statusOf(snap, e)
		if !ok {
			if first, taken := before(snap, e); taken {
				add("not used: another one comes first, of "+analysis.Plain(config.Origin(first), 100), showServersCommand)
			}
			continue
		}
		add(StatusWords(v), showServerLogCommand, name)
		switch {
		case v.State == upstream.Untrusted:
			add("Show what it would do", showServerLogCommand, name)
			add("Approve", approveServerCommand, name, v.Server.ApprovalHash(), "allow")
			if !v.Refused {
				add("Refuse", approveServerCommand, name, v.Server.ApprovalHash(), "deny")
			}
		case v.Server.Problem == "" && !v.Server.Disabled && len(v.Server.NeedsInput) == 0:
			add("Restart", restartServerCommand, name)
		}
		if v.Stderr != "" {
			add("Show log", showServerLogCommand, name)
		}
	}
	return lenses
}

// Symbols are the servers of the file, with their fields.
func (file *File) Symbols() protocol.DocumentSymbolResult {
	snap, doc, f := file.View, file.Doc, file.Parsed
	if !snap.Client.HierarchicalSymbols {
		list := protocol.SymbolInformationSlice{}
		for _, e := range f.Entries {
			list = append(list, protocol.SymbolInformation{
				BaseSymbolInformation: protocol.BaseSymbolInformation{Name: symbolText(e.Server.Name), Kind: protocol.SymbolKindModule},
				Location:              protocol.Location{URI: uri.URI(doc.URI), Range: doc.Span(e.Whole)},
			})
		}
		return list
	}
	tree := protocol.DocumentSymbolSlice{}
	for _, e := range f.Entries {
		symbol := protocol.DocumentSymbol{
			Name: symbolText(e.Server.Name), Kind: protocol.SymbolKindModule, Range: doc.Span(e.Whole), SelectionRange: doc.Span(e.Name),
		}
		if v, ok := statusOf(snap, e); ok {
			symbol.Detail = new(StatusWords(v))
		}
		for _, m := range e.Fields {
			whole := config.Span{Start: m.Key.Start, End: max(m.Key.End, m.Value.End)}
			symbol.Children = append(symbol.Children, protocol.DocumentSymbol{
				Name: symbolText(m.Name), Detail: new(strings.TrimPrefix(m.Description, "a ")), Kind: protocol.SymbolKindProperty,
				Range: doc.Span(whole), SelectionRange: doc.Span(m.Key),
			})
		}
		tree = append(tree, symbol)
	}
	return tree
}

// symbolText is a name for a list: LSP forbids an empty one.
func symbolText(name string) string {
	if name = analysis.Plain(name, 100); name != "" {
		return name
	}
	return "(no name)"
}

// Actions fix what has one fix: a misspelled name; and offer what a person can do
// with a server that is not there.
func (file *File) Actions(p *protocol.CodeActionParams) []protocol.CodeAction {
	snap, doc, f := file.View, file.Doc, file.Parsed
	var actions []protocol.CodeAction
	quickFix := protocol.CodeActionKindQuickFix
	for _, v := range f.Findings {
		r := findingRange(doc, v)
		if v.Closest == "" || !overlaps(r, p.Range) {
			continue
		}
		start, end := doc.Offsets(r)
		written := doc.Text[start:end]
		text := v.Closest
		if strings.HasPrefix(written, `"`) {
			text = `"` + text + `"`
		}
		preferred := true
		actions = append(actions, protocol.CodeAction{
			Title: fmt.Sprintf("Change to %s", v.Closest), Kind: &quickFix, IsPreferred: &preferred,
			Diagnostics: shownWith(p, r, v.Code),
			Edit:        &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{uri.URI(doc.URI): {{Range: r, NewText: text}}}},
		})
	}
	actions = append(actions, inputActions(doc, f, p)...)
	for _, e := range f.Entries {
		r := doc.Span(e.Name)
		v, ok := statusOf(snap, e)
		if !ok || !overlaps(r, p.Range) {
			continue
		}
		offer := func(title, code, command string, args ...any) {
			actions = append(actions, protocol.CodeAction{
				Title: title, Kind: &quickFix, Diagnostics: shownWith(p, r, code),
				Command: protocol.Command{Title: title, Command: command, Arguments: analysis.Arguments(args...)},
			})
		}
		name := analysis.Plain(e.Server.Name, 80)
		switch {
		case v.State == upstream.Untrusted:
			offer("Approve "+name+" as it is defined now", DiagnosticServerUntrusted, approveServerCommand, e.Server.Name, v.Server.ApprovalHash(), "allow")
		case v.State == upstream.Failed && v.Server.Problem == "" && len(v.Server.NeedsInput) == 0:
			offer("Restart "+name, DiagnosticServerFailed, restartServerCommand, e.Server.Name)
			offer("Show what "+name+" wrote", DiagnosticServerFailed, showServerLogCommand, e.Server.Name)
		}
	}
	return actions
}

// shownWith are the client's diagnostics that an action belongs to.
func shownWith(p *protocol.CodeActionParams, r protocol.Range, code string) []protocol.Diagnostic {
	var list []protocol.Diagnostic
	for _, d := range p.Context.Diagnostics {
		if d.Range == r && analysis.CodeText(d.Code) == code {
			list = append(list, d)
		}
	}
	return list
}

func overlaps(a, b protocol.Range) bool {
	before := func(a, b protocol.Position) bool {
		return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
	}
	return !before(a.End, b.Start) && !before(b.End, a.Start)
}
