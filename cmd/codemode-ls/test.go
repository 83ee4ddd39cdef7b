package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codemode-ls/exec"
	"codemode-ls/exec/cassette"
	"codemode-ls/workspace"
)

type testCommand struct {
	Paths       []string      `arg:"" optional:"" help:"Scripts, or folders to look for scripts in. Default: the workspace folder." placeholder:"PATH"`
	Format      string        `help:"How to print results: ${enum}." enum:"text,junit,github" default:"text"`
	Update      bool          `help:"Accept what the scripts return now as expected. Calls no server."`
	ReRecord    bool          `name:"re-record" help:"With --update: run the scripts on the real servers and record again."`
	Live        bool          `help:"Run the scripts on the real servers, and report which tools, answers and results differ from the recording. Changes no recording."`
	Allow       []string      `help:"With --re-record or --live, rule: calls to allow without asking. Repeatable." placeholder:"RULE" sep:"none"`
	Timeout     time.Duration `help:"Wall-clock budget of each script, such as 30s." placeholder:"D"`
	AllowUnused bool          `name:"allow-unused" help:"Accept recorded calls that a script does not make any more."`
}

func (testCommand) Help() string {
	return `A script NAME.exec.ts (or .js) is tested when its cassette NAME.cassette.json is beside it. The script runs with its calls
answered from the cassette, so that no server is started and nobody is asked, and its status, value, output and error must be those of
the recorded run.

Examples:
  codemode-ls run --record notes.cassette.json notes.exec.ts
  codemode-ls test
  codemode-ls test --format junit scripts/ > results.xml
  codemode-ls test --live --allow 'mcp__fs__read_*' notes.exec.ts
  codemode-ls test --update notes.exec.ts
  codemode-ls test --update --re-record --allow 'mcp__fs__read_*' notes.exec.ts

Exit codes: 0 all pass, 1 a test failed or there is none, 2 wrong usage, 130 interrupted.`
}

// cassetteSuffix takes the place of a script's .exec.ts or .exec.js.
const cassetteSuffix = ".cassette.json"

// cassettePath is where the cassette of a script is; "" for what is no script.
func cassettePath(path string) string {
	for _, suffix := range []string{".exec.ts", ".exec.js"} {
		if stem, ok := strings.CutSuffix(path, suffix); ok && filepath.Base(path) != suffix {
			return stem + cassetteSuffix
		}
	}
	return ""
}

// tested is the outcome of one test.
type tested struct {
	script  string
	took    time.Duration
	updated bool
	// problem says why it failed, in one line; "" when it passed. broken says
	// that it could not be run at all.
	problem string
	broken  bool
	details string // more of it: differences
	result  *exec.Result
}

func (c *testCommand) Run(a *app) error {
	if err := validTimeout(c.Timeout); err != nil {
		return err
	}
	switch {
	case c.ReRecord && !c.Update:
		return &exitError{exitUsage, errors.New("--re-record calls real servers and replaces recordings: say --update too")}
	case c.Live && c.Update:
		return &exitError{exitUsage, errors.New("--live compares and --update replaces: choose one; --update --re-record records anew")}
	case len(c.Allow) > 0 && !c.ReRecord && !c.Live:
		return &exitError{exitUsage, errors.New("--allow is for --re-record and --live: a replay calls nothing")}
	}
	if len(c.Paths) > 0 {
		a.of(c.Paths[0])
	}
	scripts, err := c.find(a)
	if err != nil {
		return err
	}
	a.replays = !c.ReRecord && !c.Live
	checker := newChecker(a.log) // of the inputs of scripts
	defer checker.Close()
	w, err := a.open(c.needs(a, scripts), func(o *workspace.Options) {
		o.Check = checker
		o.Offline = !c.ReRecord && !c.Live
		o.DemoWhenEmpty = c.ReRecord || c.Live
		o.Allow = c.Allow
		o.WarmSandboxes = 1
	})
	if err != nil {
		return err
	}
	defer w.Close()
	var all []tested
	for _, path := range scripts {
		if a.ctx.Err() != nil {
			break
		}
		start := time.Now()
		t := c.one(a, w, path)
		t.script, t.took = path, time.Since(start)
		all = append(all, t)
		if c.Format == "text" {
			printTested(a.stdout, t)
		}
	}
	if a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	failed := slices.ContainsFunc(all, func(t tested) bool { return t.problem != "" })
	switch c.Format {
	case "junit":
		err = printJUnit(a.stdout, all)
	case "github":
		printGitHub(a.stdout, all)
	default:
		printTotal(a.stdout, all)
	}
	if err == nil && len(all) == 0 {
		err = &exitError{exitFailed, fmt.Errorf("no script with a cassette (NAME%s beside NAME.exec.ts) is here; codemode-ls run --record writes one", cassetteSuffix)}
	}
	if err == nil && failed {
		err = &exitError{exitFailed, nil}
	}
	return err
}

// needs are those of the scripts that are run on the servers; a replay has none.
func (c *testCommand) needs(a *app, scripts []string) needs {
	var texts []string
	for _, path := range scripts {
		if code, _, _, err := a.readScript(path); err == nil { // else the test says so
			texts = append(texts, code)
		}
	}
	return needsOf(c.ReRecord || c.Live, texts...)
}

// find are the scripts to test, in a fixed order. A script that is named must
// have a cassette; in folders those without one are left out.
func (c *testCommand) find(a *app) ([]string, error) {
	paths := c.Paths
	if len(paths) == 0 {
		dir, err := a.folder()
		if err != nil {
			return nil, err
		}
		if here, err := filepath.Abs("."); err == nil { // as a person would write it
			if path, err := filepath.Rel(here, dir); err == nil {
				dir = path
			}
		}
		paths = []string{dir}
	}
	var scripts []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, &exitError{exitUsage, err}
		}
		if !info.IsDir() {
			beside := cassettePath(path)
			if beside == "" {
				return nil, &exitError{exitUsage, fmt.Errorf("%s is no script to test: its name must end with .exec.ts or .exec.js", path)}
			}
			if _, err := os.Stat(beside); err != nil && !c.ReRecord {
				return nil, &exitError{exitUsage, fmt.Errorf("%s has no cassette; record one: codemode-ls run --record %s %s", path, shellWord(beside), shellWord(path))}
			}
			scripts = append(scripts, path)
			continue
		}
		err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case a.ctx.Err() != nil:
				return a.ctx.Err()
			case d.IsDir() && at != path && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".codemode"):
				return fs.SkipDir
			case d.IsDir() || cassettePath(at) == "":
				return nil
			}
			if _, err := os.Lstat(cassettePath(at)); err == nil { // a link that leads nowhere is no reason to test nothing
				scripts = append(scripts, at)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range scripts {
		scripts[i] = filepath.Clean(scripts[i])
	}
	slices.Sort(scripts)
	return slices.Compact(scripts), nil
}

// one runs the test of one script.
func (c *testCommand) one(a *app, w *workspace.Workspace, path string) tested {
	broken := func(err error) tested { return tested{problem: err.Error(), broken: true} }
	code, language, uri, err := a.readScript(path)
	if err != nil {
		return broken(err)
	}
	request := exec.Request{
		Code: code, URI: uri, Language: language, SessionID: "test " + path, // nothing is stored between tests
		TimeoutMs: int(c.Timeout.Milliseconds()), Check: "off", WholeValue: true,
	}
	beside := cassettePath(path)
	if c.ReRecord {
		return c.reRecord(a, w, request, path, beside)
	}
	expected, err := readCassette(beside)
	if err != nil {
		return broken(err)
	}
	if c.Live {
		return c.live(a, w, request, path, expected)
	}
	player := cassette.NewPlayer(expected)
	request.Replay = player
	t := tested{result: w.Runner().Run(a.ctx, request)}
	if a.ctx.Err() != nil {
		return t
	}
	got := exec.Recorded(t.result)
	if c.Update {
		return c.update(t, expected, got, player, beside)
	}
	if expected.Result == nil {
		t.problem = "the cassette says nothing about the result; codemode-ls test --update takes the present one"
		return t
	}
	t.problem, t.details = differences(expected.Result, got)
	if unused := player.Unused(); len(unused) > 0 && !c.AllowUnused {
		if t.problem == "" {
			t.problem = "calls of the recording were not made"
		}
		t.details += unusedCalls(unused)
	}
	return t
}

// update takes the present result for the expected one, and leaves out recorded
// calls that are not made any more.
func (c *testCommand) update(t tested, old *cassette.Cassette, got *cassette.Result, player *cassette.Player, path string) tested {
	if missing := notRecorded(t.result); missing != "" {
		t.problem = "calls of this script are missing in the recording, so its result cannot be compared; record again with --update --re-record"
		t.details = missing
		return t
	}
	next := player.Played()
	next.Result = got
	if problem, _ := differences(orNone(old.Result), got); problem == "" && len(next.Calls) == len(old.Calls) {
		return t
	}
	if err := writeCassette(path, next); err != nil {
		t.problem, t.broken = err.Error(), true
		return t
	}
	t.updated = true
	return t
}

func orNone(r *cassette.Result) *cassette.Result {
	if r == nil {
		return &cassette.Result{}
	}
	return r
}

// reRecord runs a script on the real servers.
func (c *testCommand) reRecord(a *app, w *workspace.Workspace, request exec.Request, path, beside string) tested {
	file, err := createCassette(beside)
	if err != nil {
		return tested{problem: err.Error(), broken: true}
	}
	if old, err := readCassette(beside); err == nil {
		request.Input = old.Input
	}
	request.Record = new(cassette.Recorder)
	progress := newProgress(a.stderr)
	terminal := a.openTerminal()
	if terminal != nil {
		terminal.progress = progress
	}
	request.Asker, request.Events = a.asker(terminal, w), progress.Event
	t := tested{result: w.Runner().Run(a.ctx, request)}
	progress.Finish()
	if !request.Record.Started() || t.result.Status == exec.Cancelled {
		file.Abort()
		t.problem, t.details = "nothing was recorded", t.result.Text+"\n"
		return t
	}
	if why := noRecording(t.result); why != "" { // the old one is still good
		file.Abort()
		t.problem, t.details = "nothing was recorded: "+why, t.result.Text+"\n"
		return t
	}
	if err := file.Commit(request.Record.Cassette(filepath.Base(path), exec.Recorded(t.result))); err != nil {
		t.problem, t.broken = err.Error(), true
		return t
	}
	t.updated = true
	if e := t.result.Error; e != nil { // a person may not want this one
		fmt.Fprintf(a.stderr, "%s: this is now expected to fail: %s: %s\n", path, printable(e.Name), printable(e.Message))
	}
	return t
}

// noRecording says why a run on the real servers says nothing about the script: it was
// kept from calling them.
func noRecording(r *exec.Result) string {
	for _, call := range r.Calls {
		if call.Status == exec.CallDenied {
			return "a call of " + printable(call.Tool) + " was denied; give --allow, or answer the questions on a terminal"
		}
	}
	switch {
	case r.Status == exec.Denied:
		return "a call was denied; give --allow, or answer the questions on a terminal"
	case r.Error != nil && (r.Error.Code == exec.CodeUnavailable || r.Error.Code == exec.CodeUnknownTool):
		return printable(r.Error.Message)
	}
	return ""
}

// notRecorded are the calls that a replay had no answer for, a line each.
func notRecorded(r *exec.Result) string {
	var b strings.Builder
	for _, call := range r.Calls {
		if call.Status == exec.CallFailed && strings.HasPrefix(call.Error, "the recording has ") {
			fmt.Fprintf(&b, "%s: %s\n", call.Tool, call.Error)
		}
	}
	return b.String()
}

func unusedCalls(calls []cassette.Call) string {
	var b strings.Builder
	b.WriteString("recorded, and not made:\n")
	for i, call := range calls {
		if i == 10 {
			fmt.Fprintf(&b, "  … and %d more\n", len(calls)-i)
			break
		}
		fmt.Fprintf(&b, "  %s %s\n", call.Tool, shortened(string(call.Arguments), 200))
	}
	return b.String()
}
