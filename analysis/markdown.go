package analysis

import (
	"regexp"
	"strings"

	"codemode-ls/internal/plaintext"

	"go.lsp.dev/protocol"
)

// Markup is text for a client: Markdown, or plain text when it cannot show that.
func Markup(markdown bool, text string) *protocol.MarkupContent {
	if markdown {
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	}
	return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: Unmarked(text)}
}

// engineMarkup is Markdown of the TypeScript engine for a client. The engine passes
// on what JSDoc comments say, in tools.d.ts the text of schemas.
func engineMarkup(markdown bool, text string) *protocol.MarkupContent {
	return Markup(markdown, plaintext.Documentation(text))
}

// QuoteMarkdown makes text that others wrote safe to stand in Markdown.
func QuoteMarkdown(text string) string { return plaintext.Markdown(text) }

// Fence is code in Markdown.
func Fence(language, code string) string { return plaintext.Code(language, code) }

// CodeSpan is a name in Markdown.
func CodeSpan(name string) string { return plaintext.CodeSpan(name) }

var (
	fenceLine = regexp.MustCompile("(?m)^`{3,}.*\n?")
	link      = regexp.MustCompile(`\[([^\[\]]*)\]\([^()]*\)`)
	literal   = regexp.MustCompile("\\\\[\\\\`*_\\[\\]()~|#>+=:.-]|`[^`\n]+`")
	emphasis  = regexp.MustCompile(`\*\*?([^*\n]+)\*\*?|(^|[^\w])_([^_\n]+)_`)
	entities  = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&#96;", "`")
)

// Unmarked is Markdown, ours or the engine's, as plain text. Inside of fences
// nothing is changed.
func Unmarked(markdown string) string {
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
	// What is escaped, or code, must survive the rest: park it.
	var parked []string
	text = literal.ReplaceAllStringFunc(text, func(m string) string {
		if m[0] == '\\' {
			parked = append(parked, m[1:])
		} else {
			parked = append(parked, m[1:len(m)-1])
		}
		return "\x00"
	})
	text = link.ReplaceAllString(text, "$1")
	text = emphasis.ReplaceAllString(text, "$1$2$3")
	text = strings.ReplaceAll(text, "  \n", "\n")
	text = entities.Replace(text)
	var b strings.Builder
	for _, p := range parked {
		before, after, _ := strings.Cut(text, "\x00")
		b.WriteString(before + p)
		text = after
	}
	return b.String() + text
}
