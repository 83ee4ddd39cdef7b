package editortest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/uri"
)

// A document is an open buffer and what the server has said of it.
type document struct {
	uri     string
	version int
	text    string
	// pushed are the newest published diagnostics; fresh since the last change.
	pushed jsontext.Value
	fresh  bool
}

// Position as on the wire.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range as on the wire.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Open opens a document.
func (e *Editor) Open(uri, text string) error {
	language := "codemode"
	if !strings.Contains(uri, ".exec.") {
		language = strings.TrimPrefix(filepath.Ext(uri), ".")
	}
	e.update(func() { e.docs[uri] = &document{uri: uri, version: 1, text: text} })
	return e.notify("textDocument/didOpen", struct {
		TextDocument struct {
			URI        string `json:"uri"`
			LanguageID string `json:"languageId"`
			Version    int    `json:"version"`
			Text       string `json:"text"`
		} `json:"textDocument"`
	}{struct {
		URI        string `json:"uri"`
		LanguageID string `json:"languageId"`
		Version    int    `json:"version"`
		Text       string `json:"text"`
	}{uri, language, 1, text}})
}

// CloseDocument closes it.
func (e *Editor) CloseDocument(uri string) error {
	e.update(func() { delete(e.docs, uri) })
	return e.notify("textDocument/didClose", about(uri))
}

// Text of an open document.
func (e *Editor) Text(uri string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d, ok := e.docs[uri]
	if !ok {
		return "", fmt.Errorf("%s is not open", uri)
	}
	return d.text, nil
}

// Edit replaces the bytes from start to end.
func (e *Editor) Edit(uri string, start, end int, text string) error {
	old, err := e.Text(uri)
	if err != nil {
		return err
	}
	at := Range{e.position(old, start), e.position(old, end)}
	version := 0
	e.update(func() {
		d := e.docs[uri]
		d.version++
		d.text = old[:start] + text + old[end:]
		d.fresh = false
		version = d.version
	})
	type change struct {
		Range Range  `json:"range"`
		Text  string `json:"text"`
	}
	return e.notify("textDocument/didChange", struct {
		TextDocument   versioned `json:"textDocument"`
		ContentChanges []change  `json:"contentChanges"`
	}{versioned{uri, version}, []change{{at, text}}})
}

type versioned struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

type identifier struct {
	URI string `json:"uri"`
}

// aboutDocument are the params of most requests.
type aboutDocument struct {
	TextDocument identifier `json:"textDocument"`
	Position     *Position  `json:"position,omitzero"`
}

func about(uri string) aboutDocument { return aboutDocument{TextDocument: identifier{uri}} }

func (e *Editor) notify(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return e.Notify(method, raw)
}

// Ask sends a request with params as a Go value and reads its answer into
// result.
func (e *Editor) Ask(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer, err := e.Call(ctx, method, raw)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, result)
}

// position is a byte offset in the negotiated encoding, found by walking: slow,
// and not the server's way.
func (e *Editor) position(text string, offset int) (p Position) {
	before := text[:offset]
	for i, r := range before {
		switch {
		case r == '\r' && i+1 < len(text) && text[i+1] == '\n':
			p.Character++
		case r == '\n' || r == '\r':
			p = Position{Line: p.Line + 1}
		default:
			p.Character += e.width(r)
		}
	}
	return p
}

func (e *Editor) width(r rune) int {
	switch e.encoding {
	case "utf-8":
		return utf8.RuneLen(r)
	case "utf-32":
		return 1
	}
	return len(utf16.Encode([]rune{r}))
}

// offset is a position as a byte offset.
func (e *Editor) offset(text string, p Position) int {
	line, rest := 0, 0
	for line < p.Line {
		i := strings.IndexAny(text[rest:], "\r\n")
		if i < 0 {
			return len(text)
		}
		rest += i + 1
		if text[rest-1] == '\r' && rest < len(text) && text[rest] == '\n' {
			rest++
		}
		line++
	}
	units := 0
	for i, r := range text[rest:] {
		if units >= p.Character || r == '\n' || r == '\r' {
			return rest + i
		}
		units += e.width(r)
	}
	return len(text)
}

// characters is a position for display: line and column in characters, from 1.
func (e *Editor) characters(text string, p Position) (line, column int) {
	offset := e.offset(text, p)
	start := e.offset(text, Position{Line: p.Line})
	return p.Line + 1, utf8.RuneCountInString(text[start:offset]) + 1
}

// published takes in what the server pushes.
func (e *Editor) published(params jsontext.Value) {
	var p struct {
		URI         string         `json:"uri"`
		Version     *int           `json:"version"`
		Diagnostics jsontext.Value `json:"diagnostics"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	e.update(func() {
		d, ok := e.docs[p.URI]
		if ok && (p.Version == nil || *p.Version == d.version) {
			d.pushed, d.fresh = p.Diagnostics, true
		}
	})
}

// A Diagnostic as a scenario shows it.
type Diagnostic struct {
	Range    Range          `json:"range"`
	Severity int            `json:"severity"`
	Code     jsontext.Value `json:"code"`
	Message  string         `json:"message"`
}

var severities = []string{"none", "error", "warning", "information", "hint"}

// Diagnostics of a document in lines, in the order of their places, once ok
// takes them. A client that pulls asks until then, each time that something has
// come from the server; others wait for what is pushed.
func (e *Editor) Diagnostics(ctx context.Context, uri string, ok func(lines []string) bool) (lines []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	for {
		e.mu.Lock()
		d, open := e.docs[uri]
		changed, ended := e.changed, e.ended
		var raw jsontext.Value
		if open && d.fresh {
			raw = d.pushed
		}
		e.mu.Unlock()
		switch {
		case !open:
			return nil, fmt.Errorf("%s is not open", uri)
		case ended != nil:
			return nil, ended
		}
		if e.pulls() {
			var report struct {
				Items jsontext.Value `json:"items"`
			}
			if err := e.Ask(ctx, "textDocument/diagnostic", about(uri), &report); err != nil {
				return nil, err
			}
			raw = report.Items
		}
		if raw != nil {
			if lines, err = e.lines(uri, raw); err != nil || ok(lines) {
				return lines, err
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return lines, fmt.Errorf("the diagnostics did not come; the last were\n%s", strings.Join(lines, "\n"))
		}
	}
}

// pulls says that the profile asks for diagnostics itself.
func (e *Editor) pulls() bool { return strings.Contains(e.profile.Capabilities, `"diagnostic":`) }

func (e *Editor) lines(uri string, raw jsontext.Value) ([]string, error) {
	text, err := e.Text(uri)
	if err != nil {
		return nil, err
	}
	var list []Diagnostic
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		if a.Range.Start.Line != b.Range.Start.Line {
			return a.Range.Start.Line - b.Range.Start.Line
		}
		return a.Range.Start.Character - b.Range.Start.Character
	})
	lines := []string{}
	for _, d := range list {
		line, column := e.characters(text, d.Range.Start)
		code := strings.Trim(string(d.Code), `"`)
		lines = append(lines, fmt.Sprintf("%d:%d %s %s %s", line, column, severities[min(max(d.Severity, 0), 4)], code, strings.ReplaceAll(d.Message, "\n", " ")))
	}
	return lines, nil
}

// applyEdit does what the server asks for, in open documents.
func (e *Editor) applyEdit(params jsontext.Value) string {
	var p struct {
		Edit struct {
			Changes         map[string][]textEdit `json:"changes"`
			DocumentChanges []struct {
				TextDocument identifier `json:"textDocument"`
				Edits        []textEdit `json:"edits"`
			} `json:"documentChanges"`
		} `json:"edit"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return `{"applied":false}`
	}
	for u, edits := range p.Edit.Changes {
		if e.apply(u, edits) != nil {
			return `{"applied":false}`
		}
	}
	for _, c := range p.Edit.DocumentChanges {
		if e.apply(c.TextDocument.URI, c.Edits) != nil {
			return `{"applied":false}`
		}
	}
	return `{"applied":true}`
}

type textEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// apply makes edits that all refer to the text as it is now.
func (e *Editor) apply(uri string, edits []textEdit) error {
	text, err := e.Text(uri)
	if err != nil {
		return err
	}
	// From the end to the start, so that places before stay right.
	slices.SortStableFunc(edits, func(a, b textEdit) int {
		return e.offset(text, b.Range.Start) - e.offset(text, a.Range.Start)
	})
	for _, t := range edits {
		if err := e.Edit(uri, e.offset(text, t.Range.Start), e.offset(text, t.Range.End), t.NewText); err != nil {
			return err
		}
	}
	return nil
}

// pathOf is a file URI's path.
func pathOf(u string) string { return uri.URI(u).FsPath() }
