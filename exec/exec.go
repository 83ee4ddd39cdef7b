package exec

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec/audit"
	"codemode-ls/exec/cassette"
	"codemode-ls/internal/redact"
	"codemode-ls/internal/telemetry"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/script"
	"codemode-ls/typegen/seen"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// Caller reaches MCP servers; *upstream.Set is one. It must call c.Sent as soon
// as no later call can overtake this one: the next call starts then (SCHED-1).
type Caller interface {
	Call(ctx context.Context, c upstream.Call) (*upstream.Result, error)
}

// Sandbox runs scripts; *sandbox.Pool is one.
type Sandbox interface {
	Run(ctx context.Context, r sandbox.Request, h sandbox.Host) sandbox.Outcome
}

// Rules decides and remembers; *permission.Store is one.
type Rules interface {
	Rules() *permission.Rules
	Set(layer permission.Layer, effect permission.Effect, match string) error
	// Pin keeps tools as they are; Was is a tool that has changed since, as it was.
	Pin(first bool, list ...permission.Pin) error
	Was(leaf string) (text string, changed bool)
	// Watch calls changed at once and after each change until ctx ends.
	Watch(ctx context.Context, changed func())
}

// Asker asks a person (PERM-6, PERM-7). Ask is called for one question at a
// time. It returns when the person has answered, or an error when there is
// nobody to ask, which is a denial with these words. It must honour ctx.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Question is what a person is shown.
type Question struct {
	ID          string         `json:"id"` // random, used once (PERM-13)
	RunID       string         `json:"runId"`
	Tool        string         `json:"tool"` // full name
	Server      string         `json:"server"`
	Title       string         `json:"title,omitzero"`
	Description string         `json:"description,omitzero"`
	Annotations jsontext.Value `json:"annotations,omitzero"`
	Arguments   jsontext.Value `json:"arguments"` // exactly the bytes that will be sent (PERM-5)
	// ArgumentsText is Arguments as text, for prompts: many JSON readers round
	// numbers and lose the order of members. Only codemode/permission has it.
	ArgumentsText string `json:"argumentsText"`
	Call          int    `json:"call"` // index of the call in its run, as in CallRecord
	// Agent is on whose behalf the script runs, a claim; "" is the person who is asked.
	Agent   string        `json:"agent,omitzero"`
	URI     string        `json:"uri,omitzero"`
	Range   *script.Range `json:"range,omitzero"`
	Waiting int           `json:"waiting"`       // how many more questions wait behind this one
	Note    string        `json:"note,omitzero"` // why a hook wants this to be asked
	// Changed is there when the server has changed the tool since the person allowed it
	// or approved the server: how, line by line.
	Changed string `json:"changed,omitzero"`
	// Loop is there when the script calls this tool again and again: the scope
	// "loop" makes sense (PERM-12).
	Loop *LoopOffer `json:"loop,omitzero"`
}

// Decision of a person on a call.
type Decision string

const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
)

// Scope is how far an answer reaches, "once" unless it says so. A denial in a loop is for once.
type Scope string

const (
	Once         Scope = "once" // the default
	ForRun       Scope = "run"
	ForSession   Scope = "session"
	ForWorkspace Scope = "workspace"
	ForUser      Scope = "user"
	ForLoop      Scope = "loop" // calls of the same tool in the same run, as Answer says
)

// known is the scope, or Once for one that does not exist: it must not reach further
// than anybody has said.
func (s Scope) known() Scope {
	switch s {
	case ForRun, ForSession, ForWorkspace, ForUser, ForLoop:
		return s
	}
	return Once
}

// Answer of a person. With the scope "loop" it is for as many calls as Calls says,
// this one included, those that meet While, or both.
type Answer struct {
	Decision Decision              `json:"decision"`
	Scope    Scope                 `json:"scope,omitzero"`
	Stop     bool                  `json:"stop,omitzero"`
	Reason   string                `json:"reason,omitzero"`
	Calls    int                   `json:"calls,omitzero"`
	While    *permission.Condition `json:"while,omitzero"`
}

// Checker reads the types of a script against a pool's declarations before it runs.
type Checker interface {
	Check(ctx context.Context, source *script.Source, l script.Language, c *catalog.Catalog) ([]Diagnostic, error)
	// Contract is what the script takes and returns, as its types say (EXEC-18).
	Contract(ctx context.Context, source *script.Source, l script.Language, c *catalog.Catalog) (*script.Contract, error)
}

// Runner runs scripts. Its fields are set once, before the first run.
type Runner struct {
	Sandbox Sandbox
	Caller  Caller
	Rules   Rules
	Check   Checker // nil: no check
	// Pool is the pool of this moment (POOL-3, EXEC-6).
	Pool func() *catalog.Catalog
	// Await is for the full name of a tool that the pool does not have, or only from
	// last time (LSP-1, MCP-5). wait is there when its server connects or is about to
	// be started again: it waits for that, for a bounded time. Errors, also those of
	// wait, say in words what has become of the server. upstream.Set.Await is one; nil
	// knows of none.
	Await func(fullName string) (wait func(context.Context) error, unavailable error)
	// Limits are the configured limits of this moment.
	Limits func() config.Limits
	// ReadOnlyAllowed says whether a person has chosen to trust the read-only
	// annotations of a server (PERM-9); nil: of none.
	ReadOnlyAllowed func(server string) bool
	// ToolTimeout is how long a call of a tool may take (the setting
	// mcp.toolTimeoutMs), 0 for Limits' CallTimeout; nil: of none.
	ToolTimeout func(*catalog.Tool) time.Duration
	// Together says whether a person has turned SCHED-1 off for a server (the
	// setting exec.concurrency); nil: for none.
	Together func(server string) bool
	// Folders are the workspace's folders of this moment, absolute paths: what
	// scripts may read when the pool offers files. nil: none.
	Folders func() []string
	// ScratchDir holds a folder for each session, where scripts may write when the
	// pool offers files; "" is none.
	ScratchDir string
	// Observe is told of every result of a tool that declares no output and did not
	// fail; nil: nobody. It must be quick.
	Observe func(t *catalog.Tool, r seen.Result)
	// ArtifactDir holds what is too long for a result; "" keeps nothing.
	ArtifactDir string
	Log         *slog.Logger
	// Hooks are the commands around calls that may run at this moment (HOOK-1); nil:
	// none. They run in the first of Folders.
	Hooks func() []config.Hook
	// Audit takes in every decision (PERM-11), Tracer spans (OBS-3), Redact knows what
	// no result, event or log may show (OBS-4). Each may be nil.
	Audit  *audit.Log
	Tracer *telemetry.Tracer
	Redact *redact.Redactor

	artifacts   artifacts
	questions   questions
	sessions    sessions
	history     history
	afterwards  afterwards
	turnsOnce   sync.Once
	scratchOnce sync.Once     // cleans what earlier sessions have left
	turns       chan struct{} // of requests to models
}

// Request is one run.
type Request struct {
	Code            string
	URI             string // of the document, when it has one
	Language        script.Language
	Input           jsontext.Value // what the script is given; nil for nothing
	SessionID       string         // "" is "default"
	TimeoutMs       int            // 0: the setting
	ActiveMs        int
	MaxToolCalls    int
	MaxOutputTokens int
	Check           string // "off", "hint" (default) or "error"
	DryRun          bool
	// WholeValue keeps a value in the result that is too long for its text, which
	// otherwise is in the artifact alone (BUD-9).
	WholeValue bool
	// Record, when set, takes in the calls of the run; Replay answers them, so
	// that no server hears of one and nobody is asked (REC-1). At most one of
	// DryRun, Record and Replay is set.
	Record *cassette.Recorder
	Replay *cassette.Player
	// Asker is who is asked; nil denies ("no permission client is configured").
	Asker Asker
	// Person is whom Asker asks: one is asked one question at a time, and waits for no
	// other. "" is the one at the editor or terminal.
	Person string
	// Models runs models for the script; nil: there are none.
	Models Models
	// Events, when set, receives what happens, in order. It must not block.
	Events func(Event)
}
