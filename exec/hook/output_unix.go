//go:build unix

package hook

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// captured is the output of a command: all that it has written when it ends, also
// on a machine that is too busy to read it at once, and also when what it has left
// running holds its pipes open. A part of an answer would be another answer.
type captured struct {
	pipes []*pipe
	done  sync.WaitGroup
}

// pipe is one of the two.
type pipe struct {
	read, write *os.File
	into        *bounded
	closed      bool // by all who wrote to it; valid when its reader has ended
}

// capture has a command write to stdout and stderr. started and end follow.
func capture(cmd *exec.Cmd, stdout, stderr *bounded) (*captured, error) {
	c := &captured{}
	for _, into := range []*bounded{stdout, stderr} {
		read, write, err := os.Pipe()
		if err != nil {
			return c, err
		}
		c.pipes = append(c.pipes, &pipe{read: read, write: write, into: into})
	}
	cmd.Stdout, cmd.Stderr = c.pipes[0].write, c.pipes[1].write
	return c, nil
}

// started begins to read, once the command has the ends that it writes to.
func (c *captured) started() {
	for _, p := range c.pipes {
		p.write.Close()
		c.done.Go(func() {
			_, err := io.Copy(p.into, p.read)
			p.closed = err == nil
		})
	}
}

// end waits until the pipes are closed, or what was written is read.
func (c *captured) end() {
	over := time.AfterFunc(drainGrace, func() {
		for _, p := range c.pipes {
			_ = p.read.SetReadDeadline(time.Unix(1, 0))
		}
	})
	defer over.Stop()
	c.done.Wait()
	for _, p := range c.pipes {
		if !p.closed {
			p.drain()
		}
		p.read.Close()
		p.write.Close()
	}
}

// drain reads what is in the pipe, and waits for nothing.
func (p *pipe) drain() {
	_ = p.read.SetReadDeadline(time.Time{})
	raw, err := p.read.SyscallConn()
	if err != nil {
		return
	}
	buffer := make([]byte, 64<<10) // of the size of a pipe
	_ = raw.Read(func(fd uintptr) bool {
		for range maxStdout / len(buffer) { // somebody may still be writing
			n, err := syscall.Read(int(fd), buffer)
			if err == syscall.EINTR {
				continue
			}
			if err != nil || n <= 0 {
				break
			}
			_, _ = p.into.Write(buffer[:n])
		}
		return true
	})
}
