package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"codemode-ls/config"
	"codemode-ls/internal/environ"
)

var (
	errNotOnPath = errors.New("there is no such program on the PATH")
	errArguments = errors.New("there is no such program on the PATH; is it a program with arguments? those belong into \"args\", a word each")
	errIsFolder  = errors.New("it is a folder")
)

// How long a server may take to end by itself after its standard input was
// closed, and after it was asked to.
const (
	closeGrace     = time.Second
	terminateGrace = time.Second
	killGrace      = 3 * time.Second
	drainGrace     = 200 * time.Millisecond
)

// process is a running stdio server with its pipes.
type process struct {
	cmd    *exec.Cmd
	super  *supervisor
	stdin  *outbox
	stdout *os.File

	files    []*os.File    // our ends of stdout and stderr
	started  chan struct{} // closed once the program runs or could not be started
	pid      int           // of the server, valid after started
	startErr error         // why it does not run, valid after started
	exited   chan struct{} // closed once the process and what it started have ended
	state    string        // how it ended, valid after exited
	copied   chan struct{} // closed once stderr has ended
	stopOnce sync.Once
}

// StartedBy is the variable by which a program knows that this one has started it, as an
// MCP server or below one (MCP-8).
const StartedBy = "CODEMODE_LS_STARTED_BY"

// startProcess starts a server in a process group of its own, with a clean
// environment. dir is where it runs when the definition says nothing. Its standard
// error goes to stderr.
func startProcess(def config.Server, dir string, stderr io.Writer) (_ *process, err error) {
	if def.Cwd != "" {
		dir = def.Cwd
	}
	env := environ.Clean(os.Environ(), def.Env, def.Inherit...)
	path, err := findExecutable(def.Command, dir, env)
	if err != nil {
		return nil, err
	}
	if dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("start %s: there is no folder %s to run it in", def.Command, dir)
		}
	}
	// A wrapper such as npx hides that it starts this program: the gateway has to know, or
	// each would start another.
	env = append(env, StartedBy+"="+programName)
	cmd := &exec.Cmd{Path: path, Args: append([]string{def.Command}, def.Args...), Env: env, Dir: dir}
	supervisor, err := supervise(cmd)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", def.Command, err)
	}
	defer func() { supervisor.launched(err) }()

	// Files of our own rather than exec's pipes: Wait must not close them while
	// the last answer is still being read.
	var theirs, ours []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			for _, f := range ours {
				f.Close()
			}
		}
	}()
	pipe := func(weWrite bool) (*os.File, *os.File, error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil, err
		}
		if weWrite {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
		return r, w, nil
	}
	stdin, childStdin, err := pipe(true)
	if err != nil {
		return nil, err
	}
	stdout, childStdout, err := pipe(false)
	if err != nil {
		return nil, err
	}
	stderrPipe, childStderr, err := pipe(false)
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childStdin, childStdout, childStderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", def.Command, err)
	}
	p := &process{
		cmd: cmd, super: supervisor, started: make(chan struct{}), stdin: newOutbox(stdin),
		stdout: stdout,
		files:  []*os.File{stdout, stderrPipe},
		exited: make(chan struct{}), copied: make(chan struct{}),
	}
	go func() {
		defer close(p.copied)
		_, _ = io.Copy(stderr, stderrPipe)
	}()
	go p.wait()
	return p, nil
}

// awaitStart waits until the program runs.
func (p *process) awaitStart(ctx context.Context) error {
	select {
	case <-p.started:
		return p.startErr
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wait notices the end of the process at once, and ends its children.
func (p *process) wait() {
	p.pid, p.startErr = p.super.started(p.cmd)
	close(p.started)
	p.state = "it ended with " + p.super.wait(p.cmd)
	// What could not be ended may hold the pipes open for ever.
	for _, f := range p.files {
		_ = f.SetReadDeadline(time.Now().Add(drainGrace))
	}
	<-p.copied
	close(p.exited)
}

// stop ends the process and its children: first by closing its standard input,
// then by asking, then by force. It waits.
func (p *process) stop() {
	p.stopOnce.Do(func() {
		p.stdin.Close()
		if !p.within(closeGrace) {
			p.super.terminate(p.cmd)
			if !p.within(terminateGrace) {
				p.super.kill(p.cmd)
				p.within(killGrace)
			}
		}
		for _, f := range p.files {
			f.Close()
		}
		<-p.stdin.done
	})
}

func (p *process) within(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}
