package lsp

import (
	"context"
	"strings"
	"testing"

	"codemode-ls/exec"

	"github.com/go-json-experiment/json"
)

// A client that offers models is asked by codemode/model; what it answers and
// how it fails reaches the run.
func TestModelRequest(t *testing.T) {
	for _, test := range []struct{ answer, want string }{
		{`{"text":"hi","stopReason":"length","usage":{"inputTokens":1,"outputTokens":2}}`, `{"text":"hi","stopReason":"length","usage":{"inputTokens":1,"outputTokens":2}}`},
		{`{}`, `{}`},
		{`null`, `{}`},
		{`{"text":5}`, `error: the editor did not run the model: text must not be a number`},
		{`"hi"`, `error: the editor did not run the model: the value must not be a string`},
		{`error:{"code":-32603,"message":"no\ncredit"}`, `error: the editor did not run the model: no credit`},
	} {
		t.Run(test.answer, func(t *testing.T) {
			w := newFakeWorkspace(t, func(ctx context.Context, q exec.Request) *exec.Result {
				a, err := q.Models.Model(ctx, exec.ModelRequest{RunID: "r1", Operation: "generate", Prompt: "p", MaxTokens: 3})
				if err != nil {
					return &exec.Result{Text: "error: " + err.Error()}
				}
				text, _ := json.Marshal(a)
				return &exec.Result{Text: string(text)}
			})
			c := initialized(t, w, `{"experimental":{"codemode":{"models":true}}}`)
			c.answerWith(func(m message) string {
				if m.Method != "codemode/model" {
					return "null"
				}
				if got := string(m.Params); got != `{"runId":"r1","operation":"generate","prompt":"p","maxTokens":3}` {
					t.Errorf("asked %s", got)
				}
				return test.answer
			})
			if got := strings.TrimSpace(runText(t, c)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if !w.options.Models {
				t.Error("the workspace was not told that there are models")
			}
		})
	}
}

// A client that offers none is not asked, and its scripts have none.
func TestNoModels(t *testing.T) {
	w := newFakeWorkspace(t, func(_ context.Context, q exec.Request) *exec.Result {
		if q.Models != nil {
			t.Error("there are models")
		}
		return &exec.Result{}
	})
	c := initialized(t, w, `{"experimental":{"codemode":{}}}`)
	runText(t, c)
	if w.options.Models {
		t.Error("the workspace was told that there are models")
	}
}
