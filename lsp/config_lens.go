package lsp

import (
	"context"
	"fmt"
	"strings"

	"codemode-ls/config"
	"codemode-ls/internal/plaintext"
	"codemode-ls/upstream"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// configLens shows the state of each server above its definition, and what can
// be done with it (CFG-1).
func (s *Server) configLens(snap *Snapshot, doc *Document) []protocol.CodeLens {
	lenses := []protocol.CodeLens{}
	f, ok := s.configFile(doc)
	if !ok {
		return lenses
	}
	for _, e := range f.Entries {
		at := doc.span(e.Name)
		add := func(title, command string, args ...any) {
			lenses = append(lenses, protocol.CodeLens{Range: at, Command: protocol.Command{Title: title, Command: command, Arguments: arguments(args...)}})
		}
		name := e.Server.Name
		v, ok := statusOf(snap, e)
		if !ok {
			if first, taken := before(snap, e); taken {
				add("not used: another one comes first, of "+plain(config.Origin(first), 100), CommandShowServers)
			}
			continue
		}
		add(statusWords(v), CommandShowServerLog, name)
		switch {
		case v.State == upstream.Untrusted:
			add("Show what it would do", CommandShowServerLog, name)
			add("Approve", CommandApproveServer, name, v.Server.ApprovalHash(), "allow")
			if !v.Refused {
				add("Refuse", CommandApproveServer, name, v.Server.ApprovalHash(), "deny")
			}
		case v.Server.Problem == "" && !v.Server.Disabled && len(v.Server.NeedsInput) == 0:
			add("Restart", CommandRestartServer, name)
		}
		if v.Stderr != "" {
			add("Show log", CommandShowServerLog, name)
		}
	}
	return lenses
}

// configSymbols are the servers of a configuration file, with their fields.
func (s *Server) configSymbols(snap *Snapshot, doc *Document) protocol.DocumentSymbolResult {
	f, ok := s.configFile(doc)
	if !ok {
		return protocol.DocumentSymbolSlice{}
	}
	if !snap.Client.HierarchicalSymbols {
		list := protocol.SymbolInformationSlice{}
		for _, e := range f.Entries {
			list = append(list, protocol.SymbolInformation{
				BaseSymbolInformation: protocol.BaseSymbolInformation{Name: symbolText(e.Server.Name), Kind: protocol.SymbolKindModule},
				Location:              protocol.Location{URI: uri.URI(doc.URI), Range: doc.span(e.Whole)},
			})
		}
		return list
	}
	tree := protocol.DocumentSymbolSlice{}
	for _, e := range f.Entries {
		symbol := protocol.DocumentSymbol{
			Name: symbolText(e.Server.Name), Kind: protocol.SymbolKindModule, Range: doc.span(e.Whole), SelectionRange: doc.span(e.Name),
		}
		if v, ok := statusOf(snap, e); ok {
			symbol.Detail = new(statusWords(v))
		}
		for _, m := range e.Fields {
			whole := config.Span{Start: m.Key.Start, End: max(m.Key.End, m.Value.End)}
			symbol.Children = append(symbol.Children, protocol.DocumentSymbol{
				Name: symbolText(m.Name), Detail: new(strings.TrimPrefix(m.Description, "a ")), Kind: protocol.SymbolKindProperty,
				Range: doc.span(whole), SelectionRange: doc.span(m.Key),
			})
		}
		tree = append(tree, symbol)
	}
	return tree
}

// symbolText is a name for a list: LSP forbids an empty one.
func symbolText(name string) string {
	if name = plain(name, 100); name != "" {
		return name
	}
	return "(no name)"
}

// configActions fix what has one fix: a misspelt name; and offer what a person can
// do with a server that is not there.
func (s *Server) configActions(snap *Snapshot, doc *Document, p *protocol.CodeActionParams) []protocol.CodeAction {
	f, ok := s.configFile(doc)
	if !ok {
		return nil
	}
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
		r := doc.span(e.Name)
		v, ok := statusOf(snap, e)
		if !ok || !overlaps(r, p.Range) {
			continue
		}
		offer := func(title, code, command string, args ...any) {
			actions = append(actions, protocol.CodeAction{
				Title: title, Kind: &quickFix, Diagnostics: shownWith(p, r, code),
				Command: protocol.Command{Title: title, Command: command, Arguments: arguments(args...)},
			})
		}
		name := plain(e.Server.Name, 80)
		switch {
		case v.State == upstream.Untrusted:
			offer("Approve "+name+" as it is defined now", DiagnosticServerUntrusted, CommandApproveServer, e.Server.Name, v.Server.ApprovalHash(), "allow")
		case v.State == upstream.Failed && v.Server.Problem == "" && len(v.Server.NeedsInput) == 0:
			offer("Restart "+name, DiagnosticServerFailed, CommandRestartServer, e.Server.Name)
			offer("Show what "+name+" wrote", DiagnosticServerFailed, CommandShowServerLog, e.Server.Name)
		}
	}
	return actions
}

// shownWith are the client's diagnostics that an action belongs to.
func shownWith(p *protocol.CodeActionParams, r protocol.Range, code string) []protocol.Diagnostic {
	var list []protocol.Diagnostic
	for _, d := range p.Context.Diagnostics {
		if d.Range == r && codeText(d.Code) == code {
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

// commandShowServerLog opens what is known of one server: its state, its
// definition without values, and the last that it wrote.
func (s *Server) commandShowServerLog(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	name, _, err := argument[string](p, 0)
	if err != nil {
		return nil, err
	}
	for _, v := range snap.Workspace.Servers {
		if v.Server.Name != name {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s: %s\n", plain(name, 200), statusWords(v))
		fmt.Fprintf(&b, "from %s\n%s\n", plaintext.Exact(config.Origin(v.Server)), strings.Join(definitionLines(v.Server), "\n"))
		if v.Error != "" {
			fmt.Fprintf(&b, "\n%s\n", printable(v.Error))
		}
		if v.Stderr != "" {
			fmt.Fprintf(&b, "\nIts standard error ended with:\n%s\n", printable(v.Stderr))
		}
		return s.showText(ctx, snap, "server-"+fileName(name)+".log", b.String())
	}
	return nil, failure(CodeUnknownServer, "no server %q is configured", name)
}

// fileName is a name that can be a part of a file's.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, plain(name, 60))
}
