package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminalPath is the terminal that the process belongs to.
const terminalPath = "CONIN$"

// discardInput drops what was typed and not read yet.
func discardInput(tty *os.File) error {
	return onDescriptor(tty, func(fd uintptr) error { return windows.FlushConsoleInputBuffer(windows.Handle(fd)) })
}
