package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"codemode-ls/upstream/oauth"
)

// guarded is an MCP server that demands a token of its own authorization server.
type guarded struct {
	*web
	mu       sync.Mutex
	good     string // the only token that counts
	needs    string // the scope that the tool odd needs
	granted  string // the scope of the token
	n        int
	renewals int
}

func newGuarded(t *testing.T) *guarded {
	g := new(guarded)
	g.web = newWeb(t, func(w http.ResponseWriter, q *http.Request, m message) bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		send := func(v any) bool {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v)
			return true
		}
		switch q.URL.Path {
		case "/.well-known/oauth-protected-resource/mcp":
			return send(map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}})
		case "/.well-known/oauth-authorization-server":
			return send(map[string]any{
				"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token",
				"registration_endpoint": g.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
			})
		case "/register":
			return send(map[string]any{"client_id": "c"})
		case "/authorize":
			g.granted = q.URL.Query().Get("scope")
			back := url.Values{"code": {"c"}, "state": {q.URL.Query().Get("state")}}
			http.Redirect(w, q, q.URL.Query().Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
			return true
		case "/token":
			g.n++
			g.renewals++
			g.good = fmt.Sprint("secret-token-", g.n)
			return send(map[string]any{"access_token": g.good, "token_type": "bearer", "refresh_token": "secret-refresh", "scope": g.granted})
		}
		if got := q.Header.Get("Authorization"); g.good == "" || got != "Bearer "+g.good {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="`+got+`"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		if odd(m) && g.needs != "" && !slices.Contains(strings.Fields(g.granted), g.needs) {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+g.needs+`"`)
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	})
	return g
}

// visits is a browser whose person grants everything.
var visits = oauth.Browser{Show: func(_ context.Context, address, _ string) error {
	go func() {
		if resp, err := http.Get(address); err == nil {
			_ = resp.Body.Close()
		}
	}()
	return nil
}}

// MCP-4: a 401 says what to do, no attempt follows by itself, and after the sign-in the
// server works; a token that it rejects later is renewed, and the request sent again.
func TestMCP4SignInToAServer(t *testing.T) {
	g := newGuarded(t)
	var secrets []string
	s := newTestSet(t, func(o *Options) { o.Secret = func(v string) { secrets = append(secrets, v) } })
	def := g.config()
	delete(def.Headers, "Authorization")
	s.configure(def)
	s.settle()
	st := s.Status()[0]
	if st.State != Failed || !st.SignIn || !strings.Contains(st.Error, "HTTP 401") || !strings.HasSuffix(st.Error, "sign in: codemode-ls auth login h") {
		t.Fatalf("%+v", st)
	}
	if g.count("initialize") != 1 || g.count("server/discover") != 1 {
		t.Errorf("%d and %d attempts", g.count("initialize"), g.count("server/discover"))
	}
	if err := s.SignIn(testContext(t), "h", nil, visits); err != nil {
		t.Fatal(err)
	}
	if st := s.untilState("h", Connected); st.SignIn {
		t.Errorf("still demanded: %+v", st)
	}
	s.call("h", "echo", `{}`)

	g.mu.Lock()
	g.good = "another" // expired before its time
	g.renewals = 0
	g.mu.Unlock()
	calls := g.count("tools/call")
	s.call("h", "echo", `{}`)
	if g.renewals != 1 || g.count("tools/call") != calls+2 {
		t.Errorf("%d renewals, %d requests", g.renewals, g.count("tools/call")-calls)
	}
	for _, secret := range []string{"secret-token-1", "secret-refresh"} {
		if !slices.Contains(secrets, secret) {
			t.Errorf("%s was not made known as a secret", secret)
		}
	}
	if was, err := s.SignOut(testContext(t), "h"); !was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	if st := s.untilState("h", Failed); !st.SignIn {
		t.Errorf("%+v", st)
	}
}

// MCP-4: a call that needs more rights fails alone and says how to get them; when the
// server demands what was granted, no sign-in is suggested.
func TestMCP4MoreRights(t *testing.T) {
	g := newGuarded(t)
	g.needs = "write"
	s := newTestSet(t, nil)
	def := g.config()
	delete(def.Headers, "Authorization")
	s.configure(def)
	s.settle()
	if err := s.SignIn(testContext(t), "h", []string{"read"}, visits); err != nil {
		t.Fatal(err)
	}
	s.untilState("h", Connected)
	_, err := s.Call(testContext(t), Call{Server: "h", Tool: "odd"})
	if err == nil || !strings.Contains(err.Error(), "codemode-ls auth login h --scope 'write'") {
		t.Fatalf("%v", err)
	}
	st := s.Status()[0]
	if st.State != Connected || !st.SignIn || !slices.Equal(st.Scopes, []string{"write"}) {
		t.Errorf("%+v", st)
	}
	s.call("h", "echo", `{}`)
	if err := s.SignIn(testContext(t), "h", nil, visits); err != nil {
		t.Fatal(err)
	}
	if g.granted != "read write" {
		t.Errorf("granted: %q", g.granted)
	}
	s.until("h", "connected again", func(st Status) bool { return st.State == Connected && !st.SignIn })
	s.call("h", "odd", `{}`)

	g.mu.Lock()
	g.needs = "never" // is refused whatever was granted
	g.granted = "read write"
	g.mu.Unlock()
	if err := s.SignIn(testContext(t), "h", []string{"never"}, visits); err != nil {
		t.Fatal(err)
	}
	s.untilState("h", Connected)
	g.mu.Lock()
	g.granted = ""
	g.mu.Unlock()
	if _, err = s.Call(testContext(t), Call{Server: "h", Tool: "odd"}); err == nil || strings.Contains(err.Error(), "auth login") {
		t.Errorf("%v", err)
	}
}

// MCP-4: a scope that a shell would read is in no command to copy.
func TestMCP4AdviceIsHarmless(t *testing.T) {
	d := &signInDemand{missing: []string{"a'$(reboot)'"}}
	if advice := d.advice("my server'"); strings.Contains(advice, "reboot") || !strings.HasSuffix(advice, `auth login 'my server'\'''`) {
		t.Error(advice)
	}
}

// MCP-4: one that has its own Authorization header, or none to sign in to, says so.
func TestMCP4NoSignIn(t *testing.T) {
	w := newWeb(t, nil)
	s := newTestSet(t, nil)
	s.connectTo(w)
	if err := s.SignIn(testContext(t), "h", nil, visits); !errors.Is(err, errNoSignIn) {
		t.Errorf("%v", err)
	}
	if _, has, err := s.SignInStatus(testContext(t), "h"); has || err != nil {
		t.Errorf("%v, %v", has, err)
	}
}
