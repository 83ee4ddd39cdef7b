package typescript

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
)

// methodPromises is a request of our own engine's, see package codemodeshim.
const methodPromises = "codemode/promises"

// A Promise is one of a tool call that a script loses, or uses as if it were its
// value, as the types of TypeScript show.
type Promise struct {
	Range protocol.Range `json:"range"` // the expression that would have to be awaited
	Mark  protocol.Range `json:"mark"`  // what to underline
	// Around is where TypeScript itself may report the same mistake.
	Around protocol.Range `json:"around"`
	Tool   string         `json:"tool"` // that the expression calls itself, or ""
	// Callback is the method that does not wait for its callback, such as forEach;
	// Condition says that it only checks whether what the callback returns is truthy.
	Callback  string `json:"callback"`
	Condition bool   `json:"condition"`
	Used      bool   `json:"used"` // as if it were its value; otherwise nobody awaits it
	List      bool   `json:"list"` // an array of promises
	Deep      bool   `json:"deep"` // promises are somewhere inside of it
	Async     bool   `json:"async"`
	// Name of the shorthand property that it is, or "".
	Name string `json:"name"`
	// Compound says that it needs parentheses behind an await.
	Compound bool `json:"compound"`
}

// Inspect is Diagnostics of an open document, and the promises that it loses. An
// engine that cannot find promises finds none.
func (e *Engine) Inspect(ctx context.Context, uri string) ([]protocol.Diagnostic, []Promise, error) {
	found, err := e.Diagnostics(ctx, uri)
	if err != nil {
		return nil, nil, err
	}
	d, err := e.opened(uri)
	if err != nil || d.nocheck || !e.own || !strings.Contains(d.text, "tools") {
		return found, nil, nil
	}
	var answer struct {
		Found []Promise `json:"found"`
	}
	d, err = e.request(ctx, uri, methodPromises, func(d *document) any {
		return map[string]string{"uri": d.virtual}
	}, &answer)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		return found, nil, nil // the types are worth having without
	}
	for i := range answer.Found {
		p := &answer.Found[i]
		p.Range, p.Mark, p.Around = d.rangeToAuthor(p.Range), d.rangeToAuthor(p.Mark), d.rangeToAuthor(p.Around)
	}
	return found, answer.Found, nil
}
