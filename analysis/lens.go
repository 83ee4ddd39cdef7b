package analysis

import (
	"context"
	"fmt"
	"strings"

	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// CodeLens answers textDocument/codeLens (LENS-1): above the first line what can
// be done with the script, how its last run went and what its tools may do. What is
// known of single calls stands at the ends of their lines (InlayHint), or above them
// for clients without inlay hints.
func (s *Script) CodeLens(ctx context.Context) []protocol.CodeLens {
	snap, doc := s.View, s.Doc
	settings := snap.Workspace.Config.Marks
	top := doc.Range(0, 0)
	lenses := []protocol.CodeLens{}
	add := func(title, command string, argument any) {
		lenses = append(lenses, protocol.CodeLens{Range: top, Command: protocol.Command{Title: title, Command: command, Arguments: Arguments(argument)}})
	}
	if settings.Run {
		add("▶ Run", runCommand, doc.URI)
		add("Dry run", dryRunCommand, doc.URI)
		if s.Running {
			add("■ Stop", stopCommand, doc.URI)
		}
		lenses = append(lenses, s.exampleLenses(ctx)...)
	}
	if last, ok := snap.LastRuns[doc.URI]; ok && settings.LastRun {
		add(lastRunTitle(last.Result), showRunCommand, last.Result.RunID)
	}
	uses := doc.Source.Uses()
	if title := usesTitle(snap, uses); title != "" && settings.Tools {
		add(title, showToolsCommand, doc.URI)
	}
	if snap.Client.InlayHints {
		return lenses
	}
	for _, m := range s.callMarks(uses) {
		if len(m.words) > 0 {
			lenses = append(lenses, callLens(snap, doc, m))
		}
	}
	return lenses
}

// effects are the tools that a script names, by what the rules say of them. A tool
// that does not exist is a diagnostic's business.
func effects(snap *View, uses []script.Use) map[permission.Effect]map[string]bool {
	tools := map[permission.Effect]map[string]bool{}
	for _, u := range uses {
		if u.Name == script.ReservedNamespace {
			continue
		}
		effect := snap.Workspace.Rules.Decide(u.Name).Effect
		if _, known := snap.Workspace.Catalog.Find(u.Name); !known && effect != permission.Deny {
			continue
		}
		if tools[effect] == nil {
			tools[effect] = map[string]bool{}
		}
		tools[effect][u.Name] = true
	}
	return tools
}

// exampleLenses run the script with the inputs in its comment (EXEC-18).
func (s *Script) exampleLenses(ctx context.Context) (lenses []protocol.CodeLens) {
	c := s.Contract(ctx)
	if c == nil || !c.Takes {
		return nil
	}
	for _, x := range c.Examples {
		if x.Input == nil {
			continue
		}
		title := "▶ Run with this example"
		if x.Name != "" {
			title = "▶ Run: " + Plain(x.Name, 60)
		}
		lenses = append(lenses, protocol.CodeLens{
			Range:   s.Doc.FromUTF16Range(firstLineIn(x.Range, s.Doc.Text)),
			Command: protocol.Command{Title: title, Command: runCommand, Arguments: Arguments(s.Doc.URI, x.Input)},
		})
	}
	return lenses
}

// usesTitle says how many tools a script names, by what the rules say of them.
func usesTitle(snap *View, uses []script.Use) string {
	tools := effects(snap, uses)
	total := 0
	for _, names := range tools {
		total += len(names)
	}
	if total == 0 {
		return ""
	}
	title := fmt.Sprintf("uses %d tools: ", total)
	if total == 1 {
		title = "uses 1 tool: "
	}
	var parts []string
	for _, p := range []struct {
		effect permission.Effect
		words  string
	}{{permission.Allow, "allowed"}, {permission.Ask, "will ask"}, {permission.Deny, "denied"}} {
		switch n := len(tools[p.effect]); {
		case n == total:
			parts = append(parts, p.words)
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, p.words))
		}
	}
	return title + strings.Join(parts, ", ")
}

// lastRunTitle is how the last run went, in plain words.
func lastRunTitle(r *exec.Result) string {
	because := ""
	if r.Error != nil && r.Error.Message != "" {
		because = ": " + Plain(FirstLine(r.Error.Message), 60)
	}
	calls := ""
	if n := len(r.Calls); n == 1 {
		calls = ", 1 call"
	} else if n > 1 {
		calls = fmt.Sprintf(", %d calls", n)
	}
	switch r.Status {
	case exec.Completed:
		name := "last run: "
		if len(r.Calls) > 0 && r.Calls[0].Verdict != "" {
			name = "last dry run: "
		}
		return name + "completed" + calls
	case exec.Timeout:
		return "last run timed out" + calls
	case exec.BudgetExceeded:
		return "last run exceeded a limit" + because
	case exec.Cancelled:
		return "last run was stopped" + calls
	case exec.Denied:
		return "last run was denied a call" + calls
	default:
		return "last run failed" + because
	}
}

// callLens shows a call's marks above its line. Its command changes the rule: what
// asks can be allowed, what is allowed can ask again.
func callLens(snap *View, doc *Document, m callMark) protocol.CodeLens {
	effect := "ask"
	if snap.Workspace.Rules.Decide(m.use.Name).Effect == permission.Ask {
		effect = "allow"
	}
	return protocol.CodeLens{Range: doc.FromUTF16Range(m.use.NameRange), Command: protocol.Command{
		Title: strings.Join(m.words, " · "), Command: setPermissionCommand,
		Arguments: Arguments(ruleChange{Rule: permission.Literal(m.use.Name), Effect: effect, Layer: "session"}),
	}}
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
