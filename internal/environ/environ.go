// Package environ makes the environments of programs that a configuration names:
// MCP servers and hooks. An editor's environment holds secrets that are not meant
// for each of them; what a program needs beyond the basics is said where it is
// configured.
package environ

import (
	"maps"
	"runtime"
	"slices"
	"strings"
)

// basics are the variables that every program inherits. Names that end in "*" are
// prefixes.
var basics = []string{
	"PATH", "HOME", "LANG", "LANGUAGE", "LC_*", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM", "TZ",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
}

// onWindows are added to the basics on Windows, where programs do not start
// without most of them.
var onWindows = []string{
	"ALLUSERSPROFILE", "APPDATA", "COMMONPROGRAMFILES", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA",
	"NUMBER_OF_PROCESSORS", "OS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES",
	"PROGRAMFILES(X86)", "PROGRAMW6432", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERDOMAIN",
	"USERNAME", "USERPROFILE", "WINDIR",
}

// Desktop are the variables that a program needs to show something to the person
// at the screen, such as a notification, in the form of Clean's more.
var Desktop = []string{"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_*"}

// Clean is an environment, sorted by name: of ours (as os.Environ gives it) the
// basics and what more names, and over them what is the program's own. Functions
// that a shell has exported are never inherited.
func Clean(ours []string, own map[string]string, more ...string) []string {
	return clean(ours, own, more, runtime.GOOS == "windows")
}

// clean is Clean on Windows, where case does not count in names, or elsewhere.
func clean(ours []string, own map[string]string, more []string, windows bool) []string {
	names := slices.Concat(basics, more)
	if windows {
		names = append(names, onWindows...)
	}
	env := map[string]string{}
	for _, entry := range ours {
		name, value, ok := strings.Cut(entry, "=")
		// A value that begins like this is a function that a shell exported.
		if ok && inherits(names, name, windows) && !strings.HasPrefix(value, "()") {
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

func inherits(names []string, name string, windows bool) bool {
	if windows {
		name = strings.ToUpper(name)
	}
	return slices.ContainsFunc(names, func(pattern string) bool {
		prefix, some := strings.CutSuffix(pattern, "*")
		return name == pattern || some && strings.HasPrefix(name, prefix)
	})
}

// Value of a variable in an environment; "" when it has none of that name.
func Value(env []string, name string) string {
	for _, entry := range env {
		n, value, _ := strings.Cut(entry, "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}
