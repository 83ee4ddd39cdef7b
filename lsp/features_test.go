package lsp

import (
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/typescript"
	"codemode-ls/typescript/enginetest"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// A stage is a server with an engine, a pool and one open script, whose features
// are called without a wire.
type stage struct {
	*Server
	t    testing.TB
	snap *Snapshot
}

const scriptURI = "file:///w/a.exec.ts"

// able is a client that can do everything.
func able() *clientCapabilities {
	return &clientCapabilities{Client: analysis.Client{Encoding: protocol.PositionEncodingKindUTF16, Snippets: true, LabelDetails: true, MarkdownCompletion: true, DeprecatedTags: true, ResolveProperties: []string{"documentation", "detail"}, MarkdownHover: true, MarkdownSignature: true, SignatureActive: true, DiagnosticTags: true, DiagnosticRelated: true, DiagnosticCodeLink: true, DiagnosticData: true}}
}

func tool(fields string) jsontext.Value { return jsontext.Value("{" + fields + "}") }

// testPool is what the tests' servers offer.
func testPool(rules *permission.Rules) *catalog.Catalog {
	keep := func(t *catalog.Tool) bool { return rules.Decide(t.Name).Effect != permission.Deny }
	return catalog.New([]*catalog.Server{
		catalog.NewServer("github", []jsontext.Value{
			tool(`"name":"create_issue","description":"Creates an issue.\nSee [the site](command:evil) <b>now</b>.","annotations":{"destructiveHint":true,"openWorldHint":true},
				"inputSchema":{"type":"object","properties":{
					"owner":{"type":"string","description":"Owner of the repository"},"title":{"type":"string"},
					"state":{"enum":["open","closed"],"description":"What it is in"},"draft":{"type":"boolean"},"labels":{"type":"array","items":{"type":"object","properties":{"color":{"type":"string","description":"As hex"}}}}},
					"required":["owner","title","state"]},
				"outputSchema":{"type":"object","properties":{"number":{"type":"number","description":"Its number"}},"required":["number"]}`),
			tool(`"name":"get_issue","description":"Gets one.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"id":{"type":"number"}},"required":["id"]}`),
			tool(`"name":"old","deprecated":true,"description":"Use get_issue.","inputSchema":{"type":"object"}`),
			tool(`"name":"secret","inputSchema":{"type":"object"}`),
		}, "", false),
		catalog.NewServer("ddg-search", []jsontext.Value{
			tool(`"name":"search","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
		}, "", true),
	}, keep)
}

func newStage(t testing.TB, client *clientCapabilities, text string) *stage {
	t.Helper()
	binary, err := enginetest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	rules := permission.NewRules([]permission.Rule{
		{Effect: permission.Deny, Layer: permission.User, Match: "mcp__github__secret"},
		{Effect: permission.Allow, Layer: permission.Session, Match: "mcp__github__get_*"},
	})
	g := newStageWith(t, client, &workspace.Snapshot{
		Config: config.Load(config.Sources{}), Catalog: testPool(rules), Rules: rules,
		Servers: []upstream.Status{
			{Server: config.Server{Name: "github"}, State: upstream.Connected},
			{Server: config.Server{Name: "slow"}, State: upstream.Connecting},
			{Server: config.Server{Name: "broken"}, State: upstream.Failed, Error: "exit status 1"},
		},
	}, typescript.New(typescript.Options{Command: []string{binary, typescript.ChildCommand}}))
	g.open(text)
	return g
}

func newStageWith(t testing.TB, client *clientCapabilities, w *workspace.Snapshot, engine *typescript.Engine) *stage {
	s := newServer(Options{CacheDir: t.TempDir()}, func(error) {})
	s.engine = engine
	if engine != nil {
		t.Cleanup(engine.Shutdown)
		engine.SetDeclarations(w.Catalog.Declarations().Views())
	}
	s.session.Edit(func(n *Snapshot) {
		n.setClient(client)
		n.Workspace, n.Opened, n.DeclarationsURI = w, true, "file:///cache/tools.d.ts"
	})
	return &stage{Server: s, t: t, snap: s.session.Snapshot()}
}

// open replaces the open script.
func (g *stage) open(text string) *analysis.Document {
	g.t.Helper()
	d := analysis.NewDocument(scriptURI, 1, script.TypeScript, text, g.snap.Client.Encoding)
	d.Script = true
	g.snap = g.session.setDocument(d)
	if g.engine != nil {
		g.engine.Close(scriptURI)
		g.engine.Open(scriptURI, script.TypeScript, 1, script.Read(text))
	}
	return d
}

// at opens a text without the mark | in it, and is the mark's position.
func (g *stage) at(marked string) protocol.TextDocumentPositionParams {
	g.t.Helper()
	offset := strings.Index(marked, "|")
	if offset < 0 {
		g.t.Fatalf("no | in %q", marked)
	}
	d := g.open(marked[:offset] + marked[offset+1:])
	return protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri.URI(scriptURI)}, Position: d.Position(offset),
	}
}

func (g *stage) complete(marked string) *protocol.CompletionList {
	g.t.Helper()
	list, err := g.completion(g.t.Context(), g.snap, &protocol.CompletionParams{TextDocumentPositionParams: g.at(marked)})
	if err != nil {
		g.t.Fatal(err)
	}
	return list
}

// items are the completions at the mark, by label.
func (g *stage) items(marked string) map[string]protocol.CompletionItem {
	g.t.Helper()
	p := g.at(marked)
	list, err := g.completion(g.t.Context(), g.snap, &protocol.CompletionParams{TextDocumentPositionParams: p})
	if err != nil {
		g.t.Fatal(err)
	}
	items := map[string]protocol.CompletionItem{}
	for _, i := range list.Items {
		name := itemName(i)
		if _, twice := items[name]; twice {
			g.t.Errorf("%s is offered twice", name)
		}
		items[name] = i
	}
	return items
}

// itemName is a tool's full name, or the label of what is none.
func itemName(i protocol.CompletionItem) string {
	if full, ok := i.FilterText.Get(); ok && strings.HasPrefix(full, "mcp__") {
		return full
	}
	return i.Label
}

// accept is the open text after an item was accepted.
func (g *stage) accept(item protocol.CompletionItem) string {
	g.t.Helper()
	d := g.snap.Docs[scriptURI]
	edits := append([]protocol.TextEdit{}, item.AdditionalTextEdits...)
	if e, ok := item.TextEdit.(*protocol.TextEdit); ok {
		edits = append(edits, *e)
	}
	text := d.Text
	for i := len(edits) - 1; i >= 0; i-- { // ours come in this order
		start, end := d.Offsets(edits[i].Range)
		text = text[:start] + edits[i].NewText + text[end:]
	}
	return text
}
