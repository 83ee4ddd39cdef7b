package script

import (
	"strings"
	"unicode/utf16"
)

// Codes of findings in Prepared.Errors.
const (
	CodeBlank            = "blank"                 // nothing to run (EXEC-12)
	CodeOptionsMisplaced = "options-misplaced"     // not on the first line (EXEC-15)
	CodeOptionsInvalid   = "options-invalid"       // not a JSON object
	CodeOptionsField     = "options-unknown-field" // a field that does not exist
	CodeOptionsType      = "options-wrong-type"    // a value that is not a positive integer
)

// maxLayers bounds how many fences and wrappers around each other are removed.
const maxLayers = 4

// Prepare removes a Markdown fence or a stray parameter wrapper around the
// whole text and reads the options line (EXEC-12, EXEC-15). Removed lines stay
// as blank ones so that positions are those of the author.
func Prepare(text string) Prepared {
	p := Prepared{Text: text}
	for range maxLayers {
		if t, at, ok := removeFence(p.Text); ok {
			p.Text, p.First = t, at
			p.Warnings = append(p.Warnings, "a Markdown fence around the code was removed")
			continue
		}
		if t, at, ok := removeWrapper(p.Text); ok {
			p.Text, p.First = t, max(p.First, at)
			p.Warnings = append(p.Warnings, "markup around the code was removed: a script is plain code")
			continue
		}
		break
	}
	if isBlank(p.Text) {
		p.Errors = append(p.Errors, Finding{Code: CodeBlank, Message: "the script is empty: there is nothing to run"})
		return p
	}
	var found []Finding
	p.Options, found = readOptions(p.Text, p.First)
	p.Errors = append(p.Errors, found...)
	return p
}

// isBlank reports whether nothing but white space and byte order marks is there.
func isBlank(s string) bool { return strings.Trim(s, " \t\r\n\f\v\ufeff\u00a0\u2028\u2029") == "" }

var (
	fenceOpen  = lazily("^(`{3,}|~{3,})[ \t]*[A-Za-z0-9_+.{}-]*[^\n`]*\r?\n")
	fenceClose = lazily("\n[ \t]*(`{3,}|~{3,})[ \t]*$")
)

// removeFence blanks a Markdown fence (CommonMark, fenced code blocks) around
// the whole text; at is the offset of the first line inside it.
func removeFence(text string) (result string, at int, ok bool) {
	start, end := trimmedBounds(text)
	body := text[start:end]
	opened := fenceOpen().FindStringSubmatchIndex(body)
	closed := fenceClose().FindStringSubmatchIndex(body)
	if opened == nil || closed == nil || closed[0] < opened[1]-1 {
		return "", 0, false
	}
	open, shut := body[opened[2]:opened[3]], body[closed[2]:closed[3]]
	if open[0] != shut[0] || len(shut) < len(open) {
		return "", 0, false
	}
	text = blank(text, start, start+opened[1])
	text = blank(text, start+closed[2], end)
	return text, start + opened[1], true
}

const markupName = `(?:[A-Za-z]+:)?(?:parameter|code|script|invoke|function_calls|tool_call|arguments|input)`

var (
	tagOpen  = lazily(`^<(` + markupName + `)((?:\s+[A-Za-z_]+="[^"\n]*")*)\s*>`)
	tagClose = lazily(`</(` + markupName + `)\s*>$`)
	cdata    = lazily(`^<!\[CDATA\[`)
)

// removeWrapper blanks XML-like markup that models leave around a parameter. A
// closing tag can never end a script, so a stray one goes too; an opening one
// alone goes only with attributes: <code>x can be a type assertion.
func removeWrapper(text string) (result string, at int, ok bool) {
	start, end := trimmedBounds(text)
	body := text[start:end]
	if c := cdata().FindString(body); c != "" && strings.HasSuffix(body, "]]>") {
		text = blank(text, start, start+len(c))
		return blank(text, end-len("]]>"), end), afterBlank(text, start+len(c)), true
	}
	opened := tagOpen().FindStringSubmatchIndex(body)
	closed := tagClose().FindStringSubmatchIndex(body)
	if opened != nil && closed == nil && opened[4] == opened[5] {
		return "", 0, false
	}
	if opened == nil && closed == nil {
		return "", 0, false
	}
	if closed != nil {
		text = blank(text, start+closed[0], end)
	}
	if opened != nil {
		text = blank(text, start, start+opened[1])
		at = afterBlank(text, start+opened[1])
	}
	return text, at, true
}

// afterBlank skips the rest of a line that holds white space alone.
func afterBlank(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 && isBlank(text[at:at+i]) {
		return at + i + 1
	}
	return at
}

// trimmedBounds are the offsets of the text without white space around it.
func trimmedBounds(text string) (start, end int) {
	start = len(text) - len(strings.TrimLeft(text, " \t\r\n\ufeff"))
	end = len(strings.TrimRight(text, " \t\r\n"))
	return start, max(start, end)
}

// blank replaces [from, to) by as many spaces as it has UTF-16 units and keeps
// its line ends.
func blank(text string, from, to int) string {
	var b strings.Builder
	b.Grow(len(text))
	b.WriteString(text[:from])
	for _, r := range text[from:to] {
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			b.WriteRune(r)
		default:
			b.WriteString("  "[:utf16Len(r)])
		}
	}
	b.WriteString(text[to:])
	return b.String()
}

func utf16Len(r rune) int {
	if n := utf16.RuneLen(r); n > 0 {
		return n
	}
	return 1
}

// positionAt converts an offset in bytes. A line ends at \n, \r\n or \r, as in
// LSP; U+2028 and U+2029 end none.
func positionAt(text string, offset int) Position {
	var p Position
	offset = min(offset, len(text))
	for i, r := range text[:offset] {
		switch {
		case r == '\n', r == '\r' && (i+1 >= len(text) || text[i+1] != '\n'):
			p.Line++
			p.Character = 0
		case r == '\r':
		default:
			p.Character += utf16Len(r)
		}
	}
	return p
}
