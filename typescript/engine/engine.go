// Package engine is TypeScript itself, compiled into the binary: the engine
// child (`codemode-ls ts-engine`) runs Main and nothing else.
//
// It is apart from package typescript, the client, so that only the command
// pays the minutes that compiling TypeScript takes.
package engine

import (
	"context"
	"fmt"
	"io"
	"os"

	"codemode-ls/typescript/project"

	"github.com/microsoft/typescript-go/codemodeshim"
)

// Version is the TypeScript version compiled in, such as "7.0.2".
func Version() string { return codemodeshim.Version() }

// Main is the engine child: Serve on the project's virtual disk and the
// process's own streams. The result is the process's exit code.
func Main() int {
	files := map[string]string{
		project.Config:   project.ConfigText,
		project.Language: project.LanguageText,
		// Something must stand here before the client has sent the real ones.
		project.Declarations: "",
	}
	// It ends with its input: the parent closes that, also by dying.
	if err := Serve(context.Background(), os.Stdin, os.Stdout, os.Stderr, project.Directory, files); err != nil {
		fmt.Fprintf(os.Stderr, "typescript engine: %v\n", err)
		return 1
	}
	return 0
}

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
