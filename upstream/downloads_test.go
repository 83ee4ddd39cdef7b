package upstream

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codemode-ls/config"
)

// CLI-6: what may be fetching a server from a network is said to, and so is the setting
// that gives it more time.
func TestTimeoutOfDownloads(t *testing.T) {
	dir := t.TempDir()
	var servers []config.Server
	for _, name := range []string{"npx", "other"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		servers = append(servers, config.Server{Name: name, Transport: config.Stdio, Command: path})
	}
	s := newTestSet(t, func(o *Options) { o.Limits.ConnectTimeout = 200 * time.Millisecond })
	s.policy.firstDelay = time.Hour
	s.configure(servers...)
	s.settle()
	for _, st := range s.Status() {
		if !strings.Contains(st.Error, "mcp.connectTimeoutMs") || strings.Contains(st.Error, "npx may still have been downloading it") != (st.Server.Name == "npx") {
			t.Errorf("%s: %s", st.Server.Name, st.Error)
		}
	}
}
