package gateway

import (
	"context"

	"codemode-ls/catalog"
	"codemode-ls/exec"

	"github.com/go-json-experiment/json/jsontext"
)

// A Host runs what agents ask for: a workspace of this process (OpenLocal), or the
// server of an editor.
type Host interface {
	// Offer is what an agent is shown at this moment. Shortly after a start it waits,
	// for a bounded time, for servers that are connecting: many agents list tools once.
	Offer(ctx context.Context, mode catalog.Mode) (*Offer, error)
	// Announce says what a conversation with these markers has to hear about the
	// pool; nil is nothing.
	Announce(ctx context.Context, markers []jsontext.Value) (*catalog.Announcement, error)
	// Exec runs a script and waits for its end.
	Exec(ctx context.Context, r Run) (*exec.Result, error)
	// Call makes one direct call.
	Call(ctx context.Context, c Call) (*exec.CallResult, error)
	// Asks says who answers questions when that is not the agent's person: words such
	// as "the editor"; "" leaves it to Caller.Asker.
	Asks() string
	// Watch calls changed after each change of what is offered, until ctx ends.
	Watch(ctx context.Context, changed func())
	Close()
}

// Offer is what an agent is shown of the pool.
type Offer struct {
	Mode    catalog.Mode // that applies: without Exec the tools are flat
	Tools   []catalog.AgentTool
	Catalog string // within its budget
	Summary string // within a small one
	// Pending are the servers that are still connecting.
	Pending []string
}

// Caller is on whose behalf something runs.
type Caller struct {
	Agent   string     // its name, a claim
	Session string     // whose stored values a script sees
	Asker   exec.Asker // who is asked unless the host asks; nil is nobody
	Events  func(exec.Event)
}

// Run is one script.
type Run struct {
	Caller
	Code string
}

// Call is one direct call.
type Call struct {
	Caller
	Mode      catalog.Mode
	Name      string
	Arguments jsontext.Value
}
