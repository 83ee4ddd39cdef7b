// Package plaintext is the one rule for text that others wrote: MCP servers,
// their schemas and logs, scripts, workspaces, other programs. What a person or a
// model reads is what is there, and none of it acts on its surroundings.
//
// Characters are treated by kind:
//
//   - Line feeds and tabs stay where a text may have several lines. CRLF is one
//     line feed. On one line, all white space is folded.
//   - Terminal control sequences (CSI, OSC, DCS and their kind) are removed when
//     complete. Other control characters, line and paragraph separators, and
//     invalid UTF-8 with unpaired surrogates become U+FFFD.
//   - Characters that reorder what follows (bidirectional embeddings, overrides and
//     isolates), and those that carry hidden text or pretend to be nothing (tags,
//     Hangul fillers, the braille blank, noncharacters and unassigned ignorable
//     ones, other format characters) become U+FFFD, one for a run: tampering is
//     shown, a hidden message does not fill the view.
//   - Invisible characters that come with copied text and show nothing (soft
//     hyphen, zero-width space, word joiner, byte order mark, direction marks) are
//     removed.
//   - Joiners stay where writing needs them: between the parts of an emoji, and
//     within Arabic, Indic and similar scripts. Variation selectors stay after the
//     character that they select a form of, one at a time. Elsewhere both are
//     removed.
//   - Spaces of other widths become ordinary ones, but for the ideographic one.
//
// Lines and Line are for reading. Exact is for decisions: nothing is removed,
// what cannot be seen is spelled out. Markdown, MarkdownLine, Code and CodeSpan are
// for surfaces that render Markdown.
package plaintext
