package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"codemode-ls/config"
	"codemode-ls/internal/telemetry"
	"codemode-ls/permission"
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

// stateDirectory is where logs are kept that outlive the cache: where the system
// has such a place, else in the cache.
func stateDirectory(cacheDir string) string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "codemode-ls")
	}
	if home, err := os.UserHomeDir(); err == nil && runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		return filepath.Join(home, ".local", "state", "codemode-ls")
	}
	return cacheDir
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
	home, err := os.UserHomeDir()
	if err != nil {
		a.log.Debug("no home directory: other clients' files of the user are not read", "err", err)
	}
	return workspace.Options{
		Sources: config.Sources{
			Flags: a.Server, File: a.Config, Folders: []string{dir}, UserDir: userDir, Home: home,
		},
		Recordings: a.Tools,
		CacheDir:   cacheDir,
		StateDir:   stateDirectory(cacheDir),
		Log:        a.log,
		Redact:     a.redact,
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
	if err := validRules(o.Allow, o.Deny); err != nil {
		return nil, err
	}
	o.Tracer = telemetry.FromEnvironment(nil, o.Version, a.log)
	w := workspace.Open(a.ctx, o)
	a.force.set(w.Kill)
	told := a.tellWaiting(w)
	err = w.Settled(a.ctx)
	told()
	if err != nil {
		w.Close()
		if errors.Is(err, context.Canceled) {
			return nil, &exitError{exitInterrupted, errors.New("interrupted while servers were starting")}
		}
		return nil, err
	}
	if err := a.report(w); err != nil && !o.Offline && !a.showsFaults {
		w.Close()
		return nil, err
	}
	return w, nil
}

// report says what is wrong with the configuration. An error is one that leaves
// nothing to work with.
func (a *app) report(w *workspace.Workspace) error {
	s := w.Snapshot()
	a.findings(s.Config)
	for _, p := range s.Problems {
		fmt.Fprintf(a.stderr, "%serror: %s\n", problemPlace(p), printable(p.Message))
	}
	if len(s.Problems) > 0 {
		fmt.Fprintln(a.stderr, "Until you fix it, every call asks for permission.")
	}
	if s.UsesDemo && !a.quietDemo {
		fmt.Fprintln(a.stderr, "No MCP server is configured: using the built-in demo server (its tools are harmless).")
	}
	for _, r := range s.Rules.All() {
		if r.Layer != permission.Flag {
			continue
		}
		if notice := s.Unmatched(r.Match); notice != "" {
			fmt.Fprintf(a.stderr, "--%s %s matches no tool: %s\n", r.Effect, single(r.Match), printable(notice))
		}
	}
	for _, st := range s.Servers {
		switch st.State {
		case upstream.Failed:
			if st.Server.Problem != "" {
				continue // a finding has said it
			}
			if len(st.Server.NeedsInput) > 0 {
				fmt.Fprintln(a.stderr, printable(st.Error))
				continue
			}
			fmt.Fprintf(a.stderr, "server %s failed: %s\n", oneLine(st.Server.Name), printable(st.Error))
		case upstream.Untrusted:
			what := "waits for your approval"
			if st.Refused {
				what = "was refused; to approve it after all"
			}
			fmt.Fprintf(a.stderr, "server %s of %s %s: codemode-ls trust allow %s\n",
				printable(st.Server.Name), printable(st.Server.File), what, shellWord(printable(st.Server.Name)))
			if !st.Refused { // TRUST-1: who decides has to know what would happen
				if r := st.Server.Resembles; r != "" {
					fmt.Fprintf(a.stderr, "  beware: %s\n", printable(r))
				}
				fmt.Fprintf(a.stderr, "  %s: %s\n", wouldDo(st.Server), printable(a.redact.Known(st.Server.Summary())))
			}
		}
	}
	for _, h := range s.UndecidedHooks {
		fmt.Fprintf(a.stderr, "a hook of %s waits for your approval (%s): codemode-ls trust allow %s\n",
			printable(h.Origin()), printable(h.Summary()), h.Name())
	}
	for _, n := range s.SharedNamespaces() {
		names := make([]string, len(n.Servers))
		for i, name := range n.Servers {
			names[i] = oneLine(name)
		}
		fmt.Fprintf(a.stderr, "the servers %s share the namespace %s: a rule for %s__* counts for all of them; give them names that differ before any __\n",
			strings.Join(names, ", "), n.Namespace, n.Namespace)
	}
	for _, c := range s.Catalog.Conflicts() {
		fmt.Fprintf(a.stderr, "%s is offered by %s and by %s; the first one keeps the name\n", printable(c.Name), oneLine(c.Kept), oneLine(c.Dropped))
	}
	if faulty(s) {
		return &exitError{exitConfiguration, nil}
	}
	return nil
}

// faulty says that the configuration has errors that leave nothing to work with.
func faulty(s *workspace.Snapshot) bool { return hasErrors(s.Config) && len(s.Catalog.Tools()) == 0 }

func hasErrors(c *config.Config) bool {
	return slices.ContainsFunc(c.Findings, func(f config.Finding) bool { return f.Severity == "error" })
}

// problemPlace is where a problem is, before what it is.
func problemPlace(p permission.Problem) string {
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d: ", printable(p.File), p.Range.Start.Line+1, p.Range.Start.Character+1)
}

// wouldDo says what approving a server leads to.
func wouldDo(s config.Server) string {
	if s.URL != "" {
		return "it would connect to"
	}
	return "it would start"
}

// findings says what is wrong in configuration files and flags.
func (a *app) findings(c *config.Config) {
	for _, f := range c.Findings {
		if f.Severity == "information" {
			continue // an editor shows it at its place, `servers` lists it
		}
		at := ""
		if f.File != "" { // a flag has no place
			at = fmt.Sprintf("%s:%d:%d: ", printable(f.File), f.StartLine+1, f.StartColumn+1)
		}
		meant := ""
		if f.Closest != "" {
			meant = fmt.Sprintf("; did you mean %q?", f.Closest)
		}
		fmt.Fprintf(a.stderr, "%s%s: %s%s\n", at, f.Severity, printable(f.Message), printable(meant))
	}
}

// waitingNotice is how long servers may start in silence.
const waitingNotice = 3 * time.Second

// tellWaiting names, on a terminal, the servers that take long to start; one of
// npx may be downloading. The caller calls the function when they have started.
func (a *app) tellWaiting(w *workspace.Workspace) func() {
	if !isTerminal(a.stderr) {
		return func() {}
	}
	told := make(chan struct{})
	timer := time.AfterFunc(waitingNotice, func() {
		defer close(told)
		var names []string
		for _, st := range w.Snapshot().Servers {
			if st.State == upstream.Connecting {
				names = append(names, printable(st.Server.Name))
			}
		}
		if len(names) > 0 {
			fmt.Fprintf(a.stderr, "waiting for %s to start …\n", strings.Join(names, ", "))
		}
	})
	return func() {
		if !timer.Stop() {
			<-told
		}
	}
}

// validRules is a usage error for a rule that can name nothing.
func validRules(lists ...[]string) error {
	for _, list := range lists {
		for _, rule := range list {
			if err := permission.Valid(rule); err != nil {
				return &exitError{exitUsage, fmt.Errorf("%q is not a rule: %w", rule, err)}
			}
		}
	}
	return nil
}

// shellWord quotes a word for a shell when it needs that.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-./@", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
