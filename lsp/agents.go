package lsp

import (
	"context"
	"slices"

	"codemode-ls/catalog"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AnnounceParams of codemode/announce. Markers are those still in the caller's
// history, oldest first; absent means that it cannot be read (ANN-11). Declared
// defaults to whether Exec is switched on (ANN-0).
type AnnounceParams struct {
	Markers  jsontext.Value `json:"markers,omitzero"`
	Declared *bool          `json:"declared,omitzero"`
	Channel  string         `json:"channel,omitzero"` // "catalog" (default) or "instructions"
}

// Announced is the answer: what to append to the conversation, or null.
type Announced struct {
	Message *catalog.Announcement `json:"message"`
}

// announce answers codemode/announce.
func (s *Server) announce(ctx context.Context, snap *Snapshot, p *AnnounceParams) (*Announced, error) {
	q := catalog.AnnounceRequest{Channel: catalog.Channel(p.Channel)}
	if !slices.Contains([]string{"", "catalog", "instructions"}, p.Channel) {
		return nil, badParams(`channel must be "catalog" or "instructions"`)
	}
	if len(p.Markers) > 0 && p.Markers.Kind() != 'n' {
		markers, err := markersOf(p.Markers)
		if err != nil {
			return nil, err
		}
		q.Markers = markers
	}
	snap, err := s.withPool(ctx, snap)
	if err != nil {
		return nil, err
	}
	q.Declared = !snap.Workspace.ExecOff()
	if p.Declared != nil {
		q.Declared = *p.Declared
	}
	q.Render = renderOptions(snap.Workspace)
	return &Announced{Message: snap.Workspace.Catalog.Announce(q)}, nil
}

// DeclarationsParams of codemode/declarations: Mode "code" (default), "native"
// or "both"; Disallowed names get no declaration.
type DeclarationsParams struct {
	Mode       string   `json:"mode,omitzero"`
	Disallowed []string `json:"disallowed,omitzero"`
}

// markersOf splits a JSON array into its elements, which the server alone reads.
func markersOf(list jsontext.Value) ([]jsontext.Value, error) {
	markers := []jsontext.Value{}
	if err := json.Unmarshal(list, &markers); err != nil {
		return nil, badParams("markers must be an array of objects, each as it was given")
	}
	return markers, nil
}

// declarations answers codemode/declarations: what to declare to an agent now
// (DECL-1…5, DECL-7, DECL-9).
func (s *Server) declarations(ctx context.Context, snap *Snapshot, p *DeclarationsParams) (*catalog.AgentTools, error) {
	mode, err := catalog.ParseMode(p.Mode)
	if err != nil {
		return nil, badParams("%v", err)
	}
	if _, err = s.withPool(ctx, snap); err != nil {
		return nil, err
	}
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	if s.forAgents.CompareAndSwap(false, true) {
		notify(s.approvalsPending) // scripts of the workspace matter from now on
	}
	answer, err := w.Declarations(ctx, mode, p.Disallowed)
	if err != nil {
		return nil, err
	}
	return &answer, nil
}
