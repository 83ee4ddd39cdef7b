package editortest

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// A Server is a child process that an editor speaks with.
type Server struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.ReadCloser
	once sync.Once
}

// StartServer starts a language server; its standard error goes to log.
func StartServer(cmd *exec.Cmd, log io.Writer) (*Server, error) {
	s := &Server{cmd: cmd}
	var err error
	if s.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if s.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	return s, nil
}

func (s *Server) Read(p []byte) (int, error)  { return s.out.Read(p) }
func (s *Server) Write(p []byte) (int, error) { return s.in.Write(p) }

// Close hangs up; the server ends by itself.
func (s *Server) Close() error { return s.in.Close() }

// Wait waits for the process after everything was read from it.
func (s *Server) Wait() (exitCode int, err error) {
	err = s.cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// Kill ends the process at once.
func (s *Server) Kill() { s.once.Do(func() { _ = s.cmd.Process.Kill() }) }
