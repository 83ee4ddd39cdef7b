package editortest

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Prompt is a question that is open in the editor.
type Prompt struct {
	// Text is what a person sees; of codemode/permission, the params.
	Text   string
	Titles []string // buttons of a plain prompt

	id         jsontext.Value
	permission bool
}

// prompt puts a question before the person.
func (e *Editor) prompt(m Message) {
	p := &Prompt{id: m.ID, permission: m.Method == "codemode/permission", Text: string(m.Params)}
	if !p.permission {
		var q struct {
			Message string `json:"message"`
			Actions []struct {
				Title string `json:"title"`
			} `json:"actions"`
		}
		if err := json.Unmarshal(m.Params, &q); err == nil {
			p.Text = q.Message
			for _, a := range q.Actions {
				p.Titles = append(p.Titles, a.Title)
			}
		}
	}
	var standing string
	e.update(func() {
		e.prompts = append(e.prompts, p)
		standing = e.standing
	})
	if standing != "" {
		if err := e.reply(p, standing); err != nil {
			e.update(func() { e.ended = err })
		}
	}
}

// withdraw closes the prompt that the server has withdrawn.
func (e *Editor) withdraw(params jsontext.Value) {
	var q struct {
		ID jsontext.Value `json:"id"`
	}
	if json.Unmarshal(params, &q) != nil || !e.take(q.ID) {
		return
	}
	e.update(func() { e.gone++ })
	e.answer(q.ID, "", &Error{Code: -32800, Message: "cancelled"})
}

// take removes a prompt from the open ones; it can be answered once.
func (e *Editor) take(id jsontext.Value) (ok bool) {
	e.update(func() {
		for i, p := range e.prompts {
			if string(p.id) == string(id) {
				e.prompts = append(e.prompts[:i:i], e.prompts[i+1:]...)
				ok = true
				return
			}
		}
	})
	return ok
}

// Prompt waits for an open prompt that ok takes.
func (e *Editor) Prompt(ctx context.Context, ok func(text string) bool) (*Prompt, error) {
	var found *Prompt
	err := e.await(ctx, "a prompt", func() bool {
		for _, p := range e.prompts {
			if ok(p.Text) {
				found = p
				return true
			}
		}
		return false
	})
	return found, err
}

// Answer answers the oldest open prompt; see the package's documentation for
// the words.
func (e *Editor) Answer(ctx context.Context, words string) error {
	p, err := e.Prompt(ctx, func(string) bool { return true })
	if err != nil {
		return err
	}
	return e.reply(p, words)
}

// AnswerAll answers all prompts that are open or will come like that; "" leaves
// them to Answer.
func (e *Editor) AnswerAll(words string) error {
	var open []*Prompt
	e.update(func() {
		e.standing = words
		if words != "" {
			open = append(open, e.prompts...)
		}
	})
	for _, p := range open {
		if err := e.reply(p, words); err != nil {
			return err
		}
	}
	return nil
}

// Withdrawn waits until the server has withdrawn a prompt, each once.
func (e *Editor) Withdrawn(ctx context.Context) error {
	return e.await(ctx, "the end of a prompt", func() bool {
		if e.gone == 0 {
			return false
		}
		e.gone--
		return true
	})
}

func (e *Editor) reply(p *Prompt, words string) error {
	result, err := p.result(words)
	if err != nil {
		return err
	}
	if !e.take(p.id) {
		return fmt.Errorf("the prompt is not open any more")
	}
	switch {
	case result != "":
		e.answer(p.id, result, nil)
	case e.profile.Dismissal == DismissNull:
		e.answer(p.id, "null", nil)
	case e.profile.Dismissal == DismissError:
		e.answer(p.id, "", &Error{Code: -32800, Message: "cancelled"})
	}
	return nil
}

// result is the answer's JSON; "" closes the prompt.
func (p *Prompt) result(words string) (string, error) {
	if words == "dismiss" {
		return "", nil
	}
	if !p.permission {
		for _, title := range p.Titles {
			if strings.EqualFold(title, words) {
				quoted, err := json.Marshal(title)
				return `{"title":` + string(quoted) + `}`, err
			}
		}
		return "", fmt.Errorf("no button says %q, only %q", words, p.Titles)
	}
	first, rest, _ := strings.Cut(words, " ")
	var answer struct {
		Decision string `json:"decision"`
		Scope    string `json:"scope,omitzero"`
		Stop     bool   `json:"stop,omitzero"`
		Reason   string `json:"reason,omitzero"`
	}
	answer.Decision = first
	switch first {
	case "allow":
		answer.Scope = rest
	case "deny":
		reason, stop := strings.CutPrefix(rest+" ", "stop ")
		answer.Stop, answer.Reason = stop, strings.TrimSpace(reason)
	default:
		return "", fmt.Errorf(`%q is neither "allow", "deny" nor "dismiss"`, words)
	}
	raw, err := json.Marshal(answer)
	return string(raw), err
}
