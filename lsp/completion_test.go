package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/permission"
	"codemode-ls/typescript"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// COMP-1, COMP-2: what accepting writes.
func TestComp1Accepting(t *testing.T) {
	g := newStage(t, able(), "")
	plainClient := able()
	plainClient.Snippets = false
	p := newStage(t, plainClient, "")
	for _, tt := range []struct{ text, label, snippet, plain string }{
		{"await tools.|", "mcp__github__get_issue", `await tools.mcp__github__get_issue({ id: ${1:0} })$0`, "await tools.mcp__github__get_issue"},
		{"'😀'; await tools.mcp__github__cr|;", "mcp__github__create_issue",
			`'😀'; await tools.mcp__github__create_issue({ owner: "${1}", title: "${2}", state: ${3|"open","closed"|} })$0;`,
			"'😀'; await tools.mcp__github__create_issue;"},
		{"await tools.|", "mcp__ddg-search__search", `await tools["mcp__ddg-search__search"]({ query: "${1}" })$0`, `await tools["mcp__ddg-search__search"]`},
		{"await tools?.ddg|", "mcp__ddg-search__search", `await tools?.["mcp__ddg-search__search"]({ query: "${1}" })$0`, `await tools?.["mcp__ddg-search__search"]`},
		{"await tools.\n  mcp__ddg|", "mcp__ddg-search__search", "await tools\n  [\"mcp__ddg-search__search\"]({ query: \"${1}\" })$0", "await tools\n  [\"mcp__ddg-search__search\"]"},
		{"await tools.mcp__ddg-se|", "mcp__ddg-search__search", `await tools["mcp__ddg-search__search"]({ query: "${1}" })$0`, `await tools["mcp__ddg-search__search"]`},
		{"await tools.g|({ id: 1 })", "mcp__github__get_issue", "await tools.mcp__github__get_issue({ id: 1 })", "await tools.mcp__github__get_issue({ id: 1 })"},
		{`await tools["|"]({})`, "mcp__ddg-search__search", `await tools["mcp__ddg-search__search"]({})`, `await tools["mcp__ddg-search__search"]({})`},
		{`await tools['mcp|`, "mcp__github__old", `await tools['mcp__github__old']`, `await tools['mcp__github__old']`},
		{"await tools.|", "mcp__github__old", "await tools.mcp__github__old({})$0", "await tools.mcp__github__old"},
		{"await tools.|", "$codemode", "await tools.$codemode", "await tools.$codemode"},
		{"await tools.$codemode.se|", "search", "await tools.$codemode.search", "await tools.$codemode.search"},
	} {
		for s, want := range map[*stage]string{g: tt.snippet, p: tt.plain} {
			item, ok := s.items(tt.text)[tt.label]
			if !ok {
				t.Errorf("%s: %s is missing", tt.text, tt.label)
				continue
			}
			if got := s.accept(item); got != want {
				t.Errorf("%s: accepting %s gives\n%s, want\n%s", tt.text, tt.label, got, want)
			}
			isSnippet := item.InsertTextFormat == protocol.InsertTextFormatSnippet
			if isSnippet != strings.Contains(want, "$0") {
				t.Errorf("%s: %s: snippet is %v", tt.text, tt.label, isSnippet)
			}
		}
	}
}

// COMP-1: no name is ranked before the others because accepting it takes the dot
// away: all items replace the same range, from what was typed on.
func TestComp1OneRange(t *testing.T) {
	ranges := map[protocol.Range]bool{}
	for _, item := range newStage(t, able(), "").items("await tools.|") {
		ranges[item.TextEdit.(*protocol.TextEdit).Range] = true
		if full, ok := item.FilterText.Get(); ok && strings.HasPrefix(full, ".") {
			t.Errorf("%s is compared with its dot", item.Label)
		}
	}
	if len(ranges) != 1 {
		t.Errorf("ranges %v", ranges)
	}
}

// COMP-1: the item as it is shown, for a client that can do everything and for
// one that can do nothing.
func TestComp1Shown(t *testing.T) {
	items := newStage(t, able(), "").items("tools.|")
	create := items["mcp__github__create_issue"]
	if create.Label != "create_issue" {
		t.Errorf("label %q: the tool's own name is what is seen in a narrow list", create.Label)
	}
	if create.LabelDetails == nil || !strings.Contains(*create.LabelDetails.Description, "github") ||
		!strings.Contains(*create.LabelDetails.Description, "destructive") || *create.LabelDetails.Detail != ": { number: number; }" {
		t.Errorf("label details %+v", create.LabelDetails)
	}
	if create.Documentation != nil {
		t.Error("documentation is not lazy")
	}
	if search := items["mcp__ddg-search__search"]; !strings.Contains(*search.LabelDetails.Description, "cached") || strings.Contains(*create.LabelDetails.Description, "cached") {
		t.Errorf("what is cached is not marked (LSP-1): %q, %q", *search.LabelDetails.Description, *create.LabelDetails.Description)
	}
	if old := items["mcp__github__old"]; len(old.Tags) != 1 {
		t.Errorf("tags of a deprecated tool: %v", old.Tags)
	}
	if _, ok := items["mcp__github__secret"]; ok {
		t.Error("a denied tool is offered")
	}
	if len(items) != 5 {
		t.Errorf("%d items", len(items))
	}

	plainClient := &clientCapabilities{Client: analysis.Client{Encoding: protocol.PositionEncodingKindUTF16}}
	create = newStage(t, plainClient, "").items("tools.|")["mcp__github__create_issue"]
	if create.Label != "mcp__github__create_issue" || create.LabelDetails != nil || create.Tags != nil {
		t.Error("more than the client can show")
	}
	if d, _ := create.Detail.Get(); d != "github: { number: number; } · ⚠ destructive" {
		t.Errorf("detail %q", d)
	}
	if m, ok := create.Documentation.(*protocol.MarkupContent); !ok || m.Kind != protocol.MarkupKindPlainText || !strings.Contains(m.Value, "[the site](command:evil) <b>now</b>") {
		t.Errorf("documentation %v", create.Documentation)
	}
}

func TestComp1Resolve(t *testing.T) {
	g := newStage(t, able(), "")
	item := g.items("tools.|")["mcp__github__create_issue"]
	resolved, err := g.completionResolve(t.Context(), g.snap, &item)
	if err != nil {
		t.Fatal(err)
	}
	text := resolved.Documentation.(*protocol.MarkupContent).Value
	for _, want := range []string{"tools.mcp__github__create_issue(input: {", "/** Owner of the repository */", "Creates an issue.", "will ask", "destructive"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	// TypeScript's own items go back to TypeScript.
	item = g.items("const s = 'x'; s.|")["trimEnd"]
	resolved, err = g.completionResolve(t.Context(), g.snap, &item)
	if err != nil {
		t.Fatal(err)
	}
	if d, _ := resolved.Detail.Get(); !strings.Contains(d, "trimEnd(): string") {
		t.Errorf("detail %q", d)
	}
}

// COMP-3: inside of arguments and on results, at any depth, in every encoding.
func TestComp3(t *testing.T) {
	for _, encoding := range encodings {
		client := able()
		client.Encoding = encoding
		g := newStage(t, client, "")
		for _, tt := range []struct{ text, want, not string }{
			{"const s = '😀ü'; await tools.mcp__github__create_issue({ owner: s, | })", "title state draft? labels?", "owner"},
			{"/* 😀 */ await tools.mcp__github__create_issue({ state: '|' })", "open closed", ""},
			{"/* 😀 */ await tools.mcp__github__create_issue({ owner: '', title: '', state: 'open', labels: [{ | }] })", "color?", "owner"},
			{"const r = await tools.mcp__github__create_issue({ owner: '😀', title: '', state: 'open' }); r.|", "number", "then"},
			{"const täx😀 = 1; const local = 2; lo|", "local", ""},
			{"const t = tools; t.|", "mcp__github__get_issue", ""},
		} {
			items := g.items(tt.text)
			for _, want := range strings.Fields(tt.want) {
				if _, ok := items[want]; !ok {
					t.Errorf("%s: %s: %s is missing", encoding, tt.text, want)
				}
			}
			if _, ok := items[tt.not]; ok && tt.not != "" {
				t.Errorf("%s: %s: %s is offered", encoding, tt.text, tt.not)
			}
		}
	}
}

// COMP-3: the values of a field before all else, in quotes and without, in arrays
// and in unions of objects; what scripts do not have is not offered.
func TestComp3Values(t *testing.T) {
	g := recordedStage(t, able())
	for _, tt := range []struct{ text, first, not string }{
		{"await tools.mcp__filesystem__edit_file({ | })", "path edits dryRun?", "arguments"},
		{"await tools.mcp__filesystem__edit_file({ path: '', edits: [{ oldText: '', | }] })", "newText", "oldText"},
		{"await tools.mcp__filesystem__list_directory_with_sizes({ path: '', sortBy: | })", `"name" "size"`, "arguments"},
		{"await tools.mcp__filesystem__list_directory_with_sizes({ path: '', sortBy: '|' })", "name size", ""},
		{"await tools.mcp__filesystem__list_directory_with_sizes({ path: '', sortBy: \"|", "name size", ""},
		{"await tools.mcp__filesystem__edit_file({ path: '', dryRun: | })", "true false", "eval"},
		{"await tools['mcp__notion__API-post-page']({ parent: { type: '|' } })", "database_id workspace", ""},
		{"await tools['mcp__git-cyanheads__git_changelog_analyze']({ reviewTypes: ['security', |] })", `"security" "features"`, ""},
		{"await tools['mcp__git-cyanheads__git_changelog_analyze']({ reviewTypes: ['|'] })", "security features", ""},
		{"const t = tools; t.mcp__memory__read|", "mcp__memory__read_graph", ""},
		{"`${await tools.mcp__memory__read|}`", "mcp__memory__read_graph", ""},
		{"return `${(await tools.mcp__memory__read_graph({})).|}`", "entities relations", ""},
		{"await tools.mcp__filesystem__edit_file(|)", "{¤…¤}", "arguments"},
		{"return |", "", "Atomics"},
	} {
		list := g.complete(tt.text)
		slices.SortStableFunc(list.Items, func(a, b protocol.CompletionItem) int {
			return strings.Compare(sortKey(a), sortKey(b))
		})
		for i, want := range strings.Fields(tt.first) {
			want = strings.ReplaceAll(want, "¤", " ")
			if i >= len(list.Items) || itemName(list.Items[i]) != want {
				t.Errorf("%s: item %d is not %s", tt.text, i, want)
			}
		}
		for _, item := range list.Items {
			if item.Label == tt.not && tt.not != "" {
				t.Errorf("%s: %s is offered", tt.text, tt.not)
			}
		}
	}
	if _, ok := g.items("function f() { return arg| }")["arguments"]; !ok {
		t.Error("a function's own arguments are not offered")
	}
	whole := g.items("await tools.mcp__filesystem__edit_file(|)")["{ … }"]
	if text, _ := whole.InsertText.Get(); text != `{ path: "${1}", edits: [${2}] }` || whole.InsertTextFormat != protocol.InsertTextFormatSnippet {
		t.Errorf("whole argument %q", text)
	}
	if got := g.accept(g.items("await tools['mcp__notion__API-post-page']({ parent: { type: 'da|' } })")["database_id"]); !strings.Contains(got, "{ type: 'database_id' }") {
		t.Errorf("accepted: %s", got)
	}
}

// sortKey is what a client sorts an item by.
func sortKey(item protocol.CompletionItem) string {
	if key, ok := item.SortText.Get(); ok {
		return key
	}
	return item.Label
}

func TestMatchName(t *testing.T) {
	for _, tt := range []struct {
		typed string
		rank  int
		ok    bool
	}{
		{"", 0, true}, {"mcp__git", 0, true}, {"MCP__G", 0, true}, {"issue", 2, true}, {"crissue", 4, true}, {"xyz", 0, false},
	} {
		if rank, ok := analysis.MatchName(tt.typed, "mcp__github__create_issue"); rank != tt.rank || ok != tt.ok {
			t.Errorf("%q: %d %v", tt.typed, rank, ok)
		}
	}
}

// bigPool is a pool of n tools on ten servers.
func bigPool(n int) *catalog.Catalog {
	var servers []*catalog.Server
	for s := range 10 {
		var tools []jsontext.Value
		for i := range n / 10 {
			tools = append(tools, tool(fmt.Sprintf(`"name":"do_thing_%04d","description":"Does thing %d.","inputSchema":{"type":"object","properties":{
				"query":{"type":"string","description":"What to look for."},"limit":{"type":"integer","minimum":1},"mode":{"enum":["auto","deep","fast"]},
				"filters":{"type":"array","items":{"type":"object","properties":{"field":{"type":"string"},"value":{"type":"string"}},"required":["field"]}}},"required":["query"]},
				"outputSchema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"number"},"name":{"type":"string"}}}}}}`, i, i)))
		}
		servers = append(servers, catalog.NewServer(fmt.Sprintf("srv%d", s), tools, "", false))
	}
	return catalog.New(servers, nil)
}

// A big pool is cut, fairly, and the client is told to ask again.
func TestComp1BigPool(t *testing.T) {
	rules := permission.NewRules(nil)
	g := newStageWith(t, able(), &workspace.Snapshot{Catalog: bigPool(5000), Rules: rules}, nil)
	list := g.complete("tools.|")
	if !list.IsIncomplete || len(list.Items) != analysis.MaxCompletions+1 {
		t.Fatalf("%d items, incomplete %v", len(list.Items), list.IsIncomplete)
	}
	servers := map[string]int{}
	for _, i := range list.Items {
		servers[strings.Split(itemName(i)+"__", "__")[1]]++
	}
	if len(servers) != 11 || servers["srv9"] != analysis.MaxCompletions/10 {
		t.Errorf("servers %v", servers)
	}
	list = g.complete("tools.srv7__do_thing_0123|")
	if list.IsIncomplete || len(list.Items) != 1 || itemName(list.Items[0]) != "mcp__srv7__do_thing_0123" {
		t.Errorf("%d items, incomplete %v", len(list.Items), list.IsIncomplete)
	}
}

// While there is no engine, tools are completed all the same, and the client
// asks again for the rest.
func TestCompletionWithoutEngine(t *testing.T) {
	dead := typescript.New(typescript.Options{Command: []string{"/no/such/engine"}})
	rules := permission.NewRules(nil)
	g := newStageWith(t, able(), &workspace.Snapshot{Catalog: testPool(rules), Rules: rules}, dead)
	if _, ok := g.items("tools.get_|")["mcp__github__get_issue"]; !ok {
		t.Error("tools are missing")
	}
	if list := g.complete("const x = 1; |"); !list.IsIncomplete || len(list.Items) != 0 {
		t.Errorf("%+v", list)
	}
}

// COMP-3: what is offered comes in the same order each time.
func TestComp3Order(t *testing.T) {
	g := recordedStage(t, able())
	var first string
	for range 5 {
		var labels []string
		for _, item := range g.complete("return |").Items {
			labels = append(labels, item.Label)
		}
		if all := strings.Join(labels, " "); first == "" {
			first = all
		} else if all != first {
			t.Fatalf("another order:\n%s\n%s", first, all)
		}
	}
}
