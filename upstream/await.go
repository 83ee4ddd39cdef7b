package upstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"codemode-ls/catalog"
)

// restartGrace is how long a call waits for the next start of a server that has
// ended. Delays between starts grow (MCP-5); a call that would have to wait
// longer fails at once, and says when the server is started.
const restartGrace = 5 * time.Second

// errReplaced is that of a server which another one of its name has replaced.
var errReplaced = errors.New("the server was replaced")

// Await is for the full name of a tool that Servers does not have, or only from
// last time. wait, when it is there, waits for the servers that can have the
// tool: until they have answered what their tools are, and no longer than one
// attempt to start them takes (see server.await). Its error is ctx's, or like
// unavailable: a *CallError with the state of a server that is not there. It is
// nil when no server can have such a tool, or a person has switched it off.
func (s *Set) Await(fullName string) (wait func(ctx context.Context) error, unavailable error) {
	var owners []*server
	for _, server := range s.snapshot() {
		if catalog.CanOwn(server.def.Name, fullName) {
			owners = append(owners, server)
		}
	}
	for _, server := range owners {
		seen := noneSeen
		session, _, coming := server.look(want{listed: true}, &seen)
		switch {
		case session != nil:
		case coming:
			return func(ctx context.Context) error { return s.awaitAll(ctx, owners) }, nil
		case unavailable == nil:
			unavailable = server.absence()
		}
	}
	return nil, unavailable
}

// awaitAll is the wait of Await.
func (s *Set) awaitAll(ctx context.Context, servers []*server) (unavailable error) {
	for _, server := range servers {
		server.wake() // together
	}
	for _, server := range servers {
		_, err := s.await(ctx, server, want{listed: true})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && unavailable == nil {
			unavailable = server.absence()
		}
	}
	return unavailable
}

// absence is why a server's tools are not there; nil when a person wants it so.
func (s *server) absence() error {
	if st := s.status(); st.State == Stopped && !st.Self {
		return nil
	}
	return s.unavailable()
}

// await is server.await, which goes on with the server that has replaced this one
// meanwhile, as a restart does.
func (s *Set) await(ctx context.Context, server *server, w want) (*session, error) {
	for {
		session, err := server.await(ctx, w)
		if !errors.Is(err, errReplaced) {
			return session, err
		}
		next := s.find(server.def.Name)
		if next == nil || next == server {
			return nil, server.unavailable()
		}
		server = next
	}
}

// want is which session is waited for.
type want struct {
	last   *session // another one than this
	listed bool     // one whose tools are in the pool
	waits  func()   // is called before waiting; nil for nothing
}

// await is the server's session. It waits while the server connects, or is about
// to be started again within restartGrace: for one attempt, and then its failure
// is the call's.
func (s *server) await(ctx context.Context, w want) (*session, error) {
	s.wake()
	seen := noneSeen
	for {
		session, news, coming := s.look(w, &seen)
		switch {
		case session != nil:
			return session, nil
		case !coming:
			return nil, s.unavailable()
		}
		if w.waits != nil {
			w.waits()
		}
		select {
		case <-news:
		case <-s.done:
			return nil, errReplaced
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// noneSeen is for look: no attempt is being waited for yet.
const noneSeen = -1

// look is the required session, or whether it is coming: news is closed when
// that has changed. seen keeps how many failures there were when waiting for an
// attempt began.
func (s *server) look(w want, seen *int) (_ *session, news <-chan struct{}, coming bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil && s.session != w.last && (!w.listed || s.session == s.listed) && !s.session.hasEnded() {
		return s.session, nil, false
	}
	switch s.state {
	case Connected: // its session may have ended, which is not published yet
		coming = true
	case Connecting:
		coming = true
		if *seen == noneSeen {
			*seen = s.failures
		}
	case Failed:
		coming = (*seen == noneSeen || *seen == s.failures) && !s.retry.IsZero() && time.Until(s.retry) <= restartGrace
		*seen = s.failures
	}
	return nil, s.news, coming
}

// unavailable is the error of a call to a server that is not there, with what
// becomes of it.
func (s *server) unavailable() *CallError {
	s.mu.Lock()
	defer s.mu.Unlock()
	message := fmt.Sprintf("server %q is not connected (%s)", s.def.Name, s.state)
	if s.failure != "" {
		message += ": " + s.failure
	}
	switch {
	case s.state == Untrusted:
		message = fmt.Sprintf("server %q is not started before a person has approved it", s.def.Name)
	case s.state != Failed || s.failures == 0:
	case s.set.options.OnDemand: // a command, which ends before the next attempt
	case s.retry.IsZero():
		message += "; fix the cause, then restart it"
	case time.Until(s.retry) <= 0:
		message += "; it is restarting"
	default:
		message += fmt.Sprintf("; the next attempt is in %s", max(time.Until(s.retry).Round(time.Second), time.Second))
	}
	return &CallError{Reason: Unavailable, Server: s.def.Name, Message: message}
}
