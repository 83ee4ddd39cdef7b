package main

import "codemode-ls/internal/demo"

type demoCommand struct{}

func (demoCommand) Help() string {
	return `An MCP server with a few harmless tools, for trying things out.

Examples:
  codemode-ls catalog --server 'demo=codemode-ls demo'`
}

func (demoCommand) Run(a *app) error { return demo.Serve(a.ctx, a.stdin, a.stdout) }
