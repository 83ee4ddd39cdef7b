package gateway

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A session is what the gateway keeps of one agent's session: nothing of it reaches
// another.
type session struct {
	id string // of stored values; cannot be guessed

	mu      sync.Mutex // guards what follows
	version uint64     // of what the agent has seen of the offer
	markers []jsontext.Value
	granted map[string]bool // tools that the agent's person has allowed for the session
}

func newSession() *session {
	// No markers are an empty history, not one that cannot be read (ANN-11).
	return &session{id: "agent-" + rand.Text(), markers: []jsontext.Value{}, granted: map[string]bool{}}
}

// session is the session of a request. A request of a protocol without sessions has one
// of its own.
func (g *Gateway) session(ctx context.Context) *session {
	client := server.ClientSessionFromContext(ctx)
	if client == nil || client.SessionID() == "" {
		return newSession()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.sessions[client.SessionID()]
	if s == nil {
		s = newSession()
		g.sessions[client.SessionID()] = s
	}
	return s
}

// forget ends a session: its runs with it.
func (g *Gateway) forget(client server.ClientSession) {
	g.mu.Lock()
	s := g.sessions[client.SessionID()]
	delete(g.sessions, client.SessionID())
	delete(g.watching, client)
	var left []*flight
	for _, f := range g.flights {
		if f.owner == s {
			left = append(left, f)
			delete(g.flights, f.token)
		}
	}
	g.mu.Unlock()
	for _, f := range left {
		f.cancel()
	}
}

// hasSeen notes that the agent has been shown what is offered.
func (s *session) hasSeen(ctx context.Context, host Host, version uint64) {
	news, err := host.Announce(ctx, []jsontext.Value{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
	if err == nil && news != nil {
		s.markers = []jsontext.Value{news.Marker}
	}
}

// news is what the agent has to know about the tools since it was last shown them; "" is
// nothing. It is said once (ANN-3).
func (s *session) news(ctx context.Context, host Host, version uint64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version == version || len(s.markers) == 0 {
		return ""
	}
	news, err := host.Announce(ctx, s.markers)
	if err != nil {
		return ""
	}
	s.version = version
	if news == nil {
		return ""
	}
	s.markers = append(s.markers, news.Marker)
	return news.Text
}

// grants reports whether the person has allowed the tool for the session.
func (s *session) grants(tool string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.granted[tool]
}

func (s *session) grant(tool string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granted[tool] = true
}

// client is what an agent says of itself.
type client struct {
	name    string
	version string // of the protocol
	modern  bool   // it answers questions by calling again
	elicits bool   // it shows forms
}

func clientOf(ctx context.Context) client {
	c := client{modern: server.IsModernRequest(ctx), version: server.RequestProtocolVersion(ctx)}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		c.name = s.GetClientInfo().Name
		if e := s.GetClientCapabilities().Elicitation; e != nil {
			c.elicits = e.Form != nil || e.URL == nil // an empty capability is that of forms
		}
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithProtocolVersion); ok && c.version == "" {
		c.version = s.ProtocolVersion()
	}
	return c
}

// insteadOfText are clients that show a model the structured content of a result and
// neither its text nor its images (seen of Claude Code 2.1.332 and Codex 0.171.0): there
// the run's records would take the place of what the script returned.
var insteadOfText = []string{"claude-code", "codex-mcp-client"}

// structured reports whether the client gets structured results.
func (c client) structured() bool {
	return c.version >= mcp.ProtocolVersion20250618 && !slices.Contains(insteadOfText, c.name)
}
