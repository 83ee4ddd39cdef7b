package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"codemode-ls/exec"
	"codemode-ls/internal/plaintext"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// What a form offers, in this order. Each is its own label: not every client shows
// titles.
const (
	allowOnce    = "Allow once"
	allowRun     = "Allow for this run"
	allowSession = "Allow for this session"
	denyCall     = "Deny"
)

// maxShownArguments is how many characters of the arguments a form shows.
const maxShownArguments = 4000

// noPerson says how a call can be allowed when nobody can be asked.
func noPerson(why, tool string) error {
	return fmt.Errorf("%s; a person can allow it: codemode-ls permissions allow '%s', or --allow '%s' for the gateway, or an editor with codemode-ls that has this folder open", why, tool, tool)
}

// An asker asks the agent's person by elicitation.
type asker struct {
	g *Gateway
	s *session
	f *flight
}

// Ask implements exec.Asker.
func (a *asker) Ask(ctx context.Context, q exec.Question) (exec.Answer, error) {
	// A changed tool and a hook's wish are new questions.
	if a.s.grants(q.Tool) && q.Changed == "" && q.Note == "" {
		return exec.Answer{Decision: exec.Allow, Scope: exec.ForRun}, nil
	}
	live, c := a.f.live()
	if !c.elicits {
		return exec.Answer{}, noPerson("the agent's client cannot ask a person", q.Tool)
	}
	form := mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: question(q, c.name), RequestedSchema: map[string]any{
		"type": "object",
		"properties": map[string]any{"decision": map[string]any{
			"type": "string", "title": "Decision", "description": "Whether the script may make this call",
			"enum": []string{allowOnce, allowRun, allowSession, denyCall},
		}},
		"required": []string{"decision"},
	}}
	var result *mcp.ElicitationResult
	var err error
	if c.modern {
		result, err = a.f.ask(ctx, form)
	} else {
		if c.version < mcp.ProtocolVersion20251125 {
			form.Mode = "" // which is older than modes
		}
		// The question outlives the request that it came up in: the agent may come back.
		asking, cancel := context.WithCancel(context.WithoutCancel(live))
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		result, err = a.g.mcp.RequestElicitation(asking, mcp.ElicitationRequest{
			Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: form,
		})
	}
	switch {
	case ctx.Err() != nil:
		return exec.Answer{}, ctx.Err()
	case err != nil:
		return exec.Answer{}, noPerson("the agent's client did not ask its person ("+plaintext.Line(err.Error(), 200)+")", q.Tool)
	}
	return a.means(q, result)
}

// means is what the filled-in form says.
func (a *asker) means(q exec.Question, r *mcp.ElicitationResult) (exec.Answer, error) {
	switch r.Action {
	case mcp.ElicitationResponseActionAccept:
	case mcp.ElicitationResponseActionDecline:
		return exec.Answer{}, noPerson("the agent's client declined the question, which it does by itself when no person is there", q.Tool)
	default:
		return exec.Answer{}, noPerson("the agent's client closed the question, which it does by itself when no person is there", q.Tool)
	}
	content, _ := r.Content.(map[string]any)
	switch content["decision"] {
	case allowOnce:
		return exec.Answer{Decision: exec.Allow, Scope: exec.Once}, nil
	case allowRun:
		return exec.Answer{Decision: exec.Allow, Scope: exec.ForRun}, nil
	case allowSession:
		// The gateway's other sessions have not been allowed anything.
		a.s.grant(q.Tool)
		return exec.Answer{Decision: exec.Allow, Scope: exec.ForRun}, nil
	}
	return exec.Answer{Decision: exec.Deny}, nil
}

// question is what a form says: harmless text, the arguments as they will be sent.
func question(q exec.Question, agent string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A script of %s wants to call %s of the MCP server %s.\n", named(agent), plaintext.Line(q.Tool, 200), plaintext.Line(q.Server, 100))
	arguments := q.Arguments.Clone()
	if arguments.Indent() != nil {
		arguments = q.Arguments
	}
	shown := plaintext.Lines(string(arguments))
	if n := utf8.RuneCountInString(shown); n > maxShownArguments {
		shown = fmt.Sprintf("%s\n… (%d characters more)", string([]rune(shown)[:maxShownArguments]), n-maxShownArguments)
	}
	fmt.Fprintf(&b, "Arguments:\n%s", shown)
	if q.Changed != "" {
		fmt.Fprintf(&b, "\nThe server has changed this tool since it was allowed:\n%s", plaintext.Lines(q.Changed))
	}
	if q.Note != "" {
		fmt.Fprintf(&b, "\nA hook says: %s", plaintext.Line(q.Note, 500))
	}
	return b.String()
}

// named is an agent's name for a person: a claim, in one short line.
func named(agent string) string {
	if agent == "" {
		return "an agent without a name"
	}
	return fmt.Sprintf("the agent %q", plaintext.Line(agent, 60))
}

// pending is a question that a client without sessions gets as the result of its call
// and answers by calling again.
type pending struct {
	form   mcp.ElicitationParams
	answer chan *mcp.ElicitationResult // capacity 1
}

// ask hands a question to the request that waits for the run, now or later.
func (f *flight) ask(ctx context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	p := &pending{form: form, answer: make(chan *mcp.ElicitationResult, 1)}
	f.mu.Lock()
	f.question = p
	f.mu.Unlock()
	f.wake()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.question == p {
			f.question = nil
		}
	}()
	select {
	case r := <-p.answer:
		if r == nil {
			return nil, errors.New("the answer cannot be read")
		}
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// answer gives the open question its answer; false when there is none.
func (f *flight) answer(responses mcp.InputResponses) bool {
	f.mu.Lock()
	p := f.question
	f.question = nil
	f.mu.Unlock()
	if p == nil {
		return false
	}
	p.answer <- server.ElicitationResponse(responses, questionID)
	return true
}

// questionID names the one question of a result that asks.
const questionID = "permission"
