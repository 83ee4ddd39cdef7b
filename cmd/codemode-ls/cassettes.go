package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"codemode-ls/exec/cassette"
)

// A person's paths may lead anywhere, as with every other program; a client's are
// held to the workspace (workspace.Record).

// createCassette prepares to write a cassette.
func createCassette(path string) (*cassette.File, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("recording to %s: %w", path, err)
	}
	return cassette.Create(root, filepath.Base(path))
}

// readCassette reads a cassette.
func readCassette(path string) (*cassette.Cassette, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // the path is said already
		}
		return nil, fmt.Errorf("cassette %s: %w", path, err)
	}
	root, err := os.OpenRoot(filepath.Dir(real))
	if err != nil {
		return nil, fmt.Errorf("cassette %s: %w", path, err)
	}
	defer root.Close()
	c, err := cassette.Open(root, filepath.Base(real))
	if err != nil {
		return nil, fmt.Errorf("cassette %s: %w", path, err)
	}
	return c, nil
}

func writeCassette(path string, c *cassette.Cassette) error {
	file, err := createCassette(path)
	if err != nil {
		return err
	}
	return file.Commit(c)
}
