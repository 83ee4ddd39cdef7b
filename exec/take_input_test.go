package exec

import (
	"context"
	"errors"
	"strings"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/exec/cassette"
	"codemode-ls/sandbox"
	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

type contractChecker struct {
	contract *script.Contract
	err      error
	asked    int
}

func (c *contractChecker) Check(context.Context, *script.Source, script.Language, *catalog.Catalog) ([]Diagnostic, error) {
	return nil, nil
}

func (c *contractChecker) Contract(context.Context, *script.Source, script.Language, *catalog.Catalog) (*script.Contract, error) {
	c.asked++
	return c.contract, c.err
}

// EXEC-18: nothing runs on an input that does not fit, and what runs gets it as data.
func TestInputBeforeTheSandbox(t *testing.T) {
	const module = "export default (input: { a: number; b?: string }) => input"
	takes := &script.Contract{Function: true, Takes: true, Input: jsontext.Value(
		`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}`)}
	optional := *takes
	optional.Optional = true
	lenient := &script.Contract{Function: true, Takes: true, Input: jsontext.Value(`{"type":"object"}`)}
	for _, tt := range []struct {
		name, code, input string
		checker           *contractChecker
		want              string // what the sandbox gets, or a part of the refusal behind !
		unasked           bool
	}{
		{"fits", module, ` { "a" : 1 } `, &contractChecker{contract: takes}, `{"a":1}`, false},
		{"does not fit", module, `{"b":1,"c":2}`, &contractChecker{contract: takes}, "!a: missing; expected a number\n  b: expected a string, got 1\n  c: unknown field", false},
		{"not given", module, "", &contractChecker{contract: takes}, "!the script needs an input:\n  a: missing", false},
		{"not given and optional", module, "", &contractChecker{contract: &optional}, "", false},
		{"not given, and an empty object fits", module, "", &contractChecker{contract: lenient}, "{}", false},
		{"null is given", module, "null", &contractChecker{contract: &optional}, "!expected an object with a, got null", false},
		{"a body", "return 1", "{}", &contractChecker{contract: takes}, "!export default async function (input:", true},
		{"a body without", "return 1", "", &contractChecker{contract: takes}, "", true},
		{"no parameter", "export default () => 1", "{}", &contractChecker{contract: takes}, "!takes no input", true},
		{"no parameter, by its type", "export default main", "{}", &contractChecker{contract: &script.Contract{Function: true}}, "!takes no input", false},
		{"not JSON", module, "{a}", &contractChecker{contract: takes}, "!not JSON", true},
		{"twice the same name", module, `{"a":1,"a":2}`, &contractChecker{contract: takes}, "!duplicate", true},
		{"a prototype", module, `{"a":1,"x":{"__proto__":{}}}`, &contractChecker{contract: lenient}, "!x.__proto__: a field called __proto__ never reaches a script", false},
		{"a type that JSON cannot carry", module, "{}", &contractChecker{contract: &script.Contract{Takes: true, Problems: []script.InputProblem{{Path: "input.since", Message: "JSON has no dates."}}}}, "!input.since (line 1): JSON has no dates.", false},
		{"types that cannot be read", module, "{}", &contractChecker{err: errors.New("gone")}, "!cannot be checked: gone", false},
		{"types that cannot be read, and nothing given", module, "", &contractChecker{err: errors.New("gone")}, "", false},
		{"too large", module, `"` + strings.Repeat("a", 65<<20) + `"`, &contractChecker{contract: takes}, "!too large", true},
	} {
		got, ran := "", false
		b := setup(t, func(s *fakeScript) sandbox.Outcome {
			got, ran = string(s.request.Input), true
			return completed("1")
		})
		b.Check = tt.checker
		q := Request{Code: tt.code, Language: script.TypeScript}
		if tt.input != "" {
			q.Input = jsontext.Value(tt.input)
		}
		r := b.run(t, q)
		refusal, refused := strings.CutPrefix(tt.want, "!")
		switch {
		case refused && (ran || r.Error == nil || r.Error.Code != CodeInput || !strings.Contains(r.Error.Message, refusal)):
			t.Errorf("%s: %s %+v", tt.name, r.Status, r.Error)
		case !refused && (!ran || got != tt.want):
			t.Errorf("%s: ran %v with %q: %+v", tt.name, ran, got, r.Error)
		}
		if (tt.checker.asked == 0) != tt.unasked {
			t.Errorf("%s: the types were asked for %d times", tt.name, tt.checker.asked)
		}
	}
}

// EXEC-18: a cassette keeps the input, and a replay gives it again.
func TestInputOnCassettes(t *testing.T) {
	var got string
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		got = string(s.request.Input)
		return completed("1")
	})
	b.Check = &contractChecker{contract: &script.Contract{Takes: true, Input: jsontext.Value("{}")}}
	recorder := new(cassette.Recorder)
	q := Request{Code: "export default (input: unknown) => 1", Input: jsontext.Value(`{"a":[1]}`), Record: recorder}
	r := b.run(t, q)
	text, err := recorder.Cassette("", Recorded(r)).Encode()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := cassette.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	player := cassette.NewPlayer(kept)
	got = ""
	b.run(t, Request{Code: q.Code, Replay: player})
	if got != `{"a":[1]}` || string(player.Played().Input) != `{"a":[1]}` {
		t.Errorf("%s, %s", got, text)
	}
}
