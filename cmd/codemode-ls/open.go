package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"codemode-ls/config"
	"codemode-ls/upstream"
	"codemode-ls/workspace"
)

// directories are where this program keeps what is the user's.
func directories() (userDir, cacheDir string, err error) {
	userDir, err = os.UserConfigDir()
	if err != nil {
		return "", "", &exitError{exitConfiguration, fmt.Errorf("no configuration directory: %w", err)}
	}
	cacheDir, err = os.UserCacheDir()
	if err != nil {
		return "", "", &exitError{exitConfiguration, fmt.Errorf("no cache directory: %w", err)}
	}
	return filepath.Join(userDir, "codemode-ls"), filepath.Join(cacheDir, "codemode-ls"), nil
}

// folder is the workspace's folder, absolute.
func (a *app) folder() (string, error) {
	dir := a.Workspace
	if dir == "" {
		dir = "."
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", &exitError{exitUsage, fmt.Errorf("--workspace %s is not a folder", dir)}
	}
	return dir, nil
}

// options are the workspace's options as far as the flags say them.
func (a *app) options() (workspace.Options, error) {
	dir, err := a.folder()
	if err != nil {
		return workspace.Options{}, err
	}
	userDir, cacheDir, err := directories()
	if err != nil {
		return workspace.Options{}, err
	}
	return workspace.Options{
		Sources: config.Sources{
			Flags: a.Server, File: a.Config, Folders: []string{dir}, UserDir: userDir,
		},
		Recordings: a.Tools,
		CacheDir:   cacheDir,
		Log:        a.log,
		Version:    version(),
	}, nil
}

// open opens the workspace, waits until its servers have answered or failed, and
// says on standard error what a person should know. The caller closes it.
func (a *app) open(change func(*workspace.Options)) (*workspace.Workspace, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	o.DemoWhenEmpty = true
	if change != nil {
		change(&o)
	}
	w := workspace.Open(a.ctx, o)
	if err := w.Settled(a.ctx); err != nil {
		w.Close()
		if errors.Is(err, context.Canceled) {
			return nil, &exitError{exitInterrupted, errors.New("interrupted while servers were starting")}
		}
		return nil, err
	}
	if err := a.report(w); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// report says what is wrong with the configuration. An error is one that leaves
// nothing to work with.
func (a *app) report(w *workspace.Workspace) error {
	s := w.Snapshot()
	broken := false
	for _, f := range s.Config.Findings {
		fmt.Fprintf(a.stderr, "%s:%d:%d: %s: %s\n", printable(f.File), f.StartLine+1, f.StartColumn+1, f.Severity, printable(f.Message))
		broken = broken || f.Severity == "error"
	}
	for _, p := range s.Problems {
		fmt.Fprintf(a.stderr, "%s:%d:%d: error: %s\n", printable(p.File), p.Range.Start.Line+1, p.Range.Start.Character+1, printable(p.Message))
	}
	if s.UsesDemo {
		fmt.Fprintln(a.stderr, "No MCP server is configured: using the built-in demo server (its tools are harmless).")
	}
	for _, st := range s.Servers {
		switch st.State {
		case upstream.Failed:
			fmt.Fprintf(a.stderr, "server %s failed: %s\n", printable(st.Server.Name), printable(st.Error))
		case upstream.Untrusted:
			fmt.Fprintf(a.stderr, "server %s of %s waits for your approval: codemode-ls trust allow %s\n",
				printable(st.Server.Name), printable(st.Server.File), printable(st.Server.Name))
		}
	}
	for _, c := range s.Catalog.Conflicts() {
		fmt.Fprintf(a.stderr, "%s is offered by %s and by %s; the first one keeps the name\n", printable(c.Name), printable(c.Kept), printable(c.Dropped))
	}
	if broken && len(s.Catalog.Tools()) == 0 {
		return &exitError{exitConfiguration, nil}
	}
	return nil
}
