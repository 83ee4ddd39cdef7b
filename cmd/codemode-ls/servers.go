package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"codemode-ls/analysis/overview"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

type serversCommand struct {
	JSON   bool   `name:"json" help:"Print the answer of codemode/servers."`
	Record string `help:"Write each server's tools to a file in this folder, for --tools." placeholder:"DIR" type:"path"`
}

func (serversCommand) Help() string {
	return `Examples:
  codemode-ls servers
  codemode-ls servers --json
  codemode-ls servers --server 'demo=codemode-ls demo' --record recordings/ && codemode-ls catalog --tools recordings/`
}

func (c *serversCommand) Run(a *app) error {
	a.showsFaults = true
	w, err := a.open(needs{every: true}, func(o *workspace.Options) { o.DemoWhenEmpty = false })
	if err != nil {
		return err
	}
	defer w.Close()
	if err := c.show(a, w.Snapshot()); err != nil {
		return err
	}
	if faulty(w.Snapshot()) {
		return &exitError{exitConfiguration, nil}
	}
	return nil
}

func (c *serversCommand) show(a *app, s *workspace.Snapshot) error {
	if c.Record != "" {
		if len(s.Catalog.Servers()) == 0 {
			return &exitError{exitFailed, errors.New("nothing was recorded: no server is connected; see codemode-ls servers")}
		}
		if err := record(c.Record, s.Catalog.Servers()); err != nil {
			return err
		}
	}
	if c.JSON {
		return printJSON(a.stdout, overview.Servers(s))
	}
	if len(s.Servers) == 0 {
		if !faulty(s) {
			fmt.Fprintln(a.stderr, "No MCP server is configured. See: codemode-ls init")
		}
		return nil
	}
	if err := c.table(a, s); err != nil {
		return err
	}
	for _, st := range overview.Servers(s) {
		if notes := slices.Concat(st.Faults, st.Problems); len(notes) > 0 {
			fmt.Fprintf(a.stdout, "\n%s:\n", oneLine(st.Name))
			for _, note := range notes {
				fmt.Fprintf(a.stdout, "  %s\n", single(note))
			}
		}
	}
	for _, st := range s.Servers {
		if st.State == upstream.Failed && st.Stderr != "" {
			fmt.Fprintf(a.stderr, "\n%s wrote:\n%s\n", oneLine(st.Server.Name), printable(strings.TrimRight(st.Stderr, "\n")))
		}
	}
	return nil
}

// table shows the servers, then what was found where (MCP-1).
func (c *serversCommand) table(a *app, s *workspace.Snapshot) error {
	table := newTable("NAME", "STATE", "TOOLS", "FROM", "COMMAND")
	for _, st := range s.Servers {
		from := string(st.Server.Layer)
		if st.Server.File != "" {
			from = st.Server.File
		}
		table.row(oneLine(st.Server.Name), stateWord(st), fmt.Sprint(st.Tools), single(from), single(a.redact.Known(st.Server.Summary())))
	}
	if err := a.printTable(table); err != nil {
		return err
	}
	if len(s.Config.Found) == 0 {
		return nil
	}
	fmt.Fprintln(a.stdout)
	table = newTable("FILE", "OF", "SERVERS")
	for _, f := range s.Config.Found {
		names := make([]string, len(f.Servers))
		for i, name := range f.Servers {
			names[i] = oneLine(name)
			for _, v := range s.Shadowed() {
				if v.Name == name && v.File == f.File {
					names[i] += " (not used: another one comes first)"
					break
				}
			}
		}
		table.row(printable(f.File), clientTitle(f.Client), strings.Join(names, ", "))
	}
	return a.printTable(table)
}

// clientTitle is the name of the program whose file it is.
func clientTitle(client string) string {
	for _, c := range config.Clients() {
		if c.Name == client {
			return c.Title
		}
	}
	return "codemode-ls"
}

// stateWord is a server's state, marked where it is special (MCP-8).
func stateWord(st upstream.Status) string {
	switch {
	case st.Refused:
		return "refused"
	case st.Self:
		return "not connected (this program itself)"
	case st.CodeMode:
		return string(st.State) + " (code-mode server)"
	}
	return string(st.State)
}

// recording is the form that --tools reads.
type recording struct {
	Server       string           `json:"server"`
	Instructions string           `json:"instructions,omitzero"`
	Tools        []jsontext.Value `json:"tools"`
}

func record(dir string, servers []*catalog.Server) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, s := range servers {
		r := recording{Server: s.Name, Instructions: s.Instructions}
		for _, t := range s.Tools {
			r.Tools = append(r.Tools, t.Raw())
		}
		file, err := os.Create(filepath.Join(dir, strings.TrimPrefix(s.Namespace, "mcp__")+".json"))
		if err != nil {
			return err
		}
		if err := errors.Join(printJSON(file, r), file.Close()); err != nil {
			return fmt.Errorf("recording %s: %w", s.Name, err)
		}
	}
	return nil
}

type trustCommand struct {
	List  trustList  `cmd:"" default:"withargs" help:"List this workspace's servers and hooks: approved, refused or waiting for a decision."`
	Show  trustShow  `cmd:"" help:"Show all that a server or hook would do."`
	Allow trustAllow `cmd:"" help:"Approve a server or hook, as it is defined now."`
	Deny  trustDeny  `cmd:"" help:"Refuse a server or hook, as it is defined now."`
	Diff  trustDiff  `cmd:"" help:"Show how tools have changed since you allowed them."`
}

func (trustCommand) Help() string {
	return `A file in a workspace can name programs to start: MCP servers, and hooks around calls. None is started before
you approved it, and any change of its definition asks again.

Examples:
  codemode-ls trust
  codemode-ls trust show github
  codemode-ls trust allow github
  codemode-ls trust deny hook:1a2b3c4d
  codemode-ls trust deny --all`
}

type trustList struct {
	All bool `help:"Also list the decisions of other workspaces."`
}

func (trustList) Help() string {
	return `Examples:
  codemode-ls trust list
  codemode-ls trust list --all
  codemode-ls trust list --workspace ~/src/project`
}

// A trustRow is one decision, or something that waits for one.
type trustRow struct{ state, name, file, summary string }

func (l *trustList) Run(a *app) error {
	trust, c, err := a.trust()
	if err != nil {
		return err
	}
	folder, err := a.folder()
	if err != nil {
		return err
	}
	var rows []trustRow
	here := map[string]bool{} // hashes of what is defined here now
	for _, s := range c.Servers {
		if s.Layer == config.Workspace {
			here[s.ApprovalHash()] = true
			rows = append(rows, trustRow{trustState(trust.Verdict(s)), s.Name, config.Origin(s), s.Summary()})
		}
	}
	for _, h := range c.Hooks {
		if h.Layer == config.Workspace {
			here[h.Hash()] = true
			rows = append(rows, trustRow{trustState(trust.HookVerdict(h)), h.Name(), h.File, h.Summary()})
		}
	}
	for _, script := range a.workspaceScripts() {
		here[script.Hash()] = true
		rows = append(rows, trustRow{trustState(trust.ScriptVerdict(script)), script.Name(), script.File, script.Summary()})
	}
	others := 0
	for _, e := range trust.Entries() {
		if here[e.Hash] {
			continue
		}
		place := e.File
		if e.Folder != "" {
			place = e.Folder
		}
		path, err := filepath.Rel(folder, place)
		within := place != "" && err == nil && filepath.IsLocal(path)
		if e.Folder != "" {
			within = path == "."
		}
		if !within && !l.All {
			others++
			continue
		}
		state := "refused"
		if e.Approved {
			state = "approved"
		}
		name := e.Name
		switch {
		case e.Folder != "":
			name = "(whole workspace)"
		case within:
			e.Summary += " (no longer defined)"
		}
		rows = append(rows, trustRow{state, name, place, e.Summary})
	}
	if len(rows) > 0 {
		table := newTable("STATE", "NAME", "FROM", "WHAT IT DOES")
		for _, r := range rows {
			from := r.file
			if path, err := filepath.Rel(folder, from); err == nil && filepath.IsLocal(path) {
				from = path
			}
			table.row(r.state, single(r.name), single(from), single(r.summary))
		}
		if err := a.printTable(table); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(a.stderr, "No decisions for this workspace yet, and nothing in its files waits for one.")
	}
	if others > 0 {
		fmt.Fprintf(a.stderr, "%d decisions of other workspaces or the editor's settings: codemode-ls trust list --all\n", others)
	}
	return nil
}

func trustState(v config.Verdict) string {
	switch v {
	case config.Approved:
		return "approved"
	case config.Refused:
		return "refused"
	}
	return "undecided"
}

type trustShow struct {
	Names []string `arg:"" name:"name" help:"A server's name, a hook's (hook:1a2b3c4d), or a script's (script:close_issues)."`
}

func (trustShow) Help() string {
	return `Examples:
  codemode-ls trust show github
  codemode-ls trust show hook:1a2b3c4d`
}

func (c *trustShow) Run(a *app) error {
	_, all, err := a.trust()
	if err != nil {
		return err
	}
	for _, name := range c.Names {
		found := false
		for _, s := range all.Servers {
			if s.Name == name {
				found = true
				showDefinition(a.stdout, s)
			}
		}
		for _, h := range all.Hooks {
			if h.Name() == name {
				found = true
				fmt.Fprintf(a.stdout, "%s\n  from     %s\n  event    %s\n  tools    %s\n  command  %s\n", name, single(h.Origin()), h.Event, single(h.Matcher), single(h.Command))
			}
		}
		for _, script := range a.workspaceScripts() {
			if script.Name() == name {
				found = true
				fmt.Fprintf(a.stdout, "%s\n  from     %s\n  tool     %s\n", name, single(script.File), script.Tool)
				for line := range strings.Lines(script.Text) {
					fmt.Fprintf(a.stdout, "  | %s\n", single(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")))
				}
			}
		}
		if !found {
			return &exitError{exitConfiguration, fmt.Errorf("no server, hook or script named %q is configured here; codemode-ls trust lists those of this workspace", name)}
		}
	}
	return nil
}

// showDefinition prints a server's definition as it is written, nothing of it cut.
func showDefinition(w io.Writer, s config.Server) {
	shown := s.Shown()
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %-9s %s\n", label, single(text))
		}
	}
	fmt.Fprintln(w, single(s.Name))
	line("from", config.Origin(s))
	line("URL", shown.URL)
	line("command", shown.Command)
	for i, arg := range shown.Args {
		line(fmt.Sprintf("arg %d", i+1), strconv.Quote(arg))
	}
	line("folder", shown.Cwd)
	for _, name := range slices.Sorted(maps.Keys(shown.Env)) {
		line("variable", name)
	}
	for _, name := range slices.Sorted(maps.Keys(shown.Headers)) {
		line("header", name)
	}
	line("tools", shown.ToolLists())
	for _, read := range shown.Reads {
		line("reads", read.Name+" → "+read.To)
	}
}

func (trustAllow) Help() string {
	return `Examples:
  codemode-ls trust allow github
  codemode-ls trust allow files memory hook:1a2b3c4d`
}

type trustAllow struct {
	Names []string `arg:"" name:"name" help:"A server's name, a hook's (hook:1a2b3c4d), or a script's (script:close_issues)."`
}

func (c *trustAllow) Run(a *app) error { return a.decide(c.Names, true) }

func (trustDeny) Help() string {
	return `--all is one answer for the whole workspace: nothing that its files name is started, now or later, except what you
approve by name. --reset takes that answer back, so that each is asked about again.

Examples:
  codemode-ls trust deny github
  codemode-ls trust deny hook:1a2b3c4d
  codemode-ls trust deny --all
  codemode-ls trust deny --reset`
}

type trustDeny struct {
	Names []string `arg:"" optional:"" name:"name" help:"A server's name, a hook's (hook:1a2b3c4d), or a script's (script:close_issues)."`
	All   bool     `xor:"what" help:"Refuse all servers and hooks that this workspace's files name, now or later."`
	Reset bool     `xor:"what" help:"Take back the answer of --all."`
}

func (c *trustDeny) Run(a *app) error {
	switch {
	case (c.All || c.Reset) == (len(c.Names) > 0):
		return &exitError{exitUsage, errors.New("trust deny takes either names, or --all, or --reset")}
	case len(c.Names) > 0:
		return a.decide(c.Names, false)
	}
	trust, all, err := a.trust()
	if err != nil {
		return err
	}
	folder, err := a.folder()
	if err != nil {
		return err
	}
	if c.Reset {
		if err := trust.ForgetWorkspace(folder); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "The answer for the whole of %s is taken back.\n", single(folder))
		return nil
	}
	if err := trust.RefuseWorkspace(folder); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "Refused everything that the files of %s name.\n", single(folder))
	var still []string
	for _, s := range all.Servers {
		if s.Layer == config.Workspace && trust.Verdict(s) == config.Approved {
			still = append(still, single(s.Name))
		}
	}
	for _, h := range all.Hooks {
		if h.Layer == config.Workspace && trust.HookVerdict(h) == config.Approved {
			still = append(still, h.Name())
		}
	}
	for _, script := range a.workspaceScripts() {
		if trust.ScriptVerdict(script) == config.Approved {
			still = append(still, script.Name())
		}
	}
	if len(still) > 0 {
		fmt.Fprintf(a.stderr, "Still approved by name: %s\n", strings.Join(still, ", "))
	}
	return nil
}

// trust opens the stored decisions and the configuration, and starts nothing.
func (a *app) trust() (*config.Trust, *config.Config, error) {
	o, err := a.options()
	if err != nil {
		return nil, nil, err
	}
	trust, err := config.OpenTrust(o.Sources.UserDir)
	if err != nil {
		return nil, nil, &exitError{exitConfiguration, err}
	}
	c := config.Load(o.Sources)
	a.findings(c)
	return trust, c, nil
}

// workspaceScripts are the scripts of the workspace that agents may be offered as tools.
func (a *app) workspaceScripts() []config.Script {
	o, err := a.options()
	if err != nil {
		return nil // the caller has reported it before
	}
	o.Sources.UserDir = "" // nobody has to decide on the user's own
	found, problems := config.FindScripts(o.Sources)
	for _, p := range problems {
		fmt.Fprintln(a.stderr, printable(p))
	}
	return found
}

// decide stores the decision on each of the names; one that there is nothing of does
// not keep the others from theirs.
func (a *app) decide(names []string, approve bool) error {
	trust, c, err := a.trust()
	if err != nil {
		return err
	}
	var failed error
	for _, name := range names {
		if err := a.decideOn(trust, c, name, approve); err != nil {
			code, exit := exitFailed, (*exitError)(nil)
			if errors.As(err, &exit) {
				code = exit.code
			}
			if exit == nil || exit.err != nil { // else it has been said
				fmt.Fprintln(a.stderr, "codemode-ls:", printable(err.Error()))
			}
			failed = &exitError{code, nil}
		}
	}
	return failed
}

func (a *app) decideOn(trust *config.Trust, c *config.Config, name string, approve bool) error {
	for _, s := range c.Servers {
		if s.Name != name {
			continue
		}
		if s.Layer != config.Workspace {
			fmt.Fprintf(a.stderr, "%s does not come from a workspace file and needs no approval.\n", printable(name))
			return nil
		}
		if s.Problem != "" { // there is nothing yet that could be approved
			return &exitError{exitConfiguration, nil}
		}
		if err := trust.Decide(s, approve); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s %s: %s\n", verdictWord(approve), single(name), single(s.Summary()))
		if s.Resembles != "" && approve {
			fmt.Fprintf(a.stderr, "Beware: %s. No permission of that one counts for it.\n", printable(s.Resembles))
		}
		return nil
	}
	for _, h := range c.Hooks {
		if h.Name() != name {
			continue
		}
		if h.Layer != config.Workspace {
			fmt.Fprintf(a.stderr, "%s does not come from a workspace file and needs no approval.\n", name)
			return nil
		}
		if err := trust.DecideHook(h, approve); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s %s: %s\n", verdictWord(approve), name, single(h.Summary()))
		return nil
	}
	for _, script := range a.workspaceScripts() {
		if script.Name() != name {
			continue
		}
		if err := trust.DecideScript(script, approve); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s %s: %s\n", verdictWord(approve), name, single(script.Summary()))
		return nil
	}
	if !approve {
		if done, err := a.withdraw(trust, name); done || err != nil {
			return err
		}
	}
	return &exitError{exitConfiguration, fmt.Errorf("no server, hook or script named %q is configured here; codemode-ls trust lists those of this workspace", name)}
}

// withdraw refuses what was approved under a name and is not configured any more: of
// this workspace, or of a file that is gone.
func (a *app) withdraw(trust *config.Trust, name string) (done bool, _ error) {
	folder, err := a.folder()
	if err != nil {
		return false, err
	}
	for _, e := range trust.Entries() {
		if e.Name != name || !e.Approved {
			continue
		}
		_, gone := os.Stat(e.File)
		if path, err := filepath.Rel(folder, e.File); (err != nil || !filepath.IsLocal(path)) && gone == nil {
			continue // another workspace's
		}
		if err := trust.Withdraw(e); err != nil {
			return done, err
		}
		done = true
		fmt.Fprintf(a.stdout, "Refused %s: %s (of %s)\n", single(name), single(e.Summary), single(e.File))
	}
	return done, nil
}

func verdictWord(approve bool) string {
	if approve {
		return "Approved"
	}
	return "Refused"
}
