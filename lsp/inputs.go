package lsp

import (
	"context"
	"fmt"
	"slices"

	"codemode-ls/analysis"
	"codemode-ls/config"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// answerInput keeps an answer and has the configuration read again.
func (s *Server) answerInput(file, id, value string) {
	s.inputs.set(file, id, value)
	notify(s.settingsChanged)
}

// missingInputs are the questions of servers that could be started otherwise: of
// a workspace's file they are asked when the server has been approved, not before.
func missingInputs(w *workspace.Snapshot) []config.Input {
	var list []config.Input
	for _, v := range w.Servers {
		if v.State != upstream.Failed {
			continue
		}
		for _, in := range v.Server.NeedsInput {
			if !slices.ContainsFunc(list, func(o config.Input) bool { return o.File == in.File && o.ID == in.ID }) {
				list = append(list, in)
			}
		}
	}
	return list
}

// askForInput asks once, with what the client has for it. LSP itself has no way to
// ask for a text: a client that does not know codemode/input is offered the
// choices, the default, or an explanation how to answer.
func (s *Server) askForInput(ctx context.Context, in config.Input) {
	snap := s.session.Snapshot()
	if c := snap.Client.Codemode; c != nil && c.Input {
		var answer InputAnswer
		err := protocol.Call(ctx, s.conn, MethodInput, InputQuestion{
			ID: in.ID, File: in.File, Description: analysis.Plain(in.Description, 500), Default: in.Default, Options: in.Options, Password: in.Password,
		}, &answer)
		switch {
		case err != nil && ctx.Err() == nil:
			s.log.Warn("input not answered", "id", in.ID, "err", err)
		case err == nil && answer.Value != nil && allowed(in, *answer.Value):
			s.answerInput(in.File, in.ID, *answer.Value)
		}
		return
	}
	question := fmt.Sprintf("%s asks for %s", analysis.Plain(in.File, 200), analysis.Plain(in.ID, 80))
	if d := analysis.Plain(in.Description, 300); d != "" {
		question += ": " + d
	}
	how := fmt.Sprintf("Answer with the command codemode.answerInput and the arguments %q and the answer, or set the environment variable %s.", in.ID, in.Variable())
	choices := in.Options
	if len(choices) == 0 && in.Default != "" && !in.Password {
		choices = []string{in.Default}
	}
	const most = 8
	if len(choices) == 0 || len(choices) > most {
		s.showMessage(ctx, protocol.MessageTypeWarning, question+"\n"+how)
		return
	}
	actions := make([]protocol.MessageActionItem, len(choices))
	for i, choice := range choices {
		actions[i].Title = analysis.Plain(choice, 80)
	}
	item, err := s.client.ShowMessageRequest(ctx, &protocol.ShowMessageRequestParams{
		Type: protocol.MessageTypeWarning, Message: question + "\nOr: " + how, Actions: actions,
	})
	if err != nil || item == nil {
		return // closed: the diagnostic in the file goes on saying it
	}
	for i, action := range actions {
		if action.Title == item.Title {
			s.answerInput(in.File, in.ID, choices[i])
			return
		}
	}
}

// allowed reports whether a value is one that the question takes.
func allowed(in config.Input, value string) bool {
	return len(in.Options) == 0 || slices.Contains(in.Options, value)
}

// commandAnswerInput answers a question of a configuration file.
func (s *Server) commandAnswerInput(_ context.Context, snap *Snapshot, p *protocol.ExecuteCommandParams) (any, error) {
	id, ok, err := argument[string](p, 0)
	if err != nil {
		return nil, err
	}
	value, given, err := argument[string](p, 1)
	if err != nil {
		return nil, err
	}
	if !ok || !given {
		return nil, badParams("%s requires the id of an input and its answer", p.Command)
	}
	file, _, err := argument[string](p, 2)
	if err != nil {
		return nil, err
	}
	found := false
	for _, v := range snap.Workspace.Config.Servers {
		for _, in := range v.NeedsInput {
			if in.ID != id || file != "" && in.File != file {
				continue
			}
			if !allowed(in, value) {
				return nil, badParams("the answer to %q must be one of %q", id, in.Options)
			}
			found = true
			s.answerInput(in.File, id, value)
		}
	}
	if !found {
		return nil, badParams("no server waits for an answer to %q", id)
	}
	return &Done{}, nil
}
