package lsp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"codemode-ls/exec"
	"codemode-ls/permission"

	"github.com/go-json-experiment/json"
)

// PERM-12: answers for a loop, from plain clients and from those that ask
// themselves.
func TestPerm12LoopAnswers(t *testing.T) {
	q := question
	q.Note = "look\ntwice"
	q.Loop = &exec.LoopOffer{Asked: 2, Suggestions: []permission.Condition{{Field: "title", Match: "prefix", Value: "h\u202ei/"}}}
	said := func(t *testing.T, capabilities, answer string) (string, *testClient) {
		w := newFakeWorkspace(t, func(ctx context.Context, r exec.Request) *exec.Result {
			a, err := r.Asker.Ask(ctx, q)
			while := ""
			if a.While != nil {
				while = a.While.Field + " " + a.While.Match
			}
			return &exec.Result{RunID: "r1", Status: exec.Completed, Text: fmt.Sprintf("%s|%s|%d|%s|%v", a.Decision, a.Scope, a.Calls, while, err)}
		})
		c := initialized(t, w, capabilities)
		c.answerWith(func(m message) string {
			if m.Method == "codemode/permission" || m.Method == "window/showMessageRequest" {
				return answer
			}
			return "null"
		})
		return runText(t, c), c
	}
	asks := `{"experimental":{"codemode":{"permission":true}}}`
	for _, c := range []struct{ capabilities, answer, want string }{
		{`{}`, `{"title":"Allow 10 calls in this run"}`, "allow|loop|10||<nil>"},
		{`{}`, `{"title":"Allow in this run while title starts with \"h\\u202ei/\""}`, "allow|loop|0|title prefix|<nil>"},
		{`{}`, `{"title":"Allow once"}`, "allow|once|0||<nil>"},
		{`{}`, `{"title":""}`, "deny||0||<nil>"},
		{asks, `{"decision":"allow","scope":"loop","calls":5,"while":{"field":"path","match":"glob","value":"/a/*"}}`, "allow|loop|5|path glob|<nil>"},
		{asks, `{"decision":"allow","scope":"loop","calls":"many"}`, "||0||the editor did not answer the question: calls must not be a string"},
	} {
		got, client := said(t, c.capabilities, c.answer)
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.answer, got, c.want)
		}
		if c.capabilities == asks {
			if p := string(client.notification("codemode/permission").Params); !strings.Contains(p, `"loop":{"asked":2,"suggestions":[{"field":"title","match":"prefix",`) || !strings.Contains(p, `"note":"look\ntwice"`) {
				t.Errorf("params: %s", p)
			}
			continue
		}
		var p struct {
			Message string `json:"message"`
			Actions []struct {
				Title string `json:"title"`
			} `json:"actions"`
		}
		if err := json.Unmarshal(client.notification("window/showMessageRequest").Params, &p); err != nil {
			t.Fatal(err)
		}
		if len(p.Actions) != 8 || strings.ContainsAny(fmt.Sprint(p.Actions), "\u202e\n") || !strings.Contains(p.Message, "\nA hook says: look twice\n") {
			t.Errorf("%+v", p)
		}
	}
	// The title of an answer that is not offered grants nothing.
	q.Loop = nil
	if got, _ := said(t, `{}`, `{"title":""}`); got != "deny||0||<nil>" {
		t.Error(got)
	}
}
