package exec

import (
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/exec/sample"
	"codemode-ls/permission"
	"codemode-ls/sandbox"

	"github.com/go-json-experiment/json/jsontext"
)

// pretend answers a call of a dry run (DRY-1): no server receives it, nobody is
// asked, and the answer is a sample of what the tool says it returns.
func (x *run) pretend(c *call) (jsontext.Value, error) {
	v, decided := x.decide(c)
	effect := permission.Ask
	if decided {
		effect = v.effect()
	}
	x.plan(c, effect, v)
	if effect == permission.Deny {
		return nil, x.denied(c, v)
	}
	value := x.sample.value(c.tool)
	if value == nil {
		return nil, &sandbox.CallError{Message: "no sample can be made of the output of " + c.tool.Name, Tool: c.tool.Name}
	}
	x.status(c, CallCompleted)
	return value, nil
}

// plan notes what the rules say of a call of a dry run.
func (x *run) plan(c *call, effect permission.Effect, v verdict) {
	by := ""
	switch {
	case v.rule != nil:
		by = ruleWords(v.rule)
	case v.by == byReadOnly:
		by = "the setting permissions.readOnly for this server"
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	c.record.Verdict, c.record.VerdictBy = string(effect), by
}

// planDenied lists a call that a rule keeps out of the pool (PERM-3): the script
// gets what it would get, and the plan says why. nil is a name
// that no rule denies.
func (x *run) planDenied(sc sandbox.Call, refusal error) *call {
	d := x.r.Rules.Rules().Decide(sc.Name)
	if d.Effect != permission.Deny || d.Rule == nil || !strings.HasPrefix(sc.Name, "mcp__") {
		return nil
	}
	c, err := x.count(sc, nil)
	if err != nil {
		return nil
	}
	x.plan(c, permission.Deny, verdict{rule: d.Rule})
	x.fail(c, CallDenied, CodeUnknownTool, refusal.Error(), nil)
	return c
}

// VerdictWords are what the rules say of a call of a dry run, for display.
func VerdictWords(c CallRecord) string {
	words := map[string]string{"allow": "allowed", "ask": "would ask", "deny": "denied"}[c.Verdict]
	switch {
	case c.VerdictBy != "":
		return words + " by " + c.VerdictBy
	case c.Verdict == "ask":
		return words + ": no rule"
	}
	return words
}

func newSampler() *sampler { return &sampler{} }

func (*sampler) value(t *catalog.Tool) jsontext.Value {
	if len(t.OutputSchema) == 0 {
		return quote("sample output of " + t.Name)
	}
	return sample.Of(t.OutputSchema)
}
