package analysis

import (
	"fmt"
	"strings"

	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// CodeLens answers textDocument/codeLens (LENS-1): what can be done with the
// script above its first line, and what would happen at each call.
func (s *Script) CodeLens() []protocol.CodeLens {
	snap, doc := s.View, s.Doc
	top := doc.Range(0, 0)
	lenses := []protocol.CodeLens{
		{Range: top, Command: protocol.Command{Title: "▶ Run", Command: runCommand, Arguments: Arguments(doc.URI)}},
		{Range: top, Command: protocol.Command{Title: "Dry run", Command: dryRunCommand, Arguments: Arguments(doc.URI)}},
	}
	if s.Running {
		lenses = append(lenses, protocol.CodeLens{
			Range: top, Command: protocol.Command{Title: "■ Stop", Command: stopCommand, Arguments: Arguments(doc.URI)},
		})
	}
	if last, ok := snap.LastRuns[doc.URI]; ok {
		lenses = append(lenses, protocol.CodeLens{
			Range: top, Command: protocol.Command{Title: lastRunTitle(last.Result), Command: showRunCommand, Arguments: Arguments(last.Result.RunID)},
		})
	}
	uses := script.Uses(doc.Text)
	if title := usesTitle(snap, uses); title != "" {
		lenses = append(lenses, protocol.CodeLens{
			Range: top, Command: protocol.Command{Title: title, Command: showToolsCommand, Arguments: Arguments(doc.URI)},
		})
	}
	var states map[script.Position]string
	if !snap.Client.InlayHints { // else they stand beside the lines
		states = s.callStates()
	}
	for _, u := range uses {
		if lens, ok := callLens(snap, doc, u); ok {
			if state := states[u.Whole.Start]; state != "" {
				lens.Command.Title += " · " + state
			}
			lenses = append(lenses, lens)
		}
	}
	return lenses
}

// usesTitle says how many tools a script names, by what the rules say of them.
func usesTitle(snap *View, uses []script.Use) string {
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
	return fmt.Sprintf("last run: %s, %s", r.Status, FirstLine(r.Summary))
}

// callLens says what would happen at a call site. Its command changes the rule:
// what is asked for can be allowed, what is allowed can be asked for again.
func callLens(snap *View, doc *Document, u script.Use) (protocol.CodeLens, bool) {
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
		return Arguments(ruleChange{Rule: permission.Literal(u.Name), Effect: effect, Layer: "session"})
	}
	c := protocol.Command{Command: setPermissionCommand}
	title := PermissionState(decision)
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

// PermissionState is what would happen at a call now.
func PermissionState(d permission.Decision) string {
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
	return fmt.Sprintf(" by %s (%s)", Plain(r.Match, 80), r.Layer)
}
