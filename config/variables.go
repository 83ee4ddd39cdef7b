package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// expander replaces the variables in a definition's values (MCP-2). Another
// client's files with other rules would get an expander of their own.
type expander struct {
	lookup func(string) (string, bool)
	folder string // of the workspace, or ""
}

// variableError says which variable cannot be replaced, and why.
type variableError struct {
	code, message string
}

func (e *variableError) Error() string { return e.message }

// expand replaces ${env:X}, ${X}, ${X:-default}, ${workspaceFolder} and
// ${workspaceFolderBasename}. A default is for an unset variable; one that is
// set to nothing stays empty. A dollar sign without a brace is itself. What is
// replaced is not looked at again.
func (e expander) expand(s string) (string, *variableError) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", &variableError{"unclosed-variable", fmt.Sprintf("\"${%s\" has no closing brace", clip(rest))}
		}
		value, err := e.value(expression)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
		s = after
	}
}

func (e expander) value(expression string) (string, *variableError) {
	name, fallback, hasFallback := strings.Cut(expression, ":-")
	switch name {
	case "workspaceFolder", "workspaceFolderBasename":
		if e.folder == "" {
			return "", &variableError{"unset-variable", fmt.Sprintf("variable %s has no value, because no folder is open", name)}
		}
		if name == "workspaceFolder" {
			return e.folder, nil
		}
		return filepath.Base(e.folder), nil
	}
	name = strings.TrimPrefix(name, "env:")
	if !isVariableName(name) {
		return "", &variableError{"unsupported-variable", fmt.Sprintf("\"${%s}\" is not supported: use ${env:NAME}, ${NAME}, ${NAME:-default} or ${workspaceFolder}", clip(expression))}
	}
	if value, ok := e.lookup(name); ok {
		return value, nil
	}
	if hasFallback {
		return fallback, nil
	}
	return "", &variableError{"unset-variable", fmt.Sprintf("environment variable %s is not set", name)}
}

// isVariableName accepts what environments really hold, "ProgramFiles(x86)"
// included, and refuses the prefixes of other clients ("input:id").
func isVariableName(s string) bool {
	return s != "" && !strings.ContainsAny(s, ":=${\x00\n\r")
}

// clip keeps a quoted part of a message short.
func clip(s string) string {
	const width = 60
	if runes := []rune(s); len(runes) > width {
		return string(runes[:width]) + "…"
	}
	return s
}
