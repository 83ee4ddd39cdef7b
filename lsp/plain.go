package lsp

import "codemode-ls/internal/plaintext"

// plain is one line of text that others wrote, at most limit characters of it.
func plain(text string, limit int) string { return plaintext.Line(text, limit) }

// printable is text that others wrote, in several lines.
func printable(text string) string { return plaintext.Lines(text) }
