package main

import (
	"context"
	"os"
	"sync"

	"codemode-ls/catalog"
	"codemode-ls/gateway"
	"codemode-ls/internal/telemetry"
	"codemode-ls/upstream"
)

type mcpCommand struct {
	Serve mcpServeCommand `cmd:"" default:"withargs" help:"Be an MCP server on standard input and output, or on HTTP: Code Mode for any agent."`
}

type mcpServeCommand struct {
	Allow []string `help:"Rule: calls that need no question, such as 'mcp__github__*'. Repeatable." placeholder:"RULE" sep:"none"`
	Deny  []string `help:"Rule: calls that must not happen. Repeatable." placeholder:"RULE" sep:"none"`
	Mode  string   `help:"What the agent is offered: the tool Exec (code), the MCP tools themselves (native), or both." enum:"code,exec,both,native" default:"code"`
}

func (mcpServeCommand) Help() string {
	return `An agent starts this as an MCP server. It gets one tool, Exec, which runs scripts that call the MCP tools of the workspace, by the same
configuration and the same rules as every other command. Calls that need a person's permission are asked for in the agent, where it can show a
form; else the rules alone decide. docs/agents.md has the configuration of each agent.

Examples:
  codemode-ls mcp
  codemode-ls mcp --server 'fs=npx -y @modelcontextprotocol/server-filesystem .' --allow 'mcp__fs__read_*'
  codemode-ls mcp --mode both --workspace ~/project`
}

func (c *mcpServeCommand) Run(a *app) error {
	if err := validRules(c.Allow, c.Deny); err != nil {
		return err
	}
	o, err := a.options()
	if err != nil {
		return err
	}
	checker := newChecker(a.log)
	defer checker.Close()
	o.Allow, o.Deny, o.Check, o.WarmSandboxes = c.Allow, c.Deny, checker, 1
	if os.Getenv(upstream.StartedBy) != "" {
		// Another codemode-ls found its own gateway in some client's configuration; that it
		// is itself, it sees by the name that this one answers with (MCP-8).
		a.log.Warn("started by codemode-ls itself: no MCP server is started")
		o.Offline = true
	}
	o.Tracer = telemetry.FromEnvironment(nil, o.Version, a.log)
	host := gateway.OpenLocal(a.ctx, o)
	defer host.Close()
	a.force.set(host.Workspace().Kill)

	// What a person should know goes to standard error, which agents keep in their logs.
	ctx, cancel := context.WithCancel(a.ctx)
	var reporting sync.WaitGroup
	defer reporting.Wait()
	defer cancel()
	reporting.Go(func() {
		if host.Workspace().Settled(ctx) == nil {
			_ = a.report(host.Workspace()) // a gateway with nothing to offer is one all the same
		}
	})
	g := gateway.New(gateway.Options{Host: host, Mode: c.mode(), Version: version(), Log: a.log})
	defer g.Close()
	return g.Serve(a.ctx, a.stdin, a.stdout)
}

func (c *mcpServeCommand) mode() catalog.Mode {
	if c.Mode == "exec" {
		return catalog.CodeMode
	}
	return catalog.Mode(c.Mode)
}
