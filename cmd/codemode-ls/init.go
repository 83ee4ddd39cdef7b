package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"codemode-ls/examples"
)

type initCommand struct{}

func (initCommand) Help() string {
	return `Creates, in the workspace's folder, files that do not exist yet:
  .codemode/mcp.json          MCP servers of this workspace (each needs your approval once)
  .codemode/hello.exec.ts     a first script, on the built-in demo server

Examples:
  codemode-ls init
  codemode-ls init --workspace ~/project`
}

func (initCommand) Run(a *app) error {
	dir, err := a.folder()
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, ".codemode")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"mcp.json", examples.Servers}, {"hello.exec.ts", examples.Hello}} {
		path := filepath.Join(dir, f.name)
		switch err := create(path, f.data); {
		case errors.Is(err, fs.ErrExist):
			fmt.Fprintf(a.stderr, "%s is there already\n", path)
		case err != nil:
			return err
		default:
			fmt.Fprintln(a.stdout, path)
		}
	}
	fmt.Fprintln(a.stderr, "Next: codemode-ls trust allow demo && codemode-ls run .codemode/hello.exec.ts")
	return nil
}

// create writes a new file; it is an error that there is one.
func create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
