package lsp

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/internal/editortest"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// LSP-4: somebody types faster than anything is answered, while the pool
// changes. Each request is answered, either for the very text that it was sent
// about or with ContentModified; what is published is of the version that it
// names; and when the typing has ended, what the client has is right.
func TestLsp4FastTypist(t *testing.T) {
	const lines = 60
	pool := markerPool(t, map[string][]string{"servers": {"shop"}})
	capabilities := strings.Replace(markerCapabilities, `"diagnostic":{},`, ``, 1)
	capabilities = strings.Replace(capabilities, `"relatedInformation"`, `"versionSupport":true,"relatedInformation"`, 1)
	e, folder, w := startEditorOn(t, pool, strings.ReplaceAll(capabilities, "ENCODING", "utf-8"))
	if _, err := e.Call(t.Context(), MethodTypes, jsontext.Value(`{}`)); err != nil {
		t.Fatal(err)
	}
	u := editortest.URI(filepath.Join(folder, "typed.exec.ts"))
	if err := e.Open(u, ""); err != nil {
		t.Fatal(err)
	}
	about := `{"textDocument":{"uri":"` + u + `"}}`
	type asked struct {
		method string
		lines  int // of the text that it was sent about
		*editortest.Request
	}
	var requests []asked
	ask := func(method string, n int) {
		requests = append(requests, asked{method, n, e.Start(method, jsontext.Value(about))})
	}
	answered := map[string]int{}
	finish := func(i int) {
		t.Helper()
		r := requests[i]
		answer, err := r.Wait(t.Context())
		var refused *editortest.Error
		if errors.As(err, &refused) && refused.Code == int(protocol.LSPErrorCodesContentModified) && r.lines%15 != 0 {
			return
		}
		if err != nil {
			t.Fatalf("request %d, %s about %d lines: %v", i, r.method, r.lines, err)
		}
		answered[r.method]++
		if got := countIn(t, r.method, answer); got != r.lines {
			t.Errorf("request %d, %s about %d lines: the answer is about %d", i, r.method, r.lines, got)
		}
	}
	length := 0
	for n := range lines {
		line := fmt.Sprintf("const 变量%d: number = \"😀\";\n", n)
		half := len("const ")
		for _, part := range []string{line[:half], line[half:]} { // a name begins, and is there
			if err := e.Edit(u, length, length, part); err != nil {
				t.Fatal(err)
			}
			length += len(part)
		}
		for _, method := range []string{protocol.MethodTextDocumentDocumentSymbol, protocol.MethodTextDocumentDiagnostic, protocol.MethodTextDocumentSemanticTokensFull} {
			ask(method, n+1)
		}
		if (n+1)%15 == 0 { // a pause: nothing may be lost now
			for i := len(requests) - 3; i < len(requests); i++ {
				finish(i)
			}
		}
		if n%10 == 0 {
			w.change(func(s *workspace.Snapshot) {
				s.Catalog = catalog.New([]*catalog.Server{catalog.NewServer("s", []jsontext.Value{
					jsontext.Value(fmt.Sprintf(`{"name":"tool_%d","inputSchema":{"type":"object"}}`, n)),
				}, "", false)}, nil)
			})
		}
	}
	for i := range requests {
		if requests[i].lines%15 != 0 {
			finish(i)
		}
	}
	t.Logf("%d requests; answered in time: %v", len(requests), answered)
	if len(answered) != 3 {
		t.Errorf("some method was never answered: %v", answered)
	}
	// What was published, until what is there last.
	for last := false; !last; {
		note, err := e.Notification(t.Context(), "textDocument/publishDiagnostics", func(string) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		var p struct {
			Version     int
			Diagnostics []struct{ Severity int }
		}
		if err := json.Unmarshal(note, &p, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for _, d := range p.Diagnostics {
			if d.Severity == int(protocol.DiagnosticSeverityError) {
				wrong++
			}
		}
		// Two edits a line, and the document was opened with version 1.
		if whole := p.Version%2 == 1; whole && wrong != p.Version/2 {
			t.Errorf("version %d is published with %d errors", p.Version, wrong)
		}
		last = p.Version == 1+2*lines
	}
}

// countIn is how many lines of the typist an answer is about: each has one
// symbol, one error, one name.
func countIn(t *testing.T, method string, answer jsontext.Value) int {
	t.Helper()
	switch method {
	case protocol.MethodTextDocumentDocumentSymbol:
		var list []jsontext.Value
		if err := json.Unmarshal(answer, &list); err != nil {
			t.Fatal(err)
		}
		return len(list)
	case protocol.MethodTextDocumentDiagnostic:
		var report struct {
			Items []struct {
				Severity int `json:"severity"`
			} `json:"items"`
		}
		if err := json.Unmarshal(answer, &report); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, i := range report.Items {
			if i.Severity == int(protocol.DiagnosticSeverityError) {
				n++
			}
		}
		return n
	default:
		var tokens protocol.SemanticTokens
		if err := json.Unmarshal(answer, &tokens); err != nil {
			t.Fatal(err)
		}
		return len(tokens.Data) / 5
	}
}
