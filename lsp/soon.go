package lsp

import (
	"context"
	"time"
)

// soon is snap, or the newest snapshot once the workspace has the tools of last
// time, for a client that asks right after its start. It does not wait for their
// declarations (LSP-1).
func (s *Server) soon(ctx context.Context, snap *Snapshot) *Snapshot {
	if snap.Opened || !s.started.Load() {
		return snap
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	select {
	case <-s.recalled:
	case <-ctx.Done():
		return snap
	}
	now := *s.session.Snapshot()
	if !now.Opened {
		now.Workspace, now.Opened = s.workspace.Snapshot(), true
	}
	return &now
}
