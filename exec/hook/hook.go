package hook

import (
	"context"
	"fmt"
	"log/slog"

	"codemode-ls/config"
	"codemode-ls/internal/plaintext"

	"github.com/go-json-experiment/json/jsontext"
)

// Runner runs hooks. Its fields are set once.
type Runner struct {
	// Dir is where commands run: the workspace's folder, "" for the process's own. When
	// it is not there, they run in the folder for temporary files.
	Dir string
	Log *slog.Logger
}

// Call is what a hook learns about a tool call. Sizes are those of the call:
// arguments and results are given whole.
type Call struct {
	SessionID string
	RunID     string
	UseID     string // of the call, unique within everything
	Tool      string // full name
	Server    string
	Arguments jsontext.Value
	URI       string // of the script, or ""
	Line      int    // 1-based line of the call in the script; 0 when it is not known

	// Of a call that was made:
	Response  jsontext.Value // the server's whole result, or nil
	Error     string         // why it failed
	Interrupt bool           // it was cancelled (HOOK-4)
}

// Decisions of a hook before a call.
const (
	Allow = "allow" // spares an ordinary question, nothing more (HOOK-1)
	Ask   = "ask"
	Deny  = "deny"
)

// Verdict is what all hooks before a call have said together. The zero value is
// no opinion.
type Verdict struct {
	Decision string // "", Allow, Ask or Deny
	Reason   string
	// By is the hook that decided; nil without a decision.
	By *config.Hook
	// Stop says that the run is to end (with Deny).
	Stop bool
	// Input replaces the arguments, nil when it does not; ReplacedBy is the last
	// hook that did.
	Input      jsontext.Value
	ReplacedBy *config.Hook
	Notes
}

// Notes are texts that hooks want to be seen.
type Notes struct {
	Context  []string // for the model, beside the result
	Messages []string // for the person
}

// Before runs the hooks for PreToolUse that match the call, one after the other
// in their order: each sees the input as those before it have left it. The first
// denial ends it; a wish to ask weighs more than an allowance. When ctx ends
// first, the running command is killed and there is no opinion.
func (r *Runner) Before(ctx context.Context, hooks []config.Hook, c Call) Verdict {
	var v Verdict
	for i := range hooks {
		h := &hooks[i]
		if h.Event != config.PreToolUse || !h.Matches(c.Tool) {
			continue
		}
		a, ok := r.ask(ctx, h, c)
		if ctx.Err() != nil {
			return Verdict{}
		}
		if !ok {
			continue
		}
		v.add(a)
		if a.decision == Deny {
			v.Decision, v.Reason, v.By, v.Stop = Deny, a.reason, h, a.stop
			return v
		}
		if a.input != nil {
			v.Input, v.ReplacedBy = a.input, h
			c.Arguments = a.input
			if v.Decision == Allow {
				// It was given to another input.
				v.Decision, v.Reason, v.By = "", "", nil
			}
		}
		if a.decision == Ask && v.Decision != Ask || a.decision == Allow && v.Decision == "" {
			v.Decision, v.Reason, v.By = a.decision, a.reason, h
		}
	}
	return v
}

// After runs the hooks for PostToolUse or, of a call that failed, for
// PostToolUseFailure.
func (r *Runner) After(ctx context.Context, hooks []config.Hook, c Call) Notes {
	event := config.PostToolUse
	if c.Error != "" || c.Interrupt {
		event = config.PostToolUseFailure
	}
	var n Notes
	for i := range hooks {
		h := &hooks[i]
		if h.Event != event || !h.Matches(c.Tool) {
			continue
		}
		a, ok := r.ask(ctx, h, c)
		if ctx.Err() != nil {
			return n
		}
		if !ok {
			continue
		}
		if a.decision == Deny && a.reason != "" {
			// The call has been made: all that is left is to say so.
			a.context = append(a.context, a.reason)
		}
		n.add(a)
	}
	return n
}

// Any reports whether one of the hooks is for this event and tool.
func Any(hooks []config.Hook, event, tool string) bool {
	for _, h := range hooks {
		if h.Event == event && h.Matches(tool) {
			return true
		}
	}
	return false
}

func (n *Notes) add(a answer) {
	n.Context = append(n.Context, a.context...)
	n.Messages = append(n.Messages, a.messages...)
}

// ask runs one hook and reads its answer; false when it has none that counts
// (HOOK-2).
func (r *Runner) ask(ctx context.Context, h *config.Hook, c Call) (answer, bool) {
	stdin, err := input(h.Event, r.folder(), c)
	if err != nil {
		r.failed(h, c, err, "")
		return answer{}, false
	}
	o, err := r.run(ctx, h, stdin)
	if ctx.Err() != nil {
		return answer{}, false
	}
	if err != nil {
		r.failed(h, c, err, o.stderr)
		return answer{}, false
	}
	if o.code == exitDeny {
		reason := plaintext.Line(o.stderr, maxReason)
		if reason == "" {
			reason = "it gave no reason"
		}
		return answer{decision: Deny, reason: reason}, true
	}
	if o.code != 0 {
		r.failed(h, c, fmt.Errorf("it ended with exit code %d", o.code), o.stderr)
		return answer{}, false
	}
	a, err := read(h.Event, o.stdout)
	if err != nil {
		r.failed(h, c, err, o.stderr)
		return answer{}, false
	}
	return a, true
}

// exitDeny is the exit code that means "no", with the reason on standard error.
const exitDeny = 2

// failed logs what went wrong. The command itself is not logged: it may hold a
// secret.
func (r *Runner) failed(h *config.Hook, c Call, err error, stderr string) {
	if r.Log == nil {
		return
	}
	attributes := []any{"hook", h.Name(), "from", h.Origin(), "event", h.Event, "run", c.RunID, "tool", c.Tool, "err", err}
	if stderr = plaintext.Line(stderr, maxReason); stderr != "" {
		attributes = append(attributes, "stderr", stderr)
	}
	r.Log.Warn("hook failed and counts for nothing", attributes...)
}
