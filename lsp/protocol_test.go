package lsp

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/protocol.md again")

// docs/protocol.md follows from the declarations of the methods, their types, the
// commands and the errors.
func TestProtocolDocument(t *testing.T) {
	path := filepath.Join("..", "docs", "protocol.md")
	want := protocolDocument(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/protocol.md is stale: run go test ./lsp -run TestProtocolDocument -update")
	}
}

func protocolDocument(t *testing.T) string {
	d := readDeclarations(t)
	types := &typeList{d: d}
	var b strings.Builder
	b.WriteString(`# The custom methods

<!-- Generated from the declarations in lsp and exec by lsp/protocol_test.go; do not edit. -->

JSON as in LSP; types are written as in TypeScript, those of LSP itself as ` + "`LSP.…`" + `. Ranges are in the negotiated position
encoding. Fields may be added; none changes its meaning.

## Capabilities

A client says under ` + "`capabilities.experimental.codemode`" + ` what it can, an object with any of these; an empty one will do to get
the notifications:

| | |
| --- | --- |
`)
	for _, f := range d.fields("lsp.codemodeClient") {
		fmt.Fprintf(&b, "| `%s: true` | the client %s |\n", f.json, f.comment)
	}
	fmt.Fprintf(&b, `
The server answers under the same key with %s: %s is %d.

## Requests to the server

| method | parameters | answer | |
| --- | --- | --- | --- |
`, code(types.use("lsp.Offer")), code("protocolVersion"), ProtocolVersion)
	var later []string
	for _, c := range d.consts("protocol.go", "Method") {
		params, answer, answered := d.signature(c.name)
		switch {
		case strings.Contains(c.comment, "→"): // from the server
		case !answered:
			later = append(later, code(c.value))
		default:
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(c.value), code(types.use(params)), code(types.use(answer)), c.comment)
		}
	}
	if len(later) > 0 {
		fmt.Fprintf(&b, "\nNot answered by this version: %s.\n", strings.Join(later, ", "))
	}

	b.WriteString(`
## From the server

| method | | | |
| --- | --- | --- | --- |
`)
	for _, c := range append(d.consts("protocol.go", "Method"), d.consts("protocol.go", "Notice")...) {
		told, text, ok := strings.Cut(c.comment, ": ")
		asked, answer, isRequest := strings.Cut(told, " → ")
		switch {
		case isRequest:
			fmt.Fprintf(&b, "| %s | request | %s → %s | %s |\n", code(c.value), code(types.use(asked)), code(types.use(answer)), text)
		case strings.HasPrefix(c.name, "Notice"):
			if !ok {
				t.Errorf("%s: what is told?", c.name)
			}
			fmt.Fprintf(&b, "| %s | notification | %s | %s |\n", code(c.value), code(types.use(told)), text)
		}
	}

	b.WriteString("\n## Types\n\n```ts\n" + types.String() + "```\n")

	b.WriteString(`
## Settings

The server asks for the section ` + "`codemode`" + ` by ` + "`workspace/configuration`" + `, and takes it also from ` + "`initializationOptions`" + ` and
` + "`workspace/didChangeConfiguration`" + `; [settings.md](settings.md) lists what is in it. All of it counts as set by a file
of the workspace, because most clients merge such files into what they answer: MCP servers need a person's approval, and settings that are
marked as trusted are ignored. A client that knows better says so by the capability ` + "`splitSettings`" + `, and repeats under ` + "`$workspace`" + ` in
that section, ` + "`{}`" + ` if there are none, what files of the workspace have set; the rest is then the user's own. It must write that member itself and
pass on none that comes from a file. Without the capability, the member is ignored.

## Commands

For ` + "`workspace/executeCommand`" + `, so that a client without any of the above can do everything. What they open is a document, shown by
` + "`window/showDocument`" + `; where that cannot be, ` + "`window/showMessage`" + ` says where it is.

| command | arguments | |
| --- | --- | --- |
`)
	for _, c := range d.consts("commands.go", "Command") {
		arguments, text, ok := strings.Cut(c.comment, "; ")
		if !ok {
			t.Errorf("%s: the comment wants arguments; meaning", c.name)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(c.value), strings.TrimPrefix(arguments, "nothing"), text)
	}

	b.WriteString(`
## Errors

The codes of JSON-RPC and LSP, and these, with the name in ` + "`data.code`" + `:

| code | name | |
| --- | --- | --- |
`)
	for _, c := range d.consts("errors.go", "Code") {
		name, text, ok := strings.Cut(c.comment, ": ")
		if !ok {
			t.Errorf("%s: the comment wants NAME: meaning", c.name)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.value, code(name), text)
	}
	return b.String()
}

// code is Markdown for a piece of code; nothing for none.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}
