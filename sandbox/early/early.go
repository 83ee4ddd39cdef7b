// Package early is what happens first in a sandbox's child.
//
// A program initialises its packages in the order of their paths, each after
// what it imports. This one imports next to nothing, so that it comes before
// nearly all of them.
package early

import (
	"os"
	"runtime/debug"
)

// Command is the program's argument that makes it a child.
const Command = "sandbox-child"

// The collector has nothing to do in a child before a script runs; what the rest
// of the program allocates while it is initialised stays. Without this it runs
// once, for a fifth of the time that a child takes to become ready.
func init() {
	if len(os.Args) > 1 && os.Args[1] == Command {
		debug.SetGCPercent(-1)
	}
}
