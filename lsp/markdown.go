package lsp

import (
	"regexp"
	"strings"

	"go.lsp.dev/protocol"
)

// markup is text for a client: Markdown, or plain text when it cannot show that.
func markup(markdown bool, text string) *protocol.MarkupContent {
	if markdown {
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	}
	return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: unmarked(text)}
}

// quoteMarkdown makes text that others wrote safe to stand in Markdown: it reads
// the same, its lists stay lists, but it makes no links, images, HTML, headings,
// quotes or fences, and hides nothing (TRUST-2).
func quoteMarkdown(text string) string {
	lines := strings.Split(printable(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " \t")
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		body := line[len(indent):]
		if len(indent) > 3 || strings.Contains(indent, "\t") {
			indent = "   " // four would be code
		}
		quoted := quoteInline(body)
		if body != "" && strings.ContainsAny(body[:1], "#>+=~|") || strings.Trim(body, "-=_* ") == "" && body != "" {
			if !strings.HasPrefix(quoted, `\`) && !strings.HasPrefix(quoted, "&") {
				quoted = `\` + quoted
			}
		}
		lines[i] = indent + quoted
	}
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			if line != "" && lines[i-1] != "" {
				b.WriteString("  ") // a line break is a line break
			}
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	return strings.TrimSpace(b.String())
}

// quoteInline escapes what has a meaning within a line.
func quoteInline(line string) string {
	var b strings.Builder
	word := func(i int) bool {
		if i < 0 || i >= len(line) {
			return false
		}
		c := line[i]
		return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '\\', '`', '[', ']', '~', '|':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '*':
			if i == 0 && strings.HasPrefix(line, "* ") {
				b.WriteByte(c) // an item of a list
				continue
			}
			b.WriteString(`\*`)
		case '_':
			if !word(i-1) || !word(i+1) {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case '(':
			if i > 0 && line[i-1] == ']' {
				b.WriteByte('\\') // for clients that read brackets carelessly
			}
			b.WriteByte(c)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case ':':
			// No link by itself, whatever the client makes links of.
			if strings.HasPrefix(line[i:], "://") {
				b.WriteString("&#58;")
				continue
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// fence is code in Markdown.
func fence(language, code string) string {
	marks := "```"
	for strings.Contains(code, marks) {
		marks += "`"
	}
	return marks + language + "\n" + strings.TrimRight(code, "\n") + "\n" + marks
}

// codeSpan is a name in Markdown.
func codeSpan(name string) string {
	name = plain(name, 200)
	if !strings.Contains(name, "`") {
		return "`" + name + "`"
	}
	return quoteInline(name)
}

var (
	fenceLine = regexp.MustCompile("(?m)^`{3,}.*\n?")
	link      = regexp.MustCompile(`\[([^\[\]]*)\]\([^()]*\)`)
	escaped   = regexp.MustCompile("\\\\([\\\\`*_\\[\\]()~|#>+=-])")
	emphasis  = regexp.MustCompile(`\*\*?([^*\n]+)\*\*?|(^|[^\w])_([^_\n]+)_`)
	entities  = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&#58;", ":")
)

// unmarked is Markdown, ours or the engine's, as plain text. Inside of fences
// nothing is changed.
func unmarked(markdown string) string {
	var b strings.Builder
	for markdown != "" {
		at := fenceLine.FindStringIndex(markdown)
		if at == nil {
			b.WriteString(unmarkedProse(markdown))
			break
		}
		b.WriteString(unmarkedProse(markdown[:at[0]]))
		marks := markdown[at[0] : at[0]+len(markdown[at[0]:at[1]])-len(strings.TrimLeft(markdown[at[0]:at[1]], "`"))]
		markdown = markdown[at[1]:]
		end := strings.Index("\n"+markdown, "\n"+marks)
		if end < 0 {
			b.WriteString(markdown)
			break
		}
		b.WriteString(markdown[:end])
		markdown = strings.TrimLeft(markdown[end:], "`")
	}
	return strings.TrimSpace(b.String())
}

func unmarkedProse(text string) string {
	// What is escaped must survive the rest: park it.
	var parked []string
	text = escaped.ReplaceAllStringFunc(text, func(m string) string {
		parked = append(parked, m[1:])
		return "\x00"
	})
	text = link.ReplaceAllString(text, "$1")
	text = emphasis.ReplaceAllString(text, "$1$2$3")
	text = strings.ReplaceAll(text, "`", "")
	text = strings.ReplaceAll(text, "  \n", "\n")
	text = entities.Replace(text)
	for _, p := range parked {
		text = strings.Replace(text, "\x00", p, 1)
	}
	return text
}
