package upstream

import (
	"context"
	"io"
	"slices"
	"sync"

	"codemode-ls/config"
)

// processes is the stdio servers that run now, so that all can be ended by force
// when there is no time to ask. The zero value is ready.
type processes struct {
	mu     sync.Mutex
	all    []*process
	killed bool
}

// start is startProcess for a process that kill reaches.
func (r *processes) start(def config.Server, dir string, stderr io.Writer) (*process, error) {
	r.mu.Lock() // until it is known: kill must not fall between
	defer r.mu.Unlock()
	if r.killed {
		return nil, context.Canceled
	}
	r.all = slices.DeleteFunc(r.all, (*process).hasExited)
	p, err := startProcess(def, dir, stderr)
	if err == nil {
		r.all = append(r.all, p)
	}
	return p, err
}

// end is called when nothing is started any more.
func (r *processes) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killed = true
}

func (r *processes) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killed = true
	for _, p := range r.all {
		if !p.hasExited() {
			p.super.kill(p.cmd)
		}
	}
}

func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}
