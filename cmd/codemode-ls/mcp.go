package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"codemode-ls/catalog"
	"codemode-ls/gateway"
	"codemode-ls/internal/telemetry"
	"codemode-ls/upstream"
)

type mcpCommand struct {
	Serve mcpServeCommand `cmd:"" default:"withargs" help:"Serve Code Mode to an agent, as an MCP server on standard input and output or on HTTP."`

	Install   mcpInstallCommand   `cmd:"" help:"Write the gateway into the configuration of an agent or editor."`
	Uninstall mcpUninstallCommand `cmd:"" help:"Remove the gateway from it, and restore what install changed."`
}

func (mcpCommand) Help() string {
	return `Gives agents outside of the editor one tool, Exec, with this program's catalog, rules and servers (docs/agents.md).

Examples:
  codemode-ls mcp install --client claude-code
  codemode-ls mcp --allow 'mcp__fs__read_*'`
}

type mcpServeCommand struct {
	Allow []string `help:"Rule: calls to allow without asking, such as 'mcp__github__*'. Repeatable." placeholder:"RULE" sep:"none"`
	Deny  []string `help:"Rule: calls to deny. Repeatable." placeholder:"RULE" sep:"none"`
	Mode  string   `help:"What the agent is offered: the tool Exec (code), the MCP tools themselves (native), or both." enum:"code,exec,both,native" default:"code"`
	Alone bool     `help:"Stay apart from an editor that has the workspace open. So does a gateway with --server, --tools, --config, --allow or --deny."`
	HTTP  string   `name:"http" help:"Serve streamable HTTP on this address instead, such as 127.0.0.1:7341. Loopback when only :PORT is given." placeholder:"ADDR"`
	// A token on a command line would be in the list of processes.
	TokenFile string   `help:"File with the bearer token that clients of --http must send. Default: one that only you can read, created when it is missing." placeholder:"FILE" type:"path"`
	Host      []string `help:"Name that clients of --http may call this server by, besides localhost. Repeatable." placeholder:"NAME"`
}

func (mcpServeCommand) Help() string {
	return `An agent starts this as an MCP server. It gets one tool, Exec, which runs scripts that call the MCP tools of the workspace, by the same
configuration and the same rules as every other command. While an editor with codemode-ls has the workspace open, the gateway uses the editor's
servers, and the person there is asked and sees what runs. Without one, the agent asks where it can show a form; else the rules alone decide. docs/agents.md has the configuration of each agent.

Examples:
  codemode-ls mcp
  codemode-ls mcp --server 'fs=npx -y @modelcontextprotocol/server-filesystem .' --allow 'mcp__fs__read_*'
  codemode-ls mcp --mode both --workspace ~/project
  codemode-ls mcp --http 127.0.0.1:7341`
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
	alone := c.Alone || len(a.Server)+len(a.Tools)+len(c.Allow)+len(c.Deny) > 0 || a.Config != ""
	if os.Getenv(upstream.StartedBy) != "" {
		// Another codemode-ls found its own gateway in some client's configuration; that it
		// is itself, it sees by the name that this one answers with (MCP-8).
		a.log.Warn("started by codemode-ls itself: no MCP server is started")
		o.Offline, alone = true, true
	}
	// What a person should know goes to standard error, which agents keep in their logs.
	ctx, cancel := context.WithCancel(a.ctx)
	var reporting sync.WaitGroup
	defer reporting.Wait()
	defer cancel()
	open := func() *gateway.Local {
		o := o
		o.Tracer = telemetry.FromEnvironment(nil, o.Version, a.log)
		l := gateway.OpenLocal(a.ctx, o)
		a.force.set(l.Workspace().Kill)
		reporting.Go(func() {
			if l.Workspace().Settled(ctx) == nil {
				_ = a.report(l.Workspace(), needs{every: true}) // a gateway with nothing to offer is one all the same
				for _, s := range l.Workspace().Snapshot().UndecidedScripts {
					fmt.Fprintf(a.stderr, "the script %s waits for your approval as a tool: codemode-ls trust show %s; codemode-ls trust allow %[2]s\n",
						printable(s.File), s.Name())
				}
			}
		})
		return l
	}
	var host gateway.Host
	if alone {
		host = open()
	} else {
		host = gateway.Follow(a.ctx, o.Sources.Folders[0], open, 0)
	}
	defer host.Close()
	g := gateway.New(gateway.Options{Host: host, Mode: c.mode(), Version: version(), Log: a.log})
	defer g.Close()
	if c.HTTP == "" {
		return g.Serve(a.ctx, a.stdin, a.stdout)
	}
	return c.serveHTTP(a, g, o.Sources.UserDir)
}

func (c *mcpServeCommand) serveHTTP(a *app, g *gateway.Gateway, userDir string) error {
	host, port, err := net.SplitHostPort(c.HTTP)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("--http %s is not an address such as 127.0.0.1:7341: %w", c.HTTP, err)}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	path := c.TokenFile
	if path == "" {
		path = filepath.Join(userDir, "gateway-token")
	}
	token, err := gatewayToken(path, c.TokenFile == "")
	if err != nil {
		return &exitError{exitConfiguration, err}
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	fmt.Fprintf(a.stderr, "listening on http://%s%s\nClients send the token of %s: Authorization: Bearer …\n", l.Addr(), gateway.Endpoint, printable(path))
	hosts := c.Host
	if ip := net.ParseIP(host); ip != nil && !ip.IsUnspecified() || ip == nil {
		hosts = append(hosts, host)
	}
	return g.ServeHTTP(a.ctx, l, gateway.HTTPOptions{Token: token, Hosts: hosts})
}

// gatewayToken reads the token of a file, and makes one when there is none and it may.
func gatewayToken(path string, create bool) (string, error) {
	data, err := os.ReadFile(path)
	if create && errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", fmt.Errorf("keeping the gateway's token: %w", err)
		}
		// Whoever creates it first decides.
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = f.WriteString(rand.Text() + "\n")
			err = errors.Join(err, f.Close())
		}
		if err != nil && !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("keeping the gateway's token: %w", err)
		}
		data, err = os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("reading the gateway's token: %w", err)
		}
	} else if err != nil {
		return "", fmt.Errorf("reading the gateway's token: %w", err)
	}
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others can read the gateway's token: chmod 600 %s", path)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < 16 {
		return "", fmt.Errorf("the token in %s is shorter than 16 characters; delete the file for a new one", path)
	}
	return token, nil
}

func (c *mcpServeCommand) mode() catalog.Mode {
	if c.Mode == "exec" {
		return catalog.CodeMode
	}
	return catalog.Mode(c.Mode)
}
