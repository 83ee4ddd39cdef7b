package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"
)

// faults are what an authorization server of the tests does wrong.
type faults struct {
	issuer      string // in the metadata, in place of its own
	iss         string // in the answer by the browser, in place of its own; "-" is none
	promisesIss bool
	resource    string // in the resource's metadata
	noPKCE      bool
	token       func(w http.ResponseWriter, form url.Values) bool // true: has answered
	metadata    func(w http.ResponseWriter, req *http.Request) bool
	endpoint    string // the token endpoint, in place of its own
}

// authorizationServer is one, and the MCP server that trusts it, at one origin.
type authorizationServer struct {
	*httptest.Server
	faults faults

	mu         sync.Mutex
	codes      map[string]url.Values // that were given and not used, with the request for each
	refresh    map[string]bool       // tokens that are good for one renewal
	registered []map[string]any
	tokens     []url.Values // requests for tokens
	basic      []string     // users of their Authorization headers
	n          int
}

func serveAuthorization(t *testing.T, f faults) *authorizationServer {
	s := &authorizationServer{faults: f, codes: map[string]url.Values{}, refresh: map[string]bool{}}
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, req *http.Request) {
		if f.metadata != nil && f.metadata(w, req) {
			return
		}
		resource := s.URL + "/mcp"
		if f.resource != "" {
			resource = f.resource
		}
		reply(w, 200, map[string]any{"resource": resource, "authorization_servers": []string{s.URL}, "scopes_supported": []string{"read"}})
	})
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		m := map[string]any{
			"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "registration_endpoint": s.URL + "/register",
			"code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": f.promisesIss,
		}
		if f.issuer != "" {
			m["issuer"] = f.issuer
		}
		if f.noPKCE {
			delete(m, "code_challenge_methods_supported")
		}
		if f.endpoint != "" {
			m["token_endpoint"] = f.endpoint
		}
		reply(w, 200, m)
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, req *http.Request) {
		var m map[string]any
		_ = json.NewDecoder(req.Body).Decode(&m)
		s.mu.Lock()
		s.registered = append(s.registered, m)
		s.mu.Unlock()
		reply(w, 201, map[string]any{"client_id": "registered", "client_secret": "registered-secret", "token_endpoint_auth_method": "client_secret_basic"})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, req *http.Request) {
		q := req.URL.Query()
		s.mu.Lock()
		s.n++
		code := fmt.Sprint("code-", s.n)
		s.codes[code] = q
		s.mu.Unlock()
		back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {s.URL}}
		switch f.iss {
		case "":
		case "-":
			back.Del("iss")
		default:
			back.Set("iss", f.iss)
		}
		http.Redirect(w, req, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, req *http.Request) {
		_ = req.ParseForm()
		user, _, _ := req.BasicAuth()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tokens = append(s.tokens, req.PostForm)
		s.basic = append(s.basic, user)
		if f.token != nil && f.token(w, req.PostForm) {
			return
		}
		refuse := func() {
			reply(w, 400, map[string]any{"error": "invalid_grant", "error_description": "used or expired"})
		}
		switch req.PostForm.Get("grant_type") {
		case "authorization_code":
			asked, ok := s.codes[req.PostForm.Get("code")]
			delete(s.codes, req.PostForm.Get("code"))
			sum := sha256.Sum256([]byte(req.PostForm.Get("code_verifier")))
			if !ok || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || asked.Get("redirect_uri") != req.PostForm.Get("redirect_uri") {
				refuse()
				return
			}
		case "refresh_token":
			if !s.refresh[req.PostForm.Get("refresh_token")] {
				refuse()
				return
			}
			delete(s.refresh, req.PostForm.Get("refresh_token"))
		}
		s.n++
		next := fmt.Sprint("secret-refresh-", s.n)
		s.refresh[next] = true
		reply(w, 200, map[string]any{"access_token": fmt.Sprint("secret-access-", s.n), "token_type": "Bearer", "expires_in": 3600, "refresh_token": next})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// client of the server; each has a store of its own, as another process would.
func (s *authorizationServer) client(t *testing.T, dir string, change func(*Options)) *Client {
	o := Options{Server: "s", URL: s.URL + "/mcp"}
	if change != nil {
		change(&o)
	}
	c, err := New(o, &Store{dir: dir, memory: map[key]record{}}, http.DefaultTransport)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// follow is a person's browser, which grants what it is shown.
func follow(ctx context.Context, address, _ string) error {
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}()
	return nil
}

var granting = Browser{Show: follow}

// MCP-4: discovery, registration, PKCE, the loopback callback; what was granted is in a
// file for its owner alone, and each secret is made known, so that nothing shows it.
func TestMCP4SignIn(t *testing.T) {
	s := serveAuthorization(t, faults{promisesIss: true})
	dir := filepath.Join(t.TempDir(), "oauth")
	var secrets []string
	c := s.client(t, dir, func(o *Options) { o.Secret = func(v string) { secrets = append(secrets, v) } })
	if token, err := c.Token(t.Context()); token != "" || err != nil {
		t.Fatalf("before: %q, %v", token, err)
	}
	if err := c.SignIn(t.Context(), Challenge{Status: 401}, granting); err != nil {
		t.Fatal(err)
	}
	token, err := s.client(t, dir, nil).Token(t.Context())
	if err != nil || !strings.HasPrefix(token, "secret-access-") {
		t.Fatalf("%q, %v", token, err)
	}
	for _, want := range []string{token, "registered-secret"} {
		if !slices.Contains(secrets, want) {
			t.Errorf("%q was not made known as a secret", want)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(files) != 1 {
		t.Fatalf("files: %q", files)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	// RFC 8707 in both requests; nothing was asked for that nobody knows.
	if form := s.tokens[0]; form.Get("resource") != s.URL+"/mcp" || s.basic[0] != "registered" {
		t.Errorf("%v by %v", form, s.basic)
	}
	status, err := c.Status(t.Context())
	if err != nil || !status.SignedIn || status.Issuer != s.URL || !status.Renewable || strings.Join(status.Scopes, " ") != "read" {
		t.Errorf("%+v, %v", status, err)
	}

	// Again: the same client, no second registration.
	if err := c.SignIn(t.Context(), Challenge{Status: 401}, granting); err != nil || len(s.registered) != 1 {
		t.Errorf("%v; registered %d times", err, len(s.registered))
	}
	if was, err := c.SignOut(t.Context()); !was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(files) != 0 {
		t.Errorf("left behind: %q", files)
	}
	if token, err := c.Token(t.Context()); token != "" || err != nil {
		t.Errorf("after: %q, %v", token, err)
	}
}

// MCP-4: whoever is not who they should be gets neither a person nor a code.
func TestMCP4RefusesWrongServers(t *testing.T) {
	for name, test := range map[string]struct {
		faults faults
		want   string
		asked  bool // the person is sent to the browser before it is known
	}{
		"metadata of another issuer":    {faults{issuer: "https://evil.example"}, "is that of another one, https://evil.example", false},
		"metadata of another resource":  {faults{resource: "https://evil.example/mcp"}, "is that of another resource", false},
		"a prefix that is no part":      {faults{resource: "http://127.0.0.1:1/mc"}, "is that of another resource", false},
		"an answer of another issuer":   {faults{iss: "https://evil.example"}, "another authorization server", true},
		"an answer without its issuer":  {faults{iss: "-", promisesIss: true}, "another authorization server", true},
		"no PKCE":                       {faults{noPKCE: true}, "PKCE", false},
		"a token endpoint elsewhere":    {faults{endpoint: "http://evil.example/token"}, "it is not https", false},
		"a token endpoint with a user":  {faults{endpoint: "https://u:p@evil.example/token"}, "no plain URL", false},
		"a token endpoint that is code": {faults{endpoint: "javascript:alert(1)"}, "no plain URL", false},
		"a token endpoint of a network": {faults{endpoint: "https://169.254.169.254/latest"}, "private network", false},
		"a redirect of the metadata": {faults{metadata: func(w http.ResponseWriter, req *http.Request) bool {
			http.Redirect(w, req, "https://evil.example/", http.StatusFound)
			return true
		}}, "HTTP 302", false},
		"metadata without end": {faults{metadata: func(w http.ResponseWriter, _ *http.Request) bool {
			for range 1 << 10 {
				if _, err := w.Write(make([]byte, 1<<10)); err != nil {
					break
				}
			}
			return true
		}}, "larger than 256 KB", false},
		"a token of another kind": {faults{token: func(w http.ResponseWriter, _ url.Values) bool {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"access_token":"secret-a","token_type":"mac"}`)
			return true
		}}, "of the kind mac", true},
		"an error with a secret": {faults{token: func(w http.ResponseWriter, form url.Values) bool {
			w.WriteHeader(500)
			_, _ = io.WriteString(w, form.Get("code_verifier"))
			return true
		}}, "refuses it (HTTP 500)", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := serveAuthorization(t, test.faults)
			c := s.client(t, t.TempDir(), nil)
			asked := false
			err := c.SignIn(t.Context(), Challenge{Status: 401}, Browser{Show: func(ctx context.Context, address, host string) error {
				asked = true
				return follow(ctx, address, host)
			}})
			if err == nil || !strings.Contains(err.Error(), test.want) || asked != test.asked {
				t.Errorf("asked %v: %v", asked, err)
			}
			for _, form := range s.tokens {
				for name, values := range form {
					if name != "grant_type" && name != "resource" && err != nil && len(values[0]) > 6 && strings.Contains(err.Error(), values[0]) {
						t.Errorf("the error shows %s: %v", name, err)
					}
				}
			}
			if token, _ := c.Token(t.Context()); token != "" {
				t.Errorf("a token all the same: %q", token)
			}
		})
	}
}

// MCP-4, TRUST-4: what a server elsewhere names is not asked when it is in here.
func TestMCP4AllowedAddresses(t *testing.T) {
	for _, test := range []struct {
		server, address string
		want            bool
	}{
		{"https://mcp.example/mcp", "https://login.example/x", true},
		{"https://mcp.example/mcp", "http://login.example/x", false},
		{"https://mcp.example/mcp", "http://localhost:8080/x", false},
		{"https://mcp.example/mcp", "https://localhost/x", false},
		{"https://mcp.example/mcp", "https://127.0.0.1/x", false},
		{"https://mcp.example/mcp", "https://[::1]/x", false},
		{"https://mcp.example/mcp", "https://[::ffff:127.0.0.1]/x", false},
		{"https://mcp.example/mcp", "https://0.0.0.0/x", false},
		{"https://mcp.example/mcp", "https://a.localhost./x", false},
		{"https://mcp.example/mcp", "https://10.0.0.1/x", false},
		{"https://mcp.example/mcp", "https://[fe80::1]/x", false},
		{"https://mcp.example/mcp", "file:///etc/passwd", false},
		{"https://mcp.example/mcp", "https://u@login.example/x", false},
		{"http://127.0.0.1:9/mcp", "http://localhost:8080/x", true},
		{"http://127.0.0.1:9/mcp", "https://login.example/x", true},
		{"http://127.0.0.1:9/mcp", "http://login.example/x", false},
		{"http://10.0.0.5/mcp", "http://10.0.0.5/token", false},
	} {
		c, err := New(Options{URL: test.server}, NewStore(""), nil)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(test.address)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.allowed(u); (err == nil) != test.want {
			t.Errorf("%s names %s: %v", test.server, test.address, err)
		}
	}
}

// MCP-4: a code is used once, whatever the browser does; a stranger's visit is none.
func TestMCP4Callback(t *testing.T) {
	s := serveAuthorization(t, faults{})
	c := s.client(t, t.TempDir(), nil)
	err := c.SignIn(t.Context(), Challenge{}, Browser{Show: func(ctx context.Context, address, _ string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		back := u.Query().Get("redirect_uri")
		if !strings.HasPrefix(back, "http://127.0.0.1:") {
			t.Errorf("the browser would come back to %s", back)
		}
		for _, stranger := range []string{"?code=evil", "?code=evil&state=wrong", "?error=access_denied&state=", "/../x?state=" + u.Query().Get("state")} {
			resp, err := http.Get(back + stranger)
			if err != nil {
				return err
			}
			page, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode < 400 || strings.Contains(string(page), "evil") {
				t.Errorf("%s: %d, %s", stranger, resp.StatusCode, page)
			}
		}
		return follow(ctx, address, "")
	}})
	if err != nil {
		t.Fatal(err)
	}

	// The code of before once more: the server refuses it, and nobody is signed in by it.
	used := s.tokens[0].Get("code")
	err = c.SignIn(t.Context(), Challenge{}, Browser{Show: func(_ context.Context, address, _ string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		resp, err := http.Get(u.Query().Get("redirect_uri") + "?" + url.Values{"code": {used}, "state": {u.Query().Get("state")}}.Encode())
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}})
	if err == nil || !strings.Contains(err.Error(), "invalid_grant: used or expired") {
		t.Errorf("a code that was used: %v", err)
	}

	err = c.SignIn(t.Context(), Challenge{}, Browser{Show: func(_ context.Context, address, _ string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		resp, err := http.Get(u.Query().Get("redirect_uri") + "?" + url.Values{"error": {"access_denied"}, "error_description": {"no\x1b[31m"}, "state": {u.Query().Get("state")}}.Encode())
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	}})
	if err == nil || !strings.Contains(err.Error(), "access_denied") || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%v", err)
	}
}

// MCP-4: over SSH the browser cannot come back; the address that it ends at is pasted.
func TestMCP4PastedAddress(t *testing.T) {
	s := serveAuthorization(t, faults{})
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, wrong := range []bool{false, true} {
		pasted := make(chan string, 1)
		err := s.client(t, t.TempDir(), nil).SignIn(t.Context(), Challenge{}, Browser{Pasted: pasted, Show: func(_ context.Context, address, _ string) error {
			resp, err := stay.Get(address)
			if err != nil {
				return err
			}
			_ = resp.Body.Close()
			end := resp.Header.Get("Location")
			if wrong {
				end = strings.Replace(end, "state=", "state=x", 1)
			}
			pasted <- " " + end + "\n"
			return nil
		}})
		if (err != nil) != wrong {
			t.Errorf("wrong %v: %v", wrong, err)
		}
	}
}

// MCP-4: a refresh token that has expired ends the sign-in, and keeps the registration.
func TestMCP4ExpiredRefresh(t *testing.T) {
	s := serveAuthorization(t, faults{})
	c := s.client(t, t.TempDir(), nil)
	if err := c.SignIn(t.Context(), Challenge{}, granting); err != nil {
		t.Fatal(err)
	}
	token, err := c.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	clear(s.refresh)
	s.mu.Unlock()
	if next, err := c.Renew(t.Context(), token, Challenge{}); !errors.Is(err, ErrSignIn) || next != "" {
		t.Errorf("%q, %v", next, err)
	}
	if token, err := c.Token(t.Context()); token != "" || err != nil {
		t.Errorf("%q, %v", token, err)
	}
	if err := c.SignIn(t.Context(), Challenge{}, granting); err != nil || len(s.registered) != 1 {
		t.Errorf("%v; registered %d times", err, len(s.registered))
	}
}

// MCP-4: a server that is away for a moment ends no sign-in.
func TestMCP4RenewalLater(t *testing.T) {
	away := false
	s := serveAuthorization(t, faults{token: func(w http.ResponseWriter, _ url.Values) bool {
		if away {
			w.WriteHeader(503)
		}
		return away
	}})
	c := s.client(t, t.TempDir(), nil)
	if err := c.SignIn(t.Context(), Challenge{}, granting); err != nil {
		t.Fatal(err)
	}
	token, _ := c.Token(t.Context())
	s.mu.Lock()
	away = true
	s.mu.Unlock()
	if _, err := c.Renew(t.Context(), token, Challenge{}); err == nil || errors.Is(err, ErrSignIn) {
		t.Errorf("%v", err)
	}
	s.mu.Lock()
	away = false
	s.mu.Unlock()
	if next, err := c.Renew(t.Context(), token, Challenge{}); err != nil || next == "" || next == token {
		t.Errorf("%q, %v", next, err)
	}
}

// MCP-4: processes that renew at once do not sign each other out: a refresh token is
// good for one use.
func TestMCP4RenewalsAtOnce(t *testing.T) {
	s := serveAuthorization(t, faults{})
	dir := t.TempDir()
	first := s.client(t, dir, nil)
	if err := first.SignIn(t.Context(), Challenge{}, granting); err != nil {
		t.Fatal(err)
	}
	old, _ := first.Token(t.Context())
	const n = 8
	got := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		c := s.client(t, dir, nil)
		wg.Go(func() {
			token, err := c.Renew(t.Context(), old, Challenge{})
			if err != nil {
				t.Error(err)
			}
			got[i] = token
		})
	}
	wg.Wait()
	if slices.Sort(got); got[0] != got[n-1] || got[0] == old || got[0] == "" {
		t.Errorf("%q", got)
	}
	if len(s.tokens) != 2 { // the sign-in, and one renewal
		t.Errorf("%d requests for tokens", len(s.tokens))
	}
}

// MCP-4: two sign-ins at once have each their own state and verifier.
func TestMCP4SignInsAtOnce(t *testing.T) {
	s := serveAuthorization(t, faults{})
	dir := t.TempDir()
	both := make(chan struct{})
	var arrived sync.WaitGroup
	arrived.Add(2)
	go func() { arrived.Wait(); close(both) }()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			err := s.client(t, dir, nil).SignIn(t.Context(), Challenge{}, Browser{Show: func(ctx context.Context, address, host string) error {
				arrived.Done()
				<-both
				return follow(ctx, address, host)
			}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if token, err := s.client(t, dir, nil).Token(t.Context()); err != nil || token == "" {
		t.Errorf("%q, %v", token, err)
	}
}

// MCP-4: what one authorization server knows goes to no other: a registration, and a
// configured client where an issuer is configured.
func TestMCP4SecretsStayWithTheirIssuer(t *testing.T) {
	a, b := serveAuthorization(t, faults{}), serveAuthorization(t, faults{})
	dir := t.TempDir()
	if err := a.client(t, dir, nil).SignIn(t.Context(), Challenge{}, granting); err != nil {
		t.Fatal(err)
	}
	var moved bool
	a.faults.metadata = nil
	c := a.client(t, dir, nil)
	c.http = &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
		// The resource names another authorization server from now on.
		if req.URL.Path == "/.well-known/oauth-protected-resource/mcp" {
			moved = true
			return &http.Response{StatusCode: 200, Header: http.Header{}, Request: req, Body: io.NopCloser(strings.NewReader(
				fmt.Sprintf(`{"resource":%q,"authorization_servers":[%q]}`, a.URL+"/mcp", b.URL)))}, nil
		}
		return http.DefaultTransport.RoundTrip(req)
	})}
	if err := c.SignIn(t.Context(), Challenge{}, granting); err != nil || !moved {
		t.Fatal(err)
	}
	if len(b.registered) != 1 {
		t.Error("the client of another authorization server was used")
	}
	c.options.ClientID, c.options.ClientSecret, c.options.Issuer = "mine", "configured-secret", a.URL
	before := len(b.tokens)
	if err := c.SignIn(t.Context(), Challenge{}, granting); err == nil || !strings.Contains(err.Error(), "does not name the configured issuer") || len(b.tokens) != before {
		t.Errorf("%v", err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// MCP-4: a keyring has the record, and no file beside it; the file is for when there
// is none, or it takes no record of that size.
func TestMCP4Keyring(t *testing.T) {
	if os.Getenv("CODEMODE_TEST_KEYRING") == "" { // set, it is the real one: see .ci/run
		keyring.MockInit()
	}
	dir := t.TempDir()
	s := &Store{dir: dir, keyring: true, memory: map[key]record{}}
	k := key{"server ☃", "https://mcp.example/mcp"}
	if r, err := s.load(t.Context(), k); err != nil || r.AccessToken != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := s.save(t.Context(), k, record{AccessToken: "secret", Expiry: time.Now().Add(time.Hour).Round(0)}); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(files) > 0 {
		t.Errorf("a file beside the keyring: %q", files)
	}
	r, err := (&Store{dir: dir, keyring: true}).load(t.Context(), k)
	if err != nil || r.AccessToken != "secret" || r.kept != "keyring" {
		t.Errorf("%+v, %v", r, err)
	}
	if err := s.remove(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	if r, err := s.load(t.Context(), k); err != nil || r.AccessToken != "" {
		t.Errorf("%+v, %v", r, err)
	}
	if os.Getenv("CODEMODE_TEST_KEYRING") != "" {
		return
	}
	keyring.MockInitWithError(keyring.ErrSetDataTooBig)
	if err := s.save(t.Context(), k, record{AccessToken: "secret"}); err != nil {
		t.Fatal(err)
	}
	if r, err := s.load(t.Context(), k); err != nil || r.AccessToken != "secret" || r.kept != s.file(k) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestMCP4ReadChallenge(t *testing.T) {
	for _, test := range []struct {
		status int
		header []string
		want   Challenge
		ok     bool
	}{
		{401, nil, Challenge{Status: 401}, true},
		{403, nil, Challenge{Status: 403}, false},
		{500, []string{`Bearer error="insufficient_scope"`}, Challenge{Status: 500, Code: "insufficient_scope"}, false},
		{401, []string{`Bearer resource_metadata="https://a/b", scope="x y", error="invalid_token"`}, Challenge{401, "https://a/b", []string{"x", "y"}, "invalid_token"}, true},
		{401, []string{`Basic realm="a, b", BEARER Scope = "x\"y z" , error=invalid_token`}, Challenge{401, "", []string{"z"}, "invalid_token"}, true},
		{401, []string{`Bearer`, `Basic realm="x"`}, Challenge{Status: 401}, true},
		{401, []string{`Negotiate`, `Bearer realm="scope=no", scope=read`}, Challenge{401, "", []string{"read"}, ""}, true},
		{403, []string{`Bearer error="insufficient_scope", scope="a"`}, Challenge{403, "", []string{"a"}, "insufficient_scope"}, true},
		{401, []string{`Bearer scope="unclosed`}, Challenge{401, "", []string{"unclosed"}, ""}, true},
	} {
		got, ok := ReadChallenge(test.status, http.Header{"Www-Authenticate": test.header})
		if fmt.Sprint(got) != fmt.Sprint(test.want) || ok != test.ok {
			t.Errorf("%d %q: %+v, %v", test.status, test.header, got, ok)
		}
	}
}
