package lsp

import (
	"context"
	"maps"
	"slices"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/upstream"
	"codemode-ls/workspace"
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
			Transport: v.Server.Transport, Status: string(v.State),
			Tools: v.Tools, Error: v.Error, Stderr: v.Stderr, Cached: v.Cached,
		}
		if v.State == upstream.Untrusted {
			status.Approval = approvalOf(v.Server)
		}
		list = append(list, status)
	}
	return list
}

// approvalOf shows a definition without the values of variables, which may be
// secrets.
func approvalOf(v config.Server) *ServerApproval {
	return &ServerApproval{
		Hash: v.Hash(), Command: v.Command, Args: v.Args, Cwd: v.Cwd, URL: v.URL,
		Env:     slices.Sorted(maps.Keys(v.Env)),
		Headers: slices.Sorted(maps.Keys(v.Headers)),
	}
}

// sameStatus compares what people see.
func sameStatus(a, b upstream.Status) bool {
	return a.Server.Name == b.Server.Name && a.State == b.State && a.Tools == b.Tools &&
		a.Error == b.Error && a.Stderr == b.Stderr && a.Cached == b.Cached &&
		a.Server.Hash() == b.Server.Hash()
}

// tellServers sends codemode/serversChanged.
func (s *Server) tellServers(ctx context.Context, next *workspace.Snapshot) {
	if s.session.Snapshot().Client.Codemode != nil {
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
