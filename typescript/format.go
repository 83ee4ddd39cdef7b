package typescript

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"codemode-ls/script"

	"go.lsp.dev/protocol"
)

// Formatting (NAV-1) is asked for a text, not for an open document. The engine
// sees it bare: wrapped into a function, every line would belong one step to the
// right. Only white space ever changes, and nothing of a Markdown fence, of
// markup around the code, or of the options line.

// Format is what to change in a whole script.
func (e *Engine) Format(ctx context.Context, text string, l script.Language, o protocol.FormattingOptions) ([]protocol.TextEdit, error) {
	edits, err := e.format(ctx, text, l, protocol.MethodTextDocumentFormatting, func(d *document) any {
		return &protocol.DocumentFormattingParams{TextDocument: identifier(d.virtual), Options: sane(o)}
	})
	if err != nil {
		return nil, err
	}
	return finalNewlines(text, o, edits), nil
}

// FormatRange is what to change in a range of a script, in UTF-16 units.
func (e *Engine) FormatRange(ctx context.Context, text string, l script.Language, in protocol.Range, o protocol.FormattingOptions) ([]protocol.TextEdit, error) {
	edits, err := e.format(ctx, text, l, protocol.MethodTextDocumentRangeFormatting, func(d *document) any {
		return &protocol.DocumentRangeFormattingParams{TextDocument: identifier(d.virtual), Range: d.rangeToEngine(in), Options: sane(o)}
	})
	// Where there is nothing but comments, the engine goes beyond the range.
	return slices.DeleteFunc(edits, func(x protocol.TextEdit) bool {
		return x.Range.End.Line < in.Start.Line || x.Range.Start.Line > in.End.Line
	}), err
}

// OnTypeTriggers are the characters after which FormatOnType has something to
// say.
var OnTypeTriggers = []string{"}", ";", "\n", "{"}

// FormatOnType is what to change after a character was typed; at is the position
// behind it.
func (e *Engine) FormatOnType(ctx context.Context, text string, l script.Language, at protocol.Position, typed string, o protocol.FormattingOptions) ([]protocol.TextEdit, error) {
	return e.format(ctx, text, l, protocol.MethodTextDocumentOnTypeFormatting, func(d *document) any {
		return &protocol.DocumentOnTypeFormattingParams{
			TextDocument: identifier(d.virtual), Position: d.toEngine(at), Ch: typed, Options: sane(o),
		}
	})
}

// sane are options that indent by something, and not by megabytes.
func sane(o protocol.FormattingOptions) protocol.FormattingOptions {
	if o.TabSize == 0 {
		o.TabSize = 4
	}
	o.TabSize = min(o.TabSize, 32)
	return o
}

func (e *Engine) format(ctx context.Context, text string, l script.Language, method string, params func(*document) any) ([]protocol.TextEdit, error) {
	name, done := e.lend(script.Read(text), l, bare)
	defer done()
	var found []protocol.TextEdit
	d, err := e.request(ctx, name, method, params, &found)
	if err != nil {
		return nil, err
	}
	fixed := untouchable(text, d.text)
	edits := []protocol.TextEdit{}
	for _, x := range found {
		x.Range = protocol.Range{Start: d.toAuthor(x.Range.Start), End: d.toAuthor(x.Range.End)}
		x.NewText = d.lineEnds(x.NewText)
		start, end := offsetUTF16(text, x.Range.Start), offsetUTF16(text, x.Range.End)
		if start > end || text[start:end] == x.NewText || fixed.touched(start, end) || !isSpace(text[start:end]) || !isSpace(x.NewText) {
			continue
		}
		if n := len(edits); n > 0 && edits[n-1] == x && x.Range.Start != x.Range.End {
			continue // said twice, of a file of comments
		}
		edits = append(edits, x)
	}
	return edits, nil
}

// stretches are parts of a text, as byte offsets: from, to, from, to, …
type stretches []int

// touched reports whether an edit of [start, end) changes one of them.
func (s stretches) touched(start, end int) bool {
	for i := 0; i < len(s); i += 2 {
		if start < s[i+1] && s[i] < end || start == end && s[i] < start && start < s[i+1] {
			return true
		}
	}
	return false
}

// untouchable is what formatting leaves as it is: what Prepare removed, the
// lines that it stands on, the options line, and a byte order mark.
func untouchable(text, prepared string) stretches {
	var fixed stretches
	if strings.HasPrefix(text, "\ufeff") {
		fixed = append(fixed, 0, len("\ufeff"))
	}
	// What was removed has as many UTF-16 units, but not bytes: line by line.
	at := 0
	theirs := strings.SplitAfter(prepared, "\n")
	for i, line := range strings.SplitAfter(text, "\n") {
		removed := i < len(theirs) && line != theirs[i]
		if removed || strings.HasPrefix(strings.TrimLeft(line, " \t\ufeff"), "// @options") {
			fixed = append(fixed, at, at+len(line))
		}
		at += len(line)
	}
	return fixed
}

// finalNewlines adds what the client wants of the end of a file. Formatting
// itself says nothing of it, but may trim there.
func finalNewlines(text string, o protocol.FormattingOptions, edits []protocol.TextEdit) []protocol.TextEdit {
	insert := o.InsertFinalNewline != nil && *o.InsertFinalNewline
	trim := o.TrimFinalNewlines != nil && *o.TrimFinalNewlines
	content := len(strings.TrimRight(text, " \t\r\n"))
	old := text[content:]
	if !insert && !trim || content == 0 {
		return edits
	}
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	next := strings.NewReplacer(" ", "", "\t", "").Replace(old)
	if trim && strings.Contains(next, "\n") {
		next = newline
	}
	if insert && !strings.HasSuffix(next, "\n") {
		next += newline
	}
	if next == old {
		return edits
	}
	end, last := ends(text)
	kept := edits[:0]
	for _, x := range edits {
		if !after(x.Range.End, last.End) {
			kept = append(kept, x)
		}
	}
	return append(kept, protocol.TextEdit{Range: protocol.Range{Start: last.End, End: end}, NewText: next})
}

func isSpace(s string) bool {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == '\ufeff'
	}) == ""
}
