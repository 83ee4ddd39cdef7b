package gateway

import (
	"context"
	"sync"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/exec"

	"github.com/go-json-experiment/json/jsontext"
)

// lookEvery is how often a gateway looks whether an editor has opened its workspace.
const lookEvery = time.Second

// A Follower is the editor's server while an editor has the workspace open, and a workspace
// of its own while none has (GATE-3). A run ends where it began.
type Follower struct {
	folder string
	open   func() *Local

	ctx    context.Context
	cancel context.CancelFunc
	owner  sync.WaitGroup

	mu       sync.Mutex // guards what follows
	remote   *Remote
	local    *Local
	using    int // requests of local in progress
	watchers map[int]func()
	next     int
}

// Follow makes a follower; open opens a workspace of its own when it is needed. Every is
// how often it looks for an editor, 0 for the usual.
func Follow(ctx context.Context, folder string, open func() *Local, every time.Duration) *Follower {
	if every == 0 {
		every = lookEvery
	}
	f := &Follower{folder: folder, open: open, watchers: map[int]func(){}}
	f.ctx, f.cancel = context.WithCancel(ctx)
	f.look()
	f.owner.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-f.ctx.Done():
				return
			case <-tick.C:
			case <-f.gone():
			}
			f.look()
		}
	})
	return f
}

// gone is closed when the editor of the moment has gone; nil without one.
func (f *Follower) gone() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.remote == nil {
		return nil
	}
	return f.remote.ended
}

// look joins an editor that has come, and stands alone when it has gone.
func (f *Follower) look() {
	f.mu.Lock()
	remote := f.remote
	f.mu.Unlock()
	if remote != nil {
		select {
		case <-remote.ended:
		default:
			return
		}
	}
	next, err := Join(f.folder)
	if err != nil {
		next = nil
	}
	var idle *Local
	f.mu.Lock()
	was := f.remote
	f.remote = next
	switch {
	case next != nil && f.using == 0: // its servers are the editor's now
		idle, f.local = f.local, nil
	case next == nil && f.local == nil && f.ctx.Err() == nil:
		f.local = f.watched(f.open())
	}
	changed := was != next
	f.mu.Unlock()
	if next != nil {
		next.Watch(f.ctx, f.changed)
	}
	if was != nil {
		was.Close()
	}
	if idle != nil {
		idle.Close()
	}
	if changed {
		f.changed()
	}
}

func (f *Follower) watched(l *Local) *Local {
	l.Watch(f.ctx, f.changed)
	return l
}

func (f *Follower) changed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, notify := range f.watchers {
		notify()
	}
}

// host is who does what is asked now; release says that it is done.
func (f *Follower) host() (h Host, release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.remote != nil {
		select {
		case <-f.remote.ended: // look will notice
		default:
			return f.remote, func() {}
		}
	}
	if f.local == nil {
		f.local = f.watched(f.open())
	}
	f.using++
	l := f.local
	return l, func() {
		f.mu.Lock()
		f.using--
		idle := f.using == 0 && f.remote != nil && f.local == l
		if idle {
			f.local = nil
		}
		f.mu.Unlock()
		if idle {
			l.Close()
		}
	}
}

// Offer implements Host.
func (f *Follower) Offer(ctx context.Context, mode catalog.Mode) (*Offer, error) {
	h, release := f.host()
	defer release()
	return h.Offer(ctx, mode)
}

// Announce implements Host.
func (f *Follower) Announce(ctx context.Context, markers []jsontext.Value) (*catalog.Announcement, error) {
	h, release := f.host()
	defer release()
	return h.Announce(ctx, markers)
}

// Exec implements Host.
func (f *Follower) Exec(ctx context.Context, r Run) (*exec.Result, error) {
	h, release := f.host()
	defer release()
	return h.Exec(ctx, r)
}

// Call implements Host.
func (f *Follower) Call(ctx context.Context, c Call) (*exec.CallResult, error) {
	h, release := f.host()
	defer release()
	return h.Call(ctx, c)
}

// Asks implements Host.
func (f *Follower) Asks() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.remote != nil {
		return f.remote.Asks()
	}
	return ""
}

// Watch implements Host.
func (f *Follower) Watch(ctx context.Context, changed func()) {
	f.mu.Lock()
	f.next++
	id := f.next
	f.watchers[id] = changed
	f.mu.Unlock()
	context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, id)
	})
}

// Close implements Host.
func (f *Follower) Close() {
	f.cancel()
	f.owner.Wait()
	f.mu.Lock()
	remote, local := f.remote, f.local
	f.mu.Unlock()
	if remote != nil {
		remote.Close()
	}
	if local != nil {
		local.Close()
	}
}
