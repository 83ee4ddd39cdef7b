package configfile

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/config"

	"go.lsp.dev/protocol"
)

// Completion offers names of fields, kinds of servers, values and variables
// in a configuration file, also in one that is half written.
func (file *File) Completion(p protocol.Position) *protocol.CompletionList {
	snap, doc, f := file.View, file.Doc, file.Parsed
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	c := configCompleter{
		snap: snap, doc: doc, file: f, offset: doc.Offset(p), cursor: f.Kind.CursorAt(doc.Text, doc.Offset(p)), list: list,
	}
	servers := f.Kind.ServersPath()
	path := c.cursor.Path
	switch {
	case len(path) > 0 && f.Kind.IsServers(path):
		if c.cursor.InName {
			c.newServers()
		}
	case len(path) > 0 && f.Kind.IsServers(path[:len(path)-1]):
		if c.cursor.InName {
			c.fields()
		} else {
			c.values()
		}
	case len(path) > len(servers) && f.Kind.IsServers(path[:len(servers)]):
		if !c.cursor.InName {
			c.variables()
		}
	case f.Kind.Settings():
		c.settings()
	case len(path) == 0 && c.cursor.InName:
		c.name(servers[0], "The MCP servers, by name.", "object", 0)
		if len(f.Kind.Variables()) > 0 && slices.Contains(f.Kind.Variables(), "${input:") {
			c.name("inputs", "Questions that are asked once, for ${input:id}.", "array", 1)
		}
	}
	return list
}

type configCompleter struct {
	snap   *analysis.View
	doc    *analysis.Document
	file   *config.File
	cursor config.Cursor
	offset int
	list   *protocol.CompletionList
}

// add offers an item that replaces the word at the cursor by text, a snippet.
func (c *configCompleter) add(label, snippet, plainText, doc string, kind protocol.CompletionItemKind, rank int) {
	text, format := plainText, protocol.InsertTextFormatPlainText
	if c.snap.Client.Snippets {
		text, format = snippet, protocol.InsertTextFormatSnippet
	}
	item := protocol.CompletionItem{
		Label: label, Kind: kind, SortText: analysis.Optional(strconv.Itoa(1000 + rank)),
		TextEdit: &protocol.TextEdit{Range: c.doc.Span(c.cursor.Word), NewText: text}, InsertTextFormat: format,
	}
	// The word in the document may begin with a quote.
	item.FilterText = analysis.Optional(text)
	if c.cursor.Quoted {
		item.FilterText = analysis.Optional(`"` + label + `"`)
	} else {
		item.FilterText = analysis.Optional(label)
	}
	if doc != "" {
		item.Documentation = analysis.Markup(c.snap.Client.MarkdownCompletion, doc)
	}
	c.list.Items = append(c.list.Items, item)
}

// name offers the name of a member, with an empty value of its type unless one
// follows.
func (c *configCompleter) name(name, doc, typ string, rank int) {
	if slices.Contains(c.cursor.Present, name) {
		return
	}
	key, sep := strconv.Quote(name), ": "
	if c.file.Kind.TOML() {
		key, sep = name, " = "
	}
	rest := c.doc.Text[c.cursor.Word.End:]
	if after := strings.TrimLeft(rest, " \t"); strings.HasPrefix(after, ":") || strings.HasPrefix(after, "=") {
		c.add(name, analysis.EscapeSnippet(key), key, doc, protocol.CompletionItemKindProperty, rank)
		return
	}
	snippet, empty := `"$1"`, `""`
	switch typ {
	case "array":
		snippet, empty = "[$1]", "[]"
	case "object":
		snippet, empty = "{ $1 }", "{}"
	case "boolean":
		snippet, empty = "${1:true}", "true"
	case "integer":
		snippet, empty = "$1", ""
	}
	c.add(name, analysis.EscapeSnippet(key)+sep+snippet, key+sep+empty, doc, protocol.CompletionItemKindProperty, rank)
}

func (c *configCompleter) fields() {
	for i, f := range c.file.Kind.Fields() {
		c.name(f.Name, f.Doc, f.Type, i)
	}
}

// newServers offers the two kinds of definitions.
func (c *configCompleter) newServers() {
	if c.file.Kind.TOML() {
		return // a header of its own, not a name in an object
	}
	command, arguments := `"command": "${2:npx}", "args": [$3]`, `"command": "", "args": []`
	if strings.Join(c.file.Kind.ServersPath(), ".") == "mcp" {
		command, arguments = `"type": "local", "command": [$2]`, `"type": "local", "command": []`
	}
	c.add("server that is a program", `"${1:name}": { `+command+` }`, `"name": { `+arguments+` }`, "A server that is started here and spoken to over its standard input and output.", protocol.CompletionItemKindSnippet, 0)
	address := "url"
	for _, f := range c.file.Kind.Fields() {
		if f.Name == "serverUrl" || f.Name == "httpUrl" {
			address = f.Name
		}
	}
	kind := ""
	switch c.file.Kind.Client.Name {
	case "claude-code", "vscode":
		kind = `"type": "http", `
	case "opencode":
		kind = `"type": "remote", `
	}
	c.add("server with an address", `"${1:name}": { `+kind+`"`+address+`": "${2:https://}" }`, `"name": { `+kind+`"`+address+`": "https://" }`, "A server that runs elsewhere.", protocol.CompletionItemKindSnippet, 1)
}

// values offers what a field can have.
func (c *configCompleter) values() {
	for _, f := range c.file.Kind.Fields() {
		if f.Name != c.cursor.Member {
			continue
		}
		c.ofType(f.Type, f.Values)
	}
	c.variables()
}

func (c *configCompleter) ofType(typ string, values []string) {
	if typ == "boolean" {
		values = []string{"true", "false"}
	}
	for i, v := range values {
		text := v
		if typ != "boolean" {
			text = strconv.Quote(v)
		}
		c.add(v, analysis.EscapeSnippet(text), text, "", protocol.CompletionItemKindValue, i)
	}
}

// variables offers the dialect's variables where one is being written in a string.
func (c *configCompleter) variables() {
	if !c.cursor.Quoted {
		return
	}
	typed := c.doc.Text[c.cursor.Word.Start:c.offset]
	open := "${"
	at := strings.LastIndex(typed, open)
	if braces := strings.LastIndex(typed, "{"); at < 0 && slices.Contains(c.file.Kind.Variables(), "{env:") {
		at = braces
	}
	if at < 0 && strings.HasSuffix(typed, "$") {
		at = len(typed) - 1
	}
	if at < 0 || strings.Contains(typed[at:], "}") {
		return
	}
	c.cursor.Word, c.cursor.Quoted = config.Span{Start: c.cursor.Word.Start + at, End: c.offset}, false
	closed := strings.HasPrefix(c.doc.Text[c.offset:], "}")
	end := "}"
	if closed {
		end = ""
	}
	rank := 0
	offer := func(text, doc string) {
		text = strings.TrimSuffix(text, "}")
		c.add(text+"}", analysis.EscapeSnippet(text+end), text+end, doc, protocol.CompletionItemKindVariable, rank)
		rank++
	}
	for _, form := range c.file.Kind.Variables() {
		switch {
		case strings.HasSuffix(form, "}"):
			offer(form, "")
		case form == "${input:":
			for _, id := range c.file.Inputs {
				offer(form+id, "Asked once, and kept for this session.")
			}
		case form == "{file:":
		default:
			for _, name := range environmentNames() {
				offer(form+name, "The environment variable of that name.")
			}
		}
	}
}

// environmentNames are the variables that are set, by name; never their values.
func environmentNames() []string {
	var names []string
	for _, entry := range os.Environ() {
		if name, _, ok := strings.Cut(entry, "="); ok && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// settings offers this program's own settings, whole or below a group.
func (c *configCompleter) settings() {
	prefix := strings.Join(c.cursor.Path, ".")
	if prefix != "" {
		prefix += "."
	}
	for i, v := range config.Settings() {
		rest, ok := strings.CutPrefix(v.Name, prefix)
		switch {
		case !ok:
		case c.cursor.InName:
			c.name(rest, v.Doc, v.Type, i)
		case rest == c.cursor.Member && v.Type != "array":
			c.ofType(v.Type, v.Values)
		}
	}
}
