//go:build unix

package main

import "syscall"

// terminalPath is the terminal that the process belongs to.
const terminalPath = "/dev/tty"

// detached is for a program that outlives this one, and the terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
