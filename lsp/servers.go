package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// servers answers codemode/servers.
func (s *Server) servers(ctx context.Context, snap *Snapshot, _ *nothing) ([]ServerStatus, error) {
	snap, err := s.withPool(ctx, snap)
	if err != nil {
		return nil, err
	}
	return ServerList(snap.Workspace), nil
}

// ServerList is the answer of codemode/servers.
func ServerList(w *workspace.Snapshot) []ServerStatus {
	list := make([]ServerStatus, 0, len(w.Servers))
	for _, v := range w.Servers {
		status := ServerStatus{
			Name: v.Server.Name, Namespace: catalog.Namespace(v.Server.Name),
			Source: string(v.Server.Layer), Client: v.Server.Client, File: v.Server.File, Line: v.Server.Line,
			Resembles: analysis.Plain(v.Server.Resembles, 400),
			Transport: v.Server.Transport, Status: string(v.State),
			Tools: v.Tools, Error: v.Error, Stderr: v.Stderr, Cached: v.Cached,
			Problems: problemsOf(w.Catalog, v), CodeMode: v.CodeMode, Self: v.Self,
		}
		switch {
		case v.SignIn:
			status.Auth = "required"
			for _, scope := range v.Scopes {
				status.Scopes = append(status.Scopes, analysis.Plain(scope, 100))
			}
		case v.SignedIn:
			status.Auth = "signedIn"
		}
		for _, fault := range v.Faults {
			status.Faults = append(status.Faults, analysis.Plain(fault, 300))
		}
		if v.State == upstream.Untrusted {
			status.Approval = approvalOf(v.Server)
			status.Approval.Refused = v.Refused
		}
		list = append(list, status)
	}
	return list
}

// maxProblems is how many problems of one server are listed.
const maxProblems = 20

// problemsOf is what is wrong with the tools that a server sent: those that are
// left out and why, and those with a broken part, by name (POOL-5).
func problemsOf(c *catalog.Catalog, st upstream.Status) (problems []string) {
	for _, p := range st.LeftOut {
		problems = append(problems, analysis.Plain(p, 300))
	}
	for _, conflict := range c.Conflicts() {
		if conflict.Dropped == st.Server.Name {
			problems = append(problems, fmt.Sprintf("%s is left out: server %s has a tool of this name", analysis.Plain(conflict.Name, 100), analysis.Plain(conflict.Kept, 80)))
		}
	}
	for _, s := range c.Servers() {
		if s.Name != st.Server.Name {
			continue
		}
		for _, t := range s.Tools {
			if broken := t.Broken(); len(broken) > 0 {
				problems = append(problems, t.Name+": "+analysis.BrokenWords(broken))
			}
		}
	}
	if n := len(problems) - maxProblems; n > 0 {
		problems = append(problems[:maxProblems], fmt.Sprintf("%d more", n))
	}
	return problems
}

// approvalOf shows a definition as it is written: values of variables may be secrets.
func approvalOf(v config.Server) *ServerApproval {
	shown := v.Shown()
	a := &ServerApproval{
		Hash: v.ApprovalHash(), Command: shown.Command, Args: shown.Args, Cwd: shown.Cwd, URL: shown.URL,
		SignIn:  shown.OAuth.Summary(),
		Env:     slices.Sorted(maps.Keys(shown.Env)),
		Headers: slices.Sorted(maps.Keys(shown.Headers)),
	}
	for _, read := range shown.Reads {
		a.Reads = append(a.Reads, VariableRead{read.Name, read.To})
	}
	return a
}

// sameStatus compares what people see in codemode/servers.
func sameStatus(a, b upstream.Status) bool {
	return a.Server.Name == b.Server.Name && a.State == b.State && a.Tools == b.Tools &&
		a.Error == b.Error && a.Stderr == b.Stderr && a.Cached == b.Cached && a.Refused == b.Refused &&
		slices.Equal(a.Faults, b.Faults) && a.CodeMode == b.CodeMode && a.Self == b.Self && a.SignIn == b.SignIn && a.SignedIn == b.SignedIn && slices.Equal(a.Scopes, b.Scopes) && slices.Equal(a.LeftOut, b.LeftOut) &&
		a.Server.Hash() == b.Server.Hash()
}

// reportServers sends codemode/serversChanged.
func (s *Server) reportServers(ctx context.Context, old, next *workspace.Snapshot) {
	if s.session.Snapshot().Client.Codemode != nil && !slices.EqualFunc(old.Servers, next.Servers, sameStatus) {
		s.notify(ctx, NoticeServersChanged, ServerList(next))
	}
}

// restartServer answers codemode/restartServer.
func (s *Server) restartServer(ctx context.Context, snap *Snapshot, p *ServerParams) (*Done, error) {
	if p.Name == "" {
		return nil, badParams("name is missing")
	}
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(w.Snapshot().Servers, func(v upstream.Status) bool { return v.Server.Name == p.Name }) {
		return nil, failure(CodeUnknownServer, "no server %q is configured", p.Name)
	}
	if err := w.Restart(p.Name); err != nil {
		return nil, err
	}
	return &Done{}, nil
}

// serverArgument is the server that a command is about: its argument, the only
// one there is, or the one that the person chooses; "" when none is chosen.
func (s *Server) serverArgument(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams, question string) (string, error) {
	name, ok, err := argument[string](p, 0)
	if err != nil || ok && name != "" {
		return name, err
	}
	if snap, err = s.withPool(ctx, snap); err != nil {
		return "", err
	}
	var items []protocol.MessageActionItem
	for _, v := range snap.Workspace.Servers {
		items = append(items, protocol.MessageActionItem{Title: v.Server.Name})
	}
	switch len(items) {
	case 0:
		s.showMessage(ctx, protocol.MessageTypeInfo, "No MCP server is configured.")
		return "", nil
	case 1:
		return items[0].Title, nil
	}
	item, err := s.client.ShowMessageRequest(ctx, &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeInfo, Message: question, Actions: items,
	})
	if err != nil || item == nil {
		return "", ctx.Err() // closed, which some clients say with an error
	}
	return item.Title, nil
}
