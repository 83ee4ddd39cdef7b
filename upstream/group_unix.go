//go:build unix && !linux

package upstream

import (
	"os"
	"os/exec"
	"syscall"
)

// group makes the process the leader of a group of its own, so that its
// children can be ended with it. A child that leaves the group escapes.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminateGroup asks every process of the group to end.
func terminateGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

// killGroup ends every process of the group, the leader and orphans alike.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
