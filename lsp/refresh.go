package lsp

import (
	"context"
	"time"
)

// refresh asks the client to ask again for all that depends on the pool and the
// rules. Nobody waits for its answers.
func (s *Server) refresh(snap *Snapshot) {
	s.ask(snap.Client.pulls(), s.client.DiagnosticRefresh)
	s.ask(snap.Client.SemanticTokenRefresh, s.client.SemanticTokensRefresh)
	s.refreshRuns(snap)
}

// refreshRuns is refresh for what depends on runs alone.
func (s *Server) refreshRuns(snap *Snapshot) {
	s.ask(snap.Client.CodeLensRefresh, s.client.CodeLensRefresh)
	s.ask(snap.Client.InlayHintRefresh, s.client.InlayHintRefresh)
}

// ask sends a request whose answer nobody waits for, to a client that knows it.
func (s *Server) ask(can bool, request func(context.Context) error) {
	if !can {
		return
	}
	s.spawn(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, configurationTime)
		defer cancel()
		if err := request(ctx); err != nil && ctx.Err() == nil {
			s.log.Debug("refresh refused", "err", err)
		}
	})
}

// refreshPause is how long the client is left alone after it was asked to look
// at the states again.
const refreshPause = 250 * time.Millisecond

// followStates asks the client to look at lenses and hints again when a call of a
// run has changed, but not for each change.
func (s *Server) followStates(ctx context.Context) {
	pause := time.NewTimer(refreshPause)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.statesChanged:
		}
		s.refreshRuns(s.session.Snapshot())
		pause.Reset(refreshPause)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}
