package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"codemode-ls/config"
	"codemode-ls/upstream/oauth"
)

// errNoSignIn is that of a server which nobody can sign in to.
var errNoSignIn = errors.New("it is not a server that one signs in to: it has a command, or its own Authorization header")

// signInClient signs in to a server over HTTP; nil for one that has other means.
func (s *Set) signInClient(def config.Server) *oauth.Client {
	if def.URL == "" || def.OAuth != nil && def.OAuth.Off {
		return nil
	}
	for name := range def.Headers {
		if strings.EqualFold(name, "Authorization") {
			return nil
		}
	}
	o := oauth.Options{Server: def.Name, URL: def.URL, Secret: s.options.Secret}
	if c := def.OAuth; c != nil {
		o.ClientID, o.ClientSecret, o.PrivateKey, o.Grant = c.ClientID, c.ClientSecret, c.PrivateKey, c.Grant
		o.Scopes, o.Issuer, o.CallbackPort = c.Scopes, c.Issuer, c.CallbackPort
	}
	client, err := oauth.New(o, s.options.SignIns, s.http)
	if err != nil { // the URL, of which connecting says more
		return nil
	}
	return client
}

// signInDemand is why a request was refused: somebody has to sign in, or again with
// more rights.
type signInDemand struct {
	challenge oauth.Challenge
	missing   []string // of its scopes; nil for a first sign-in
	why       error    // the sign-in that there is could not be renewed, or nil
}

func (d *signInDemand) Error() string {
	if d.why != nil {
		return "the sign-in could not be used: " + d.why.Error()
	}
	return "the server demands a sign-in"
}

func (d *signInDemand) Unwrap() error { return d.why }

// demandOf is the demand behind an error, nil when there is none.
func demandOf(err error) *signInDemand {
	var d *signInDemand
	if errors.As(err, &d) {
		return d
	}
	return nil
}

// authorized sends a request with the present token. A token that the server rejects
// is renewed once: with 401 nothing was carried out.
func (g *gate) authorized(req *http.Request) (*http.Response, *signInDemand, error) {
	if g.auth == nil {
		resp, err := g.next.RoundTrip(req)
		return resp, nil, err
	}
	token, err := g.auth.Token(req.Context())
	if err != nil && req.Context().Err() == nil {
		g.log.Warn("the sign-in cannot be used", "server", g.s.name, "err", err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return resp, nil, err
	}
	challenge, ok := oauth.ReadChallenge(resp.StatusCode, resp.Header)
	if !ok {
		return resp, nil, nil
	}
	demand := &signInDemand{challenge: challenge}
	if challenge.Status == http.StatusForbidden {
		if missing, err := g.auth.Missing(req.Context(), challenge.Scopes); err == nil && len(missing) == 0 {
			return resp, nil, nil // all that it demands was granted
		}
		demand.missing = challenge.Scopes
		return resp, demand, nil
	}
	next, err := g.auth.Renew(req.Context(), token, challenge)
	switch {
	case errors.Is(err, oauth.ErrSignIn):
		return resp, demand, nil
	case err != nil:
		demand.why = err
		return resp, demand, nil
	case req.Body != nil && req.GetBody == nil:
		return resp, nil, nil
	}
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return resp, demand, nil
		}
	}
	_ = resp.Body.Close()
	again.Header.Set("Authorization", "Bearer "+next)
	if resp, err = g.next.RoundTrip(again); err == nil && resp.StatusCode == http.StatusUnauthorized {
		return resp, demand, nil
	}
	return resp, nil, err
}

// plainScope are scopes that may stand in a command that people copy.
var plainScope = regexp.MustCompile(`^[A-Za-z0-9:/._*+=,@-]+$`)

// advice is what a person can do about the demand.
func (d *signInDemand) advice(server string) string {
	command := "codemode-ls auth login " + commandWord(server)
	if d.missing != nil {
		if !slices.ContainsFunc(d.missing, func(scope string) bool { return !plainScope.MatchString(scope) }) {
			command += " --scope '" + strings.Join(d.missing, " ") + "'"
		}
		return "it demands more rights than were granted. Sign in again: " + command
	}
	if d.challenge.Metadata == "" && d.challenge.Code == "" {
		return `sign in, if it has that: ` + command + `; or set a key or token in the server's "headers"`
	}
	return "sign in: " + command
}

// commandWord is a server's name in a command that people copy.
func commandWord(name string) string {
	if plainScope.MatchString(name) && !strings.HasPrefix(name, "-") {
		return name
	}
	return "'" + strings.ReplaceAll(brief(name), "'", `'\''`) + "'"
}

// SignIn has a person sign in to a server, and connects to it again. scopes are asked
// for in place of what the server demands; nil for that.
func (s *Set) SignIn(ctx context.Context, name string, scopes []string, b oauth.Browser) error {
	server := s.find(name)
	switch {
	case server == nil:
		return fmt.Errorf("there is no server %q", name)
	case server.auth == nil:
		return fmt.Errorf("nobody can sign in to server %q: %w", name, errNoSignIn)
	}
	server.mu.Lock()
	state := server.state
	demand := server.demand
	if demand == nil && server.session != nil {
		demand = server.session.demand.Load()
	}
	server.mu.Unlock()
	if state == Untrusted || state == Stopped {
		return fmt.Errorf("nobody can sign in to server %q: it is %s", name, state)
	}
	var challenge oauth.Challenge
	if demand != nil {
		challenge = demand.challenge
	}
	if len(scopes) > 0 {
		challenge.Status, challenge.Scopes = http.StatusForbidden, scopes
	}
	if err := server.auth.SignIn(ctx, challenge, b); err != nil {
		return fmt.Errorf("signing in to server %q: %w", name, err)
	}
	return s.Restart(name)
}

// SignOut forgets, and revokes where that can be done, what was granted for a server.
// It is false when nobody was signed in.
func (s *Set) SignOut(ctx context.Context, name string) (bool, error) {
	server := s.find(name)
	switch {
	case server == nil:
		return false, fmt.Errorf("there is no server %q", name)
	case server.auth == nil:
		return false, fmt.Errorf("nobody can sign in to server %q: %w", name, errNoSignIn)
	}
	was, err := server.auth.SignOut(ctx)
	if err != nil {
		return was, fmt.Errorf("signing out of server %q: %w", name, err)
	}
	server.mu.Lock()
	running := server.state == Connected || server.state == Connecting
	server.mu.Unlock()
	if running {
		err = s.Restart(name)
	}
	return was, err
}

// SignInStatus is what is kept of a sign-in; false for a server that has none.
func (s *Set) SignInStatus(ctx context.Context, name string) (oauth.Status, bool, error) {
	server := s.find(name)
	if server == nil || server.auth == nil {
		return oauth.Status{}, false, nil
	}
	status, err := server.auth.Status(ctx)
	return status, true, err
}
