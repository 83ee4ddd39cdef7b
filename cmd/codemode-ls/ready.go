package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/script"
	"codemode-ls/upstream"
	"codemode-ls/workspace"
)

// needs says which servers a command starts and which of them it waits for (CLI-8).
// The zero needs are those of a command that shows the whole pool: the kept lists
// are enough, and only a server that has none is started.
type needs struct {
	every bool // start every server and wait for it
	fresh bool // list the tools again before anything else
	calls bool // the scripts run: start what they use
	some  bool // only what follows is used
	names []string
	// computed: the scripts may use any tool.
	computed bool
}

// needsOf are those of scripts; calls says that they are run.
func needsOf(calls bool, texts ...string) needs {
	n := needs{calls: calls, some: true}
	for _, text := range texts {
		source := script.Read(text).Body()
		for _, u := range source.Uses() {
			if u.Name != script.ReservedNamespace {
				n.names = append(n.names, u.Name)
			}
		}
		n.computed = n.computed || source.Computed()
	}
	return n
}

// uses reports whether a tool of the server is used. A name that no server can own may
// be misspelled: what it should be is in any of the lists.
func (n needs) uses(all []upstream.Status, st upstream.Status) bool {
	if n.every || !n.some || n.computed {
		return true
	}
	for _, name := range n.names {
		owned := false
		for _, other := range all {
			owned = owned || catalog.CanOwn(other.Server.Name, name)
		}
		if catalog.CanOwn(st.Server.Name, name) || !owned && st.Last.Unknown() {
			return true
		}
	}
	return false
}

// ready starts what is needed, and waits for what has to be known first.
func (n needs) ready(ctx context.Context, w *workspace.Workspace) error {
	if err := w.Recalled(ctx); err != nil {
		return err
	}
	all := w.Snapshot().Servers
	start := func(st upstream.Status) bool {
		return n.uses(all, st) && (n.every || n.fresh || n.calls || st.Last.Unknown())
	}
	await := func(st upstream.Status) bool {
		return n.every || n.fresh || st.Last.Unknown() // else a call waits for its own server
	}
	return w.Ready(ctx, start, await)
}

// renewVariable switches the renewal of kept lists in the background off.
const renewVariable = "CODEMODE_LS_RENEW"

// noteStale remembers that kept lists are old, for renewBehind.
func (a *app) noteStale(w *workspace.Workspace) {
	for _, st := range w.Snapshot().Servers {
		a.stale = a.stale || st.State == upstream.Idle && st.Last.Stale()
	}
}

// renewBehind starts a process that lists the tools of all servers again, for the
// next command; it outlives this one (CLI-8).
func (a *app) renewBehind() {
	if !a.stale || os.Getenv(renewVariable) == "off" {
		return
	}
	path, err := os.Executable()
	if err != nil {
		a.log.Debug("kept lists not renewed", "err", err)
		return
	}
	args := []string{os.Args[0], "renew-lists", "--log-level", "error"}
	if a.Config != "" {
		args = append(args, "--config", a.Config)
	}
	if folder, err := a.folder(); err == nil {
		args = append(args, "--workspace", folder)
	}
	for _, s := range a.Server {
		args = append(args, "--server", s)
	}
	if a.ConnectTimeout > 0 {
		args = append(args, "--connect-timeout", a.ConnectTimeout.String())
	}
	renew, err := os.StartProcess(path, args, &os.ProcAttr{Sys: detached()})
	if err != nil {
		a.log.Debug("kept lists not renewed", "err", err)
		return
	}
	if err := renew.Release(); err != nil {
		a.log.Debug("releasing the renewal of kept lists", "err", err)
	}
}

// renewCommand is what renewBehind starts.
type renewCommand struct{}

func (renewCommand) Run(a *app) error {
	o, err := a.options()
	if err != nil {
		return err
	}
	o.OnDemand, o.StateDir = true, ""
	w := workspace.Open(a.ctx, o)
	defer w.Close()
	a.force.set(w.Kill)
	return w.RenewLists(a.ctx)
}

// waitingNotice is how long servers may start before it is shown.
const waitingNotice = 200 * time.Millisecond

// await runs wait, which waits for servers, and shows on a terminal which ones are
// connecting: one of npx may be downloading.
func (a *app) await(w *workspace.Workspace, wait func(context.Context) error) error {
	if !redraws(a.stderr) {
		return wait(a.ctx)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	started := time.Now()
	go func() {
		defer close(stopped)
		clock := time.NewTicker(waitingNotice)
		defer clock.Stop()
		shown := false
		for {
			select {
			case <-stop:
				if shown {
					fmt.Fprint(a.stderr, "\r\x1b[K")
				}
				return
			case <-clock.C:
			}
			if line := connecting(w.Snapshot()); line != "" {
				line = fmt.Sprintf("%s … %ds", line, int(time.Since(started).Seconds()))
				fmt.Fprint(a.stderr, "\r"+cutTo(line, screenWidth(a.stderr)-1)+"\x1b[K")
				shown = true
			}
		}
	}()
	err := wait(a.ctx)
	close(stop)
	<-stopped
	return err
}

// connecting names the servers that are connecting; "" when none is.
func connecting(s *workspace.Snapshot) string {
	var names []string
	for _, st := range s.Servers {
		if st.State == upstream.Connecting {
			names = append(names, oneLine(st.Server.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "connecting to " + listOf(names)
}

// interruptedStart is the error of a wait for servers.
func interruptedStart(err error) error {
	if errors.Is(err, context.Canceled) {
		return &exitError{exitInterrupted, errors.New("interrupted while servers were starting")}
	}
	return err
}

// listOf names a few of the names, and counts the rest.
func listOf(names []string) string {
	const most = 6
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
