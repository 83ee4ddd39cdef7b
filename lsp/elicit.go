package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"codemode-ls/analysis"
	"codemode-ls/internal/plaintext"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// elicitor has the person at the editor answer what servers ask (MCP-6).
type elicitor struct{ s *Server }

// Titles of the answers to a server's question.
const (
	elicitOpen    = "Open"
	elicitAccept  = "Answer with what is filled in"
	elicitConfirm = "Confirm"
	elicitDecline = "Decline"
)

// Elicit asks by codemode/input when the client can show forms. For any other, a
// question that buttons can answer is one of window/showMessageRequest, and the rest is
// declined, which the person sees.
func (e elicitor) Elicit(ctx context.Context, q upstream.Elicitation) (upstream.ElicitationAnswer, error) {
	client := e.s.session.Snapshot().Client
	if q.URL != "" {
		return e.visit(ctx, q)
	}
	if c := client.Codemode; c != nil && c.Elicitation {
		var answer InputAnswer
		err := protocol.Call(ctx, e.s.conn, MethodInput, InputQuestion{
			ID: "elicitation", Server: q.Server, Description: analysis.Plain(q.Message, maxElicitMessage), Fields: q.Fields,
		}, &answer)
		if err != nil {
			return upstream.ElicitationAnswer{}, err
		}
		if answer.Action == "" {
			answer.Action = upstream.Cancel
		}
		a := upstream.ElicitationAnswer{Action: answer.Action}
		if len(answer.Content) > 0 {
			if err := json.Unmarshal(answer.Content, &a.Content); err != nil {
				return upstream.ElicitationAnswer{}, fmt.Errorf("the editor's answer cannot be read: %s", malformed(err))
			}
		}
		return a, nil
	}
	return e.buttons(ctx, q)
}

// maxElicitMessage is how many characters of a server's question are shown.
const maxElicitMessage = 2000

// asks is the beginning of a question: who asks comes first, as text that no server
// writes.
func asks(q upstream.Elicitation) string {
	return fmt.Sprintf("The MCP server %s asks: %s", plaintext.Exact(q.Server), analysis.Plain(q.Message, 600))
}

// visit has the person open an address, which they see whole.
func (e elicitor) visit(ctx context.Context, q upstream.Elicitation) (upstream.ElicitationAnswer, error) {
	switch e.choose(ctx, asks(q)+"\nIt wants you to open "+plaintext.Exact(q.URL), elicitOpen, elicitDecline) {
	case elicitOpen:
		external := true
		shown, err := e.s.client.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: uri.URI(q.URL), External: &external})
		if err != nil || shown == nil || !shown.Success {
			e.s.showMessage(ctx, protocol.MessageTypeInfo, "Open this address in a browser: "+plaintext.Exact(q.URL))
		}
		return upstream.ElicitationAnswer{Action: upstream.Accept}, nil
	case elicitDecline:
		return upstream.ElicitationAnswer{Action: upstream.Decline}, nil
	}
	return upstream.ElicitationAnswer{Action: upstream.Cancel}, ctx.Err()
}

func (e elicitor) choose(ctx context.Context, question string, titles ...string) string {
	actions := make([]protocol.MessageActionItem, len(titles))
	for i, title := range titles {
		actions[i].Title = title
	}
	item, err := e.s.client.ShowMessageRequest(ctx, &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeWarning, Message: question, Actions: actions})
	if err != nil || item == nil || !slices.Contains(titles, item.Title) {
		return ""
	}
	return item.Title
}

// maxButtons is how many answers a plain prompt can show.
const maxButtons = 8

// buttons asks what a plain prompt can: to confirm, one choice, or to take what is
// filled in.
func (e elicitor) buttons(ctx context.Context, q upstream.Elicitation) (upstream.ElicitationAnswer, error) {
	answers := map[string]map[string]jsontext.Value{}
	var titles []string
	offer := func(title string, content map[string]jsontext.Value) {
		if answers[title] == nil {
			answers[title] = content
			titles = append(titles, title)
		}
	}
	question := asks(q)
	filled, lines := filledIn(q.Fields)
	switch {
	case len(q.Fields) == 0:
		offer(elicitConfirm, map[string]jsontext.Value{})
	case len(q.Fields) == 1 && q.Fields[0].Type == "boolean":
		question += "\n" + analysis.Plain(label(q.Fields[0]), 200)
		offer("Yes", map[string]jsontext.Value{q.Fields[0].Name: jsontext.Value("true")})
		offer("No", map[string]jsontext.Value{q.Fields[0].Name: jsontext.Value("false")})
	case len(q.Fields) == 1 && q.Fields[0].Type == "string" && len(q.Fields[0].Choices) > 0 && len(q.Fields[0].Choices) < maxButtons:
		question += "\n" + analysis.Plain(label(q.Fields[0]), 200)
		for _, c := range q.Fields[0].Choices {
			title := c.Title
			if title == "" {
				title = c.Value
			}
			value, err := jsontext.AppendQuote(nil, c.Value)
			if err != nil {
				return upstream.ElicitationAnswer{Action: upstream.Decline}, nil
			}
			offer(analysis.Plain(title, 80), map[string]jsontext.Value{q.Fields[0].Name: value})
		}
	case filled != nil:
		question += "\n" + strings.Join(lines, "\n")
		offer(elicitAccept, filled)
	default:
		e.s.showMessage(ctx, protocol.MessageTypeWarning, asks(q)+"\nThis editor has no form for that, so it was declined. codemode-ls run in a terminal can ask.")
		return upstream.ElicitationAnswer{Action: upstream.Decline}, nil
	}
	chosen := e.choose(ctx, question, append(titles, elicitDecline)...)
	switch content, ok := answers[chosen]; {
	case ok:
		return upstream.ElicitationAnswer{Action: upstream.Accept, Content: content}, nil
	case chosen == elicitDecline:
		return upstream.ElicitationAnswer{Action: upstream.Decline}, nil
	}
	return upstream.ElicitationAnswer{Action: upstream.Cancel}, ctx.Err()
}

// filledIn are the values of a form in which all that is required is filled in, and a
// line for each; nil for another form.
func filledIn(fields []upstream.Field) (map[string]jsontext.Value, []string) {
	content, lines := map[string]jsontext.Value{}, []string(nil)
	for _, f := range fields {
		switch {
		case f.Default != nil:
			content[f.Name] = f.Default
			lines = append(lines, analysis.Plain(label(f)+": "+string(f.Default), 200))
		case f.Required:
			return nil, nil
		}
	}
	if len(content) == 0 {
		return nil, nil
	}
	return content, lines
}

// label is what a field is called.
func label(f upstream.Field) string {
	if f.Title != "" {
		return f.Title
	}
	return f.Name
}
