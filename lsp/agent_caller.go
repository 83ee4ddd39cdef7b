package lsp

import (
	"context"

	"codemode-ls/exec"
)

// AgentCaller says on whose behalf an agent's request is. Its name is a claim.
type AgentCaller struct {
	Name    string `json:"name"`
	Session string `json:"session"`
}

// agentKey is the key of *agentRun in contexts.
type agentKey struct{}

// agentRun is a request of an agent that runs something.
type agentRun struct {
	name  string
	event func(exec.Event)
}

// agentOf is the agent on whose behalf something runs; nil for the editor's person.
func agentOf(ctx context.Context) *agentRun {
	a, _ := ctx.Value(agentKey{}).(*agentRun)
	return a
}

// agentName is its name as text for display; "" for the editor's person.
func agentName(ctx context.Context) string {
	if a := agentOf(ctx); a != nil {
		return a.name
	}
	return ""
}
