// Package engine is TypeScript itself, compiled into the binary: the engine
// child (`codemode-ls ts-engine`) runs Serve and nothing else.
//
// It is apart from package typescript, the client, so that only the command
// pays the minutes that compiling TypeScript takes.
package engine

import (
	"context"
	"io"

	"github.com/microsoft/typescript-go/codemodeshim"
)

// Version is the TypeScript version compiled in, such as "7.0.2".
func Version() string { return codemodeshim.Version() }

// Serve speaks the language server protocol on in and out until in ends. Its
// whole disk is files, by absolute slash-separated path; the standard library
// comes from memory.
func Serve(ctx context.Context, in io.Reader, out, stderr io.Writer, cwd string, files map[string]string) error {
	disk := codemodeshim.NewMemFS()
	for path, text := range files {
		disk.Set(path, text)
	}
	return codemodeshim.Serve(ctx, in, out, stderr, cwd, disk)
}
