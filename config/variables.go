package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// expander replaces the variables in a definition's values, as far as the dialect
// has them (MCP-2).
type expander struct {
	syntax syntax
	lookup func(string) (string, bool)
	folder string // of the workspace, or ""
	home   string // the user's directory, or ""
	// input answers a question by its id; nil leaves it as it is written.
	input func(id string) (string, bool)
	used  map[string]bool // ids of inputs that were asked for
	// file reads a file that a value names; nil forbids that.
	file func(path string) (string, error)
	// written leaves every value as it is, and only looks which variables it has.
	written   bool
	noteInput func(id string)
}

// variableError says which variable cannot be replaced, and why.
type variableError struct {
	code, message string
}

func (e *variableError) Error() string { return e.message }

// expand replaces the variables of the dialect. A default is for an unset
// variable; one that is set to nothing stays empty. A dollar sign without a brace
// is itself, but where the dialect has $X. What is replaced is not looked at again.
func (e expander) expand(s string) (string, *variableError) {
	if e.written {
		e.written = false
		_, _ = e.expand(s) // what is wrong is reported when the values are read
		return s, nil
	}
	if e.syntax.braces {
		return e.expandBraces(s)
	}
	if !e.syntax.prefixed && !e.syntax.bare {
		return s, nil
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "$")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		expression, braced := strings.CutPrefix(rest, "{")
		if !braced {
			n := nameLength(rest)
			if !e.syntax.dollar || n == 0 {
				b.WriteByte('$')
				s = rest
				continue
			}
			value, err := e.ofEnvironment(rest[:n])
			if err != nil {
				return "", err
			}
			b.WriteString(value)
			s = rest[n:]
			continue
		}
		expression, after, closed := strings.Cut(expression, "}")
		if !closed {
			return "", &variableError{"unclosed-variable", fmt.Sprintf("\"${%s\" has no closing brace", clip(expression))}
		}
		value, err := e.value(expression)
		if err != nil {
			return "", err
		}
		b.WriteString(value)
		s = after
	}
}

// nameLength is how many bytes of s are the name of a variable without braces.
func nameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}

// expandBraces replaces {env:X} and {file:path}; any other brace is itself.
func (e expander) expandBraces(s string) (string, *variableError) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		expression, after, closed := strings.Cut(rest, "}")
		kind, name, _ := strings.Cut(expression, ":")
		switch {
		case closed && kind == "env":
			value, err := e.ofEnvironment(name)
			if err != nil {
				return "", err
			}
			b.WriteString(value)
			s = after
		case closed && kind == "file":
			if e.file == nil {
				return "", &variableError{"unsupported-variable", fmt.Sprintf("\"{%s}\": a workspace's file cannot read other files into a definition", clip(expression))}
			}
			value, err := e.file(name)
			if err != nil {
				return "", &variableError{"unset-variable", fmt.Sprintf("\"{%s}\": %v", clip(expression), err)}
			}
			b.WriteString(value)
			s = after
		default:
			b.WriteByte('{')
			s = rest
		}
	}
}

func (e expander) value(expression string) (string, *variableError) {
	name, fallback, hasFallback := strings.Cut(expression, ":-")
	if !e.syntax.bare {
		name, hasFallback = expression, false
	}
	if e.syntax.prefixed {
		if value, err, ok := e.place(name); ok {
			return value, err
		}
		if id, ok := strings.CutPrefix(name, "input:"); ok && e.syntax.inputs {
			if e.noteInput != nil {
				e.noteInput(id)
			}
			e.used[id] = true
			if value, ok := e.answer(id); ok {
				return value, nil
			}
			return "${" + expression + "}", nil
		}
	}
	variable, prefixed := strings.CutPrefix(name, "env:")
	switch {
	case prefixed && !e.syntax.prefixed, !isVariableName(variable):
		return "", &variableError{"unsupported-variable", fmt.Sprintf("\"${%s}\" is not supported: use %s", clip(expression), e.forms())}
	case !prefixed && !e.syntax.bare:
		return "${" + expression + "}", nil // of a shell, or of the server itself
	}
	value, err := e.ofEnvironment(variable)
	if err != nil && hasFallback {
		return fallback, nil
	}
	return value, err
}

// forms are what the dialect has.
func (e expander) forms() string {
	switch {
	case e.syntax.prefixed && e.syntax.bare:
		return "${env:NAME}, ${NAME}, ${NAME:-default} or ${workspaceFolder}"
	case e.syntax.prefixed:
		return "${env:NAME}, ${workspaceFolder} or ${userHome}"
	}
	return "${NAME} or ${NAME:-default}"
}

// place is the value of a variable that names a place; ok is false when it is none.
func (e expander) place(name string) (value string, err *variableError, ok bool) {
	switch name {
	case "workspaceFolder", "workspaceFolderBasename":
		if e.folder == "" {
			return "", &variableError{"unset-variable", fmt.Sprintf("variable %s has no value, because no folder is open", name)}, true
		}
		if name == "workspaceFolder" {
			return e.folder, nil, true
		}
		return filepath.Base(e.folder), nil, true
	case "userHome":
		if e.home == "" {
			return "", &variableError{"unset-variable", "variable userHome has no value, because there is no home directory"}, true
		}
		return e.home, nil, true
	case "pathSeparator", "/":
		return string(filepath.Separator), nil, true
	}
	return "", nil, false
}

// answer is what somebody has said to the question with that id.
func (e expander) answer(id string) (string, bool) {
	if e.input == nil {
		return "", false
	}
	return e.input(id)
}

func (e expander) ofEnvironment(name string) (string, *variableError) {
	if value, ok := e.lookup(name); ok {
		return value, nil
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
