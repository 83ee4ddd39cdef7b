package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/analysis/overview"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Commands of workspace/executeCommand: everything that a person does from a
// menu (CMD-1), for clients that know nothing of this server's own methods.
// Each takes the arguments that its comment names before the semicolon.
const (
	CommandExec          = "codemode.exec"          // ExecParams; as codemode/exec, and nothing is shown
	CommandRun           = "codemode.run"           // URI of a script, or nothing for the only one that is open, and its input; runs it and shows the result
	CommandDryRun        = "codemode.dryRun"        // URI of a script, or nothing for the only one that is open, and its input; runs it without calling any tool
	CommandStop          = "codemode.stop"          // run id, or a URI, or nothing for every run; ends them
	CommandRestartServer = "codemode.restartServer" // name, or nothing to be asked; restarts the server
	CommandRefresh       = "codemode.refresh"       // nothing; reads the configuration again and has the servers list their tools again
	CommandOpenTypes     = "codemode.openTypes"     // nothing; opens the .d.ts
	CommandOpenCatalog   = "codemode.openCatalog"   // nothing; opens the catalog
	CommandApproveServer = "codemode.approveServer" // ApproveServerParams, or name, hash, decision; as codemode/approveServer
	CommandSetPermission = "codemode.setPermission" // SetPermissionParams, or rule, effect, layer; as codemode/setPermission
	CommandClearRules    = "codemode.clearRules"    // nothing; removes the rules of this session
	CommandShowServers   = "codemode.showServers"   // nothing; opens a list of the servers
	CommandShowServerLog = "codemode.showServerLog" // name; opens what is known of a server and what it wrote last
	CommandAnswerInput   = "codemode.answerInput"   // id, answer and, if needed, file; answers ${input:id} of a configuration file for this session
	CommandShowRun       = "codemode.showRun"       // run id; opens its result
	CommandShowTools     = "codemode.showTools"     // URI of a script; opens a list of its tools and what the rules say of them
	CommandShowLog       = "codemode.showLog"       // nothing; opens what the server has logged last
	CommandAuthenticate  = "codemode.authenticate"  // name, or nothing to be asked; signs in to a server in a browser, or says why there is nothing to sign in to
	CommandSignOut       = "codemode.signOut"       // name, or nothing to be asked; signs out of a server
	CommandExplain       = "codemode.explain"       // code of a diagnostic; opens its page
	CommandApplyEdit     = "codemode.applyEdit"     // WorkspaceEdit; has the client apply it, for clients without code action literals
)

// commands are all commands by name.
func commands() map[string]command {
	return map[string]command{
		CommandExec:          (*Server).commandExec,
		CommandRun:           (*Server).commandRun,
		CommandDryRun:        (*Server).commandDryRun,
		CommandStop:          (*Server).commandStop,
		CommandRestartServer: (*Server).commandRestartServer,
		CommandRefresh:       (*Server).commandRefresh,
		CommandOpenTypes:     (*Server).commandOpenTypes,
		CommandOpenCatalog:   (*Server).commandOpenCatalog,
		CommandApproveServer: (*Server).commandApproveServer,
		CommandSetPermission: (*Server).commandSetPermission,
		CommandClearRules:    (*Server).commandClearRules,
		CommandShowServers:   (*Server).commandShowServers,
		CommandShowServerLog: (*Server).commandShowServerLog,
		CommandAnswerInput:   (*Server).commandAnswerInput,
		CommandShowRun:       (*Server).commandShowRun,
		CommandShowTools:     (*Server).commandShowTools,
		CommandShowLog:       (*Server).commandShowLog,
		CommandAuthenticate:  (*Server).commandAuthenticate,
		CommandSignOut:       (*Server).commandSignOut,
		CommandExplain:       (*Server).commandExplain,
		CommandApplyEdit:     (*Server).commandApplyEdit,
	}
}

// executeCommand answers workspace/executeCommand.
func (s *Server) executeCommand(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	run, ok := s.commands[p.Command]
	if !ok {
		return nil, badParams("there is no command %q", p.Command)
	}
	return run(s, ctx, snap, p)
}

func (s *Server) commandExec(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	params, _, err := argument[ExecParams](p, 0)
	if err != nil {
		return nil, err
	}
	if params.WorkDoneToken == nil {
		params.WorkDoneToken = p.WorkDoneToken
	}
	return s.exec(ctx, snap, &params)
}

func (s *Server) commandRun(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	return s.runAndShow(ctx, snap, p, false)
}

func (s *Server) commandDryRun(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	return s.runAndShow(ctx, snap, p, true)
}

// runAndShow runs a document. A client that knows this server shows the result
// in its own way; for any other it is opened as a text, since what
// executeCommand returns is thrown away there.
func (s *Server) runAndShow(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams, dry bool) (any, error) {
	doc, err := s.scriptArgument(snap, p)
	if err != nil {
		return nil, err
	}
	given, _, err := argument[jsontext.Value](p, 1)
	if err != nil {
		return nil, err
	}
	u := uri.URI(doc.URI)
	token := p.WorkDoneToken
	if token == nil {
		token = s.createProgress(ctx, snap.Client)
	}
	result, err := s.exec(ctx, snap, &ExecParams{
		WorkDoneToken: token, TextDocument: &protocol.TextDocumentIdentifier{URI: u}, DryRun: dry, Input: given,
	})
	if err != nil {
		return nil, err
	}
	if snap.Client.Codemode == nil {
		s.showResult(ctx, snap, u, result)
	}
	return result, nil
}

func (s *Server) showResult(ctx context.Context, snap *Snapshot, u uri.URI, r *exec.Result) {
	kind := protocol.MessageTypeInfo
	if r.Status != exec.Completed {
		kind = protocol.MessageTypeError
	}
	message := strings.TrimSuffix(filepath.Base(u.Path()), ".ts") + ": " + string(r.Status) + ", " + analysis.FirstLine(r.Summary)
	if r.Error != nil {
		message += ": " + r.Error.Message
	}
	s.showMessage(ctx, kind, analysis.Plain(message, 500))
	s.showText(ctx, snap, "result-"+r.RunID+".txt", r.Text)
}

func (s *Server) commandStop(ctx context.Context, _ *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	which, _, err := argument[string](p, 0)
	if err != nil {
		return nil, err
	}
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	stopped := 0
	for _, id := range s.runningRuns(which) {
		if w.Runner().Cancel(id) {
			stopped++
		}
	}
	if stopped == 0 {
		s.showMessage(ctx, protocol.MessageTypeInfo, "No script is running.")
	}
	return &Stopped{Runs: stopped}, nil
}

// Stopped is the answer of codemode.stop.
type Stopped struct {
	Runs int `json:"runs"`
}

// commandRestartServer asks which server is meant when that is not said.
func (s *Server) commandRestartServer(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	name, err := s.serverArgument(ctx, snap, p, "Which server should be restarted?")
	if err != nil || name == "" {
		return &Done{}, err
	}
	done, err := s.restartServer(ctx, snap, &ServerParams{Name: name})
	if err == nil && snap.Client.Codemode == nil {
		s.showMessage(ctx, protocol.MessageTypeInfo, "Server "+analysis.Plain(name, 80)+" is started again.")
	}
	return done, err
}

// commandRefresh reads the configuration again and has the servers list their
// tools again.
func (s *Server) commandRefresh(ctx context.Context, snap *Snapshot, _ *protocol.ExecuteCommandParams) (any, error) {
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	notify(s.settingsChanged)
	w.Refresh()
	if snap.Client.Codemode == nil {
		s.showMessage(ctx, protocol.MessageTypeInfo, "Reloading configuration and tool lists.")
	}
	return &Done{}, nil
}

// commandShowTools lists the tools of a script and what would happen at a call.
func (s *Server) commandShowTools(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	doc, err := s.scriptArgument(snap, p)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	seen := map[string]bool{}
	for _, u := range doc.Source.Uses() {
		if u.Name == script.ReservedNamespace || seen[u.Name] {
			continue
		}
		seen[u.Name] = true
		words := analysis.PermissionState(snap.Workspace.Rules.Decide(u.Name))
		if t, ok := snap.Workspace.Catalog.Find(u.Name); ok {
			words += ", server " + analysis.Plain(t.Server, 80) + " " + analysis.ServerState(&snap.View, t)
			for _, mark := range analysis.ToolMarks(t) {
				words += ", " + mark
			}
		} else if why := analysis.Absence(snap.Workspace, u.Name); why != "" {
			words += ". " + why
		}
		fmt.Fprintf(&b, "%s: %s\n", analysis.Plain(u.Name, 200), words)
	}
	if b.Len() == 0 {
		b.WriteString("The script uses no tools.\n")
	}
	return s.showText(ctx, snap, "tools.txt", b.String())
}

// scriptArgument is the script that a command is about: that with the URI, or the
// only one that is open.
func (s *Server) scriptArgument(snap *Snapshot, p *protocol.ExecuteCommandParams) (*analysis.Document, error) {
	u, ok, err := argument[uri.URI](p, 0)
	if err != nil {
		return nil, err
	}
	if !ok {
		var only *analysis.Document
		for _, d := range snap.Docs {
			if d.Script && only != nil {
				return nil, badParams("%s requires the URI of an open script: several are open", p.Command)
			}
			if d.Script {
				only = d
			}
		}
		if only == nil {
			return nil, badParams("%s requires the URI of an open script", p.Command)
		}
		return only, nil
	}
	d, err := snap.document(uri.URI(canonicalURI(string(u))))
	if err == nil && !d.Script {
		err = badParams("%s is not a script (*.exec.ts or *.exec.js)", d.URI)
	}
	return d, err
}

// commandShowLog opens what the server has logged last.
func (s *Server) commandShowLog(ctx context.Context, snap *Snapshot, _ *protocol.ExecuteCommandParams) (any, error) {
	return s.showText(ctx, snap, "log.txt", s.recent.text())
}

func (s *Server) commandOpenTypes(ctx context.Context, snap *Snapshot, _ *protocol.ExecuteCommandParams) (any, error) {
	if snap.DeclarationsURI == "" {
		return nil, failure(CodeNotWritten, "the .d.ts could not be written; the server's log says why")
	}
	return &Opened{URI: snap.DeclarationsURI}, s.showDocument(ctx, snap, uri.URI(snap.DeclarationsURI))
}

func (s *Server) commandOpenCatalog(ctx context.Context, snap *Snapshot, _ *protocol.ExecuteCommandParams) (any, error) {
	return s.showText(ctx, snap, "catalog.md", snap.Workspace.Catalog.Render(renderOptions(snap.Workspace)).Text)
}

func (s *Server) commandShowServers(ctx context.Context, snap *Snapshot, _ *protocol.ExecuteCommandParams) (any, error) {
	var b strings.Builder
	for _, v := range overview.Servers(snap.Workspace) {
		fmt.Fprintf(&b, "%s: %s, %d tools (%s, %s)\n", analysis.Plain(v.Name, 100), v.Status, v.Tools, v.Transport, v.Source)
		if v.File != "" {
			fmt.Fprintf(&b, "  from %s\n", analysis.Plain(v.File, 300))
		}
		if v.Error != "" {
			fmt.Fprintf(&b, "  %s\n", analysis.Printable(v.Error))
		}
		for line := range strings.Lines(analysis.Printable(v.Stderr)) {
			fmt.Fprintf(&b, "  | %s", line)
		}
		if v.Stderr != "" {
			b.WriteByte('\n')
		}
	}
	if b.Len() == 0 {
		b.WriteString("No MCP server is configured.\n")
	}
	for _, v := range snap.Workspace.Shadowed() {
		fmt.Fprintf(&b, "%s of %s: not used, another one comes first\n", analysis.Plain(v.Name, 100), analysis.Plain(config.Origin(v), 300))
	}
	return s.showText(ctx, snap, "servers.txt", b.String())
}

func (s *Server) commandShowRun(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	id, _, err := argument[string](p, 0)
	if err != nil {
		return nil, err
	}
	run, err := s.run(ctx, snap, &RunParams{RunID: id})
	if err != nil {
		return nil, err
	}
	return s.showText(ctx, snap, "result-"+run.RunID+".txt", run.Text)
}

func (s *Server) commandApproveServer(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	params, err := objectOrStrings(p, func(a ApproveServerParams, words []string) ApproveServerParams {
		return ApproveServerParams{Name: words[0], Hash: words[1], Decision: words[2]}
	})
	if err != nil {
		return nil, err
	}
	return s.approveServer(ctx, snap, &params)
}

func (s *Server) commandSetPermission(ctx context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	params, err := objectOrStrings(p, func(a SetPermissionParams, words []string) SetPermissionParams {
		return SetPermissionParams{Rule: words[0], Effect: words[1], Layer: words[2]}
	})
	if err != nil {
		return nil, err
	}
	return s.setPermission(ctx, snap, &params)
}

func (s *Server) commandClearRules(ctx context.Context, snap *Snapshot, _ *protocol.ExecuteCommandParams) (any, error) {
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	removed := 0
	for _, r := range w.Rules().Rules().All() {
		if r.Layer == permission.Session {
			if err := w.Rules().Set(permission.Session, "", r.Match); err != nil {
				return nil, failure(CodeNotWritten, "%v", err)
			}
			removed++
		}
	}
	s.update(s.ctx, w)
	if snap.Client.Codemode == nil {
		s.showMessage(ctx, protocol.MessageTypeInfo, fmt.Sprintf("Session rules removed: %d. Rules in files are unchanged.", removed))
	}
	return &Done{}, nil
}
