package exec

import (
	"encoding/json"
	"strings"
	"testing"

	"codemode-ls/sandbox"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// DRY-1: no server is called, nobody is asked, and the calls are listed.
func TestDry1(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		got, err := s.call("mcp__a__plain", `{"id":7}`)
		if err != nil || got != `"sample output of mcp__a__plain"` {
			t.Errorf("%s %v", got, err)
		}
		s.call("mcp__a__drop", `{}`)
		if _, err := s.call("mcp__a__nope", `{}`); err == nil {
			t.Error("an unknown tool has an answer")
		}
		return completed(got)
	}, ask)
	b.store.Set("session", "allow", "mcp__a__drop")
	person := &always{}
	r := b.run(t, Request{DryRun: true, Asker: person})
	if len(b.server.sent) != 0 || len(person.asked) != 0 {
		t.Errorf("%d sent, %d asked", len(b.server.sent), len(person.asked))
	}
	if len(r.Calls) != 2 || r.Calls[0].Verdict != "ask" || r.Calls[1].Verdict != "allow" {
		t.Errorf("%+v", r.Calls)
	}
	contain(t, r.Text, "Calls that would have been made:\n- mcp__a__plain {\"id\":7}\n- mcp__a__drop {}")
	if again := b.run(t, Request{DryRun: true}); again.Text != r.Text {
		t.Errorf("another text:\n%s", again.Text)
	}
}

// DRY-1: samples are valid against their schemas.
func TestSampleIsValid(t *testing.T) {
	for _, schema := range []string{
		`true`, `{}`,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":5}},"required":["a","b"],"additionalProperties":false}`,
		`{"type":"object","required":["x"]}`,
		`{"type":["null","string"],"minLength":20}`,
		`{"enum":[3,"a"]}`, `{"const":{"a":1}}`,
		`{"type":"string","enum":["a"],"default":"b"}`,
		`{"type":"integer","default":"many"}`,
		`{"type":"string","format":"date-time"}`, `{"type":"string","format":"uuid"}`,
		`{"type":"string","pattern":"^[A-Z]{3}-\\d+(foo|bar)?$"}`,
		`{"type":"string","maxLength":3}`,
		`{"type":"array","items":{"type":"integer"},"minItems":3,"uniqueItems":true}`,
		`{"type":"array","items":{"type":"string"},"minItems":2,"uniqueItems":true}`,
		`{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"items":false,"$schema":"https://json-schema.org/draft/2020-12/schema"}`,
		`{"type":"array","maxItems":0}`,
		`{"type":"number","exclusiveMinimum":0,"maximum":1}`,
		`{"type":"integer","minimum":10,"multipleOf":7}`,
		`{"type":"number","maximum":-5}`,
		`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"null"}},"required":["b"]}]}`,
		`{"anyOf":[{"type":"null"},{"type":"object","properties":{"k":{"const":"v"}},"required":["k"]}]}`,
		`{"oneOf":[{"type":"string"},{"type":"number"}]}`,
		`{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"v":{"type":"integer"}},"required":["v"]}}}`,
		`{"type":"object","minProperties":2,"additionalProperties":{"type":"integer"}}`,
	} {
		sample := Sample(jsontext.Value(schema))
		c := jsonschema.NewCompiler()
		var doc, value any
		json.Unmarshal([]byte(schema), &doc)
		if err := c.AddResource("s.json", doc); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile("s.json")
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}
		if err := json.Unmarshal(sample, &value); err != nil {
			t.Fatalf("%s: %s: %v", schema, sample, err)
		}
		if err := compiled.Validate(value); err != nil {
			t.Errorf("%s\nsample %s\n%v", schema, sample, err)
		}
		if string(Sample(jsontext.Value(schema))) != string(sample) {
			t.Errorf("%s: not deterministic", schema)
		}
	}
}

// A schema is what a server sent.
func TestSampleOfHostileSchemas(t *testing.T) {
	for _, schema := range []string{
		``, `{`, `null`, `[]`, `"x"`, `false`,
		`{"$ref":"#"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		`{"$ref":"https://elsewhere.test/x"}`, `{"allOf":[{"$ref":"#"}]}`,
		`{"type":"array","minItems":1e300,"items":{"type":"array","minItems":1e300,"items":{"type":"array","minItems":1e9,"items":{}}}}`,
		`{"type":"string","minLength":1e300}`, `{"type":"string","pattern":"((a{1000}){1000}){1000}"}`, `{"type":"string","pattern":"(?<=a)b"}`,
		`{"type":"integer","multipleOf":1e-300,"minimum":1e300}`, `{"type":"integer","minimum":5,"maximum":4}`,
		`{"required":["a"],"properties":{"a":{"$ref":"#"}}}`,
		strings.Repeat(`{"items":`, 500) + `{}` + strings.Repeat(`}`, 500),
	} {
		if sample := Sample(jsontext.Value(schema)); !json.Valid(sample) || len(sample) > 1<<20 {
			t.Errorf("%.80s: %d bytes %.80s", schema, len(sample), sample)
		}
	}
}
