package analysis

import (
	"context"
	"slices"
	"strings"

	"codemode-ls/permission"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// Kinds of code actions besides those of LSP itself.
const (
	kindPermission = protocol.CodeActionKind("quickfix.codemode.permission")
	kindExplain    = protocol.CodeActionKind("quickfix.codemode.explain")
	kindFixAll     = protocol.CodeActionKind("source.fixAll.codemode")
)

// codeActionKinds are what textDocument/codeAction may answer with.
var codeActionKinds = []protocol.CodeActionKind{
	protocol.CodeActionKindQuickFix, protocol.CodeActionKindRefactorRewrite, kindFixAll,
}

// CodeActionProvider says what is offered: the kinds, to clients that know them.
func CodeActionProvider(c *Client) protocol.CodeActionProvider {
	if !c.CodeActionLiterals {
		return protocol.Boolean(true)
	}
	return &protocol.CodeActionOptions{CodeActionKinds: codeActionKinds}
}

// CodeAction answers textDocument/codeAction (ACT-1).
func (s *Script) CodeAction(ctx context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	snap := s.View
	found, err := s.actions(ctx, p)
	if err != nil {
		return nil, err
	}
	return ShownActions(snap.Client, found, p.Context.Only), nil
}

// ShownActions are actions of the kinds that a client asked for, in its form.
func ShownActions(client *Client, found []protocol.CodeAction, only []protocol.CodeActionKind) []protocol.CommandOrCodeAction {
	answer := []protocol.CommandOrCodeAction{}
	for i := range found {
		a := &found[i]
		if !requested(only, *a.Kind) {
			continue
		}
		if shown := forActionClient(client, a); shown != nil {
			answer = append(answer, shown)
		}
	}
	return answer
}

// requested reports whether a kind is one that the client asked for, or below it.
func requested(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	if len(only) == 0 {
		return !strings.HasPrefix(string(kind), "source.") // those run without being looked at
	}
	return slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return o == "" || kind == o || strings.HasPrefix(string(kind), string(o)+".")
	})
}

// forActionClient is an action for a client: one that knows no literals gets a
// command, which has the server apply the edit; nil when it cannot do that
// either.
func forActionClient(client *Client, a *protocol.CodeAction) protocol.CommandOrCodeAction {
	if client.CodeActionLiterals {
		if !client.CodeActionPreferred {
			a.IsPreferred = nil
		}
		return a
	}
	switch {
	case a.Edit == nil && a.Command.Command != "":
		c := a.Command
		return &c
	case a.Edit != nil && client.ApplyEdit:
		raw, err := protocol.Marshal(a.Edit)
		if err != nil {
			return nil
		}
		return &protocol.Command{Title: a.Title, Command: applyEditCommand, Arguments: []protocol.LSPAny{raw}}
	}
	return nil
}

// A fix is what one code action does to a text, before it is known how the
// client counts.
type fix struct {
	title     string
	kind      protocol.CodeActionKind // "" is quickfix
	edits     []edit
	preferred bool
	// safe says that it can be applied with others, unseen (source.fixAll).
	safe    bool
	command *protocol.Command // instead of edits
}

// An edit replaces bytes of a text.
type edit struct {
	start, end int
	text       string
}

// actions are the actions for a range of the script.
func (s *Script) actions(ctx context.Context, p *protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	doc := s.Doc
	d, err := s.Diagnosis(ctx)
	if err != nil {
		return nil, err
	}
	within := doc.UTF16Range(p.Range)
	m := fixer{Diagnosis: d, s: s, ctx: ctx, uses: doc.Source.Uses()}
	var all []protocol.CodeAction
	for _, f := range d.Found {
		if !touches(f.at, within) {
			continue
		}
		shown := s.ownDiagnostic(f)
		changes := m.fixes(f)
		for i := range changes {
			changes[i].preferred = i == 0 && changes[i].preferred
			all = append(all, m.action(changes[i], shown))
		}
	}
	for _, t := range d.Types {
		if at := utf16Range(t.Range); touches(at, within) {
			shown := s.typeDiagnostic(t)
			for _, c := range m.typeFixes(t) {
				all = append(all, m.action(c, shown))
			}
		}
	}
	all = append(all, m.engineActions(within)...)
	for _, c := range m.rewrites(within) {
		all = append(all, m.action(c))
	}
	for _, c := range m.permissions(within) {
		all = append(all, m.action(c))
	}
	for _, f := range d.Found {
		if touches(f.at, within) {
			all = append(all, m.action(explain(f.Code), s.ownDiagnostic(f)))
		}
	}
	if c, ok := m.fixAll(); ok {
		all = append(all, m.action(c))
	}
	return distinct(all), ctx.Err()
}

// touches reports whether two ranges have a place in common.
func touches(a, b script.Range) bool { return !earlier(a.End, b.Start) && !earlier(b.End, a.Start) }

// distinct leaves out actions that were offered before: one fix may repair several
// complaints.
func distinct(all []protocol.CodeAction) []protocol.CodeAction {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(a protocol.CodeAction) bool {
		key := a.Title
		if a.Edit != nil {
			if raw, err := protocol.Marshal(a.Edit); err == nil {
				key += "\x00" + string(raw)
			}
		}
		was := seen[key]
		seen[key] = true
		return was
	})
}

// explain opens the page of a diagnostic's code.
func explain(code string) fix {
	return fix{
		title: "Explain " + code, kind: kindExplain,
		command: &protocol.Command{Title: "Explain " + code, Command: explainCommand, Arguments: Arguments(code)},
	}
}

// A fixer makes the changes for one version of a script.
type fixer struct {
	*Diagnosis
	s    *Script
	ctx  context.Context //nolint:containedctx // lives as long as one request
	uses []script.Use
}

// action is a change as the client takes it.
func (m *fixer) action(c fix, about ...protocol.Diagnostic) protocol.CodeAction {
	kind := c.kind
	if kind == "" {
		kind = protocol.CodeActionKindQuickFix
	}
	a := protocol.CodeAction{Title: Plain(c.title, 200), Kind: &kind, Diagnostics: about}
	if c.preferred {
		yes := true
		a.IsPreferred = &yes
	}
	if c.command != nil {
		a.Command = *c.command
		return a
	}
	var edits []protocol.TextEdit
	for _, e := range c.edits {
		edits = append(edits, protocol.TextEdit{Range: m.at.Range(e.start, e.end), NewText: e.text})
	}
	a.Edit = m.s.workspaceEdit(map[string][]protocol.TextEdit{m.s.Doc.URI: edits})
	return a
}

// offset is where a position of the diagnosis lies in the text.
func (m *fixer) offset(p script.Position) int { return m.at.OffsetUTF16(p) }

func (m *fixer) replaced(r script.Range, text string) edit {
	return edit{m.offset(r.Start), m.offset(r.End), text}
}

// useAt is the use of tools whose name is at a place.
func (m *fixer) useAt(at script.Range) (script.Use, bool) {
	for _, u := range m.uses {
		if u.NameRange == at || u.Whole == at {
			return u, true
		}
	}
	return script.Use{}, false
}

// permissions are the decisions that a person can make about the tool at a
// place, once and for all.
func (m *fixer) permissions(within script.Range) []fix {
	var all []fix
	for _, u := range m.uses {
		if !touches(u.Whole, within) || u.Name == script.ReservedNamespace {
			continue
		}
		if _, known := m.Pool.Catalog.Find(u.Name); !known {
			continue
		}
		decision := m.Pool.Rules.Decide(u.Name)
		rule := permission.Literal(u.Name)
		set := func(title string, effect permission.Effect) {
			c := &protocol.Command{Title: title, Command: setPermissionCommand, Arguments: Arguments(ruleChange{
				Rule: rule, Effect: string(effect), Layer: m.s.Layer,
			})}
			all = append(all, fix{title: title, kind: kindPermission, command: c})
		}
		if decision.Effect != permission.Allow {
			set("Allow "+u.Name+" always", permission.Allow)
		} else if decision.Rule != nil {
			all = append(all, removeRule("Ask again before "+u.Name, decision.Rule))
		}
		set("Deny "+u.Name, permission.Deny)
	}
	return all
}

// removeRule removes a rule where it is kept.
func removeRule(title string, r *permission.Rule) fix {
	return fix{title: title, kind: kindPermission, command: &protocol.Command{
		Title: title, Command: setPermissionCommand,
		Arguments: Arguments(ruleChange{Rule: r.Match, Effect: "remove", Layer: string(r.Layer)}),
	}}
}

// fixAll is all safe fixes of the script in one.
func (m *fixer) fixAll() (fix, bool) {
	all := fix{title: "Fix all that can be fixed safely", kind: kindFixAll}
	take := func(list []fix) {
		for _, c := range list {
			if c.safe && !overlap(all.edits, c.edits) {
				all.edits = append(all.edits, c.edits...)
				return
			}
		}
	}
	for _, f := range m.Found {
		take(m.fixes(f))
	}
	for _, t := range m.Types {
		take(m.typeFixes(t))
	}
	return all, len(all.edits) > 0
}

func overlap(a, b []edit) bool {
	for _, x := range a {
		for _, y := range b {
			if x.start < y.end && y.start < x.end || x.start == y.start || x.end == y.end && x.start != x.end && y.start != y.end {
				return true
			}
		}
	}
	return false
}
