//go:build unix

package lsp

import (
	"errors"

	"golang.org/x/sys/unix"
)

// processExists counts a process that may not be signalled as existing.
func processExists(pid int) bool {
	return !errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}
