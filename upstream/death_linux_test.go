package upstream

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"codemode-ls/config"
)

// family is a server for which nothing but force ends it or its children: it and
// its child in its group, one in a session of its own, and one that a process which
// has ended has left behind hold the pipe that is the script's argument.
const family = `trap "" TERM HUP; exec 3> "$0"
sleep 1000 < /dev/null > /dev/null 2>&1 &
setsid sleep 1000 < /dev/null > /dev/null 2>&1 &
(setsid sh -c "sleep 1000 & sleep 1000 & exit" < /dev/null > /dev/null 2>&1 &)
echo started >&3
`

// startAndWait is a program that starts a family, and waits to be killed.
func startAndWait(shell, pipe string) {
	var r processes
	p, err := r.start(config.Server{Command: shell, Args: []string{"-c", family + "while :; do sleep 1000; done", pipe}}, "", new(ring))
	if err != nil || p.awaitStart(context.Background()) != nil {
		os.Exit(1)
	}
	select {}
}

// pipeOf makes a pipe and gives the path of its end to write to.
func pipeOf(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	return pipe
}

// untilReleased waits until nobody has the pipe open any more.
func untilReleased(t *testing.T, held *os.File) {
	t.Helper()
	released := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, held)
		released <- err
	}()
	select {
	case err := <-released:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("something of the server lives on")
	}
}

// MCP-5: all that a server has started ends with a program that was killed and could
// end nothing itself.
func TestKilledProgram(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	pipe := pipeOf(t)
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(executable, "start-and-wait", shell, pipe)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(pipe) // waits for the server's end
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if _, err := io.ReadFull(held, make([]byte, len("started\n"))); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	untilReleased(t, held)
}

// MCP-5: all that a server has started ends with it, however it ends, and its own
// end is reported.
func TestFamilyEnds(t *testing.T) {
	for _, test := range []struct{ name, rest, want string }{
		{"stopped", "while :; do sleep 1000; done", "signal: killed"},
		{"killed at once", "while :; do sleep 1000; done", "signal: killed"},
		{"exit", "exit 7", "exit status 7"},
		{"crash", "kill -SEGV $$", "signal: segmentation fault"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pipe := pipeOf(t)
			var r processes
			p, err := r.start(config.Server{Command: "sh", Args: []string{"-c", family + test.rest, pipe}}, "", new(ring))
			if err != nil {
				t.Fatal(err)
			}
			defer p.stop()
			if err := p.awaitStart(t.Context()); err != nil || p.pid == 0 {
				t.Fatal(p.pid, err)
			}
			held, err := os.Open(pipe)
			if err != nil {
				t.Fatal(err)
			}
			defer held.Close()
			if _, err := io.ReadFull(held, make([]byte, len("started\n"))); err != nil {
				t.Fatal(err)
			}
			switch test.name {
			case "stopped":
				p.stop()
			case "killed at once":
				r.kill()
			}
			untilReleased(t, held)
			<-p.exited
			if !strings.HasPrefix(p.state, "it ended with "+test.want) {
				t.Errorf("%s", p.state)
			}
		})
	}
}

// A program that the kernel does not start is reported as that.
func TestNoProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(path, []byte("\x7fnothing"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := newTestSet(t, nil)
	s.configure(config.Server{Name: "x", Transport: config.Stdio, Command: path})
	if st := s.untilState("x", Failed); !strings.Contains(st.Error, "exec format error") {
		t.Errorf("%q", st.Error)
	}
	<-s.find("x").done // it is not tried again
}

// BenchmarkStart is the start of a server's program and its end.
func BenchmarkStart(b *testing.B) {
	for range b.N {
		var r processes
		p, err := r.start(config.Server{Command: "true"}, "", new(ring))
		if err != nil {
			b.Fatal(err)
		}
		if err := p.awaitStart(b.Context()); err != nil {
			b.Fatal(err)
		}
		p.stop()
	}
}
