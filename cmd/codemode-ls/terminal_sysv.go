//go:build aix || linux || solaris

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardInput drops what was typed and not read yet, as tcflush does.
func discardInput(tty *os.File) error {
	return onDescriptor(tty, func(fd uintptr) error { return unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) })
}
