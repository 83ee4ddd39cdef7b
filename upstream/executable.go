package upstream

import (
	"os"
	"path/filepath"
	"strings"

	"codemode-ls/internal/environ"
)

// findExecutable is the absolute path of a command: a path relative to dir, or a
// name on the PATH of env. Relative folders on the PATH are not searched, so
// that no workspace can put a program in front of another.
func findExecutable(command, dir string, env []string) (string, error) {
	if filepath.Base(command) != command {
		path := command
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if found, ok := executable(path, env); ok {
			return found, nil
		}
		return "", &os.PathError{Op: "start", Path: path, Err: notExecutable(path)}
	}
	for _, folder := range filepath.SplitList(environ.Value(env, "PATH")) {
		if filepath.IsAbs(folder) {
			if found, ok := executable(filepath.Join(folder, command), env); ok {
				return found, nil
			}
		}
	}
	err := errNotOnPath
	if strings.ContainsAny(strings.TrimSpace(command), " \t") {
		err = errArguments
	}
	return "", &os.PathError{Op: "start", Path: command, Err: err}
}

// notExecutable says why a path cannot be started.
func notExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return os.ErrNotExist
	case info.IsDir():
		return errIsFolder
	}
	return os.ErrPermission
}
