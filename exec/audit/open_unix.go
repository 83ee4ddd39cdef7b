//go:build unix

package audit

import (
	"errors"
	"os"
	"syscall"
	"time"
)

const noFollow = syscall.O_NOFOLLOW

// writeTimeout is how long another process may take to write a line.
const writeTimeout = time.Second

// lockLines keeps other processes from writing to the file until it is unlocked
// or closed. A line becomes longer page by page: without it, one that is just
// being written cannot be distinguished from one that was cut off. Who cannot have the lock
// does without: a line too many is better than a decision that is not there.
func lockLines(f *os.File) (locked bool, unlock func()) {
	fd := int(f.Fd())
	var waited time.Duration
	for {
		err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, func() { _ = syscall.Flock(fd, syscall.LOCK_UN) }
		case errors.Is(err, syscall.EINTR):
		case !errors.Is(err, syscall.EWOULDBLOCK) || waited >= writeTimeout:
			return false, func() {}
		default:
			const pause = time.Millisecond
			<-time.After(pause)
			waited += pause
		}
	}
}
