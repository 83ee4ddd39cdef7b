package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"codemode-ls/exec"
	"codemode-ls/exec/cassette"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

type runCommand struct {
	Script string `arg:"" help:"A *.exec.ts or *.exec.js file, or - for standard input." placeholder:"SCRIPT|-"`
	inputFlags
	Allow  []string `help:"Rule: calls to allow without asking, such as 'mcp__github__*'. Repeatable." placeholder:"RULE" sep:"none"`
	Deny   []string `help:"Rule: calls to deny. Repeatable." placeholder:"RULE" sep:"none"`
	DryRun bool     `help:"Answer every call with a sample; call no tool. Servers are only queried for their tool lists."`
	Record string   `help:"Write a cassette of the run: its calls, arguments and results." placeholder:"FILE"`
	// KeepFailed is for tests of failures.
	KeepFailed bool          `name:"keep-failed" help:"With --record: keep the cassette of a run that failed, too."`
	Replay     string        `help:"Answer calls from a cassette; start no server." placeholder:"FILE"`
	Watch      bool          `help:"Run again when the script, its input or the configuration has changed, with the permissions granted so far."`
	JSON       bool          `name:"json" help:"Print the whole result as JSON."`
	Check      string        `help:"Type check: ${enum}. With hint the script runs all the same, and when it fails what the check found is printed; with error nothing runs when there are errors." enum:"off,hint,error" default:"hint"`
	Timeout    time.Duration `help:"Wall-clock budget of the script, such as 30s. Connecting to servers before it does not count." placeholder:"D"`
	// Timeline is of the calls, after the run.
	Timeline bool `help:"Show when each call waited and ran, as a picture on standard error."`
}

func (runCommand) Help() string {
	return `Examples:
  codemode-ls run hello.exec.ts
  codemode-ls run --server 'fs=npx -y @modelcontextprotocol/server-filesystem .' --allow 'mcp__fs__read_*' notes.exec.ts
  codemode-ls run close.exec.ts --input '{"repo": "octo/hello"}'
  codemode-ls run close.exec.ts --input.repo=octo/hello --input.limit=5
  codemode-ls run --help close.exec.ts
  codemode-ls run --watch hello.exec.ts
  codemode-ls run --record notes.cassette.json notes.exec.ts
  echo 'return await tools.mcp__demo__add({ a: 1, b: 2 })' | codemode-ls run -

The returned value goes to standard output: a string as it is, anything else as JSON, byte for byte unless a terminal shows it. Console output and
progress go to standard error. Questions (permission, approval of servers, ${input:…}) come to the terminal, also when all of these are
redirected; CODEMODE_LS_PROMPT=off asks nothing, and then rules alone decide. Colours in the lines of calls: green completed, red failed or
denied, yellow waiting for you or cancelled, cyan running; NO_COLOR switches them off. Exit codes: 0 completed, 1 failed, 2 wrong usage, 3 configuration, 4 denied, 124 a budget ran out,
130 interrupted.`
}

func (c *runCommand) Run(a *app) error {
	if err := validTimeout(c.Timeout); err != nil {
		return err
	}
	if err := c.combined(); err != nil {
		return err
	}
	if c.Describe {
		return c.describe(a)
	}
	given, err := c.given(a, c.Script == "-")
	if err != nil {
		return err
	}
	text, err := a.readText(c.Script)
	if err != nil {
		return err
	}
	a.of(c.Script)
	a.replays = c.Replay != ""
	checker := newChecker(a.log)
	defer checker.Close()
	terminal := a.openTerminal()
	w, err := a.open(needsOf(!c.DryRun, text.code), func(o *workspace.Options) {
		o.Allow, o.Deny = c.Allow, c.Deny
		if terminal != nil {
			o.Asker = terminal
		}
		o.Check = checker
		o.Offline = c.Replay != ""
		o.WarmSandboxes = 1
	})
	if err != nil {
		return err
	}
	defer w.Close()
	r := &scriptRun{runCommand: c, a: a, w: w, checker: checker, terminal: terminal, asker: a.asker(terminal, w), given: given}
	if !c.Watch {
		return r.once(a.ctx, text)
	}
	r.asker = &remembering{Asker: r.asker}
	paths := []string{c.Script}
	if file, ok := strings.CutPrefix(c.Input, "@"); ok {
		paths = append(paths, file)
	}
	return a.watch(w, paths, func(ctx context.Context) (err error) {
		if r.given, err = c.given(a, false); err != nil {
			return err
		}
		text, err := a.readText(c.Script)
		if err != nil {
			return err
		}
		if err := a.makeReady(w, needsOf(!c.DryRun, text.code)); err != nil { // it may use other servers than before
			return err
		}
		return r.once(ctx, text)
	})
}

// scriptRun is what the runs of one script have in common.
type scriptRun struct {
	*runCommand
	a        *app
	w        *workspace.Workspace
	checker  *checker
	terminal *terminal // nil: nobody can be asked
	asker    exec.Asker
	given    jsontext.Value
}

// once runs the script as it was read.
func (c *scriptRun) once(ctx context.Context, text readSource) (err error) {
	a, w := c.a, c.w
	q := exec.Request{
		Code: text.code, URI: text.uri, Language: text.language,
		TimeoutMs: int(c.Timeout.Milliseconds()),
		Check:     c.Check, DryRun: c.DryRun, WholeValue: true,
	}
	var recording *cassette.File
	if c.Record != "" { // before anything runs
		if recording, err = createCassette(c.Record); err != nil {
			return &exitError{exitUsage, err}
		}
		defer func() {
			if recording != nil {
				recording.Abort()
			}
		}()
		q.Record = new(cassette.Recorder)
	}
	if c.Replay != "" {
		recorded, err := readCassette(c.Replay)
		if err != nil {
			return &exitError{exitUsage, err}
		}
		q.Replay = cassette.NewPlayer(recorded)
	}
	if q.Input, err = c.withFields(a, w, c.checker, text.code, text.language, c.given); err != nil {
		return err
	}
	progress := newProgress(a.stderr)
	progress.Await(func() string { return connecting(w.Snapshot()) })
	if c.terminal != nil {
		c.terminal.progress = progress
	}
	q.Asker, q.Events = c.asker, progress.Event
	result := w.Runner().Run(ctx, q)
	progress.Finish()
	var unrecorded error
	if recording != nil {
		switch {
		case q.Record.Started() && result.Status != exec.Completed && !c.KeepFailed:
			fmt.Fprintln(a.stderr, "Nothing was recorded: the run failed. --keep-failed keeps the cassette of such a run, too.")
		case q.Record.Started():
			unrecorded = recording.Commit(q.Record.Cassette(c.scriptName(), exec.Recorded(result)))
			recording = nil
		default:
			fmt.Fprintln(a.stderr, "Nothing was recorded: the script did not run.")
		}
	}
	if c.Timeline {
		defer timeline(a.stderr, result, screenWidth(a.stderr), marksFor(os.Getenv))
	}
	if c.JSON {
		if c.Script != "-" && result.Error != nil { // as in the text form
			result.Text = named(result.Text, c.Script)
			result.Error.Stack = stackPlace.ReplaceAllLiteralString(result.Error.Stack, c.Script+":")
		}
		err = printJSON(a.stdout, result)
	} else {
		err = a.printResult(result, c.Script)
	}
	a.deniedTool(result, w.Rules().Rules())
	if err == nil {
		err = unrecorded
	}
	if err != nil {
		return err
	}
	return exitOf(result)
}

// combined refuses flags that exclude each other.
func (c *runCommand) combined() error {
	said := 0
	switch {
	case c.Watch && c.Script == "-":
		return &exitError{exitUsage, errors.New("--watch needs a file: standard input does not change")}
	case c.Watch && c.Record != "":
		return &exitError{exitUsage, errors.New("--watch and --record exclude each other: a cassette is of one run")}
	case c.Watch && c.Input == "-":
		return &exitError{exitUsage, errors.New("--watch and --input - exclude each other: standard input is read once; name a file")}
	}
	for _, is := range []bool{c.DryRun, c.Record != "", c.Replay != ""} {
		if is {
			said++
		}
	}
	if said > 1 {
		return &exitError{exitUsage, errors.New("--dry-run, --record and --replay exclude each other: a dry run's answers are samples, and a replay calls nothing that could be recorded")}
	}
	return nil
}

func (c *runCommand) scriptName() string {
	if c.Script == "-" {
		return ""
	}
	return filepath.Base(c.Script)
}

// readText is readScript as one value.
func (a *app) readText(path string) (readSource, error) {
	code, language, uri, err := a.readScript(path)
	return readSource{path, uri, code, language}, err
}

// readScript reads a script and says what it is.
func (a *app) readScript(path string) (code string, l script.Language, uri string, err error) {
	if path == "-" {
		data, err := io.ReadAll(a.stdin)
		if err == nil && !utf8.Valid(data) {
			err = notUTF8("standard input")
		}
		return string(data), script.TypeScript, "", err
	}
	l, ok := script.LanguageOf(path)
	if !ok {
		if strings.HasSuffix(path, ".js") || strings.HasSuffix(path, ".mjs") {
			l = script.JavaScript
		} else {
			l = script.TypeScript
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", "", &exitError{exitUsage, err}
	}
	if !utf8.Valid(data) {
		return "", "", "", notUTF8(path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", "", "", err
	}
	return string(data), l, fileURI(abs), nil
}

func notUTF8(path string) error {
	return &exitError{exitUsage, fmt.Errorf("%s is not UTF-8 text; save it in that encoding", path)}
}

// printResult prints what a run brought: the value to standard output, all else
// to standard error (CLI-2). Console output has been shown while it ran.
func (a *app) printResult(r *exec.Result, path string) error {
	for _, o := range r.Output {
		if o.Type == "text" {
			fmt.Fprintln(a.stdout, a.data(o.Text))
		} else if o.Type != "unknown" { // which a warning names
			fmt.Fprintf(a.stderr, "(%s, see --json)\n", attachmentWords(o))
		}
	}
	if r.HasValue {
		text, err := valueText(r.Value)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.stdout, a.data(text))
	}
	if r.Status == exec.Completed { // else the text has them
		a.printPlan(r)
		for _, w := range r.Warnings {
			fmt.Fprintf(a.stderr, "warning: %s%s\n", printable(w.Message), place(w.Range))
		}
	}
	if r.LogsCut > 0 {
		fmt.Fprintf(a.stderr, "warning: %d characters of console output were left out (exec.maxLogChars, exec.maxLogEntries)\n", r.LogsCut)
	}
	if r.Status == exec.Completed {
		if !r.HasValue && len(r.Output) == 0 && len(r.Logs) == 0 {
			fmt.Fprintln(a.stderr, "Script completed; it returned nothing and printed nothing.")
		}
		return nil
	}
	// The text says it in full: reason, the author's lines, calls already made.
	_, failure, found := strings.Cut(r.Text, "Script error:")
	if !found {
		failure = "\n" + r.Text
	}
	if path != "-" {
		failure = stackPlace.ReplaceAllLiteralString(failure, path+":")
	}
	fmt.Fprintf(a.stderr, "%s:%s\n", statusWords(r.Status), printable(strings.TrimRight(failure, "\n")))
	if b := r.Budget; b != nil { // RES-4: people read the number, a model does not
		fmt.Fprintf(a.stderr, "The budget %s was %s. %s\n", b.Setting, strings.TrimSpace(fmt.Sprint(b.Value, " ", b.Unit)), b.Raise)
	}
	return nil
}

// attachmentWords describe an attachment in one line.
func attachmentWords(o exec.Output) string {
	words := []string{o.Type}
	for _, known := range []string{oneLine(o.MIMEType), oneLine(o.URI)} {
		if known != "" {
			words = append(words, known)
		}
	}
	switch {
	case o.Text != "":
		words = append(words, fmt.Sprintf("%d characters of text", utf8.RuneCountInString(o.Text)))
	case o.Data != "":
		words = append(words, fmt.Sprintf("%d bytes", base64.StdEncoding.DecodedLen(len(o.Data))))
	}
	return strings.Join(words, ", ")
}

// deniedTool explains to the person, and to them alone, why a tool that they know is not there.
// To the script there is no such tool: what a rule denies is in no pool (PERM-3, POOL-1).
func (a *app) deniedTool(r *exec.Result, rules *permission.Rules) {
	if r.Error == nil || r.Error.Code != exec.CodeUnknownTool {
		return
	}
	name, _, _ := strings.Cut(r.Error.Message, " is not available")
	d := rules.Decide(name)
	if d.Effect != permission.Deny || d.Rule == nil {
		return
	}
	where := "--deny"
	if d.Rule.File != "" {
		where = fmt.Sprintf("%s:%d", d.Rule.File, d.Rule.Range.Start.Line+1)
	}
	fmt.Fprintf(a.stderr, "A rule keeps %s out of the pool: deny %s (%s)\n", printable(name), printable(d.Rule.Match), printable(where))
}

// printPlan prints the calls that a dry run would have made, and what the rules say
// of each (DRY-1).
func (a *app) printPlan(r *exec.Result) {
	first := true
	for _, c := range r.Calls {
		if c.Verdict == "" {
			continue
		}
		if first {
			fmt.Fprintln(a.stderr, "Calls that would have been made:")
			first = false
		}
		fmt.Fprintf(a.stderr, "- %s %s (%s)%s\n", oneLine(c.Tool), printable(shortened(string(c.Arguments), maxShownArguments)), printable(exec.VerdictWords(c)), place(c.Range))
	}
}

// named gives the failure at the end of a result's text the name of the script's file.
func named(text, path string) string {
	before, failure, found := strings.Cut(text, "Script error:")
	if !found {
		return text
	}
	return before + "Script error:" + stackPlace.ReplaceAllLiteralString(failure, path+":")
}

// stackPlace is the name that every script has in its stack; a terminal makes a
// link of the file's own.
var stackPlace = regexp.MustCompile(`script\.[tj]s:`)

func statusWords(s exec.Status) string {
	switch s {
	case exec.Timeout, exec.BudgetExceeded:
		return "Script stopped at its budget"
	case exec.Cancelled:
		return "Script cancelled"
	case exec.Denied:
		return "Script denied"
	}
	return "Script failed"
}

// exitOf is the exit code of a run (CLI-2).
func exitOf(r *exec.Result) error {
	switch r.Status {
	case exec.Completed:
		return nil
	case exec.Denied:
		return &exitError{exitDenied, nil}
	case exec.Timeout, exec.BudgetExceeded:
		return &exitError{exitBudget, nil}
	case exec.Cancelled:
		return &exitError{exitInterrupted, nil}
	}
	return &exitError{exitFailed, nil}
}

var errNoTerminal = errors.New("nobody can be asked here")
