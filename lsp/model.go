package lsp

import (
	"context"
	"errors"

	"codemode-ls/analysis"
	"codemode-ls/exec"

	"go.lsp.dev/protocol"
)

// models runs models for scripts by asking the client, which offers them
// (experimental.codemode.models).
type models struct{ s *Server }

// Model satisfies exec.Models. The request is cancelled when ctx ends.
func (m models) Model(ctx context.Context, q exec.ModelRequest) (exec.ModelAnswer, error) {
	var answer exec.ModelAnswer
	if err := protocol.Call(ctx, m.s.conn, MethodModel, q, &answer); err != nil {
		if ctx.Err() != nil {
			return exec.ModelAnswer{}, ctx.Err()
		}
		return exec.ModelAnswer{}, errors.New("the editor did not run the model: " + analysis.Plain(malformed(err), 300))
	}
	return answer, nil
}

// modelsOf are the models that a client offers to scripts; nil for none.
func (s *Server) modelsOf(c *clientCapabilities) exec.Models {
	if !c.models() {
		return nil
	}
	return models{s}
}
