package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// protocolVersion is what requests for metadata say; they come before any version
// is negotiated.
const protocolVersion = "2025-11-25"

// ClientCredentials is the grant of a program that signs in for itself.
const ClientCredentials = "client_credentials"

// Options say which server a client signs in to, and as what.
type Options struct {
	Server string // its configured name
	URL    string
	// ClientID is that of a client which the authorization server knows already, or
	// the https URL of its metadata document; "" registers one.
	ClientID     string
	ClientSecret string
	PrivateKey   string // PEM, in place of a secret
	Grant        string // ClientCredentials, or "" for a person's
	Scopes       []string
	Issuer       string // the only authorization server to accept, or ""
	CallbackPort int    // of the loopback address that the browser comes back to; 0 is any
	// Secret receives each secret that is received, so that it is never shown.
	Secret func(string)
}

// Client signs in to one MCP server. It is safe for concurrent use, also by several
// processes with the same Store.
type Client struct {
	options Options
	server  *url.URL
	store   *Store
	http    *http.Client

	mu     sync.Mutex
	cached *record // what was last read or kept; reading may mean to ask a keyring
}

// New makes a client whose requests go through transport.
func New(o Options, store *Store, transport http.RoundTripper) (*Client, error) {
	server, err := url.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("the server's URL: %w", err)
	}
	if o.Secret == nil {
		o.Secret = func(string) {}
	}
	return &Client{options: o, server: server, store: store, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// ErrSignIn means that a person has to sign in.
var ErrSignIn = errors.New("nobody is signed in")

// early is how long before its end a token is renewed.
const early = 30 * time.Second

// Token is the present access token, renewed if it is about to expire; "" when nobody
// has signed in.
func (c *Client) Token(ctx context.Context) (string, error) {
	c.mu.Lock()
	cached := c.cached
	c.mu.Unlock()
	if cached == nil {
		r, err := c.load(ctx)
		if err != nil {
			return "", err
		}
		cached = &r
	}
	r := *cached
	if r.AccessToken == "" {
		return "", nil
	}
	if r.Expiry.IsZero() || time.Now().Before(r.Expiry.Add(-early)) {
		return r.AccessToken, nil
	}
	token, err := c.Renew(ctx, r.AccessToken, Challenge{})
	if errors.Is(err, ErrSignIn) && time.Now().Before(r.Expiry) {
		return r.AccessToken, nil // good for a moment yet
	}
	return token, err
}

// Renew replaces a token that the server has rejected, or that is about to expire.
// ErrSignIn means that only a person can.
func (c *Client) Renew(ctx context.Context, rejected string, challenge Challenge) (string, error) {
	unlock, err := c.store.lock(ctx, c.key())
	if err != nil {
		return "", err
	}
	defer unlock()
	r, err := c.load(ctx)
	if err != nil {
		return "", err
	}
	if r.AccessToken != "" && r.AccessToken != rejected {
		return r.AccessToken, nil // another process has renewed it
	}
	if c.options.Grant == ClientCredentials {
		if r, err = c.credentials(ctx, r, challenge); err != nil {
			return "", err
		}
		return r.AccessToken, c.save(ctx, r)
	}
	if r.RefreshToken == "" {
		return "", ErrSignIn
	}
	values := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {r.RefreshToken}}
	if r.Resource != "" {
		values.Set("resource", r.Resource)
	}
	next, err := c.request(ctx, r, values)
	if refused := (*refusal)(nil); errors.As(err, &refused) && refused.final() {
		// It will not become better; the registration may be good yet.
		r.AccessToken, r.RefreshToken, r.Expiry = "", "", time.Time{}
		return "", errors.Join(ErrSignIn, c.save(ctx, r))
	}
	if err != nil {
		return "", fmt.Errorf("the sign-in could not be renewed: %w", err)
	}
	return next.AccessToken, c.save(ctx, next)
}

// credentials signs in without a person.
func (c *Client) credentials(ctx context.Context, r record, challenge Challenge) (record, error) {
	found, err := c.discover(ctx, challenge)
	if err != nil {
		return r, err
	}
	if r, err = c.identify(ctx, r, found.authority, ""); err != nil {
		return r, err
	}
	values := url.Values{"grant_type": {ClientCredentials}, "resource": {found.resource}}
	if scopes := c.scopes(challenge, found, nil); len(scopes) > 0 {
		values.Set("scope", strings.Join(scopes, " "))
	}
	r.Resource = found.resource
	return c.request(ctx, r, values)
}

// scopes are what is asked for: what is configured, else what the server demands,
// else what it knows; nothing when it says nothing. granted are those of before, which
// more are added to.
func (c *Client) scopes(challenge Challenge, found discovered, granted []string) []string {
	scopes := c.options.Scopes
	if len(scopes) == 0 || challenge.Status == http.StatusForbidden {
		scopes = union(scopes, challenge.Scopes)
	}
	if len(scopes) == 0 {
		scopes = found.scopes
	}
	if len(challenge.Scopes) > 0 {
		scopes = union(granted, scopes)
	}
	const offline = "offline_access" // a token that can be renewed
	if len(scopes) > 0 && c.options.Grant == "" && slices.Contains(found.authority.ScopesSupported, offline) {
		scopes = union(scopes, []string{offline})
	}
	return scopes
}

// Status is what a person may see of a sign-in.
type Status struct {
	SignedIn  bool      `json:"signedIn"`
	Issuer    string    `json:"issuer,omitzero"`
	ClientID  string    `json:"clientId,omitzero"`
	Scopes    []string  `json:"scopes,omitzero"`
	Expires   time.Time `json:"expires,omitzero"` // of the token; absent when that is not known
	Renewable bool      `json:"renewable,omitzero"`
	Kept      string    `json:"kept,omitzero"` // where: "keyring" or a file's path
}

// Status of the sign-in that is kept.
func (c *Client) Status(ctx context.Context) (Status, error) {
	r, err := c.load(ctx)
	if err != nil {
		return Status{}, err
	}
	s := Status{
		SignedIn: r.AccessToken != "", Issuer: r.Issuer, ClientID: r.ClientID, Expires: r.Expiry,
		Renewable: r.RefreshToken != "" || c.options.Grant == ClientCredentials, Kept: r.kept,
	}
	if r.AccessToken != "" {
		s.Scopes = strings.Fields(r.Scope)
	}
	return s, nil
}

// Missing reports which of the demanded scopes the present token was not granted. A server
// that demands what was granted will not be content with another sign-in.
func (c *Client) Missing(ctx context.Context, demanded []string) ([]string, error) {
	r, err := c.load(ctx)
	if err != nil {
		return nil, err
	}
	granted := strings.Fields(r.Scope)
	return slices.DeleteFunc(slices.Clone(demanded), func(scope string) bool { return slices.Contains(granted, scope) }), nil
}

// SignOut revokes what was granted, where the authorization server can do that, and
// forgets it. It is false when nobody was signed in.
func (c *Client) SignOut(ctx context.Context) (bool, error) {
	unlock, err := c.store.lock(ctx, c.key())
	if err != nil {
		return false, err
	}
	defer unlock()
	r, err := c.load(ctx)
	if err != nil {
		return false, err
	}
	c.remember(record{})
	if r.AccessToken == "" && r.RefreshToken == "" {
		return false, c.store.remove(ctx, c.key())
	}
	c.revoke(ctx, r)
	return true, c.store.remove(ctx, c.key())
}

// load reads the record, whose secrets are known from then on.
func (c *Client) load(ctx context.Context) (record, error) {
	r, err := c.store.load(ctx, c.key())
	if err != nil {
		return record{}, fmt.Errorf("the sign-in to %q cannot be read: %w", c.options.Server, err)
	}
	for _, secret := range []string{r.AccessToken, r.RefreshToken, r.ClientSecret} {
		if secret != "" {
			c.options.Secret(secret)
		}
	}
	c.remember(r)
	return r, nil
}

func (c *Client) remember(r record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cached = &r
}

// SignedIn reports whether somebody is, as far as is known without looking.
func (c *Client) SignedIn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cached != nil && c.cached.AccessToken != ""
}

func (c *Client) save(ctx context.Context, r record) error {
	if err := c.store.save(ctx, c.key(), r); err != nil {
		return fmt.Errorf("the sign-in to %q cannot be kept: %w", c.options.Server, err)
	}
	c.remember(r)
	return nil
}

func (c *Client) key() key { return key{c.options.Server, c.options.URL} }
