package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// MCP-2: each program's lists of tools are read as it reads them.
func TestMCP2ToolLists(t *testing.T) {
	tests := []struct{ file, content, want string }{ // which of the tools a, b and c remain
		{"HOME/.codex/config.toml", "[mcp_servers.s]\ncommand='x'\nenabled_tools=['a','b']\ndisabled_tools=['b','z']", "a"},
		{"HOME/.codex/config.toml", "[mcp_servers.s]\ncommand='x'\nenabled_tools=[]", ""},
		{"HOME/.codex/config.toml", "[mcp_servers.s]\ncommand='x'", "a b c"},
		{"FOLDER/.gemini/settings.json", `{"mcpServers":{"s":{"command":"x","includeTools":["a(x, y)","b"],"excludeTools":["a","c(x)"]}}}`, "b"},
		{"FOLDER/.gemini/settings.json", `{"mcpServers":{"s":{"command":"x","includeTools":null,"excludeTools":["c(x)"]}}}`, "a b c"},
		{"HOME/.codeium/windsurf/mcp_config.json", `{"mcpServers":{"s":{"command":"x","disabledTools":["c"]}}}`, "a b"},
		{"FOLDER/.codemode/mcp.json", `{"mcpServers":{"s":{"command":"x","enabledTools":["a","c"],"disabledTools":["c","${HOME}"]}}}`, "a"},
		{"FOLDER/.mcp.json", `{"mcpServers":{"s":{"command":"x","disabledTools":["c"]}}}`, "a b c"}, // Claude Code has no such list
		{"HOME/.codex/config.toml", "[mcp_servers.s]\ncommand='x'\ndisabled_tools='a'", "PROBLEM"},
		{"FOLDER/.gemini/settings.json", `{"mcpServers":{"s":{"command":"x","includeTools":["a", 1]}}}`, "PROBLEM"},
	}
	for _, tt := range tests {
		home, folder := t.TempDir(), t.TempDir()
		write(t, strings.NewReplacer("HOME", home, "FOLDER", folder).Replace(tt.file), tt.content)
		c := Load(Sources{Folders: []string{folder}, Home: home, System: "linux", LookupEnv: noEnvironment})
		if len(c.Servers) != 1 {
			t.Errorf("%s: %+v %+v", tt.content, c.Servers, c.Findings)
			continue
		}
		s := c.Servers[0]
		var left []string
		for _, tool := range []string{"a", "b", "c"} {
			if s.Offers(tool) {
				left = append(left, tool)
			}
		}
		got := strings.Join(left, " ")
		if s.Problem != "" {
			got = "PROBLEM"
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.content, got, tt.want)
		}
	}
}

func noEnvironment(string) (string, bool) { return "", false }

// MCP-2, TRUST-1: a list is part of what is approved, and shown; without one nothing is.
func TestMCP2ToolListsInApproval(t *testing.T) {
	hashes := map[string]string{}
	for _, lists := range []string{"", `, "disabledTools": []`, `, "disabledTools": ["a"]`, `, "enabledTools": []`, `, "enabledTools": ["a"]`, `, "enabledTools": ["a", "b"]`} {
		for _, env := range []string{"", `, "env": {"T": "${env:T}"}`} { // as it stands, and with variables
			folder := t.TempDir()
			write(t, filepath.Join(folder, ".codemode", "mcp.json"), `{"mcpServers":{"s":{"command":"x"`+lists+env+`}}}`)
			s := Load(Sources{Folders: []string{folder}, LookupEnv: func(string) (string, bool) { return "v", true }}).Servers[0]
			s.File, s.Cwd = "", ""
			if s.Written != nil {
				w := *s.Written
				w.File, w.Cwd = "", ""
				s.Written = &w
			}
			key := s.ApprovalHash()
			if other, ok := hashes[key]; ok && !(lists == `, "disabledTools": []` && other == env) {
				t.Errorf("%q and %q have one hash", other, lists+env)
			} else if !ok {
				hashes[key] = lists + env
			}
			if strings.Contains(lists, "a") != strings.Contains(s.Summary(), "tools") && strings.Contains(lists, `"a"`) {
				t.Errorf("%s is not shown: %s", lists, s.Summary())
			}
		}
	}
}

// MCP-2, TRUST-1: lists of servers switch off what their owner's files name; a workspace's
// list nothing of the user's, and a list of enabled servers approves nothing.
func TestMCP2ServerLists(t *testing.T) {
	claude := `{"mcpServers":{"a":{"command":"x"},"b":{"command":"x"}}}`
	gemini := func(lists, servers string) string {
		return fmt.Sprintf(`{"mcp":{%s},"mcpServers":{%s}}`, lists, servers)
	}
	tests := []struct {
		name, want string // servers that are not switched off
		files      map[string]string
	}{
		{"Claude, of the workspace", "b u", map[string]string{
			"FOLDER/.mcp.json": claude, "HOME/.claude.json": `{"mcpServers":{"u":{"command":"x"}}}`,
			"FOLDER/.claude/settings.json": `{"disabledMcpjsonServers":["a","u"],"enabledMcpjsonServers":["a"],"enableAllProjectMcpServers":true}`,
		}},
		{"Claude, local", "a", map[string]string{"FOLDER/.mcp.json": claude, "FOLDER/.claude/settings.local.json": `{"disabledMcpjsonServers":["b"] /* c */}`}},
		{"Claude, of the user", "a", map[string]string{"FOLDER/.mcp.json": claude, "HOME/.claude/settings.json": `{"disabledMcpjsonServers":["b"]}`}},
		{"Claude, of the project", "a v", map[string]string{
			"FOLDER/.mcp.json":  claude,
			"HOME/.claude.json": `{"mcpServers":{"u":{"command":"x"},"v":{"command":"x"}},"projects":{"FOLDER":{"disabledMcpServers":["u"],"disabledMcpjsonServers":["b"]},"/other":{"disabledMcpServers":["v"]}}}`,
		}},
		{"Claude, not of another program", "a b", map[string]string{
			"FOLDER/.cursor/mcp.json": claude, "FOLDER/.claude/settings.json": `{"disabledMcpjsonServers":["a"]}`,
		}},
		{"Claude, a wrong type", "a b !", map[string]string{"FOLDER/.mcp.json": claude, "FOLDER/.claude/settings.json": `{"disabledMcpjsonServers":"a"}`}},
		{"Gemini, excluded", "a", map[string]string{"HOME/.gemini/settings.json": gemini(`"excluded":["b"]`, `"a":{"command":"x"},"b":{"command":"x"}`)}},
		{"Gemini, allowed", "b", map[string]string{"HOME/.gemini/settings.json": gemini(`"allowed":["b","c"],"excluded":["c"]`, `"a":{"command":"x"},"b":{"command":"x"},"c":{"command":"x"}`)}},
		{"Gemini, the user's counts in a workspace", "a", map[string]string{
			"HOME/.gemini/settings.json":   gemini(`"allowed":["a"]`, ``),
			"FOLDER/.gemini/settings.json": gemini(`"allowed":["b"]`, `"b":{"command":"x"}`), "FOLDER/.mcp.json": `{"mcpServers":{"a":{"command":"x"}}}`,
		}},
		{"Gemini, a workspace's takes nothing of the user's", "u", map[string]string{
			"HOME/.gemini/settings.json":   gemini(``, `"u":{"command":"x"}`),
			"FOLDER/.gemini/settings.json": gemini(`"allowed":[],"excluded":["u"]`, `"w":{"command":"x"}`),
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home, folder := t.TempDir(), t.TempDir()
			in := strings.NewReplacer("HOME", home, "FOLDER", folder)
			for file, content := range tt.files {
				write(t, in.Replace(file), in.Replace(content))
			}
			c := Load(Sources{Folders: []string{folder}, Home: home, System: "linux", LookupEnv: noEnvironment})
			var on []string
			trust := openTrust(t, t.TempDir())
			for _, s := range c.Servers {
				if !s.Disabled {
					on = append(on, s.Name)
				} else if !strings.Contains(s.DisabledBy, "settings") && !strings.Contains(s.DisabledBy, ".claude.json") {
					t.Errorf("%s is switched off by %q", s.Name, s.DisabledBy)
				}
				if s.Layer == Workspace && trust.Verdict(s) != Undecided {
					t.Errorf("a list has decided on %s", s.Name)
				}
			}
			for _, f := range c.Findings {
				if f.Severity == "error" {
					on = append(on, "!")
				}
			}
			if got := strings.Join(on, " "); got != tt.want {
				t.Errorf("%q, want %q: %+v", got, tt.want, c.Findings)
			}
		})
	}
}
