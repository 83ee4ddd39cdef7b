package plaintext

import (
	"regexp"
	"slices"
	"strings"
)

// Markdown is text as Markdown that shows what the text says and does nothing: its
// lists stay lists, its line breaks line breaks, but it makes no links (not by
// themselves either), images, HTML, headings, quotes, tables or code blocks in
// CommonMark, in GitHub's dialect, or in editors' renderers.
func Markdown(text string) string {
	lines := strings.Split(Lines(text), "\n")
	quoteLines(lines, quoteInline)
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

// quoteLines quotes lines in place.
func quoteLines(lines []string, inline func(string) string) {
	for i, line := range lines {
		line = strings.TrimRight(line, blanks)
		body := strings.TrimLeft(line, blanks)
		indent := line[:len(line)-len(body)]
		if len(indent) > 3 || strings.Trim(indent, " ") != "" {
			indent = "   " // four would be code
		}
		lines[i] = indent + quoteBlock(body, 0, inline)
	}
}

// Documentation is Markdown with text of others in it, such as that of a TypeScript
// engine about declarations that were made of schemas, of which fenced code, code
// spans and the names of JSDoc tags are kept and all else is text, as in Markdown.
func Documentation(markdown string) string {
	lines := strings.Split(Lines(markdown), "\n")
	var out []string
	for len(lines) > 0 {
		if fence := fenceLine.FindStringSubmatch(lines[0]); fence != nil {
			end := slices.IndexFunc(lines[1:], func(line string) bool {
				line = strings.TrimSpace(line)
				return strings.HasPrefix(line, fence[1]) && strings.Trim(line, fence[1][:1]) == ""
			})
			body := lines[1:]
			if end >= 0 {
				body = body[:end]
			}
			out = append(out, Code(fence[2], strings.Join(body, "\n")))
			lines = lines[min(len(body)+2, len(lines)):]
			continue
		}
		end := slices.IndexFunc(lines, fenceLine.MatchString)
		if end < 0 {
			end = len(lines)
		}
		quoteLines(lines[:end], quoteDocumentation)
		out = append(out, lines[:end]...)
		lines = lines[end:]
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

var (
	fenceLine = regexp.MustCompile("^ {0,3}(```+|~~~+)[ \t]*([A-Za-z0-9+#-]*)[^`]*$")
	// kept is what stays Markdown, a tag's name at the start and code, and links, of
	// which text and target are shown; those of the engine to declarations are files.
	kept = regexp.MustCompile("^\\*@[A-Za-z]+\\*|`[^`]+`|\\[[^\\[\\]]+\\]\\([^()\\s`]+\\)")
)

// quoteDocumentation is quoteInline, but for what stays Markdown.
func quoteDocumentation(line string) string {
	var b strings.Builder
	quote := func(text string) {
		// A backtick beside a code span would be read as one of its marks.
		for i, part := range strings.Split(text, "`") {
			if i > 0 {
				b.WriteString("&#96;")
			}
			b.WriteString(quoteInline(part))
		}
	}
	done := 0
	for _, at := range kept.FindAllStringIndex(line, -1) {
		quote(line[done:at[0]])
		switch part := line[at[0]:at[1]]; part[0] {
		case '[':
			text, target, _ := strings.Cut(part[1:len(part)-1], "](")
			quote(text)
			if !strings.HasPrefix(target, "file:") {
				b.WriteString(" (" + CodeSpan(target) + ")")
			}
		default:
			if strings.HasSuffix(b.String(), "`") {
				b.WriteByte(' ')
			}
			b.WriteString(part)
		}
		done = at[1]
	}
	if rest := line[done:]; rest != "" {
		mark := b.Len()
		quote(rest)
		if text := b.String(); mark > 0 && text[mark-1] == '`' && text[mark] == '`' {
			return text[:mark] + " " + text[mark:]
		}
	}
	return b.String()
}

// blanks are the white space that Lines leaves within a line.
const blanks = " \t\u3000"

// MarkdownLine is Markdown for a place within a line, at most limit characters of
// the text (0: all).
func MarkdownLine(text string, limit int) string {
	return quoteBlock(Line(text, limit), maxNesting, quoteInline)
}

// Code is code in Markdown, in a fence that the code cannot end.
func Code(language, code string) string {
	code = Lines(code)
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(code, "\n") + "\n" + fence
}

// maxName is how much of a name is shown.
const maxName = 200

// CodeSpan is a name in Markdown.
func CodeSpan(name string) string {
	name = Line(name, maxName)
	if name == "" || strings.Contains(name, "`") {
		return quoteBlock(name, maxNesting, quoteInline)
	}
	return "`" + name + "`"
}

// maxNesting is how many lists a line can open.
const maxNesting = 3

// quoteBlock quotes a line without its indentation. Markers of lists stay, unless
// depth lists are open on the line already; whatever else begins a block is escaped.
func quoteBlock(body string, depth int, inline func(string) string) string {
	if n := listMarker(body); n > 0 {
		rest := strings.TrimLeft(body[n:], blanks)
		if rest != "" && body[0] != '+' && depth < maxNesting && strings.Trim(body, "-_*"+blanks) != "" {
			return body[:n] + " " + quoteBlock(rest, depth+1, inline)
		}
		return body[:n-1] + `\` + body[n-1:n] + inline(body[n:])
	}
	quoted := inline(body)
	if body != "" && (strings.ContainsRune("#=+:", rune(body[0])) || strings.Trim(body, "-=_*:|"+blanks) == "") && quoted[0] == body[0] {
		return `\` + quoted
	}
	return quoted
}

// listMarker is the length of a list item's marker that a line begins with, or 0.
func listMarker(body string) int {
	n := 0
	for n < len(body) && n < 9 && '0' <= body[n] && body[n] <= '9' {
		n++
	}
	if n == len(body) || n > 0 && body[n] != '.' && body[n] != ')' || n == 0 && strings.IndexByte("-+*", body[n]) < 0 {
		return 0
	}
	if n++; n < len(body) && body[n] != ' ' && body[n] != '\t' {
		return 0
	}
	return n
}

// quoteInline escapes what has a meaning within a line. Words that renderers make
// links of by themselves become code.
func quoteInline(line string) string {
	var b strings.Builder
	for line != "" {
		end := strings.IndexFunc(line, isBlank)
		if end < 0 {
			end = len(line)
		}
		quoteWord(&b, line[:end])
		line = line[end:]
		rest := strings.TrimLeftFunc(line, isBlank)
		b.WriteString(line[:len(line)-len(rest)])
		line = rest
	}
	return b.String()
}

func isBlank(r rune) bool { return strings.ContainsRune(blanks, r) }

// punctuation are the marks around a word that do not belong to a link.
const (
	opening = "([{<\"'*_~"
	closing = ")]}>\"'*_~.,;:!?"
)

// quoteWord writes a word, parts between backticks each by itself: code spans cannot
// have one in them.
func quoteWord(b *strings.Builder, word string) {
	span := false // what was written last is a code span
	for i, part := range strings.Split(word, "`") {
		tail := strings.TrimLeft(part, opening)
		link := strings.TrimRight(tail, closing)
		live := isLive(link)
		if i > 0 {
			if live || span {
				b.WriteString("&#96;") // an escaped one beside a code span is easily read wrong
			} else {
				b.WriteString("\\`")
			}
		}
		if span = live; live {
			escape(b, part[:len(part)-len(tail)])
			b.WriteString("`" + link + "`")
			escape(b, tail[len(link):])
		} else {
			escape(b, part)
		}
	}
}

// isLive reports whether a renderer may make a link of a word: GitHub's Markdown does
// of http://, https:// and ftp://, of www. and of e-mail addresses, others of more.
func isLive(word string) bool {
	if slashes := strings.Index(word, "//"); slashes >= 0 && slashes < len(word)-2 {
		return true
	}
	if within := word[min(1, len(word)):]; strings.IndexByte(within, '@') >= 0 && strings.IndexByte(within, '@') < len(within)-1 {
		return true
	}
	const www = "www."
	for i := 0; i+len(www) <= len(word); i++ {
		if strings.EqualFold(word[i:i+len(www)], www) {
			return true
		}
	}
	return false
}

func escape(b *strings.Builder, text string) {
	isWord := func(i int) bool {
		if i < 0 || i >= len(text) {
			return false
		}
		c := text[i]
		return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	for i := range len(text) {
		switch c := text[i]; c {
		case '\\', '[', ']', '~', '|', '*', '`':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '_':
			if !isWord(i-1) || !isWord(i+1) {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case '(':
			if i > 0 && text[i-1] == ']' {
				b.WriteByte('\\') // for clients that read brackets carelessly
			}
			b.WriteByte(c)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		default:
			b.WriteByte(c)
		}
	}
}
