package lsp

import (
	"context"
	"fmt"
	"strings"

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
	uses := script.Uses(doc.Text)
	if title := usesTitle(snap, uses); title != "" {
		lenses = append(lenses, protocol.CodeLens{
			Range: top, Command: protocol.Command{Title: title, Command: CommandShowTools, Arguments: arguments(doc.URI)},
		})
	}
	var states map[script.Position]string
	if !snap.Client.InlayHints { // else they stand beside the lines
		states = s.states.at(doc)
	}
	for _, u := range uses {
		if lens, ok := callLens(snap, doc, u); ok {
			if state := states[u.Whole.Start]; state != "" {
				lens.Command.Title += " · " + state
			}
			lenses = append(lenses, lens)
		}
	}
	return lenses, nil
}

// usesTitle says how many tools a script names, by what the rules say of them.
func usesTitle(snap *Snapshot, uses []script.Use) string {
	names := map[string]bool{}
	count := map[permission.Effect]int{}
	for _, u := range uses {
		if u.Name == script.ReservedNamespace || names[u.Name] {
			continue
		}
		effect := snap.Workspace.Rules.Decide(u.Name).Effect
		if _, known := snap.Workspace.Catalog.Find(u.Name); !known && effect != permission.Deny {
			continue // a diagnostic's business
		}
		names[u.Name] = true
		count[effect]++
	}
	if len(names) == 0 {
		return ""
	}
	title := fmt.Sprintf("uses %d tools: ", len(names))
	if len(names) == 1 {
		title = "uses 1 tool: "
	}
	var parts []string
	for _, p := range []struct {
		effect permission.Effect
		words  string
	}{{permission.Allow, "allowed"}, {permission.Ask, "will ask"}, {permission.Deny, "denied"}} {
		switch n := count[p.effect]; {
		case n == len(names):
			parts = append(parts, p.words)
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, p.words))
		}
	}
	return title + strings.Join(parts, ", ")
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
	set := func(effect string) []protocol.LSPAny {
		return arguments(SetPermissionParams{Rule: permission.Literal(u.Name), Effect: effect, Layer: "session"})
	}
	c := protocol.Command{Command: CommandSetPermission}
	title := permissionState(decision)
	switch decision.Effect {
	case permission.Allow, permission.Deny:
		c.Arguments = set("ask")
	default:
		c.Arguments = set("allow")
	}
	if known && tool.Annotations.Destructive != nil && *tool.Annotations.Destructive {
		title += " · destructive"
	}
	c.Title = title
	return protocol.CodeLens{Range: doc.FromUTF16Range(u.NameRange), Command: c}, true
}

// permissionState is what would happen at a call now.
func permissionState(d permission.Decision) string {
	switch d.Effect {
	case permission.Allow:
		return "allowed" + byRule(d.Rule)
	case permission.Deny:
		return "denied" + byRule(d.Rule)
	default:
		return "will ask" + byRule(d.Rule)
	}
}

func byRule(r *permission.Rule) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf(" by %s (%s)", plain(r.Match, 80), r.Layer)
}
