package upstream

import (
	"os"
	"path/filepath"
	"strings"

	"codemode-ls/internal/environ"
)

// executable finds the file with one of the extensions that can be started.
func executable(path string, env []string) (string, bool) {
	extensions := environ.Value(env, "PATHEXT")
	if extensions == "" {
		extensions = ".COM;.EXE;.BAT;.CMD"
	}
	candidates := []string{}
	for _, extension := range strings.Split(extensions, ";") {
		if extension != "" && strings.EqualFold(filepath.Ext(path), extension) {
			candidates = []string{path}
			break
		}
		candidates = append(candidates, path+extension)
	}
	for _, candidate := range candidates {
		if info, err := os.Stat(candidate); err == nil && !info.IsDir() {
			return candidate, true
		}
	}
	return "", false
}
