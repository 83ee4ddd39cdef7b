package lsp

import (
	"cmp"
	"context"

	"go.lsp.dev/protocol"
)

// commandApplyEdit has the client apply an edit, for those that know no code action
// literals.
func (s *Server) commandApplyEdit(ctx context.Context, _ *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	edit, ok, err := argument[protocol.WorkspaceEdit](p, 0)
	if err != nil || !ok {
		return nil, cmp.Or(err, badParams("%s requires an edit", p.Command))
	}
	ctx, cancel := context.WithTimeout(ctx, configurationTime)
	defer cancel()
	if _, err := s.client.ApplyEdit(ctx, &protocol.ApplyWorkspaceEditParams{Edit: edit}); err != nil {
		return nil, err
	}
	return &Done{}, nil
}

// commandExplain shows the page of a diagnostic's code.
func (s *Server) commandExplain(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	code, _, err := argument[string](p, 0)
	if err != nil {
		return nil, err
	}
	return s.showExplanation(ctx, snap, code)
}
