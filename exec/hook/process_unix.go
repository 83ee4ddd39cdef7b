//go:build unix

package hook

import (
	"os"
	"os/exec"
	"syscall"
)

var shell = []string{"/bin/sh", "-c"}

// group makes the command the leader of a process group of its own.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends every process of the group, the leader and orphans alike.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
