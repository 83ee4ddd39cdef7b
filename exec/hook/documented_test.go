package hook

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"codemode-ls/config"

	"github.com/go-json-experiment/json/jsontext"
)

// documented are the examples of docs/hooks.md by their headings, read as the
// user's configuration would be.
func documented(t *testing.T) map[string][]config.Hook {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "hooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, examples, ok := strings.Cut(string(text), "\n## Examples\n")
	if !ok {
		t.Fatal("docs/hooks.md has no examples")
	}
	examples, _, _ = strings.Cut(examples, "\n## ")
	found := map[string][]config.Hook{}
	for _, m := range regexp.MustCompile("(?s)\n### ([^\n]+)\n.*?```json\n(.*?)```").FindAllStringSubmatch(examples, -1) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(m[2]), 0o600); err != nil {
			t.Fatal(err)
		}
		c := config.Load(config.Sources{UserDir: dir})
		if len(c.Findings) > 0 || len(c.Hooks) == 0 {
			t.Errorf("%s: %+v", m[1], c.Findings)
		}
		found[m[1]] = c.Hooks
	}
	return found
}

// The examples of docs/hooks.md do what they say.
func TestDocumentedExamples(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("the examples need jq")
	}
	examples := documented(t)
	call := func(tool, arguments string) Call {
		c := aCall
		c.Tool, c.Arguments = tool, jsontext.Value(arguments)
		return c
	}
	run := map[string]func(t *testing.T, r *Runner, hooks []config.Hook){
		"Block a tool": func(t *testing.T, r *Runner, hooks []config.Hook) {
			if v := r.Before(t.Context(), hooks, call("mcp__git__push", `{"force":true}`)); v.Decision != Deny || v.Reason != "no force pushes: push to a new branch" {
				t.Errorf("%+v", v)
			}
			for _, c := range []Call{call("mcp__git__push", `{"force":false}`), call("mcp__git__pull", `{"force":true}`)} {
				if v := r.Before(t.Context(), hooks, c); v.Decision != "" {
					t.Errorf("%+v", v)
				}
			}
		},
		"Redact an argument": func(t *testing.T, r *Runner, hooks []config.Hook) {
			v := r.Before(t.Context(), hooks, call("mcp__mail__send", `{"to":"a@b.c","body":"write to me@example.org now","n":1}`))
			if string(v.Input) != `{"to":"a@b.c","body":"write to [address] now","n":1}` || v.Decision != "" {
				t.Errorf("%+v", v)
			}
			if v := r.Before(t.Context(), hooks, call("mcp__mail__send", `{"to":"a@b.c"}`)); v.Decision != "" || string(v.Input) != `{"to":"a@b.c"}` {
				t.Errorf("no body: %+v", v)
			}
			if v := r.Before(t.Context(), hooks, call("mcp__mail__send", `{"body":{"x":"a@b.c"}}`)); v.Decision != Deny {
				t.Errorf("a body that is no text: %+v", v)
			}
			if v := r.Before(t.Context(), hooks, call("mcp__chat__read", `{"body":"a@b.c"}`)); v.Input != nil {
				t.Errorf("%+v", v)
			}
		},
		"Notify": func(t *testing.T, r *Runner, hooks []config.Hook) {
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "notify-send"), []byte("#!/bin/sh\nprintf '%s|' \"$@\" > \""+bin+"/shown\"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			failed := call("mcp__a__b", `{}`)
			failed.Error = `no "such" file; $(rm -rf /)`
			n := r.After(t.Context(), hooks, failed)
			if strings.Join(n.Context, "") != "The user was told of this failure." {
				t.Errorf("%+v", n)
			}
			if shown, err := os.ReadFile(filepath.Join(bin, "shown")); err != nil || string(shown) != `Tool failed|mcp__a__b: no "such" file; $(rm -rf /)|` {
				t.Errorf("%q %v", shown, err)
			}
		},
		"Log to a file": func(t *testing.T, r *Runner, hooks []config.Hook) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			for range 2 {
				done := call("mcp__a__b", `{"x":1}`)
				done.Response = jsontext.Value(`{"content":[]}`)
				r.After(t.Context(), hooks, done)
			}
			text, err := os.ReadFile(filepath.Join(home, "tool-calls.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			if len(lines) != 2 || !json.Valid([]byte(lines[0])) || !strings.Contains(lines[1], `"tool_input":{"x":1}`) {
				t.Errorf("%q", lines)
			}
		},
	}
	// A guard that cannot do its work lets nothing pass.
	t.Run("without jq", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		r, _ := newRunner(t)
		for name, c := range map[string]Call{
			"Block a tool":       call("mcp__git__push", `{"force":true}`),
			"Redact an argument": call("mcp__mail__send", `{"body":"me@example.org"}`),
		} {
			if v := r.Before(t.Context(), examples[name], c); v.Decision != Deny || v.Reason == "" {
				t.Errorf("%s: %+v", name, v)
			}
		}
	})
	for name, check := range run {
		if examples[name] == nil {
			t.Errorf("docs/hooks.md has no example %q", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			r, log := newRunner(t)
			check(t, r, examples[name])
			if log.String() != "" {
				t.Error(log.String())
			}
		})
	}
	for name := range examples {
		if run[name] == nil {
			t.Errorf("the example %q is not tested", name)
		}
	}
}
