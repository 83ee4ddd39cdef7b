package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"codemode-ls/analysis"
	"codemode-ls/internal/editortest"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// unfinishedScripts are whole scripts over the servers of testdata/markers; the
// tests cut them off.
var unfinishedScripts = map[string]string{
	"a.exec.ts": "// @options: {\"timeout_ms\": 1000}\r\n" +
		"type Row = { name: string; price: number };\r\n" +
		"const 🚚 = \"😀\", words = [\"läm\tp\", `a ${\"b\"} c`];\r\n" +
		"\tconst all = await Promise.all(words.map((query) => tools.mcp__shop__find_products({ query, filter: { in_stock: true, tags: [query] } })));\r\n" +
		"const rows: Row[] = all.flatMap(({ products }) => products.map(({ name, price }) => ({ name, price })));\r\n" +
		"for (const row of rows) {\r\n\tif (/[a-z/]+/u.test(row.name)) await tools[\"mcp__shop__send-mail\"]({ to: \"😀\", subject: row.name });\r\n}\r\n" +
		"class Sum<T extends Row> { #n = 0; add(r: T) { this.#n += r.price; return this; } }\r\n" +
		"return rows.reduce((s, r) => s.add(r), new Sum<Row>());",
	"b.exec.js": "```js\n/** @typedef {{ id: string, tags?: string[] }} Row */\n/** @param {Row} row 😀 */\nasync function show(row) {\n  try {\n" +
		"    const { total } = await tools.mcp__shop__find_products({ query: row.id });\n    return `${total}: ${row.tags?.join(\", \") ?? \"none\"}`;\n" +
		"  } catch (e) { return e.message; } finally { console.log(\"done\"); }\n}\n// #region\nreturn [await show({ id: \"😀\" })];\n// #endregion\n```\n",
	"c.exec.ts": "import type { A } from './a';\nexport default async () => {\n  const a: A = await tools.mcp__shop__old_search({});\n  const s: \"😀\" | 'b' = \"😀\"; return { s, a, };\n};\n",
}

// everyFeature are all requests about a document, with what their params have
// besides it. POSITION and RANGE stand for those.
var everyFeature = []struct{ method, rest string }{
	{protocol.MethodTextDocumentCompletion, `"position":POSITION`},
	{protocol.MethodTextDocumentHover, `"position":POSITION`},
	{protocol.MethodTextDocumentSignatureHelp, `"position":POSITION`},
	{protocol.MethodTextDocumentDefinition, `"position":POSITION`},
	{protocol.MethodTextDocumentTypeDefinition, `"position":POSITION`},
	{protocol.MethodTextDocumentImplementation, `"position":POSITION`},
	{protocol.MethodTextDocumentReferences, `"position":POSITION,"context":{"includeDeclaration":true}`},
	{protocol.MethodTextDocumentDocumentHighlight, `"position":POSITION`},
	{protocol.MethodTextDocumentPrepareRename, `"position":POSITION`},
	{protocol.MethodTextDocumentRename, `"position":POSITION,"newName":"other"`},
	{protocol.MethodTextDocumentDocumentSymbol, ``},
	{protocol.MethodTextDocumentFoldingRange, ``},
	{protocol.MethodTextDocumentSelectionRange, `"positions":[POSITION]`},
	{protocol.MethodTextDocumentSemanticTokensFull, ``},
	{protocol.MethodTextDocumentSemanticTokensRange, `"range":RANGE`},
	{protocol.MethodTextDocumentInlayHint, `"range":RANGE`},
	{protocol.MethodTextDocumentFormatting, `"options":{"tabSize":2,"insertSpaces":true}`},
	{protocol.MethodTextDocumentRangeFormatting, `"range":RANGE,"options":{"tabSize":2,"insertSpaces":true}`},
	{protocol.MethodTextDocumentOnTypeFormatting, `"position":POSITION,"ch":"}","options":{"tabSize":2,"insertSpaces":true}`},
	{protocol.MethodTextDocumentDiagnostic, ``},
	{protocol.MethodTextDocumentCodeLens, ``},
}

// LSP-2: scripts that are cut off anywhere, as when a person types, are answered
// without an error, and each range of each answer lies in the document, in every
// encoding. CODEMODE_EVERY_OFFSET=1 cuts at every offset.
func TestLsp2Unfinished(t *testing.T) {
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			pool := markerPool(t, map[string][]string{"servers": {"shop"}})
			e, folder := startEditor(t, pool, strings.ReplaceAll(markerCapabilities, "ENCODING", encoding))
			if _, err := e.Call(t.Context(), MethodTypes, jsontext.Value(`{}`)); err != nil {
				t.Fatal(err)
			}
			for name, text := range unfinishedScripts {
				u := editortest.URI(filepath.Join(folder, name))
				if err := e.Open(u, ""); err != nil {
					t.Fatal(err)
				}
				at := 0
				for end := range len(text) + 1 {
					if !utf8.RuneStart((text + "x")[end]) || !cutHere(text, end) {
						continue
					}
					if err := e.Edit(u, at, at, text[at:end]); err != nil {
						t.Fatal(err)
					}
					at = end
					askEverything(t, e, u, text[:end], protocol.PositionEncodingKind(encoding))
				}
			}
		})
	}
}

// cutHere chooses offsets: some of all, and each behind a character after which
// editors ask.
func cutHere(text string, end int) bool {
	return os.Getenv("CODEMODE_EVERY_OFFSET") != "" || end == len(text) || end%23 == 0 || end > 0 && strings.ContainsRune("😀🚚.({\"", lastRune(text[:end])) && end%3 == 0
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

func askEverything(t *testing.T, e *editortest.Editor, u, text string, encoding protocol.PositionEncodingKind) {
	t.Helper()
	doc := analysis.NewDocument(u, 1, script.TypeScript, text, encoding)
	end := doc.Position(len(text))
	position := fmt.Sprintf(`{"line":%d,"character":%d}`, end.Line, end.Character)
	fill := strings.NewReplacer("POSITION", position, "RANGE", `{"start":{"line":0,"character":0},"end":`+position+`}`)
	for _, f := range everyFeature {
		params := `{"textDocument":{"uri":"` + u + `"}`
		if f.rest != "" {
			params += "," + fill.Replace(f.rest)
		}
		answer, err := e.Call(t.Context(), f.method, jsontext.Value(params+"}"))
		var refused *editortest.Error
		if errors.As(err, &refused) && refused.Code == int(protocol.LSPErrorCodesRequestFailed) && strings.Contains(f.method, "ename") {
			continue
		}
		if err != nil {
			t.Errorf("%s at the end of %q: %v", f.method, text, err)
			continue
		}
		if wrong := wrongPlaces(doc, f.method, answer); wrong != "" {
			t.Errorf("%s at the end of %q: %s in %.2000s", f.method, text, wrong, answer)
		}
	}
}

// wrongPlaces says which range in an answer is not one of the document.
func wrongPlaces(doc *analysis.Document, method string, answer jsontext.Value) string {
	var value any
	if err := json.Unmarshal(answer, &value); err != nil {
		return err.Error()
	}
	if strings.HasPrefix(method, "textDocument/semanticTokens") {
		var tokens protocol.SemanticTokens
		if err := json.Unmarshal(answer, &tokens); err != nil {
			return err.Error()
		}
		p := protocol.Position{}
		for i := 0; i+5 <= len(tokens.Data); i += 5 {
			if tokens.Data[i] > 0 {
				p = protocol.Position{Line: p.Line + tokens.Data[i]}
			}
			p.Character += tokens.Data[i+1]
			end := protocol.Position{Line: p.Line, Character: p.Character + tokens.Data[i+2]}
			if !hasPlace(doc, p) || !hasPlace(doc, end) {
				return fmt.Sprintf("token %v to %v", p, end)
			}
		}
		return ""
	}
	return wrongIn(doc, value)
}

func wrongIn(doc *analysis.Document, value any) string {
	switch v := value.(type) {
	case []any:
		for _, x := range v {
			if wrong := wrongIn(doc, x); wrong != "" {
				return wrong
			}
		}
	case map[string]any:
		for _, key := range []string{"uri", "targetUri"} {
			if u, ok := v[key].(string); ok && u != doc.URI {
				return "" // of another document
			}
		}
		if line, ok := v["line"].(float64); ok {
			p := protocol.Position{Line: uint32(line), Character: uint32(v["character"].(float64))}
			if !hasPlace(doc, p) {
				return fmt.Sprint(p)
			}
		}
		if end, ok := v["endLine"].(float64); ok && int(end) >= len(doc.Lines()) {
			return fmt.Sprint("line ", end)
		}
		for _, x := range v {
			if wrong := wrongIn(doc, x); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// has reports whether a position is one of the document.
func hasPlace(d *analysis.Document, p protocol.Position) bool { return d.Position(d.Offset(p)) == p }

// The tests above could not fail if this did not.
func TestWrongPlaces(t *testing.T) {
	doc := analysis.NewDocument("file:///a.exec.ts", 1, script.TypeScript, "const s = \"😀\";\r\nreturn s", protocol.PositionEncodingKindUTF16)
	for answer, right := range map[string]bool{
		`[{"range":{"start":{"line":0,"character":10},"end":{"line":1,"character":8}}}]`: true,
		`{"position":{"line":0,"character":12}}`:                                         false, // inside of a character
		`{"position":{"line":0,"character":16}}`:                                         false,
		`{"position":{"line":2,"character":0}}`:                                          false,
		`{"uri":"file:///b.exec.ts","range":{"start":{"line":7,"character":0}}}`:         true,
		`[{"startLine":0,"endLine":2}]`:                                                  false,
	} {
		if wrong := wrongPlaces(doc, "", jsontext.Value(answer)); (wrong == "") != right {
			t.Errorf("%s: %q", answer, wrong)
		}
	}
}
