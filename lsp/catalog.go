package lsp

import (
	"context"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/analysis/overview"
	"codemode-ls/catalog"
	"codemode-ls/permission"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// catalog answers codemode/catalog.
func (s *Server) catalog(ctx context.Context, snap *Snapshot, p *CatalogParams) (*overview.Catalog, error) {
	snap, err := s.withPool(ctx, snap)
	if err != nil {
		return nil, err
	}
	o := renderOptions(snap.Workspace)
	o.Namespace = p.Namespace
	if p.BudgetTokens != nil {
		if *p.BudgetTokens < 0 {
			return nil, badParams("budgetTokens must not be negative")
		}
		o.BudgetTokens = *p.BudgetTokens
	}
	answer := overview.CatalogOf(snap.Workspace.Catalog.Render(o), snap.Workspace)
	if p.NamesOnly {
		answer.OnlyNames()
	}
	return answer, nil
}

// renderOptions are the catalog's settings.
func renderOptions(w *workspace.Snapshot) catalog.RenderOptions {
	return catalog.RenderOptions{
		BudgetTokens:     w.Config.Catalog.BudgetTokens,
		MaxDepth:         w.Config.Catalog.MaxDepth,
		DescriptionWidth: w.Config.Catalog.DescriptionWidth,
	}
}

// verdict is what the rules say of a tool, in the protocol's words.
func verdict(rules *permission.Rules, name string) string {
	return string(rules.Decide(name).Effect)
}

// checkFields refuses what a search has not: { q: "…" } would be a search for
// nothing, which finds everything (SRCH-6). The error shows the expected shape.
func (*SearchParams) checkFields(raw jsontext.Value) error {
	var fields map[string]jsontext.Value
	if err := json.Unmarshal(raw, &fields); err != nil {
		return badParams("%s: %s", MethodSearch, malformed(err))
	}
	for name := range fields {
		switch name {
		case "query", "namespace", "limit", "offset", "workDoneToken", "partialResultToken":
		default:
			if _, err := catalog.ParseQuery(raw); err != nil {
				return badParams("%s", err)
			}
		}
	}
	return nil
}

// search answers codemode/search.
func (s *Server) search(ctx context.Context, snap *Snapshot, p *SearchParams) ([]FoundTool, error) {
	if p.Limit < 0 || p.Offset < 0 {
		return nil, badParams("limit and offset must not be negative")
	}
	snap, err := s.withPool(ctx, snap)
	if err != nil {
		return nil, err
	}
	found, remaining := snap.Workspace.Catalog.Search(p.Query)
	matches := make([]FoundTool, len(found))
	for i, m := range found {
		matches[i] = FoundTool{Name: m.Name, Description: m.Description, Signature: m.Signature}
	}
	if len(matches) > 0 {
		matches[len(matches)-1].Remaining = remaining
	}
	return matches, nil
}

// describe answers codemode/describe.
func (s *Server) describe(ctx context.Context, snap *Snapshot, p *DescribeParams) (*Description, error) {
	if p.Name == "" {
		return nil, badParams("name is missing")
	}
	snap, err := s.withPool(ctx, snap)
	if err != nil {
		return nil, err
	}
	c := snap.Workspace.Catalog
	t, ok := c.Find(p.Name)
	if !ok {
		return nil, unknownTool(snap.Workspace, p.Name)
	}
	full, _ := c.Describe(p.Name)
	d := &Description{
		Name: t.Name, Server: t.Server, Title: t.Title, Description: t.Description, Signature: full.Signature,
		Annotations: t.RawAnnotations, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Permission: verdict(snap.Workspace.Rules, t.Name), Exposure: snap.Workspace.Exposure(t.Name),
		Snippet: analysis.CallSnippet(&snap.Client.Client, t),
	}
	for _, b := range t.Broken() {
		d.Problems = append(d.Problems, analysis.ProblemWords(b))
	}
	return d, nil
}

// namespace answers codemode/namespace.
func (s *Server) namespace(ctx context.Context, snap *Snapshot, p *DescribeParams) (*catalog.NamespaceDescription, error) {
	if p.Name == "" {
		return nil, badParams("name is missing")
	}
	snap, err := s.withPool(ctx, snap)
	if err != nil {
		return nil, err
	}
	c := snap.Workspace.Catalog
	d, ok := c.DescribeNamespace(p.Name)
	if ok {
		return &d, nil
	}
	if why := analysis.Absence(snap.Workspace, catalog.ToolOf(p.Name)); why != "" {
		return nil, failure(CodeUnknownTool, "the MCP server %q has no tools now. %s", p.Name, why)
	}
	if close := c.ClosestNamespaces(p.Name, 3); len(close) > 0 {
		return nil, failure(CodeUnknownTool, "there is no MCP server %q with tools; did you mean %s?", p.Name, strings.Join(close, ", "))
	}
	return nil, failure(CodeUnknownTool, "there is no MCP server %q with tools", p.Name)
}

// list answers codemode/list.
func (s *Server) list(ctx context.Context, snap *Snapshot, _ *nothing) ([]catalog.Listed, error) {
	snap, err := s.withPool(ctx, snap)
	if err != nil {
		return nil, err
	}
	return snap.Workspace.Catalog.List(), nil
}

func unknownTool(w *workspace.Snapshot, name string) error {
	if why := analysis.Absence(w, name); why != "" {
		return failure(CodeUnknownTool, "%q is not available now. %s", name, why)
	}
	close := w.Catalog.Closest(name, 3)
	if len(close) == 0 {
		return failure(CodeUnknownTool, "there is no tool %q", name)
	}
	return failure(CodeUnknownTool, "there is no tool %q; did you mean %s?", name, strings.Join(close, ", "))
}

// reportCatalog sends codemode/catalogChanged.
func (s *Server) reportCatalog(ctx context.Context, old, next *workspace.Snapshot) {
	if s.session.Snapshot().Client.Codemode == nil || old.Catalog.Hash() == next.Catalog.Hash() {
		return
	}
	r := next.Catalog.Render(renderOptions(next))
	changes := next.Catalog.Diff(old.Catalog)
	note := CatalogChange{
		Hash: r.Hash, Total: r.Total, Partial: r.Partial,
		Servers: []CatalogChangeServer{},
		Added:   analysis.OrEmpty(changes.Added), Removed: analysis.OrEmpty(changes.Removed), Changed: []string{},
		ChangedFields: analysis.OrEmpty(changes.Changed),
	}
	for _, t := range changes.Changed {
		note.Changed = append(note.Changed, t.Name)
	}
	for _, v := range r.Servers {
		note.Servers = append(note.Servers, CatalogChangeServer{Namespace: v.Namespace, Tools: v.Tools})
	}
	s.notify(ctx, NoticeCatalogChanged, note)
}

// types answers codemode/types: the .d.ts of the pool.
func (s *Server) types(ctx context.Context, snap *Snapshot, _ *nothing) (*Types, error) {
	snap, err := s.withPool(ctx, snap)
	if err != nil {
		return nil, err
	}
	file := snap.Workspace.Catalog.Declarations()
	return &Types{URI: snap.DeclarationsURI, Text: file.Text, Hash: file.Hash}, nil
}
