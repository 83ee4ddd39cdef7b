package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// load loads with a workspace file, a user file and an environment; empty texts
// are files that do not exist.
func load(t *testing.T, workspace, user string, s Sources) (*Config, string) {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "work space")
	write(t, filepath.Join(folder, ".codemode", "mcp.json"), workspace)
	write(t, filepath.Join(dir, "user", "config.json"), user)
	if s.Folders == nil {
		s.Folders = []string{folder}
	}
	if s.UserDir == "" {
		s.UserDir = filepath.Join(dir, "user")
	}
	if s.LookupEnv == nil {
		s.LookupEnv = environment(nil)
	}
	s.Executable = "/bin/codemode-ls"
	return Load(s), folder
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if content == "" {
		return
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func environment(table map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := table[name]; return v, ok }
}

// find is a server by name.
func find(t *testing.T, c *Config, name string) Server {
	t.Helper()
	for _, s := range c.Servers {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no server %q in %v", name, c.Servers)
	return Server{}
}

// describeFindings is one line for each: code, range, message without folders.
func describeFindings(c *Config, folder string) []string {
	lines := []string{}
	for _, f := range c.Findings {
		lines = append(lines, fmt.Sprintf("%s %s %d:%d-%d:%d %s", f.Severity, f.Code, f.StartLine, f.StartColumn, f.EndLine, f.EndColumn,
			strings.ReplaceAll(f.Message, folder, "$FOLDER")))
	}
	return lines
}

func TestFirstNamedWins(t *testing.T) { // MCP-1
	c, folder := load(t,
		`{"mcpServers": {"a": {"command": "workspace"}, "b": {"command": "workspace"}, "c": {"command": "workspace"}}}`,
		`{"mcpServers": {"a": {"command": "user"}, "b": {"command": "user"}, "c": {"command": "user"}, "d": {"command": "user"}}, "demo": true}`,
		Sources{
			Flags:  []string{"a=flag x"},
			Editor: jsontext.Value(`{"mcpServers": {"a": {"command": "editor"}, "b": {"command": "editor"}}}`),
		})
	var got []string
	for _, s := range c.Servers {
		got = append(got, s.Name+" "+string(s.Layer)+" "+s.Command)
	}
	want := []string{"a flag flag", "b editor editor", "c workspace workspace", "d user user", "demo demo /bin/codemode-ls"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(c.Shadowed) != 6 {
		t.Errorf("shadowed: %v", c.Shadowed)
	}
	if got := describeFindings(c, folder)[1]; !strings.HasPrefix(got, "warning shadowed-server 0:0-1:0 server \"a\" is not used") {
		t.Error(got)
	}
	if d := find(t, c, "demo"); !slices.Equal(d.Args, []string{"demo"}) || d.Transport != Stdio {
		t.Errorf("demo: %+v", d)
	}
}

func TestServerDefinition(t *testing.T) {
	c, folder := load(t, `// servers of this project
{
  "$schema": "x",
  "mcpServers": {
    /* the first */
    "full": {
      "type": "stdio", "command": "node", "args": ["${workspaceFolder}/s.js", "--level=${LEVEL:-info}", "$HOME", "${EMPTY:-x}|"],
      "env": {"TOKEN": "${env:TOKEN}", "N": 9007199254740993, "B": true, "UNSET": null},
      "cwd": "sub", "protocol": "legacy", "disabled": true, "alwaysAllow": [],
    },
    "remote": {"url": "https://example.com/${TOKEN}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
    "old": {"type": "sse", "url": "http://localhost/sse", "enabled": false},
  },
}`, "", Sources{LookupEnv: environment(map[string]string{"TOKEN": "s3cret", "EMPTY": ""})})
	if diff := cmp.Diff([]string{}, describeFindings(c, folder)); diff != "" {
		t.Error(diff)
	}
	file := filepath.Join(folder, ".codemode", "mcp.json")
	want := []Server{
		{
			Name: "full", Layer: Workspace, File: file, Folder: folder, Line: 5, Transport: Stdio, Command: "node",
			Args: []string{folder + "/s.js", "--level=info", "$HOME", "|"},
			Env:  map[string]string{"TOKEN": "s3cret", "N": "9007199254740993", "B": "true"},
			Cwd:  filepath.Join(folder, "sub"), Protocol: "legacy", Disabled: true,
		},
		{
			Name: "remote", Layer: Workspace, File: file, Folder: folder, Line: 10, Transport: HTTP, URL: "https://example.com/s3cret/mcp",
			Headers: map[string]string{"Authorization": "Bearer s3cret"}, Cwd: folder,
		},
		{Name: "old", Layer: Workspace, File: file, Folder: folder, Line: 11, Transport: SSE, URL: "http://localhost/sse", Disabled: true, Cwd: folder},
	}
	for i := range c.Servers {
		c.Servers[i].Written, c.Servers[i].Reads = nil, nil // approval_test.go has those
	}
	if diff := cmp.Diff(want, c.Servers); diff != "" {
		t.Error(diff)
	}
}

func TestProblems(t *testing.T) { // MCP-2, CFG-1
	tests := []struct {
		name, file string
		findings   []string
		problem    string // of server "s"
	}{
		{
			"unset variable", `{"mcpServers": {"s": {"command": "x", "env": {"A": "${env:NOPE}"}}}}`,
			[]string{`error unset-variable 0:51-0:64 server "s": in "env.A": environment variable NOPE is not set`},
			`$FOLDER/.codemode/mcp.json: server "s": in "env.A": environment variable NOPE is not set`,
		},
		{
			"astral characters before it", "{\"mcpServers\": {\n\"s\": {\"cwd\": \"/🙂\", \"command\": \"${NOPE}\"}}}",
			[]string{`error unset-variable 1:31-1:40 server "s": in "command": environment variable NOPE is not set`},
			`$FOLDER/.codemode/mcp.json: server "s": in "command": environment variable NOPE is not set`,
		},
		{
			"foreign variable", `{"mcpServers": {"s": {"command": "${config:token}"}}}`,
			[]string{`error unsupported-variable 0:33-0:50 server "s": in "command": "${config:token}" is not supported: use ${env:NAME}, ${NAME}, ${NAME:-default} or ${workspaceFolder}`},
			`$FOLDER/.codemode/mcp.json: server "s": in "command": "${config:token}" is not supported: use ${env:NAME}, ${NAME}, ${NAME:-default} or ${workspaceFolder}`,
		},
		{
			"open brace", `{"mcpServers": {"s": {"command": "x", "args": ["${A"]}}}`,
			[]string{`error unclosed-variable 0:47-0:52 server "s": in "args[0]": "${A" has no closing brace`},
			`$FOLDER/.codemode/mcp.json: server "s": in "args[0]": "${A" has no closing brace`,
		},
		{
			"no command", `{"mcpServers": {"s": {"args": []}}}`,
			[]string{`error no-command 0:16-0:19 server "s": neither "command" nor "url" is given`},
			`$FOLDER/.codemode/mcp.json: server "s": neither "command" nor "url" is given`,
		},
		{
			"both", `{"mcpServers": {"s": {"command": "x", "url": "http://x"}}}`,
			[]string{`error command-and-url 0:16-0:19 server "s": both "command" and "url" are given`},
			`$FOLDER/.codemode/mcp.json: server "s": both "command" and "url" are given`,
		},
		{
			"types", `{"mcpServers": {"s": {"command": ["x"], "args": "y", "env": [], "disabled": 1}}}`,
			[]string{
				`error wrong-type 0:33-0:38 server "s": "command" must be a string, not an array`,
				`error wrong-type 0:48-0:51 server "s": "args" must be an array of strings, not a string`,
				`error wrong-type 0:60-0:62 server "s": "env" must be an object of strings, not an array`,
				`error wrong-type 0:76-0:77 server "s": "disabled" must be true or false, not a number`,
			},
			`$FOLDER/.codemode/mcp.json: server "s": "command" must be a string, not an array`,
		},
		{
			"unknown fields", `{"mcpServer": {}, "mcpServers": {"s": {"comand": "x", "command": "y"}}}`,
			[]string{
				`warning unknown-field 0:1-0:12 unknown field "mcpServer"; this file has "mcpServers" and "inputs" alone`,
				`warning unknown-field 0:39-0:47 server "s": unknown field "comand"; known are type, command, args, env, envFile, cwd, url, headers, disabled, enabled, protocol, transport, enabledTools, disabledTools, oauth`,
			},
			"",
		},
		{
			"twice", `{"mcpServers": {"s": {"command": "x"}, "s": {"command": "y"}}}`,
			[]string{`error duplicate-server 0:39-0:42 server "s" is defined twice; the first definition counts`},
			"",
		},
		{
			"bad url", `{"mcpServers": {"s": {"url": "ftp://x"}}}`,
			[]string{`error bad-url 0:16-0:19 server "s": "url" must begin with http:// or https://`},
			`$FOLDER/.codemode/mcp.json: server "s": "url" must begin with http:// or https://`,
		},
		{"syntax", "{\n  \"mcpServers\": {,}\n}", []string{`error syntax 1:17-1:18 invalid character ',' at start of value; only what is complete before this place is used`}, "-"},
		{"end", "{\"mcpServers\": {", []string{`error syntax 0:16-0:16 parsing value: unexpected end of the file; only what is complete before this place is used`}, "-"},
		{"not an object", `[1]`, []string{`error wrong-type 0:0-0:3 expected an object`}, "-"},
		{"deep", `{"mcpServers": ` + strings.Repeat("[", 1e6), []string{`error syntax 0:78-0:79 nested deeper than 64 levels`}, "-"},
		{"null", `null`, []string{}, "-"},
		{"servers is a list", `{"mcpServers": []}`, []string{`error wrong-type 0:15-0:17 "mcpServers" must be an object of servers by name, not an array`}, "-"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, folder := load(t, test.file, "", Sources{})
			if diff := cmp.Diff(test.findings, describeFindings(c, folder)); diff != "" {
				t.Error(diff)
			}
			for _, f := range c.Findings {
				if f.File != filepath.Join(folder, ".codemode", "mcp.json") {
					t.Errorf("file %q", f.File)
				}
			}
			if test.problem == "-" {
				if len(c.Servers) != 0 {
					t.Errorf("servers: %v", c.Servers)
				}
				return
			}
			if got := strings.ReplaceAll(find(t, c, "s").Problem, folder, "$FOLDER"); got != test.problem {
				t.Errorf("problem %q, want %q", got, test.problem)
			}
		})
	}
}

func TestUnsetVariableIsNeverEmpty(t *testing.T) { // MCP-2
	for _, field := range []string{`"command": "${X}"`, `"command": "c", "args": ["${X}"]`, `"command": "c", "env": {"E": "${X}"}`, `"command": "c", "cwd": "${X}"`, `"url": "${X}"`, `"url": "http://h", "headers": {"H": "${X}"}`} {
		c, _ := load(t, "", `{"mcpServers": {"srv": {`+field+`}}}`, Sources{})
		s := find(t, c, "srv")
		for _, part := range []string{"config.json", "srv", "X"} {
			if !strings.Contains(s.Problem, part) {
				t.Errorf("%s: problem %q does not name %s", field, s.Problem, part)
			}
		}
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".codemode", "mcp.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := Load(Sources{Folders: []string{dir}, File: filepath.Join(dir, "missing.json")})
	var codes []string
	for _, f := range c.Findings {
		codes = append(codes, f.Code+" "+filepath.Base(f.File)+" "+f.Message)
	}
	want := []string{"unreadable-file missing.json cannot read the configuration: no such file", "unreadable-file mcp.json cannot read the configuration: not a regular file"}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Error(diff)
	}
}

func TestFileReplacesUser(t *testing.T) { // CLI-1
	file := filepath.Join(t.TempDir(), "c.json")
	write(t, file, `{"mcpServers": {"mine": {"command": "m"}}, "trust.workspace": "always"}`)
	c, _ := load(t, "", `{"mcpServers": {"other": {"command": "o"}}}`, Sources{File: file})
	if len(c.Servers) != 1 || c.Servers[0].Name != "mine" || c.Servers[0].Layer != User || !c.TrustWorkspace {
		t.Errorf("%+v", c)
	}
}

func TestFlags(t *testing.T) { // CLI-1
	c, _ := load(t, "", "", Sources{Flags: []string{
		`a=node 'my server.js' "x \"y\"" z\ z '' `, `b=A=1 B='2 3' cmd --x=y`, `c=https://example.com/mcp?x=1`,
		`=x`, `d`, `e=`, `f='x`, `g=A=1`,
	}})
	want := []Server{
		{Name: "a", Layer: Flag, Transport: Stdio, Command: "node", Args: []string{"my server.js", `x "y"`, "z z", ""}},
		{Name: "b", Layer: Flag, Transport: Stdio, Command: "cmd", Args: []string{"--x=y"}, Env: map[string]string{"A": "1", "B": "2 3"}},
		{Name: "c", Layer: Flag, Transport: HTTP, URL: "https://example.com/mcp?x=1"},
	}
	if diff := cmp.Diff(want, c.Servers); diff != "" {
		t.Error(diff)
	}
	wantFindings := []string{
		`error bad-flag 0:0-0:0 --server =x: expected NAME=COMMAND ARGS`,
		`error bad-flag 0:0-0:0 --server d: expected NAME=COMMAND ARGS`,
		`error bad-flag 0:0-0:0 --server e=: the command is missing`,
		`error bad-flag 0:0-0:0 --server "f='x": a single quote is not closed`,
		`error bad-flag 0:0-0:0 --server g=A=1: the command is missing`,
	}
	if diff := cmp.Diff(wantFindings, describeFindings(c, "\x00")); diff != "" {
		t.Error(diff)
	}
}

func TestSplitWordsOnWindows(t *testing.T) {
	got, err := splitWords(`C:\bin\node.exe "D:\my dir\s.js" 'x'`, true)
	if want := []string{`C:\bin\node.exe`, `D:\my dir\s.js`, "x"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDefaults(t *testing.T) { // 09-limits
	want := Limits{
		Timeout: 2 * time.Minute, Active: 30 * time.Second, MemoryMB: 256, MaxToolCalls: 100, MaxConcurrent: 8, MaxRuns: 4,
		MaxCodeBytes: 131072, MaxLogChars: 65536, MaxLogEntries: 2000, MaxResultChars: 262144, MaxOutputTokens: 10000,
		MaxImages: 10, MaxImageBytes: 16 << 20, MaxValueBytes: 64 << 20, MaxInlineBytes: 20_000, ArtifactDays: 14, ArtifactMB: 512, MaxFileBytes: 1 << 20, CallTimeout: 5 * time.Minute, ConnectTimeout: 30 * time.Second,
	}
	if diff := cmp.Diff(want, DefaultLimits()); diff != "" {
		t.Error(diff)
	}
	c := Load(Sources{})
	if diff := cmp.Diff(&Config{Limits: want, Catalog: CatalogSettings{2000, 6, 160}, PromptTimeout: 5 * time.Minute, ExecEnabled: true, JoinAgents: true, SeenResults: true, InlayHints: InlayHintSettings{ParameterNames: "literals"}, Marks: MarkSettings{true, true, true, true, true, true}, Import: ClientNames()}, c); diff != "" {
		t.Error(diff)
	}
}

// Every integer setting takes its bounds, and is clamped to them outside.
func TestCeilings(t *testing.T) { // 09-limits
	for _, s := range Settings() {
		if s.Type != "integer" {
			continue
		}
		if s.number == nil && s.duration == nil {
			t.Errorf("%s goes nowhere", s.Name)
			continue
		}
		for _, test := range []struct {
			given    string
			want     int
			findings int
		}{
			{fmt.Sprint(s.Ceiling), s.Ceiling, 0}, {fmt.Sprint(s.Minimum), s.Minimum, 0},
			{fmt.Sprint(s.Ceiling + 1), s.Ceiling, 1}, {fmt.Sprint(s.Minimum - 1), s.Minimum, 1},
			{"1e400", s.Ceiling, 1}, {"-1e400", s.Minimum, 1},
			{"1.5", s.Default, 1}, {`"7"`, s.Default, 1}, {"null", s.Default, 0},
		} {
			c := Load(Sources{Editor: jsontext.Value(`{"` + s.Name + `": ` + test.given + `}`)})
			var got int
			if s.duration != nil {
				got = int(*s.duration(c) / time.Millisecond)
			} else {
				got = *s.number(c)
			}
			if got != test.want || len(c.Findings) != test.findings {
				t.Errorf("%s = %s: %d, findings %v; want %d", s.Name, test.given, got, c.Findings, test.want)
			}
		}
	}
}

func TestSettingsOfLayers(t *testing.T) {
	c, _ := load(t, "",
		`{"exec": {"timeoutMs": 1000, "memoryMB": 64}, "codemode.catalog.maxDepth": 3, "exclude": ["mcp__a__*"], "permissions": {"readOnly": {"gh": "allow", "x": "ask"}}, "exec.nope": 1, "foo": {}}`,
		Sources{
			Editor:          jsontext.Value(`{"exec": {"timeoutMs": 2000, "activeMs": 5}, "exclude": ["mcp__b__*"], "lens": {"x": true}, "exec.maxRuns": 7}`),
			EditorWorkspace: jsontext.Value(`{"exec": {"activeMs": 6}}`),
		})
	if c.Limits.Timeout != 2*time.Second || c.Limits.MemoryMB != 64 || c.Limits.Active != 6*time.Millisecond || c.Limits.MaxRuns != 7 || c.Catalog.MaxDepth != 3 {
		t.Errorf("%+v %+v", c.Limits, c.Catalog)
	}
	if !slices.Equal(c.Exclude, []string{"mcp__a__*", "mcp__b__*"}) || !slices.Equal(c.ReadOnlyAllow, []string{"gh"}) {
		t.Errorf("%v %v", c.Exclude, c.ReadOnlyAllow)
	}
	want := []string{`warning unknown-setting 0:162-0:173 unknown setting "exec.nope"`, `warning unknown-setting 0:178-0:183 unknown setting "foo"`}
	if diff := cmp.Diff(want, describeFindings(c, "\x00")); diff != "" {
		t.Error(diff)
	}
}

// What a workspace can write never starts programs by itself, and never switches
// the asking off.
func TestWorkspaceSettingsAreUntrusted(t *testing.T) { // TRUST-1
	merged := `{"mcpServers": {"mine": {"command": "m"}, "theirs": {"command": "m", "args": ["evil"]}}, "trust": {"workspace": "always"}, "permissions.readOnly": {"a": "allow"}}`
	workspace := `{"mcpServers": {"theirs": {"args": ["evil"]}, "more": {"command": "evil"}}, "trust": {"workspace": "always"}, "permissions.readOnly": {"a": "allow"}}`
	c := Load(Sources{Editor: jsontext.Value(merged), EditorWorkspace: jsontext.Value(workspace), LookupEnv: environment(nil)})
	layers := map[string]Layer{}
	for _, s := range c.Servers {
		layers[s.Name] = s.Layer
	}
	if diff := cmp.Diff(map[string]Layer{"mine": Editor, "theirs": Workspace, "more": Workspace}, layers); diff != "" {
		t.Error(diff)
	}
	if c.TrustWorkspace || len(c.ReadOnlyAllow) > 0 {
		t.Error("a workspace setting was trusted")
	}
	codes := map[string]int{}
	for _, f := range c.Findings {
		codes[f.Code]++
	}
	if codes["untrusted-setting"] != 2 {
		t.Errorf("findings: %v", c.Findings)
	}
	if !Load(Sources{Editor: jsontext.Value(merged)}).TrustWorkspace {
		t.Error("the user's own setting does not count")
	}
	if c, _ := load(t, `{"trust.workspace": "always", "mcpServers": {}}`, "", Sources{}); c.TrustWorkspace {
		t.Error("a workspace file was trusted")
	}
}

func TestEnvFile(t *testing.T) { // MCP-2
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".codemode", "mcp.json"), `{"mcpServers": {"s": {"command": "x", "envFile": "${workspaceFolder}/.env", "env": {"A": "own"}}, "bad": {"command": "x", "envFile": "bad.env"}, "none": {"command": "x", "envFile": "none"}}}`)
	write(t, filepath.Join(dir, ".env"), "\ufeff# comment\r\nA=file\nexport B = 'x # y'  # z\nC=\"a\\n\\\"b\\\"\"\nD=plain # no\n\nE=\n")
	write(t, filepath.Join(dir, "bad.env"), "A=1\ns3cret line\n")
	c := Load(Sources{Folders: []string{dir}, LookupEnv: environment(nil)})
	want := map[string]string{"A": "own", "B": "x # y", "C": "a\n\"b\"", "D": "plain", "E": ""}
	if diff := cmp.Diff(want, find(t, c, "s").Env); diff != "" {
		t.Error(diff)
	}
	if s := find(t, c, "bad"); s.Problem != "" || s.Env["A"] != "1" {
		t.Errorf("a bad line costs the server: %+v", s)
	}
	if lines := strings.Join(describeFindings(c, dir), "\n"); !strings.Contains(lines, "warning env-file") || !strings.Contains(lines, "line 2 ") || strings.Contains(lines, "s3cret") {
		t.Error(lines)
	}
	if p := find(t, c, "none").Problem; !strings.Contains(p, "no such file") {
		t.Error(p)
	}
}

func TestParseEnvFile(t *testing.T) { // MCP-2: as VS Code reads it
	tests := []struct {
		name, text string
		want       map[string]string
		bad        []int
	}{
		{"a key over several lines", "KEY=\"-----BEGIN KEY-----\nA=b==\n-----END KEY-----\"\nOTHER=1\nbad\n", map[string]string{"KEY": "-----BEGIN KEY-----\nA=b==\n-----END KEY-----", "OTHER": "1"}, []int{5}},
		{"single quotes and CRLF", "A='x\r\ny' # z\r\nB=2\r\n", map[string]string{"A": "x\ny", "B": "2"}, nil},
		{"colons and export", "A: 1\nexport\tB=2\n export C = 3\nD:4\n", map[string]string{"A": "1", "B": "2", "C": "3"}, []int{4}},
		{"a quote that is never closed", "A=\"x\nB=2\n", map[string]string{"A": "\"x", "B": "2"}, nil},
		{"a quote that the next value closes", "A=\"x\nB=\"2\"\n", map[string]string{"B": "2"}, []int{1}},
		{"bad names", "1A=1\n=2\nA B=3\nC=4", map[string]string{"C": "4"}, []int{1, 2, 3}},
		{"empty values", "A=\nB=# none\nC=\"\"", map[string]string{"A": "", "B": "", "C": ""}, nil},
	}
	for _, tt := range tests {
		got, bad := parseEnvFile(tt.text)
		if diff := cmp.Diff(tt.want, got); diff != "" || !slices.Equal(tt.bad, bad) {
			t.Errorf("%s: bad lines %v, want %v; %s", tt.name, bad, tt.bad, diff)
		}
	}
}

func TestHash(t *testing.T) { // TRUST-1
	base := Server{Name: "n", Layer: Workspace, File: "/f", Command: "c", Args: []string{"a", "b"}, Env: map[string]string{"A": "1", "B": "2"}, Cwd: "/w", Transport: Stdio}
	changes := map[string]func(*Server){
		"name": func(s *Server) { s.Name = "m" }, "layer": func(s *Server) { s.Layer = User }, "file": func(s *Server) { s.File = "/g" },
		"command": func(s *Server) { s.Command = "d" }, "args": func(s *Server) { s.Args = []string{"ab"} },
		"args split": func(s *Server) { s.Args = []string{"a", "b", ""} },
		"env name":   func(s *Server) { s.Env = map[string]string{"A": "1", "C": "2"} },
		"env value":  func(s *Server) { s.Env = map[string]string{"A": "1", "B": "3"} },
		"env moved":  func(s *Server) { s.Headers, s.Env = s.Env, nil },
		"cwd":        func(s *Server) { s.Cwd = "/x" }, "url": func(s *Server) { s.URL = "http://u" },
		"inherit": func(s *Server) { s.Inherit = []string{"X"} }, "roots": func(s *Server) { s.WithoutRoots = true },
		"transport": func(s *Server) { s.Transport = SSE }, "protocol": func(s *Server) { s.Protocol = "legacy" },
	}
	seen := map[string]string{base.Hash(): "nothing"}
	for what, change := range changes {
		s := base
		s.Env = maps.Clone(base.Env)
		change(&s)
		if other, ok := seen[s.Hash()]; ok {
			t.Errorf("changing %s gives the same hash as changing %s", what, other)
		}
		seen[s.Hash()] = what
	}
	moved := base
	moved.Line, moved.Disabled, moved.Problem = 7, true, "p"
	if moved.Hash() != base.Hash() {
		t.Error("where it stands in the file is not part of a definition")
	}
}

func TestSummary(t *testing.T) { // TRUST-1, TRUST-2
	s := Server{Command: "node", Args: []string{"my server.js", "a\x1b[2J", "it's", "\u202egnp", ""}, Env: map[string]string{"TOKEN": "s3cret", "A": "1"}, Cwd: "/w"}
	want := `node 'my server.js' "a\x1b[2J" "it's" "\u202egnp" '' in /w (environment: A, TOKEN)`
	if got := s.Summary(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	s = Server{URL: "https://h/mcp", Headers: map[string]string{"Authorization": "s3cret"}}
	if got := s.Summary(); got != "https://h/mcp (headers: Authorization)" {
		t.Error(got)
	}
}

func TestFiles(t *testing.T) {
	got := Files(Sources{Folders: []string{"/a", "/b"}, UserDir: "/u"})
	want := []string{filepath.FromSlash("/a/.codemode/mcp.json"), filepath.FromSlash("/b/.codemode/mcp.json"), filepath.FromSlash("/u/config.json")}
	if len(got) < 3 || !slices.Equal(got[:3], want) {
		t.Errorf("%q", got)
	}
	for _, file := range got {
		own := file == want[2] || filepath.Dir(file) == filepath.FromSlash("/u/moved") // servers that install took over (GATE-4)
		if strings.HasPrefix(file, "/u/") != own {                                     // no home: nothing of the user's but this program's own
			t.Errorf("%q", file)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(`{"mcpServers": {"s": {"command": "${X:-y}", "args": ["a"]}}, "exec": {"timeoutMs": 1}}`)
	f.Add("\ufeff{\"a\": /* [ */ \"\\\"{\", // ]\r\n}")
	f.Add(`{"mcpServers": {"\ud800": {"url": "http://[::1", "env": {"a=": 1}}}}`)
	f.Fuzz(func(t *testing.T, s string) {
		c := Load(Sources{Editor: jsontext.Value(s), EditorWorkspace: jsontext.Value(s), LookupEnv: environment(nil)})
		for _, server := range c.Servers {
			if server.Problem == "" && server.Command == "" && server.URL == "" {
				t.Errorf("%+v can be started, with nothing", server)
			}
			if server.Layer != Workspace {
				t.Errorf("%+v is trusted", server)
			}
		}
	})
}

// MCP-6: what servers inherit and who is offered roots is the user's to say, for servers
// of any file. It changes what runs, and no approval.
func TestInheritAndRoots(t *testing.T) {
	workspace := `{"mcpServers": {"w": {"command": "x"}, "other": {"command": "y"}}, "mcp.inherit": ["AWS_SECRET_ACCESS_KEY"]}`
	plain, _ := load(t, workspace, "", Sources{})
	c, _ := load(t, workspace, `{"mcp.inherit": ["HTTPS_PROXY", "SSH_*"], "mcp.roots": {"w": "none", "other": "workspace"}}`, Sources{})
	for i, s := range c.Servers {
		if !slices.Equal(s.Inherit, []string{"HTTPS_PROXY", "SSH_*"}) || s.WithoutRoots != (s.Name == "w") {
			t.Errorf("%s: inherits %q, without roots %v", s.Name, s.Inherit, s.WithoutRoots)
		}
		if before := plain.Servers[i]; before.Inherit != nil || before.WithoutRoots {
			t.Errorf("%s without the user's settings: %q %v", before.Name, before.Inherit, before.WithoutRoots)
		}
	}
	s := Server{Name: "n", Layer: Workspace, File: "/f", Command: "c"}
	with := s
	with.Inherit, with.WithoutRoots = []string{"X"}, true
	if s.ApprovalHash() != with.ApprovalHash() || s.Hash() == with.Hash() {
		t.Error("the approval depends on the user's settings, or what runs does not")
	}
}
