package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"codemode-ls/config"
	"codemode-ls/internal/environ"
)

const (
	maxStdout = 1 << 20 // bytes; more is garbage
	maxStderr = 16 << 10
	// drainGrace is how long a pipe may stay open after a command has ended: what it
	// has started and left running may hold it for ever.
	drainGrace = 200 * time.Millisecond
)

var (
	errTooLong = errors.New("it did not end within its time limit")
	errTooMuch = fmt.Errorf("it wrote more than %d bytes", maxStdout)
)

// outcome is how a command ended.
type outcome struct {
	code   int
	stdout []byte
	stderr string
}

// run runs a hook's command. It returns when the command has ended; nothing that
// the command has started outlives it, unless it has left its process group.
func (r *Runner) run(ctx context.Context, h *config.Hook, stdin []byte) (outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := time.AfterFunc(h.Timeout, func() { cancel(errTooLong) })
	defer limit.Stop()

	cmd := exec.CommandContext(ctx, shell[0], append(shell[1:len(shell):len(shell)], h.Command)...)
	cmd.Dir = r.folder()
	cmd.Env = environment(os.Environ(), r.Dir)
	stdout := &bounded{most: maxStdout, over: func() { cancel(errTooMuch) }}
	stderr := &bounded{most: maxStderr}
	cmd.Stdin = bytes.NewReader(stdin)
	group(cmd)
	cmd.Cancel = func() error { killGroup(cmd.Process); return nil }
	cmd.WaitDelay = drainGrace // for standard input, which nobody may read
	output, err := capture(cmd, stdout, stderr)
	if err == nil {
		err = cmd.Start()
		output.started()
	}
	if err != nil {
		output.end()
		return outcome{}, fmt.Errorf("it cannot be started: %w", err)
	}
	err = cmd.Wait()
	killGroup(cmd.Process) // what it has left behind
	output.end()
	o := outcome{code: cmd.ProcessState.ExitCode(), stdout: stdout.bytes(), stderr: string(stderr.bytes())}
	if cause := context.Cause(ctx); cause != nil {
		return o, cause
	}
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // a child held the pipes
	case errors.As(err, &exit) && exit.Exited(): // its exit code says what there is to say
	default:
		return o, fmt.Errorf("it ended with %w", err)
	}
	return o, nil
}

// folder is where commands run: a guard that is asked for must not be lost with a
// folder that somebody has removed, so that another one stands in for it.
func (r *Runner) folder() string {
	if info, err := os.Stat(r.Dir); r.Dir != "" && (err != nil || !info.IsDir()) {
		return os.TempDir()
	}
	return r.Dir
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	most int
	over func() // called once when there is more; nil drops the rest in silence

	mu       sync.Mutex
	data     []byte
	reported bool
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.data = append(b.data, p[:min(len(p), b.most-len(b.data))]...)
	if len(p) > b.most-len(b.data) && len(b.data) == b.most && b.over != nil && !b.reported {
		b.reported = true
		b.over()
	}
	return len(p), nil
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.data)
}

// environment is that of a hook: the basics, what it needs to show something to
// the person, and CODEMODE_WORKSPACE, the workspace's folder.
func environment(ours []string, dir string) []string {
	own := map[string]string{}
	if dir != "" {
		own["CODEMODE_WORKSPACE"] = dir
	}
	return environ.Clean(ours, own, environ.Desktop...)
}
