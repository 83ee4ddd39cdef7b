package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"codemode-ls/analysis/overview"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/sandbox/guest"
	"codemode-ls/script"
	"codemode-ls/upstream"
	"codemode-ls/workspace"
)

type doctorCommand struct{}

func (doctorCommand) Help() string {
	return `Tries each part for real: folders, the sandbox, the TypeScript engine, the demo server with a run through it, and the
MCP servers that are configured here.

Examples:
  codemode-ls doctor
  codemode-ls doctor --workspace ~/project
  codemode-ls doctor --server 'fs=npx -y @modelcontextprotocol/server-filesystem .'

Exit codes: 0 nothing fails, 1 something does (its line starts with FAIL).`
}

func (doctorCommand) Run(a *app) error {
	failed := false
	say := func(ok bool, what, detail string) {
		mark := "ok   "
		if !ok {
			mark, failed = "FAIL ", true
		}
		fmt.Fprintf(a.stdout, "%s %s: %s\n", mark, what, printable(detail))
	}

	fmt.Fprintln(a.stdout, "codemode-ls", version())
	userDir, cacheDir, err := directories()
	if err != nil {
		say(false, "folders", err.Error())
	} else {
		for _, folder := range []struct{ what, dir, without, variable string }{
			{"configuration", userDir, "approvals and permanent permissions cannot be kept", "XDG_CONFIG_HOME"},
			{"cache", cacheDir, "known tools and long results cannot be kept", "XDG_CACHE_HOME"},
		} {
			if err := writable(folder.dir); err != nil {
				say(false, folder.what, fmt.Sprintf("%v; %s: make it writable or set %s", err, folder.without, folder.variable))
			} else {
				say(true, folder.what, folder.dir)
			}
		}
	}

	applied, missing := guest.Hardening()
	for _, h := range applied {
		say(true, "sandbox", h)
	}
	for _, m := range missing {
		fmt.Fprintf(a.stdout, "note  sandbox: not here: %s\n", m)
	}

	ctx, cancel := context.WithTimeout(a.ctx, 30*time.Second)
	defer cancel()
	checker := newChecker(a.log)
	defer checker.Close()
	a.quietDemo = true
	w, err := a.open(needs{every: true}, func(o *workspace.Options) {
		// The demo server alone, whatever is configured here.
		o.Sources, o.Recordings = config.Sources{}, nil
		o.WarmSandboxes = 1
	})
	if err != nil {
		say(false, "demo server", err.Error())
		return &exitError{exitFailed, nil}
	}
	defer w.Close()
	pool := w.Snapshot().Catalog
	say(len(pool.Tools()) > 0, "demo server", fmt.Sprintf("%d tools", len(pool.Tools())))

	start := time.Now()
	_, err = checker.Check(ctx, script.Read("const x: number = 1;\nreturn x"), script.TypeScript, pool)
	say(err == nil, "TypeScript engine", outcome(err, time.Since(start)))

	start = time.Now()
	r := w.Runner().Run(ctx, exec.Request{Code: "return await tools.mcp__demo__add({ a: 1, b: 2 })", Language: script.TypeScript, Check: "off"})
	err = nil
	if r.Status != exec.Completed {
		err = fmt.Errorf("%s", r.Text)
	}
	say(err == nil, "a script on the demo server", outcome(err, time.Since(start)))
	if err := a.examineServers(ctx, say); err != nil {
		say(false, "configured servers", err.Error())
	}
	if failed {
		return &exitError{exitFailed, nil}
	}
	return nil
}

// writable tries to write to a folder, which it makes when there is none.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".doctor.*.tmp")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// examineServers starts the configured servers and says how each fares.
func (a *app) examineServers(ctx context.Context, say func(ok bool, what, detail string)) error {
	o, err := a.options()
	if err != nil {
		return err
	}
	w := workspace.Open(ctx, o)
	defer w.Close()
	a.force.set(w.Kill)
	err = w.Settled(ctx)
	if a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	s := w.Snapshot()
	for _, f := range s.Config.Findings {
		place := ""
		if f.File != "" {
			place = fmt.Sprintf("%s:%d:%d: ", f.File, f.StartLine+1, f.StartColumn+1)
		}
		if f.Severity == "error" {
			say(false, "configuration", place+f.Message)
		} else {
			fmt.Fprintf(a.stdout, "note  configuration: %s\n", printable(place+f.Message))
		}
	}
	for _, p := range s.Problems {
		say(false, "permissions", fmt.Sprintf("%s%s; until you fix it, every call asks for permission", problemPlace(p), p.Message))
	}
	switch {
	case len(s.Servers) > 0:
	case hasErrors(s.Config):
		fmt.Fprintln(a.stdout, "note  servers: none can be used; commands end with exit code 3 until you fix the configuration")
	default:
		fmt.Fprintln(a.stdout, "note  servers: none is configured; commands use the demo server")
	}
	list := overview.Servers(s)
	for i, st := range s.Servers {
		what := "server " + printable(st.Server.Name)
		switch st.State {
		case upstream.Connected:
			kind := ""
			if st.CodeMode {
				kind = ", a code-mode server itself"
			}
			say(true, what, fmt.Sprintf("%d tools%s", st.Tools, kind))
		case upstream.Stopped:
			state := "switched off"
			if st.Self {
				state = "codemode-ls itself, so it is not connected"
			}
			fmt.Fprintf(a.stdout, "note  %s: %s\n", what, state)
		case upstream.Untrusted:
			state := "waits for your approval"
			if st.Refused {
				state = "was refused; to approve it after all"
			}
			fmt.Fprintf(a.stdout, "note  %s: of %s, %s: codemode-ls trust allow %s\n", what, printable(st.Server.File), state, shellWord(printable(st.Server.Name)))
		case upstream.Failed:
			detail := st.Error
			if last := upstream.TellingLine(st.Stderr); last != "" && !strings.Contains(detail, last) {
				detail += "; it said: " + last
			}
			say(false, what, detail)
		default:
			say(false, what, "has not started in time")
		}
		for _, note := range slices.Concat(list[i].Faults, list[i].Problems) {
			fmt.Fprintf(a.stdout, "note  %s: %s\n", what, printable(note))
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil // the servers that have not started are named
	}
	return err
}

func outcome(err error, took time.Duration) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("works (%d ms)", took.Milliseconds())
}
