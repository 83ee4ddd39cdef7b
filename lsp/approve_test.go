package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"codemode-ls/analysis"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

var question = exec.Question{
	ID: "q1", RunID: "r1", Tool: "mcp__github__create_issue", Server: "github", Title: "Create an issue",
	Arguments: jsontext.Value(`{"title":"hi","n":9007199254740993}`),
	Range:     &script.Range{Start: script.Position{Line: 1, Character: 4}, End: script.Position{Line: 1, Character: 9}},
	Waiting:   2,
}

// asking is a workspace whose runs ask one question; the answer is the result's
// text.
func asking(t *testing.T, q exec.Question) *fakeWorkspace {
	return newFakeWorkspace(t, func(ctx context.Context, r exec.Request) *exec.Result {
		a, err := r.Asker.Ask(ctx, q)
		text := fmt.Sprintf("%s|%s|%v|%s", a.Decision, a.Scope, a.Stop, a.Reason)
		if err != nil {
			text = "error: " + err.Error()
		}
		return &exec.Result{RunID: "r1", Status: exec.Completed, Text: text}
	})
}

func runText(t *testing.T, c *testClient) string {
	t.Helper()
	var r exec.Result
	if err := json.Unmarshal([]byte(c.call("codemode/exec", `{"code":"\nfoo 😀😀😀;"}`).ok()), &r); err != nil {
		t.Fatal(err)
	}
	return r.Text
}

// PERM-6, PERM-7, PERM-13: what a plain client may answer, and what it means.
func TestPlainPrompt(t *testing.T) {
	for _, test := range []struct{ answer, want string }{
		{`{"title":"Allow once"}`, "allow|once|false|"},
		{`{"title":"Allow for this run"}`, "allow|run|false|"},
		{`{"title":"Allow for this session"}`, "allow|session|false|"},
		{`{"title":"Always allow"}`, "allow|user|false|"},
		{`{"title":"Deny"}`, "deny||false|"},
		{`{"title":"Deny and stop"}`, "deny||true|"},
		{`{"title":"allow once"}`, "deny||false|"},
		{`{"title":""}`, "deny||false|"},
		{`null`, "deny||false|the question was closed"},
		{`"Allow once"`, "deny||false|the question was closed or cannot be shown"},
		{`7`, "deny||false|the question was closed or cannot be shown"},
		{`error:{"code":-32800,"message":"cancelled"}`, "deny||false|the question was closed or cannot be shown"},
		{`error:{"code":-32601,"message":"no such method"}`, "error: no permission client is configured: this editor cannot ask; a rule can allow the call"},
	} {
		t.Run(test.answer, func(t *testing.T) {
			c := initialized(t, asking(t, question), `{}`)
			c.answerWith(func(m message) string {
				if m.Method == "window/showMessageRequest" {
					return test.answer
				}
				return "null"
			})
			if got := runText(t, c); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// PERM-6: what the plain prompt shows.
func TestPlainPromptText(t *testing.T) {
	c := initialized(t, asking(t, question), `{}`)
	runText(t, c)
	var p struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
		Actions []struct {
			Title string `json:"title"`
		} `json:"actions"`
	}
	if err := json.Unmarshal(c.notification("window/showMessageRequest").Params, &p); err != nil {
		t.Fatal(err)
	}
	want := `Allow mcp__github__create_issue?
Server: github — Create an issue
Script: a script, line 2, column 5
Arguments: {
  "title": "hi",
  "n": 9007199254740993
}
2 more questions wait.`
	if p.Message != want || p.Type != 2 || len(p.Actions) != 6 {
		t.Errorf("type %d, %v\n%s", p.Type, p.Actions, p.Message)
	}
}

// TRUST-2: names, titles and arguments of a hostile server stay in their place.
func TestPlainPromptHostile(t *testing.T) {
	q := question
	q.Title = "nice\r\nServer: trusted\x1b[2J\u202e" + strings.Repeat("x", 10_000)
	q.Arguments = jsontext.Value(`{"a":"\u001b[31m` + strings.Repeat("y", 100_000) + `","b":"` + "\u202eevil\u200b" + `"}`)
	text := promptText(analysis.NewDocument("", 0, "", "", ""), q, newServer(Options{}, nil).session.Snapshot())
	if len(text) > 6000 || strings.ContainsAny(text, "\x1b\u202e\u200b\r") {
		t.Errorf("%d bytes: %.300q", len(text), text)
	}
	if n := strings.Count(text, "\nServer:"); n != 1 {
		t.Errorf("%d lines say which server it is:\n%.300s", n, text)
	}
	if !strings.Contains(text, "more characters") {
		t.Error("nothing says that arguments were cut")
	}
}

// PERM-7: a client that declared it is asked by codemode/permission.
func TestPermissionRequest(t *testing.T) {
	for _, test := range []struct{ answer, want string }{
		{`{"decision":"allow"}`, "allow||false|"},
		{`{"decision":"allow","scope":"workspace"}`, "allow|workspace|false|"},
		{`{"decision":"allow","scope":"forever"}`, "allow|once|false|"},
		{`{"decision":"deny","scope":"user","stop":true,"reason":"not now"}`, "deny|user|true|not now"},
		{`{"decision":"deny","scope":"once"}`, "deny||false|"},
		{`{"decision":"deny","scope":"loop","calls":3}`, "deny||false|"},
		{`{"decision":"ALLOW"}`, "deny||false|the editor closed the question"},
		{`{}`, "deny||false|the editor closed the question"},
		{`null`, "deny||false|the editor closed the question"},
		{`true`, "error: the editor did not answer the question: the value must not be a boolean"},
		{`{"decision":true}`, "error: the editor did not answer the question: decision must not be a boolean"},
		{`error:{"code":-32603,"message":"boom"}`, "error: the editor did not answer the question: boom"},
	} {
		t.Run(test.answer, func(t *testing.T) {
			c := initialized(t, asking(t, question), `{"experimental":{"codemode":{"permission":true}}}`)
			c.answerWith(func(m message) string {
				if m.Method == "codemode/permission" {
					return test.answer
				}
				return "null"
			})
			if got := runText(t, c); !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			// PERM-5: the bytes that will be sent.
			if p := string(c.notification("codemode/permission").Params); !strings.Contains(p, `"arguments":{"title":"hi","n":9007199254740993}`) ||
				!strings.Contains(p, `"argumentsText":"{\"title\":\"hi\",\"n\":9007199254740993}"`) {
				t.Errorf("params: %s", p)
			}
		})
	}
}

// LSP-2: the place of a question is in the client's units.
func TestPermissionRange(t *testing.T) {
	q := question
	q.Range = &script.Range{Start: script.Position{Line: 1, Character: 8}, End: script.Position{Line: 1, Character: 10}}
	c := initialized(t, asking(t, q), `{"general":{"positionEncodings":["utf-32"]},"experimental":{"codemode":{"permission":true}}}`)
	runText(t, c)
	if p := string(c.notification("codemode/permission").Params); !strings.Contains(p, `"range":{"start":{"line":1,"character":6},"end":{"line":1,"character":7}}`) {
		t.Errorf("params: %s", p)
	}
}

// PERM-13: a prompt that an editor lets vanish ends as denied, as text, and is
// withdrawn.
func TestPromptVanishes(t *testing.T) {
	w := asking(t, question)
	w.snapshot.Config = &config.Config{PromptTimeout: time.Millisecond}
	c := initialized(t, w, `{}`)
	c.answerWith(func(m message) string {
		if m.Method == "window/showMessageRequest" {
			return "" // never
		}
		return "null"
	})
	if got := runText(t, c); got != "error: nobody answered the question within 1ms" {
		t.Error(got)
	}
	c.notification("$/cancelRequest")
}

// BUD-11, PERM-7: a cancelled run withdraws its question and is not blocked by
// it; the loop goes on meanwhile.
func TestCancelWhilePrompting(t *testing.T) {
	for _, capabilities := range []string{`{}`, `{"experimental":{"codemode":{"permission":true}}}`} {
		c := initialized(t, asking(t, question), capabilities)
		c.answerWith(func(m message) string { return "" })
		run := c.call("codemode/exec", `{"code":"x"}`)
		prompt := c.await("a prompt", func(m message) bool {
			return m.Method == "window/showMessageRequest" || m.Method == "codemode/permission"
		})
		c.alive()
		c.notify("$/cancelRequest", `{"id":`+run.id+`}`)
		run.fails(-32800)
		withdrawn := c.notification("$/cancelRequest")
		if want := `{"id":` + string(prompt.ID) + `}`; string(withdrawn.Params) != want {
			t.Errorf("withdrawn: %s, want %s", withdrawn.Params, want)
		}
	}
}

// PERM-7: a client that disconnects denies all that waits.
func TestHangupWhilePrompting(t *testing.T) {
	ended := make(chan error, 1)
	c := initialized(t, newFakeWorkspace(t, func(ctx context.Context, r exec.Request) *exec.Result {
		_, err := r.Asker.Ask(ctx, question)
		ended <- err
		return &exec.Result{}
	}), `{}`)
	c.answerWith(func(message) string { return "" })
	c.call("codemode/exec", `{"code":"x"}`)
	c.notification("window/showMessageRequest")
	c.conn.Close()
	if err := <-ended; err == nil {
		t.Error("a question was answered by nobody")
	}
}

// PERM-6: an editor that has gone has denied nothing; one that answers with an
// error has closed the question.
func TestHungUp(t *testing.T) {
	for _, err := range []error{
		fmt.Errorf("%w: %w", jsonrpc2.ErrClientClosing, io.EOF), io.EOF, net.ErrClosed, io.ErrClosedPipe,
		&net.OpError{Op: "read", Net: "unix", Err: errors.New("connection reset by peer")},
	} {
		if !hungUp(err) {
			t.Errorf("%v", err)
		}
	}
	for _, err := range []error{nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "closed"), context.Canceled, errors.New("invalid answer")} {
		if hungUp(err) {
			t.Errorf("%v", err)
		}
	}
}
