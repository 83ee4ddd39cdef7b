package lsp

import (
	"context"
	"fmt"
	"sync"

	"codemode-ls/analysis"
	"codemode-ls/exec"

	"go.lsp.dev/protocol"
)

// A progress shows one run as LSP work-done progress (OBS-1). Without a token it
// does nothing.
type progress struct {
	s     *Server
	token protocol.ProgressToken
	once  sync.Once
}

// newProgress begins to report on the token of a request.
func (s *Server) newProgress(ctx context.Context, token protocol.ProgressToken, title string) *progress {
	p := &progress{s: s, token: token}
	cancellable := true
	p.send(ctx, protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Cancellable: &cancellable})
	if token != nil {
		s.setProgressRun(token, "")
	}
	return p
}

// createProgress asks the client for a token of the server's own, for work that
// the client did not bring one for; without success there is no progress.
func (s *Server) createProgress(ctx context.Context, client *clientCapabilities) protocol.ProgressToken {
	if !client.WorkDoneProgress {
		return nil
	}
	token := protocol.String("codemode-" + s.nextID())
	ctx, cancel := context.WithTimeout(ctx, configurationTime)
	defer cancel()
	if err := s.client.WorkDoneProgressCreate(ctx, &protocol.WorkDoneProgressCreateParams{Token: token}); err != nil {
		return nil
	}
	return token
}

// event reports what happens during the run.
func (p *progress) event(e exec.Event) {
	if p.token == nil {
		return
	}
	switch e.Kind {
	case "started":
		p.s.setProgressRun(p.token, e.RunID)
	case "call":
		if e.Call != nil {
			p.report(fmt.Sprintf("%s: %s", e.Call.Tool, analysis.CallWords[e.Call.Status]))
		}
	case "summary":
		p.report(analysis.FirstLine(e.Summary))
	}
}

func (p *progress) report(message string) {
	p.send(p.s.ctx, protocol.WorkDoneProgressReport{Kind: "report", Message: &message})
}

// end reports the end, once.
func (p *progress) end(message string) {
	p.once.Do(func() {
		end := protocol.WorkDoneProgressEnd{Kind: "end"}
		if message != "" {
			end.Message = &message
		}
		p.send(p.s.ctx, end)
		if p.token != nil {
			p.s.dropProgressRun(p.token)
		}
	})
}

func (p *progress) send(ctx context.Context, value any) {
	if p.token == nil {
		return
	}
	raw, err := protocol.Marshal(value)
	if err != nil {
		p.s.log.Error("progress not encoded", "err", err)
		return
	}
	if err := p.s.client.Progress(ctx, &protocol.ProgressParams{Token: p.token, Value: raw}); err != nil && ctx.Err() == nil {
		p.s.log.Debug("progress not sent", "err", err)
	}
}

// setProgressRun makes window/workDoneProgress/cancel on a token end a run.
func (s *Server) setProgressRun(token protocol.ProgressToken, runID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progressRuns[tokenKey(token)] = runID
}

func (s *Server) dropProgressRun(token protocol.ProgressToken) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.progressRuns, tokenKey(token))
}

func tokenKey(token protocol.ProgressToken) string { return fmt.Sprintf("%T %v", token, token) }

// workDoneProgressCancel is the cancel button of a progress.
func (s *Server) workDoneProgressCancel(_ context.Context, p *protocol.WorkDoneProgressCancelParams) error {
	s.mu.Lock()
	runID, w := s.progressRuns[tokenKey(p.Token)], s.workspace
	s.mu.Unlock()
	if runID != "" && w != nil {
		s.spawn(func(context.Context) { w.Runner().Cancel(runID) })
	}
	return nil
}
