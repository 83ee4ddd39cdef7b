package workspace

import (
	"context"
	"log/slog"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// Options of a workspace.
type Options struct {
	Sources config.Sources
	// Recordings are --tools files or folders: the pool is made of them and no
	// server is started (CLI-7).
	Recordings []string
	// DemoWhenEmpty uses the built-in demo server when nothing is configured
	// (CLI-1).
	DemoWhenEmpty bool
	// Allow and Deny are rules from flags.
	Allow, Deny []string
	CacheDir    string // cached tools, artifacts; "" keeps nothing
	Log         *slog.Logger
	Version     string
	Check       exec.Checker
	// Changed is called, from any goroutine, when something of the workspace has
	// changed; it must return at once. Call Snapshot for what is new.
	Changed func()
	// WarmSandboxes is how many sandbox children wait ready.
	WarmSandboxes int
}

// Snapshot is everything that holds at one moment. It never changes.
type Snapshot struct {
	Config  *config.Config
	Catalog *catalog.Catalog
	Rules   *permission.Rules
	Servers []upstream.Status
	// Problems are broken rule files.
	Problems []permission.Problem
	// UsesDemo: nothing was configured, the demo server stands in.
	UsesDemo bool
}

// Workspace is open until Close.
type Workspace struct {
	// unexported
}

// Open reads the configuration and starts servers in the background; it
// returns at once.
func Open(ctx context.Context, o Options) *Workspace { panic("not built") }

// Snapshot is the present state: an immutable value, cheap to get.
func (w *Workspace) Snapshot() *Snapshot { panic("not built") }

// Settled waits until every startable server has connected or failed once.
func (w *Workspace) Settled(ctx context.Context) error { panic("not built") }

// Reconfigure reads everything again, with new editor settings when given.
func (w *Workspace) Reconfigure(editor, editorWorkspace jsontext.Value, folders []string) {
	panic("not built")
}

// Pending are servers of workspace files that nobody has decided on (TRUST-1).
func (w *Workspace) Pending() []config.Server { panic("not built") }

// Approve stores a person's decision on the server with that name and hash; an
// error when the definition has changed meanwhile.
func (w *Workspace) Approve(name, hash string, approve bool) error { panic("not built") }

// Restart restarts one server.
func (w *Workspace) Restart(name string) error { panic("not built") }

// Runner runs scripts on this workspace.
func (w *Workspace) Runner() *exec.Runner { panic("not built") }

// Rules is where rules are kept.
func (w *Workspace) Rules() *permission.Store { panic("not built") }

// Close ends runs, servers and children, and waits for them.
func (w *Workspace) Close() { panic("not built") }
