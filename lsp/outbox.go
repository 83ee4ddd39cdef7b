package lsp

import (
	"io"
	"sync"
	"time"
)

const (
	// maxOutbox is how many bytes may wait for a client that does not read; after
	// that, whoever sends waits too.
	maxOutbox = 64 << 20
	// flushTime is how long the last messages of a session may take.
	flushTime = time.Second
)

// An outbox writes frames in order from one goroutine, so that nobody waits for
// a client that is slow to read: a client that writes without reading would
// otherwise stop the read loop, and be stopped by it.
type outbox struct {
	w    io.Writer
	done chan struct{} // the writing goroutine has ended

	mu     sync.Mutex
	cond   *sync.Cond // something below has changed
	queue  [][]byte
	size   int // bytes in queue
	err    error
	ending bool // write what is there, then end
}

func newOutbox(w io.Writer, broken func(error)) *outbox {
	o := &outbox{w: w, done: make(chan struct{})}
	o.cond = sync.NewCond(&o.mu)
	go func() {
		defer close(o.done)
		if err := o.write(); err != nil {
			broken(err)
		}
	}()
	return o
}

// send queues a copy of p.
func (o *outbox) send(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > maxOutbox && o.err == nil && !o.ending {
		o.cond.Wait()
	}
	switch {
	case o.err != nil:
		return 0, o.err
	case o.ending:
		return 0, io.ErrClosedPipe
	}
	o.queue = append(o.queue, append([]byte(nil), p...))
	o.size += len(p)
	o.cond.Broadcast()
	return len(p), nil
}

func (o *outbox) write() error {
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.ending {
			o.cond.Wait()
		}
		if len(o.queue) == 0 {
			o.mu.Unlock()
			return nil
		}
		frame := o.queue[0]
		o.queue = o.queue[1:]
		o.mu.Unlock()

		_, err := o.w.Write(frame)

		o.mu.Lock()
		o.size -= len(frame)
		o.err = err
		o.cond.Broadcast()
		o.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// finish takes no more and waits, at most d, until all is written.
func (o *outbox) finish(d time.Duration) {
	o.mu.Lock()
	o.ending = true
	o.cond.Broadcast()
	o.mu.Unlock()
	await(d, o.done, func() {})
}

// await waits for done, at most d.
func await(d time.Duration, done <-chan struct{}, late func()) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		late()
	}
}
