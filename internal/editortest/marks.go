package editortest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The marks, each a feature of the protocol. What is shown is to read
// and to compare: places in characters, from 1, with the text that is there.

func refusedOr(refused string, shown []string, none string) []string {
	switch {
	case refused != "":
		return []string{"refused: " + refused}
	case len(shown) == 0:
		return []string{none}
	}
	return shown
}

func (r *markerRun) hover(m mark) ([]string, error) {
	p, err := r.about(m)
	if err != nil {
		return nil, err
	}
	var h struct {
		Contents jsontext.Value `json:"contents"`
		Range    *Range         `json:"range"`
	}
	refused, err := r.ask("textDocument/hover", p, &h)
	if err != nil || refused != "" || h.Contents == nil {
		return refusedOr(refused, nil, "nothing"), err
	}
	shown := strings.Split(strings.TrimRight(markup(h.Contents), "\n"), "\n")
	if h.Range != nil {
		shown = append([]string{"[" + r.textAt(r.uri, *h.Range) + "]"}, shown...)
	}
	return shown, nil
}

// completionItems are what is offered, in the order in which an editor shows it.
func (r *markerRun) completionItems(m mark) ([]completionItem, aboutDocument, error) {
	p, err := r.about(m)
	if err != nil {
		return nil, p, err
	}
	var raw jsontext.Value
	refused, err := r.ask("textDocument/completion", p, &raw)
	if err != nil || refused != "" {
		return nil, p, fmt.Errorf("%s%w", refused, err)
	}
	var list struct {
		Items []completionItem `json:"items"`
	}
	switch raw.Kind() {
	case '[':
		err = json.Unmarshal(raw, &list.Items)
	case '{':
		err = json.Unmarshal(raw, &list)
	}
	slices.SortStableFunc(list.Items, func(a, b completionItem) int {
		return cmp.Or(strings.Compare(a.order(), b.order()), strings.Compare(a.Label, b.Label))
	})
	return list.Items, p, err
}

// maxShown is how many completion items an answer shows.
const maxShown = 12

func (r *markerRun) complete(m mark) ([]string, error) {
	items, p, err := r.completionItems(m)
	if err != nil {
		return nil, err
	}
	if m.argument != "" {
		i := slices.IndexFunc(items, func(i completionItem) bool { return i.isCalled(m.argument) })
		if i < 0 {
			return []string{"not offered"}, nil
		}
		return r.changed(r.uri, r.accepted(items[i], *p.Position))
	}
	var shown []string
	for i, item := range items {
		if i == maxShown {
			shown = append(shown, "…")
			break
		}
		words := []string{item.Label}
		for _, w := range []string{item.LabelDetails.Detail, item.LabelDetails.Description} {
			if w != "" {
				words = append(words, strings.TrimSpace(w))
			}
		}
		if item.Deprecated || slices.Contains(item.Tags, 1) {
			words = append(words, "(deprecated)")
		}
		shown = append(shown, strings.Join(words, " "))
	}
	return refusedOr("", shown, "nothing"), nil
}

// isCalled is whether an item is meant by a name: its label, or the full name of a
// tool, which is what typed text is compared with.
func (i completionItem) isCalled(name string) bool {
	return i.Label == name || strings.HasPrefix(name, "mcp__") && i.FilterText == name
}

// accepted are the edits that taking an item makes.
func (r *markerRun) accepted(i completionItem, at Position) []textEdit {
	edits := slices.Clone(i.More)
	if t := i.TextEdit; t != nil {
		in := t.Range
		if in == nil {
			in = t.Insert
		}
		return append(edits, textEdit{*in, t.NewText})
	}
	text := i.InsertText
	if text == "" {
		text = i.Label
	}
	whole := r.texts[r.uri]
	end := r.editor.offset(whole, at)
	start := end
	for start > 0 && isWord(whole[start-1]) {
		start--
	}
	return append(edits, textEdit{Range{r.editor.position(whole, start), at}, text})
}

// offers says of each name whether it is offered.
func (r *markerRun) offers(m mark) ([]string, error) {
	items, _, err := r.completionItems(m)
	if err != nil {
		return nil, err
	}
	var yes, no []string
	for name := range strings.FieldsSeq(m.argument) {
		if slices.ContainsFunc(items, func(i completionItem) bool { return i.isCalled(name) || i.isCalled(name+"?") }) {
			yes = append(yes, name)
		} else {
			no = append(no, name)
		}
	}
	var shown []string
	if len(yes) > 0 {
		shown = append(shown, "offered: "+strings.Join(yes, " "))
	}
	if len(no) > 0 {
		shown = append(shown, "not offered: "+strings.Join(no, " "))
	}
	return refusedOr("", shown, "nothing was asked for: write => NAME NAME"), nil
}

func (r *markerRun) signature(m mark) ([]string, error) {
	p, err := r.about(m)
	if err != nil {
		return nil, err
	}
	var h struct {
		Signatures []struct {
			Label         string         `json:"label"`
			Documentation jsontext.Value `json:"documentation"`
			Parameters    []struct {
				Label         jsontext.Value `json:"label"`
				Documentation jsontext.Value `json:"documentation"`
			} `json:"parameters"`
			ActiveParameter *int `json:"activeParameter"`
		} `json:"signatures"`
		ActiveSignature int  `json:"activeSignature"`
		ActiveParameter *int `json:"activeParameter"`
	}
	refused, err := r.ask("textDocument/signatureHelp", p, &h)
	if err != nil || refused != "" || h.ActiveSignature >= len(h.Signatures) {
		return refusedOr(refused, nil, "nothing"), err
	}
	s := h.Signatures[h.ActiveSignature]
	active := s.ActiveParameter
	if active == nil {
		active = h.ActiveParameter
	}
	shown := []string{s.Label}
	if text := markup(s.Documentation); text != "" {
		shown = append(shown, strings.Split(text, "\n")...)
	}
	if active != nil && *active >= 0 && *active < len(s.Parameters) {
		label := strings.Trim(string(s.Parameters[*active].Label), `"`)
		var span []int
		if json.Unmarshal(s.Parameters[*active].Label, &span) == nil && len(span) == 2 {
			label = s.Label[span[0]:span[1]]
		}
		shown = append(shown, fmt.Sprintf("parameter %d: %s", *active+1, strings.ReplaceAll(label, `\"`, `"`)))
		if text := strings.TrimSpace(markup(s.Parameters[*active].Documentation)); text != "" {
			shown = append(shown, strings.Split(text, "\n")...)
		}
	}
	return shown, nil
}

// locator shows where a method says that something is.
func locator(method string) func(*markerRun, mark) ([]string, error) {
	return func(r *markerRun, m mark) ([]string, error) {
		p, err := r.about(m)
		if err != nil {
			return nil, err
		}
		var list []struct {
			URI                  string `json:"uri"`
			Range                Range  `json:"range"`
			TargetURI            string `json:"targetUri"`
			TargetSelectionRange Range  `json:"targetSelectionRange"`
		}
		refused, err := r.ask(method, struct {
			aboutDocument
			Context struct {
				IncludeDeclaration bool `json:"includeDeclaration"`
			} `json:"context"`
		}{p, struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		}{true}}, &list)
		var shown []string
		for _, l := range list {
			if l.TargetURI != "" {
				l.URI, l.Range = l.TargetURI, l.TargetSelectionRange
			}
			name, known := r.names[l.URI]
			switch {
			case !known:
				shown = append(shown, "ANOTHER FILE: "+l.URI)
			case name == "tools.d.ts": // its lines are nobody's business
				shown = append(shown, name+" "+r.textAt(l.URI, l.Range))
			case l.URI != r.uri:
				shown = append(shown, name+" "+r.at(l.URI, l.Range.Start)+" "+r.textAt(l.URI, l.Range))
			default:
				shown = append(shown, r.at(l.URI, l.Range.Start)+" "+r.textAt(l.URI, l.Range))
			}
		}
		return refusedOr(refused, shown, "nowhere"), err
	}
}

func (r *markerRun) highlight(m mark) ([]string, error) {
	p, err := r.about(m)
	if err != nil {
		return nil, err
	}
	var list []struct {
		Range Range `json:"range"`
		Kind  int   `json:"kind"`
	}
	refused, err := r.ask("textDocument/documentHighlight", p, &list)
	var shown []string
	for _, h := range list {
		kind := []string{"text", "text", "read", "write"}[min(max(h.Kind, 0), 3)]
		shown = append(shown, r.at(r.uri, h.Range.Start)+" "+r.textAt(r.uri, h.Range)+" "+kind)
	}
	return refusedOr(refused, shown, "nothing"), err
}

func (r *markerRun) prepareRename(m mark) ([]string, error) {
	p, err := r.about(m)
	if err != nil {
		return nil, err
	}
	var found struct {
		Range       Range  `json:"range"`
		Placeholder string `json:"placeholder"`
	}
	refused, err := r.ask("textDocument/prepareRename", p, &found)
	if err != nil || refused != "" || found.Placeholder == "" {
		return refusedOr(refused, nil, "nothing"), err
	}
	return []string{r.at(r.uri, found.Range.Start) + " " + r.textAt(r.uri, found.Range)}, nil
}

// A workspaceEdit in either of its forms.
type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes"`
	DocumentChanges []struct {
		TextDocument identifier `json:"textDocument"`
		Edits        []textEdit `json:"edits"`
	} `json:"documentChanges"`
}

// edited shows a workspace edit.
func (r *markerRun) edited(w *workspaceEdit) ([]string, error) {
	if w == nil {
		return []string{"nothing"}, nil
	}
	all := map[string][]textEdit{}
	for u, edits := range w.Changes {
		all[u] = append(all[u], edits...)
	}
	for _, c := range w.DocumentChanges {
		all[c.TextDocument.URI] = append(all[c.TextDocument.URI], c.Edits...)
	}
	var shown []string
	for u, edits := range all {
		if u != r.uri {
			return []string{"ANOTHER FILE: " + u}, nil
		}
		var err error
		if shown, err = r.changed(u, edits); err != nil {
			return nil, err
		}
	}
	return refusedOr("", shown, "nothing"), nil
}

func (r *markerRun) rename(m mark) ([]string, error) {
	p, err := r.about(m)
	if err != nil {
		return nil, err
	}
	var w *workspaceEdit
	refused, err := r.ask("textDocument/rename", struct {
		aboutDocument
		NewName string `json:"newName"`
	}{p, m.argument}, &w)
	if err != nil || refused != "" {
		return refusedOr(refused, nil, ""), err
	}
	return r.edited(w)
}

var symbolKinds = []string{"", "file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum", "interface",
	"function", "variable", "constant", "string", "number", "boolean", "array", "object", "key", "null", "enum member", "struct", "event", "operator", "type parameter"}

type symbol struct {
	Name           string   `json:"name"`
	Kind           int      `json:"kind"`
	Range          Range    `json:"range"`
	SelectionRange Range    `json:"selectionRange"`
	Children       []symbol `json:"children"`
	// of a list
	Location struct {
		Range Range `json:"range"`
	} `json:"location"`
	ContainerName string `json:"containerName"`
}

func (r *markerRun) symbols(mark) ([]string, error) {
	var list []symbol
	refused, err := r.ask("textDocument/documentSymbol", about(r.uri), &list)
	return refusedOr(refused, r.symbolLines(list, ""), "nothing"), err
}

func (r *markerRun) symbolLines(list []symbol, indent string) (shown []string) {
	for _, s := range list {
		line := indent + s.Name + " (" + symbolKinds[min(max(s.Kind, 0), len(symbolKinds)-1)] + ")"
		if s.Location.Range != (Range{}) {
			line += " in " + strconv.Quote(s.ContainerName) + " " + r.at(r.uri, s.Location.Range.Start) + " " + r.textAt(r.uri, s.Location.Range)
		} else {
			line += " " + r.at(r.uri, s.SelectionRange.Start) + " " + r.textAt(r.uri, s.SelectionRange) + " of " + r.textAt(r.uri, s.Range)
		}
		shown = append(shown, line)
		shown = append(shown, r.symbolLines(s.Children, indent+"  ")...)
	}
	return shown
}

func (r *markerRun) fold(mark) ([]string, error) {
	var list []struct {
		StartLine int    `json:"startLine"`
		EndLine   int    `json:"endLine"`
		Kind      string `json:"kind"`
	}
	refused, err := r.ask("textDocument/foldingRange", about(r.uri), &list)
	count := len(lines(r.texts[r.uri]))
	var shown []string
	for _, f := range list {
		line := fmt.Sprintf("%d..%d", f.StartLine+1, f.EndLine+1)
		if f.Kind != "" {
			line += " " + f.Kind
		}
		if f.EndLine >= count {
			line += " NOT IN THE DOCUMENT"
		}
		shown = append(shown, line)
	}
	return refusedOr(refused, shown, "nothing"), err
}

type selection struct {
	Range  Range      `json:"range"`
	Parent *selection `json:"parent"`
}

func (r *markerRun) selections(m mark) ([]string, error) {
	if _, err := r.about(m); err != nil {
		return nil, err
	}
	var list []selection
	refused, err := r.ask("textDocument/selectionRange", struct {
		TextDocument identifier `json:"textDocument"`
		Positions    []Position `json:"positions"`
	}{identifier{r.uri}, []Position{*m.place}}, &list)
	var shown []string
	if len(list) > 0 {
		for s := &list[0]; s != nil; s = s.Parent {
			shown = append(shown, r.textAt(r.uri, s.Range))
		}
	}
	return refusedOr(refused, shown, "nothing"), err
}

// The legend is the server's own; it is the same in every session.
func (r *markerRun) tokens(mark) ([]string, error) {
	var t struct {
		Data []int `json:"data"`
	}
	refused, err := r.ask("textDocument/semanticTokens/full", about(r.uri), &t)
	var shown []string
	p := Position{}
	for i := 0; i+5 <= len(t.Data); i += 5 {
		if t.Data[i] > 0 {
			p = Position{Line: p.Line + t.Data[i]}
		}
		p.Character += t.Data[i+1]
		line := r.at(r.uri, p) + " " + r.textAt(r.uri, Range{p, Position{p.Line, p.Character + t.Data[i+2]}}) + " " + word(r.editor.tokenTypes, t.Data[i+3])
		for bit := range 32 {
			if t.Data[i+4]&(1<<bit) != 0 {
				line += " " + word(r.editor.tokenModifiers, bit)
			}
		}
		shown = append(shown, line)
	}
	return refusedOr(refused, shown, "nothing"), err
}

func word(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return fmt.Sprintf("NOT IN THE LEGEND: %d", i)
	}
	return words[i]
}

// whole is the range of the document.
func (r *markerRun) whole() Range {
	text := r.texts[r.uri]
	return Range{End: r.editor.position(text, len(text))}
}

func (r *markerRun) hints(mark) ([]string, error) {
	var list []struct {
		Position Position       `json:"position"`
		Label    jsontext.Value `json:"label"`
	}
	refused, err := r.ask("textDocument/inlayHint", struct {
		TextDocument identifier `json:"textDocument"`
		Range        Range      `json:"range"`
	}{identifier{r.uri}, r.whole()}, &list)
	var shown []string
	for _, h := range list {
		label := markup(h.Label)
		if h.Label.Kind() == '[' {
			var parts []struct {
				Value string `json:"value"`
			}
			if err := json.Unmarshal(h.Label, &parts); err != nil {
				return nil, err
			}
			label = ""
			for _, p := range parts {
				label += p.Value
			}
		}
		text := r.texts[r.uri]
		at := r.editor.offset(text, h.Position)
		before, _, _ := strings.Cut(text[at:], "\n")
		shown = append(shown, r.at(r.uri, h.Position)+" "+label+" before "+strconv.Quote(strings.TrimRight(before, "\r")))
	}
	return refusedOr(refused, shown, "nothing"), err
}

var formatOptions = jsontext.Value(`{"tabSize":2,"insertSpaces":true}`)

func (r *markerRun) options(m mark) (jsontext.Value, error) {
	if m.argument == "" {
		return formatOptions, nil
	}
	v := jsontext.Value(m.argument)
	return v, v.Compact()
}

func (r *markerRun) formatted(method string, params any) ([]string, error) {
	var edits []textEdit
	refused, err := r.ask(method, params, &edits)
	if err != nil || refused != "" {
		return refusedOr(refused, nil, ""), err
	}
	return r.changed(r.uri, edits)
}

func (r *markerRun) format(m mark) ([]string, error) {
	options, err := r.options(m)
	if err != nil {
		return nil, err
	}
	return r.formatted("textDocument/formatting", struct {
		TextDocument identifier     `json:"textDocument"`
		Options      jsontext.Value `json:"options"`
	}{identifier{r.uri}, options})
}

var lineRange = regexp.MustCompile(`^(\d+)\.\.(\d+)$`)

func (r *markerRun) formatLines(m mark) ([]string, error) {
	n := lineRange.FindStringSubmatch(m.argument)
	if n == nil {
		return nil, fmt.Errorf("lines are required: => FIRST..LAST, from 1")
	}
	first, _ := strconv.Atoi(n[1])
	last, _ := strconv.Atoi(n[2])
	end := r.whole().End
	if p := (Position{Line: last}); p.Line < end.Line {
		end = p
	}
	return r.formatted("textDocument/rangeFormatting", struct {
		TextDocument identifier     `json:"textDocument"`
		Range        Range          `json:"range"`
		Options      jsontext.Value `json:"options"`
	}{identifier{r.uri}, Range{Position{Line: first - 1}, end}, formatOptions})
}

// formatTyped is what happens after the character before the cursor was typed;
// with => enter, after a line break.
func (r *markerRun) formatTyped(m mark) ([]string, error) {
	p, err := r.about(m)
	if err != nil {
		return nil, err
	}
	text := r.texts[r.uri]
	at := r.editor.offset(text, *p.Position)
	typed := "\n"
	if m.argument != "enter" {
		if at == 0 {
			return nil, fmt.Errorf("there is nothing before the cursor")
		}
		typed = text[at-1 : at]
	}
	return r.formatted("textDocument/onTypeFormatting", struct {
		aboutDocument
		Ch      string         `json:"ch"`
		Options jsontext.Value `json:"options"`
	}{p, typed, formatOptions})
}

// diagnostics as they are on the wire, for the context of code actions.
func (r *markerRun) diagnostics() ([]jsontext.Value, string, error) {
	var report struct {
		Items []jsontext.Value `json:"items"`
	}
	refused, err := r.ask("textDocument/diagnostic", about(r.uri), &report)
	return report.Items, refused, err
}

func (r *markerRun) diagnose(mark) ([]string, error) {
	items, refused, err := r.diagnostics()
	if err != nil {
		return nil, err
	}
	var shown []string
	for _, item := range items {
		var d Diagnostic
		if err := json.Unmarshal(item, &d); err != nil {
			return nil, err
		}
		message, _, _ := strings.Cut(d.Message, "\n")
		shown = append(shown, fmt.Sprintf("%s %s %s %s: %s", r.at(r.uri, d.Range.Start), r.textAt(r.uri, d.Range),
			severities[min(max(d.Severity, 0), 4)], strings.Trim(string(d.Code), `"`), message))
	}
	return refusedOr(refused, shown, "nothing"), nil
}

// fix shows the titles of the code actions at a place, or of the whole document;
// with => TITLE, what that one changes.
func (r *markerRun) fix(m mark) ([]string, error) {
	in := r.whole()
	if m.place != nil {
		in = Range{*m.place, *m.place}
	}
	items, refused, err := r.diagnostics()
	if err != nil || refused != "" {
		return refusedOr(refused, nil, ""), err
	}
	near := []jsontext.Value{}
	for _, item := range items {
		var d Diagnostic
		if err := json.Unmarshal(item, &d); err != nil {
			return nil, err
		}
		if !before(d.Range.End, in.Start) && !before(in.End, d.Range.Start) {
			near = append(near, item)
		}
	}
	var list []struct {
		Title   string         `json:"title"`
		Kind    string         `json:"kind"`
		Edit    *workspaceEdit `json:"edit"`
		Command jsontext.Value `json:"command"`
	}
	type actionContext struct {
		Diagnostics []jsontext.Value `json:"diagnostics"`
	}
	refused, err = r.ask("textDocument/codeAction", struct {
		TextDocument identifier    `json:"textDocument"`
		Range        Range         `json:"range"`
		Context      actionContext `json:"context"`
	}{identifier{r.uri}, in, actionContext{near}}, &list)
	if err != nil || refused != "" {
		return refusedOr(refused, nil, ""), err
	}
	var shown []string
	for _, a := range list {
		if m.argument == a.Title {
			if a.Edit == nil {
				return []string{"a command: " + string(a.Command)}, nil
			}
			return r.edited(a.Edit)
		}
		shown = append(shown, a.Title)
	}
	if m.argument != "" {
		return append([]string{"not offered; offered are"}, shown...), nil
	}
	return refusedOr("", shown, "nothing"), nil
}

func before(a, b Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

func (r *markerRun) lens(mark) ([]string, error) {
	var list []struct {
		Range   Range `json:"range"`
		Command struct {
			Title string `json:"title"`
		} `json:"command"`
	}
	refused, err := r.ask("textDocument/codeLens", about(r.uri), &list)
	var shown []string
	for _, l := range list {
		shown = append(shown, fmt.Sprintf("%d %s", l.Range.Start.Line+1, l.Command.Title))
	}
	return refusedOr(refused, shown, "nothing"), err
}
