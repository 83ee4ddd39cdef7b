//go:build unix

package upstream

import "os"

func executable(path string, _ []string) (string, bool) {
	info, err := os.Stat(path)
	return path, err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}
