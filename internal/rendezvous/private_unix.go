//go:build unix

package rendezvous

import (
	"fmt"
	"os"
	"syscall"
)

// private reports a directory that others can get into.
func private(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a directory of this user alone", path)
	}
	return nil
}
