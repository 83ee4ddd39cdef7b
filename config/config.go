package config

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Layer is where a definition or setting comes from; the order is that of
// precedence among servers of one name: the first one wins (MCP-1).
type Layer string

const (
	Flag      Layer = "flag"      // --server: trusted because typed
	Editor    Layer = "editor"    // the editor's user settings
	Workspace Layer = "workspace" // .codemode/mcp.json, or workspace-scoped editor settings: untrusted
	User      Layer = "user"      // the user's own configuration
	Demo      Layer = "demo"      // the built-in demo server
)

// Server defines one MCP server: a program to start, or a URL to connect to.
type Server struct {
	Name    string
	Layer   Layer
	File    string // absolute path of the file it comes from, or ""
	Line    int    // 0-based line of its name in File
	Command string
	Args    []string
	Env     map[string]string
	Cwd     string // absolute, or "" for the workspace folder
	URL     string
	Headers map[string]string
	// Transport is "stdio", "http" or "sse".
	Transport string
	Disabled  bool
	// Protocol "legacy" skips the probe for newer protocol versions.
	Protocol string
	// Problem is why it cannot be started (an unset variable, no command); such
	// a server is shown with this error and never started.
	Problem string
}

// Hash identifies the whole definition. An approval is for one hash; any change
// asks again (TRUST-1).
func (s Server) Hash() string { panic("not built") }

// Limits of spec 09, defaults applied and clamped to the ceilings.
type Limits struct {
	Timeout         time.Duration // exec.timeoutMs
	Active          time.Duration // exec.activeMs
	MemoryMB        int
	MaxToolCalls    int
	MaxConcurrent   int // calls at the same time
	MaxRuns         int
	MaxCodeBytes    int
	MaxLogChars     int
	MaxLogEntries   int
	MaxResultChars  int
	MaxOutputTokens int
	MaxImages       int
	MaxImageBytes   int
	MaxValueBytes   int
	CallTimeout     time.Duration
	ConnectTimeout  time.Duration
}

// DefaultLimits are the defaults of spec 09.
func DefaultLimits() Limits { panic("not built") }

// CatalogSettings are catalog.*.
type CatalogSettings struct {
	BudgetTokens     int
	MaxDepth         int
	DescriptionWidth int
}

// Config is everything that was configured. It never changes.
type Config struct {
	Servers []Server // unique names, in order of precedence
	Limits  Limits
	Catalog CatalogSettings
	// Exclude are patterns of full names that are in no pool.
	Exclude []string
	// TrustWorkspace is codemode.trust.workspace "always" from the user or a flag.
	TrustWorkspace bool
	// PromptTimeout is how long a fallback prompt may stay unanswered (PERM-13).
	PromptTimeout time.Duration
	Findings      []Finding
}

// Finding is something wrong in a configuration file; lines and columns are
// 0-based, columns in UTF-16 units.
type Finding struct {
	File                   string
	StartLine, StartColumn int
	EndLine, EndColumn     int
	Severity               string // "error" or "warning"
	Code                   string // stable, such as "unset-variable"
	Message                string
}

// Sources says where to look.
type Sources struct {
	// Flags are --server values, 'NAME=COMMAND ARGS'.
	Flags []string
	// File is --config: a file that replaces the user's configuration.
	File string
	// Folders are absolute paths of the workspace's folders.
	Folders []string
	// Editor is the value of the editor's `codemode` section; EditorWorkspace the
	// part of it that comes from workspace-scoped settings, when the client says so.
	Editor          jsontext.Value
	EditorWorkspace jsontext.Value
	// UserDir is the user's configuration directory of this program.
	UserDir string
	// LookupEnv resolves ${env:X} and the like; nil is os.LookupEnv.
	LookupEnv func(string) (string, bool)
}

// Load reads every source. It always returns a usable Config: what is wrong is
// in Findings, never an empty configuration with a problem lost.
func Load(s Sources) *Config { panic("not built") }
