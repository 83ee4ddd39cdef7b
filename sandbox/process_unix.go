//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
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

// hungUp reports whether nobody can write to the other end of a pipe any more.
func hungUp(f *os.File) (gone bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		gone = err == nil && n > 0 && fds[0].Revents&unix.POLLHUP != 0
	})
	return gone || err != nil
}
