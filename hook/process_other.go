//go:build !unix

package hook

import (
	"os"
	"os/exec"
	"syscall"
)

var shell = []string{"cmd", "/C"}

// group keeps Ctrl-C of our own console away from the command. Ending its
// children with it would need a job object.
func group(cmd *exec.Cmd) {
	const createNewProcessGroup = 0x200
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: createNewProcessGroup}
}

func killGroup(p *os.Process) { _ = p.Kill() }
