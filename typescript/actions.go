package typescript

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// CodeActions are the quick fixes that TypeScript has for found, diagnostics of
// an open document, and, when only asks for them, its source actions (ACT-1,
// NAV-1). Ranges are the author's, in UTF-16 units, in both directions;
// diagnostics whose code is no number are not TypeScript's and are ignored. An
// action's edit has Changes alone, and all of them lie in that document.
func (e *Engine) CodeActions(ctx context.Context, u string, in protocol.Range, found []protocol.Diagnostic, only []protocol.CodeActionKind) ([]protocol.CodeAction, error) {
	var raw []jsontext.Value
	var asked []protocol.Diagnostic
	for _, f := range found {
		if _, ok := f.Code.(protocol.Integer); ok {
			asked = append(asked, f)
		}
	}
	d, err := e.request(ctx, u, protocol.MethodTextDocumentCodeAction, func(d *document) any {
		p := &protocol.CodeActionParams{TextDocument: identifier(d.virtual), Range: d.rangeToEngine(in)}
		p.Context.Only = only
		p.Context.Diagnostics = make([]protocol.Diagnostic, 0, len(asked))
		for _, f := range asked {
			p.Context.Diagnostics = append(p.Context.Diagnostics, protocol.Diagnostic{
				Range: d.rangeToEngine(f.Range), Severity: f.Severity, Code: f.Code, Source: f.Source, Message: f.Message,
			})
		}
		return p
	}, &raw)
	if err != nil {
		return nil, err
	}
	actions := d.spellings(asked, only)
	for _, r := range raw {
		var a protocol.CodeAction
		if protocol.Unmarshal(r, &a) != nil || a.Edit == nil {
			continue // a bare command: nothing of ours could run it
		}
		edits, ok := d.editsToAuthor(a.Edit)
		if !ok || len(edits) == 0 {
			continue
		}
		if a.Kind == nil {
			kind := protocol.CodeActionKindQuickFix
			a.Kind = &kind
		}
		a.Edit = &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{uri.URI(d.uri): edits}}
		for i := range a.Diagnostics {
			a.Diagnostics[i].Range = d.rangeToAuthor(a.Diagnostics[i].Range)
		}
		actions = append(actions, a)
	}
	return actions, nil
}

// editsToAuthor are the edits of one document at the author's places; false
// when one is elsewhere or would change the wrapper.
func (d *document) editsToAuthor(edit *protocol.WorkspaceEdit) ([]protocol.TextEdit, bool) {
	all := map[uri.URI][]protocol.TextEdit{}
	for at, edits := range edit.Changes {
		all[at] = append(all[at], edits...)
	}
	for _, change := range edit.DocumentChanges {
		c, ok := change.(*protocol.TextDocumentEdit)
		if !ok {
			return nil, false
		}
		for _, x := range c.Edits {
			t, ok := x.(*protocol.TextEdit)
			if !ok {
				return nil, false
			}
			all[c.TextDocument.URI] = append(all[c.TextDocument.URI], *t)
		}
	}
	var edits []protocol.TextEdit
	for at, list := range all {
		for _, x := range list {
			if string(at) != d.virtual || !d.inAuthor(x.Range) {
				return nil, false
			}
			x.Range, x.NewText = d.rangeToAuthor(x.Range), d.lineEnds(x.NewText)
			edits = append(edits, x)
		}
	}
	return edits, true
}

// lineEnds is a text that goes into the document, with its line ends.
func (d *document) lineEnds(text string) string {
	if !d.crlf || !strings.Contains(text, "\n") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// misspelled are the diagnostics that suggest the intended name.
var misspelled = []protocol.Integer{2551, 2552, 2561, 2568, 2570, 2724, 2820, 2833}

var (
	meant       = regexp.MustCompile(`Did you mean (?:to write )?'([^'\n]+)'\?`)
	namePattern = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*$`)
)

// spellings are quick fixes for names that TypeScript takes for misspelled. Its
// messages name the right one.
func (d *document) spellings(found []protocol.Diagnostic, only []protocol.CodeActionKind) []protocol.CodeAction {
	if len(only) > 0 && !slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool {
		return k == protocol.CodeActionKindEmpty || k == protocol.CodeActionKindQuickFix
	}) {
		return nil
	}
	var actions []protocol.CodeAction
	for _, f := range found {
		if code, _ := f.Code.(protocol.Integer); !slices.Contains(misspelled, code) {
			continue
		}
		words, ok := f.Message.(protocol.String)
		if !ok {
			continue
		}
		m := meant.FindStringSubmatch(string(words))
		if m == nil {
			continue
		}
		name := strings.Trim(m[1], `"`)
		at := f.Range
		written := d.textOf(d.rangeToEngine(at))
		if strings.HasPrefix(m[1], `"`) && namePattern.MatchString(written) && !d.isComputed(d.rangeToEngine(at)) {
			// The value is wrong, and the complaint is about the property.
			at, written = d.valueBehind(at)
		}
		switch {
		case strings.HasPrefix(written, `"`) && strings.HasSuffix(written, `"`), strings.HasPrefix(written, "'") && strings.HasSuffix(written, "'"):
			quote := written[:1]
			if strings.ContainsAny(name, quote+"\\\n") {
				continue
			}
			name = quote + name + quote
		case !namePattern.MatchString(written) || !namePattern.MatchString(name):
			continue
		case d.isComputed(d.rangeToEngine(f.Range)):
			name = `"` + name + `"` // the value of what is written is wrong, not its name
		}
		kind, preferred := protocol.CodeActionKindQuickFix, true
		actions = append(actions, protocol.CodeAction{
			Title: "Change spelling to " + name, Kind: &kind, IsPreferred: &preferred, Diagnostics: []protocol.Diagnostic{f},
			Edit: &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{
				uri.URI(d.uri): {{Range: at, NewText: name}},
			}},
		})
	}
	return actions
}

var propertyValue = regexp.MustCompile("^\\s*:\\s*(\"[^\"\\\\\n]*\"|'[^'\\\\\n]*')\\s*[,}\n\r]")

// valueBehind is the string that is the value of the property whose name is at a
// range of the author's, and where it stands; "" when it is none.
func (d *document) valueBehind(name protocol.Range) (protocol.Range, string) {
	end := offsetUTF16(d.text, d.toEngine(name.End))
	m := propertyValue.FindStringSubmatchIndex(d.text[end:])
	if m == nil || strings.ContainsAny(d.text[end:end+m[2]], "\r\n") {
		return name, ""
	}
	at := name.End
	at.Character += uint32(len(utf16.Encode([]rune(d.text[end : end+m[2]]))))
	written := d.text[end+m[2] : end+m[3]]
	to := at
	to.Character += uint32(len(utf16.Encode([]rune(written))))
	return protocol.Range{Start: at, End: to}, written
}

// isComputed says that a range of the engine's text stands between the brackets
// of an element access.
func (d *document) isComputed(r protocol.Range) bool {
	before := strings.TrimRight(d.text[:offsetUTF16(d.text, r.Start)], " \t\r\n")
	return strings.HasSuffix(before, "[")
}

// textOf is what stands in a range of the engine's text.
func (d *document) textOf(r protocol.Range) string {
	start, end := offsetUTF16(d.text, r.Start), offsetUTF16(d.text, r.End)
	if start > end {
		return ""
	}
	return d.text[start:end]
}

// offsetUTF16 is the byte offset of a position that counts UTF-16 units; what
// lies behind an end is that end.
func offsetUTF16(text string, p protocol.Position) int {
	at := 0
	for line := uint32(0); line < p.Line; line++ {
		i := strings.IndexAny(text[at:], "\r\n")
		if i < 0 {
			return len(text)
		}
		at += i + 1
		if text[at-1] == '\r' && at < len(text) && text[at] == '\n' {
			at++
		}
	}
	units := uint32(0)
	for i, r := range text[at:] {
		if units >= p.Character || r == '\n' || r == '\r' {
			return at + i
		}
		units += uint32(max(utf16.RuneLen(r), 1))
	}
	return len(text)
}
