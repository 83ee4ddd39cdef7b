package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"codemode-ls/analysis"
	"codemode-ls/exec"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// defaultPromptTime is how long a plain prompt may stay unanswered when the
// settings say nothing (PERM-13).
const defaultPromptTime = 5 * time.Minute

// An asker asks the person at the editor for one run (PERM-6, PERM-7). It never
// runs on the read loop, which has to read the answer.
type asker struct {
	s   *Server
	doc *analysis.Document // the script that runs
	// agent is on whose behalf it runs, "" for the person themself.
	agent string
}

// Ask asks by codemode/permission when the client said that it can, else by
// window/showMessageRequest. Whatever is not a clear permission is a denial, and
// an error when no person has answered. A question that need not be answered any
// more is withdrawn.
func (a *asker) Ask(ctx context.Context, q exec.Question) (exec.Answer, error) {
	snap := a.s.session.Snapshot()
	if snap.Client.canAsk() {
		return a.askClient(ctx, q)
	}
	return a.askPlain(ctx, snap, q)
}

func denied(reason string) exec.Answer { return exec.Answer{Decision: "deny", Reason: reason} }

func (a *asker) askClient(ctx context.Context, q exec.Question) (exec.Answer, error) {
	q.Range = a.doc.WireRange(q.Range)
	q.ArgumentsText, q.Agent = string(q.Arguments), a.agent
	var answer exec.Answer
	if err := protocol.Call(ctx, a.s.conn, MethodPermission, q, &answer); err != nil {
		if ctx.Err() != nil {
			return exec.Answer{}, ctx.Err()
		}
		a.s.log.Warn("permission not answered", "tool", q.Tool, "err", err)
		return exec.Answer{}, errors.New("the editor did not answer the question: " + analysis.Plain(malformed(err), 200))
	}
	switch answer.Decision {
	case "allow":
		if !slices.Contains([]exec.Scope{"", exec.Once, exec.ForRun, exec.ForSession, exec.ForWorkspace, exec.ForUser, exec.ForLoop}, answer.Scope) {
			answer.Scope = "once" // allowed, but for nothing that is known
		}
	case "deny":
		if !slices.Contains([]exec.Scope{exec.ForRun, exec.ForSession, exec.ForWorkspace, exec.ForUser}, answer.Scope) {
			answer.Scope = ""
		}
	default:
		return denied("the editor closed the question"), nil
	}
	answer.Reason = analysis.Plain(answer.Reason, 1000)
	return answer, nil
}

// hungUp says that a request had no answer because its connection has ended.
func hungUp(err error) bool {
	for _, end := range []error{io.EOF, io.ErrClosedPipe, net.ErrClosed, jsonrpc2.ErrClientClosing, jsonrpc2.ErrServerClosing} {
		if errors.Is(err, end) {
			return true
		}
	}
	var network *net.OpError
	return errors.As(err, &network)
}

// What a plain prompt offers.
const (
	allowOnce    = "Allow once"
	allowRun     = "Allow for this run"
	allowSession = "Allow for this session"
	allowAlways  = "Always allow"
	denyCall     = "Deny"
	denyStop     = "Deny and stop"
)

func (a *asker) askPlain(ctx context.Context, snap *Snapshot, q exec.Question) (exec.Answer, error) {
	limit := snap.Workspace.Config.PromptTimeout
	if limit <= 0 {
		limit = defaultPromptTime
	}
	tooLate := errors.New("nobody answered")
	pctx, cancel := context.WithTimeoutCause(ctx, limit, tooLate)
	defer cancel()
	// Warning: editors let informational prompts vanish first.
	loops := loopAnswers(q.Loop)
	var actions []protocol.MessageActionItem
	for _, title := range []string{allowOnce, loops.calls, loops.while, allowRun, allowSession, allowAlways, denyCall, denyStop} {
		if title != "" {
			actions = append(actions, protocol.MessageActionItem{Title: title})
		}
	}
	item, err := a.s.client.ShowMessageRequest(pctx, &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeWarning, Message: byAgent(a.agent) + promptText(a.doc, q, snap), Actions: actions,
	})
	switch {
	case ctx.Err() != nil:
		return exec.Answer{}, ctx.Err()
	case errors.Is(context.Cause(pctx), tooLate):
		return exec.Answer{}, fmt.Errorf("nobody answered the question within %s", limit)
	case hungUp(err): // the end of the run is on its way
		return exec.Answer{}, fmt.Errorf("the editor has gone: %w", err)
	case err != nil:
		// Some clients answer a closed prompt with an error (LSP4IJ).
		a.s.log.Debug("prompt not answered", "tool", q.Tool, "err", err)
		if cannotAsk(err) {
			a.s.showMessage(ctx, protocol.MessageTypeWarning, fmt.Sprintf("%s needs your permission, and this editor cannot ask for it. To allow it: the command codemode.setPermission with %q, \"allow\" and \"session\" (or \"workspace\"), or codemode-ls permissions allow %s", analysis.Plain(q.Tool, 200), analysis.Plain(q.Tool, 200), analysis.Plain(q.Tool, 200)))
			return exec.Answer{}, errors.New("no permission client is configured: this editor cannot ask; a rule can allow the call") // PERM-7
		}
		return denied("the question was closed or cannot be shown"), nil
	case item == nil:
		return denied("the question was closed"), nil
	}
	switch item.Title {
	case "": // which is also the title of answers that are not offered
		return denied(""), nil
	case allowOnce:
		return exec.Answer{Decision: "allow", Scope: "once"}, nil
	case loops.calls:
		return exec.Answer{Decision: "allow", Scope: "loop", Calls: offeredCalls}, nil
	case loops.while:
		return exec.Answer{Decision: "allow", Scope: "loop", While: &q.Loop.Suggestions[0]}, nil
	case allowRun:
		return exec.Answer{Decision: "allow", Scope: "run"}, nil
	case allowSession:
		return exec.Answer{Decision: "allow", Scope: "session"}, nil
	case allowAlways:
		return exec.Answer{Decision: "allow", Scope: exec.Scope(a.s.lastingScope())}, nil
	case denyStop:
		return exec.Answer{Decision: "deny", Stop: true}, nil
	default:
		return denied(""), nil
	}
}

// offeredCalls is how many calls a plain prompt offers to allow at once.
const offeredCalls = 10

// loopTitles are the titles of the answers for a loop (PERM-12), "" for those
// that are not offered.
type loopTitles struct{ calls, while string }

func loopAnswers(offer *exec.LoopOffer) (t loopTitles) {
	if offer == nil {
		return t
	}
	t.calls = fmt.Sprintf("Allow %d calls in this run", offeredCalls)
	if len(offer.Suggestions) > 0 {
		// A field's name and value come from the script.
		t.while = "Allow in this run while " + analysis.Plain(offer.Suggestions[0].String(), 120)
	}
	return t
}

// lastingScope is where "always" is kept: with the workspace, if there is one.
func (s *Server) lastingScope() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.folders) > 0 {
		return "workspace"
	}
	return "user"
}

const (
	maxPromptArguments = 1500 // characters
	maxPromptLines     = 24
	maxIndented        = 256 << 10 // bytes; more is shown as it is
)

// byAgent says who wants a call; the name is what the agent calls itself.
func byAgent(agent string) string {
	if agent == "" {
		return ""
	}
	return fmt.Sprintf("The agent %q asks:\n", agent)
}

// promptText is all that a person needs to decide. Every part of it may come
// from somebody who is not trusted: each is one bounded line without control
// characters, but for the arguments, which are shown as indented JSON.
func promptText(doc *analysis.Document, q exec.Question, snap *Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Allow %s?\n", analysis.Plain(q.Tool, 200))
	fmt.Fprintf(&b, "Server: %s", analysis.Plain(q.Server, 80))
	if q.Title != "" {
		fmt.Fprintf(&b, " — %s", analysis.Plain(q.Title, 120))
	}
	if hints := snap.Workspace.Catalog.Hints(q.Tool); hints != "" {
		fmt.Fprintf(&b, " (%s)", hints)
	}
	b.WriteByte('\n')
	if q.Range != nil {
		at := q.Range.Start
		fmt.Fprintf(&b, "Script: %s, line %d, column %d\n", title(doc), at.Line+1, at.Character+1)
	}
	if q.Note != "" {
		fmt.Fprintf(&b, "A hook says: %s\n", analysis.Plain(q.Note, 300))
	}
	fmt.Fprintf(&b, "Arguments: %s", argumentsText(q.Arguments))
	if q.Changed != "" { // behind the arguments, which a long change must not push away
		fmt.Fprintf(&b, "\nIts server has changed this tool since you allowed it:\n%s", analysis.Printable(q.Changed))
	}
	switch {
	case q.Waiting == 1:
		b.WriteString("\n1 more question waits.")
	case q.Waiting > 1:
		fmt.Fprintf(&b, "\n%d more questions wait.", q.Waiting)
	}
	return b.String()
}

// argumentsText shows the call's arguments as indented JSON, bounded, with what
// was left out counted.
func argumentsText(arguments jsontext.Value) string {
	if len(arguments) == 0 {
		return "none"
	}
	v := arguments.Clone()
	if len(v) > maxIndented || v.Indent(jsontext.WithIndent("  ")) != nil {
		v = arguments
	}
	lines := strings.Split(analysis.Printable(string(v)), "\n")
	shown := lines
	if len(shown) > maxPromptLines {
		shown = shown[:maxPromptLines]
	}
	text := strings.Join(shown, "\n")
	if r := []rune(text); len(r) > maxPromptArguments {
		text = string(r[:maxPromptArguments])
	}
	if left := len([]rune(strings.Join(lines, "\n"))) - len([]rune(text)); left > 0 {
		text += fmt.Sprintf("\n… and %d more characters", left)
	}
	return text
}
