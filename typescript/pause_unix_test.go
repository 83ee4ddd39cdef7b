//go:build unix

package typescript

import (
	"os"
	"syscall"
)

// pauseProcess makes a process hang without ending it.
func pauseProcess(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
