package typescript

import (
	"strings"
	"testing"

	"codemode-ls/script"
)

// EXEC-18: the type of the parameter is the contract, its comments describe it.
func TestContract(t *testing.T) {
	e := newEngine(t)
	c, err := e.ReadContract(t.Context(), script.Read(`/**
 * Closes stale issues.
 *
 * @param input.limit How many.
 * @example nightly
 * {"repo": "octo/hello"}
 * @example {"repo": "a/b",
 *   "limit": 3}
 * @example <caption>One more</caption> {"repo": "x"}
 * @example broken {"repo": }
 */
export default async function (input: { /** The repository. */ repo: string; limit?: number }) {
  const { limit = 10 } = input;
  return { closed: limit };
}`), script.TypeScript)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{` +
		`"repo":{"description":"The repository.","type":"string"},"limit":{"description":"How many.","type":"number","default":10}},` +
		`"required":["repo"],"additionalProperties":false}`
	if string(c.Input) != want {
		t.Errorf("input:\n%s\nnot\n%s", c.Input, want)
	}
	const output = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"closed":{"type":"number"}},"required":["closed"]}`
	if string(c.Output) != output {
		t.Errorf("output: %s", c.Output)
	}
	if !c.Takes || c.Optional || c.Name != "input" || c.Description != "Closes stale issues." || c.Range.Start.Line != 11 {
		t.Errorf("%+v", c)
	}
	var examples []string
	for _, x := range c.Examples {
		examples = append(examples, x.Name+"="+strings.Join(strings.Fields(string(x.Input)), ""))
	}
	if got := strings.Join(examples, "|"); got != `nightly={"repo":"octo/hello"}|={"repo":"a/b","limit":3}|One more={"repo":"x"}|broken {"repo": }=` {
		t.Errorf("examples: %s", got)
	}
}

// EXEC-18: what takes no input says so, whatever form it has.
func TestContractOfScriptsWithoutInput(t *testing.T) {
	e := newEngine(t)
	for _, tt := range []struct{ text, want string }{
		{"return 1", "none"},
		{"export default 5", "none"},
		{"export default async () => 5", "function"},
		{"export default async (a: string) => a", "takes"},
		{"export default function (a = 1) { return a }", "optional"},
		{"const main = (a?: string) => a\nexport default main", "optional"},
		{"async function main({ a }: { a: string }) {}\nexport default main", "takes"},
		{"export default (async ({ a }: { a: string }) => a)", "takes"},
		{"export default function (a: {", "takes"},
	} {
		c, err := e.ReadContract(t.Context(), script.Read(tt.text), script.TypeScript)
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		switch {
		case c.Optional:
			got = "optional"
		case c.Takes:
			got = "takes"
		case c.Function:
			got = "function"
		}
		if got != tt.want {
			t.Errorf("%s: %s, not %s", tt.text, got, tt.want)
		}
	}
}
