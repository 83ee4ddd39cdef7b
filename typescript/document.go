package typescript

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"

	"codemode-ls/script"
	"codemode-ls/typescript/project"

	"go.lsp.dev/protocol"
)

// A script is the body of an async function (EXEC-1), so that is what the
// engine sees: the body's own lines, unchanged, between these two. Parsing the
// bare body instead and dropping the complaints about return would lose the
// checks of returned expressions.
const (
	head = "export default async function () {\n"
	tail = "\n}\n"
)

// form says how the engine sees a text.
type form int

const (
	asBody form = iota // wrapped, unless it is a module
	bare               // as it is, for formatting: a body's own indentation counts
)

// A document is one version of an author's text, and of what the engine sees
// of it. It never changes.
type document struct {
	uri      string // the author's
	virtual  string // the engine's
	language script.Language
	source   *script.Source // the author's
	version  int32          // the engine's count, over all documents
	text     string         // as the engine sees it
	shift    uint32         // lines before the author's first
	end      protocol.Position
	last     protocol.Range // the last visible character of the author's text
	crlf     bool           // the author's lines end in \r\n
	nocheck  bool           // the author wants no types checked
	erased   []script.Range // type imports of a module
}

// wrap makes what the engine sees of an author's text: a module as it is
// (EXEC-16), a body between head and tail. What a body imports as types moves to
// the line of the head, because imports stand at the top of a file alone; both
// are erased before a script runs, so that nothing needs to be found there.
func (d *document) wrap() {
	src := d.source.Body()
	body := withoutHashbang(src.Text())
	var imports []script.Reach
	for _, r := range src.Reaches() {
		if r.Kind == "import type" {
			imports = append(imports, r)
		}
	}
	if src.IsModule() {
		d.text = body
		for _, r := range imports {
			d.erased = append(d.erased, r.Whole)
		}
		return
	}
	var lifted, rest strings.Builder
	from := 0
	for _, r := range imports {
		lifted.WriteString(oneLine.Replace(body[r.Start:r.End]) + ";")
		rest.WriteString(body[from:r.Start])
		blank(&rest, body[r.Start:r.End])
		from = r.End
	}
	rest.WriteString(body[from:])
	d.text, d.shift = lifted.String()+head+rest.String()+tail, 1
}

// withoutHashbang makes a comment of a #!, which may stand in the first line of a
// file alone, and not behind a byte order mark.
func withoutHashbang(text string) string {
	if i := script.Hashbang(text); i >= 0 {
		return text[:i] + "//" + text[i+len("#!"):]
	}
	return text
}

var oneLine = strings.NewReplacer("\n", " ", "\r", " ", "//", " ")

// blank writes as many UTF-16 units of nothing, with the same lines.
func blank(b *strings.Builder, text string) {
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r':
			b.WriteRune(r)
		case r >= 0x10000:
			b.WriteString("  ")
		default:
			b.WriteByte(' ')
		}
	}
}

// isErased reports whether a range of the author's lies in a type import.
func (d *document) isErased(r protocol.Range) bool {
	for _, e := range d.erased {
		start := protocol.Position{Line: uint32(e.Start.Line), Character: uint32(e.Start.Character)}
		end := protocol.Position{Line: uint32(e.End.Line), Character: uint32(e.End.Character)}
		if !after(start, r.Start) && !after(r.End, end) {
			return true
		}
	}
	return false
}

// nocheck is `// @ts-nocheck` among the comments at the top of a script. The
// engine does not see it there: it is in a function.
var nocheck = regexp.MustCompile("^\ufeff?(?:```[^\n`]*\n)?(?:\\s*//[^\n]*\n)*?\\s*//+\\s*@ts-nocheck\\b")

func newDocument(uri, virtual string, l script.Language, version int32, source *script.Source, f form) *document {
	text := source.Text()
	d := &document{uri: uri, virtual: virtual, language: l, source: source, version: version, crlf: strings.Contains(text, "\r\n")}
	d.nocheck = nocheck.MatchString(text)
	switch f {
	case bare:
		d.text = withoutHashbang(source.Body().Text())
	default:
		d.wrap()
	}
	d.end, d.last = ends(text)
	return d
}

// virtualURI is the engine's name of the nth document. Authors' names never
// reach the engine: it must not find what surrounds them, nor choke on them.
func virtualURI(n int, l script.Language) string {
	extension := "ts"
	if l == script.JavaScript {
		extension = "js"
	}
	return fmt.Sprintf("file://%s/%d.%s", project.Scripts, n, extension)
}

func (d *document) languageID() string {
	if d.language == script.JavaScript {
		return "javascript"
	}
	return "typescript"
}

// toEngine maps an author's position.
func (d *document) toEngine(p protocol.Position) protocol.Position {
	if after(p, d.end) {
		p = d.end
	}
	p.Line += d.shift
	return p
}

// toAuthor maps a position back; what lies in the wrapper is the nearest end of
// the author's text.
func (d *document) toAuthor(p protocol.Position) protocol.Position {
	if p.Line < d.shift {
		return protocol.Position{}
	}
	p.Line -= d.shift
	if after(p, d.end) {
		return d.end
	}
	return p
}

func (d *document) rangeToEngine(r protocol.Range) protocol.Range {
	return protocol.Range{Start: d.toEngine(r.Start), End: d.toEngine(r.End)}
}

func (d *document) rangeToAuthor(r protocol.Range) protocol.Range {
	return protocol.Range{Start: d.toAuthor(r.Start), End: d.toAuthor(r.End)}
}

// visible is a range that has something to underline: what the engine reports
// behind the end (a missing brace) is shown on the last character.
func (d *document) visible(r protocol.Range) protocol.Range {
	if r.Start == r.End && r.Start == d.end {
		return d.last
	}
	return r
}

func after(a, b protocol.Position) bool {
	return a.Line > b.Line || a.Line == b.Line && a.Character > b.Character
}

// ends are the position behind a text and the range of its last character that
// is not space, in UTF-16 units.
func ends(text string) (end protocol.Position, last protocol.Range) {
	trimmed := strings.TrimRight(text, " \t\r\n")
	at := func(offset int) protocol.Position {
		line, start := 0, 0
		for i := 0; i < offset; i++ {
			if text[i] == '\n' || text[i] == '\r' && !(i+1 < len(text) && text[i+1] == '\n') {
				line, start = line+1, i+1
			}
		}
		units := 0
		for _, r := range text[start:offset] {
			units += utf16.RuneLen(r)
		}
		return protocol.Position{Line: uint32(line), Character: uint32(units)}
	}
	end = at(len(text))
	if trimmed == "" {
		return end, protocol.Range{Start: end, End: end}
	}
	start := strings.LastIndexFunc(trimmed, func(rune) bool { return true })
	return end, protocol.Range{Start: at(start), End: at(len(trimmed))}
}
