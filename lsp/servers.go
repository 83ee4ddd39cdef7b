package lsp

import (
	"context"
	"slices"

	"codemode-ls/analysis/overview"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// servers answers codemode/servers.
func (s *Server) servers(ctx context.Context, snap *Snapshot, _ *nothing) ([]overview.ServerStatus, error) {
	snap, err := s.withPool(ctx, snap)
	if err != nil {
		return nil, err
	}
	return overview.Servers(snap.Workspace), nil
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
		s.notify(ctx, NoticeServersChanged, overview.Servers(next))
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
