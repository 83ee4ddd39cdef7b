package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A sampleFile is a file as its client documents it, and what is made of it.
type sampleFile struct {
	client string
	path   string // "HOME/…" or "FOLDER/…"
	text   string
	want   []Server // without layer, client, file and line
}

var sampleFiles = []sampleFile{
	{
		"vscode", "FOLDER/.vscode/mcp.json", `{
			// comments and trailing commas are allowed
			"inputs": [
				{"type": "promptString", "id": "token", "description": "Token of the API", "password": true},
			],
			"servers": {
				"fetch": {"type": "stdio", "command": "uvx", "args": ["mcp-server-fetch", "${workspaceFolder}", "$HOME ${HOME}"], "env": {"N": 1, "GONE": null}, "envFile": "${workspaceFolder}/.env"},
				"github": {"type": "http", "url": "https://api.example.com/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}"}, "gallery": true},
				"asks": {"command": "x", "env": {"T": "${input:token}"}},
			},
		}`,
		[]Server{
			{Name: "fetch", Transport: Stdio, Command: "uvx", Args: []string{"mcp-server-fetch", "FOLDER", "$HOME ${HOME}"}, Env: map[string]string{"N": "1", "FROM": "file"}, Cwd: "FOLDER"},
			{Name: "github", Transport: HTTP, URL: "https://api.example.com/mcp", Headers: map[string]string{"Authorization": "Bearer t0ken"}, Cwd: "FOLDER"},
			{Name: "asks", Transport: Stdio, Command: "x", Env: map[string]string{"T": "${input:token}"}, Cwd: "FOLDER", NeedsInput: []Input{
				{ID: "token", File: "FOLDER/.vscode/mcp.json", Declared: true, Description: "Token of the API", Password: true},
			}},
		},
	},
	{
		"vscode", "HOME/.config/Code/User/mcp.json", `{"servers": {"home": {"command": "${userHome}/bin/x"}}}`,
		[]Server{{Name: "home", Transport: Stdio, Command: "HOME/bin/x"}},
	},
	{
		"claude-code", "FOLDER/.mcp.json", `{"mcpServers": {
			"db": {"command": "npx", "args": ["-y", "@acme/db"], "env": {"URL": "${DB_URL:-postgres://localhost/x}", "KEY": "${TOKEN}"}},
			"api": {"type": "http", "url": "${BASE:-https://api.example.com}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}, "headersHelper": "never run"},
			"old": {"type": "sse", "url": "https://example.com/sse"}
		}}`,
		[]Server{
			{Name: "db", Transport: Stdio, Command: "npx", Args: []string{"-y", "@acme/db"}, Env: map[string]string{"URL": "postgres://localhost/x", "KEY": "t0ken"}, Cwd: "FOLDER"},
			{Name: "api", Transport: HTTP, URL: "https://api.example.com/mcp", Headers: map[string]string{"Authorization": "Bearer t0ken"}, Cwd: "FOLDER"},
			{Name: "old", Transport: SSE, URL: "https://example.com/sse", Cwd: "FOLDER"},
		},
	},
	{ // the bare form that other readers of .mcp.json take too
		"claude-code", "FOLDER/.mcp.json", `{"bare": {"command": "x"}}`,
		[]Server{{Name: "bare", Transport: Stdio, Command: "x", Cwd: "FOLDER"}},
	},
	{ // user file: the section of the folder comes first
		"claude-code", "HOME/.claude.json", `{
			"numStartups": 12, "tipsHistory": {"x": 1},
			"mcpServers": {"everywhere": {"type": "stdio", "command": "e", "args": [], "env": {}}},
			"projects": {
				"/elsewhere": {"mcpServers": {"other": {"command": "o"}}},
				"FOLDER": {"allowedTools": [], "mcpServers": {"here": {"command": "h"}}}
			}
		}`,
		[]Server{
			{Name: "here", Transport: Stdio, Command: "h"},
			{Name: "everywhere", Transport: Stdio, Command: "e", Args: []string{}, Env: map[string]string{}},
		},
	},
	{
		"claude-desktop", "HOME/.config/Claude/claude_desktop_config.json",
		`{"mcpServers": {"fs": {"command": "npx", "args": ["-y", "server-filesystem", "/data/${TOKEN}"]}}}`,
		[]Server{{Name: "fs", Transport: Stdio, Command: "npx", Args: []string{"-y", "server-filesystem", "/data/${TOKEN}"}}},
	},
	{
		"cursor", "FOLDER/.cursor/mcp.json", `{"mcpServers": {
			"local": {"command": "node", "args": ["${workspaceFolder}/s.js", "${workspaceFolderBasename}", "a${pathSeparator}b"], "env": {"K": "${env:TOKEN}"}},
			"remote": {"url": "https://example.com/mcp", "auth": {"CLIENT_ID": "x"}}
		}}`,
		[]Server{
			{Name: "local", Transport: Stdio, Command: "node", Args: []string{"FOLDER/s.js", "w", "a/b"}, Env: map[string]string{"K": "t0ken"}, Cwd: "FOLDER"},
			{Name: "remote", Transport: HTTP, URL: "https://example.com/mcp", Cwd: "FOLDER", OAuth: &OAuth{ClientID: "x"}},
		},
	},
	{
		"cursor", "HOME/.cursor/mcp.json", `{"mcpServers": {"g": {"command": "x", "args": ["${userHome}"]}}}`,
		[]Server{{Name: "g", Transport: Stdio, Command: "x", Args: []string{"HOME"}}},
	},
	{
		"windsurf", "HOME/.codeium/windsurf/mcp_config.json", `{"mcpServers": {
			"remote": {"serverUrl": "https://example.com/mcp", "headers": {"API_KEY": "${env:TOKEN}"}, "disabledTools": ["a"]},
			"off": {"command": "x", "disabled": true}
		}}`,
		[]Server{
			{Name: "remote", Transport: HTTP, URL: "https://example.com/mcp", Headers: map[string]string{"API_KEY": "t0ken"}, WithoutTools: []string{"a"}},
			{Name: "off", Transport: Stdio, Command: "x", Disabled: true},
		},
	},
	{
		"zed", "HOME/.config/zed/settings.json", `{
			"theme": "One Dark", "vim_mode": true,
			"context_servers": {
				"plain": {"source": "custom", "command": "x", "args": ["a"], "env": {"A": "1"}, "enabled": false},
				"older": {"command": {"path": "/bin/y", "args": ["b"], "env": {"B": "2"}}},
				"remote": {"url": "https://example.com/mcp", "headers": {"A": "b"}},
				"mcp-server-postgres": {"source": "extension", "settings": {"database_url": "x"}},
			},
		}`,
		[]Server{
			{Name: "plain", Transport: Stdio, Command: "x", Args: []string{"a"}, Env: map[string]string{"A": "1"}, Disabled: true},
			{Name: "older", Transport: Stdio, Command: "/bin/y", Args: []string{"b"}, Env: map[string]string{"B": "2"}},
			{Name: "remote", Transport: HTTP, URL: "https://example.com/mcp", Headers: map[string]string{"A": "b"}},
		},
	},
	{
		"jetbrains", "FOLDER/.junie/mcp/mcp.json", `{"mcpServers": {"j": {"command": "x", "args": ["a"]}}}`,
		[]Server{{Name: "j", Transport: Stdio, Command: "x", Args: []string{"a"}, Cwd: "FOLDER"}},
	},
	{
		"codex", "HOME/.codex/config.toml", `
model = "o9" # of Codex alone
[projects."/elsewhere"]
trust_level = "trusted"

[mcp_servers.docs]
command = "npx"
args = ["-y", 'docs ${TOKEN}', """
two
lines"""]
env_vars = ["TOKEN", { name = "HOME_NAME", source = "local" }]
startup_timeout_sec = 20
enabled = true
[mcp_servers.docs.env]
"A.B" = "1"

[mcp_servers."with space"]
url = "https://example.com/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { X = "y" }
env_http_headers = { "X-Name" = "HOME_NAME" }

[mcp_servers.docs.tools.search]
approval_mode = "approve"
`,
		[]Server{
			{Name: "docs", Transport: Stdio, Command: "npx", Args: []string{"-y", "docs ${TOKEN}", "two\nlines"}, Env: map[string]string{"A.B": "1", "TOKEN": "t0ken", "HOME_NAME": "w"}},
			{Name: "with space", Transport: HTTP, URL: "https://example.com/mcp", Headers: map[string]string{"Authorization": "Bearer t0ken", "X": "y", "X-Name": "w"}},
		},
	},
	{
		"gemini-cli", "FOLDER/.gemini/settings.json", `{
			"general": {"vimMode": true},
			"mcpServers": {
				"local": {"command": "python", "args": ["$TOKEN", "${TOKEN}", "${NONE:-d}", "$", "$5"], "cwd": "./sub", "timeout": 1000, "trust": false, "includeTools": ["a"]},
				"stream": {"httpUrl": "https://example.com/mcp"},
				"events": {"url": "https://example.com/sse"},
				"typed": {"url": "https://example.com/mcp", "type": "http"}
			}
		}`,
		[]Server{
			{Name: "local", Transport: Stdio, Command: "python", Args: []string{"t0ken", "t0ken", "d", "$", "$5"}, Cwd: "FOLDER/sub", OnlyTools: []string{"a"}},
			{Name: "stream", Transport: HTTP, URL: "https://example.com/mcp", Cwd: "FOLDER"},
			{Name: "events", Transport: SSE, URL: "https://example.com/sse", Cwd: "FOLDER"},
			{Name: "typed", Transport: HTTP, URL: "https://example.com/mcp", Cwd: "FOLDER"},
		},
	},
	{
		"opencode", "HOME/.config/opencode/opencode.json", `{
			"$schema": "https://example.com/config.json", "model": "x",
			"mcp": {
				"local": {"type": "local", "command": ["bun", "x", "{env:TOKEN}", "{not one}"], "environment": {"K": "{file:~/secret}"}, "enabled": true},
				"remote": {"type": "remote", "url": "https://example.com/mcp", "headers": {"A": "Bearer {env:TOKEN}"}, "oauth": false}
			}
		}`,
		[]Server{
			{Name: "local", Transport: Stdio, Command: "bun", Args: []string{"x", "t0ken", "{not one}"}, Env: map[string]string{"K": "of a file"}},
			{Name: "remote", Transport: HTTP, URL: "https://example.com/mcp", Headers: map[string]string{"A": "Bearer t0ken"}, OAuth: &OAuth{Off: true}},
		},
	},
	{
		"cline", "HOME/.cline/data/settings/cline_mcp_settings.json", `{"mcpServers": {
			"new": {"transport": {"type": "stdio", "command": "x", "args": ["a"], "env": {"A": "1"}}, "disabled": false, "timeout": 60},
			"old": {"command": "y", "alwaysAllow": ["t"], "disabled": true},
			"remote": {"transport": {"type": "streamableHttp", "url": "https://example.com/mcp"}}
		}}`,
		[]Server{
			{Name: "new", Transport: Stdio, Command: "x", Args: []string{"a"}, Env: map[string]string{"A": "1"}},
			{Name: "old", Transport: Stdio, Command: "y", Disabled: true},
			{Name: "remote", Transport: HTTP, URL: "https://example.com/mcp"},
		},
	},
}

// home is a machine with a home directory and one workspace folder.
func home(t *testing.T) (s Sources, at func(string) string) {
	t.Helper()
	dir := t.TempDir()
	folder, user := filepath.Join(dir, "w"), filepath.Join(dir, "h")
	at = strings.NewReplacer("FOLDER", filepath.ToSlash(folder), "HOME", filepath.ToSlash(user)).Replace
	write(t, filepath.Join(folder, ".env"), "FROM=file\n")
	write(t, filepath.Join(user, "secret"), "of a file\n")
	return Sources{
		Folders: []string{folder}, Home: user, System: "linux",
		LookupEnv: environment(map[string]string{"TOKEN": "t0ken", "EMPTY": "", "HOME_NAME": "w"}),
	}, at
}

func TestDialects(t *testing.T) { // MCP-1, MCP-2
	seen := map[string]bool{}
	for _, f := range sampleFiles {
		t.Run(f.client+" "+f.path, func(t *testing.T) {
			s, at := home(t)
			path := filepath.FromSlash(at(f.path))
			write(t, path, strings.ReplaceAll(f.text, `"FOLDER"`, `"`+at("FOLDER")+`"`))
			c := Load(s)
			if len(c.Findings) > 0 {
				t.Errorf("findings: %+v", c.Findings)
			}
			layer := User
			if strings.HasPrefix(f.path, "FOLDER") {
				layer = Workspace // TRUST-1: it waits for approval
			}
			var names []string
			got := slices.Clone(c.Servers)
			for i := range got {
				v := &got[i]
				names = append(names, v.Name)
				if v.Layer != layer || v.Client != f.client || v.File != path || v.Line < 0 {
					t.Errorf("%s comes from %s, %s, %s", v.Name, v.Layer, v.Client, v.File)
				}
				v.Layer, v.Client, v.File, v.Folder, v.Line, v.Unanswered = "", "", "", "", 0, ""
				v.Written, v.Reads = nil, nil
			}
			want := slices.Clone(f.want)
			for i := range want {
				replace(&want[i], at)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]Found{{File: path, Client: f.client, Layer: layer, Servers: names}}, c.Found); diff != "" {
				t.Error(diff)
			}

			// Each can be switched off.
			write(t, filepath.Join(s.Home, "u", UserFile), `{"import": [`+othersThan(f.client)+`]}`)
			s.UserDir = filepath.Join(s.Home, "u")
			if c := Load(s); len(c.Servers) > 0 || len(c.Findings) > 0 {
				t.Errorf("switched off: %+v", c)
			}
		})
		seen[f.client] = true
	}
	for _, name := range ClientNames() {
		if !seen[name] {
			t.Errorf("no sample of %s", name)
		}
	}
}

func othersThan(client string) string {
	var names []string
	for _, name := range ClientNames() {
		if name != client {
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	return strings.Join(names, ", ")
}

// replace fills in the machine's paths.
func replace(s *Server, at func(string) string) {
	s.Command, s.Cwd = at(s.Command), filepath.FromSlash(at(s.Cwd))
	if s.Cwd == "." {
		s.Cwd = ""
	}
	s.Args = slices.Clone(s.Args)
	for i := range s.Args {
		if !strings.Contains(s.Args[i], "$") {
			s.Args[i] = at(s.Args[i])
		}
	}
	s.NeedsInput = slices.Clone(s.NeedsInput)
	for i := range s.NeedsInput {
		s.NeedsInput[i].File = filepath.FromSlash(at(s.NeedsInput[i].File))
	}
}

// The first named wins, in the order flags, editor, workspace file, user file,
// other clients' files of the workspace, other clients' files of the user.
func TestFirstFileWins(t *testing.T) { // MCP-1
	s, at := home(t)
	s.UserDir = filepath.Join(s.Home, "u")
	files := []struct{ path, text string }{
		{"FOLDER/.codemode/mcp.json", `{"mcpServers": {"a": {"command": "x"}}}`},
		{"HOME/u/config.json", `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}}}`},
		{"FOLDER/.vscode/mcp.json", `{"servers": {"a": {"command": "x"}, "b": {"command": "x"}, "c": {"command": "x"}}}`},
		{"FOLDER/.mcp.json", `{"mcpServers": {"c": {"command": "x"}, "d": {"command": "x"}}}`},
		{"HOME/.claude.json", `{"mcpServers": {"d": {"command": "x"}, "e": {"command": "x"}}}`},
		{"HOME/.codex/config.toml", "[mcp_servers.e]\ncommand = 'x'\n[mcp_servers.f]\ncommand = 'x'\n"},
	}
	for _, f := range files {
		write(t, filepath.FromSlash(at(f.path)), f.text)
	}
	c := Load(s)
	var got []string
	for _, v := range c.Servers {
		got = append(got, v.Name+" "+v.File)
	}
	want := []string{
		"a FOLDER/.codemode/mcp.json", "b HOME/u/config.json", "c FOLDER/.vscode/mcp.json", "d FOLDER/.mcp.json",
		"e HOME/.claude.json", "f HOME/.codex/config.toml",
	}
	for i := range want {
		want[i] = filepath.FromSlash(at(want[i]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(c.Shadowed) != 6 || len(c.Found) != len(files) {
		t.Errorf("%d shadowed, %d files: %+v", len(c.Shadowed), len(c.Found), c)
	}
	for _, f := range c.Findings {
		if f.Code != "shadowed-server" || f.Severity != map[bool]string{true: "warning", false: "information"}[strings.HasSuffix(f.File, UserFile)] {
			t.Errorf("%+v", f)
		}
	}
}

// An unset variable is an error that names file, server and variable, in every
// dialect that has variables.
// null of a field that may be left out is the same as leaving it out.
func TestNullIsAbsent(t *testing.T) { // MCP-2, LSP-5
	for _, c := range Clients() {
		if c.dialect.toml {
			continue // TOML has no null
		}
		t.Run(c.Name, func(t *testing.T) {
			s, at := home(t)
			command := `"x"`
			if f, _ := c.dialect.field("command"); f.Type == "array" {
				command = `["x"]`
			}
			var nulls strings.Builder
			for _, f := range c.dialect.fields {
				if f.Name != "command" {
					fmt.Fprintf(&nulls, ", %q: null", f.Name)
				}
			}
			text := fmt.Sprintf(`{"inputs": null, %q: {"s": {"command": %s%s}, "none": null}}`, c.dialect.servers[0], command, nulls.String())
			k := FileKind{Path: at("FOLDER/f.json"), Layer: Workspace, Folder: s.Folders[0], Client: c, servers: c.dialect.paths()}
			f := Check(s, k, text)
			if len(f.Findings) > 0 || len(f.Entries) != 1 || f.Entries[0].Server.Command != "x" || f.Entries[0].Server.Disabled || f.Entries[0].Server.Problem != "" {
				t.Errorf("%s: %+v %+v", text, f.Findings, f.Entries)
			}
		})
	}
}

func TestOpenCodeVersions(t *testing.T) { // MCP-2
	tests := []struct{ name, text, want string }{
		{"newer", `{"mcp": {"timeout": null, "servers": {"a": {"type": "local", "command": ["new"]}, "b": {"command": ["x"], "disabled": true}}}}`, "a new, b x off"},
		{"both, and the newer wins", `{"mcp": {"a": {"type": "local", "command": ["old"]}, "c": {"command": ["y"], "enabled": false}, "servers": {"a": {"command": ["new"]}}}}`, "a new, c y off"},
		{"a server of that name", `{"mcp": {"servers": {"type": "local", "command": ["x"]}}}`, "servers x"},
		{"a server named like a field", `{"mcp": {"servers": {"command": {"command": ["x"]}}}}`, "command x"},
		{"none", `{"mcp": {"servers": {}}}`, ""},
	}
	for _, tt := range tests {
		s, at := home(t)
		write(t, filepath.FromSlash(at("FOLDER/opencode.json")), tt.text)
		var got []string
		for _, v := range Load(s).Servers {
			line := v.Name + " " + v.Command
			if v.Disabled {
				line += " off"
			}
			got = append(got, line)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestUnsetVariables(t *testing.T) { // MCP-2
	for _, f := range []struct{ path, text string }{
		{"FOLDER/.vscode/mcp.json", `{"servers": {"srv": {"command": "x", "env": {"A": "${env:NOT_SET}"}}}}`},
		{"FOLDER/.mcp.json", `{"mcpServers": {"srv": {"command": "x", "args": ["${NOT_SET}"]}}}`},
		{"FOLDER/.cursor/mcp.json", `{"mcpServers": {"srv": {"url": "https://x/${env:NOT_SET}"}}}`},
		{"HOME/.codeium/windsurf/mcp_config.json", `{"mcpServers": {"srv": {"serverUrl": "https://x/${env:NOT_SET}"}}}`},
		{"FOLDER/.gemini/settings.json", `{"mcpServers": {"srv": {"command": "$NOT_SET"}}}`},
		{"FOLDER/opencode.json", `{"mcp": {"srv": {"type": "local", "command": ["x", "{env:NOT_SET}"]}}}`},
		{"HOME/.codex/config.toml", "[mcp_servers.srv]\ncommand = 'x'\nenv_vars = ['NOT_SET']\n"},
		{"HOME/.codex/config.toml", "[mcp_servers.srv]\nurl = 'https://x'\nbearer_token_env_var = 'NOT_SET'\n"},
	} {
		s, at := home(t)
		path := filepath.FromSlash(at(f.path))
		write(t, path, f.text)
		c := Load(s)
		if len(c.Servers) != 1 || len(c.Findings) != 1 {
			t.Errorf("%s: %+v", f.path, c)
			continue
		}
		for _, word := range []string{path, `"srv"`, "NOT_SET"} {
			if !strings.Contains(c.Servers[0].Problem, word) {
				t.Errorf("%s: %q does not name %s", f.path, c.Servers[0].Problem, word)
			}
		}
		if got := c.Findings[0]; got.File != path || got.Code != "unset-variable" || got.Severity != "error" {
			t.Errorf("%s: %+v", f.path, got)
		}
	}
}

// What is approved is the definition with its question; the answer does not
// change it, and comes from the editor or the environment.
func TestInputs(t *testing.T) { // MCP-2, TRUST-1
	s, at := home(t)
	path := filepath.FromSlash(at("FOLDER/.vscode/mcp.json"))
	write(t, path, `{
		"inputs": [
			{"type": "promptString", "id": "api-key", "description": "Key"},
			{"type": "pickString", "id": "mode", "options": ["a", {"label": "B", "value": "b"}], "default": "a"},
			{"type": "command", "id": "cmd", "command": "x"}
		],
		"servers": {
			"one": {"command": "x", "args": ["${input:api-key}", "${input:mode}"]},
			"web": {"url": "https://${input:mode}.example.com/"},
			"undeclared": {"command": "${input:other}"},
			"cmd": {"command": "${input:cmd}"}
		}
	}`)
	before := Load(s)
	one := before.Servers[0]
	want := []Input{
		{ID: "api-key", File: path, Declared: true, Description: "Key"},
		{ID: "mode", File: path, Declared: true, Options: []string{"a", "b"}, Default: "a"},
	}
	if diff := cmp.Diff(want, one.NeedsInput); diff != "" || one.Problem != "" {
		t.Error(one.Problem, diff)
	}
	for _, word := range []string{path, `"one"`, `"api-key"`, "CODEMODE_INPUT_API_KEY"} {
		if !strings.Contains(one.InputProblem(), word) {
			t.Errorf("%q does not name %s", one.InputProblem(), word)
		}
	}
	if n := before.Servers[2].NeedsInput; len(n) != 1 || n[0].ID != "other" {
		t.Errorf("%+v", before.Servers[2])
	}
	if !strings.Contains(before.Servers[3].Problem, "command of VS Code") {
		t.Errorf("%+v", before.Servers[3])
	}

	s.Inputs = func(file, id string) (string, bool) { return "${env:TOKEN}", file == path && id == "api-key" }
	s.LookupEnv = environment(map[string]string{"CODEMODE_INPUT_MODE": "m"})
	after := Load(s)
	if got := after.Servers[0]; got.Hash() != one.Hash() || len(got.NeedsInput) != 0 || !slices.Equal(got.Args, []string{"${env:TOKEN}", "m"}) {
		t.Errorf("%+v", got)
	}
	if got := after.Servers[1]; got.URL != "https://m.example.com/" || got.Hash() != before.Servers[1].Hash() {
		t.Errorf("%+v", got)
	}
}

// A workspace's file reads no other files into what it sends.
func TestFileVariables(t *testing.T) { // MCP-2, TRUST-1
	s, at := home(t)
	write(t, filepath.FromSlash(at("FOLDER/opencode.json")), `{"mcp": {"s": {"type": "local", "command": ["x", "{file:~/secret}"]}}}`)
	c := Load(s)
	if len(c.Servers) != 1 || !strings.Contains(c.Servers[0].Problem, "cannot read other files") || strings.Contains(fmt.Sprint(c.Servers), "of a file") {
		t.Errorf("%+v", c.Servers)
	}
}

func TestPlaces(t *testing.T) { // MCP-1: where files are on each system
	find := func(s Sources, client string) (files []string) {
		for _, k := range s.withDefaults().kinds() {
			if k.Client.Name == client && k.Layer == User {
				files = append(files, filepath.ToSlash(k.Path))
			}
		}
		return files
	}
	windows := environment(map[string]string{"APPDATA": filepath.FromSlash("/r")})
	for _, c := range []struct {
		system, client, want string
		env                  func(string) (string, bool)
	}{
		{"linux", "claude-desktop", "/h/.config/Claude/claude_desktop_config.json", environment(nil)},
		{"darwin", "claude-desktop", "/h/Library/Application Support/Claude/claude_desktop_config.json", environment(nil)},
		{"windows", "claude-desktop", "/r/Claude/claude_desktop_config.json", windows},
		{"darwin", "vscode", "/h/Library/Application Support/Code/User/mcp.json", environment(nil)},
		{"windows", "vscode", "/r/Code/User/mcp.json", windows},
		{"darwin", "zed", "/h/.config/zed/settings.json", environment(nil)},
		{"windows", "zed", "/r/Zed/settings.json", windows},
		{"linux", "zed", "/x/zed/settings.json", environment(map[string]string{"XDG_CONFIG_HOME": "/x"})},
		{"linux", "codex", "/c/config.toml", environment(map[string]string{"CODEX_HOME": "/c"})},
		{"linux", "codex", "/h/.codex/config.toml", environment(map[string]string{"CODEX_HOME": "relative"})},
		{"linux", "opencode", "/h/.config/opencode/opencode.json", environment(nil)},
		{"linux", "cline", "/h/.cline/data/settings/cline_mcp_settings.json", environment(nil)},
		{"windows", "cline", "/r/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", windows},
	} {
		if got := find(Sources{Home: "/h", System: c.system, LookupEnv: c.env}, c.client); !slices.Contains(got, c.want) {
			t.Errorf("%s on %s: %q, want %s", c.client, c.system, got, c.want)
		}
	}
	if got := find(Sources{LookupEnv: environment(map[string]string{"CODEX_HOME": "/c"})}, "codex"); len(got) > 0 {
		t.Errorf("without a home: %q", got)
	}
}

func TestTOMLProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[mcp_servers.a]\ncommand = \n", "error syntax 1:"},
		{"[mcp_servers.a\n", "error syntax 0:"},
		{"a = 1\na = 2\n", `error syntax 1:0-1:1 "a" is given twice`},
		{"[a]\n[a.b]\n[[a]]\n", `"a" is given twice`},
		{"a = {b = 1}\n[a.c]\n", `"a" is given twice`},
		{"mcp_servers = 1\n", `error wrong-type 0:14-0:15 "mcp_servers" must be an object of servers by name, not a number`},
		{"[mcp_servers.\"ä😀\"]\ncommand = 1\n", `error wrong-type 1:10-1:11 server "ä😀": "command" must be a string, not a number`},
		{"[mcp_servers.a]\ncommand = 'x'\ncomand = 'y'\n", `warning unknown-field 2:0-2:6 server "a": unknown field "comand"`},
		{"[mcp_servers.a]\n", `error no-command 0:13-0:14 server "a": neither "command" nor "url" is given`},
		{"a = " + strings.Repeat("[", 100) + strings.Repeat("]", 100), "error syntax 0:68-0:69 nested deeper than 64 levels"},
	} {
		s, at := home(t)
		path := filepath.FromSlash(at("FOLDER/.codex/config.toml"))
		write(t, path, c.text)
		got := strings.Join(describeFindings(Load(s), "\x00"), "\n")
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: %s\nwant %s", c.text, got, c.want)
		}
	}
}

// A name with a line break would forge lines of messages.
func TestControlCharactersInNames(t *testing.T) { // TRUST-2
	s, at := home(t)
	write(t, filepath.FromSlash(at("FOLDER/.mcp.json")), `{"mcpServers": {"a\nb": {"command": "x"}}}`)
	c := Load(s)
	if len(c.Servers) != 1 || c.Servers[0].Problem == "" {
		t.Errorf("%+v", c.Servers)
	}
}

func TestClosest(t *testing.T) {
	known := []string{"command", "args", "env", "url", "headers"}
	for name, want := range map[string]string{"comand": "command", "Command": "command", "arg": "args", "evn": "env", "URL": "url", "xyzzy": "", "": ""} {
		if got := Closest(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzTOML(f *testing.F) {
	f.Add("[mcp_servers.a]\ncommand = 'x'\nargs = [\"a\", 1, 2.5, 1979-05-27]\nenv = { A = \"b\" }\n[[x]]\ny.z = 1\n")
	f.Add("a.b = 1\n[a]\nc = \"\"\"\\u00e9\"\"\" # x\n")
	f.Fuzz(func(t *testing.T, text string) {
		var findings []Finding
		d := &document{text: []byte(text), findings: &findings}
		if o := d.parseTOML([]string{"mcp_servers"}); o == nil && len(findings) == 0 {
			t.Errorf("nothing is made of %q, and nothing said", text)
		}
		for _, s := range readAll(text, &codexDialect) {
			if s.Problem == "" && s.Command == "" && s.URL == "" {
				t.Errorf("%+v can be started, with nothing", s)
			}
		}
	})
}

// readAll reads the servers of a text in a dialect.
func readAll(text string, d *dialect) []Server {
	l := &loader{sources: Sources{LookupEnv: environment(nil)}.withDefaults(), config: defaults()}
	doc := layerDocument{document: &document{file: "/f", what: "/f", text: []byte(text), findings: &l.config.Findings}}
	doc.object = doc.parseText(d)
	return l.fileServers(FileKind{Path: "/f", Layer: User, Client: Client{Name: "test", dialect: d}, servers: [][]string{d.servers}}, doc)
}

func FuzzDialects(f *testing.F) {
	for _, s := range sampleFiles {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range Clients() {
			for _, s := range readAll(text, c.dialect) {
				if s.Problem == "" && s.Command == "" && s.URL == "" {
					t.Errorf("%+v can be started, with nothing", s)
				}
			}
		}
	})
}
