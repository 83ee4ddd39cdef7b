package typescript

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// binary is the engine child that the tests run, compiled without the race
// detector: with it, TypeScript takes ten minutes.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if binary = os.Getenv("CODEMODE_LS_BINARY"); binary == "" {
			dir, err := os.MkdirTemp("", "ts-engine")
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			defer os.RemoveAll(dir)
			binary = filepath.Join(dir, "ts-engine.exe")
			build := exec.Command("go", "build", "-race=false", "-o", binary, "./engine/cmd")
			if out, err := build.CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "build the engine: %v\n%s", err, out)
				return 1
			}
		}
		code := m.Run()
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

const declarationsText = `
declare const tools: {
  /** Finds issues.
   * @deprecated use something else */
  old(input: {}): Promise<unknown>;
  /** Searches. */
  mcp__a__search(input: { /** What to look for. */ query: string; mode?: "deep" | "fast"; limit?: number }): Promise<{ items: Array<{ id: number }> }>;
  "mcp__a-b__x"(input: {}): Promise<string>;
};
declare const console: { log(...values: unknown[]): void };
`

func newEngine(t *testing.T) *Engine {
	t.Helper()
	e := New(Options{Command: []string{binary, ChildCommand}})
	t.Cleanup(e.Shutdown)
	e.SetDeclarations(declarationsText)
	return e
}
