package lsp

import (
	"context"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/exec/audit"
	"codemode-ls/exec/cassette"
	"codemode-ls/permission"
	"codemode-ls/upstream/oauth"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

// opened is what the server needs of an open workspace: *workspace.Workspace,
// or a test's own.
type opened interface {
	Snapshot() *workspace.Snapshot
	Reconfigure(settings settings, folders []string)
	Pending() []config.Server
	Approve(name, hash string, approve bool) error
	ApproveHook(hash string, approve bool) error
	ApproveScript(hash string, approve bool) error
	Declarations(ctx context.Context, mode catalog.Mode, disallowed []string) (catalog.AgentTools, error)
	RefuseAll() error
	Restart(name string) error
	SignIn(ctx context.Context, name string, scopes []string, b oauth.Browser) error
	SignOut(ctx context.Context, name string) (bool, error)
	Recalled(ctx context.Context) error
	Decisions(n int) ([]audit.Entry, error)
	Refresh()
	Runner() runner
	Record(path string) (*workspace.Recording, error)
	Replay(path string) (*cassette.Player, error)
	Rules() ruleStore
	Close()
}

type runner interface {
	Run(ctx context.Context, q exec.Request) *exec.Result
	CallDirect(ctx context.Context, q exec.DirectRequest) []exec.CallResult
	Cancel(runID string) bool
	Runs(limit int) []exec.RunSummary
	Find(runID string) (result *exec.Result, code string, ok bool)
	Value(runID string) (value jsontext.Value, ok bool)
}

type ruleStore interface {
	Rules() *permission.Rules
	Set(layer permission.Layer, effect permission.Effect, match string) error
}

// realWorkspace is the product's own.
type realWorkspace struct{ *workspace.Workspace }

func (w realWorkspace) Reconfigure(s settings, folders []string) {
	w.Workspace.Reconfigure(s.Editor, s.EditorWorkspace, folders)
}

func (w realWorkspace) Runner() runner { return w.Workspace.Runner() }

func (w realWorkspace) Rules() ruleStore { return w.Workspace.Rules() }

func openWorkspace(ctx context.Context, o workspace.Options) opened {
	return realWorkspace{workspace.Open(ctx, o)}
}
