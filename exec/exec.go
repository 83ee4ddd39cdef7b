package exec

import (
	"context"

	"codemode-ls/catalog"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/script"
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
	Note    string        `json:"note,omitzero"` // why a hook has a person asked
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

// Models runs models that the editor offers. Model must honour ctx; an error is
// a model that could not be reached, which a script sees as a stopReason.
type Models interface {
	Model(ctx context.Context, q ModelRequest) (ModelAnswer, error)
}

// ModelRequest asks for a list of models, or for the work of one. Operation is
// "list", "classify" (Text and Labels) or "generate" (Prompt).
type ModelRequest struct {
	RunID        string   `json:"runId"`
	URI          string   `json:"uri,omitzero"` // of the script, when it is a document
	Operation    string   `json:"operation"`
	Model        string   `json:"model,omitzero"` // id of a listed model; the editor chooses when it is absent
	Text         string   `json:"text,omitzero"`
	Labels       []string `json:"labels,omitzero"`       // the answer is one of them
	Instructions string   `json:"instructions,omitzero"` // what the labels mean
	Prompt       string   `json:"prompt,omitzero"`
	System       string   `json:"system,omitzero"`
	MaxTokens    int      `json:"maxTokens,omitzero"` // of the answer; 0: the editor's limit
}

// ModelAnswer answers a ModelRequest: Models for "list", Label for "classify",
// Text for "generate".
type ModelAnswer struct {
	Models []Model `json:"models,omitzero"`
	Label  string  `json:"label,omitzero"`
	Text   string  `json:"text,omitzero"`
	// StopReason is "stop" when the model ended on its own (the default), "length"
	// when it wrote all that it may, "error" when it failed; others are passed on.
	StopReason   string      `json:"stopReason,omitzero"`
	ErrorMessage string      `json:"errorMessage,omitzero"`
	Usage        *ModelUsage `json:"usage,omitzero"`
}

// Model is one model that the editor offers.
type Model struct {
	ID          string `json:"id"`
	Name        string `json:"name,omitzero"`
	Description string `json:"description,omitzero"`
}

// LoopOffer comes with the second and every later question about the same tool in
// a run: an answer may then have the scope "loop".
type LoopOffer struct {
	// Asked is how many questions about this tool the run has brought, this one
	// included.
	Asked int `json:"asked"`
	// Suggestions are conditions that this call and the one asked for before it
	// meet.
	Suggestions []permission.Condition `json:"suggestions"`
}
