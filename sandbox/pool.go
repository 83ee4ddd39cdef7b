package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"codemode-ls/sandbox/frame"
)

// Pool keeps warm children and runs scripts in them.
type Pool struct {
	o        Options         // never changes
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	slots    chan struct{}
	programs programs
	wg       sync.WaitGroup // everything that Close waits for

	mu        sync.Mutex
	closed    bool
	warm      int // how many children wait ready
	idle      []*child
	compilers []*child       // that wait for a script
	waiters   []chan spawned // runs without a child, in order
	starting  int
}

// spawned is a child for a run, or why there is none.
type spawned struct {
	child *child
	err   error
}

// NewPool starts filling the pool in the background.
func NewPool(o Options) *Pool {
	if o.MaxRuns <= 0 {
		o.MaxRuns = defaultMaxRuns
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &Pool{o: o, slots: make(chan struct{}, o.MaxRuns)}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.Warm(o.Warm)
	return p
}

// Warm changes how many children wait ready, and starts those that are missing in
// the background.
func (p *Pool) Warm(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.warm = n
	p.fill()
	if n > 0 {
		p.wg.Go(p.startCompiler)
	}
}

// fill starts as many children as are required; p.mu is held.
func (p *Pool) fill() {
	for !p.closed && p.starting < max(1, runtime.NumCPU()) && len(p.idle)+p.starting < p.warm+len(p.waiters) {
		p.starting++
		p.wg.Add(1)
		go p.start()
	}
}

// renew fills the pool.
func (p *Pool) renew() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fill()
}

// start makes one child and hands it to the run that waits longest.
func (p *Pool) start() {
	defer p.wg.Done()
	c, err := spawn(p.ctx, p.o, p.o.Command, frame.ChildCommand)
	if err != nil && p.ctx.Err() == nil {
		p.o.Log.Error("the sandbox process does not start", "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starting--
	switch {
	case len(p.waiters) > 0:
		p.waiters[0] <- spawned{c, err}
		p.waiters = p.waiters[1:]
	case err != nil:
		return // the next run tries again
	case p.closed:
		p.retire(c)
	default:
		p.idle = append(p.idle, c)
	}
	p.fill()
}

// take gives a run its child.
func (p *Pool) take(ctx context.Context) (*child, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	for len(p.idle) > 0 {
		c := p.idle[0]
		p.idle = p.idle[1:]
		if c.alive() {
			p.mu.Unlock()
			return c, nil // renewed when the run ends, or by renewAfter
		}
		p.retire(c)
	}
	wait := make(chan spawned, 1)
	p.waiters = append(p.waiters, wait)
	p.fill()
	p.mu.Unlock()
	select {
	case s := <-wait:
		return s.child, s.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, w := range p.waiters {
		if w == wait {
			p.waiters = append(p.waiters[:i:i], p.waiters[i+1:]...)
			return nil, ctx.Err()
		}
	}
	if s := <-wait; s.child != nil { // it came at the same moment
		if p.closed {
			p.retire(s.child)
		} else {
			p.idle = append(p.idle, s.child)
		}
	}
	return nil, ctx.Err()
}

// retire ends a child in the background.
func (p *Pool) retire(c *child) {
	c.kill()
	p.wg.Go(c.end)
}

// retireSoon ends a child that has nothing more to do.
func (p *Pool) retireSoon(c *child) {
	p.wg.Go(func() {
		select {
		case <-time.After(tidyAfter):
		case <-c.exited:
		case <-p.ctx.Done():
		}
		c.end()
	})
}

// Run executes one script and returns when it has ended and every call of it
// has returned. It never fails: every ending is an Outcome (BUD-12).
func (p *Pool) Run(ctx context.Context, r Request, h Host) Outcome {
	if r.Clock == nil {
		r.Clock = NewClock()
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return cancelled(r.Clock)
	}
	p.wg.Add(1)
	p.mu.Unlock()
	defer p.wg.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()

	if !p.acquire(ctx, r.Clock) {
		return cancelled(r.Clock)
	}
	defer func() { <-p.slots }()
	active := newActivity()
	program, err := p.compileWithin(ctx, r)
	if err != nil {
		spent, _, _ := active.read()
		return unfit(ctx, err, r, spent)
	}
	release := r.Clock.Hold(ForQueue) // starting a process is not the script's time
	active.add(1)
	c, err := p.take(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, errClosed) {
		c, err = p.take(ctx) // one may die as it starts; no script has started
	}
	active.add(-1)
	release()
	switch {
	case ctx.Err() != nil:
		if c != nil {
			p.retire(c)
		}
		return cancelled(r.Clock)
	case err != nil:
		return Outcome{Status: Crashed, Error: &ScriptError{Name: "Error", Message: err.Error(), Call: -1}, Wall: r.Clock.Elapsed()}
	}
	// Starting the next child would take a processor from this one, which most
	// often is about to end.
	renew := time.AfterFunc(renewAfter, p.renew)
	defer renew.Reset(tidyAfter)
	defer p.retireSoon(c)
	return newRun(c, r, h, active, p.o.Log).do(ctx, program)
}

// acquire waits for a free slot; the clock stands still meanwhile (BUD-6).
func (p *Pool) acquire(ctx context.Context, c *Clock) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case p.slots <- struct{}{}:
		return true
	default:
	}
	defer c.Hold(ForQueue)()
	select {
	case p.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// cancelled is the outcome of a run that never began (BUD-11).
func cancelled(c *Clock) Outcome {
	return Outcome{Status: Cancelled, Error: stoppedError(), Wall: c.Elapsed()}
}

// Close ends every child and waits for them.
func (p *Pool) Close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		p.cancel()
		for _, c := range append(p.idle, p.compilers...) {
			p.retire(c)
		}
		p.idle, p.compilers = nil, nil
	}
	p.mu.Unlock()
	p.wg.Wait()
}
