package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// detached is for a program that outlives this one.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

// terminalPath is the terminal that the process belongs to.
const terminalPath = "CONIN$"

// discardInput drops what was typed and not read yet.
func discardInput(tty *os.File) error {
	return onDescriptor(tty, func(fd uintptr) error { return windows.FlushConsoleInputBuffer(windows.Handle(fd)) })
}

// inForeground says whether this process may read from its terminal: there are no jobs
// here that may not.
func inForeground(*os.File) bool { return true }
