package lsp

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// LSP-3: a document is called what the client calls it, however it writes URIs;
// all spellings of one mean the same document.
func TestLSP3Spellings(t *testing.T) {
	for _, u := range []string{
		"file:///C:/Users/me/a.exec.ts",
		"file:///c%3A/Users/me/a.exec.ts",
		"file:///w/with space/a.exec.ts",
		"file:///w/✓ \"quoted\".exec.ts",
		"untitled:a.exec.ts",
		"zipfile:/w/a.zip::b.exec.ts",
	} {
		quoted, err := jsontext.AppendQuote(nil, u)
		if err != nil {
			t.Fatal(err)
		}
		w := newFakeWorkspace(t, nil)
		c := connect(t, w)
		c.call("initialize", `{"processId":null,"rootUri":null,"capabilities":{}}`).ok()
		c.notify("initialized", `{}`)
		<-w.open
		c.notify("textDocument/didOpen", `{"textDocument":{"uri":`+string(quoted)+`,"languageId":"typescript","version":1,"text":"return 1 // \"file:///c%3A/Users/me/a.exec.ts\""}}`)
		about := `{"textDocument":{"uri":` + string(quoted) + `}}`
		if got := c.call("textDocument/codeLens", about).ok(); !strings.Contains(got, `[`+string(quoted)+`]`) {
			t.Errorf("%s: lenses %s", u, got)
		}
		published := c.notification("textDocument/publishDiagnostics")
		if !strings.Contains(string(published.Params), `"uri":`+string(quoted)) {
			t.Errorf("%s: published for %s", u, published.Params)
		}
		c.call("workspace/executeCommand", `{"command":"codemode.showTools","arguments":[`+string(quoted)+`]}`).ok()
		c.alive()
	}
}
