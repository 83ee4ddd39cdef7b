package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/exec"
	"codemode-ls/script"
	"codemode-ls/typescript"
	"codemode-ls/workspace"
)

type checkCommand struct {
	Scripts []string `arg:"" help:"*.exec.ts and *.exec.js files, or - for standard input." placeholder:"SCRIPT"`
	Fresh   bool     `help:"List the servers' tools again first instead of using the kept lists."`
	Watch   bool     `help:"Check again when a script or the configuration has changed."`
	Format  string   `help:"How to print findings: ${enum}." enum:"text,json,github,sarif" default:"text"`
}

func (checkCommand) Help() string {
	return `Examples:
  codemode-ls check hello.exec.ts
  codemode-ls check --watch hello.exec.ts
  codemode-ls check --format github scripts/*.exec.ts
  codemode-ls check --format sarif scripts/*.exec.ts > findings.sarif
  codemode-ls check --tools recordings/ hello.exec.ts

Exit codes: 0 no errors (there may be warnings), 1 errors, 2 wrong usage, 3 configuration.`
}

// checked is the findings of one script, in the answer of --format json.
type checked struct {
	File        string            `json:"file"`
	Diagnostics []exec.Diagnostic `json:"diagnostics"`
}

// readSource is a script that was read.
type readSource struct {
	path, uri, code string
	language        script.Language
}

// read reads the scripts.
func (c *checkCommand) read(a *app) (sources []readSource, texts []string, _ error) {
	for _, path := range c.Scripts {
		source, err := a.readText(path)
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, source)
		texts = append(texts, source.code)
	}
	return sources, texts, nil
}

func (c *checkCommand) Run(a *app) error {
	if c.Watch && slices.Contains(c.Scripts, "-") {
		return &exitError{exitUsage, errors.New("--watch needs files: standard input does not change")}
	}
	sources, texts, err := c.read(a) // before any server starts
	if err != nil {
		return err
	}
	a.of(c.Scripts[0])
	checker := newChecker(a.log)
	defer checker.Close()
	n := needsOf(false, texts...)
	n.fresh = c.Fresh
	w, err := a.open(n, nil)
	if err != nil {
		return err
	}
	defer w.Close()
	if !c.Watch {
		return c.once(a.ctx, a, w, checker, sources)
	}
	return a.watch(w, c.Scripts, func(ctx context.Context) error {
		sources, texts, err := c.read(a)
		if err != nil {
			return err
		}
		if err := a.makeReady(w, needsOf(false, texts...)); err != nil {
			return err
		}
		err = c.once(ctx, a, w, checker, sources)
		if err == nil && ctx.Err() == nil {
			fmt.Fprintln(a.stderr, "No errors.")
		}
		return err
	})
}

// once checks scripts as they were read.
func (c *checkCommand) once(ctx context.Context, a *app, w *workspace.Workspace, checker *checker, sources []readSource) error {
	s := w.Snapshot()
	var all []checked
	failed := false
	for _, f := range sources {
		found, err := checker.All(ctx, script.Read(f.code), f.language, s)
		if err != nil {
			return fmt.Errorf("checking %s: %w", f.path, err)
		}
		found = append(found, blankScript(f.code)...)
		all = append(all, checked{f.path, found})
		for _, d := range found {
			failed = failed || d.Severity == severityError
		}
	}
	if err := c.print(a, all); err != nil {
		return err
	}
	if failed {
		return &exitError{exitFailed, nil}
	}
	return nil
}

// blankScript is what is wrong with a script that has nothing in it: an editor
// says nothing of a file that is about to be written, but it cannot be run.
func blankScript(code string) []exec.Diagnostic {
	for _, e := range script.Prepare(code).Errors {
		if e.Code == script.CodeBlank {
			return []exec.Diagnostic{{Range: e.Range, Severity: severityError, Code: e.Code, Source: "codemode", Message: e.Message}}
		}
	}
	return nil
}

// LSP's severities.
const severityError = 1

var severities = map[int]string{severityError: "error", 2: "warning", 3: "information", 4: "hint"}

func (c *checkCommand) print(a *app, all []checked) error {
	switch c.Format {
	case "json":
		return printJSON(a.stdout, all)
	case "sarif":
		return printJSON(a.stdout, sarif(all))
	}
	for _, f := range all {
		for _, d := range f.Diagnostics {
			line, column := d.Range.Start.Line+1, d.Range.Start.Character+1
			if c.Format == "github" {
				kind := map[int]string{severityError: "error", 2: "warning"}[d.Severity]
				if kind == "" {
					kind = "notice"
				}
				fmt.Fprintf(a.stdout, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", kind,
					workflowProperty(f.File), line, column, workflowProperty(d.Code), workflowData(d.Message))
				continue
			}
			fmt.Fprintf(a.stdout, "%s:%d:%d: %s: %s [%s]\n", f.File, line, column, severities[d.Severity], printable(d.Message), d.Code)
		}
	}
	return nil
}

// workflowData and workflowProperty escape text for workflow commands, in which
// an unescaped newline would begin another command.
func workflowData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func workflowProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(workflowData(s))
}

// checker is the TypeScript engine, started when it is first needed.
type checker struct {
	log *slog.Logger

	mu           sync.Mutex
	ts           *typescript.Engine // nil until needed
	declarations string             // hash of what ts has
}

func newChecker(log *slog.Logger) *checker { return &checker{log: log} }

// with starts the engine and gives it a pool's declarations. The caller holds
// mu.
func (e *checker) with(c *catalog.Catalog) *typescript.Engine {
	if e.ts == nil {
		e.ts = typescript.New(typescript.Options{Log: e.log})
	}
	if file := c.Declarations(); file.Hash != e.declarations {
		e.ts.SetDeclarations(file.Views())
		e.declarations = file.Hash
	}
	return e.ts
}

// Check satisfies exec.Checker.
func (e *checker) Check(ctx context.Context, source *script.Source, l script.Language, c *catalog.Catalog) ([]exec.Diagnostic, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return analysis.NewChecker(e.with(c)).Check(ctx, source, l, c)
}

// Contract satisfies exec.Checker.
func (e *checker) Contract(ctx context.Context, source *script.Source, l script.Language, c *catalog.Catalog) (*script.Contract, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.with(c).ReadContract(ctx, source, l)
}

// All is everything an editor would show (DIAG-1).
func (e *checker) All(ctx context.Context, source *script.Source, l script.Language, s *workspace.Snapshot) ([]exec.Diagnostic, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return analysis.Check(ctx, e.with(s.Catalog), s, source, l)
}

// Close ends the engine, if it was started.
func (e *checker) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ts != nil {
		e.ts.Shutdown()
		e.ts = nil
	}
}
