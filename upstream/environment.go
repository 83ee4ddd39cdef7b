package upstream

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// inherited are the variables of our own environment that a server gets. The
// rest stays here: an editor's environment holds secrets that are not meant for
// every program which a configuration names. What a server needs beyond these
// goes into its definition's env. Names that end in "*" are prefixes.
var inherited = []string{
	"PATH", "HOME", "LANG", "LANGUAGE", "LC_*", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM", "TZ",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
}

// inheritedOnWindows are added on Windows, where programs do not start without
// most of them.
var inheritedOnWindows = []string{
	"ALLUSERSPROFILE", "APPDATA", "COMMONPROGRAMFILES", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA",
	"NUMBER_OF_PROCESSORS", "OS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES",
	"PROGRAMFILES(X86)", "PROGRAMW6432", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERDOMAIN",
	"USERNAME", "USERPROFILE", "WINDIR",
}

// environment is that of a server: the inherited variables, and over them the
// definition's own.
func environment(ours []string, own map[string]string) []string {
	windows := runtime.GOOS == "windows"
	names := inherited
	if windows {
		names = slices.Concat(inherited, inheritedOnWindows)
	}
	env := map[string]string{}
	for _, entry := range ours {
		name, value, ok := strings.Cut(entry, "=")
		// A value that begins like this is a function that a shell exported.
		if ok && isInherited(names, name, windows) && !strings.HasPrefix(value, "()") {
			env[name] = value
		}
	}
	for name, value := range own {
		if windows {
			maps.DeleteFunc(env, func(n, _ string) bool { return strings.EqualFold(n, name) })
		}
		env[name] = value
	}
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

func isInherited(names []string, name string, windows bool) bool {
	for _, pattern := range names {
		prefix, isPrefix := strings.CutSuffix(pattern, "*")
		switch {
		case isPrefix && strings.HasPrefix(name, prefix), name == pattern, windows && strings.EqualFold(name, pattern):
			return true
		}
	}
	return false
}

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
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		if filepath.IsAbs(folder) {
			if found, ok := executable(filepath.Join(folder, command), env); ok {
				return found, nil
			}
		}
	}
	return "", &os.PathError{Op: "start", Path: command, Err: errNotOnPath}
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

func variable(env []string, name string) string {
	for _, entry := range env {
		n, value, _ := strings.Cut(entry, "=")
		if n == name || (runtime.GOOS == "windows" && strings.EqualFold(n, name)) {
			return value
		}
	}
	return ""
}
