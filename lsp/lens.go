package lsp

import (
	"context"
	"fmt"

	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// codeLens answers textDocument/codeLens (LENS-1): what can be done with the
// script above its first line, and what would happen at each call.
func (s *Server) codeLens(_ context.Context, snap *Snapshot, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	doc, err := snap.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if !doc.Script {
		return s.configLens(snap, doc), nil
	}
	top := doc.Range(0, 0)
	lenses := []protocol.CodeLens{
		{Range: top, Command: protocol.Command{Title: "▶ Run", Command: CommandRun, Arguments: arguments(doc.URI)}},
		{Range: top, Command: protocol.Command{Title: "Dry run", Command: CommandDryRun, Arguments: arguments(doc.URI)}},
	}
	if len(s.runningRuns(doc.URI)) > 0 {
		lenses = append(lenses, protocol.CodeLens{
			Range: top, Command: protocol.Command{Title: "■ Stop", Command: CommandStop, Arguments: arguments(doc.URI)},
		})
	}
	if last, ok := snap.LastRuns[doc.URI]; ok {
		lenses = append(lenses, protocol.CodeLens{
			Range: top, Command: protocol.Command{Title: lastRunTitle(last.Result), Command: CommandShowRun, Arguments: arguments(last.Result.RunID)},
		})
	}
	for _, u := range script.Uses(doc.Text) {
		if lens, ok := callLens(snap, doc, u); ok {
			lenses = append(lenses, lens)
		}
	}
	return lenses, nil
}

func lastRunTitle(r *exec.Result) string {
	return fmt.Sprintf("last run: %s, %s", r.Status, firstLine(r.Summary))
}

// callLens says what would happen at a call site. Its command changes the rule:
// what is asked for can be allowed, what is allowed can be asked for again.
func callLens(snap *Snapshot, doc *Document, u script.Use) (protocol.CodeLens, bool) {
	if !u.Called {
		return protocol.CodeLens{}, false
	}
	rules := snap.Workspace.Rules
	decision := rules.Decide(u.Name)
	tool, known := snap.Workspace.Catalog.Find(u.Name)
	if !known && decision.Effect != permission.Deny {
		return protocol.CodeLens{}, false // a diagnostic's business
	}
	title := ""
	set := func(effect string) []protocol.LSPAny {
		return arguments(SetPermissionParams{Rule: u.Name, Effect: effect, Layer: "session"})
	}
	c := protocol.Command{Command: CommandSetPermission}
	switch decision.Effect {
	case permission.Allow:
		title = "allowed" + byRule(decision.Rule)
		c.Arguments = set("ask")
	case permission.Deny:
		title = "denied" + byRule(decision.Rule)
		c.Arguments = set("ask")
	default:
		title = "will ask" + byRule(decision.Rule)
		c.Arguments = set("allow")
	}
	if known && tool.Annotations.Destructive != nil && *tool.Annotations.Destructive {
		title += " · destructive"
	}
	c.Title = title
	return protocol.CodeLens{Range: doc.FromUTF16Range(u.NameRange), Command: c}, true
}

func byRule(r *permission.Rule) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf(" by %s (%s)", plain(r.Match, 80), r.Layer)
}
