package lsp

import (
	"context"
	"path"
	"unicode/utf8"

	"codemode-ls/analysis"
	"codemode-ls/exec"
	"codemode-ls/script"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// exec answers codemode/exec: it runs a script and waits for its end. What the
// script's author did wrong is in the result; only a malformed request is an
// error.
func (s *Server) exec(ctx context.Context, snap *Snapshot, p *ExecParams) (*exec.Result, error) {
	doc, err := scriptOf(snap, p.Code, p.TextDocument)
	if err != nil {
		return nil, err
	}
	switch p.Check {
	case "", "off", "hint", "error":
	default:
		return nil, badParams(`check must be "off", "hint" or "error"`)
	}
	if p.TimeoutMs < 0 || p.ActiveMs < 0 || p.MaxToolCalls < 0 || p.MaxOutputTokens < 0 {
		return nil, badParams("limits must not be negative")
	}
	w, err := s.runnable(ctx)
	if err != nil {
		return nil, err
	}
	if p.Replay == "" { // which needs no server
		wait := s.awaitTools
		if p.Check == "error" { // which knows the tools that the engine has declarations of
			wait = s.awaitNamed
		}
		if err := wait(ctx, usedTools(doc)); err != nil {
			return nil, err
		}
	}
	q := exec.Request{
		Code: doc.Text, URI: doc.URI, Language: doc.Language, SessionID: p.SessionID,
		TimeoutMs: p.TimeoutMs, ActiveMs: p.ActiveMs, MaxToolCalls: p.MaxToolCalls,
		Input: p.Input, MaxOutputTokens: p.MaxOutputTokens, Check: p.Check, DryRun: p.DryRun,
		Asker: &asker{s: s, doc: doc, agent: agentName(ctx)}, Models: s.modelsOf(snap.Client),
	}
	tape, err := withCassette(w, &q, p, scriptName(doc))
	if err != nil {
		return nil, err
	}
	q.WholeValue = q.Record != nil // what a later run is compared with
	progress := s.newProgress(ctx, p.WorkDoneToken, "Running "+title(doc))
	defer progress.end("")
	q.Events = func(e exec.Event) {
		if e.Kind == "started" {
			s.runStarted(e.RunID, doc.URI)
			s.states.begin(doc, e.RunID)
			notify(s.statesChanged)
		}
		if e.Call != nil {
			s.states.note(doc, e.RunID, *e.Call)
			notify(s.statesChanged)
		}
		progress.event(e)
		if snap.Client.events() {
			s.notify(s.ctx, NoticeExecEvent, ExecEvent{Event: doc.WireEvent(e), URI: doc.URI, Token: p.Token, Agent: agentName(ctx)})
		}
		if agent := agentOf(ctx); agent != nil {
			agent.event(e)
		}
	}
	result := tape.finish(w.Runner().Run(ctx, q))
	s.runEnded(result.RunID)
	progress.end(analysis.FirstLine(result.Summary))
	s.remember(doc, result)
	return doc.WireResult(result), nil
}

// scriptOf is the script that a request is about: exactly one of code and an
// open document, whose unsaved text counts.
func scriptOf(snap *Snapshot, code *string, td *protocol.TextDocumentIdentifier) (*analysis.Document, error) {
	switch {
	case (code == nil) == (td == nil):
		return nil, badParams("exactly one of code and textDocument is required")
	case code != nil:
		return analysis.NewDocument("", 0, script.TypeScript, *code, snap.Client.Encoding), nil
	}
	d, err := snap.document(td.URI)
	if err != nil {
		return nil, err
	}
	if d.Script {
		return d, nil
	}
	return nil, badParams("%s is not a script (*.exec.ts or *.exec.js)", d.URI)
}

// scriptName is the name of a script's file, "" when it has none.
func scriptName(d *analysis.Document) string {
	if d.URI == "" {
		return ""
	}
	return path.Base(uri.URI(d.URI).Path())
}

// cancel answers codemode/cancel.
func (s *Server) cancel(ctx context.Context, _ *Snapshot, p *RunParams) (*Done, error) {
	if p.RunID == "" {
		return nil, badParams("runId is missing")
	}
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	if !w.Runner().Cancel(p.RunID) {
		return nil, failure(CodeUnknownRun, "no run %q is in progress", p.RunID)
	}
	return &Done{}, nil
}

// runs answers codemode/runs.
func (s *Server) runs(ctx context.Context, _ *Snapshot, p *RunsParams) ([]exec.RunSummary, error) {
	if p.Limit < 0 {
		return nil, badParams("limit must not be negative")
	}
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	return analysis.OrEmpty(w.Runner().Runs(p.Limit)), nil
}

// run answers codemode/run.
func (s *Server) run(ctx context.Context, snap *Snapshot, p *RunParams) (*Run, error) {
	if p.RunID == "" {
		return nil, badParams("runId is missing")
	}
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	result, code, ok := w.Runner().Find(p.RunID)
	if !ok {
		return nil, failure(CodeUnknownRun, "no run %q is kept", p.RunID)
	}
	doc := analysis.NewDocument("", 0, script.TypeScript, code, snap.Client.Encoding)
	return &Run{Result: *doc.WireResult(result), Code: code}, nil
}

// maxPiece bounds a piece of a value, in bytes.
const maxPiece = 1 << 20

// value answers codemode/value.
func (s *Server) value(ctx context.Context, _ *Snapshot, p *ValueParams) (*ValuePiece, error) {
	switch {
	case p.RunID == "":
		return nil, badParams("runId is missing")
	case p.Offset < 0:
		return nil, badParams("offset must not be negative")
	}
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	value, ok := w.Runner().Value(p.RunID)
	switch {
	case !ok:
		return nil, failure(CodeUnknownRun, "no run %q is kept", p.RunID)
	case p.Offset > len(value) || p.Offset < len(value) && !utf8.RuneStart(value[p.Offset]):
		return nil, badParams("offset must be 0 or the \"next\" of the piece before")
	}
	piece, rest := value[p.Offset:], 0
	if len(piece) > maxPiece {
		end := maxPiece
		for !utf8.RuneStart(piece[end]) {
			end--
		}
		piece, rest = piece[:end], p.Offset+end
	}
	return &ValuePiece{JSON: string(piece), Next: rest, Bytes: len(value)}, nil
}

// check answers codemode/check: what diagnostics would say of a script.
func (s *Server) check(ctx context.Context, snap *Snapshot, p *CheckParams) ([]protocol.Diagnostic, error) {
	doc, err := scriptOf(snap, p.Code, p.TextDocument)
	if err != nil {
		return nil, err
	}
	if doc.URI != "" {
		return analysis.OrEmpty(s.diagnose(ctx, snap, doc)), nil
	}
	return s.checkCode(ctx, snap, doc)
}

// checkCode checks a text that is no document: the engine needs a name for it,
// so it is opened for the time of the check.
func (s *Server) checkCode(ctx context.Context, snap *Snapshot, doc *analysis.Document) ([]protocol.Diagnostic, error) {
	named := analysis.NewDocument("untitled:codemode-check-"+s.nextID()+".exec.ts", 1, doc.Language, doc.Text, doc.Encoding)
	named.Script = true
	if s.engine != nil {
		s.engine.Open(named.URI, named.Language, named.Version, named.Source)
		defer s.engine.Close(named.URI)
	}
	return analysis.OrEmpty(s.diagnose(ctx, snap, named)), nil
}
