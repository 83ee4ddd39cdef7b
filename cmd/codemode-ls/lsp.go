package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"codemode-ls/internal/telemetry"
	"codemode-ls/lsp"
	"codemode-ls/typescript"
	"codemode-ls/workspace"
)

type lspCommand struct {
	Stdio bool   `help:"Speak on standard input and output (the default)." xor:"where"`
	Port  int    `help:"Connect to an editor that listens on this loopback port." placeholder:"N" xor:"where"`
	Pipe  string `help:"Connect to an editor that listens on this socket." placeholder:"PATH" xor:"where"`
	// Listen is a path and no port: who may connect may start programs, and only a
	// file has an owner.
	Listen     string `help:"Listen on this socket, which only you can open, and serve every editor's window that connects." placeholder:"PATH" xor:"where"`
	Restricted bool   `help:"Start no MCP server and run no script: for a workspace that nobody has vouched for."`
}

func (lspCommand) Help() string {
	return `Editors start this by themselves; see the README for their configuration.

Examples:
  codemode-ls lsp
  codemode-ls lsp --listen ~/.cache/codemode-ls.sock
  codemode-ls lsp --server 'fs=npx -y @modelcontextprotocol/server-filesystem .'`
}

func (c *lspCommand) Run(a *app) error {
	o, err := a.options()
	if err != nil {
		return err
	}
	// The folders are the client's to say, in initialize.
	o.Sources.Folders = nil
	o.WarmSandboxes = 1
	if c.Restricted {
		o.Restricted, o.WarmSandboxes = true, 0
	}
	options := lsp.Options{
		Workspace:  o,
		Session:    func(o *workspace.Options) { o.Tracer = telemetry.FromEnvironment(nil, o.Version, a.log) },
		TypeScript: func() *typescript.Engine { return typescript.New(typescript.Options{Log: a.log, OnDemand: true}) },
		UserDir:    o.Sources.UserDir,
		Agents:     true,
		CacheDir:   o.CacheDir,
		Version:    version(),
		Log:        a.log,
	}
	if c.Listen != "" {
		l, err := listen(c.Listen)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stderr, "listening on %s\n", printable(c.Listen))
		return lsp.ServeAll(a.ctx, l, options)
	}
	wire, err := c.connect(a)
	if err != nil {
		return err
	}
	if code := lsp.Serve(a.ctx, wire, options); code != 0 {
		return &exitError{code, nil}
	}
	return nil
}

// listen makes a socket that the user alone can open. One that a program left
// behind is replaced; one that somebody listens on is not.
func listen(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&os.ModeSocket == 0 {
			return nil, &exitError{exitUsage, fmt.Errorf("--listen %s is there and no socket", path)}
		}
		if conn, err := net.Dial("unix", path); err == nil {
			conn.Close()
			return nil, &exitError{exitUsage, fmt.Errorf("somebody listens on %s already", path)}
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("keeping %s to you: %w", path, err)
	}
	return l, nil
}

// connect opens the wire. As with other language servers, --port and --pipe name
// something that the client listens on.
func (c *lspCommand) connect(a *app) (io.ReadWriteCloser, error) {
	switch {
	case c.Port != 0:
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", fmt.Sprint(c.Port)))
		if err != nil {
			return nil, fmt.Errorf("connecting to the editor: %w", err)
		}
		return conn, nil
	case c.Pipe != "":
		conn, err := net.Dial("unix", c.Pipe)
		if err != nil {
			return nil, fmt.Errorf("connecting to the editor: %w", err)
		}
		return conn, nil
	}
	return standardStreams{a.stdin, a.stdout}, nil
}

// standardStreams is standard input and output as one connection.
type standardStreams struct {
	io.Reader
	io.Writer
}

// Close closes what can be closed. A read that is parked in the kernel stays
// parked; the process ends without it.
func (s standardStreams) Close() error {
	var errs []error
	for _, v := range []any{s.Reader, s.Writer} {
		if c, ok := v.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
