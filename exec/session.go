package exec

import (
	"fmt"
	"maps"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of stored values in characters of their JSON (09-limits).
const (
	maxStored        = 100_000
	maxStoredSession = 1_000_000
	maxSessions      = 256
)

// sessions are what scripts have stored, by session id. The least recently used
// one without a run is forgotten when there are too many.
type sessions struct {
	mu    sync.Mutex // guards what follows, and all sessions
	byID  map[string]*session
	clock int
}

// A session is what store has kept for load.
type session struct {
	id     string
	owner  *sessions
	values map[string]jsontext.Value
	runs   int // that are using it
	used   int // when, by the clock of its owner
}

// writes are a run's own changes of its session, nil for a deletion. They take
// effect when the script completes.
type writes map[string]jsontext.Value

func (s *sessions) open(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]*session{}
	}
	n := s.byID[id]
	if n == nil {
		if len(s.byID) >= maxSessions {
			s.forget()
		}
		n = &session{id: id, owner: s, values: map[string]jsontext.Value{}}
		s.byID[id] = n
	}
	s.clock++
	n.runs++
	n.used = s.clock
	return n
}

func (s *sessions) close(n *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n.runs--
	if n.runs == 0 && len(n.values) == 0 {
		delete(s.byID, n.id)
	}
}

// forget drops the least recently used session that no run is using. s.mu is
// held.
func (s *sessions) forget() {
	var oldest *session
	for _, n := range s.byID {
		if n.runs == 0 && (oldest == nil || n.used < oldest.used) {
			oldest = n
		}
	}
	if oldest != nil {
		delete(s.byID, oldest.id)
	}
}

// load is what a key holds; the run's own writes are seen by itself.
func (n *session) load(w writes, key string) (jsontext.Value, bool) {
	if v, ok := w[key]; ok {
		return v, v != nil
	}
	n.owner.mu.Lock()
	defer n.owner.mu.Unlock()
	v, ok := n.values[key]
	return v, ok
}

// fits reports whether a value may be stored beside all else.
func (n *session) fits(w writes, key string, value jsontext.Value) error {
	if size(key, value) > maxStored {
		return fmt.Errorf("the value for %q is larger than what may be stored under one key", shown(key))
	}
	n.owner.mu.Lock()
	defer n.owner.mu.Unlock()
	all := maps.Clone(n.values)
	apply(all, w)
	all[key] = value
	if total(all) > maxStoredSession {
		return fmt.Errorf("storing %q would exceed what a session may keep", shown(key))
	}
	return nil
}

// commit makes a run's writes permanent; false when another run of the session
// has used up the room meanwhile.
func (n *session) commit(w writes) bool {
	if len(w) == 0 {
		return true
	}
	n.owner.mu.Lock()
	defer n.owner.mu.Unlock()
	all := maps.Clone(n.values)
	apply(all, w)
	if total(all) > maxStoredSession {
		return false
	}
	n.values = all
	return true
}

func apply(values map[string]jsontext.Value, w writes) {
	for key, v := range w {
		if v == nil {
			delete(values, key)
			continue
		}
		values[key] = v
	}
}

func total(values map[string]jsontext.Value) (n int) {
	for key, v := range values {
		n += size(key, v)
	}
	return n
}

func size(key string, v jsontext.Value) int {
	return utf8.RuneCountInString(key) + utf8.RuneCount(v)
}
