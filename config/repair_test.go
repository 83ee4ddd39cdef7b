package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// usable are the servers of a text that would be started once approved, with all that they
// would do, and whether a fault of syntax was reported.
func usable(t *testing.T, name, text string) (servers []string, fault *Finding) {
	t.Helper()
	const folder = "/w"
	s := Sources{Folders: []string{folder}, Home: "/h", UserDir: "/h/u", System: "linux", LookupEnv: noEnvironment}
	k, ok := s.withDefaults().Recognize(name)
	if !ok {
		t.Fatalf("%s is no file of ours", name)
	}
	f := Check(s, k, text)
	for i := range f.Findings {
		if f.Findings[i].Code == "syntax" && fault == nil {
			fault = &f.Findings[i]
		}
	}
	for _, e := range f.Entries {
		if e.Server.Problem == "" && !e.Server.Disabled {
			servers = append(servers, fmt.Sprintf("%s %s", e.Server.Name, e.Server.Summary()))
		}
	}
	return servers, fault
}

const severalServers = `{
  // the first
  "mcpServers": {
    "a": { "command": "a", "args": ["-r", "x"], "env": { "K": "1" }, "cwd": "/a" },
    "b": {
      "env": { "A": "1", "B": "2" },
      "command": "b",
      "args": ["-y", "pkg"]
    },
    "c": { "url": "https://c", "headers": { "H": "v" } }
  },
  "inputs": []
}
`

// MCP-2: a fault of syntax costs the entry that it is in, and is reported at its line.
func TestMCP2FaultsOfSyntax(t *testing.T) {
	replace := func(old, new string) string {
		if !strings.Contains(severalServers, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(severalServers, old, new, 1)
	}
	tests := []struct {
		name, text, want string // names of the usable servers
		line             int
	}{
		{"a comma between entries", replace("\"/a\" },", "\"/a\" }"), "a", 4},
		{"a comma in an entry", replace(`"b",`, `"b"`), "a", 7},
		{"a colon", replace(`"command": "b"`, `"command" "b"`), "a", 6},
		{"a quote", replace(`"command": "b"`, `"command": "b`), "a", 6},
		{"a bad word", replace(`"command": "b"`, `"command": b`), "a", 6},
		{"cut in the last entry", severalServers[:strings.Index(severalServers, `"https://c`)+5], "a b", 9},
		{"cut behind an entry", severalServers[:strings.Index(severalServers, "    \"c\"")], "a", 9}, // whose bracket is missing cannot be told
		{"cut in an entry", severalServers[:strings.Index(severalServers, `"headers"`)], "a b", 9},
		{"a brace of an entry", replace("    },\n    \"c\"", "    \"c\""), "a", 8},
		{"a brace of env", replace(`"B": "2" },`, `"B": "2",`), "", 13},
		{"text behind", severalServers + "x", "a b c", 13},
		{"a brace behind", severalServers + "}", "", 13},
		{"a brace too early", replace(`"command": "a",`, `"command": "a" },`), "", 10},
		{"a bracket for a brace", replace(`"B": "2" }`, `"B": "2" ]`), "a", 5},
		{"in inputs", replace(`[]`, `[}`), "a b c", 11},
		{"in inputs, balanced", replace(`[]`, `[,]`), "a b c", 11},
	}
	for _, tt := range tests {
		servers, fault := usable(t, "/w/.codemode/mcp.json", tt.text)
		var names []string
		for _, s := range servers {
			names = append(names, s[:1])
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%s: %q, want %q (%+v)", tt.name, got, tt.want, fault)
		}
		if fault == nil || fault.StartLine != tt.line {
			t.Errorf("%s: reported %+v, want line %d", tt.name, fault, tt.line)
		}
	}
}

// MCP-2, TRUST-1: whatever one mistake does to a file, no server is used that is not one of
// the file without it, whole.
func TestMCP2NothingHalfReadIsUsed(t *testing.T) {
	const toml = "model = 'x'\n[mcp_servers.a]\ncommand = 'a'\nargs = ['-r', 'x']\n[mcp_servers.a.env]\nK = '1'\nL = '2'\n\n" +
		"[mcp_servers.b]\ncommand = 'b'\nargs = [\n 'y',\n 'z'\n]\nenv = { A = '1', B = '2' }\n[mcp_servers.c]\nurl = 'https://c'\n[mcp_servers.c.http_headers]\nH = 'v'\n[mcp_servers.b.env2]\nx = '1'\n"
	files := map[string]string{
		"/w/.codemode/mcp.json":    severalServers,
		"/h/u/config.json":         severalServers,
		"/w/.mcp.json":             `{"a":{"command":"a","args":["-r"],"env":{"K":"1"}},"b":{"env":{"A":"1"},"command":"b"},"c":{"command":"c","args":["x"]}}`,
		"/h/.claude.json":          `{"projects":{"/w":{"mcpServers":{"a":{"command":"a","args":["-r"]},"b":{"env":{"A":"1"},"command":"b","cwd":"/b"}},"x":{"y":1}}},"mcpServers":{"c":{"command":"c","args":["z"]}}}`,
		"/w/.gemini/settings.json": `{"theme":"x","mcpServers":{"a":{"command":"a","env":{"K":"1"},"args":["-r"]},"b":{"command":"b"}},"mcp":{"excluded":["q"]},"ui":{"a":{"b":1}}}`,
		"/w/opencode.json":         `{"mcp":{"a":{"type":"local","command":["a","-r"],"environment":{"K":"1"}},"servers":{"b":{"type":"local","command":["b"]}}}}`,
		"/h/.codex/config.toml":    toml,
	}
	for name, text := range files {
		whole, fault := usable(t, name, text)
		if fault != nil || len(whole) == 0 {
			t.Fatalf("%s: %v %v", name, whole, fault)
		}
		known := map[string]bool{}
		for _, s := range whole {
			known[s] = true
		}
		mistakes := map[string]int{}
		check := func(what, changed string) {
			servers, fault := usable(t, name, changed)
			if fault == nil {
				return // another file, not a broken one
			}
			mistakes["all"]++
			if len(servers) > 0 {
				mistakes["some used"]++
			}
			for _, s := range servers {
				if !known[s] {
					t.Errorf("%s, %s: uses %s of\n%s", filepath.Base(name), what, s, changed)
				}
			}
		}
		for i := range len(text) {
			check(fmt.Sprintf("cut at %d", i), text[:i])
			check(fmt.Sprintf("without byte %d", i), text[:i]+text[i+1:])
			if i%3 != 0 {
				continue
			}
			for _, extra := range []string{"{", "}", "[", "]", ",", ":", `"`, "'", "x", "\n", "/*", "#", "="} {
				check(fmt.Sprintf("%q at %d", extra, i), text[:i]+extra+text[i:])
			}
		}
		if mistakes["some used"] == 0 {
			t.Errorf("%s: after no mistake anything is used: %v", name, mistakes)
		}
		t.Logf("%s: %v", name, mistakes)
	}
}

// MCP-2: in TOML, a fault costs the server whose table it is in, and those that have a part
// behind it.
func TestMCP2FaultsOfTOML(t *testing.T) {
	a, b, c := "[mcp_servers.a]\ncommand = 'a'\n", "[mcp_servers.b]\ncommand = 'b'\n", "[mcp_servers.c]\ncommand = 'c'\n"
	for text, want := range map[string]string{
		a + b + "args = [\n" + c:                                             "a",
		a + b + "x = = 1\n[mcp_servers.a.env] # x=y\nK = '1'\n":              "",
		a + b + "command = 'again'\n" + c:                                    "a c",
		a + b + c + "[mcp_servers.b]\nargs = []\n":                           "a c",
		a + "env = { A = '1', A = '2' }\n" + b:                               "b",
		"mcp_servers.a.command = 'x'\n= 1\n" + b:                             "",
		a + "x = = 1\n[mcp_servers]\n":                                       "",
		"[mcp_servers]\na = {command='x', command='y'}\nb = {command='b'}\n": "b",
		a + b + "[other]\nx = = 1\n":                                         "a b",
	} {
		servers, fault := usable(t, "/h/.codex/config.toml", text)
		var names []string
		for _, s := range servers {
			names = append(names, s[:1])
		}
		if got := strings.Join(names, " "); got != want || fault == nil {
			t.Errorf("%q, want %q, of\n%s%+v", got, want, text, fault)
		}
	}
}

// MCP-2: what is given twice in a definition costs that one, at its place.
func TestMCP2GivenTwice(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers":{"a":{"command":"x","command":"y"},"b":{"command":"b"}}}`:            "b",
		`{"mcpServers":{"a":{"command":"x","env":{"K":"1","K":"2"}},"b":{"command":"b"}}}`:  "b",
		`{"mcpServers":{"b":{"command":"b"}},"mcpServers":{"a":{"command":"x"}}}`:           "b",
		`{"mcpServers":{"b":{"command":"b","args":null,"args":["x"]},"c":{"command":"c"}}}`: "c",
	} {
		s := Sources{Folders: []string{"/w"}}
		k, _ := s.withDefaults().Recognize("/w/.codemode/mcp.json")
		f := Check(s, k, text)
		servers, _ := usable(t, "/w/.codemode/mcp.json", text)
		if len(servers) != 1 || servers[0][:1] != want || len(f.Findings) != 1 || f.Findings[0].Code != "duplicate-name" || f.Findings[0].StartColumn == 0 {
			t.Errorf("%s: %q %+v", text, servers, f.Findings)
		}
	}
}

// MCP-2, PERM-10: settings and lists that may stand behind a fault are not taken for absent.
func TestMCP2WhatMayStandBehindAFault(t *testing.T) {
	home, folder := t.TempDir(), t.TempDir()
	user := filepath.Join(home, "u")
	write(t, filepath.Join(user, UserFile), `{"mcpServers":{"u":{"command":"x"}}, "exclude" ["mcp__u__*"]}`)
	write(t, filepath.Join(home, ".gemini", "settings.json"), `{"mcpServers":{"g":{"command":"x"}}, "mcp" {"excluded":["g"]}}`)
	write(t, filepath.Join(folder, ".vscode", "mcp.json"), `{"servers":{"v":{"command":"x","args":["${input:t}"]}}, "inputs" [{"id":"t","password":true}]}`)
	write(t, filepath.Join(folder, HooksFile), `{"hooks":{"PreToolUse":[{"hooks":[{"command":"x"}]}]} "x"}`)
	c := Load(Sources{Folders: []string{folder}, Home: home, UserDir: user, System: "linux", LookupEnv: noEnvironment})
	state := map[string]string{}
	for _, s := range c.Servers {
		state[s.Name] = s.Problem
	}
	if problem, ok := state["u"]; !ok || problem != "" || len(c.UnreadHooks) != 2 || len(c.Hooks) != 0 {
		t.Errorf("the user's server: %v; every call is asked for: %v; hooks %v", state, c.UnreadHooks, c.Hooks)
	}
	if !strings.Contains(state["g"], "behind the fault") || !strings.Contains(state["v"], "behind a fault") {
		t.Errorf("problems: %q", state)
	}
}
