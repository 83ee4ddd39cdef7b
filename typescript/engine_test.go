package typescript

import (
	"fmt"
	"os"
	"testing"

	"codemode-ls/typescript/enginetest"

	"go.uber.org/goleak"
)

// binary is the engine child that the tests run, compiled without the race
// detector: with it, TypeScript takes ten minutes.
var binary string

func TestMain(m *testing.M) {
	var err error
	if binary, err = enginetest.Binary(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
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
