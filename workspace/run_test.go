package workspace

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/internal/mcptest"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
)

// openOn opens a workspace on one server "a" whose tools run without a question.
func openOn(t *testing.T, server *mcptest.Server) opened {
	t.Helper()
	return open(t, Options{
		Allow:   []string{"mcp__a__*"},
		Sources: config.Sources{Editor: jsontext.Value(servers(t, server.Config(t, "a")))},
	})
}

// received are the arguments of every tools/call, as the server read them.
func received(t *testing.T, server *mcptest.Server) (calls []string) {
	t.Helper()
	for _, line := range server.Log(t) {
		var m struct {
			Method string
			Params struct{ Arguments json.RawMessage }
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.Method == "tools/call" {
			calls = append(calls, string(m.Params.Arguments))
		}
	}
	return calls
}

// EXEC-3: what a call resolves to is what the server returned, whatever its
// outputSchema says.
func TestExec3OnServer(t *testing.T) {
	server := mcptest.Write(t, `
-- tools/s.json --
{"name": "structured", "inputSchema": {"type": "object"}}
-- tools/a.json --
{"name": "array", "inputSchema": {"type": "object"}}
-- tools/t.json --
{"name": "text", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "properties": {"n": {"type": "number"}}}}
-- tools/n.json --
{"name": "none", "inputSchema": {"type": "object"}}
-- results/structured.json --
{"content": [{"type": "text", "text": "not this"}], "structuredContent": {"b": 1, "a": [null]}}
-- results/array.json --
{"content": [], "structuredContent": [1, "two"]}
-- results/text.json --
{"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}
-- results/none.json --
{"content": []}
`)
	w := openOn(t, server)
	r := w.run(t, `return [
	await tools.mcp__a__structured(), await tools.mcp__a__array(), await tools.mcp__a__text(), await tools.mcp__a__none()]`, nil)
	if want := `[{"b":1,"a":[null]},[1,"two"],"one\ntwo",null]`; string(r.Value) != want {
		t.Errorf("got %s, want %s\n%s", r.Value, want, r.Text)
	}
}

// EXEC-4, EXEC-7: isError rejects with the text; it can be caught, and fails the
// script when it is not.
func TestExec4OnServer(t *testing.T) {
	server := mcptest.Write(t, `
-- tools/f.json --
{"name": "fail", "inputSchema": {"type": "object"}}
-- results/fail.json --
{"isError": true, "content": [{"type": "text", "text": "no such row"}], "structuredContent": {"code": 7}}
`)
	w := openOn(t, server)
	r := w.run(t, `try { await tools.mcp__a__fail({}) } catch (e) {
	return [e instanceof Error, e.message, e.tool, e.structuredContent] }`, nil)
	if want := `[true,"no such row","mcp__a__fail",{"code":7}]`; r.Status != exec.Completed || string(r.Value) != want {
		t.Errorf("got %s, want %s\n%s", r.Value, want, r.Text)
	}
	r = w.run(t, `await tools.mcp__a__fail({})`, nil)
	if r.Status != exec.CodeError || r.Error.Code != exec.CodeToolError || !strings.Contains(r.Text, "no such row") || r.Calls[0].Status != exec.CallFailed {
		t.Errorf("%s %+v\n%s", r.Status, r.Error, r.Text)
	}
	if !strings.HasPrefix(r.Summary, "failed") { // SUM-4
		t.Errorf("summary %q", r.Summary)
	}
}

// EXEC-5, PERM-5: what the server reads is, byte for byte, what the person was
// shown and what the record says.
func TestExec5AtServer(t *testing.T) {
	server := mcptest.Write(t, twoTools)
	w := open(t, Options{Sources: config.Sources{Editor: jsontext.Value(servers(t, server.Config(t, "a")))}})
	var shown []string
	r := w.run(t, `
await tools.mcp__a__get({ z: 1, gone: undefined, b: null, "a<&>": "é\u2028</script>", n: [1e21, -0.5, 9007199254740993] });
await tools.mcp__a__get();
return 0;`, askerFunc(func(_ context.Context, q exec.Question) (exec.Answer, error) {
		shown = append(shown, string(q.Arguments))
		return exec.Answer{Decision: "allow"}, nil
	}))
	if r.Status != exec.Completed || len(r.Calls) != 2 {
		t.Fatal(r.Text)
	}
	recorded := []string{string(r.Calls[0].Arguments), string(r.Calls[1].Arguments)}
	got := received(t, server)
	if !slices.Equal(got, shown) || !slices.Equal(got, recorded) {
		t.Errorf("the server read %q, the person was shown %q, the record says %q", got, shown, recorded)
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], `{"z":1,"b":null,"a<&>":"é`) || strings.Contains(got[0], "gone") || got[1] != `{}` {
		t.Errorf("the server read %q", got)
	}
}

const hangingTools = `{"tools": [
	{"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
	{"name": "write", "inputSchema": {"type": "object"}}
], "calls": {"read": {"hang": true}, "write": {"hang": true}}}`

// EXEC-2, SCHED-1, BUD-11: three read-only calls are at the server while none
// has answered; of the others one. Cancelling ends them all and tells the server.
func TestExec2OverlapAtServer(t *testing.T) {
	for _, c := range []struct {
		tool string
		want []string
	}{
		{"read", []string{`{"n":1}`, `{"n":2}`, `{"n":3}`}},
		{"write", []string{`{"n":1}`}},
	} {
		t.Run(c.tool, func(t *testing.T) {
			server := mcptest.Write(t, hangingTools)
			w := openOn(t, server)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			queued := make(chan struct{}, 100)
			done := make(chan *exec.Result, 1)
			go func() {
				done <- w.Runner().Run(ctx, exec.Request{
					Code:     `await Promise.all([1, 2, 3].map(n => tools.mcp__a__` + c.tool + `({ n })))`,
					Language: script.TypeScript,
					Events: func(e exec.Event) {
						if e.Call != nil && e.Call.Index == 2 && (e.Call.Status == exec.CallQueued || e.Call.Status == exec.CallRunning) {
							queued <- struct{}{}
						}
					},
				})
			}()
			<-queued // all three have been made
			for _, arguments := range c.want {
				server.WaitForLog(t, arguments)
			}
			cancel()
			r := <-done
			if r.Status != exec.Cancelled || len(r.Calls) != 3 {
				t.Fatalf("%s\n%s", r.Status, r.Text)
			}
			server.WaitForLog(t, "notifications/cancelled")
			if got := received(t, server); !slices.Equal(got, c.want) {
				t.Errorf("at the server: %q, want %q", got, c.want)
			}
		})
	}
}

// EXEC-14: a call nobody awaited is cancelled at the end and named.
func TestExec14OnServer(t *testing.T) {
	server := mcptest.Write(t, `{"tools": [
	{"name": "read", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
	{"name": "slow", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}
], "calls": {"read": {"hang": true}, "slow": {"delayMs": 500}}}`)
	w := openOn(t, server)
	r := w.run(t, `tools.mcp__a__read({}); await tools.mcp__a__slow({}); return "done"`, nil)
	if r.Status != exec.Completed || string(r.Value) != `"done"` || !strings.Contains(r.Text, "mcp__a__read) was still in flight") {
		t.Errorf("%s\n%s", r.Status, r.Text)
	}
}

// BUD-7, RES-1: over the cap a call is refused alone, is among the run's calls,
// and never reaches the server.
func TestBud7OnServer(t *testing.T) {
	server := mcptest.Write(t, twoTools)
	w := openOn(t, server)
	r := w.Runner().Run(t.Context(), exec.Request{Language: script.TypeScript, MaxToolCalls: 2, Code: `
let refused = "";
for (let n = 0; n < 3; n++) try { await tools.mcp__a__get({ n }) } catch (e) { refused = n + e.name }
throw new Error("after " + refused[0]);`})
	if r.Status != exec.CodeError || !strings.Contains(r.Text, "Script error:") || !strings.Contains(r.Text, "after 2") || !strings.Contains(r.Text, "not undone") {
		t.Errorf("%s\n%s", r.Status, r.Text)
	}
	if len(r.Calls) != 3 || r.Calls[2].Status != exec.CallRefused || len(received(t, server)) != 2 {
		t.Errorf("%+v, at the server %q", r.Calls, received(t, server))
	}
}

// PERM-8, PERM-4: waiting calls are asked one by one in order; a rule stored
// elsewhere settles the open question and those behind it.
func TestPerm4And8OnServer(t *testing.T) {
	server := mcptest.Write(t, twoTools)
	w := open(t, Options{Sources: config.Sources{Editor: jsontext.Value(servers(t, server.Config(t, "a")))}})
	var asked []string
	r := w.run(t, `return (await Promise.allSettled([
	tools.mcp__a__drop({ n: 1 }), tools.mcp__a__get({ n: 2 }), tools.mcp__a__get({ n: 3 })])).map(s => s.status)`,
		askerFunc(func(ctx context.Context, q exec.Question) (exec.Answer, error) {
			asked = append(asked, string(q.Arguments)) // one at a time: the race detector would tell
			if q.Tool == "mcp__a__drop" {
				return exec.Answer{Decision: "deny"}, nil
			}
			if err := w.Rules().Set(permission.Session, permission.Allow, q.Tool); err != nil {
				t.Error(err)
			}
			<-ctx.Done() // the rule takes the question away
			return exec.Answer{}, ctx.Err()
		}))
	if string(r.Value) != `["rejected","fulfilled","fulfilled"]` || !slices.Equal(asked, []string{`{"n":1}`, `{"n":2}`}) {
		t.Errorf("%s, asked %q\n%s", r.Value, asked, r.Text)
	}
	// SCHED-1: the rule settles both at once, and they start in their order.
	if got := received(t, server); !slices.Equal(got, []string{`{"n":2}`, `{"n":3}`}) {
		t.Errorf("at the server: %q", got)
	}
}

// BUD-6, TIME-1: the wall clock stands still while a person is asked.
func TestBud6PersonIsNotCharged(t *testing.T) {
	server := mcptest.Write(t, twoTools)
	w := open(t, Options{Sources: config.Sources{Editor: jsontext.Value(servers(t, server.Config(t, "a")))}})
	const budget, thinking = 2000, 2500 // milliseconds
	r := w.Runner().Run(t.Context(), exec.Request{
		Code: `await tools.mcp__a__get({}); return "in time"`, Language: script.TypeScript, TimeoutMs: budget,
		Asker: askerFunc(func(ctx context.Context, _ exec.Question) (exec.Answer, error) {
			select {
			case <-time.After(thinking * time.Millisecond):
				return exec.Answer{Decision: "allow"}, nil
			case <-ctx.Done():
				return exec.Answer{}, ctx.Err()
			}
		}),
	})
	if r.Status != exec.Completed || r.Timing.PermissionMs < thinking || r.Calls[0].Timing == nil || r.Calls[0].Timing.PermissionMs < thinking {
		t.Errorf("%s %+v\n%s", r.Status, r.Timing, r.Text)
	}
}

// POOL-4: a server that ends takes its tools out of the pool; one that hangs
// delays no other.
func TestServersThatDieOrHang(t *testing.T) {
	dies, hangs := mcptest.Write(t, twoTools), mcptest.Write(t, `{"initializeDelayMs": -1}`)
	changed := make(chan struct{}, 1)
	plain := Open(t.Context(), Options{
		Sources: config.Sources{UserDir: t.TempDir(), Editor: jsontext.Value(servers(t, dies.Config(t, "a"), hangs.Config(t, "b")))},
		Changed: func() {
			select {
			case changed <- struct{}{}:
			default:
			}
		},
	})
	t.Cleanup(plain.Close)
	w := opened{plain, changed}
	s := w.wait(t, "beside a hanging server", func(s *Snapshot) bool { return names(s) == "mcp__a__drop mcp__a__get" })
	if i := slices.IndexFunc(s.Servers, func(s upstream.Status) bool { return s.Server.Name == "b" }); i < 0 || s.Servers[i].State == upstream.Connected {
		t.Errorf("%+v", s.Servers)
	}
	dies.Rewrite(t, `{"exit": 3, "exitAtStart": 3}`)
	w.wait(t, "died", func(s *Snapshot) bool { return names(s) == "" })
}

// TRUST-1: a person's "always" starts servers of workspace files unasked; the
// same word in the workspace's own settings does not.
func TestTrustWorkspace(t *testing.T) {
	server := mcptest.Write(t, twoTools)
	for _, c := range []struct {
		name              string
		editor, workspace jsontext.Value
		want              string
	}{
		{"the user's", jsontext.Value(`{"trust":{"workspace":"always"}}`), nil, "mcp__w__drop mcp__w__get"},
		{"the workspace's", nil, jsontext.Value(`{"trust":{"workspace":"always"}}`), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.Mkdir(folder+"/.codemode", 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(folder+"/.codemode/mcp.json", []byte(servers(t, server.Config(t, "w"))), 0o600); err != nil {
				t.Fatal(err)
			}
			w := open(t, Options{Sources: config.Sources{Folders: []string{folder}, Editor: c.editor, EditorWorkspace: c.workspace}})
			if got := names(w.Snapshot()); got != c.want {
				t.Errorf("%q, want %q; %+v", got, c.want, w.Snapshot().Config.Findings)
			}
		})
	}
}

// VSC-7: in a restricted workspace no server starts, not even one that a flag names
// or that trust in the workspace would start.
func TestRestrictedStartsNothing(t *testing.T) {
	command, args := mcptest.Write(t, twoTools).Command(t)
	w := open(t, Options{Restricted: true, DemoWhenEmpty: true, Sources: config.Sources{
		Editor: jsontext.Value(`{"trust":{"workspace":"always"}}`), Flags: []string{"f=" + command + " " + strings.Join(args, " ")},
	}})
	s := w.Snapshot()
	if names(s) != "" || s.UsesDemo || len(s.Servers) != 1 || s.Servers[0].State != upstream.Untrusted {
		t.Errorf("%s %+v", names(s), s.Servers)
	}
}

// A server of a --server flag needs no approval.
func TestPoolFromFlags(t *testing.T) {
	command, args := mcptest.Write(t, twoTools).Command(t)
	w := open(t, Options{DemoWhenEmpty: true, Sources: config.Sources{Flags: []string{"f=" + command + " " + strings.Join(args, " ")}}})
	if s := w.Snapshot(); names(s) != "mcp__f__drop mcp__f__get" || s.UsesDemo || len(w.Pending()) != 0 {
		t.Errorf("%s %+v", names(s), s.Servers)
	}
}

// TIME-1: a tool's own time counts in place of the common one, also when it is the
// longer of the two.
func TestTime1LongerTimeOfATool(t *testing.T) {
	server := mcptest.Write(t, `{"tools": [
		{"name": "slow", "inputSchema": {"type": "object"}},
		{"name": "other", "inputSchema": {"type": "object"}}
	], "calls": {"slow": {"delayMs": 600}, "other": {"hang": true}}}`)
	var settings map[string]jsontext.Value
	if err := json.Unmarshal([]byte(servers(t, server.Config(t, "a"))), &settings); err != nil {
		t.Fatal(err)
	}
	settings["mcp.callTimeoutMs"] = jsontext.Value(`200`)
	settings["mcp.toolTimeoutMs"] = jsontext.Value(`{"mcp__a__slow": 60000}`)
	editor, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, Options{Allow: []string{"mcp__a__*"}, Sources: config.Sources{Editor: editor}})
	r := w.run(t, `return (await Promise.allSettled([tools.mcp__a__slow(), tools.mcp__a__other()])).map(s => s.status)`, nil)
	if string(r.Value) != `["fulfilled","rejected"]` || r.Calls[1].Status != exec.CallTimedOut {
		t.Errorf("%s, %+v\n%s", r.Value, r.Calls, r.Text)
	}
}
