package analysis

import "codemode-ls/internal/plaintext"

// Plain is one line of text that others wrote, at most limit characters of it.
func Plain(text string, limit int) string { return plaintext.Line(text, limit) }

// Printable is text that others wrote, in several lines.
func Printable(text string) string { return plaintext.Lines(text) }
