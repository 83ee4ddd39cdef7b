//go:build unix

package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminalPath is the terminal that the process belongs to.
const terminalPath = "/dev/tty"

// detached is for a program that outlives this one, and the terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// inForeground says whether this process may read from its terminal.
func inForeground(tty *os.File) bool {
	group := 0
	err := onDescriptor(tty, func(fd uintptr) (err error) {
		group, err = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
		return err
	})
	return err == nil && group == unix.Getpgrp()
}
