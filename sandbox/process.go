package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"codemode-ls/sandbox/frame"

	"github.com/go-json-experiment/json"
)

// stderrBytes is how much of a child's standard error is kept, for the log.
const stderrBytes = 8 << 10

// child is a process that waits for a script, runs it, or has ended.
type child struct {
	cmd    *exec.Cmd
	in     *os.File // we write
	out    *os.File // we read
	reader *frame.Reader
	writer *frame.Writer
	stderr cappedBuffer
	exited chan struct{} // closed when the process has been waited for
	state  *os.ProcessState
	job    jobHandle
}

// spawn starts a process and waits until it is ready. Without a command it is
// this program with that argument.
func spawn(ctx context.Context, o Options, command []string, argument string) (*child, error) {
	if len(command) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program to start a sandbox: %w", err)
		}
		if runtime.GOOS == "linux" {
			exe = "/proc/self/exe" // the same program, also when its file was replaced
		}
		command = []string{exe, argument}
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a sandbox: %w", err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		childIn.Close()
		in.Close()
		return nil, fmt.Errorf("start a sandbox: %w", err)
	}
	c := &child{in: in, out: out, exited: make(chan struct{})}
	c.reader = frame.NewReader(out, frame.Slack)
	c.writer = frame.NewWriter(in)
	c.cmd = exec.Command(command[0], command[1:]...)
	c.cmd.Env = []string{} // ISO-9
	c.cmd.Dir = os.TempDir()
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = childIn, childOut, &c.stderr
	isolate(c.cmd)
	err = c.cmd.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("start a sandbox: %w", err)
	}
	c.job = confine(c.cmd, o.MemoryMB)
	go func() {
		c.cmd.Wait()
		c.state = c.cmd.ProcessState
		c.job.close()
		close(c.exited)
	}()
	defer context.AfterFunc(ctx, c.kill)()
	late := time.AfterFunc(startLimit, c.kill)
	defer late.Stop()
	first, err := json.Marshal(frame.Initial{MemoryMB: o.MemoryMB})
	if err == nil {
		err = c.writer.Write(frame.KindInit, first)
	}
	var kind byte
	if err == nil {
		kind, _, err = c.reader.Read()
	}
	if err == nil && kind != frame.KindReady {
		err = errors.New("it did not say that it is ready")
	}
	if err != nil {
		c.end()
		if words := strings.TrimSpace(c.stderr.String()); words != "" {
			err = fmt.Errorf("%w: %s", err, words)
		}
		return nil, fmt.Errorf("start a sandbox: its process did not become ready (%v): %w", c.state, err)
	}
	return c, nil
}

// kill ends the process at once; it does not wait.
func (c *child) kill() {
	select {
	case <-c.exited:
	default:
		killProcess(c.cmd)
	}
}

// abandon kills the process and soon receives nothing of it any more: until its memory
// is taken back, its pipes stay open.
func (c *child) abandon() {
	c.kill()
	soon := time.Now().Add(killGrace)
	_ = c.in.SetWriteDeadline(soon) // where pipes have none, its end is waited for
	_ = c.out.SetReadDeadline(soon)
}

// end kills the process, waits for it and closes its channel.
func (c *child) end() {
	c.kill()
	<-c.exited
	c.in.Close()
	c.out.Close()
}

// alive reports whether the process has not ended. Its pipe closes before its end is
// known.
func (c *child) alive() bool {
	select {
	case <-c.exited:
		return false
	default:
		return !hungUp(c.out)
	}
}

// cappedBuffer keeps the first bytes that are written to it.
type cappedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *cappedBuffer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if room := stderrBytes - w.b.Len(); room > 0 {
		w.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (w *cappedBuffer) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// postMortem explains what a broken channel means, once the process has ended.
func (c *child) postMortem(err error) *crash {
	garbage := errors.Is(err, errGarbage) || errors.Is(err, frame.ErrTooLarge)
	if !garbage {
		grace := time.NewTimer(exitGrace)
		defer grace.Stop()
		select {
		case <-c.exited:
		case <-grace.C:
		}
	}
	c.kill()
	<-c.exited
	stderr := c.stderr.String()
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(stderr, w) })
	}
	switch {
	case garbage:
		return &crash{Crashed, &ScriptError{Name: "Error", Call: -1, Message: err.Error() + " and was stopped"}}
	case c.state.ExitCode() == frame.ExitMemory,
		has("out of memory", "cannot allocate memory", "errno=12", "memory limit"),
		// No memory for another thread: the cap on processes is not ours.
		has("pthread_create failed", "failed to create new OS thread"),
		has("SIGSEGV", "unexpected signal") && has("runtime.gc", "runtime.malloc", "runtime.sysAlloc"):
		return &crash{Memory, stoppedError()}
	case has("stack overflow", "goroutine stack exceeds"):
		return &crash{Thrown, &ScriptError{Name: "RangeError", Call: -1, Message: "Maximum call stack size exceeded, inside of a built-in"}}
	}
	return &crash{Crashed, &ScriptError{Name: "Error", Call: -1, Message: "the sandbox process ended unexpectedly (" + c.state.String() + ")"}}
}
