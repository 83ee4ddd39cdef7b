package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"codemode-ls/config"
	"codemode-ls/upstream"
	"codemode-ls/upstream/oauth"
	"codemode-ls/workspace"

	"github.com/cli/browser"
)

type authCommand struct {
	Login  authLogin  `cmd:"" help:"Sign in to an MCP server, in a browser."`
	Logout authLogout `cmd:"" help:"Sign out of an MCP server."`
	Status authStatus `cmd:"" help:"Show which servers require a sign-in, and whether you are signed in."`
}

func (authCommand) Help() string {
	return `A server that requires a sign-in fails until you have signed in. Tokens are kept in the keyring of the operating
system, or else in a file that only you can read, and are renewed automatically.

Examples:
  codemode-ls auth status
  codemode-ls auth login github
  codemode-ls auth login github --scope 'repo read:org'
  codemode-ls auth logout github`
}

type authLogin struct {
	Name      string `arg:"" help:"The configured server."`
	Scope     string `help:"Rights to ask for, separated by blanks, in place of those that the server demands." placeholder:"'S …'"`
	NoBrowser bool   `help:"Only print the address."`
}

func (authLogin) Help() string {
	return `Opens a browser where there is one, and prints the address in any case. Over SSH the browser runs on another machine and cannot come back
to this one: copy the address that it ends at, although it shows an error there, and paste it here.

Examples:
  codemode-ls auth login github
  codemode-ls auth login github --no-browser`
}

func (c *authLogin) Run(a *app) error {
	w, st, err := a.openServer(c.Name)
	if err != nil {
		return err
	}
	defer w.Close()
	switch {
	case c.Scope != "" || st.SignIn:
	case st.State == upstream.Connected:
		if kept, has, err := w.SignInStatus(a.ctx, c.Name); err == nil && has && kept.SignedIn {
			fmt.Fprintf(a.stdout, "You are signed in to %s already.\n", oneLine(c.Name))
		} else {
			fmt.Fprintf(a.stdout, "%s works without a sign-in.\n", oneLine(c.Name))
		}
		return nil
	case st.Error != "":
		return fmt.Errorf("server %s failed: %s", c.Name, st.Error)
	}
	b := oauth.Browser{Show: func(_ context.Context, address, host string) error {
		fmt.Fprintf(a.stderr, "To sign in to %s, open this address of %s in a browser:\n\n  %s\n\n", oneLine(c.Name), oneLine(host), printable(address))
		if !c.NoBrowser && hasBrowser() {
			browser.Stdout, browser.Stderr = io.Discard, io.Discard
			if err := browser.OpenURL(address); err == nil {
				fmt.Fprintln(a.stderr, "A browser was asked to open it.")
			}
		}
		if isTerminal(a.stdin) {
			fmt.Fprintln(a.stderr, "If the browser cannot come back to this machine, paste the address that it ends at here, and press Enter.")
		}
		return nil
	}}
	if isTerminal(a.stdin) {
		b.Pasted = lines(a.stdin)
	}
	var scopes []string
	if c.Scope != "" {
		scopes = strings.Fields(c.Scope)
	}
	if err := w.SignIn(a.ctx, c.Name, scopes, b); err != nil {
		return err
	}
	if err := w.Settled(a.ctx); err != nil {
		return err
	}
	if st, _ = serverNamed(w, c.Name); st.State != upstream.Connected {
		return fmt.Errorf("you are signed in, but server %s failed: %s", c.Name, st.Error)
	}
	fmt.Fprintf(a.stdout, "Signed in to %s. Its tools: %d.\n", oneLine(c.Name), st.Tools)
	return nil
}

// lines are what somebody types. The reader ends with the program: a terminal
// cannot be closed from here.
func lines(from io.Reader) <-chan string {
	typed := make(chan string)
	go func() {
		defer close(typed)
		for scanner := bufio.NewScanner(from); scanner.Scan(); {
			if text := strings.TrimSpace(scanner.Text()); text != "" {
				typed <- text
			}
		}
	}()
	return typed
}

// hasBrowser reports whether a browser that is opened here is seen by whoever types.
func hasBrowser() bool {
	if os.Getenv("SSH_CONNECTION") != "" || os.Getenv("SSH_TTY") != "" {
		return false
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

type authLogout struct {
	Name string `arg:"" help:"The configured server."`
}

func (authLogout) Help() string {
	return `Deletes what was granted, here and, where the server offers it, there.

Examples:
  codemode-ls auth logout github`
}

func (c *authLogout) Run(a *app) error {
	w, err := a.openQuietly(func(o *workspace.Options) { o.Only, o.Restricted = c.Name, true })
	if err != nil {
		return err
	}
	defer w.Close()
	if _, found := serverNamed(w, c.Name); !found {
		return a.unknownServer(c.Name, w)
	}
	was, err := w.SignOut(a.ctx, c.Name)
	switch {
	case err != nil:
		return err
	case was:
		fmt.Fprintf(a.stdout, "Signed out of %s.\n", oneLine(c.Name))
	default:
		fmt.Fprintf(a.stdout, "Nobody was signed in to %s.\n", oneLine(c.Name))
	}
	return nil
}

type authStatus struct {
	Name string `arg:"" optional:"" help:"The configured server; all when it is left out."`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (authStatus) Help() string {
	return `Examples:
  codemode-ls auth status
  codemode-ls auth status github --json`
}

// signInOf is one server in the JSON of auth status.
type signInOf struct {
	Name string `json:"name"`
	oauth.Status
}

func (c *authStatus) Run(a *app) error {
	w, err := a.openQuietly(func(o *workspace.Options) { o.Only, o.Restricted = c.Name, true })
	if err != nil {
		return err
	}
	defer w.Close()
	if _, found := serverNamed(w, c.Name); c.Name != "" && !found {
		return a.unknownServer(c.Name, w)
	}
	list := []signInOf{}
	for _, st := range w.Snapshot().Servers {
		status, has, err := w.SignInStatus(a.ctx, st.Server.Name)
		if err != nil {
			return err
		}
		if has {
			list = append(list, signInOf{st.Server.Name, status})
		}
	}
	if c.JSON {
		return printJSON(a.stdout, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(a.stderr, "There is no server that one could sign in to: none has a \"url\" without its own Authorization header.")
		return nil
	}
	table := newTable("NAME", "SIGNED IN", "AT", "RIGHTS", "KEPT IN")
	for _, s := range list {
		signedIn := "no"
		if s.SignedIn {
			signedIn = "yes"
			switch left := time.Until(s.Expires).Round(time.Minute); {
			case s.Renewable, s.Expires.IsZero():
			case left <= 0:
				signedIn = "expired"
			default:
				signedIn = "for " + strings.TrimSuffix(left.String(), "0s")
			}
		}
		kept := s.Kept
		if !s.SignedIn {
			kept = ""
		}
		table.row(oneLine(s.Name), signedIn, oneLine(s.Issuer), oneLine(strings.Join(s.Scopes, " ")), printable(kept))
	}
	return a.printTable(table)
}

// openQuietly opens the workspace and does not report what else is wrong in it.
func (a *app) openQuietly(change func(*workspace.Options)) (*workspace.Workspace, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	change(&o)
	w := workspace.Open(a.ctx, o)
	a.force.set(w.Kill)
	if err := w.Settled(a.ctx); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// openServer opens the workspace with one server, which a person must have approved.
func (a *app) openServer(name string) (*workspace.Workspace, upstream.Status, error) {
	w, err := a.openQuietly(func(o *workspace.Options) { o.Only = name })
	if err != nil {
		return nil, upstream.Status{}, err
	}
	st, found := serverNamed(w, name)
	switch {
	case !found:
		err = a.unknownServer(name, w)
	case st.State == upstream.Untrusted:
		err = fmt.Errorf("server %s of %s waits for your approval: codemode-ls trust allow %s", name, st.Server.File, shellWord(name))
	case st.State == upstream.Stopped:
		err = fmt.Errorf("server %s is switched off", name)
	case st.Server.URL == "":
		err = fmt.Errorf("server %s is a program that is started here: nobody signs in to it", name)
	}
	if err != nil {
		w.Close()
		return nil, st, err
	}
	return w, st, nil
}

func serverNamed(w *workspace.Workspace, name string) (upstream.Status, bool) {
	for _, st := range w.Snapshot().Servers {
		if st.Server.Name == name {
			return st, true
		}
	}
	return upstream.Status{}, false
}

func (a *app) unknownServer(name string, w *workspace.Workspace) error {
	var names []string
	for _, s := range w.Snapshot().Config.Servers {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	err := fmt.Errorf("there is no server %q", name)
	if meant := config.Closest(name, names); meant != "" {
		err = fmt.Errorf("%w; did you mean %q?", err, meant)
	}
	return &exitError{exitUsage, err}
}
