package lsp

import (
	"context"

	"codemode-ls/exec/input"

	"github.com/go-json-experiment/json/jsontext"
)

// scriptSchema answers codemode/scriptSchema (EXEC-18).
func (s *Server) scriptSchema(ctx context.Context, snap *Snapshot, p *ScriptSchemaParams) (*ScriptSchema, error) {
	doc, err := scriptOf(snap, p.Code, p.TextDocument)
	if err != nil {
		return nil, err
	}
	answer := &ScriptSchema{Fields: []InputField{}, Examples: []NamedInput{}, Problems: []InputProblem{}, Misfits: []Misfit{}}
	source := doc.Source.Body()
	if !source.MayTakeInput() {
		return answer, nil
	}
	if s.engine == nil {
		return nil, failure(CodeNotOffered, "the types of the script cannot be read: there is no TypeScript engine")
	}
	c, err := s.engine.ReadContract(ctx, source, doc.Language)
	if err != nil {
		return nil, failure(CodeNotOffered, "the types of the script cannot be read: %v", err)
	}
	answer.TakesInput, answer.Optional = c.Takes, c.Optional
	answer.Input, answer.Output, answer.Description = c.Input, c.Output, c.Description
	for _, x := range c.Examples {
		if x.Input != nil {
			answer.Examples = append(answer.Examples, NamedInput{Name: x.Name, Input: x.Input, Range: doc.FromUTF16Range(x.Range)})
		}
	}
	for _, problem := range c.Problems {
		answer.Problems = append(answer.Problems, InputProblem{Path: problem.Path, Message: problem.Message, Range: doc.FromUTF16Range(problem.Range)})
	}
	if c.Input == nil {
		return answer, nil
	}
	for _, f := range input.Fields(c.Input) {
		answer.Fields = append(answer.Fields, InputField(f))
	}
	given := p.Input
	if given == nil && c.Optional {
		return answer, nil
	}
	if given == nil {
		given = jsontext.Value("{}")
	}
	misfits, err := input.Check(c.Input, given)
	if err != nil {
		return nil, badParams("%v", err)
	}
	for _, m := range misfits {
		answer.Misfits = append(answer.Misfits, Misfit(m))
	}
	return answer, nil
}
