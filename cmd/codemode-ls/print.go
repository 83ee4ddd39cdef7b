package main

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"codemode-ls/exec/cassette"
	"codemode-ls/internal/plaintext"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// data is text of a script or a server as standard output gets it: byte for byte,
// because a program may read it, and harmless where a terminal shows it (CLI-10).
func (a *app) data(text string) string {
	if isTerminal(a.stdout) {
		return printable(strings.ReplaceAll(text, "\r\n", "\n"))
	}
	return text
}

// printJSON prints v indented, with one newline at its end.
func printJSON(w io.Writer, v any) error {
	// What servers and scripts sent is in v as they sent it, half surrogates and
	// members that come twice included; it must not cost the rest of the answer.
	data, err := json.Marshal(v, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	_, err = w.Write(append(cassette.Escape(data), '\n'))
	return err
}

// valueText is a returned value for display: a string as it is, anything else as
// indented JSON (EXEC-9).
func valueText(v jsontext.Value) (string, error) {
	if v.Kind() == '"' {
		var s string
		err := json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true))
		return s, err
	}
	v = v.Clone()
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return "", err
	}
	return string(v), nil
}

// place is " (line 3, column 5)" for display, or nothing.
func place(r *script.Range) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf(" (line %d, column %d)", r.Start.Line+1, r.Start.Character+1)
}

// oneLine is a name that others chose, without line breaks, for a line that says
// more than the name.
func oneLine(s string) string { return plaintext.Line(s, 0) }

// single is a text that others chose, exactly as it is but on one line: a line break
// in it could make it look like several, or like something that this program says.
func single(s string) string { return plaintext.Exact(s) }

// fileURI is the file URI of an absolute path (RFC 8089).
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive letter
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
