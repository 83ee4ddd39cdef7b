package exec

import (
	"context"
	"fmt"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/exec/input"
	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// takeInput checks what the script is given against its type; a result means that
// nothing runs (EXEC-18).
func (x *run) takeInput(ctx context.Context, pool *catalog.Catalog) *Result {
	q := &x.request
	if q.Input == nil && q.Replay != nil {
		q.Input = q.Replay.Cassette().Input
	}
	refuse := func(format string, args ...any) *Result {
		return x.refuse(CodeError, Error{Name: "TypeError", Code: CodeInput, Message: fmt.Sprintf(format, args...)})
	}
	if len(q.Input) > x.limits.MaxValueBytes {
		x.endedBy = "exec.maxValueBytes"
		return refuse("the input is too large: it has %d bytes, and %d are allowed", len(q.Input), x.limits.MaxValueBytes)
	}
	given := q.Input != nil
	if given {
		parsed, err := input.Parse(q.Input)
		if err != nil {
			return refuse("%v", err)
		}
		q.Input = parsed
	}
	if !x.source.MayTakeInput() {
		if given {
			return refuse("%s", noInput)
		}
		return nil
	}
	contract, err := x.contract(ctx, pool)
	switch {
	case ctx.Err() != nil:
		return nil // the caller sees it
	case err != nil && given:
		return refuse("the input cannot be checked: %v", err)
	case err != nil:
		x.r.log().Warn("the type of a script's input could not be read", "run", x.id, "err", err)
		return nil
	case contract == nil: // there is no type checker here
		if given {
			return refuse("the input cannot be checked: there is no type checker here")
		}
		return nil
	case !contract.Takes && given:
		return refuse("%s", noInput)
	case !contract.Takes, !given && contract.Optional:
		return nil
	case len(contract.Problems) > 0 && x.unchecked(pool):
		x.warn("the input was not checked: in a replay without servers there are no declarations")
		return nil
	case len(contract.Problems) > 0:
		return refuse("the type of the script's input cannot be given as JSON:\n%s", problemLines(contract.Problems))
	}
	value := q.Input
	if !given {
		value = jsontext.Value("{}")
	}
	misfits, err := input.Check(contract.Input, value)
	switch {
	case err != nil:
		return refuse("%v", err)
	case len(misfits) > 0 && !given:
		return refuse("the script needs an input:\n%s", misfitLines(misfits))
	case len(misfits) > 0:
		return refuse("the input does not fit the script's type:\n%s", misfitLines(misfits))
	}
	q.Input = value
	return nil
}

const noInput = "this script takes no input. One that does is a module whose default function has a parameter: " +
	"export default async function (input: { repo: string }) { … }"

// contract is nil without an error when nobody can read types here.
func (x *run) contract(ctx context.Context, pool *catalog.Catalog) (*script.Contract, error) {
	if x.r.Check == nil {
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, x.limits.Timeout)
	defer cancel()
	return x.r.Check.Contract(limited, x.source, x.request.Language, pool)
}

func misfitLines(all []input.Misfit) string {
	lines := make([]string, len(all))
	for i, m := range all {
		lines[i] = "  " + m.String()
	}
	return strings.Join(lines, "\n")
}

func problemLines(all []script.InputProblem) string {
	lines := make([]string, len(all))
	for i, p := range all {
		lines[i] = fmt.Sprintf("  %s (line %d): %s", p.Path, p.Range.Start.Line+1, p.Message)
	}
	return strings.Join(lines, "\n")
}

// cleanInput is the input without configured secrets.
func (x *run) cleanInput() jsontext.Value {
	if x.r.Redact == nil || x.request.Input == nil {
		return x.request.Input
	}
	return x.r.Redact.JSON(x.request.Input)
}
