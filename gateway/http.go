package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// Endpoint is the path of the gateway on HTTP.
const Endpoint = "/mcp"

// Limits of the gateway on HTTP.
const (
	maxHTTPSessions = 1000
	sessionIdle     = time.Hour
	bodyTime        = 30 * time.Second // a request may take to send its body
	maxConcurrent   = 1000             // requests, streams included
	burst           = 2000             // requests at once, refilled by rate
	rate            = 200              // requests per second
	maxHeaderBytes  = 64 << 10
)

// HTTPOptions of a gateway on HTTP.
type HTTPOptions struct {
	// Token is what a client must present; it must not be empty.
	Token string
	// Hosts are names that clients may call this server by, besides those of loopback.
	Hosts []string
}

// ServeHTTP serves streamable HTTP on l until ctx ends.
func (g *Gateway) ServeHTTP(ctx context.Context, l net.Listener, o HTTPOptions) error {
	if o.Token == "" {
		return errors.New("a gateway on HTTP needs a token")
	}
	d := newDoor(g, o)
	s := &http.Server{
		Handler: d, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeaderBytes,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	var ending sync.WaitGroup
	ending.Go(func() {
		<-ctx.Done()
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = s.Shutdown(patient)
		_ = s.Close() // streams have no end of their own
		_ = d.mcp.Shutdown(patient)
	})
	err := s.Serve(l)
	if ctx.Err() != nil {
		ending.Wait()
		return nil
	}
	return fmt.Errorf("serving HTTP: %w", err)
}

// A door lets in requests of clients that have the token, and no more than the gateway
// can bear. What is behind it is the library's transport.
type door struct {
	g        *Gateway
	token    [sha256.Size]byte
	hosts    []string
	sessions *sessionIDs
	mcp      *server.StreamableHTTPServer

	mu       sync.Mutex // guards what follows
	inside   int
	allowed  float64
	measured time.Time
}

func newDoor(g *Gateway, o HTTPOptions) *door {
	d := &door{
		g: g, token: sha256.Sum256([]byte(o.Token)), hosts: o.Hosts, sessions: &sessionIDs{known: map[string]bool{}},
		allowed: burst, measured: time.Now(),
	}
	d.mcp = server.NewStreamableHTTPServer(g.mcp,
		server.WithSessionIdManager(d.sessions), server.WithSessionIdleTTL(sessionIdle), server.WithHeartbeatInterval(15*time.Second),
		server.WithStreamableHTTPLogger(g.log), server.WithDisableLocalhostProtection(true)) // the door is stricter
	return d
}

// ServeHTTP implements http.Handler.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A page that a browser shows must not get here, whatever name leads to this address
	// (DNS rebinding).
	if !d.named(r.Host) {
		refuse(w, http.StatusForbidden, "this server is not known by that Host")
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && !d.local(origin) {
		refuse(w, http.StatusForbidden, "requests of that Origin are not served")
		return
	}
	if r.URL.Path != Endpoint {
		refuse(w, http.StatusNotFound, "the endpoint is "+Endpoint)
		return
	}
	leave, ok := d.enter()
	if !ok {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "too many requests; try again in a second")
		return
	}
	defer leave()
	if !d.hasToken(r) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="codemode-ls"`)
		refuse(w, http.StatusUnauthorized, "a bearer token is required: Authorization: Bearer …")
		return
	}
	switch r.Method {
	case http.MethodGet, http.MethodDelete:
		id := r.Header.Get(server.HeaderKeySessionID)
		if id == "" {
			refuse(w, http.StatusBadRequest, "the header "+server.HeaderKeySessionID+" is missing")
			return
		}
		if _, err := d.sessions.Validate(id); err != nil {
			refuse(w, http.StatusNotFound, "there is no such session")
			return
		}
	case http.MethodPost:
		// By the length that is announced: what is not is long.
		size := int(min(r.ContentLength, maxMessage))
		if size < 0 {
			size = maxMessage
		}
		leave, ok := d.g.enterLong(size)
		if !ok {
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusServiceUnavailable, errManyLong.Error())
			return
		}
		defer leave()
		if !d.post(w, r) {
			return
		}
	}
	d.mcp.ServeHTTP(w, r)
}

// post reads the body of a request, within limits; false when it is answered.
func (d *door) post(w http.ResponseWriter, r *http.Request) bool {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	_ = control.SetReadDeadline(time.Time{})
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, errTooLong.Error())
		return false
	case err != nil:
		refuse(w, http.StatusBadRequest, "the body cannot be read")
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m struct {
		Method string `json:"method"`
	}
	_ = json.Unmarshal(body, &m)
	if m.Method == "initialize" && d.sessions.full() {
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusServiceUnavailable, "too many sessions; end one by DELETE")
		return false
	}
	if m.Method != "tools/call" {
		return true
	}
	if id := r.Header.Get(server.HeaderKeySessionID); id != "" {
		if _, err := d.sessions.Validate(id); err != nil {
			return true // and get that answer
		}
	}
	if a := d.g.unknown(r.Context(), body); a != nil {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(a)
		return false
	}
	return true
}

// refuse answers with a status and a line of text.
func refuse(w http.ResponseWriter, status int, text string) { http.Error(w, text, status) }

// enter counts a request in, unless there are too many; leave counts it out.
func (d *door) enter() (leave func(), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	d.allowed = min(burst, d.allowed+rate*now.Sub(d.measured).Seconds())
	d.measured = now
	if d.allowed < 1 || d.inside >= maxConcurrent {
		return nil, false
	}
	d.allowed--
	d.inside++
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.inside--
	}, true
}

// hasToken compares in a time that reveals nothing of the token.
func (d *door) hasToken(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(given[:], d.token[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// named reports whether a Host is one of this server's.
func (d *door) named(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() {
		return true
	}
	return name == "localhost" || slices.ContainsFunc(d.hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// local reports whether a page of this origin may call: one of this machine's own.
func (d *door) local(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && d.named(u.Host)
}

// sessionIDs are the ids of sessions.
type sessionIDs struct {
	mu    sync.Mutex
	known map[string]bool
}

func (s *sessionIDs) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.known) >= maxHTTPSessions
}

// Generate implements server.SessionIdManager.
func (s *sessionIDs) Generate() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rand.Text()
	s.known[id] = true
	return id
}

// Validate implements server.SessionIdManager.
func (s *sessionIDs) Validate(id string) (ended bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known[id] {
		return false, errors.New("there is no such session")
	}
	return false, nil
}

// Terminate implements server.SessionIdManager.
func (s *sessionIDs) Terminate(id string) (refused bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, id)
	return false, nil
}
