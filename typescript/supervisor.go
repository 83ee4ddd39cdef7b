package typescript

import (
	"context"
	"errors"
	"time"
)

// A child that has lived this long was well: the next death is a first one.
const healthy = time.Minute

// supervise keeps a child running until ctx ends.
func (e *Engine) supervise(ctx context.Context) {
	defer close(e.done)
	defer e.update(func() { e.ended, e.status.Running = true, false })
	if e.o.OnDemand {
		select {
		case <-e.needed:
		case <-ctx.Done():
			return
		}
	}
	failures := 0
	for {
		began := time.Now()
		ran, err := e.life(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > healthy {
			failures = 0
		}
		failures++
		pause := pauseBefore(failures, ran)
		e.log.Warn("the TypeScript engine has stopped and is started again", "err", err, "in", pause)
		e.update(func() {
			e.child, e.noChildSoon = nil, pause > time.Second
			e.status = Status{Restarts: e.status.Restarts + 1, Err: err}
		})
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// manyDeaths is how often in a row a child that ran may die before it is taken
// for one that cannot run.
const manyDeaths = 20

// pauseBefore is how long to wait after the nth death in a row: not at all
// after the first, so that one crash costs a blink. One that ran, whatever ended
// it, is back within a second (the text that it died of is refused by then, see
// blame); one that could not even start is not.
func pauseBefore(deaths int, ran bool) time.Duration {
	if deaths <= 1 {
		return 0
	}
	longest := 30 * time.Second
	if ran && deaths <= manyDeaths {
		longest = 400 * time.Millisecond
	}
	return min(100*time.Millisecond<<min(deaths-2, 10), longest)
}

// update changes the state that running waits for.
func (e *Engine) update(change func()) {
	e.mu.Lock()
	change()
	close(e.turn)
	e.turn = make(chan struct{})
	changed := e.o.Changed
	e.mu.Unlock()
	if changed != nil {
		changed()
	}
}

// life is one child from its start to its end; ran says that it could be asked,
// the error is what it died of.
func (e *Engine) life(ctx context.Context) (ran bool, _ error) {
	command := e.command
	if len(command) == 0 {
		var err error
		if command, err = defaultCommand(); err != nil {
			return false, err
		}
	}
	c, err := start(command)
	if err != nil {
		return false, err
	}
	shaking, cancel := context.WithTimeout(ctx, e.o.Timeout)
	err = c.handshake(shaking)
	cancel()
	if err != nil {
		return false, errors.Join(err, c.stop())
	}
	e.update(func() {
		e.child, e.noChildSoon = c, false
		e.status.Running, e.status.Err = true, nil
	})
	e.tend(ctx, c)
	e.update(func() { e.child, e.status.Running = nil, false })
	return true, c.stop()
}

// tend sends c what has changed, until it or ctx ends.
func (e *Engine) tend(ctx context.Context, c *child) {
	unblock := context.AfterFunc(ctx, c.kill)
	defer unblock()
	for {
		if err := c.lock(ctx); err != nil {
			return
		}
		err := c.update(e.own, e.world())
		c.unlock()
		if err != nil {
			return
		}
		select {
		case <-e.wake:
		case <-c.gone:
			return
		case <-ctx.Done():
			return
		}
	}
}
