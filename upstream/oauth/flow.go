package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// A Browser is how a person gets to the authorization server and back.
type Browser struct {
	// Show has the person open an address. host is the authorization server's, which
	// they should know before they sign in there.
	Show func(ctx context.Context, address, host string) error
	// Pasted has addresses that the browser ended at, for when it cannot reach this
	// machine (SSH); nil for none.
	Pasted <-chan string
}

// signInTimeout is how long a person may take in the browser.
const signInTimeout = 10 * time.Minute

// SignIn has a person grant what the challenge demands, or Scopes in place of it.
func (c *Client) SignIn(ctx context.Context, challenge Challenge, b Browser) error {
	if c.options.Grant == ClientCredentials {
		r, err := c.load(ctx)
		if err == nil {
			_, err = c.Renew(ctx, r.AccessToken, challenge)
		}
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, signInTimeout, errors.New("nobody came back from the browser"))
	defer cancel()
	found, err := c.discover(ctx, challenge)
	if err != nil {
		return err
	}
	before, err := c.load(ctx)
	if err != nil {
		return err
	}
	back, err := c.listen(ctx, before)
	if err != nil {
		return err
	}
	defer back.close()
	r, err := c.identify(ctx, before, found.authority, back.address())
	if err != nil {
		return err
	}
	r.Resource = found.resource
	granted := strings.Fields(before.Scope)
	if !sameIssuer(before.Issuer, r.Issuer) || before.AccessToken == "" {
		granted = nil
	}
	scopes := c.scopes(challenge, found, granted)
	verifier := oauth2.GenerateVerifier()
	back.expect(rand.Text(), found.authority)
	address := authorizationURL(found.authority, r, scopes, back.state, verifier)
	host := address
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	if err := b.Show(ctx, address, host); err != nil {
		return err
	}
	code, err := back.wait(ctx, b.Pasted)
	if err != nil {
		return err
	}
	values := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {r.RedirectURI},
		"code_verifier": {verifier}, "resource": {r.Resource},
	}
	r.Scope = strings.Join(scopes, " ")
	unlock, err := c.store.lock(ctx, c.key())
	if err != nil {
		return err
	}
	defer unlock()
	next, err := c.request(ctx, r, values)
	if err != nil {
		if refused := (*refusal)(nil); errors.As(err, &refused) && refused.code == "invalid_client" && r.Registered {
			// It has forgotten the client: the next sign-in registers again.
			before.ClientID, before.Registered = "", false
			return errors.Join(err, c.save(ctx, before))
		}
		return err
	}
	return c.save(ctx, next)
}

// authorizationURL is where the person grants. Parameters that the endpoint has
// already remain.
func authorizationURL(a authority, r record, scopes []string, state, verifier string) string {
	config := oauth2.Config{ClientID: r.ClientID, RedirectURL: r.RedirectURI, Scopes: scopes, Endpoint: oauth2.Endpoint{AuthURL: a.AuthorizationEndpoint}}
	return config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", r.Resource))
}

// callback is the loopback address that the browser comes back to (RFC 8252).
type callback struct {
	listener net.Listener
	server   *http.Server
	state    string
	issuer   authority
	ready    chan struct{} // closed when it is known what to expect
	answers  chan answer
	done     chan struct{}
}

type answer struct {
	code string
	err  error
}

const callbackPath = "/callback"

// listen opens the address: that of the last time, which the authorization server
// may have registered, else the configured one, else any.
func (c *Client) listen(ctx context.Context, before record) (*callback, error) {
	port := c.options.CallbackPort
	if u, err := url.Parse(before.RedirectURI); port == 0 && err == nil {
		port, _ = strconv.Atoi(u.Port())
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil && c.options.CallbackPort == 0 {
		l, err = config.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("the browser could not come back to this machine: %w", err)
	}
	b := &callback{listener: l, ready: make(chan struct{}), answers: make(chan answer, 1), done: make(chan struct{})}
	b.server = &http.Server{Handler: b, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() {
		defer close(b.done)
		_ = b.server.Serve(l)
	}()
	return b, nil
}

func (b *callback) address() string { return "http://" + b.listener.Addr().String() + callbackPath }

func (b *callback) expect(state string, issuer authority) {
	b.state, b.issuer = state, issuer
	close(b.ready)
}

// close lets the page that the browser shows go out first.
func (b *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if b.server.Shutdown(ctx) != nil {
		_ = b.server.Close()
	}
	<-b.done
}

// ServeHTTP handles what the browser passes on. What is not the answer to our own question
// changes nothing: any page can have the browser come here.
func (b *callback) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	select {
	case <-b.ready:
	default:
		http.NotFound(w, req)
		return
	}
	if req.Method != http.MethodGet || req.URL.Path != callbackPath {
		http.NotFound(w, req)
		return
	}
	code, err, ours := b.read(req.URL.Query())
	title, text := "Signed in", "You can close this page and go back."
	switch {
	case !ours:
		w.WriteHeader(http.StatusBadRequest)
		title, text = "Not the sign-in that was started", "Start it again from where you came."
	case err != nil:
		title, text = "Not signed in", "What went wrong is shown where you started."
	}
	fmt.Fprintf(w, "<!doctype html><title>%s</title><h1>%s</h1><p>%s</p>\n", title, title, text)
	if ours {
		select {
		case b.answers <- answer{code, err}:
		default: // the first one counts
		}
	}
}

// read is the answer of the authorization server; ours is false for what does not
// have our state.
func (b *callback) read(q url.Values) (code string, err error, ours bool) { //nolint:revive // the error is the answer
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(b.state)) != 1 {
		return "", nil, false
	}
	// RFC 9207: who answers must be whom we asked, or a code would go to another one.
	if issuer := q.Get("iss"); issuer != b.issuer.Issuer && (issuer != "" || b.issuer.IssuerInResponse) {
		return "", fmt.Errorf("the answer came from another authorization server (%q) than was asked (%q)", shown(issuer), shown(b.issuer.Issuer)), true
	}
	if refused := q.Get("error"); refused != "" {
		return "", &refusal{code: refused, words: q.Get("error_description")}, true
	}
	if code = q.Get("code"); code == "" {
		return "", errors.New("the answer of the authorization server has no code"), true
	}
	return code, nil, true
}

// wait is the code that the browser passes on, or that a pasted address has.
func (b *callback) wait(ctx context.Context, pasted <-chan string) (string, error) {
	for {
		select {
		case a := <-b.answers:
			return a.code, a.err
		case text, open := <-pasted:
			if !open {
				pasted = nil
				continue
			}
			u, err := url.Parse(strings.TrimSpace(text))
			if err != nil {
				return "", errors.New("what was pasted is no address")
			}
			code, err, ours := b.read(u.Query())
			if !ours {
				return "", errors.New("what was pasted is not the address of this sign-in: copy it whole, as the browser shows it at the end")
			}
			return code, err
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}
