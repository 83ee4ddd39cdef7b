package editortest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"
)

// Markers is a file of marker tests: documents with marks that ask the server
// about places in them, each with the answer that is expected. Its form is
// described in testdata/markers/README.md.
type Markers struct {
	// Header are the "key: words" lines at the top of the file.
	Header map[string][]string

	comment   []byte
	documents []markedDocument
}

// markedDocument is one document and its marks.
type markedDocument struct {
	name  string
	lines []string // of the file, marks included
	text  string   // what the server sees
}

const (
	markPrefix   = "//@"
	answerPrefix = "//="
)

// ReadMarkers reads a file of marker tests.
func ReadMarkers(path string) (*Markers, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	archive := txtar.Parse(data)
	m := &Markers{Header: map[string][]string{}, comment: archive.Comment}
	for _, line := range strings.Split(string(archive.Comment), "\n") {
		if key, words, ok := strings.Cut(line, ":"); ok && !strings.Contains(key, " ") {
			m.Header[key] = append(m.Header[key], strings.Fields(words)...)
		}
	}
	for _, f := range archive.Files {
		d := markedDocument{name: f.Name, lines: strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")}
		var own []string
		for _, line := range d.lines {
			if !strings.HasPrefix(line, markPrefix) && !strings.HasPrefix(line, answerPrefix) {
				own = append(own, line)
			}
		}
		d.text = strings.Join(own, "\n") + "\n"
		m.documents = append(m.documents, d)
	}
	if len(m.documents) == 0 {
		return nil, fmt.Errorf("%s: there is no document in it; one begins with a line -- NAME --", path)
	}
	return m, nil
}

// String is the file's text.
func (m *Markers) String() string {
	a := txtar.Archive{Comment: m.comment}
	for _, d := range m.documents {
		a.Files = append(a.Files, txtar.File{Name: d.name, Data: []byte(strings.Join(d.lines, "\n") + "\n")})
	}
	return string(txtar.Format(&a))
}

// Run opens the documents in a folder, does what the marks say, and is the file
// as it would have to read for all to be as expected. With crlf, lines end in
// \r\n on the wire. declarations are the URI and the text of tools.d.ts.
func (m *Markers) Run(ctx context.Context, e *Editor, folder string, crlf bool, declarationsURI, declarations string) (*Markers, error) {
	r := &markerRun{ctx: ctx, editor: e, texts: map[string]string{declarationsURI: declarations}, names: map[string]string{declarationsURI: "tools.d.ts"}}
	for _, d := range m.documents {
		text := d.text
		if crlf {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		u := URI(folder + "/" + d.name)
		r.texts[u], r.names[u] = text, d.name
		if err := e.Open(u, text); err != nil {
			return nil, err
		}
	}
	got := &Markers{Header: m.Header, comment: m.comment}
	for _, d := range m.documents {
		r.uri = URI(folder + "/" + d.name)
		next := markedDocument{name: d.name, text: d.text}
		above := 0 // lines of the document above the mark
		for i, line := range d.lines {
			switch {
			case strings.HasPrefix(line, answerPrefix):
				continue
			case !strings.HasPrefix(line, markPrefix):
				above++
				next.lines = append(next.lines, line)
				continue
			}
			next.lines = append(next.lines, line)
			answer, err := r.mark(strings.TrimPrefix(line, markPrefix), above)
			if err != nil {
				return nil, fmt.Errorf("%s, line %d: %s: %w", d.name, i+1, line, err)
			}
			for _, a := range answer {
				next.lines = append(next.lines, strings.TrimRight(answerPrefix+" "+a, " "))
			}
		}
		got.documents = append(got.documents, next)
	}
	return got, nil
}

// A markerRun does what marks say.
type markerRun struct {
	ctx    context.Context
	editor *Editor
	texts  map[string]string // by URI
	names  map[string]string // by URI
	uri    string            // of the document whose marks are done
}

// A mark is one line //@NAME PLACE => ARGUMENT.
type mark struct {
	place    *Position
	argument string
}

// marks are what can be asked, by name.
var marks map[string]func(*markerRun, mark) ([]string, error)

func init() {
	marks = map[string]func(*markerRun, mark) ([]string, error){
		"hover":           (*markerRun).hover,
		"complete":        (*markerRun).complete,
		"offers":          (*markerRun).offers,
		"signature":       (*markerRun).signature,
		"definition":      locator("textDocument/definition"),
		"type-definition": locator("textDocument/typeDefinition"),
		"implementation":  locator("textDocument/implementation"),
		"references":      locator("textDocument/references"),
		"highlight":       (*markerRun).highlight,
		"prepare-rename":  (*markerRun).prepareRename,
		"rename":          (*markerRun).rename,
		"symbols":         (*markerRun).symbols,
		"fold":            (*markerRun).fold,
		"select":          (*markerRun).selections,
		"tokens":          (*markerRun).tokens,
		"hints":           (*markerRun).hints,
		"format":          (*markerRun).format,
		"format-lines":    (*markerRun).formatLines,
		"format-typed":    (*markerRun).formatTyped,
		"diag":            (*markerRun).diagnose,
		"fix":             (*markerRun).fix,
		"lens":            (*markerRun).lens,
	}
}

// mark does one.
func (r *markerRun) mark(line string, above int) ([]string, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	do, ok := marks[name]
	if !ok {
		var names []string
		for n := range marks {
			names = append(names, n)
		}
		slices.Sort(names)
		return nil, fmt.Errorf("there is no mark %q, only %s", name, strings.Join(names, ", "))
	}
	var m mark
	place, argument := rest, ""
	if after, ok := strings.CutPrefix(rest, "=> "); ok {
		place, argument = "", after
	} else if i := strings.LastIndex(rest, " => "); i >= 0 && strings.Contains(rest[:i], "|") {
		place, argument = rest[:i], rest[i+len(" => "):] // an arrow before the cursor is the script's
	}
	m.argument = strings.TrimSpace(argument)
	if place = strings.TrimSpace(place); place != "" {
		p, err := r.place(place, above)
		if err != nil {
			return nil, err
		}
		m.place = &p
	}
	return do(r, m)
}

// place is where the last | of a text is, in the nearest line above a mark that
// has the text, or else in the first one below.
func (r *markerRun) place(text string, above int) (Position, error) {
	i := strings.LastIndex(text, "|")
	if i < 0 {
		return Position{}, fmt.Errorf("%q has no | for the cursor", text)
	}
	whole := text[:i] + text[i+1:]
	document := r.texts[r.uri]
	lines := strings.SplitAfter(document, "\n")
	starts := make([]int, len(lines))
	for n := 1; n < len(lines); n++ {
		starts[n] = starts[n-1] + len(lines[n-1])
	}
	order := []int{}
	for n := min(above, len(lines)) - 1; n >= 0; n-- {
		order = append(order, n)
	}
	for n := above; n < len(lines); n++ {
		order = append(order, n)
	}
	for _, n := range order {
		if at := strings.Index(lines[n], whole); at >= 0 {
			return r.editor.position(document, starts[n]+at+i), nil
		}
	}
	return Position{}, fmt.Errorf("no line has %q", whole)
}

// ask sends a request about the document; it is refused when the server answers
// with an error, whose message is then what counts.
func (r *markerRun) ask(method string, params any, result any) (refused string, err error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return "", err
	}
	answer, err := r.editor.Call(r.ctx, method, raw)
	if e, ok := err.(*Error); ok {
		return e.Message, nil
	}
	if err != nil || answer.Kind() == 'n' {
		return "", err
	}
	if v, ok := result.(*jsontext.Value); ok {
		*v = answer
		return "", nil
	}
	return "", json.Unmarshal(answer, result)
}

// about are params with a position, which the mark must have.
func (r *markerRun) about(m mark) (aboutDocument, error) {
	if m.place == nil {
		return aboutDocument{}, fmt.Errorf("a place is required: a text of a line, with | for the cursor")
	}
	p := about(r.uri)
	p.Position = m.place
	return p, nil
}

// at shows a position as LINE:COLUMN, from 1 and in characters.
func (r *markerRun) at(u string, p Position) string {
	line, column := r.editor.characters(r.texts[u], p)
	return fmt.Sprintf("%d:%d", line, column)
}

// textAt is what stands in a range: its first line, and … for more. A range that
// is not within the document is said to be so.
func (r *markerRun) textAt(u string, in Range) string {
	text := r.texts[u]
	for _, p := range []Position{in.Start, in.End} {
		if at := r.editor.offset(text, p); r.editor.position(text, at) != p {
			return fmt.Sprintf("NOT IN THE DOCUMENT: %+v", p)
		}
	}
	start, end := r.editor.offset(text, in.Start), r.editor.offset(text, in.End)
	if start > end {
		return fmt.Sprintf("ENDS BEFORE IT STARTS: %+v", in)
	}
	first, _, more := strings.Cut(text[start:end], "\n")
	if more {
		return strings.TrimRight(first, "\r") + " …"
	}
	return first
}

// changed shows what edits change in a document: lines that go and lines that
// come instead.
func (r *markerRun) changed(u string, edits []textEdit) ([]string, error) {
	text := r.texts[u]
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b textEdit) int {
		return r.editor.offset(text, a.Range.Start) - r.editor.offset(text, b.Range.Start)
	})
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if words := r.textAt(u, e.Range); strings.HasPrefix(words, "NOT IN") || strings.HasPrefix(words, "ENDS BEFORE") {
			return []string{words}, nil
		}
		start, end := r.editor.offset(text, e.Range.Start), r.editor.offset(text, e.Range.End)
		if start < at {
			return nil, fmt.Errorf("edits overlap: %+v", edits)
		}
		b.WriteString(text[at:start] + e.NewText)
		at = end
	}
	next := b.String() + text[at:]
	if strings.Contains(text, "\r\n") && strings.Count(next, "\n") != strings.Count(next, "\r\n") {
		return []string{"A LINE END IS NOT \\r\\n"}, nil
	}
	shown := difference(lines(text), lines(next))
	if len(shown) == 0 {
		return []string{"unchanged"}, nil
	}
	return shown, nil
}

func lines(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// difference are the lines that are in one list alone, by their longest common
// subsequence: "- old" and "+ new".
func difference(old, next []string) []string {
	common := make([][]int, len(old)+1)
	for i := range common {
		common[i] = make([]int, len(next)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(next) - 1; j >= 0; j-- {
			if old[i] == next[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	shows := func(sign, line string) string {
		kept := strings.TrimRight(line, " ")
		return sign + kept + strings.Repeat("·", len(line)-len(kept)) // or nobody sees them
	}
	var shown []string
	i, j := 0, 0
	for i < len(old) || j < len(next) {
		switch {
		case i < len(old) && j < len(next) && old[i] == next[j]:
			i, j = i+1, j+1
		case i < len(old) && (j == len(next) || common[i+1][j] >= common[i][j+1]):
			shown = append(shown, shows("- ", old[i]))
			i++
		default:
			shown = append(shown, shows("+ ", next[j]))
			j++
		}
	}
	return shown
}
