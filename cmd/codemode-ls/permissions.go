package main

import (
	"fmt"
	"slices"

	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/workspace"
)

type permissionsCommand struct {
	List   permissionsList   `cmd:"" default:"1" help:"Show the rules in force."`
	Allow  permissionsAllow  `cmd:"" help:"Allow calls without asking."`
	Ask    permissionsAsk    `cmd:"" help:"Always ask before these calls."`
	Deny   permissionsDeny   `cmd:"" help:"Deny calls, and leave their tools out of the catalog."`
	Remove permissionsRemove `cmd:"" help:"Remove a rule."`
}

func (permissionsCommand) Help() string {
	return `A rule is a tool's full name, with * for a part of it. Deny wins over ask, ask over allow; a call without a rule is
asked for.

Examples:
  codemode-ls permissions
  codemode-ls permissions allow 'mcp__github__get_*'
  codemode-ls permissions deny 'mcp__github__delete_repository' --layer user
  codemode-ls permissions remove 'mcp__github__get_*'

Rules of the workspace layer apply in this workspace, those of the user layer everywhere. Both are kept in your own configuration.`
}

// ruleArguments are what every change of a rule takes.
type ruleArguments struct {
	Rule  string `arg:"" help:"A full name, such as 'mcp__github__*'."`
	Layer string `help:"Whose rule: ${enum}." enum:"workspace,user" default:"workspace"`
}

func (r ruleArguments) set(a *app, e permission.Effect) error {
	if err := validRules([]string{r.Rule}); err != nil {
		return err
	}
	r.Rule = permission.Canonical(r.Rule)
	store, unmatched, err := a.rules()
	if err != nil {
		return err
	}
	layer := permission.Layer(r.Layer)
	if e == "" {
		stands := func(rule permission.Rule) bool {
			return rule.Layer == layer && permission.Canonical(rule.Match) == r.Rule
		}
		if !slices.ContainsFunc(store.Rules().All(), stands) {
			for _, other := range store.Rules().All() {
				if permission.Canonical(other.Match) == r.Rule && (other.Layer == permission.User || other.Layer == permission.Workspace) {
					return &exitError{exitFailed, fmt.Errorf("there is no rule %q in the layer %s, but one in the layer %s: add --layer %[3]s", r.Rule, layer, other.Layer)}
				}
			}
			return &exitError{exitFailed, fmt.Errorf("there is no rule %q in the layer %s; see codemode-ls permissions", r.Rule, layer)}
		}
	}
	if err := store.Set(layer, e, r.Rule); err != nil {
		return err
	}
	if notice := unmatched(r.Rule); notice != "" && e != "" {
		fmt.Fprintf(a.stderr, "%s matches no tool now: %s\n", single(r.Rule), printable(notice))
	}
	done := "removed"
	if e != "" {
		done = string(e)
	}
	fmt.Fprintf(a.stdout, "%s\t%s\t%s\n", done, single(r.Rule), layer)
	return nil
}

type (
	permissionsAllow  struct{ ruleArguments }
	permissionsAsk    struct{ ruleArguments }
	permissionsDeny   struct{ ruleArguments }
	permissionsRemove struct{ ruleArguments }
)

func (permissionsAllow) Help() string {
	return `Examples:
  codemode-ls permissions allow 'mcp__github__get_*'
  codemode-ls permissions allow 'mcp__fs__read_file' --layer user`
}

func (permissionsAsk) Help() string {
	return `Examples:
  codemode-ls permissions ask 'mcp__github__*'`
}

func (permissionsDeny) Help() string {
	return `Examples:
  codemode-ls permissions deny 'mcp__github__delete_*' --layer user`
}

func (permissionsRemove) Help() string {
	return `Examples:
  codemode-ls permissions remove 'mcp__github__get_*'
  codemode-ls permissions remove 'mcp__github__delete_*' --layer user`
}

func (c *permissionsAllow) Run(a *app) error  { return c.set(a, permission.Allow) }
func (c *permissionsAsk) Run(a *app) error    { return c.set(a, permission.Ask) }
func (c *permissionsDeny) Run(a *app) error   { return c.set(a, permission.Deny) }
func (c *permissionsRemove) Run(a *app) error { return c.set(a, "") }

type permissionsList struct{}

func (permissionsList) Help() string {
	return `Examples:
  codemode-ls permissions list
  codemode-ls permissions list --workspace ~/src/project`
}

func (permissionsList) Run(a *app) error {
	store, unmatched, err := a.rules()
	if err != nil {
		return err
	}
	problems := store.Problems()
	for _, p := range problems {
		fmt.Fprintf(a.stderr, "%serror: %s\n", problemPlace(p), printable(p.Message))
	}
	rules := store.Rules().All()
	if len(rules) == 0 {
		fmt.Fprintln(a.stderr, "No rules: every call asks for permission.")
	}
	for _, r := range rules {
		from := string(r.Layer)
		if r.File != "" {
			from = fmt.Sprintf("%s:%d", r.File, r.Range.Start.Line+1)
		}
		_, why := store.Rules().Counts(r)
		if notice := unmatched(r.Match); notice != "" {
			why += "\tmatches no tool now: " + single(notice)
		}
		fmt.Fprintf(a.stdout, "%s\t%s\t%s\t%s\n", r.Effect, single(r.Match), single(from), why)
	}
	if len(problems) > 0 {
		fmt.Fprintln(a.stderr, "Until you fix it, every call asks for permission.")
		return &exitError{exitConfiguration, nil}
	}
	return nil
}

// rules opens the rule files, and starts nothing. unmatched says why a rule is about
// no tool, by the servers that are configured and their last known tools.
func (a *app) rules() (store *permission.Store, unmatched func(match string) string, _ error) {
	o, err := a.options()
	if err != nil {
		return nil, nil, err
	}
	store = permission.OpenStore(permission.StoreOptions{
		UserDir: o.Sources.UserDir, Folder: o.Sources.Folders[0],
	})
	// A rule that is set here is for the servers as they are defined now.
	c := config.Load(o.Sources)
	known := new(permission.Known)
	for _, s := range c.Servers {
		known.Servers = append(known.Servers, workspace.RuleServer(s, c))
	}
	store.SetKnown(known)
	return store, func(match string) string { return workspace.UnmatchedByLast(match, c, o.CacheDir) }, nil
}
