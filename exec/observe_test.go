package exec

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"codemode-ls/exec/audit"
	"codemode-ls/internal/redact"
	"codemode-ls/internal/telemetry"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/upstream"
)

// audited gives a bench an audit log, and a function that reads it.
func audited(t *testing.T, b *bench) func() []audit.Entry {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	b.Audit = audit.Open(path, audit.Options{})
	t.Cleanup(func() { b.Audit.Close() })
	return func() []audit.Entry {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		var list []audit.Entry
		for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
			var e audit.Entry
			if err := json.Unmarshal(s.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			list = append(list, e)
		}
		return list
	}
}

// PERM-11: every decision, once, with what decided it; never the arguments.
func TestPerm11EveryDecision(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		for _, name := range []string{"mcp__a__plain", "mcp__a__read", "mcp__a__read", "mcp__a__read", "mcp__b__read", "mcp__a__drop", "mcp__a__other"} {
			_, _ = s.call(name, `{"secret":"geheim"}`)
		}
		return completed("")
	}, permission.Rule{Effect: permission.Allow, Layer: permission.User, Match: "mcp__a__plain"})
	b.ReadOnlyAllowed = func(server string) bool { return server == "b" }
	log := audited(t, b)
	n := 0
	r := b.run(t, Request{SessionID: "S", Asker: askerFunc(func(_ context.Context, q Question) (Answer, error) {
		n++
		switch n {
		case 1:
			return Answer{Decision: "allow"}, nil
		case 2:
			return Answer{Decision: "allow", Scope: "run"}, nil
		case 3:
			return Answer{Decision: "deny", Reason: "not that one"}, nil
		}
		return Answer{}, errors.New("the client is gone")
	})})
	var got []string
	for _, e := range log() {
		if e.Run != r.RunID || e.Session != "S" || e.Arguments != audit.HashOf([]byte(`{"secret":"geheim"}`)) {
			t.Errorf("%+v", e)
		}
		got = append(got, fmt.Sprintf("%s %s %s %s %s", e.Leaf, e.Decision, e.By.Kind, e.By.Scope, e.By.Rule))
	}
	equal(t, "log", got, []string{
		"mcp__a__plain allow rule  mcp__a__plain",
		"mcp__a__read allow answer once ",
		"mcp__a__read allow answer run ",
		"mcp__a__read allow grant run ",
		"mcp__b__read allow readOnly  ",
		"mcp__a__drop deny answer once ",
		"mcp__a__other deny nobody  ",
	})

	// Exec has a leaf of its own (PERM-2).
	b = setup(t, nil, permission.Rule{Effect: permission.Deny, Layer: permission.User, Match: "Exec"})
	log = audited(t, b)
	b.run(t, Request{Code: "return 1"})
	if e := log(); len(e) != 1 || e[0].Leaf != "Exec" || e[0].Decision != "deny" || e[0].By.Rule != "Exec" || e[0].Arguments.Bytes != 8 {
		t.Errorf("%+v", e)
	}
}

// A call that nobody decides on before its run ends is in the log, too.
func TestPerm11Cancelled(t *testing.T) {
	b := setup(t, once(`{}`), ask)
	log := audited(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	b.Run(ctx, Request{Code: "return 1", Asker: askerFunc(func(ctx context.Context, _ Question) (Answer, error) {
		cancel()
		<-ctx.Done()
		return Answer{}, ctx.Err()
	})})
	if e := log(); len(e) != 1 || e[0].Decision != "cancelled" || e[0].By.Kind != byEnd {
		t.Errorf("%+v", e)
	}
}

// OBS-3: spans run → call; a name that was made up is "unknown"; no argument, no
// result, no message.
func TestObs3Spans(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(body))
	}))
	defer collector.Close()
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		_, _ = s.call("mcp__a__plain", `{"x":"ARGUMENT"}`)
		_, _ = s.call("mcp__a__drop", `{"x":"ARGUMENT"}`)
		_, _ = s.call("mcp__MADEUP__name", `{"x":"ARGUMENT"}`)
		_, err := s.call("mcp__a__other", `{"x":"ARGUMENT"}`)
		return rejected(3, err)
	}, allowRule)
	b.server.answer = func(_ context.Context, c upstream.Call) (*upstream.Result, error) {
		switch c.Tool {
		case "drop":
			return nil, &upstream.CallError{Reason: upstream.Unavailable, Message: "MESSAGE"}
		case "other":
			return &upstream.Result{Text: "RESULT", HasText: true, IsError: true}, nil
		}
		return &upstream.Result{Text: "RESULT", HasText: true}, nil
	}
	b.Tracer = telemetry.FromEnvironment(func(name string) (string, bool) {
		v, ok := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}[name]
		return v, ok
	}, "1", nil)
	r := b.run(t, Request{})
	b.Tracer.Close()
	all := strings.Join(bodies, "")
	for _, secret := range []string{"ARGUMENT", "RESULT", "MESSAGE", "MADEUP"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is in a span:\n%s", secret, all)
		}
	}
	type span struct {
		Name, SpanID, ParentSpanID, TraceID string
		Attributes                          []struct {
			Key   string
			Value struct{ StringValue string }
		}
	}
	var spans []span
	for _, body := range bodies {
		var request struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
		}
		if err := json.Unmarshal([]byte(body), &request); err != nil {
			t.Fatal(err)
		}
		for _, rs := range request.ResourceSpans {
			spans = append(spans, rs.ScopeSpans[0].Spans...)
		}
	}
	if len(spans) != 5 {
		t.Fatalf("%d spans: %+v", len(spans), spans)
	}
	root := spans[4]
	var got []string
	for _, s := range spans {
		attributes := map[string]string{}
		for _, a := range s.Attributes {
			attributes[a.Key] = a.Value.StringValue
		}
		got = append(got, s.Name+" "+attributes["error.type"]+" "+attributes["codemode.permission.by"])
		if s.TraceID != root.TraceID || s.SpanID != root.SpanID && s.ParentSpanID != root.SpanID {
			t.Errorf("%+v is not below the run", s)
		}
		if s.SpanID == root.SpanID && attributes["codemode.run.id"] != r.RunID {
			t.Errorf("run: %v", attributes)
		}
	}
	equal(t, "spans", got, []string{
		"tools/call mcp__a__plain  rule", "tools/call mcp__a__drop SERVER_UNAVAILABLE rule", "tools/call unknown UNKNOWN_TOOL ",
		"tools/call mcp__a__other TOOL_ERROR rule", "codemode.exec code_error ",
	})
}

// OBS-4: no log, event, audit entry, artifact, result or history of a run has a
// configured secret in it, wherever it comes from; a script and its servers pass
// on to each other what they like.
func TestObs4NoSecretLeaves(t *testing.T) {
	const token, header = `tok"en-0123456789`, "hdr-ABCDEFGHIJ"
	var logged bytes.Buffer
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		value, err := s.call("mcp__a__plain", `{}`)
		if err != nil || !strings.Contains(value, `tok\"en-0123456789`) {
			t.Errorf("the script got %s, %v", value, err)
		}
		_, failure := s.call("mcp__a__other", `{}`)
		_, unreachable := s.call("mcp__a__drop", `{}`)
		s.host.Log("log", "printed "+token)
		long, _ := json.Marshal(token + strings.Repeat(" long", 100_000) + header)
		_ = unreachable
		o := rejected(1, failure)
		o.Error.Name, o.Error.Stack = "Of "+token, "Error: "+failure.Error()+"\n at script.ts:1"
		if s.request.Code == "value" {
			o = completed(string(long))
			o.Warnings = []sandbox.Warning{{Message: "NaN became null", Path: `$["` + token + `"]`}}
		}
		return o
	}, allowRule, permission.Rule{Effect: permission.Allow, Layer: permission.Flag, Match: "Exec"})
	b.Redact = new(redact.Redactor)
	b.Redact.Set([]string{token, "Bearer " + header}, nil)
	b.Log = slog.New(b.Redact.Handler(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	log := audited(t, b)
	b.server.answer = func(_ context.Context, c upstream.Call) (*upstream.Result, error) {
		c.Progress(1, 2, "using "+token)
		switch c.Tool {
		case "other":
			return &upstream.Result{Text: "401: Authorization: Bearer " + header, HasText: true, IsError: true}, nil
		case "drop":
			return nil, fmt.Errorf("POST: %w", errors.New("refused with "+header+" and Basic dXNlcjpwYXNzd29yZA=="))
		}
		return &upstream.Result{Text: "your env: TOKEN=" + token, HasText: true, Attachments: []upstream.Attachment{{Kind: "resource", Text: token, URI: "x://" + header, MIMEType: "text/" + header}}}, nil
	}
	for _, code := range []string{"error", "value"} {
		r := b.run(t, Request{Code: code})
		kept, _, _ := b.Find(r.RunID)
		everything := map[string]any{"result": r, "history": kept, "runs": b.Runs(0), "events": b.events, "audit": log()}
		for what, v := range everything {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			clear(t, what, string(text))
		}
		clear(t, "log", logged.String())
		if code == "value" && (r.Truncated == nil || r.Truncated.Artifact == "") {
			t.Error("no artifact")
		}
	}
	err := filepath.WalkDir(b.ArtifactDir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			clear(t, path, string(data))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func clear(t *testing.T, what, text string) {
	t.Helper()
	for _, secret := range []string{"en-0123456789", "ABCDEFGHIJ", "dXNlcjpwYXNzd29yZA"} {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("%s has a secret: …%s…", what, text[max(0, at-80):min(len(text), at+80)])
		}
	}
}
