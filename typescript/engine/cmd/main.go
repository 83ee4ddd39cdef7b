// Command cmd is the engine child alone: what the tests of package typescript
// run, so that they need neither the whole program nor an engine compiled with
// the race detector.
package main

import (
	"os"

	"codemode-ls/typescript/engine"
)

func main() { os.Exit(engine.Main()) }
