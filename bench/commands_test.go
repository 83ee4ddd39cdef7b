package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codemode-ls/internal/mcptest"
)

// serverStart is how long each server of TestCommands takes to start.
const serverStart = 3 * time.Second

// PERF-11: commands with ten servers that take three seconds to start and whose lists of
// tools are kept: those that read, and a run that uses one of the servers, against that
// server's own start. Beside them `deno check` and `tsx` (CODEMODE_DENO, CODEMODE_TSX) on
// an equal script.
func TestCommands(t *testing.T) {
	if !benchmarking() {
		t.Skip("measures time: only with -bench")
	}
	binary := os.Getenv("CODEMODE_LS_BINARY")
	if binary == "" {
		t.Skip("CODEMODE_LS_BINARY does not name the program")
	}
	dir := t.TempDir()
	servers := map[string]any{}
	var one []string
	for i := range 10 {
		name := fmt.Sprintf("s%d", i)
		fake := mcptest.Write(t, fmt.Sprintf(`{"name": %q, "initializeDelayMs": %d, "tools": [{"name": "hello", "description": "Says hello.",
			"inputSchema": {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]},
			"outputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}],
			"results": {"hello": {"content": [], "structuredContent": {"text": "hello"}}}}`, name, serverStart.Milliseconds()))
		command, args := fake.Command(t)
		one = append([]string{command}, args...)
		servers[name] = map[string]any{"command": command, "args": args}
	}
	configuration, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	const body = "const greetings: string[] = [];\nfor (const who of ['a', 'b', 'c']) greetings.push(`${who}: ${who.length}`);\n"
	const types = "declare const tools: { mcp__s9__hello(a: { who: string }): Promise<{ text: string }> };\n"
	for name, text := range map[string]string{
		"config/codemode-ls/config.json": string(configuration),
		"plain.exec.ts":                  body + "return greetings;\n",
		"plain.ts":                       body + "console.log(greetings);\nexport {};\n",
		"uses.exec.ts":                   body + "return (await tools.mcp__s9__hello({ who: greetings.join() })).text;\n",
		"uses.ts":                        types + body + "console.log((await tools.mcp__s9__hello({ who: greetings.join() })).text);\nexport {};\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(program string, args ...string) {
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir+"/config", "XDG_CACHE_HOME="+dir+"/cache", "DENO_DIR="+dir+"/deno",
			"CODEMODE_LS_RENEW=off", "DENO_NO_UPDATE_CHECK=1") // what is renewed behind a command would be in the figures of the next one
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
		}
	}
	time50 := func(rounds int, program string, args ...string) time.Duration {
		run(program, args...) // what is read once from disk counts for nobody
		p50, _ := percentiles(measure(rounds, func(int) { run(program, args...) }))
		return p50
	}
	run(binary, "catalog", "--fresh")
	for _, args := range [][]string{{"check", "uses.exec.ts"}, {"catalog"}, {"search", "hello"}} {
		took := time50(10, binary, args...)
		t.Logf("%-22s %v", strings.Join(args, " "), took.Round(time.Millisecond))
		verdict(t, took <= 300*time.Millisecond, "≤ 300 ms")
	}
	own, _ := percentiles(measure(3, func(int) { startServer(t, one) }))
	took := time50(3, binary, "run", "--allow", "mcp__s9__*", "uses.exec.ts")
	t.Logf("run uses.exec.ts       %v; its server's own start and one call: %v: %v more", took.Round(time.Millisecond), own.Round(time.Millisecond), (took - own).Round(time.Millisecond))
	verdict(t, took-own <= 150*time.Millisecond, "≤ 150 ms more")

	if deno := os.Getenv("CODEMODE_DENO"); deno == "" {
		t.Log("CODEMODE_DENO is not set: not compared with it")
	} else {
		// Deno keeps that it has checked a text: each round has a new one, for both.
		edited := func(file, program string) time.Duration {
			path := filepath.Join(dir, file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			p50, _ := percentiles(measure(10, func(round int) {
				if err := os.WriteFile(path, fmt.Appendf(nil, "// round %d\n%s", round, text), 0o644); err != nil {
					t.Fatal(err)
				}
				run(program, "check", file)
			}))
			return p50
		}
		theirs, ours := edited("uses.ts", deno), edited("uses.exec.ts", binary)
		t.Logf("check after an edit    %v; deno check %v: %.1f × as fast", ours.Round(time.Millisecond), theirs.Round(time.Millisecond), float64(theirs)/float64(ours))
		verdict(t, ours <= theirs, "not slower")
		t.Logf("deno check of a text that it has checked before: %v", time50(10, deno, "check", "uses.ts").Round(time.Millisecond))
	}
	if tsx := os.Getenv("CODEMODE_TSX"); tsx == "" {
		t.Log("CODEMODE_TSX is not set: not compared with it")
	} else {
		theirs, ours := time50(10, tsx, "plain.ts"), time50(10, binary, "run", "plain.exec.ts")
		t.Logf("run without calls      %v; tsx %v: %.1f × as fast", ours.Round(time.Millisecond), theirs.Round(time.Millisecond), float64(theirs)/float64(ours))
		verdict(t, ours <= theirs, "not slower")
	}
}

// startServer starts a server, initializes it and makes one call, as directly as can be.
func startServer(t *testing.T, command []string) {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for i, request := range []string{
		`"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`,
		`"method":"tools/list","params":{}`,
		`"method":"tools/call","params":{"name":"hello","arguments":{"who":"a"}}`,
	} {
		if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", i+1, request); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || strings.Contains(line, `"error"`) {
			t.Fatal(line, err)
		}
		if i == 0 {
			fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}
