package lsp

import (
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/typescript"
	"codemode-ls/typescript/enginetest"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

func (g *stage) hoverAt(marked string) (string, *protocol.Hover) {
	g.t.Helper()
	p := g.at(marked)
	h, err := g.hover(g.t.Context(), g.snap, &protocol.HoverParams{TextDocumentPositionParams: p})
	if err != nil {
		g.t.Fatal(err)
	}
	if h == nil {
		return "", nil
	}
	return h.Contents.(*protocol.MarkupContent).Value, h
}

// HOV-1
func TestHov1(t *testing.T) {
	g := newStage(t, able(), "")
	for _, tt := range []struct{ text, want, not string }{
		{"await tools.mcp__github__cre|ate_issue({})", "```typescript\ntools.mcp__github__create_issue(input: {|Creates an issue.|Server `github`, live|⚠ destructive|reaches the outside world|Permission: will ask", "](command:|<b>"},
		{"await tools['mcp__ddg-search__|search']({})", `tools["mcp__ddg-search__search"]|cached`, "live"},
		{"await tools.|mcp__github__get_issue({})", "only reads|Permission: allowed by the rule `mcp__github__get_*` (session)", "destructive"},
		{"await tools.mcp__github__secret|({})", "denied|by the rule `mcp__github__secret` (user)", ""},
		{"await tools.mcp__broken__x|({})", "Server broken has failed: exit status 1", ""},
		{"await tools.$codemode.sea|rch({})", "Finds MCP tools", ""},
		{"const r = await tools.mcp__github__create_issue({ owner: '', title: '', state: 'open' }); r.num|ber", "number|Its number", ""},
		{"await tools.mcp__github__create_issue({ ow|ner: '' })", "owner|Owner of the repository", ""},
		{"const lo|cal = 1", "const local: 1", ""},
		{"to|ols", "tools", ""},
	} {
		got, _ := g.hoverAt(tt.text)
		for _, want := range strings.Split(tt.want, "|") {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is missing in\n%s", tt.text, want, got)
			}
		}
		for _, not := range strings.Split(tt.not, "|") {
			if not != "" && strings.Contains(got, not) {
				t.Errorf("%s: %q is in\n%s", tt.text, not, got)
			}
		}
	}
}

// HOV-1, LSP-2: ranges in every encoding, and plain text for a client that has
// no Markdown.
func TestHoverEncodings(t *testing.T) {
	for _, encoding := range encodings {
		client := able()
		client.Encoding, client.MarkdownHover = encoding, false
		g := newStage(t, client, "")
		before := "'ü😀'; "
		width := map[protocol.PositionEncodingKind]uint32{"utf-8": 10, "utf-16": 7, "utf-32": 6}[encoding]
		got, h := g.hoverAt(before + "tools.mcp__github__get_i|ssue")
		want := protocol.Range{Start: protocol.Position{Character: width + 6}, End: protocol.Position{Character: width + 6 + 22}}
		if h == nil || *h.Range != want || strings.Contains(got, "```") || !strings.Contains(got, "tools.mcp__github__get_issue(input: {") {
			t.Errorf("%s: %+v %q, want %v", encoding, h, got, want)
		}
		got, h = g.hoverAt(before + "const lo|cal = 1")
		want = protocol.Range{Start: protocol.Position{Character: width + 6}, End: protocol.Position{Character: width + 11}}
		if h == nil || *h.Range != want || !strings.HasPrefix(got, "const local: 1") {
			t.Errorf("%s: %+v %q, want %v", encoding, h, got, want)
		}
	}
}

// A client that shows no Markdown gets the text that was quoted.
func TestUnmarkedQuotation(t *testing.T) {
	for _, in := range []string{
		"plain text, a snake_case_name.", "[click](command:x)", "![i](http://x/y.png) `a`", "<script>x</script>", "# Heading\n> quote\ntext\n---",
		"- one\n- # two\n1. ---", "one\n\ntwo\nthree", "&#60;b&gt;", "| a | b |\n|---|---|\n:-:", "_emphasis_ **strong** ~~gone~~ ",
		"see https://x.example/a_b*c*d\\*e, www.x.example (or me@x.example).", "http://a`b@c.d`", "- - - - x\n1.\n+ b",
	} {
		if back := analysis.Unmarked(analysis.QuoteMarkdown(in)); strings.Join(strings.Fields(back), " ") != strings.Join(strings.Fields(in), " ") {
			t.Errorf("%q comes back as %q", in, back)
		}
	}
}

// SIG-1
func TestSig1(t *testing.T) {
	g := newStage(t, able(), "")
	for _, tt := range []struct{ text, label, docs string }{
		{"await tools.mcp__github__create_issue(|)", "tools.mcp__github__create_issue(input: { owner: string; title: string;", "- `owner`: Owner of the repository|- `draft` (optional)"},
		{"await tools.mcp__github__create_issue({ owner: '|' })", "tools.mcp__github__create_issue(", "`owner`: Owner of the repository"},
		{"await tools.mcp__github__create_issue({ labels: [{ color: '|' }] })", "tools.mcp__github__create_issue(", "`labels[].color`: As hex"},
		{"await tools.mcp__github__create_issue({ owner: f(|) })\nfunction f(x: number) { return '' }", "f(x: number): string", ""},
		{"await tools.$codemode.search({ query: | })", `tools["$codemode"].search(`, "`query`"},
		{"Math.max(1, |)", "max(...values: number[]): number", ""},
	} {
		p := g.at(tt.text)
		help, err := g.signatureHelp(t.Context(), g.snap, &protocol.SignatureHelpParams{TextDocumentPositionParams: p})
		if err != nil || help == nil || len(help.Signatures) == 0 {
			t.Errorf("%s: %v %v", tt.text, help, err)
			continue
		}
		s := help.Signatures[0]
		if !strings.HasPrefix(s.Label, tt.label) {
			t.Errorf("%s: label %q", tt.text, s.Label)
		}
		if tt.docs == "" {
			continue
		}
		if label := string(s.Parameters[0].Label.(protocol.String)); !strings.Contains(s.Label, label) {
			t.Errorf("%s: parameter %q is not in the label", tt.text, label)
		}
		docs := s.Parameters[0].Documentation.(*protocol.MarkupContent).Value
		for _, want := range strings.Split(tt.docs, "|") {
			if !strings.Contains(docs, want) {
				t.Errorf("%s: %q is missing in\n%s", tt.text, want, docs)
			}
		}
	}
	p := g.at("const x = 1;|")
	if help, err := g.signatureHelp(t.Context(), g.snap, &protocol.SignatureHelpParams{TextDocumentPositionParams: p}); help != nil || err != nil {
		t.Errorf("%v %v", help, err)
	}
}

// NAV-1
func TestNav1(t *testing.T) {
	g := newStage(t, able(), "")
	define := func(marked string) []protocol.Location {
		p := g.at(marked)
		l, err := g.definition(t.Context(), g.snap, &protocol.DefinitionParams{TextDocumentPositionParams: p})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	lines := strings.Split(g.snap.Workspace.Catalog.Declarations().Text, "\n")
	for _, name := range []string{"mcp__github__get_issue", "mcp__ddg-search__search"} {
		l := define(`await tools["` + name[:8] + "|" + name[8:] + `"]({})`)
		if len(l) != 1 || string(l[0].URI) != g.snap.DeclarationsURI {
			t.Errorf("%s: %v", name, l)
			continue
		}
		r := l[0].Range
		if got := strings.Trim(lines[r.Start.Line][r.Start.Character:r.End.Character], `"`); got != name || r.End.Line != r.Start.Line {
			t.Errorf("%s: at %v stands %q", name, r, got)
		}
	}
	if l := define("const local = 1;\nreturn lo|cal"); len(l) != 1 || string(l[0].URI) != scriptURI || l[0].Range.Start != (protocol.Position{Character: 6}) {
		t.Errorf("a local: %v", l)
	}
	if l := define("const r = await tools.mcp__github__create_issue({ owner: '', title: '', state: 'open' }); r.num|ber"); len(l) != 1 ||
		string(l[0].URI) != g.snap.DeclarationsURI || !strings.HasPrefix(strings.TrimSpace(lines[l[0].Range.Start.Line]), "number") {
		t.Errorf("a field: %v", l)
	}
	if l := define("return 1|"); l == nil || len(l) != 0 {
		t.Errorf("nothing: %v", l)
	}
	p := g.at("const lo|cal = 1;\nreturn local")
	refs, err := g.references(t.Context(), g.snap, &protocol.ReferenceParams{TextDocumentPositionParams: p, Context: protocol.ReferenceContext{IncludeDeclaration: true}})
	if err != nil || len(refs) != 2 {
		t.Errorf("references: %v %v", refs, err)
	}
}

// TRUST-2: what a schema says of its fields is not live in what the engine answers
// about the declarations made of it.
func TestTrust2EngineDocumentation(t *testing.T) {
	const evil = `"![x](http://e.example/p.png) <img src=x> www.e.example a@e.example [y](command:z)\n# Head\n\u202eback \u200b\udb40\udc41end"`
	binary, err := enginetest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	pool := catalog.New([]*catalog.Server{catalog.NewServer("s", []jsontext.Value{
		tool(`"name":"t","inputSchema":{"type":"object","properties":{"field":{"type":"string","title":"<b>","default":"![d](http://d.example)","examples":["www.f.example"],"pattern":"<i>","description":` + evil + `}}},
			"outputSchema":{"type":"object","properties":{"out":{"type":"string","description":` + evil + `}},"required":["out"]}`),
	}, "", false)}, func(*catalog.Tool) bool { return true })
	g := newStageWith(t, able(), &workspace.Snapshot{Config: &config.Config{}, Catalog: pool, Rules: permission.NewRules(nil)},
		typescript.New(typescript.Options{Command: []string{binary, typescript.ChildCommand}}))
	check := func(where, text string) {
		t.Helper()
		_, prose, _ := strings.Cut(text, "\n```\n")
		if !strings.Contains(prose, "back") {
			t.Errorf("%s: %q says nothing of the field", where, text)
		}
		for _, live := range []string{"<img", " www.e.example", " a@e", "](command", "\n# ", " ![", "\n![", "\u200b", "\u202e", "\U000e0041", "(http://d.example)\""} {
			if strings.Contains(prose, live) && !strings.Contains(prose, "`"+strings.TrimSpace(live)) {
				t.Errorf("%s: %q is live in %q", where, live, prose)
			}
		}
	}
	text, _ := g.hoverAt("const r = await tools.mcp__s__t({ fie|ld: '' })")
	check("hover of an argument", text)
	text, _ = g.hoverAt("const r = await tools.mcp__s__t({})\nr.ou|t")
	check("hover of a result", text)
	for _, item := range g.complete("const r = await tools.mcp__s__t({})\nr.|").Items {
		if item.Label != "out" {
			continue
		}
		resolved, err := g.completionResolve(t.Context(), g.snap, &item)
		if err != nil {
			t.Fatal(err)
		}
		doc, ok := resolved.Documentation.(*protocol.MarkupContent)
		if !ok {
			t.Fatalf("no documentation: %+v", resolved)
		}
		check("completion", "\n```\n"+doc.Value)
	}
}
