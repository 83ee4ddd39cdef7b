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

// captured is the output of a command, which the library reads.
type captured struct{}

// capture has a command write to stdout and stderr.
func capture(cmd *exec.Cmd, stdout, stderr *bounded) (captured, error) {
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = 10 * drainGrace // what comes later is lost
	return captured{}, nil
}

func (captured) started() {}
func (captured) end()     {}
