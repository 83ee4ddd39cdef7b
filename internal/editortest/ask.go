package editortest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
)

// at reads a PLACE: what it is about, and the words behind it.
func (s *scenario) at(ts *testscript.TestScript, args []string) (p aboutDocument, rest []string, err error) {
	if len(args) == 0 {
		return p, nil, fmt.Errorf("a PLACE is required: FILE:LINE:COLUMN, or FILE and a text with |")
	}
	file, offset := args[0], -1
	parts := strings.Split(args[0], ":")
	if n := len(parts); n >= 3 {
		line, err1 := strconv.Atoi(parts[n-2])
		column, err2 := strconv.Atoi(parts[n-1])
		if err1 == nil && err2 == nil {
			file = strings.Join(parts[:n-2], ":")
			text, err := s.editor.Text(s.uri(ts, file))
			if err != nil {
				return p, nil, err
			}
			offset = s.editor.offset(text, Position{Line: line - 1})
			for _, r := range text[offset:] {
				if column <= 1 {
					break
				}
				column--
				offset += len(string(r))
			}
			rest = args[1:]
		}
	}
	text, err := s.editor.Text(s.uri(ts, file))
	if err != nil {
		return p, nil, err
	}
	if offset < 0 {
		if len(args) < 2 {
			return p, nil, fmt.Errorf("a PLACE is required: FILE:LINE:COLUMN, or FILE and a text with |")
		}
		before, after, ok := strings.Cut(escapes.Replace(args[1]), "|")
		i := strings.Index(text, before+after)
		if !ok || i < 0 {
			return p, nil, fmt.Errorf("no place %q in %s:\n%s", args[1], file, text)
		}
		offset, rest = i+len(before), args[2:]
	}
	position := s.editor.position(text, offset)
	p = about(s.uri(ts, file))
	p.Position = &position
	return p, rest, nil
}

type completionItem struct {
	Label        string `json:"label"`
	LabelDetails struct {
		Detail      string `json:"detail"`
		Description string `json:"description"`
	} `json:"labelDetails"`
	SortText   string     `json:"sortText"`
	FilterText string     `json:"filterText"`
	InsertText string     `json:"insertText"`
	TextEdit   *edit      `json:"textEdit"`
	More       []textEdit `json:"additionalTextEdits"`
	Tags       []int      `json:"tags"`
	Deprecated bool       `json:"deprecated"`
}

// edit is a text edit, or one that can insert or replace.
type edit struct {
	Range   *Range `json:"range"`
	Insert  *Range `json:"insert"`
	NewText string `json:"newText"`
}

func (s *scenario) items(ts *testscript.TestScript, args []string) (items []completionItem, p aboutDocument, rest []string, err error) {
	if p, rest, err = s.at(ts, args); err != nil {
		return nil, p, nil, err
	}
	raw, err := s.ask("textDocument/completion", p)
	if err != nil {
		return nil, p, nil, err
	}
	var list struct {
		Items []completionItem `json:"items"`
	}
	if raw.Kind() == '[' {
		err = json.Unmarshal(raw, &list.Items)
	} else if raw.Kind() == '{' {
		err = json.Unmarshal(raw, &list)
	}
	slices.SortStableFunc(list.Items, func(a, b completionItem) int { return strings.Compare(a.order(), b.order()) })
	return list.Items, p, rest, err
}

func (i completionItem) order() string {
	if i.SortText != "" {
		return i.SortText
	}
	return i.Label
}

func (s *scenario) ask(method string, params any) (jsontext.Value, error) {
	var raw jsontext.Value
	err := s.editor.Ask(context.Background(), method, params, &raw)
	return raw, err
}

func (s *scenario) complete(ts *testscript.TestScript, args []string) (string, error) {
	items, _, _, err := s.items(ts, args)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, i := range items {
		words := []string{i.Label}
		for _, w := range []string{i.LabelDetails.Detail, i.LabelDetails.Description} {
			if w != "" {
				words = append(words, strings.TrimSpace(w))
			}
		}
		if i.Deprecated || slices.Contains(i.Tags, 1) {
			words = append(words, "!")
		}
		fmt.Fprintln(&b, strings.Join(words, " "))
	}
	return b.String(), nil
}

func (s *scenario) accept(ts *testscript.TestScript, args []string) (string, error) {
	items, p, rest, err := s.items(ts, args)
	if err != nil {
		return "", err
	}
	if len(rest) != 1 {
		return "", fmt.Errorf("usage: accept PLACE LABEL")
	}
	for _, i := range items {
		if i.Label != rest[0] {
			continue
		}
		edits := slices.Clone(i.More)
		if t := i.TextEdit; t != nil {
			r := t.Range
			if r == nil {
				r = t.Insert
			}
			edits = append(edits, textEdit{*r, t.NewText})
		} else {
			text := i.InsertText
			if text == "" {
				text = i.Label
			}
			whole, err := s.editor.Text(p.TextDocument.URI)
			if err != nil {
				return "", err
			}
			end := s.editor.offset(whole, *p.Position)
			start := end
			for start > 0 && isWord(whole[start-1]) {
				start--
			}
			edits = append(edits, textEdit{Range{s.editor.position(whole, start), *p.Position}, text})
		}
		return "", s.editor.apply(p.TextDocument.URI, edits)
	}
	return "", fmt.Errorf("no item %q is offered", rest[0])
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func (s *scenario) hover(ts *testscript.TestScript, args []string) (string, error) {
	p, _, err := s.at(ts, args)
	if err != nil {
		return "", err
	}
	raw, err := s.ask("textDocument/hover", p)
	if err != nil || raw.Kind() == 'n' {
		return "", err
	}
	var h struct {
		Contents jsontext.Value `json:"contents"`
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		return "", err
	}
	return markup(h.Contents), nil
}

// markup is the text of a string, a MarkupContent or a list of such.
func markup(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		var text string
		_ = json.Unmarshal(v, &text)
		return text
	case '{':
		var m struct {
			Value string `json:"value"`
		}
		_ = json.Unmarshal(v, &m)
		return m.Value
	case '[':
		var list []jsontext.Value
		_ = json.Unmarshal(v, &list)
		var texts []string
		for _, m := range list {
			texts = append(texts, markup(m))
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

func (s *scenario) signature(ts *testscript.TestScript, args []string) (string, error) {
	p, _, err := s.at(ts, args)
	if err != nil {
		return "", err
	}
	raw, err := s.ask("textDocument/signatureHelp", p)
	if err != nil || raw.Kind() == 'n' {
		return "", err
	}
	var h struct {
		Signatures []struct {
			Label         string         `json:"label"`
			Documentation jsontext.Value `json:"documentation"`
		} `json:"signatures"`
		ActiveSignature int `json:"activeSignature"`
	}
	if err := json.Unmarshal(raw, &h); err != nil || h.ActiveSignature >= len(h.Signatures) {
		return "", err
	}
	active := h.Signatures[h.ActiveSignature]
	return line(active.Label) + line(markup(active.Documentation)), nil
}

func (s *scenario) definition(ts *testscript.TestScript, args []string) (string, error) {
	return s.locations(ts, "textDocument/definition", args)
}

func (s *scenario) references(ts *testscript.TestScript, args []string) (string, error) {
	return s.locations(ts, "textDocument/references", args)
}

// locations are shown one a line as FILE:LINE:CHARACTER, both from 1.
func (s *scenario) locations(ts *testscript.TestScript, method string, args []string) (string, error) {
	p, _, err := s.at(ts, args)
	if err != nil {
		return "", err
	}
	raw, err := s.ask(method, struct {
		TextDocument identifier `json:"textDocument"`
		Position     *Position  `json:"position"`
		Context      struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		} `json:"context"`
	}{TextDocument: p.TextDocument, Position: p.Position})
	if err != nil || raw.Kind() == 'n' {
		return "", err
	}
	type location struct {
		URI                  string `json:"uri"`
		Range                Range  `json:"range"`
		TargetURI            string `json:"targetUri"`
		TargetSelectionRange Range  `json:"targetSelectionRange"`
	}
	list := make([]location, 1)
	if raw.Kind() == '[' {
		err = json.Unmarshal(raw, &list)
	} else {
		err = json.Unmarshal(raw, &list[0])
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, l := range list {
		if l.TargetURI != "" {
			l.URI, l.Range = l.TargetURI, l.TargetSelectionRange
		}
		name := pathOf(l.URI)
		name = strings.TrimPrefix(name, ts.MkAbs(".")+"/")
		fmt.Fprintf(&b, "%s:%d:%d\n", name, l.Range.Start.Line+1, l.Range.Start.Character+1)
	}
	return b.String(), nil
}

func (s *scenario) lens(ts *testscript.TestScript, args []string) (string, error) {
	if err := want(args, 1, "lens FILE"); err != nil {
		return "", err
	}
	var list []struct {
		Range   Range `json:"range"`
		Command struct {
			Title   string `json:"title"`
			Command string `json:"command"`
		} `json:"command"`
	}
	if err := s.editor.Ask(context.Background(), "textDocument/codeLens", about(s.uri(ts, args[0])), &list); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, l := range list {
		fmt.Fprintf(&b, "%d %s [%s]\n", l.Range.Start.Line+1, l.Command.Title, l.Command.Command)
	}
	return b.String(), nil
}
