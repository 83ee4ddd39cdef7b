package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"codemode-ls/config"
	"codemode-ls/gateway/install"
	"codemode-ls/internal/linediff"
)

type mcpInstallCommand struct {
	Client    string   `required:"" help:"Whose configuration: ${clients}." placeholder:"NAME"`
	Move      bool     `help:"Also take over the servers that the client has: its agent then has one tool, and this program the servers."`
	DryRun    bool     `help:"Show the change; make none."`
	Print     bool     `help:"Print what to add to the configuration by hand; change nothing." xor:"print"`
	File      string   `help:"The client's configuration file, when it is elsewhere than usual." placeholder:"FILE" type:"path"`
	Arguments []string `name:"with" help:"Argument for the gateway, such as '--allow=mcp__github__get_*'. Repeatable." placeholder:"ARG" sep:"none"`
}

func (mcpInstallCommand) Help() string {
	return `Writes the gateway into the configuration of another program, in that program's own form, and leaves everything else in the file as it is.
The change is shown. A copy of the file stays beside it, and uninstall puts everything back byte for byte.

Examples:
  codemode-ls mcp install --client claude-code --dry-run
  codemode-ls mcp install --client codex --move
  codemode-ls mcp uninstall --client codex`
}

// clientSources are where clients' files are looked for.
func (a *app) clientSources() (config.Sources, error) {
	o, err := a.options()
	return o.Sources, err
}

func (c *mcpInstallCommand) Run(a *app) error {
	sources, err := a.clientSources()
	if err != nil {
		return err
	}
	target, err := install.Find(sources, c.Client)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return fmt.Errorf("where this program is: %w", err)
	}
	command := install.Command{Program: program, Args: append([]string{"mcp"}, c.Arguments...)}
	if c.Print {
		fmt.Fprint(a.stdout, target.Print(command))
		return nil
	}
	plan, err := target.Plan(c.File, command, c.Move)
	if err != nil {
		return &exitError{exitConfiguration, err}
	}
	a.showChange(plan.File, plan.Before, plan.After)
	if len(plan.Moved) > 0 {
		fmt.Fprintf(a.stderr, "Taken over: %s.\n", printable(strings.Join(plan.Moved, ", ")))
	}
	if c.DryRun {
		fmt.Fprintln(a.stderr, "Nothing was changed.")
		return nil
	}
	if err := plan.Apply(sources.UserDir); err != nil {
		return &exitError{exitConfiguration, err}
	}
	fmt.Fprintf(a.stderr, "%s has the gateway; restart it. To take it out: codemode-ls mcp uninstall --client %s\n", target.Title, target.Name)
	return nil
}

// showChange shows how a file changes, without the credentials in it.
func (a *app) showChange(file string, before, after []byte) {
	fmt.Fprint(a.stdout, a.data(a.redact.Text(linediff.Unified(file, file, string(before), string(after)))))
}

type mcpUninstallCommand struct {
	Client string `required:"" help:"Whose configuration: ${clients}." placeholder:"NAME"`
	DryRun bool   `help:"Show the change; make none."`
}

func (mcpUninstallCommand) Help() string {
	return `Removes the gateway from the client's file, and puts back the servers that --move took over.

Examples:
  codemode-ls mcp uninstall --client codex --dry-run
  codemode-ls mcp uninstall --client codex`
}

func (c *mcpUninstallCommand) Run(a *app) error {
	sources, err := a.clientSources()
	if err != nil {
		return err
	}
	target, err := install.Find(sources, c.Client)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	undo, err := target.Undo(sources.UserDir)
	if err != nil {
		return &exitError{exitConfiguration, err}
	}
	a.showChange(undo.File, undo.Before, undo.After)
	if c.DryRun {
		fmt.Fprintln(a.stderr, "Nothing was changed.")
		return nil
	}
	if err := undo.Apply(); err != nil {
		return &exitError{exitConfiguration, err}
	}
	fmt.Fprintf(a.stderr, "%s is as it was; restart it.\n", target.Title)
	return nil
}

// installClients are the names that --client takes.
func installClients() string {
	var names []string
	for _, t := range install.Targets(config.Sources{}) {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}
