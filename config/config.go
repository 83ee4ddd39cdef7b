package config

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"
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

// Transports of a server (MCP-3).
const (
	Stdio = "stdio"
	HTTP  = "http" // streamable HTTP
	SSE   = "sse"  // HTTP with server-sent events, as old servers have it
)

// Server defines one MCP server: a program to start, or a URL to connect to.
type Server struct {
	Name    string
	Layer   Layer
	Client  string // whose file it comes from, such as "claude-code"; "" is this program's own
	File    string // absolute path of the file it comes from, or ""
	Folder  string // of the Workspace layer: the workspace's folder that it belongs to
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
	// Inherit are variables of our environment that it gets beside the basics (mcp.inherit).
	Inherit []string
	// WithoutRoots: it is not offered the workspace's folders (mcp.roots).
	WithoutRoots bool
	// DisabledBy is the list of another place that has switched it off, or "".
	DisabledBy string
	// OnlyTools are the only tools, by their names on the server, that are in the pool; nil
	// is all of them. WithoutTools are tools that are not (MCP-2).
	OnlyTools, WithoutTools []string
	// OAuth says as what to sign in to it; nil is what the server itself says.
	OAuth *OAuth
	// Protocol "legacy" skips the probe for newer protocol versions.
	Protocol string
	// Problem is why it cannot be started (an unset variable, no command); such
	// a server is shown with this error and never started.
	Problem string
	// NeedsInput are the questions that must be answered before it can be started.
	NeedsInput []Input
	// Resembles explains whose rules the name of a workspace's server falls into,
	// or which other name it looks like; "" for none. It inherits no permission.
	Resembles string
	// Unanswered is the hash of the definition before inputs were filled in; "" when
	// there are none.
	Unanswered string
	// Written is the definition as it stands in its file, variables by their names; nil
	// when it is the same. Reads are the variables.
	Written *Server
	Reads   []Read
	// EnvFile is the path of a file of variables; of a Written one alone.
	EnvFile string
}

// OAuth says as what to sign in to a server.
type OAuth struct {
	// ClientID is that of a client which the authorization server knows, or the https
	// URL of its metadata document; "" registers one.
	ClientID     string
	ClientSecret string
	PrivateKey   string   // PEM, in place of a secret
	Grant        string   // "client_credentials": without a person
	Scopes       []string // nil is what the server asks for
	Issuer       string   // the only authorization server to accept, or ""
	CallbackPort int      // that the browser comes back to; 0 is any
	Off          bool     // never sign in
}

// Summary says for a person who decides on the server as what it would be signed in
// to; secrets by their names alone.
func (o *OAuth) Summary() string {
	if o == nil {
		return ""
	}
	var parts []string
	for _, part := range []struct{ label, value string }{
		{"client ", o.ClientID}, {"grant ", o.Grant}, {"scopes ", strings.Join(o.Scopes, " ")}, {"issuer ", o.Issuer},
	} {
		if part.value != "" {
			parts = append(parts, part.label+quoteWord(part.value))
		}
	}
	if o.ClientSecret != "" {
		parts = append(parts, "with a secret")
	}
	if o.PrivateKey != "" {
		parts = append(parts, "with a private key")
	}
	return strings.Join(parts, ", ")
}

// An Input is a question that a file asks a person, as ${input:id} (MCP-2).
type Input struct {
	ID, File    string
	Declared    bool // the file says more than its id
	Description string
	Default     string
	Options     []string // that the answer must be one of; none: any text
	Password    bool     // the answer must not be shown
	Command     bool     // the answer is that of a command of the client's
}

// Variable is the environment variable that answers the question where nobody
// can be asked.
func (i Input) Variable() string {
	return "CODEMODE_INPUT_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, i.ID)
}

// InputProblem says which answers are missing; "" when none is.
func (s Server) InputProblem() string {
	if len(s.NeedsInput) == 0 {
		return ""
	}
	var parts []string
	for _, in := range s.NeedsInput {
		parts = append(parts, fmt.Sprintf("input %q (or environment variable %s)", in.ID, in.Variable()))
	}
	return fmt.Sprintf("%s: server %q: it needs an answer to %s", s.File, s.Name, strings.Join(parts, " and to "))
}

// Hash identifies the whole definition, values of variables included, but for
// the answers to inputs, which a person gives again: what runs. What a person
// approves is ApprovalHash.
func (s Server) Hash() string {
	if s.Unanswered != "" {
		return s.Unanswered
	}
	h := definitionHash{sha256.New()}
	h.text("codemode-ls server definition 1")
	for _, field := range []string{s.Name, string(s.Layer), s.File, s.Transport, s.Protocol, s.Command, s.Cwd, s.URL} {
		h.text(field)
	}
	if o := s.OAuth; o != nil {
		h.text("oauth")
		for _, field := range []string{o.ClientID, o.ClientSecret, o.PrivateKey, o.Grant, o.Issuer, strings.Join(o.Scopes, " "), fmt.Sprint(o.CallbackPort, o.Off)} {
			h.text(field)
		}
	}
	if s.EnvFile != "" {
		h.text("envFile")
		h.text(s.EnvFile)
	}
	h.number(len(s.Args))
	for _, arg := range s.Args {
		h.text(arg)
	}
	for _, table := range []map[string]string{s.Env, s.Headers} {
		h.number(len(table))
		for _, name := range slices.Sorted(maps.Keys(table)) {
			h.text(name)
			h.text(table[name])
		}
	}
	if s.OnlyTools != nil || len(s.WithoutTools) > 0 {
		for _, list := range []struct {
			name  string
			tools []string
		}{{"only", s.OnlyTools}, {"without", s.WithoutTools}} {
			if list.tools == nil {
				continue
			}
			h.text(list.name)
			h.number(len(list.tools))
			for _, tool := range list.tools {
				h.text(tool)
			}
		}
	}
	if len(s.Inherit) > 0 && s.Command != "" {
		h.text("inherit")
		h.number(len(s.Inherit))
		for _, name := range s.Inherit {
			h.text(name)
		}
	}
	if s.WithoutRoots {
		h.text("without roots")
	}
	return hex.EncodeToString(h.Sum(nil))
}

// definitionHash writes every part with its length before it, so that no two
// definitions are the same sequence of bytes.
type definitionHash struct{ hash.Hash }

func (h definitionHash) number(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}

func (h definitionHash) text(s string) {
	h.number(len(s))
	h.Write([]byte(s))
}

// Summary is one line for a person who decides on the server: the command with
// its arguments or the URL, the folder, and the names (never the values) of
// environment variables and headers, and which variables go where (TRUST-1).
func (s Server) Summary() string {
	s = s.Shown()
	var b strings.Builder
	if s.URL != "" {
		b.WriteString(quoteWord(s.URL))
	} else {
		b.WriteString(quoteWord(s.Command))
		for _, arg := range s.Args {
			b.WriteByte(' ')
			b.WriteString(quoteWord(arg))
		}
	}
	if s.Cwd != "" {
		b.WriteString(" in " + quoteWord(s.Cwd))
	}
	for _, part := range []struct {
		label string
		table map[string]string
	}{{"environment", s.Env}, {"headers", s.Headers}} {
		if len(part.table) == 0 {
			continue
		}
		names := slices.Sorted(maps.Keys(part.table))
		for i, name := range names {
			names[i] = quoteWord(name)
		}
		b.WriteString(" (" + part.label + ": " + strings.Join(names, ", ") + ")")
	}
	if signIn := s.OAuth.Summary(); signIn != "" {
		b.WriteString(" (sign-in: " + signIn + ")")
	}
	if lists := s.ToolLists(); lists != "" {
		b.WriteString(" (tools: " + lists + ")")
	}
	if len(s.Reads) > 0 {
		var reads []string
		for _, read := range s.Reads {
			reads = append(reads, quoteWord(read.Name)+" → "+read.To)
		}
		b.WriteString(" (reads: " + strings.Join(reads, ", ") + ")")
	}
	return b.String()
}

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
	MaxInlineBytes  int // of a direct call's result (OUT-1)
	ArtifactDays    int // exec.artifactDays
	ArtifactMB      int // exec.artifactMB, of all sessions
	MaxFileBytes    int // of a file that a script reads or writes
	CallTimeout     time.Duration
	ConnectTimeout  time.Duration
}

// DefaultLimits are the defaults of spec 09.
func DefaultLimits() Limits { return defaults().Limits }

// InlayHintSettings are inlayHints.*.
type InlayHintSettings struct {
	ParameterNames                                         string // "literals", "none" or "all"
	VariableTypes, ParameterTypes, ReturnTypes, EnumValues bool
}

// MarkSettings are codeLens.* and those of inlayHints.* that are about calls: what
// editors show of a script above it and at the ends of its lines.
type MarkSettings struct {
	Run, LastRun, Tools               bool
	Annotations, Permissions, Results bool
}

// CatalogSettings are catalog.*.
type CatalogSettings struct {
	BudgetTokens     int
	MaxDepth         int
	DescriptionWidth int
}

// Config is everything that was configured. It never changes.
type Config struct {
	Servers []Server // unique names, in order of precedence
	// Shadowed are definitions whose name was taken by one that comes first
	// (MCP-1), in the order in which they were found.
	Shadowed []Server
	Limits   Limits
	Catalog  CatalogSettings
	// Exclude are patterns of full names that are in no pool.
	Exclude []string
	// ReadOnlyAllow are the servers whose "read-only" annotations a person has
	// chosen to trust (PERM-9, permissions.readOnly).
	ReadOnlyAllow []string
	// ToolChangesAllow are the servers whose tools remain allowed however they change
	// (permissions.toolChanges).
	ToolChangesAllow []string
	// TrustWorkspace is codemode.trust.workspace "always" from the user or a flag.
	TrustWorkspace bool
	// PromptTimeout is how long a fallback prompt may stay unanswered (PERM-13).
	PromptTimeout time.Duration
	// JoinAgents is the setting agents.join.
	JoinAgents bool
	// ExecEnabled is the setting exec.enabled (DECL-7).
	ExecEnabled bool
	// ToolTimeouts are call timeouts by configured name of a server or full name of
	// a tool (TIME-1, mcp.toolTimeoutMs).
	ToolTimeouts map[string]time.Duration
	// Together are the servers that SCHED-1 is turned off for (exec.concurrency).
	Together []string
	// Exposure is "code", "direct" or "hidden" by configured name of a server or
	// full name of a tool (DECL-9).
	Exposure map[string]string
	// Files is the setting exec.files: scripts may read and write text files.
	Files bool
	// ExtendedGlobals is exec.globals "extended".
	ExtendedGlobals bool
	// SeenResults is results.seen: what results look like that no server declares is
	// kept, but for those of the servers NotSeen (results.exclude).
	SeenResults bool
	NotSeen     []string
	// Inherit are variables that servers inherit beside the basics, and WithoutRoots the
	// names of servers that are not offered the workspace's folders.
	Inherit, WithoutRoots []string
	// ShowResults is catalog.seenResults: the catalog text has what was seen.
	ShowResults bool
	// InlayHints are inlayHints.*: which of TypeScript's hints editors show.
	InlayHints InlayHintSettings
	// Marks are what editors show of a script and its calls beside the text.
	Marks MarkSettings
	// LogLevel is log.level: warn, error, info, debug or off.
	LogLevel string
	// Demo is the setting of that name; the demo server is then among Servers.
	Demo bool
	// Import are the names of the clients whose files are read.
	Import []string
	// Found are the files that exist and were read, in order of precedence.
	Found []Found
	// Hooks are commands to run around calls, in the order in which they run. Those
	// of the Workspace layer need an approval.
	Hooks []Hook
	// UnreadHooks are those of the Findings that hide hooks before calls, each of which
	// may be a guard: a file that cannot be read, a pattern that is none, an event that
	// is misspelt. While there are any, every call has to be asked for.
	UnreadHooks []Finding
	Findings    []Finding
}

// Found is one file with servers that was read (MCP-1).
type Found struct {
	File    string
	Client  string // "" is this program's own
	Layer   Layer
	Servers []string // names of those it defines
}

// Finding is something wrong in a configuration file; lines and columns are
// 0-based, columns in UTF-16 units.
type Finding struct {
	File                   string // absolute path, or "" for flags and editor settings
	StartLine, StartColumn int
	EndLine, EndColumn     int
	Severity               string // "error", "warning" or "information"
	Code                   string // stable, such as "unset-variable"
	Message                string
	// Name is a name that is not known, and Closest the known one that is most like
	// it, or "".
	Name, Closest string
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
	// Home is the user's home directory, where other clients' files are; "" reads
	// none of the user's.
	Home string
	// System is a runtime.GOOS, for where they are; "" is this system.
	System string
	// Inputs answers a question of a file by its id. nil answers none.
	Inputs func(file, id string) (string, bool)
	// LookupEnv resolves ${env:X} and the like; nil is os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// Executable is this program's path, for the demo server; "" is os.Executable.
	Executable string
}
