//go:build !unix

package upstream

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"codemode-ls/internal/environ"
)

// group keeps Ctrl-C of our own console away from the process. Ending its
// children with it would need a job object.
func group(cmd *exec.Cmd) {
	const createNewProcessGroup = 0x200
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: createNewProcessGroup}
}

// terminateGroup does nothing: there is no signal to ask a process to end. Its
// standard input is closed already.
func terminateGroup(*os.Process) {}

func killGroup(p *os.Process) { _ = p.Kill() }

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
