package lsp

import (
	"context"
	"slices"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/script"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// applied is a text after edits, in the client's positions.
func applied(d *analysis.Document, edits []protocol.TextEdit) string {
	slices.SortStableFunc(edits, func(a, b protocol.TextEdit) int { return analysis.ComparePositions(a.Range.Start, b.Range.Start) })
	var b strings.Builder
	last := 0
	for _, e := range edits {
		start, end := d.Offsets(e.Range)
		b.WriteString(d.Text[last:max(start, last)])
		b.WriteString(e.NewText)
		last = max(end, last)
	}
	b.WriteString(d.Text[last:])
	return b.String()
}

func editsOf(a *protocol.CodeAction) []protocol.TextEdit {
	var all []protocol.TextEdit
	if a.Edit == nil {
		return nil
	}
	for _, edits := range a.Edit.Changes {
		all = append(all, edits...)
	}
	for _, c := range a.Edit.DocumentChanges {
		for _, e := range c.(*protocol.TextDocumentEdit).Edits {
			all = append(all, *e.(*protocol.TextEdit))
		}
	}
	return all
}

// actionsAt are the code actions for a range of the open script.
func (g *stage) actionsAt(ctx context.Context, at protocol.Range, only ...protocol.CodeActionKind) []*protocol.CodeAction {
	g.t.Helper()
	answer, err := g.codeAction(ctx, g.snap, &protocol.CodeActionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri.URI(scriptURI)}, Range: at, Context: protocol.CodeActionContext{Only: only},
	})
	if err != nil {
		g.t.Fatal(err)
	}
	var all []*protocol.CodeAction
	for _, a := range answer {
		all = append(all, a.(*protocol.CodeAction))
	}
	return all
}

// ACT-1: each fix does what it says, the diagnostic is gone afterwards, and
// nothing new has appeared.
func TestFixes(t *testing.T) {
	for _, encoding := range encodings {
		client := able()
		client.Encoding, client.CodeActionLiterals, client.CodeActionPreferred, client.DocumentChanges = encoding, true, true, true
		g := recordedStage(t, client)
		for _, c := range scriptCases(t, "fixes.txt") {
			_, title, _ := strings.Cut(c.name, ": ")
			before, after, ok := strings.Cut(c.text, "\n--\n")
			if !ok {
				t.Fatalf("fixes.txt:%d: no --", c.line)
			}
			// Something wide before it, so that columns differ.
			mark := strings.Index(before, "▮")
			text := strings.Replace(before, "▮", "", 1) + "\n"
			if strings.Fields(text)[0] == strings.Fields(after)[0] && !strings.HasPrefix(text, "//") {
				const wide = "/* ü😀 */ "
				text, after = wide+text, wide+after
				if mark >= 0 {
					mark += len(wide)
				}
			}
			g.fix(c, text, after, mark, title)
		}
	}
}

func (g *stage) fix(c scriptCase, text, after string, mark int, title string) {
	t := g.t
	t.Helper()
	doc := g.open(text)
	at := doc.Range(mark, mark)
	wrong, _ := g.problems(text, script.TypeScript)
	var only []protocol.CodeActionKind
	if mark < 0 {
		if len(wrong) == 0 {
			t.Errorf("fixes.txt:%d: nothing is wrong with it", c.line)
		}
		at = doc.Range(0, len(text))
	}
	if strings.HasPrefix(title, "Fix all") {
		only = append(only, protocol.CodeActionKindSourceFixAll)
	}
	all := g.actionsAt(t.Context(), at, only...)
	i := slices.IndexFunc(all, func(a *protocol.CodeAction) bool { return strings.HasPrefix(a.Title, title) })
	if i < 0 {
		var titles []string
		for _, a := range all {
			titles = append(titles, a.Title)
		}
		t.Errorf("fixes.txt:%d: no action %q among %q; problems %q", c.line, title, titles, wrong)
		return
	}
	got := applied(doc, editsOf(all[i]))
	if diff := cmp.Diff(after, got); diff != "" {
		t.Errorf("fixes.txt:%d: %s (-want +got)\n%s", c.line, title, diff)
		return
	}
	if left, why := g.problems(got, script.TypeScript); len(left) > 0 && !strings.Contains(text, "//*") {
		t.Errorf("fixes.txt:%d: after %q there is %q: %v", c.line, title, left, why)
	}
}

// actionTitles are the titles of the actions for a whole script.
func (g *stage) actionTitles(text string, only ...protocol.CodeActionKind) []string {
	g.t.Helper()
	d := g.open(text)
	var titles []string
	for _, a := range g.actionsAt(g.t.Context(), d.Range(0, len(text)), only...) {
		titles = append(titles, a.Title)
	}
	return titles
}

// ACT-1: what is no edit: decisions about a tool, and explanations.
func TestAct1Commands(t *testing.T) {
	client := able()
	client.CodeActionLiterals, client.CodeActionPreferred = true, true
	g := newStage(t, client, "")
	for _, tt := range []struct {
		text string
		only []protocol.CodeActionKind
		want []string
	}{
		{"await tools.mcp__github__create_issue({ owner: '', title: '', state: 'open' })", nil,
			[]string{"Allow mcp__github__create_issue always", "Deny mcp__github__create_issue"}},
		{"await tools.mcp__github__get_issue({ id: 1 })", nil, []string{"Ask again before mcp__github__get_issue", "Deny mcp__github__get_issue"}},
		{"await tools.mcp__github__secret({})", nil, []string{"Remove the rule that denies it: mcp__github__secret (user)", "Explain denied-tool"}},
		{"await tools.mcp__github__old({})", nil, []string{"Change to mcp__github__get_issue", "Allow mcp__github__old always", "Deny mcp__github__old", "Explain deprecated-tool"}},
		{"tools.mcp__github__get_issue({ id: 1 })", []protocol.CodeActionKind{"source"}, []string{"Fix all that can be fixed safely"}},
		{"tools.mcp__github__get_issue({ id: 1 })", []protocol.CodeActionKind{"refactor"}, nil},
		{"return 1", nil, nil},
	} {
		if diff := cmp.Diff(tt.want, g.actionTitles(tt.text, tt.only...)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.text, diff)
		}
	}
	// What the actions carry.
	d := g.open("await tools.mcp__github__create_isue({})")
	all := g.actionsAt(t.Context(), d.Range(6, 6+len("tools.mcp__github__create_isue")))
	first, last := all[0], all[len(all)-1]
	if first.IsPreferred == nil || !*first.IsPreferred || *first.Kind != "quickfix" || len(first.Diagnostics) != 1 || len(first.Edit.Changes) != 1 {
		t.Errorf("%+v", first)
	}
	if last.Command.Command != CommandExplain || string(last.Command.Arguments[0]) != `"unknown-tool"` || last.Edit != nil {
		t.Errorf("%+v", last)
	}
	if found := g.actionsAt(t.Context(), d.Range(0, 1)); len(found) != 0 {
		t.Errorf("actions elsewhere: %v", found)
	}
}

// ACT-1: a client that knows no literals gets commands, one that cannot apply
// edits only those that are none.
func TestAct1PlainClient(t *testing.T) {
	for _, apply := range []bool{true, false} {
		client := &clientCapabilities{Client: analysis.Client{Encoding: protocol.PositionEncodingKindUTF16, ApplyEdit: apply}}
		g := newStage(t, client, "tools.mcp__github__get_issue({ id: 1 })")
		answer, err := g.codeAction(t.Context(), g.snap, &protocol.CodeActionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.URI(scriptURI)},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range answer {
			got = append(got, a.(*protocol.Command).Command)
		}
		want := []string{CommandSetPermission, CommandSetPermission, CommandExplain}
		if apply {
			want = append([]string{CommandApplyEdit, CommandApplyEdit}, want...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}
