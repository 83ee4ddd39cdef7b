package configfile

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"codemode-ls/analysis"
	"codemode-ls/config"
	"codemode-ls/internal/plaintext"
	"codemode-ls/upstream"

	"go.lsp.dev/protocol"
)

// maxHoverTools is how many tools a hover lists.
const maxHoverTools = 30

// Hover says what is known of the server, the field or the setting at a
// place.
func (file *File) Hover(p protocol.Position) *protocol.Hover {
	snap, doc, f := file.View, file.Doc, file.Parsed
	show := func(text string, span config.Span) *protocol.Hover {
		r := doc.Span(span)
		return &protocol.Hover{Contents: analysis.Markup(snap.Client.MarkdownHover, text), Range: &r}
	}
	at := doc.Offset(p)
	for _, e := range f.Entries {
		if e.Name.Contains(at) {
			return show(serverDocumentation(snap, e), e.Name)
		}
		for _, m := range e.Fields {
			if m.Key.Contains(at) && m.Field.Name != "" {
				return show(configFieldDocumentation(m.Field), m.Key)
			}
		}
	}
	if !f.Kind.Settings() {
		return nil
	}
	c := f.Kind.CursorAt(doc.Text, at)
	name := strings.Join(append(c.Path, c.Member), ".")
	if c.InName && c.Word.End > c.Word.Start {
		name = strings.Join(append(c.Path, strings.Trim(doc.Text[c.Word.Start:c.Word.End], `"`)), ".")
	}
	for _, v := range config.Settings() {
		if v.Name == strings.TrimPrefix(name, "codemode.") {
			return show(analysis.CodeSpan(v.Name)+"\n\n"+v.Doc, c.Word)
		}
	}
	return nil
}

func configFieldDocumentation(f config.Field) string {
	if f.Doc == "" {
		return analysis.CodeSpan(f.Name) + "\n\nThis has no meaning here; the program whose file it is uses it."
	}
	text := analysis.CodeSpan(f.Name) + ": " + f.Type + "\n\n" + f.Doc
	if len(f.Values) > 0 {
		text += "\n\nOne of `" + strings.Join(f.Values, "`, `") + "`."
	}
	return text
}

// serverDocumentation is state, origin and tools of a server.
func serverDocumentation(snap *analysis.View, e config.Entry) string {
	parts := []string{"MCP server " + analysis.CodeSpan(e.Server.Name)}
	switch v, ok := statusOf(snap, e); {
	case ok:
		facts := []string{"State: " + analysis.QuoteMarkdown(StatusWords(v))}
		if v.CodeMode {
			facts = append(facts, "It takes code itself.")
		}
		parts = append(parts, strings.Join(facts, "  \n"))
		if v.State == upstream.Untrusted {
			parts = append(parts, approvalDocumentation(v.Server))
		}
		if lines := lastLines(v.Stderr, 5); v.State == upstream.Failed && len(lines) > 0 {
			parts = append(parts, analysis.Fence("", strings.Join(lines, "\n")))
		}
		if list := toolList(snap, e.Server.Name); list != "" {
			parts = append(parts, list)
		}
	default:
		if first, ok := before(snap, e); ok {
			parts = append(parts, "Not used: the one of "+analysis.QuoteMarkdown(analysis.Plain(config.Origin(first), 200))+" comes first.")
		} else {
			parts = append(parts, "Not read yet: save the file.")
		}
	}
	parts = append(parts, fmt.Sprintf("From %s, a file of %s.", analysis.QuoteMarkdown(analysis.Plain(e.Server.File, 300)), originWords(e.Server)))
	return strings.Join(parts, "\n\n")
}

// maxHoverDefinition is how many characters of a definition a hover shows.
const maxHoverDefinition = 4000

// approvalDocumentation is what approving a server would allow: the whole of it, or
// where the whole can be seen.
func approvalDocumentation(v config.Server) string {
	text, name := strings.Join(DefinitionLines(v), "\n"), plaintext.Exact(ShownWord(v.Name))
	if utf8.RuneCountInString(text) > maxHoverDefinition {
		return "What it would do is too long to be shown here. See it by " + analysis.CodeSpan("codemode-ls trust show "+name) + "."
	}
	return "As it was read and would be approved:\n\n" + analysis.Fence("", text)
}

func originWords(v config.Server) string {
	title := "codemode-ls"
	for _, c := range config.Clients() {
		if c.Name == v.Client {
			title = c.Title
		}
	}
	if v.Layer == config.Workspace {
		return title + " in this workspace"
	}
	return title + " of your own"
}

func toolList(snap *analysis.View, server string) string {
	var b strings.Builder
	n := 0
	for _, t := range snap.Workspace.Catalog.Tools() {
		if t.Server != server {
			continue
		}
		if n++; n > maxHoverTools {
			continue
		}
		fmt.Fprintf(&b, "- %s", analysis.CodeSpan(t.Name))
		if title := analysis.Plain(t.Title, 80); title != "" {
			b.WriteString(" " + analysis.QuoteMarkdown(title))
		}
		b.WriteByte('\n')
	}
	if n > maxHoverTools {
		fmt.Fprintf(&b, "- and %d more\n", n-maxHoverTools)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
