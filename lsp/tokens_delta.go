package lsp

import (
	"strconv"
	"sync"

	"go.lsp.dev/protocol"
)

// shownTokens are the semantic tokens that the client has of each document, so
// that after an edit only what differs is sent. The zero value is ready.
type shownTokens struct {
	mu    sync.Mutex
	last  uint64 // the result that was numbered last
	byURI map[string]tokensResult
}

type tokensResult struct {
	id   string
	data []uint32 // never changed
}

// keep numbers a result, which takes the place of the one before.
func (s *shownTokens) keep(uri string, data []uint32) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	if s.byURI == nil {
		s.byURI = map[string]tokensResult{}
	}
	id = strconv.FormatUint(s.last, 36)
	s.byURI[uri] = tokensResult{id, data}
	return id
}

// of is the result with that number; ok is false when it is not the newest.
func (s *shownTokens) of(uri, id string) (data []uint32, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.byURI[uri]
	return r.data, ok && r.id == id
}

func (s *shownTokens) forget(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byURI, uri)
}

// tokensEdits is the one edit that makes the second of the first: what is the same
// at both ends stays, in whole tokens.
func tokensEdits(before, now []uint32) []protocol.SemanticTokensEdit {
	const size = 5 // numbers of a token
	same := func(i, j int) bool { return [size]uint32(before[i:]) == [size]uint32(now[j:]) }
	shorter := min(len(before), len(now))
	start := 0
	for start < shorter && same(start, start) {
		start += size
	}
	end := 0
	for start+end < shorter && same(len(before)-end-size, len(now)-end-size) {
		end += size
	}
	if start == len(before) && start == len(now) {
		return []protocol.SemanticTokensEdit{}
	}
	return []protocol.SemanticTokensEdit{{
		Start: uint32(start), DeleteCount: uint32(len(before) - end - start), Data: now[start : len(now)-end],
	}}
}
