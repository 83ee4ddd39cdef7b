package workspace

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/mcptest"

	"github.com/go-json-experiment/json/jsontext"
)

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// OBS-4: nothing that can be seen of a run has a configured secret in it, with
// real servers: one that writes its environment to standard error and ends, one
// that repeats the Authorization header it was sent, and one that works; secrets
// come from variables, answers, headers and URLs.
func TestObs4NothingTellsASecret(t *testing.T) {
	rude := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "refused: "+r.Header.Get("Authorization")+" "+r.Header.Get("X-Plain")+" "+r.URL.String(), http.StatusUnauthorized)
	}))
	defer rude.Close()
	secrets := []string{"env-secret-000", "plainvalue-111", "answer-222", "hdr-token-333", "url-key-444", "x-plain-555", "arg-key-666", "glpat-form-of-a-token"}
	t.Setenv("MY_TOKEN", "env-secret-000")
	good := mcptest.Write(t, twoTools)
	user, folder, state := t.TempDir(), t.TempDir(), t.TempDir()
	var log lockedBuffer
	put(t, filepath.Join(user, "config.json"), `{"mcpServers": {
		"loud": {"command": "sh", "args": ["-c", "env >&2; echo arg $0 >&2; exit 1", "${input:pin}", "--api-key", "arg-key-666"], "env": {"TOKEN": "${env:MY_TOKEN}", "FLAVOUR": "plainvalue-111", "GL": "glpat-form-of-a-token"}},
		"rude": {"url": "`+rude.URL+`/mcp?api_key=url-key-444", "headers": {"Authorization": "Bearer hdr-token-333", "X-Plain": "x-plain-555"}}
	}, "hooks": {"PostToolUse": [{"hooks": [{"command": "echo hdr-token-333 plainvalue-111 >&2; exit 1"}]}]}}`)
	w := open(t, Options{
		Sources: config.Sources{
			UserDir: user, Folders: []string{folder}, Editor: jsontext.Value(servers(t, good.Config(t, "a"))),
			Inputs: func(_, id string) (string, bool) { return "answer-222", id == "pin" },
		},
		StateDir: state, CacheDir: filepath.Join(state, "cache"),
		Log:   slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Allow: []string{"mcp__*__*", "Exec"},
	})
	var events []exec.Event
	var mu sync.Mutex
	result := w.Runner().Run(t.Context(), exec.Request{
		Code: `await tools.mcp__a__get({ key: "hdr-token-333", deep: [{ "x-plain-555": "arg-key-666 glpat-form-of-a-token" }] }).catch(e => console.log(e.message));
			for (const name of ["mcp__rude__x", "mcp__loud__x"]) await tools[name]({}).catch((e: Error) => console.log(e.message));
			console.log("hdr-token-333");
			return { all: "url-key-444 env-secret-000", long: "answer-222 ".repeat(50_000) }`,
		Check: "off",
		Events: func(e exec.Event) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, e)
		},
	})
	if result.Status != exec.Completed {
		t.Fatalf("%+v", result.Error)
	}
	snap := w.Snapshot()
	for _, s := range snap.Servers {
		if s.Server.Name != "a" && s.Error == "" {
			t.Errorf("server %s is %s without an error", s.Server.Name, s.State)
		}
		if s.Server.Name == "loud" && !strings.Contains(s.Stderr, "TOKEN=[redacted]") {
			t.Errorf("standard error: %q", s.Stderr)
		}
		tell(t, "error of "+s.Server.Name, s.Error, secrets)
		tell(t, "standard error of "+s.Server.Name, s.Stderr, secrets)
	}
	// The server has got what the script has sent (PERM-5).
	if got := received(t, good); len(got) != 1 || !strings.Contains(got[0], `{"key":"hdr-token-333","deep":[{"x-plain-555":"arg-key-666`) {
		t.Errorf("the server read %q", got)
	}
	if len(result.Calls) != 1 || string(result.Calls[0].Arguments) != `{"key":"[redacted]","deep":[{"[redacted]":"[redacted] [redacted]"}]}` {
		t.Errorf("%+v", result.Calls)
	}
	direct := w.Runner().CallDirect(t.Context(), exec.DirectRequest{
		Agent: w.Snapshot().Agent(catalog.BothModes, nil),
		Calls: []exec.DirectCall{
			{Name: "mcp__a__get", Arguments: jsontext.Value(`{"key":"hdr-token-333"}`)},
			{Name: "mcp__a__nope", Arguments: jsontext.Value(`{"key":"hdr-token-333"}`)},
			{Name: "Exec", Arguments: jsontext.Value(`{"code":"return 'hdr-token-333'"}`)},
		},
		Events: func(e exec.Event) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, e)
		},
	})
	kept, code, _ := w.Runner().Find(result.RunID)
	for what, v := range map[string]any{"result": result, "history": kept, "code": code, "events": events, "runs": w.Runner().Runs(0), "direct": direct} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		// Ordinary values of variables may be part of what a script returns.
		tell(t, what, string(text), []string{"env-secret-000", "answer-222", "hdr-token-333", "url-key-444", "x-plain-555", "arg-key-666", "glpat-form-of-a-token"})
	}
	if result.Truncated == nil || result.Truncated.Artifact == "" {
		t.Error("no artifact")
	}
	w.Close()
	tell(t, "log", log.String(), secrets)
	if !strings.Contains(log.String(), "[redacted]") {
		t.Error("nothing was redacted in the log, which proves nothing:", log.String())
	}
	files := 0
	err := filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		tell(t, path, string(data), secrets)
		return err
	})
	if err != nil || files < 2 { // the artifact and the audit log at least
		t.Errorf("%d files: %v", files, err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func tell(t *testing.T, what, text string, secrets []string) {
	t.Helper()
	for _, s := range secrets {
		if at := strings.Index(text, s); at >= 0 {
			t.Errorf("%s tells %s: …%s…", what, s, text[max(0, at-100):min(len(text), at+100)])
		}
	}
}

func TestSecretNames(t *testing.T) {
	for name, want := range map[string]bool{
		"TOKEN": true, "GITHUB_TOKEN": true, "my-api-key": true, "APIKEY": true, "DB_PASSWORD": true, "npm_config__authToken": true, "SSH_AUTH_SOCK": false,
		"KEY_FILE": false, "GIT_AUTHOR_NAME": false, "AUTHOR": false, "PATH": false, "PWD": false, "HOME": false, "KEYBOARD": false, "": false,
		"CODEMODE_INPUT_PIN": true, "X-Auth": true,
	} {
		if secretName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// What stands in arguments by a name that says so is a secret, nothing else.
func TestSecretArguments(t *testing.T) {
	var k secrets
	k.arguments([]string{
		"-y", "@scope/server-token@1.2.3", "--api-key", "one", "--access-token=two", "-e", "API_TOKEN=three", "--header", "Authorization: Bearer four==",
		"--header=X-Auth: five", "postgres://me:six@host/db?x=1", "--dsn=seven", "--token", "--verbose", "--key-file", "/etc/key", "--mode=auth", "ghp_0123456789abcdef", "--token",
	})
	secret, _ := k.known()
	if got, want := strings.Join(secret, "|"), "one|two|three|Bearer four==|five|six|seven|ghp_0123456789abcdef"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TRUST-1: only approved hooks of a workspace run; a change of a decision is seen
// at once.
func TestWorkspaceHooks(t *testing.T) {
	user, folder := t.TempDir(), t.TempDir()
	put(t, filepath.Join(folder, config.HooksFile), `{"hooks":{"PreToolUse":[{"hooks":[{"command":"exit 2"},{"command":"true"}]}]}}`)
	put(t, filepath.Join(user, "config.json"), `{"hooks":{"PreToolUse":[{"hooks":[{"command":"mine"}]}]}}`)
	w := open(t, Options{Sources: config.Sources{UserDir: user, Folders: []string{folder}}})
	commands := func() (list []string) {
		for _, h := range w.hooks() {
			list = append(list, h.Command)
		}
		return list
	}
	undecided := w.Snapshot().UndecidedHooks
	if got := strings.Join(commands(), ","); got != "mine" || len(undecided) != 2 {
		t.Fatalf("%s may run, %d undecided", got, len(undecided))
	}
	if err := w.ApproveHook(undecided[1].Hash(), true); err != nil {
		t.Fatal(err)
	}
	if err := w.ApproveHook(undecided[0].Hash(), false); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(commands(), ","); got != "mine,true" || len(w.Snapshot().UndecidedHooks) != 0 {
		t.Errorf("%s may run", got)
	}
	if err := w.ApproveHook("no such hash", true); err == nil {
		t.Error("approved what is not there")
	}
	put(t, filepath.Join(folder, config.HooksFile), `{"hooks":{"PreToolUse":[{"hooks":[{"command":"true "}]}]}}`)
	w.Reconfigure(nil, nil, nil)
	if got := strings.Join(commands(), ","); got != "mine" {
		t.Errorf("%s may run", got)
	}
	put(t, filepath.Join(user, "config.json"), `{"trust.workspace":"always"}`)
	w.Reconfigure(nil, nil, nil)
	if got := strings.Join(commands(), ","); got != "true " {
		t.Errorf("%s may run", got)
	}
}
