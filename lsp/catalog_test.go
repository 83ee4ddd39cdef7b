package lsp

import (
	"strings"
	"testing"

	"codemode-ls/analysis/overview"
	"codemode-ls/catalog"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// What is asked of the pool: all about a tool at full depth, a server with its
// own words uncut, the list, and how many more a search has.
func TestQuestionsOfThePool(t *testing.T) {
	deep := `{"type":"object","properties":{"a":` + strings.Repeat(`{"type":"object","properties":{"a":`, 9) + `{"type":"string","const":"bottom"}` + strings.Repeat(`}}`, 9) + `}}`
	instructions := strings.Repeat("Mind the gap.\n", 5000)
	pool := catalog.New([]*catalog.Server{catalog.NewServer("git-hub", []jsontext.Value{
		jsontext.Value(`{"name":"deep","description":"Goes deep.\nSecond line.","inputSchema":` + deep + `}`),
		jsontext.Value(`{"name":"odd","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/nowhere"}}}}`),
		jsontext.Value(`{"name":"plain","inputSchema":{"type":"object"}}`),
	}, instructions, false)}, nil)
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{"experimental":{"codemode":{}},"textDocument":{"completion":{"completionItem":{"snippetSupport":true}}}}`)
	w.change(func(s *workspace.Snapshot) { s.Catalog = pool })
	c.notification("codemode/catalogChanged")

	var d Description
	decodeAnswer(t, c.call("codemode/describe", `{"name":"mcp__git-hub__deep"}`).ok(), &d)
	if !strings.Contains(d.Signature, `a?: "bottom";`) || d.Description != "Goes deep.\nSecond line." || len(d.Problems) != 0 {
		t.Errorf("%+v", d)
	}
	decodeAnswer(t, c.call("codemode/describe", `{"name":"mcp__git-hub__odd"}`).ok(), &d)
	if len(d.Problems) != 1 || !strings.Contains(d.Problems[0], "/inputSchema/properties/x/$ref: ") { // POOL-5
		t.Errorf("problems %q", d.Problems)
	}
	if d.Snippet != "({$1})$0" {
		t.Errorf("snippet %q", d.Snippet)
	}
	// VSC-4: another budget is tried without the tools being sent again.
	var names overview.Catalog
	decodeAnswer(t, c.call("codemode/catalog", `{"namesOnly":true,"budgetTokens":0}`).ok(), &names)
	if len(names.Tools) != 0 || len(names.ShownNames) != names.Shown || names.Total != 3 {
		t.Errorf("names only: %+v", names)
	}
	for _, name := range []string{"mcp__git-hub", "git-hub", "git_hub"} {
		var n catalog.NamespaceDescription
		decodeAnswer(t, c.call("codemode/namespace", `{"name":"`+name+`"}`).ok(), &n)
		if n.Name != "mcp__git-hub" || n.Instructions != instructions || len(n.Tools) != 3 {
			t.Errorf("%s: %s, %d bytes of instructions, tools %v", name, n.Name, len(n.Instructions), n.Tools)
		}
	}
	if m := c.call("codemode/namespace", `{"name":"githbu"}`).fails(int(CodeUnknownTool)); !strings.Contains(m.Error.Message, "did you mean mcp__git-hub?") {
		t.Error("nothing is suggested")
	}
	c.call("codemode/namespace", `{}`).fails(-32602)
	var list []catalog.Listed
	decodeAnswer(t, c.call("codemode/list", `{}`).ok(), &list)
	if len(list) != 3 {
		t.Errorf("list %v", list)
	}
	// SRCH-5
	for limit, want := range map[string]string{`1`: `[2]`, `2`: `[0,1]`, `3`: `[0,0,0]`} {
		var found []struct {
			Remaining int `json:"remaining"`
		}
		decodeAnswer(t, c.call("codemode/search", `{"limit":`+limit+`}`).ok(), &found)
		var remaining []int
		for _, f := range found {
			remaining = append(remaining, f.Remaining)
		}
		if got, _ := json.Marshal(remaining); string(got) != want {
			t.Errorf("limit %s: remaining %s, want %s", limit, got, want)
		}
	}
	// SRCH-6: never a silent empty query
	for _, wrong := range []string{`{"q":"deep"}`, `{"Query":"deep"}`, `{"query":"deep","max":1}`} {
		if m := c.call("codemode/search", wrong).fails(-32602); !strings.Contains(m.Error.Message, "query?: string;") {
			t.Errorf("%s: the expected shape is not shown: %s", wrong, m.Error.Message)
		}
	}
	c.call("codemode/search", `{"query":"deep","workDoneToken":1}`).ok()
}

func decodeAnswer(t *testing.T, answer string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(answer), into); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
}

// MCP-7: schemas reach the client byte for byte as the server sent them.
func TestMcp7DescribeByteForByte(t *testing.T) {
	schema := "{ \"type\" :\n\t\"ob\\u006aect\",\"properties\":{\"a\":{\"maximum\":1.0e2,\"const\":9007199254740993 , \"title\":\"\\/<é>\"}}}"
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{"experimental":{"codemode":{}}}`)
	w.change(func(s *workspace.Snapshot) {
		s.Catalog = catalog.New([]*catalog.Server{catalog.NewServer("odd", []jsontext.Value{
			jsontext.Value(`{"name":"tool","inputSchema":` + schema + `,"outputSchema":` + schema + `,"annotations":{ "title":"\u0061" }}`),
		}, "", false)}, nil)
	})
	c.notification("codemode/catalogChanged")
	got := c.call("codemode/describe", `{"name":"mcp__odd__tool"}`).ok()
	for _, want := range []string{`"inputSchema":` + schema + `,`, `"outputSchema":` + schema + `,`, `"annotations":{ "title":"\u0061" },`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nis without %s", got, want)
		}
	}
}
