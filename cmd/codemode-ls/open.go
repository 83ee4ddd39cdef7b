package main

import (
	"context"
	"fmt"
	"io"
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

// options are the workspace's options as far as the flags say them.
func (a *app) options() (workspace.Options, error) {
	dir, err := a.folder()
	if err != nil {
		return workspace.Options{}, err
	}
	userDir, cacheDir, err := directories()
	switch {
	case err != nil && a.replays: // no rule, no approval and no kept list counts there
		a.log.Debug("no directories of the user", "err", err)
	case err != nil:
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

		ConnectTimeout: a.ConnectTimeout,
	}, nil
}

// open opens the workspace, waits until what the command needs is known, and says on
// standard error what a person should know. The caller closes it.
func (a *app) open(n needs, change func(*workspace.Options)) (*workspace.Workspace, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	o.DemoWhenEmpty, o.OnDemand = true, true
	o.Sources.Inputs = a.inputs.get
	if change != nil {
		change(&o)
	}
	if err := validRules(o.Allow, o.Deny); err != nil {
		return nil, err
	}
	o.Tracer = telemetry.FromEnvironment(nil, o.Version, a.log)
	w := workspace.Open(a.ctx, o)
	a.force.set(w.Kill)
	a.person, _ = o.Asker.(*terminal)
	if err := a.makeReady(w, n); err != nil {
		w.Close()
		return nil, err
	}
	a.noteStale(w)
	if err := a.report(w, n); err != nil && !o.Offline && !a.showsFaults {
		w.Close()
		return nil, err
	}
	return w, nil
}

// makeReady asks the person what has to be decided, and starts what is needed.
func (a *app) makeReady(w *workspace.Workspace, n needs) error {
	if a.person != nil && n.calls {
		if err := a.person.prepare(a.ctx, w, n, &a.inputs); err != nil {
			return err
		}
	}
	return interruptedStart(a.await(w, func(ctx context.Context) error { return n.ready(ctx, w) }))
}

// report says what is wrong with the configuration. An error is one that leaves
// nothing to work with.
func (a *app) report(w *workspace.Workspace, n needs) error {
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
	var failed failures
	for _, st := range s.Servers {
		if !n.uses(s.Servers, st) {
			continue // it makes no difference
		}
		switch st.State {
		case upstream.Idle:
			if st.Last.Failure != "" {
				failed.add(" failed when last started: "+printable(st.Last.Failure)+" (--fresh tries again)", oneLine(st.Server.Name))
			}
		case upstream.Failed:
			if st.Server.Problem != "" {
				continue // a finding has said it
			}
			if len(st.Server.NeedsInput) > 0 {
				fmt.Fprintln(a.stderr, printable(st.Error))
				continue
			}
			failed.add(" failed: "+printable(st.Error), oneLine(st.Server.Name))
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
	failed.print(a.stderr)
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
	switch {
	case slices.ContainsFunc(s.Config.Findings, func(f config.Finding) bool { return f.Code == config.CodeBadFlag }):
		return &exitError{exitUsage, nil}
	case faulty(s):
		return &exitError{exitConfiguration, nil}
	}
	return nil
}

// failures are servers by what is wrong with them: what many have in common is one
// line.
type failures []failure

type failure struct {
	what    string
	servers []string
}

func (f *failures) add(what, server string) {
	i := slices.IndexFunc(*f, func(other failure) bool { return other.what == what })
	if i < 0 {
		i = len(*f)
		*f = append(*f, failure{what: what})
	}
	(*f)[i].servers = append((*f)[i].servers, server)
}

func (f failures) print(w io.Writer) {
	for _, v := range f {
		noun := "server"
		if len(v.servers) > 1 {
			noun = "servers"
		}
		fmt.Fprintf(w, "%s %s%s\n", noun, listOf(v.servers), v.what)
	}
}

// faulty says that the configuration has errors that leave nothing to work with.
func faulty(s *workspace.Snapshot) bool {
	startable := func(st upstream.Status) bool { return st.State == upstream.Idle || st.State == upstream.Connecting }
	return hasErrors(s.Config) && len(s.Catalog.Tools()) == 0 && !slices.ContainsFunc(s.Servers, startable)
}

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

// validRules is a usage error for a rule that can name nothing.
func validRules(lists ...[]string) error {
	for _, list := range lists {
		for _, rule := range list {
			if err := permission.Valid(rule); err != nil {
				return &exitError{exitUsage, fmt.Errorf("%q is not a rule: %w", rule, err)}
			}
			if strings.Contains(rule, ",") { // no name of a tool has one
				return &exitError{exitUsage, fmt.Errorf("%q is not one rule: repeat the flag for each", rule)}
			}
		}
	}
	return nil
}

// validTimeout refuses a budget above its ceiling, which would be lowered.
func validTimeout(d time.Duration) error {
	for _, s := range config.Settings() {
		if most := time.Duration(s.Ceiling) * time.Millisecond; s.Name == "exec.timeoutMs" && d > most {
			return &exitError{exitUsage, fmt.Errorf("--timeout %s: the most is %s", d, most)}
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
