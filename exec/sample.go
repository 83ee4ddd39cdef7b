package exec

import (
	"codemode-ls/catalog"
	"codemode-ls/permission"
	"codemode-ls/sample"
	"codemode-ls/sandbox"

	"github.com/go-json-experiment/json/jsontext"
)

// pretend answers a call of a dry run (DRY-1): no server hears of it, nobody is
// asked, and the answer is a sample of what the tool says it returns.
func (x *run) pretend(c *call) (jsontext.Value, error) {
	effect := permission.Ask
	if v, decided := x.decide(c); decided {
		effect = v.effect()
	}
	x.mu.Lock()
	c.record.Verdict = string(effect)
	x.mu.Unlock()
	value := x.sample.value(c.tool)
	if value == nil {
		return nil, &sandbox.CallError{Message: "no sample can be made of the output of " + c.tool.Name, Tool: c.tool.Name}
	}
	x.status(c, CallCompleted)
	return value, nil
}

// A sampler makes sample values from output schemas, the same one for the same
// schema.
type sampler struct{}

func newSampler() *sampler { return &sampler{} }

func (*sampler) value(t *catalog.Tool) jsontext.Value {
	if len(t.OutputSchema) == 0 {
		return quote("sample output of " + t.Name)
	}
	return sample.Of(t.OutputSchema)
}
