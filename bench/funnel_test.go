package bench

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/config"
	codeexec "codemode-ls/exec"
	"codemode-ls/internal/demo"
	"codemode-ls/workspace"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// demoArgument makes the test binary the demo server.
const demoArgument = "bench-demo"

func serveDemo() {
	if err := demo.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// direct is the demo server behind a client of the same SDK and nothing else.
func direct(t *testing.T) func() {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.NewStdioMCPClient(exe, nil, demoArgument)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	hello := mcp.InitializeRequest{} // no version: as in the funnel, the newest that both know
	hello.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1"}
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	// The client mirrors parameters into headers as the schemas of listed tools say.
	if _, err := c.ListTools(t.Context(), mcp.ListToolsRequest{}); err != nil {
		t.Fatal(err)
	}
	return func() {
		q := mcp.CallToolRequest{}
		q.Params.Name = "add"
		q.Params.Arguments = map[string]any{"a": 1, "b": 2}
		r, err := c.CallTool(context.Background(), q)
		if err != nil || r.IsError {
			t.Errorf("%v %+v", err, r)
		}
	}
}

// funnel runs scripts on the demo server in an opened workspace, where every call
// goes from the sandbox through look-up, rules, queue and client, and back.
func funnel(t *testing.T) func(code string) time.Duration {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	settings := dir + "/config.json"
	if err := os.WriteFile(settings, []byte(`{"exec":{"maxToolCalls":1000,"maxConcurrentCalls":64}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w := workspace.Open(t.Context(), workspace.Options{
		Sources: config.Sources{File: settings, UserDir: dir, Flags: []string{"demo=" + exe + " " + demoArgument}},
		Allow:   []string{"mcp__demo__*"}, WarmSandboxes: 2,
	})
	t.Cleanup(w.Close)
	if err := w.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	return func(code string) time.Duration {
		r := w.Runner().Run(context.Background(), codeexec.Request{Code: code, MaxToolCalls: 1000, Check: "off"})
		if r.Status != codeexec.Completed {
			t.Fatalf("%s: %s", r.Status, r.Text)
		}
		var ms float64
		if _, err := fmt.Sscan(strings.TrimSpace(string(r.Value)), &ms); err != nil {
			t.Fatalf("%s: %v", r.Value, err)
		}
		return time.Duration(ms * float64(time.Millisecond))
	}
}

// PERF-2: a nested call's overhead from the script to the MCP client and back,
// against direct calls of the same server: one after another, and 1,000 at once.
func TestNestedCall(t *testing.T) {
	if !benchmarking() {
		t.Skip("measures time: only with -bench")
	}
	call, run := direct(t), funnel(t)
	const calls, rounds = 1000, 7
	sequence := fmt.Sprintf(`const t = Date.now(); for (let i = 0; i < %d; i++) await tools.mcp__demo__add({ a: 1, b: 2 }); return Date.now() - t;`, calls)
	together := fmt.Sprintf(`const t = Date.now(); await Promise.all(Array.from({ length: %d }, () => tools.mcp__demo__add({ a: 1, b: 2 }))); return Date.now() - t;`, calls)
	var direct1, funnel1, directAll, funnelAll []time.Duration
	for range rounds { // in turn, so that other load meets both
		direct1 = append(direct1, measure(1, func(int) {
			for range calls {
				call()
			}
		})...)
		funnel1 = append(funnel1, run(sequence))
		directAll = append(directAll, measure(1, func(int) {
			var all sync.WaitGroup
			for range calls {
				all.Go(call)
			}
			all.Wait()
		})...)
		funnelAll = append(funnelAll, run(together))
	}
	median := func(all []time.Duration) time.Duration { p50, _ := percentiles(all); return p50 / calls }
	d1, f1, dn, fn := median(direct1), median(funnel1), median(directAll), median(funnelAll)
	t.Logf("one after another: direct %v a call, in a script %v", d1, f1)
	t.Logf("%d at once: direct %v a call, in a script %v", calls, dn, fn)
	verdict(t, f1-d1 <= 100*time.Microsecond, "at most 100µs more: %v", f1-d1)
	verdict(t, float64(fn) <= 1.3*float64(dn), "at most 1.3 × of the time for %d at once: %.2f ×", calls, float64(fn)/float64(dn))
}
