package upstream

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"codemode-ls/config"
)

// startAndWait is a program that starts a server which ignores the end of its
// input, and waits to be killed.
func startAndWait(shell, pipe string) {
	var r processes
	if _, err := r.start(config.Server{Command: shell, Args: []string{"-c", `exec sleep 1000 > "$0"`, pipe}}, "", new(ring)); err != nil {
		os.Exit(1)
	}
	select {}
}

// MCP-5: a server that ignores the end of its input ends with a program that was
// killed and could end nothing itself.
func TestKilledProgram(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(executable, "start-and-wait", shell, pipe)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Open until the server has opened its end, at end of file when the server is gone.
	held, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, held)
		ended <- err
	}()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-ctx.Done():
		t.Error("the server lives on")
	}
}
