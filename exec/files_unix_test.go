//go:build unix

package exec

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Something that only looks like a file is not waited for.
func TestReadTextOfAPipe(t *testing.T) {
	f, folder, _ := tree(t)
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	if got, err := f.read("pipe"); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("%q, %v", got, err)
	}
}
