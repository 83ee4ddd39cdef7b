package lsp

import (
	"bytes"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// maxSpellings bounds what a client can have the server remember.
const maxSpellings = 1000

// spellings are the ways in which the client writes its documents' URIs, where
// they are not the canonical one: file:///C:/a for file:///c%3A/a. Within this
// server every URI is canonical; to the client each goes back as it came, for
// many compare them letter by letter. The zero value is ready.
type spellings struct {
	mu     sync.RWMutex
	theirs map[string][]byte // JSON strings, by the canonical URI
}

// learn takes the spelling from the parameters of didOpen.
func (s *spellings) learn(params []byte) {
	var p struct {
		TextDocument struct {
			URI jsontext.Value `json:"uri"`
		} `json:"textDocument"`
	}
	var written string
	if protocol.Unmarshal(params, &p) != nil || protocol.Unmarshal(p.TextDocument.URI, &written) != nil {
		return
	}
	canonical := canonicalURI(written)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.theirs, canonical)
	if canonical == written {
		return
	}
	if s.theirs == nil || len(s.theirs) >= maxSpellings {
		s.theirs = map[string][]byte{}
	}
	quoted, err := jsontext.AppendQuote(nil, written)
	if err == nil {
		s.theirs[canonical] = quoted
	}
}

// restore is a message's payload with the client's spellings: of whole strings
// alone, wherever they are.
func (s *spellings) restore(payload []byte) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for canonical, quoted := range s.theirs {
		payload = bytes.ReplaceAll(payload, []byte(`"`+canonical+`"`), quoted)
	}
	return payload
}

// canonicalURI is what a URI is called here, however the client has written it.
func canonicalURI(written string) string {
	u, err := uri.Parse(written)
	if err != nil || strings.ContainsAny(string(u), `"\`) {
		return written
	}
	return string(u)
}
