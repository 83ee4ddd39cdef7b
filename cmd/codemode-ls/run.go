package main

import (
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
	"codemode-ls/script"
	"codemode-ls/workspace"
)

type runCommand struct {
	Script  string        `arg:"" help:"A *.exec.ts or *.exec.js file, or - for standard input." placeholder:"SCRIPT|-"`
	Allow   []string      `help:"Rule: calls that need no question, such as 'mcp__github__*'. Repeatable." placeholder:"RULE" sep:"none"`
	Deny    []string      `help:"Rule: calls that must not happen. Repeatable." placeholder:"RULE" sep:"none"`
	DryRun  bool          `help:"Answer every call with a sample; reach no server."`
	JSON    bool          `name:"json" help:"Print the whole result as JSON."`
	Check   string        `help:"Type check before the run: ${enum}." enum:"off,hint,error" default:"hint"`
	Timeout time.Duration `help:"Wall-clock budget, such as 30s." placeholder:"D"`
}

func (runCommand) Help() string {
	return `Examples:
  codemode-ls run hello.exec.ts
  codemode-ls run --server 'fs=npx -y @modelcontextprotocol/server-filesystem .' --allow 'mcp__fs__read_*' notes.exec.ts
  echo 'return await tools.mcp__demo__add({ a: 1, b: 2 })' | codemode-ls run -

The returned value goes to standard output: a string as it is, anything else as JSON. Console output and
progress go to standard error. Exit codes: 0 completed, 1 failed, 2 wrong usage, 3 configuration, 4 denied, 124 a budget ran out,
130 interrupted.`
}

func (c *runCommand) Run(a *app) error {
	code, language, uri, err := a.readScript(c.Script)
	if err != nil {
		return err
	}
	checker := newChecker(a.log)
	defer checker.Close()
	w, err := a.open(func(o *workspace.Options) {
		o.Allow, o.Deny = c.Allow, c.Deny
		o.Check = checker
		o.WarmSandboxes = 1
	})
	if err != nil {
		return err
	}
	defer w.Close()

	progress := newProgress(a.stderr)
	result := w.Runner().Run(a.ctx, exec.Request{
		Code: code, URI: uri, Language: language,
		TimeoutMs: int(c.Timeout.Milliseconds()),
		Check:     c.Check, DryRun: c.DryRun,
		Asker:  a.asker(progress),
		Events: progress.Event,
	})
	progress.Finish()
	if c.JSON {
		err = printJSON(a.stdout, result)
	} else {
		err = a.printResult(result, c.Script)
	}
	if err != nil {
		return err
	}
	return exitOf(result)
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
			fmt.Fprintln(a.stdout, printable(o.Text))
		} else {
			fmt.Fprintf(a.stderr, "(%s, %d bytes of base64, see --json)\n", printable(o.MIMEType), len(o.Data))
		}
	}
	if r.HasValue {
		text, err := valueText(r.Value)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.stdout, printable(text))
	}
	if r.Status == exec.Completed { // else the text has them
		for _, w := range r.Warnings {
			fmt.Fprintf(a.stderr, "warning: %s%s\n", printable(w.Message), place(w.Range))
		}
	}
	if r.Truncated != nil && r.Truncated.Artifact != "" {
		fmt.Fprintf(a.stderr, "the whole result (%d characters) is in %s\n", r.Truncated.TotalChars, r.Truncated.Artifact)
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
	return nil
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
