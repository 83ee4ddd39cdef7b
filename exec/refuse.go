package exec

import (
	"strings"

	"codemode-ls/script"
)

// refuse is the result of a run that did not start.
func (x *run) refuse(status Status, e Error) *Result {
	return x.result(status, &e, nil)
}

// unfit is the result for a text that Prepare refuses.
func (x *run) unfit(found []script.Finding) *Result {
	e := Error{Name: "SyntaxError", Code: CodeOptions}
	messages := make([]string, len(found))
	for i, f := range found {
		messages[i] = f.Message
		if f.Code == script.CodeBlank {
			e = Error{Name: "Error", Code: CodeInvalid}
		}
	}
	e.Message = strings.Join(messages, "\n")
	if found[0].Code != script.CodeBlank {
		place := found[0].Range
		e.Range = &place
	}
	return x.refuse(CodeError, e)
}
