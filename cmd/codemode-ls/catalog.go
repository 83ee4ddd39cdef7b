package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"codemode-ls/analysis/overview"
	"codemode-ls/catalog"
)

type catalogCommand struct {
	Fresh     bool   `help:"List the servers' tools again first instead of using the kept lists."`
	Budget    *int   `help:"Budget for the tools in tokens; the header and the notes on a part are not counted. Default: the setting." placeholder:"N"`
	Namespace string `help:"Only this server's tools." placeholder:"NS"`
	Servers   bool   `help:"Print what each server costs, instead of the text."`
	JSON      bool   `name:"json" help:"Print the answer of codemode/catalog."`
}

func (catalogCommand) Help() string {
	return `Examples:
  codemode-ls catalog
  codemode-ls catalog --servers
  codemode-ls catalog --budget 500 --namespace demo
  codemode-ls catalog --json`
}

func (c *catalogCommand) Run(a *app) error {
	w, err := a.open(needs{fresh: c.Fresh}, nil)
	if err != nil {
		return err
	}
	defer w.Close()
	s := w.Snapshot()
	o := catalog.RenderOptions{
		BudgetTokens:     s.Config.Catalog.BudgetTokens,
		MaxDepth:         s.Config.Catalog.MaxDepth,
		DescriptionWidth: s.Config.Catalog.DescriptionWidth,
		Namespace:        c.Namespace,
	}
	if c.Budget != nil {
		if *c.Budget < 0 {
			return &exitError{exitUsage, fmt.Errorf("--budget %d: a budget is 0 or more", *c.Budget)}
		}
		o.BudgetTokens = *c.Budget
	}
	if err := a.known(c.Namespace, s.Catalog); err != nil {
		return err
	}
	r := s.Catalog.Render(o)
	if c.JSON {
		return printJSON(a.stdout, overview.CatalogOf(r, s))
	}
	if c.Servers {
		return a.printCosts(r)
	}
	fmt.Fprintln(a.stdout, a.data(r.Text))
	fmt.Fprintln(a.stderr, catalogSummary(r))
	return nil
}

// printCosts shows what each server costs: the most expensive one first.
func (a *app) printCosts(r *catalog.Rendering) error {
	t := newTable("SERVER", "TOOLS", "SHOWN", "TOKENS SHOWN", "OF ALL", "DECLARED ONE BY ONE")
	t.right = map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}
	servers := slices.SortedStableFunc(slices.Values(r.Servers), func(x, y catalog.ServerRendering) int { return cmp.Compare(y.Tokens, x.Tokens) })
	for _, s := range servers {
		t.row(oneLine(s.Name), thousands(s.Tools), thousands(s.Shown), thousands(s.ShownTokens), thousands(s.Tokens), thousands(s.FlatTokens))
	}
	if err := a.printTable(t); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, catalogSummary(r))
	return nil
}

// catalogSummary is the cost of the text, against the same tools without Code Mode. Of a
// part, what the whole would cost is the number to compare with.
func catalogSummary(r *catalog.Rendering) string {
	if !r.Partial {
		text := fmt.Sprintf("All %s tools are shown: %s tokens. Declared one by one they cost %s", thousands(r.Total), thousands(r.Tokens), thousands(r.FlatTokens))
		if r.Tokens > r.FlatTokens {
			text += ", without the types of their results"
		}
		return text + "."
	}
	whole := 0
	for _, s := range r.Servers {
		whole += s.Tokens
	}
	return fmt.Sprintf("%s of %s tools are shown: %s tokens, with what announces the rest. All of them would take %s; declared one by one they cost %s. Scripts find the others by search.",
		thousands(r.Shown), thousands(r.Total), thousands(r.Tokens), thousands(whole), thousands(r.FlatTokens))
}

type searchCommand struct {
	Fresh     bool     `help:"List the servers' tools again first instead of using the kept lists."`
	Words     []string `arg:"" name:"word" optional:"" help:"Words to look for. Without: all tools."`
	Limit     *int     `help:"At most this many; 0 is all. Default: 20, and all with --json." placeholder:"N"`
	Long      bool     `short:"l" help:"Print whole descriptions and signatures, instead of a line for each tool."`
	Offset    int      `help:"Leave out the first ones." placeholder:"N"`
	Namespace string   `help:"Only this server's tools." placeholder:"NS"`
	JSON      bool     `name:"json" help:"Print the matches as JSON."`
}

func (searchCommand) Help() string {
	return `Examples:
  codemode-ls search create issue
  codemode-ls search --namespace github --limit 5 --long label`
}

func (c *searchCommand) Run(a *app) error {
	w, err := a.open(needs{fresh: c.Fresh}, nil)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := a.known(c.Namespace, w.Snapshot().Catalog); err != nil {
		return err
	}
	limit := 20
	switch {
	case c.Limit != nil && *c.Limit < 0:
		return &exitError{exitUsage, fmt.Errorf("--limit %d: a limit is 0 or more", *c.Limit)}
	case c.Limit != nil:
		limit = *c.Limit
	case c.JSON:
		limit = 0
	}
	matches, remaining := w.Snapshot().Catalog.Search(catalog.Query{
		Query: strings.Join(c.Words, " "), Namespace: c.Namespace, Limit: limit, Offset: c.Offset,
	})
	if c.JSON {
		return printJSON(a.stdout, matches)
	}
	found := len(matches)
	if !c.Long {
		width := screenWidth(a.stdout)
		for _, m := range matches {
			fmt.Fprintln(a.stdout, shortTool(m.Name, m.Description, width, isTerminal(a.stdout)))
		}
		matches = nil
	}
	for i, m := range matches {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if m.Description != "" {
			fmt.Fprintln(a.stdout, a.data(m.Description))
		}
		fmt.Fprintln(a.stdout, a.data(m.Signature))
	}
	if found == 0 {
		fmt.Fprintln(a.stderr, "Nothing found. Without words the whole pool is listed: codemode-ls search")
	}
	if remaining > 0 {
		fmt.Fprintf(a.stderr, "%d more: --offset %d\n", remaining, c.Offset+found)
	}
	return nil
}

// shortTool is a line for a tool: its name and the beginning of its description. On a
// terminal it fits the width.
func shortTool(name, description string, width int, cut bool) string {
	line := oneLine(name)
	if about, _, _ := strings.Cut(strings.TrimSpace(description), "\n"); about != "" {
		line += "  " + oneLine(about)
	}
	if cut {
		line = cutTo(line, width-1)
	}
	return line
}

// known is a usage error for a namespace that no tool is in; "" is all of them.
func (a *app) known(namespace string, c *catalog.Catalog) error {
	if found, _ := c.Search(catalog.Query{Namespace: namespace, Limit: 1}); namespace == "" || len(found) > 0 {
		return nil
	}
	var all []string
	for _, s := range c.Servers() {
		all = append(all, s.Namespace)
	}
	if len(all) == 0 { // what failed has been said
		return nil
	}
	word := strings.ToLower(strings.TrimPrefix(namespace, "mcp__"))
	if near := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !strings.Contains(s, word) }); len(near) > 0 {
		all = near
	}
	const most = 20
	more := ""
	if len(all) > most {
		more = fmt.Sprintf(" and %d more; codemode-ls servers lists them", len(all)-most)
		all = all[:most]
	}
	return &exitError{exitUsage, fmt.Errorf("no tool is in the namespace %q; there are: %s%s", namespace, strings.Join(all, ", "), more)}
}
