package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"codemode-ls/typescript/engine"
)

// release is the version of this source; builds from a checkout add their
// commit.
const release = "0.1.0"

// version is the release, and the commit when the build knows it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return release + "+" + s.Value[:12]
			}
		}
	}
	return release
}

type versionCommand struct{}

func (versionCommand) Help() string {
	return `Examples:
  codemode-ls version
  codemode-ls --version`
}

func (versionCommand) Run(a *app) error {
	_, err := fmt.Fprintf(a.stdout, "codemode-ls %s (TypeScript %s, %s, %s/%s)\n", version(), engine.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
