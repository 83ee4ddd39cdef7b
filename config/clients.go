package config

import (
	"path/filepath"
	"slices"
)

// A Client is another program whose MCP servers can be used here too (MCP-1).
type Client struct {
	// Name in the setting "import", such as "claude-code".
	Name string
	// Title is its name for display.
	Title   string
	dialect *dialect
	// inFolder are its files in a workspace, relative to a folder, with slashes.
	inFolder []string
	// ofUser are its files of the user's own.
	ofUser func(places) []string
	// ofProject, when set, is where a user's file has servers of one folder alone.
	ofProject func(folder string) []string
}

// ProjectMarks are the files and folders, relative and with slashes, that make a folder
// a workspace: our own, those of known clients, and Git's.
func ProjectMarks() []string {
	marks := []string{".codemode"}
	for _, c := range Clients() {
		marks = append(marks, c.inFolder...)
	}
	return append(marks, ".git")
}

// Clients are all that are known, in order of precedence among themselves. Their
// files and dialects are those of their documentation, and for those that can be
// run without a screen, of what they did with a server that records how it was
// started.
func Clients() []Client {
	return []Client{
		{
			Name: "vscode", Title: "VS Code", dialect: &vscodeDialect,
			inFolder: []string{".vscode/mcp.json"},
			ofUser:   func(p places) []string { return []string{p.config("Code", "User", "mcp.json")} },
		},
		{
			Name: "claude-code", Title: "Claude Code", dialect: &claudeDialect,
			inFolder:  []string{".mcp.json"},
			ofUser:    func(p places) []string { return []string{p.under(p.home, ".claude.json")} },
			ofProject: func(folder string) []string { return []string{"projects", folder, "mcpServers"} },
		},
		{
			Name: "claude-desktop", Title: "Claude Desktop", dialect: &literalDialect,
			ofUser: func(p places) []string { return []string{p.config("Claude", "claude_desktop_config.json")} },
		},
		{
			Name: "cursor", Title: "Cursor", dialect: &cursorDialect,
			inFolder: []string{".cursor/mcp.json"},
			ofUser:   func(p places) []string { return []string{p.under(p.home, ".cursor", "mcp.json")} },
		},
		{
			Name: "windsurf", Title: "Windsurf", dialect: &windsurfDialect,
			ofUser: func(p places) []string {
				return []string{p.under(p.home, ".codeium", "windsurf", "mcp_config.json"), p.under(p.home, ".codeium", "mcp_config.json")}
			},
		},
		{
			Name: "zed", Title: "Zed", dialect: &zedDialect,
			inFolder: []string{".zed/settings.json"},
			ofUser: func(p places) []string {
				if p.system == "windows" {
					return []string{p.config("Zed", "settings.json")}
				}
				return []string{p.xdg("zed", "settings.json")}
			},
		},
		{
			Name: "jetbrains", Title: "JetBrains", dialect: &literalDialect,
			inFolder: []string{".junie/mcp/mcp.json", ".air/mcp.json"},
			ofUser:   func(p places) []string { return []string{p.under(p.home, ".junie", "mcp", "mcp.json")} },
		},
		{
			Name: "codex", Title: "Codex", dialect: &codexDialect,
			inFolder: []string{".codex/config.toml"},
			ofUser: func(p places) []string {
				return []string{p.under(p.variable("CODEX_HOME", p.under(p.home, ".codex")), "config.toml")}
			},
		},
		{
			Name: "gemini-cli", Title: "Gemini CLI", dialect: &geminiDialect,
			inFolder: []string{".gemini/settings.json"},
			ofUser:   func(p places) []string { return []string{p.under(p.home, ".gemini", "settings.json")} },
		},
		{
			Name: "opencode", Title: "OpenCode", dialect: &opencodeDialect,
			inFolder: []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"},
			ofUser: func(p places) []string {
				return []string{p.xdg("opencode", "opencode.json"), p.xdg("opencode", "opencode.jsonc")}
			},
		},
		{
			Name: "cline", Title: "Cline", dialect: &clineDialect,
			ofUser: func(p places) []string {
				return []string{
					p.variable("CLINE_MCP_SETTINGS_PATH", p.under(p.home, ".cline", "data", "settings", "cline_mcp_settings.json")),
					p.config("Code", "User", "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json"),
				}
			},
		},
	}
}

// ownClient is this program.
var ownClient = Client{Title: "this program", dialect: &ownDialect}

// ClientNames are the values of the setting "import".
func ClientNames() []string {
	var names []string
	for _, c := range Clients() {
		names = append(names, c.Name)
	}
	return names
}

// places says where programs keep what is the user's on this system. A path is ""
// when that is unknown.
type places struct {
	system string // runtime.GOOS
	home   string
	lookup func(string) (string, bool)
}

func (p places) under(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}

// variable is a path from the environment, or another one.
func (p places) variable(name, otherwise string) string {
	if value, ok := p.lookup(name); ok && filepath.IsAbs(value) && p.home != "" {
		return value
	}
	return otherwise
}

// xdg is a path in the configuration directory that ports of Unix programs use
// everywhere.
func (p places) xdg(names ...string) string {
	return p.under(p.variable("XDG_CONFIG_HOME", p.under(p.home, ".config")), names...)
}

// config is a path in the directory where desktop programs of this system keep
// their configuration.
func (p places) config(names ...string) string {
	switch p.system {
	case "windows":
		return p.under(p.variable("APPDATA", p.under(p.home, "AppData", "Roaming")), names...)
	case "darwin":
		return p.under(p.home, append([]string{"Library", "Application Support"}, names...)...)
	}
	return p.xdg(names...)
}

// A FileKind says what one configuration file is, whether it exists or not.
type FileKind struct {
	Path   string // absolute
	Layer  Layer
	Folder string // the workspace folder of a file in it, or ""
	// Client is whose file it is; its name is "" for this program's own.
	Client Client
	// Moved: `mcp install --move` has taken it over from the client.
	Moved bool
	// servers are the places in it that have servers, as paths of names.
	servers [][]string
}

// MovedFile is where the servers of a client are kept, in its own dialect, after they were
// taken out of its file.
func MovedFile(userDir, client string, toml bool) string {
	if toml {
		return filepath.Join(userDir, "moved", client+".toml")
	}
	return filepath.Join(userDir, "moved", client+".json")
}

// OfUser are the client's files of the user's own: the first one that exists is what it
// reads, the first of all is what it would create.
func (c Client) OfUser(s Sources) []string {
	s = s.withDefaults()
	return slices.DeleteFunc(c.ofUser(places{system: s.System, home: s.Home, lookup: s.LookupEnv}), func(path string) bool { return path == "" })
}

// TOML reports whether the client's files are TOML; they are JSON, with comments, else.
func (c Client) TOML() bool { return c.dialect.toml }

// ServersPath is where a file of the client has its servers.
func (c Client) ServersPath() []string { return c.dialect.servers }

// kinds are all files that may be read, in order of precedence.
func (s Sources) kinds() []FileKind {
	own := ownClient
	var kinds []FileKind
	for _, folder := range s.Folders {
		kinds = append(kinds, FileKind{
			Path: filepath.Join(folder, filepath.FromSlash(WorkspaceFile)), Layer: Workspace, Folder: folder,
			Client: own, servers: own.dialect.paths(),
		})
	}
	if file := s.userFile(); file != "" {
		kinds = append(kinds, FileKind{Path: file, Layer: User, Client: own, servers: own.dialect.paths()})
	}
	if s.UserDir != "" && s.File == "" {
		for _, c := range Clients() {
			kinds = append(kinds, FileKind{
				Path: MovedFile(s.UserDir, c.Name, c.TOML()), Layer: User, Client: c, Moved: true, servers: c.dialect.paths(),
			})
		}
	}
	p := places{system: s.System, home: s.Home, lookup: s.LookupEnv}
	var folders, users []FileKind
	for _, c := range Clients() {
		for _, folder := range s.Folders {
			for _, name := range c.inFolder {
				folders = append(folders, FileKind{
					Path: filepath.Join(folder, filepath.FromSlash(name)), Layer: Workspace, Folder: folder,
					Client: c, servers: c.dialect.paths(),
				})
			}
		}
		for _, path := range c.ofUser(p) {
			if path == "" || slices.ContainsFunc(users, func(k FileKind) bool { return k.Path == path }) {
				continue
			}
			k := FileKind{Path: path, Layer: User, Client: c}
			if c.ofProject != nil {
				for _, folder := range s.Folders {
					k.servers = append(k.servers, c.ofProject(folder))
				}
			}
			k.servers = append(k.servers, c.dialect.paths()...)
			users = append(users, k)
		}
	}
	return append(append(kinds, folders...), users...)
}

// Recognize says what kind of configuration file a path is; ok is false when it
// is none that is read.
func (s Sources) Recognize(path string) (kind FileKind, ok bool) {
	path = filepath.Clean(path)
	for _, k := range s.withDefaults().kinds() {
		if k.Path == path {
			return k, true
		}
	}
	return FileKind{}, false
}
