// Package enginetest gives tests the TypeScript engine's binary. It is compiled
// without the race detector, with which TypeScript takes ten minutes.
package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Variable names a binary to use instead: codemode-ls itself, or the engine
// alone.
const Variable = "CODEMODE_LS_BINARY"

// Binary is the path of a program that runs the engine when its argument is
// typescript.ChildCommand. It is built once for each test process.
var Binary = sync.OnceValues(func() (string, error) {
	if b := os.Getenv(Variable); b != "" {
		return b, nil
	}
	dir, err := os.MkdirTemp("", "ts-engine")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	built := filepath.Join(dir, "ts-engine.exe")
	build := exec.Command("go", "build", "-race=false", "-o", built, "codemode-ls/typescript/engine/cmd")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the TypeScript engine: %w\n%s", err, out)
	}
	// There is one file for all test processes of a user, replaced as a whole: who
	// runs the old one keeps it, and nothing piles up.
	stable := filepath.Join(os.TempDir(), fmt.Sprintf("codemode-ts-engine-%d.exe", os.Getuid()))
	if err := os.Rename(built, stable); err != nil {
		return "", err
	}
	return stable, nil
})
