package workspace

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/upstream"
)

// refresh makes the snapshot of this moment, or gives the last one when nothing
// has changed. It is where servers, exclusions and rules become the pool: a
// denied tool is out of it with the next look (POOL-1, PERM-3).
func (w *Workspace) refresh() *Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	changes := w.changes.Load() // before looking: what changes meanwhile is seen next time
	rules := w.store.Rules()
	if w.current != nil && changes == w.seen && rules == w.current.Rules {
		return w.current
	}
	w.seen = changes
	pool := w.pool(rules)
	w.store.SetFixed(append(append(w.flagRules(), builtinRules(pool, w.loaded.used)...), guardRules(w.loaded)...))
	w.store.SetKnown(known(pool, w.loaded))
	next := &Snapshot{
		Config:   w.loaded.config,
		Catalog:  pool,
		Rules:    w.store.Rules(),
		Servers:  w.cleaned(append(w.narrowed(w.set.Status()), untrusted(w.loaded.waiting)...)),
		Listed:   w.offers(),
		Problems: append(w.store.Problems(), unreadHooks(w.loaded.config)...),

		UndecidedHooks: w.undecidedHooks(w.loaded.config),
		UsesDemo:       w.loaded.usesDemo,
		onDemand:       w.o.OnDemand,
	}
	next.Scripts, next.UndecidedScripts = w.scripts.decided()
	next.ResultProblems = w.written.problems(pool)
	if w.current == nil || !same(w.current, next) {
		w.current = next
	}
	return w.current
}

// offers are the servers that the pool is made of.
func (w *Workspace) offers() []*catalog.Server {
	if len(w.o.Recordings) > 0 {
		return w.loaded.recorded
	}
	return w.set.Servers()
}

// pool is the one function that computes the pool (POOL-1). It gives the catalog
// of before when that has the same tools.
func (w *Workspace) pool(rules *permission.Rules) *catalog.Catalog {
	servers := w.offers()
	definitions := map[string]config.Server{}
	if len(w.o.Recordings) == 0 {
		for _, s := range w.loaded.used {
			definitions[s.Name] = s
		}
	}
	pool := catalog.New(servers, func(t *catalog.Tool) bool {
		return definitions[t.Server].Offers(t.MCPName) && exposure(w.loaded.config, t.Name, t.Server) != exposedHidden &&
			w.loaded.exclude.Decide(t.Name).Effect != permission.Deny && rules.Decide(t.Name).Effect != permission.Deny
	}).Styled(w.loaded.config.Catalog.MaxDepth, w.loaded.config.Catalog.DescriptionWidth).Offering(w.offer())
	if w.current != nil {
		old := w.current.Catalog
		if w.current.Config.Catalog == w.loaded.config.Catalog && old.Offer() == pool.Offer() && slices.Equal(old.Tools(), pool.Tools()) && slices.Equal(old.Servers(), pool.Servers()) && slices.Equal(old.Conflicts(), pool.Conflicts()) {
			return old
		}
	}
	return pool
}

// narrowed notes at each server what the lists of its configuration leave out, and whose
// list it is (MCP-2).
func (w *Workspace) narrowed(list []upstream.Status) []upstream.Status {
	listed := map[string][]*catalog.Tool{}
	for _, s := range w.set.Servers() {
		listed[s.Name] = s.Tools
	}
	for i := range list {
		s := list[i].Server
		if s.DisabledBy != "" {
			list[i].LeftOut = []string{"the server is switched off by " + s.DisabledBy}
		}
		var out []string
		for _, t := range listed[s.Name] {
			if !s.Offers(t.MCPName) {
				out = append(out, t.MCPName)
			}
		}
		if len(out) > 0 {
			note := fmt.Sprintf("%d of its tools are left out by the list of its definition in %s: %s", len(out), config.Origin(s), strings.Join(out, ", "))
			list[i].LeftOut = slices.Concat([]string{note}, list[i].LeftOut)
		}
	}
	return list
}

// offer is what scripts have beside the pool.
func (w *Workspace) offer() catalog.Offer {
	c := w.loaded.config
	o := catalog.Offer{Files: c.Files, Models: w.o.Models, Extended: c.ExtendedGlobals}
	o.Results, o.ShowResults = w.knownResults(), c.ShowResults
	return o
}

// builtinRules allow the tools of the demo server that this program defines
// itself. They name each tool: a configured server may have a name that looks
// like the demo's (demo__x has the key demo, POOL-2).
func builtinRules(pool *catalog.Catalog, servers []config.Server) []permission.Rule {
	var rules []permission.Rule
	for _, s := range servers {
		if s.Layer != config.Demo {
			continue
		}
		for _, t := range pool.Tools() {
			if t.Server == s.Name {
				rules = append(rules, permission.Rule{Effect: permission.Allow, Layer: permission.Builtin, Match: permission.Literal(t.Name)})
			}
		}
	}
	return rules
}

// guardRules ask for every call while there are hooks that cannot be read: a guard
// must not be skipped in silence, as denials in a file of rules are not (PERM-10).
func guardRules(l loaded) []permission.Rule {
	var rules []permission.Rule
	for _, f := range l.config.UnreadHooks {
		layer := permission.User
		for _, folder := range l.sources.Folders {
			if f.File != "" && f.File == filepath.Join(folder, filepath.FromSlash(config.HooksFile)) {
				layer = permission.Repository
			}
		}
		rules = append(rules, permission.Rule{Effect: permission.Ask, Layer: layer, Match: "mcp__*__*", File: f.File, Range: rangeOf(f)})
	}
	return rules
}

// unreadHooks are the problems that guardRules come from.
func unreadHooks(c *config.Config) []permission.Problem {
	var problems []permission.Problem
	for _, f := range c.UnreadHooks {
		problems = append(problems, permission.Problem{
			File: f.File, Range: rangeOf(f), Message: "a hook that denies calls may be missing because of this: " + f.Message,
		})
	}
	return problems
}

func rangeOf(f config.Finding) script.Range {
	return script.Range{
		Start: script.Position{Line: f.StartLine, Character: f.StartColumn},
		End:   script.Position{Line: f.EndLine, Character: f.EndColumn},
	}
}

func same(a, b *Snapshot) bool {
	return a.Config == b.Config && a.Catalog == b.Catalog && a.Rules == b.Rules && a.UsesDemo == b.UsesDemo && slices.Equal(a.Listed, b.Listed) &&
		slices.Equal(a.Scripts, b.Scripts) && slices.Equal(a.UndecidedScripts, b.UndecidedScripts) &&
		slices.Equal(a.Problems, b.Problems) && slices.Equal(a.ResultProblems, b.ResultProblems) && slices.EqualFunc(a.UndecidedHooks, b.UndecidedHooks, func(x, y config.Hook) bool { return x.Hash() == y.Hash() }) && reflect.DeepEqual(a.Servers, b.Servers)
}
