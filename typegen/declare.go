package typegen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// typesNamespace holds the named types, one namespace within it for each tool.
const typesNamespace = "ToolTypes"

// Declare renders one tool's part of the .d.ts.
func Declare(t Tool) *Declaration {
	own := mangle(t.Name)
	if own == typesNamespace {
		own += "$"
	}
	s := signature{
		namespace: typesNamespace + "." + own,
		// What generated types mention must keep its global meaning.
		taken: map[string]bool{"Array": true, "Function": true, "Record": true, "Promise": true, typesNamespace: true},
	}
	d := &Declaration{Name: t.Name}
	text := t.Description
	if strings.TrimSpace(text) == "" {
		text = t.Title
	}
	if t.Deprecated {
		text += "\n@deprecated"
	}
	out := appendComment(nil, text, 1)
	d.line = strings.Count(string(out), "\n")
	out = append(out, "  "...)
	out = appendPropertyName(out, t.Name)
	out = s.append(out, t.Input, t.Output, 1)
	if t.Output == nil && t.Result != "" {
		out = append(bytes.TrimSuffix(out, []byte("unknown>")), strings.ReplaceAll(t.Result, "\n", "\n  ")...)
		out = append(out, '>')
	}
	out = append(out, ";\n"...)
	d.Text = string(out)
	if t.Output == nil {
		name := string(appendPropertyName(nil, t.Name))
		d.loose = "    " + name + "(...input: Parameters<PoolTools[" + string(appendQuoted(nil, t.Name)) + "]>): Promise<any>;\n"
	}
	d.lines = strings.Count(d.Text, "\n")
	d.Problems = s.problems
	if len(s.types) > 0 {
		d.types = "declare namespace " + s.namespace + " {\n" + string(s.types) + "}\n"
	}
	return d
}

// Assemble joins declarations, in the given order, into the whole .d.ts.
// members are the functions of tools["$codemode"], each declared with its own
// short name (such as "search"); more are further declarations as text.
func Assemble(declarations, members []*Declaration, more ...string) *File {
	f := &File{Positions: make(map[string]Position, len(declarations)), Problems: map[string][]Problem{}}
	size := len(header) + len(sandboxGlobals) + 512
	for _, list := range [...][]*Declaration{declarations, members} {
		for _, d := range list {
			size += len(d.Text) + len(d.types) + 2
		}
	}
	var b strings.Builder
	b.Grow(size)
	line := 0
	write := func(s string) {
		b.WriteString(s)
		line += strings.Count(s, "\n")
	}
	write(header)
	write("/** The MCP tools that can be called now. */\ndeclare const tools: Tools;\n\ninterface Tools {\n")
	for _, d := range declarations {
		f.Positions[d.Name] = Position{Line: line + d.line, Character: 2}
		if len(d.Problems) > 0 {
			f.Problems[d.Name] = d.Problems
		}
		b.WriteString(d.Text)
		if d.lines == 0 { // not made by Declare
			line += strings.Count(d.Text, "\n")
		}
		line += d.lines
	}
	if len(members) > 0 {
		write("  /** What Code Mode itself offers. */\n  readonly $codemode: CodeMode;\n}\n\ninterface CodeMode {\n")
		for _, d := range members {
			b.WriteString(d.Text)
		}
	}
	b.WriteString("}\n")
	for _, list := range [...][]*Declaration{declarations, members} {
		for _, d := range list {
			if d.types != "" {
				b.WriteByte('\n')
				b.WriteString(d.types)
			}
		}
	}
	for _, text := range more {
		b.WriteString(text)
	}
	b.WriteString(sandboxGlobals)
	f.Text = b.String()
	f.loose = looseView(declarations)
	sum := sha256.Sum256([]byte(f.Text))
	f.Hash = hex.EncodeToString(sum[:])
	return f
}

// looseView declares AnyResults.Tools. It is called Tools, so that messages are
// the same in both views.
func looseView(declarations []*Declaration) string {
	var b strings.Builder
	b.WriteString("\ntype PoolTools = Tools;\ndeclare namespace AnyResults {\n  interface Tools extends PoolTools {\n")
	for _, d := range declarations {
		b.WriteString(d.loose)
	}
	b.WriteString("  }\n}\n")
	return b.String()
}
