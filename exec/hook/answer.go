package hook

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"codemode-ls/config"
	"codemode-ls/internal/plaintext"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what a hook says, in characters.
const (
	maxReason  = 1000
	maxContext = 10_000
)

// hookInput is what a hook reads on its standard input: the form that hooks of coding
// agents have, with the fields of this program beside it.
type hookInput struct {
	SessionID string         `json:"session_id"`
	RunID     string         `json:"run_id"`
	Dir       string         `json:"cwd"`
	Event     string         `json:"hook_event_name"`
	Tool      string         `json:"tool_name"`
	Server    string         `json:"server"`
	UseID     string         `json:"tool_use_id"`
	Input     jsontext.Value `json:"tool_input"`
	URI       string         `json:"script_uri,omitzero"`
	Line      int            `json:"script_line,omitzero"`
	Response  jsontext.Value `json:"tool_response,omitzero"`
	Error     string         `json:"error,omitzero"`
	// Interrupt stands there twice: the specification's name and that of agents.
	Interrupt      *bool `json:"isInterrupt,omitzero"`
	InterruptSnake *bool `json:"is_interrupt,omitzero"`
}

func input(event, dir string, c Call) ([]byte, error) {
	t := hookInput{
		SessionID: c.SessionID, RunID: c.RunID, Dir: dir, Event: event, Tool: c.Tool, Server: c.Server, UseID: c.UseID,
		Input: c.Arguments, URI: c.URI, Line: c.Line, Response: c.Response, Error: c.Error,
	}
	if len(t.Input) == 0 {
		t.Input = jsontext.Value("{}")
	}
	if event == config.PostToolUseFailure {
		t.Interrupt, t.InterruptSnake = &c.Interrupt, &c.Interrupt
	}
	b, err := json.Marshal(t, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fmt.Errorf("the call cannot be written for it: %w", err)
	}
	return append(b, '\n'), nil
}

// said is what a hook may write to its standard output; all of it is optional,
// and fields that are not known here are left alone.
type said struct {
	Continue      *bool   `json:"continue"`
	StopReason    string  `json:"stopReason"`
	SystemMessage string  `json:"systemMessage"`
	Decision      *string `json:"decision"` // older form: approve or block
	Reason        string  `json:"reason"`
	HookSpecific  *struct {
		Event             string         `json:"hookEventName"`
		Decision          *string        `json:"permissionDecision"`
		Reason            string         `json:"permissionDecisionReason"`
		UpdatedInput      jsontext.Value `json:"updatedInput"`
		AdditionalContext string         `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// answer is what one hook has said.
type answer struct {
	decision string
	reason   string
	stop     bool
	input    jsontext.Value
	context  []string
	messages []string
}

// read reads a hook's standard output. Nothing is no opinion, and so is text after
// a call. An object that cannot be understood is an error as a whole: a part of it
// could say what the whole does not.
func read(event string, stdout []byte) (answer, error) {
	stdout = bytes.TrimSpace(bytes.TrimPrefix(stdout, []byte("\ufeff")))
	switch {
	case len(stdout) == 0:
		return answer{}, nil
	case stdout[0] != '{' && event == config.PreToolUse: // it may have wanted to deny
		return answer{}, errors.New("its answer is not one JSON object")
	case stdout[0] != '{':
		return answer{}, nil
	}
	var s said
	if err := json.Unmarshal(stdout, &s); err != nil {
		return answer{}, fmt.Errorf("its answer cannot be read: %w", err)
	}
	var a answer
	if s.Decision != nil {
		switch *s.Decision {
		case "approve":
			a.decision = Allow
		case "block":
			a.decision = Deny
		default:
			return answer{}, fmt.Errorf("its answer has the decision %q, which is neither approve nor block", plaintext.Line(*s.Decision, 40))
		}
		a.reason = s.Reason
	}
	if h := s.HookSpecific; h != nil {
		if h.Event != "" && h.Event != event {
			return answer{}, fmt.Errorf("its answer is for the event %q", plaintext.Line(h.Event, 40))
		}
		if h.Decision != nil {
			switch *h.Decision {
			case Allow, Ask, Deny:
				a.decision, a.reason = *h.Decision, h.Reason
			default:
				return answer{}, fmt.Errorf("its answer has the decision %q, which is none of allow, ask, deny", plaintext.Line(*h.Decision, 40))
			}
		}
		switch h.UpdatedInput.Kind() {
		case '{':
			a.input = h.UpdatedInput.Clone()
			if err := a.input.Compact(); err != nil {
				return answer{}, fmt.Errorf("its updatedInput cannot be read: %w", err)
			}
		case 'n', 0:
		default:
			return answer{}, errors.New("its updatedInput is not an object")
		}
		if text := clip(h.AdditionalContext, maxContext); text != "" {
			a.context = append(a.context, text)
		}
	}
	if s.Continue != nil && !*s.Continue {
		a.decision, a.stop = Deny, true
		if s.StopReason != "" {
			a.reason = s.StopReason
		}
	}
	if text := plaintext.Line(s.SystemMessage, maxReason); text != "" {
		a.messages = append(a.messages, text)
	}
	a.reason = plaintext.Line(a.reason, maxReason)
	if a.decision == Deny && a.reason == "" && event == config.PreToolUse {
		a.reason = "it gave no reason"
	}
	return a, nil
}

// clip bounds a text that may have several lines.
func clip(s string, most int) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\ufffd"))
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
