package lsp

import (
	"strings"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// HOV-1: what was seen of results shows, said to be no more than that.
func TestHoverOfObservedShapes(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := initialized(t, w, `{"textDocument":{"hover":{"contentFormat":["markdown"]}},"experimental":{"codemode":{}}}`)
	w.change(func(s *workspace.Snapshot) {
		s.Catalog = pool("github", "get", "put").Offering(catalog.Offer{Observed: catalog.NewObserved(map[string]catalog.ObservedShape{
			"mcp__github__get": {Schema: jsontext.Value(`{"type":"object","properties":{"id":{"type":"number"}},"required":["id"]}`), Text: true},
		})})
	})
	c.notification("codemode/catalogChanged")
	c.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///x.exec.ts","languageId":"typescript","version":1,"text":"await tools.mcp__github__get();\nawait tools.mcp__github__put();"}}`)
	hover := func(line string) string {
		var h struct {
			Contents struct {
				Value string `json:"value"`
			} `json:"contents"`
		}
		answer := c.call("textDocument/hover", `{"textDocument":{"uri":"file:///x.exec.ts"},"position":{"line":`+line+`,"character":14}}`).ok()
		if err := json.Unmarshal([]byte(answer), &h); err != nil {
			t.Fatal(err)
		}
		return h.Contents.Value
	}
	text := hover("0")
	for _, want := range []string{"Seen in results so far", "JSON.parse", "`Observed_mcp__github__get`", "type Observed_mcp__github__get = {\n  id: number;\n};", "Promise<unknown>"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text := hover("1"); strings.Contains(text, "Seen in results") {
		t.Errorf("something was seen of a tool that was not called:\n%s", text)
	}
}
