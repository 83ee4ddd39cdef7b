// Package diagnostics has the pages that explain Code Mode's own diagnostics,
// one for each code: <code>.md.
package diagnostics

import "embed"

//go:embed *.md
var files embed.FS

// Page is the explanation of a code; ok is false when there is none.
func Page(code string) (text string, ok bool) {
	raw, err := files.ReadFile(code + ".md")
	return string(raw), err == nil
}
