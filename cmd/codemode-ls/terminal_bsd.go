//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// readSide is FREAD of <sys/fcntl.h>: of both directions the one that is read.
const readSide = 1

// discardInput drops what was typed and not read yet, as tcflush does.
func discardInput(tty *os.File) error {
	return onDescriptor(tty, func(fd uintptr) error { return unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, readSide) })
}
