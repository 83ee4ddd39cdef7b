package catalog

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"codemode-ls/internal/plaintext"
	"codemode-ls/typegen"
)

// style is what the look of an entry depends on besides its tool.
type style struct {
	depth int // levels of types (CAT-5)
	width int // of the tool's own description, in characters (CAT-1)
	// results are shown where the server declares none; plain does not say so.
	results *Results
	plain   bool
}

var defaultStyle = style{depth: 6, width: 160}

// block is one entry of the catalog: the comment with the description's first
// line, when there is one, and the signature below it (CAT-1).
type block struct {
	style     style
	text      string // without a newline at its end
	signature string // the part of text behind the comment
	tokens    int    // cost of text (CAT-7)
}

// keptStyles is how many styles of a tool are remembered: the default, what the
// settings say, and one more while they change.
const keptStyles = 3

// block renders the tool, or remembers how it looks.
func (t *Tool) block(s style) *block {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.blocks {
		if b.style == s {
			return b
		}
	}
	b := &block{style: s}
	signature, _ := typegen.Signature(t.Name, t.InputSchema, t.OutputSchema, s.depth)
	if r, ok := s.results.get(t); ok {
		signature = strings.TrimSuffix(signature, "Promise<unknown>")
		if signature += "Promise<" + r.Short + ">"; !s.plain {
			signature += " // " + r.origin()
		}
	}
	b.text = signature
	if line := firstLine(t.Description, s.width); line != "" {
		b.text = "// " + line + "\n" + signature
	}
	b.signature = b.text[len(b.text)-len(signature):]
	b.tokens = cost(b.text)
	if len(t.blocks) == keptStyles {
		t.blocks = slices.Delete(t.blocks, 0, 1)
	}
	t.blocks = append(t.blocks, b)
	return b
}

// cost in tokens: Unicode code points ÷ 4, rounded up (CAT-7).
func cost(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// firstLine is the first line of a description that has anything to show, fit
// for a line comment: nothing in it ends the line, hides or reorders text. It
// has at most width characters, the last one an ellipsis when more was there.
func firstLine(description string, width int) string {
	for rest := description; rest != ""; {
		var line string
		if end := strings.IndexFunc(rest, endsLine); end >= 0 {
			line, rest = rest[:end], rest[end:]
			_, size := utf8.DecodeRuneInString(rest)
			rest = rest[size:]
		} else {
			line, rest = rest, ""
		}
		if line = strings.TrimSpace(harmless(line)); line != "" {
			return shorten(line, width)
		}
	}
	return ""
}

// endsLine reports whether a character ends a line for ECMAScript (ECMA-262, 12.3)
// or for Unicode (The Unicode Standard, 5.8): readers of a text follow either.
func endsLine(r rune) bool {
	return '\n' <= r && r <= '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// harmless makes control characters spaces and removes what else cannot be seen.
func harmless(line string) string {
	var b strings.Builder
	b.Grow(len(line))
	before := rune(0)
	for i, r := range line {
		if r != utf8.RuneError && (r >= utf8.RuneSelf || r < ' ' || r == 0x7f) {
			after, _ := utf8.DecodeRuneInString(line[i+utf8.RuneLen(r):])
			switch {
			case unicode.IsControl(r):
				r = ' '
			case plaintext.Hidden(before, r, after):
				continue
			}
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// shorten cuts a line to width code points.
func shorten(line string, width int) string {
	if len(line) <= width || utf8.RuneCountInString(line) <= width {
		return line
	}
	n := 0
	for i := range line {
		if n == width-1 {
			return strings.TrimRightFunc(line[:i], unicode.IsSpace) + "…"
		}
		n++
	}
	return line
}

// entry is a tool with its block.
type entry struct {
	tool  *Tool
	block *block
}

// orders remembers the tools of a server or group in the order of the catalog.
type orders struct {
	mu   sync.Mutex // guards kept
	kept []order    // newest last
}

type order struct {
	style   style
	entries []entry
}

// of are the entries of tools, which come by name, cheapest first, ties by name
// (CAT-7). tools must be the same at each call.
func (o *orders) of(tools []*Tool, s style) []entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, k := range o.kept {
		if k.style == s {
			return k.entries
		}
	}
	blocks := make([]*block, len(tools))
	keys := make([]uint64, len(tools)) // cost, then place: sorts by cost and then by name
	for i, t := range tools {
		blocks[i] = t.block(s)
		keys[i] = uint64(blocks[i].tokens)<<32 | uint64(i)
	}
	slices.Sort(keys)
	entries := make([]entry, len(tools))
	for n, k := range keys {
		i := uint32(k)
		entries[n] = entry{tools[i], blocks[i]}
	}
	if len(o.kept) == keptStyles {
		o.kept = slices.Delete(o.kept, 0, 1)
	}
	o.kept = append(o.kept, order{s, entries})
	return entries
}
