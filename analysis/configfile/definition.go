package configfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"codemode-ls/config"
	"codemode-ls/internal/plaintext"
)

// DefinitionLines show a whole definition as it is written, with hidden characters
// spelled out, and no value of a variable.
func DefinitionLines(v config.Server) []string {
	var lines []string
	add := func(label, text string) { lines = append(lines, label+": "+plaintext.Exact(text)) }
	a := v.Shown()
	if a.URL != "" {
		add("URL", a.URL)
	} else {
		words := append([]string{a.Command}, a.Args...)
		for i, w := range words {
			words[i] = ShownWord(w)
		}
		add("Command", strings.Join(words, " "))
	}
	if a.Cwd != "" {
		add("Folder", a.Cwd)
	}
	if signIn := a.OAuth.Summary(); signIn != "" {
		add("Sign-in", signIn)
	}
	if names := slices.Concat(slices.Sorted(maps.Keys(a.Env)), slices.Sorted(maps.Keys(a.Headers))); len(names) > 0 {
		add("Variables and headers", strings.Join(names, ", "))
	}
	for _, read := range a.Reads {
		add("Reads", read.Name+" → "+read.To)
	}
	return lines
}

// ShownWord shows a word of a command so that its ends can be seen.
func ShownWord(w string) string {
	if w == "" || strings.ContainsAny(w, " \t\n\"'`$&|;<>()*?[]{}\\") {
		return fmt.Sprintf("%q", w)
	}
	return w
}
