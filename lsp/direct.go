package lsp

import (
	"context"
	"fmt"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/exec"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
)

// callTool answers codemode/callTool: one call that an agent makes itself. What
// goes wrong with it is in the result; only a malformed request is an error.
func (s *Server) callTool(ctx context.Context, snap *Snapshot, p *CallToolParams) (*exec.CallResult, error) {
	if p.Name == "" {
		return nil, badParams("name is missing")
	}
	results, err := s.callDirect(ctx, snap, p.DirectParams, "Calling "+analysis.Plain(p.Name, 80), exec.DirectCall{Name: p.Name, Arguments: p.Arguments})
	if err != nil {
		return nil, err
	}
	return &results[0], nil
}

// executeBatch answers codemode/executeBatch: a list of such calls (SCHED-2).
func (s *Server) executeBatch(ctx context.Context, snap *Snapshot, p *ExecuteBatchParams) ([]exec.CallResult, error) {
	if p.Calls == nil {
		return nil, badParams("calls is missing")
	}
	calls := make([]exec.DirectCall, len(p.Calls))
	for i, c := range p.Calls {
		switch {
		case c.ID == "":
			return nil, badParams("calls/%d/id is missing", i)
		case c.Name == "":
			return nil, badParams("calls/%d/name is missing", i)
		}
		calls[i] = exec.DirectCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
	}
	return s.callDirect(ctx, snap, p.DirectParams, fmt.Sprintf("Making %d calls", len(calls)), calls...)
}

// callDirect makes direct calls as the settings and rules of this moment have it
// (DECL-5).
func (s *Server) callDirect(ctx context.Context, snap *Snapshot, p DirectParams, title string, calls ...exec.DirectCall) ([]exec.CallResult, error) {
	mode, err := catalog.ParseMode(p.Mode)
	if err != nil {
		return nil, badParams("%v", err)
	}
	w, err := s.runnable(ctx)
	if err != nil {
		return nil, err
	}
	doc := scriptOfCalls(snap, calls)
	names := usedTools(doc)
	for _, c := range calls {
		names[c.Name] = true
	}
	if err := s.awaitTools(ctx, names); err != nil {
		return nil, err
	}
	progress := s.newProgress(ctx, p.WorkDoneToken, title)
	defer progress.end("")
	results := w.Runner().CallDirect(ctx, exec.DirectRequest{
		Calls: calls, Agent: w.Snapshot().Agent(mode, p.Disallowed), SessionID: p.SessionID,
		Asker: &asker{s: s, doc: doc, agent: agentName(ctx)}, Models: s.modelsOf(snap.Client),
		Events: func(e exec.Event) {
			switch e.Kind {
			case "started":
				s.runStarted(e.RunID, "")
			case "finished":
				s.runEnded(e.RunID)
			}
			progress.event(e)
			if snap.Client.events() {
				s.notify(s.ctx, NoticeExecEvent, ExecEvent{Event: doc.WireEvent(e), Agent: agentName(ctx)})
			}
			if agent := agentOf(ctx); agent != nil {
				agent.event(e)
			}
		},
	})
	return analysis.OrEmpty(results), nil
}

// scriptOfCalls is the script that runs among the calls, by Exec or as a tool, for messages about
// its places; of several, places are in UTF-16 units.
func scriptOfCalls(snap *Snapshot, calls []exec.DirectCall) *analysis.Document {
	text, scripts := "", 0
	for _, c := range calls {
		if tool, ok := snap.Workspace.Script(c.Name); ok {
			text = tool.Text
			scripts++
			continue
		}
		if c.Name != catalog.ExecName {
			continue
		}
		var in struct {
			Code string `json:"code"`
		}
		if json.Unmarshal(c.Arguments, &in) == nil {
			text = in.Code
		}
		scripts++
	}
	if scripts > 1 {
		return analysis.NewDocument("", 0, script.TypeScript, "", "")
	}
	return analysis.NewDocument("", 0, script.TypeScript, text, snap.Client.Encoding)
}
