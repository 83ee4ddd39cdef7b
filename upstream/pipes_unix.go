//go:build unix

package upstream

import (
	"errors"
	"os"
	"syscall"
)

// writeNow writes what a pipe takes without waiting. Pipes that this program
// makes never block.
func writeNow(file *os.File, b []byte) (n int, err error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Write(func(fd uintptr) bool {
		for {
			n, err = syscall.Write(int(fd), b)
			if err != syscall.EINTR {
				return true
			}
		}
	})
	if errors.Is(err, syscall.EAGAIN) {
		return 0, failed
	}
	return max(n, 0), errors.Join(err, failed)
}
