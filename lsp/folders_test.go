package lsp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

// LSP-3: folders come and go, and files change on disk or are saved; each time the
// configuration is read again with the folders of the moment.
func TestLSP3FoldersAndFiles(t *testing.T) {
	w := newFakeWorkspace(t, nil)
	w.reconfigured = make(chan []string, 8)
	c := connect(t, w)
	c.call("initialize", `{"processId":null,"workspaceFolders":[{"uri":"file:///w/one","name":"one"}],"capabilities":{"workspace":{"workspaceFolders":true,"didChangeWatchedFiles":{"dynamicRegistration":true},"didChangeConfiguration":{"dynamicRegistration":true}}}}`).ok()
	c.notify("initialized", `{}`)
	registered := string(c.notification("client/registerCapability").Params)
	for _, want := range []string{
		`"method":"workspace/didChangeConfiguration"`, `"method":"workspace/didChangeWatchedFiles"`,
		`**/.codemode/*.json`, `mcp,opencode}.json`, `**/.codex/config.toml`,
	} {
		if !strings.Contains(registered, want) {
			t.Errorf("%s\nlacks %s", registered, want)
		}
	}
	<-w.open
	expect := func(why string, want ...string) {
		t.Helper()
		if got := <-w.reconfigured; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", why, got, want)
		}
	}
	c.notify("workspace/didChangeWorkspaceFolders", `{"event":{"added":[{"uri":"file:///w/two","name":"two"},{"uri":"https://x/y","name":"far"}],"removed":[]}}`)
	expect("added", "/w/one", "/w/two")
	c.notify("workspace/didChangeWorkspaceFolders", `{"event":{"added":[{"uri":"file:///w/two","name":"two"}],"removed":[{"uri":"file:///w/one","name":"one"}]}}`)
	expect("removed", "/w/two")
	c.notify("workspace/didChangeWatchedFiles", `{"changes":[{"uri":"file:///w/two/.codemode/mcp.json","type":2}]}`)
	expect("changed on disk", "/w/two")
	c.open("file:///w/two/.mcp.json", `{}`)
	c.notify("textDocument/didSave", `{"textDocument":{"uri":"file:///w/two/.mcp.json"}}`)
	expect("saved", "/w/two")
	c.open("file:///w/two/package.json", `{}`)
	c.notify("textDocument/didSave", `{"textDocument":{"uri":"file:///w/two/package.json"}}`)
	c.alive()
	if len(w.reconfigured) > 0 {
		t.Error("any file that is saved has the configuration read again")
	}
}

// LSP-1: what is known of last time is offered, marked as such, before its server
// has answered; a run of it waits for the server.
func TestLSP1CachedTools(t *testing.T) {
	began := make(chan struct{}, 1)
	w := newFakeWorkspace(t, func(_ context.Context, q exec.Request) *exec.Result {
		began <- struct{}{}
		return &exec.Result{Status: exec.Completed}
	})
	tool := []jsontext.Value{jsontext.Value(`{"name":"do","inputSchema":{"type":"object"}}`)}
	status := upstream.Status{Server: config.Server{Name: "slow"}, State: upstream.Connecting, Cached: true, Tools: 1}
	w.snapshot.Catalog = catalog.New([]*catalog.Server{catalog.NewServer("slow", tool, "", true)}, nil)
	w.snapshot.Servers = []upstream.Status{status}
	c := initialized(t, w, `{}`)
	const u = "file:///a.exec.ts"
	c.open(u, "await tools.mcp__slow__do({});")
	if got := c.call("textDocument/completion", at(u, 0, 12)).ok(); !strings.Contains(got, `"mcp__slow__do"`) {
		t.Error(got)
	}
	if got := c.call("textDocument/hover", at(u, 0, 14)).ok(); !strings.Contains(got, "cached") {
		t.Error(got)
	}
	run := c.call("codemode/exec", `{"textDocument":{"uri":"`+u+`"}}`)
	c.alive()
	if len(began) > 0 {
		t.Fatal("a tool that may be gone was to be called")
	}
	w.change(func(s *workspace.Snapshot) {
		status.State, status.Cached = upstream.Connected, false
		s.Servers = []upstream.Status{status}
		s.Catalog = catalog.New([]*catalog.Server{catalog.NewServer("slow", tool, "", false)}, nil)
	})
	<-began
	run.ok()
}

// MCP-5: a server that hangs does not keep a run from beginning: the calls of its
// tools wait for it, in the run's own time, and no others do.
func TestMCP5HangingServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := upstream.Status{Server: config.Server{Name: "hangs"}, State: upstream.Connecting}
		s := &Server{updated: make(chan struct{}), session: newSession(&Snapshot{View: analysis.View{
			Workspace: &workspace.Snapshot{Servers: []upstream.Status{hangs}},
		}})}
		began := time.Now()
		if err := s.awaitTools(t.Context(), map[string]bool{"mcp__hangs__do": true}); err != nil || time.Since(began) != startPatience {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.awaitTools(ctx, map[string]bool{"mcp__hangs__do": true}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}
