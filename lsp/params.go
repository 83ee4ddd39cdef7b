package lsp

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// An incoming message, while it is handled. A request can be cancelled by its
// id, or by an edit of the document that it is about.
type incoming struct {
	*jsonrpc2.Request
	params []byte // as lenient has them
	// release lets the read loop go on; the handler continues beside it.
	release func()
	cancel  context.CancelCauseFunc // of a request
	uri     string                  // guarded by Server.mu; "": no edit makes its answer useless
}

// decode reads params; missing ones and null are the zero value.
func decode[P any](m *incoming) (*P, error) {
	params := new(P)
	raw := m.params
	if len(raw) == 0 || string(raw) == "null" {
		return params, nil
	}
	if err := protocol.Unmarshal(raw, params); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %s", m.Method(), malformed(err))
	}
	if strict, ok := any(params).(fieldChecker); ok {
		if err := strict.checkFields(jsontext.Value(m.Params())); err != nil {
			return nil, err
		}
	}
	return params, nil
}

// A fieldChecker is params that refuse some fields. Those of other methods
// leave alone what they do not know, as LSP has it.
type fieldChecker interface {
	checkFields(raw jsontext.Value) error
}

// nothing are the params of a method that has none.
type nothing struct{}

// argument reads one argument of a command; ok is false when it is not there.
func argument[T any](p *protocol.ExecuteCommandParams, i int) (v T, ok bool, err error) {
	if i >= len(p.Arguments) || p.Arguments[i].Kind() == 'n' {
		return v, false, nil
	}
	if err := protocol.Unmarshal(p.Arguments[i], &v); err != nil {
		return v, false, badParams("argument %d of %s: %s", i+1, p.Command, malformed(err))
	}
	return v, true, nil
}

// objectOrStrings reads a command's params: one object, or three strings.
func objectOrStrings[T any](p *protocol.ExecuteCommandParams, of func(T, []string) T) (v T, err error) {
	if len(p.Arguments) == 1 {
		v, _, err = argument[T](p, 0)
		return v, err
	}
	if len(p.Arguments) != 3 {
		return v, badParams("%s requires one object or three strings", p.Command)
	}
	words := make([]string, 3)
	for i := range words {
		if words[i], _, err = argument[string](p, i); err != nil {
			return v, err
		}
	}
	return of(v, words), nil
}
