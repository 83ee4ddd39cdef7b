package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"codemode-ls/internal/mcptest"
	"codemode-ls/lsp"
	"codemode-ls/typescript"
	"codemode-ls/typescript/enginetest"
	"codemode-ls/workspace"
)

// held is what a process that leaks has more and more of.
type held struct {
	goroutines, files, temporary, processes int
	heapKB, engineKB                        int
}

// hold looks after the dust of what was done last has settled.
func hold(t *testing.T, temporary string) (h held) {
	t.Helper()
	for settled := 0; settled < 5; { // the same number of goroutines five times in a row
		<-time.After(50 * time.Millisecond)
		if n := runtime.NumGoroutine(); n == h.goroutines {
			settled++
		} else {
			h.goroutines, settled = n, 0
		}
	}
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.heapKB = int(m.HeapAlloc >> 10)
	count := func(pattern string) int {
		all, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	h.files = count("/proc/self/fd/*")
	h.temporary = count(temporary + "/*")
	children, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range children {
		text, _ := os.ReadFile(file)
		for _, word := range strings.Fields(string(text)) {
			h.processes++
			name, _ := os.ReadFile("/proc/" + word + "/cmdline")
			if slices.Contains(strings.Split(string(name), "\x00"), typescript.ChildCommand) {
				h.engineKB = residentKB(word)
			}
		}
	}
	return h
}

// PERF-10: a week of use in short. Nothing that a process can have too much of
// grows: memory, goroutines, file descriptors, temporary files, children. A tenth
// of it runs with -bench; all of it (10,000 runs, 1,000 changes of the pool,
// 100,000 edits) when CODEMODE_SOAK is set.
func TestSoak(t *testing.T) {
	if raceEnabled || !benchmarking() || runtime.GOOS != "linux" {
		t.Skip("takes minutes and looks into /proc: only with -bench, on Linux")
	}
	runs, changes, edits := 1_000, 100, 10_000
	if os.Getenv("CODEMODE_SOAK") != "" {
		runs, changes, edits = 10_000, 1_000, 100_000
	}
	binary, err := enginetest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	temporary, cache := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	tools := func(i int) string {
		return fmt.Sprintf(`{"tools": [
			{"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}},
			{"name": "only%d", "description": "round %d", "inputSchema": {"type": "object"}}]}`, i%2, i)
	}
	server := mcptest.Write(t, tools(0))
	command, args := server.Command(t)

	cr, sw := io.Pipe()
	sr, cw := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		lsp.Serve(context.Background(), both{sr, sw}, lsp.Options{
			Workspace: workspace.Options{WarmSandboxes: 2, Allow: []string{"mcp__soak__*"}},
			TypeScript: func() *typescript.Engine {
				return typescript.New(typescript.Options{Command: []string{binary, typescript.ChildCommand}})
			},
			CacheDir: cache,
		})
	}()
	defer func() {
		cw.Close()
		cr.Close()
		<-done
	}()
	p := &peer{t: t, w: cw, r: bufio.NewReaderSize(cr, 1<<16)}
	p.call("initialize", map[string]any{
		"processId": nil, "rootUri": nil,
		"capabilities":          map[string]any{"textDocument": map[string]any{"diagnostic": map[string]any{}}, "experimental": map[string]any{"codemode": map[string]any{"splitSettings": true}}},
		"initializationOptions": map[string]any{"codemode": map[string]any{"mcpServers": map[string]any{"soak": map[string]any{"command": command, "args": args}}, "$workspace": map[string]any{}}},
	})
	p.notify("initialized", struct{}{})
	p.version = 1
	p.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": editedURI, "languageId": "typescript", "version": 1, "text": "return 1",
	}})
	round := 0
	use := func(runs, changes, edits int) {
		for range changes {
			round++
			server.Rewrite(t, tools(round))
			p.waitForTool(fmt.Sprintf("mcp__soak__only%d", round%2), fmt.Sprintf("round %d", round))
		}
		for i := range runs {
			raw := p.call("codemode/exec", map[string]any{"code": fmt.Sprintf(`console.log(%d); return (await tools.mcp__soak__echo({ text: "x" })).arguments.text`, i)})
			var r struct{ Status, Text string }
			if err := json.Unmarshal(raw, &r); err != nil || r.Status != "completed" {
				t.Fatalf("%v %s", err, raw)
			}
		}
		for i := range edits {
			at := p.edit(fmt.Sprintf("const n: string = %d;\nawait tools.mcp__soak__echo({ text: n });\ntools.", i))
			if i%100 == 0 {
				p.complete(at)
				p.diagnose()
			}
		}
		p.diagnose()
	}
	use(runs/10, changes/10, edits/10)
	before := hold(t, temporary)
	began := time.Now()
	use(runs, changes, edits)
	after := hold(t, temporary)
	t.Logf("%d runs, %d changes of the pool, %d edits in %v", runs, changes, edits, time.Since(began).Round(time.Second))
	t.Logf("before %+v", before)
	t.Logf("after  %+v", after)
	for _, g := range []struct {
		what          string
		before, after int
		slack         int
	}{
		{"goroutines", before.goroutines, after.goroutines, 4},
		{"file descriptors", before.files, after.files, 4},
		{"temporary files", before.temporary, after.temporary, 0},
		{"child processes", before.processes, after.processes, 2},
		{"heap in KB", before.heapKB, after.heapKB, 8 << 10},
		{"memory of the TypeScript engine in KB", before.engineKB, after.engineKB, before.engineKB/4 + 32<<10},
	} {
		if g.after > g.before+g.slack {
			t.Errorf("%s grew from %d to %d", g.what, g.before, g.after)
		}
	}
}

// waitForTool waits until the catalog has a tool with that description.
func (p *peer) waitForTool(name, description string) {
	p.t.Helper()
	for range 2000 {
		raw := p.call("codemode/catalog", struct{}{})
		var c struct {
			Tools []struct{ Name, Description string }
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			p.t.Fatal(err)
		}
		for _, tool := range c.Tools {
			if tool.Name == name && tool.Description == description {
				return
			}
		}
		<-time.After(10 * time.Millisecond)
	}
	p.t.Fatalf("the pool never had %s (%s)", name, description)
}

// residentKB is the resident memory of a process.
func residentKB(pid string) (kb int) {
	text, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			fmt.Sscan(v, &kb)
		}
	}
	return kb
}
