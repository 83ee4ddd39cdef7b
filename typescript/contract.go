package typescript

import (
	"context"
	"errors"

	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// methodContract is a request of our own engine's, see package codemodeshim.
const methodContract = "codemode/contract"

// ErrNoContract is the error of Contract with an engine that is not ours.
var ErrNoContract = errors.New("this TypeScript engine cannot read the type of a script's input")

// ReadContract is Contract of a text that is not opened as a document.
func (e *Engine) ReadContract(ctx context.Context, source *script.Source, l script.Language) (*script.Contract, error) {
	name, done := e.lend(source, l, asBody)
	defer done()
	return e.Contract(ctx, name)
}

// Contract is what an open script takes and returns.
func (e *Engine) Contract(ctx context.Context, uri string) (*script.Contract, error) {
	d, err := e.opened(uri)
	if err != nil {
		return nil, err
	}
	if !script.Read(d.text).IsModule() || d.shift > 0 {
		return &script.Contract{}, nil
	}
	if !e.own {
		return nil, ErrNoContract
	}
	var answer struct {
		Function    *protocol.Range `json:"function"`
		Parameter   *protocol.Range `json:"parameter"`
		Name        string          `json:"name"`
		Optional    bool            `json:"optional"`
		Input       jsontext.Value  `json:"input"`
		Output      jsontext.Value  `json:"output"`
		Description string          `json:"description"`
		Examples    []struct {
			Text  string         `json:"text"`
			Range protocol.Range `json:"range"`
		} `json:"examples"`
		Problems []struct {
			Path    string         `json:"path"`
			Message string         `json:"message"`
			Range   protocol.Range `json:"range"`
		} `json:"problems"`
	}
	d, err = e.request(ctx, uri, methodContract, func(d *document) any {
		return map[string]string{"uri": d.virtual}
	}, &answer)
	if err != nil {
		return nil, err
	}
	at := func(r protocol.Range) script.Range { return scriptRange(d.rangeToAuthor(r)) }
	c := &script.Contract{
		Name: answer.Name, Optional: answer.Optional, Input: answer.Input, Output: answer.Output, Description: answer.Description,
	}
	if answer.Function != nil {
		c.Function = true
	}
	if answer.Parameter != nil {
		c.Takes, c.Range = true, at(*answer.Parameter)
	}
	for _, p := range answer.Problems {
		c.Problems = append(c.Problems, script.InputProblem{Path: p.Path, Message: p.Message, Range: at(p.Range)})
	}
	for _, x := range answer.Examples {
		name, input := script.ParseExample(x.Text)
		c.Examples = append(c.Examples, script.Example{Name: name, Input: input, Range: at(x.Range)})
	}
	return c, nil
}

func scriptRange(r protocol.Range) script.Range {
	return script.Range{
		Start: script.Position{Line: int(r.Start.Line), Character: int(r.Start.Character)},
		End:   script.Position{Line: int(r.End.Line), Character: int(r.End.Character)},
	}
}
