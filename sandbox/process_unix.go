//go:build unix

package sandbox

import (
	"os/exec"
	"syscall"
)

// jobHandle is of use on Windows alone.
type jobHandle struct{}

func (jobHandle) close() {}

// isolate gives the child a process group of its own: a Ctrl-C at the terminal
// is not meant for it.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func confine(*exec.Cmd, int) jobHandle { return jobHandle{} }

func killProcess(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	cmd.Process.Kill()
}
