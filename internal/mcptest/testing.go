package mcptest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"codemode-ls/config"
)

// patience is how long a helper waits for something that will happen.
const patience = time.Minute

// Server is a fake server's description on disk.
type Server struct {
	// File is the description.
	File string
}

// Write puts a description into a file of the test's own. The fake must be
// reachable by re-executing this binary: see Main.
func Write(t testing.TB, description string) *Server {
	t.Helper()
	s := &Server{File: filepath.Join(t.TempDir(), "server.txtar")}
	s.Rewrite(t, description)
	return s
}

// Rewrite changes the description; a running server takes it over.
func (s *Server) Rewrite(t testing.TB, description string) {
	t.Helper()
	if _, err := Parse([]byte(description)); err != nil {
		t.Fatalf("description of a fake server: %v", err)
	}
	temporary := s.File + ".new"
	if err := os.WriteFile(temporary, []byte(description), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temporary, s.File); err != nil {
		t.Fatal(err)
	}
}

// Command is the program and the arguments that start the server.
func (s *Server) Command(t testing.TB) (command string, args []string) {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return executable, []string{serverArgument, s.File}
}

// Config is the server's definition, as if a person had typed it.
func (s *Server) Config(t testing.TB, name string) config.Server {
	t.Helper()
	command, args := s.Command(t)
	return config.Server{
		Name: name, Layer: config.Flag, Transport: config.Stdio, Command: command, Args: args,
		// Built with the race detector, a process waits for a second at its end, longer
		// than how it ended is waited for.
		Env: map[string]string{"GORACE": "atexit_sleep_ms=0"},
	}
}

// Log is everything that the server has received, over all its lives.
func (s *Server) Log(t testing.TB) []string {
	t.Helper()
	content, err := os.ReadFile(s.File + ".log")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	// A line that is being written is not there yet.
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}

// WaitForLog waits until the server has received a line that contains the text,
// and returns it.
func (s *Server) WaitForLog(t testing.TB, text string) string {
	t.Helper()
	deadline := time.After(patience)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		for _, line := range s.Log(t) {
			if strings.Contains(line, text) {
				return line
			}
		}
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("the server received nothing with %q, but\n%s", text, strings.Join(s.Log(t), "\n"))
		}
	}
}

// Grandchild is the id of the process that the server has started.
func (s *Server) Grandchild(t testing.TB) int {
	t.Helper()
	content, err := os.ReadFile(s.File + ".grandchild")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(content))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
