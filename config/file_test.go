package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What completion sees at "|".
func TestCursor(t *testing.T) { // CFG-1
	kinds := map[string]FileKind{"json": {Client: ownClient}, "toml": {Client: Client{dialect: &codexDialect}}}
	for _, c := range []struct{ kind, text, want string }{
		{"json", `|`, `[] value  [] `},
		{"json", `{|}`, `[] name  [] `},
		{"json", `{"mcp|`, `[] name  [] "mcp"`},
		{"json", `{"mcpServers": {"a": {"comm|and": "x", "args": []}}}`, `[mcpServers a] name  [args] "comm"`},
		{"json", `{"mcpServers": {"a": {"command": "x", |}}}`, `[mcpServers a] name  [command] `},
		{"json", `{"mcpServers": {"a": {"command": "x", | "env": {"y": 1}}}}`, `[mcpServers a] name  [command env] `},
		{"json", `{"mcpServers": {"a": {"type": |}}}`, `[mcpServers a] value type [type] `},
		{"json", `{"mcpServers": {"a": {"type": "|", "url": 1}}}`, `[mcpServers a] value type [type url] ""`},
		{"json", `{"mcpServers": {"a": {"disabled": t|r}}}`, `[mcpServers a] value disabled [disabled] t`},
		{"json", "{\"mcpServers\": {\"a\": {\"args\": [\"x\", \"${|\n]}}}", `[mcpServers a args] value  [] "${"`},
		{"json", `{"mcpServers": {"a": {"env": {"T": "a\"${env:|"}}}}`, `[mcpServers a env] value T [T] "a\"${env:"`},
		{"json", "// {\n/* \" */ {\"a\": {} /* { */, |", `[] name  [a] `},
		{"json", `{"a": {"b": 1}}|`, `[] value  [] `},
		{"toml", "[mcp_servers.\"a.b\"]\ncomm|\nargs = []\n[other]\nx = 1\n", `[mcp_servers a.b] name  [args] comm`},
		{"toml", "[mcp_servers.a]\ncommand = \"x\"\nurl = \"ht|\"\n", `[mcp_servers a] value url [command] "ht"`},
		{"toml", "[mcp_servers.a]\nenabled = t|", `[mcp_servers a] value enabled [] t`},
		{"toml", "[mcp_|", `[] value  [] `},
	} {
		offset := strings.IndexByte(c.text, '|')
		got := kinds[c.kind].CursorAt(c.text[:offset]+c.text[offset+1:], offset)
		mode := "value"
		if got.InName {
			mode = "name"
		}
		text := got.Text
		if got.Quoted {
			text = fmt.Sprintf("%q", text)
		}
		if s := fmt.Sprintf("%v %s %s %v %s", got.Path, mode, got.Member, got.Present, text); s != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.text, s, c.want)
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(`{"mcpServers": {"a": {"comm": ["x", "${`, 30)
	f.Add("[mcp_servers.a]\ncommand = 'x'\n", 20)
	f.Fuzz(func(t *testing.T, text string, offset int) {
		for _, k := range []FileKind{{Client: ownClient}, {Client: Client{dialect: &codexDialect}}} {
			c := k.CursorAt(text, offset)
			if c.Word.Start < 0 || c.Word.Start > c.Word.End || c.Word.End > len(text) {
				t.Errorf("%+v", c)
			}
		}
	})
}

func TestCheckFile(t *testing.T) { // CFG-1
	s, at := home(t)
	path := filepath.FromSlash(at("FOLDER/.mcp.json"))
	k, ok := s.Recognize(path)
	if !ok || k.Client.Name != "claude-code" || k.Layer != Workspace {
		t.Fatalf("%+v, %v", k, ok)
	}
	text := `{"mcpServers": {"a": {"comand": "x"}, "b": {"command": "${NOT_SET}", "args": ["y"]}}}`
	f := Check(s, k, text)
	var codes []string
	for _, v := range f.Findings {
		codes = append(codes, v.Code)
	}
	if !slices.Equal(codes, []string{"unknown-field", "no-command", "unset-variable"}) || f.Findings[0].Closest != "command" {
		t.Errorf("%+v", f.Findings)
	}
	if len(f.Entries) != 2 || text[f.Entries[1].Name.Start:f.Entries[1].Name.End] != `"b"` || text[f.Entries[1].Fields[1].Value.Start:f.Entries[1].Fields[1].Value.End] != `["y"]` {
		t.Errorf("%+v", f.Entries)
	}
	if _, ok := s.Recognize(filepath.FromSlash(at("FOLDER/package.json"))); ok {
		t.Error("package.json is no configuration of servers")
	}

	k, ok = s.Recognize(filepath.FromSlash(at("HOME/.codex/config.toml")))
	if !ok {
		t.Fatal("config.toml is not recognised")
	}
	text = "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a.env]\nB = \"1\"\n[other]\n"
	f = Check(s, k, text)
	if len(f.Entries) != 1 || text[f.Entries[0].Whole.Start:f.Entries[0].Whole.End] != text[13:strings.Index(text, "\n[other")] {
		t.Errorf("%+v", f.Entries)
	}
}
