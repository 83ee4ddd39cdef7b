package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"codemode-ls/internal/plaintext"
)

const (
	maxDocument    = 256 << 10 // bytes of a metadata document
	requestTimeout = 15 * time.Second
)

// resource is a protected resource's metadata (RFC 9728), as far as it is used.
type resource struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	ScopesSupported      []string `json:"scopes_supported"`
}

// authority is an authorization server's metadata (RFC 8414, or OpenID Connect
// Discovery), as far as it is used.
type authority struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	ScopesSupported       []string `json:"scopes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	AuthMethods           []string `json:"token_endpoint_auth_methods_supported"`
	SigningAlgorithms     []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	IssuerInResponse      bool     `json:"authorization_response_iss_parameter_supported"`
	ClientDocuments       bool     `json:"client_id_metadata_document_supported"`

	// presumed: the server describes nothing, and these are the addresses that the
	// MCP specification of 2025-03-26 has for that.
	presumed bool
}

// discovered is all that the metadata of a server says.
type discovered struct {
	authority authority
	resource  string   // the resource indicator (RFC 8707)
	scopes    []string // that the resource knows
}

// discover finds the authorization server of an MCP server.
func (c *Client) discover(ctx context.Context, challenge Challenge) (discovered, error) {
	d := discovered{resource: canonical(c.server)}
	described, err := c.describe(ctx, challenge)
	if err != nil {
		return d, err
	}
	if described == nil {
		d.authority, err = c.oldAuthority(ctx)
		return d, err
	}
	if described.Resource != "" {
		if !covers(described.Resource, c.server) {
			return d, fmt.Errorf("its metadata is that of another resource, %s; no token for that is sent to this server", shown(described.Resource))
		}
		d.resource = described.Resource
	}
	d.scopes = described.ScopesSupported
	if len(described.AuthorizationServers) == 0 {
		return d, errors.New("its metadata names no authorization server")
	}
	issuer := described.AuthorizationServers[0]
	if c.options.Issuer != "" {
		issuer = c.options.Issuer
		if !slices.ContainsFunc(described.AuthorizationServers, func(s string) bool { return sameIssuer(s, issuer) }) {
			return d, fmt.Errorf("it does not name the configured issuer %s, but %s", shown(issuer), shown(strings.Join(described.AuthorizationServers, ", ")))
		}
	}
	d.authority, err = c.askIssuer(ctx, issuer)
	return d, err
}

// describe is the resource's metadata, nil when the server has none.
func (c *Client) describe(ctx context.Context, challenge Challenge) (*resource, error) {
	if challenge.Metadata != "" {
		var r resource
		found, err := c.fetch(ctx, challenge.Metadata, &r)
		if err != nil || !found {
			return nil, describeFailure("the metadata that it names", challenge.Metadata, err)
		}
		return &r, nil
	}
	for _, at := range wellKnown(c.server, "oauth-protected-resource") {
		var r resource
		if found, err := c.fetch(ctx, at, &r); err != nil {
			return nil, describeFailure("its metadata", at, err)
		} else if found {
			return &r, nil
		}
	}
	return nil, nil
}

func describeFailure(what, at string, err error) error {
	if err == nil {
		err = errors.New("there is none")
	}
	return fmt.Errorf("%s (%s) cannot be used: %w", what, shown(at), err)
}

// askIssuer is the metadata of an issuer, which must say that it is that issuer's
// (RFC 8414, section 3.3).
func (c *Client) askIssuer(ctx context.Context, issuer string) (authority, error) {
	var a authority
	u, err := url.Parse(issuer)
	if err == nil {
		err = c.allowed(u)
	}
	if err != nil {
		return a, fmt.Errorf("the authorization server %s cannot be used: %w", shown(issuer), err)
	}
	places := wellKnown(u, "oauth-authorization-server")[:1]
	if path := strings.Trim(u.Path, "/"); path != "" {
		places = append(places, wellKnown(u, "openid-configuration")[0], u.Scheme+"://"+u.Host+"/"+path+"/.well-known/openid-configuration")
	} else {
		places = append(places, wellKnown(u, "openid-configuration")[0])
	}
	for _, at := range places {
		found, err := c.fetch(ctx, at, &a)
		switch {
		case err != nil:
			return a, describeFailure("the metadata of the authorization server", at, err)
		case !found:
			continue
		case !sameIssuer(a.Issuer, issuer):
			return a, fmt.Errorf("the metadata of the authorization server %s is that of another one, %s", shown(issuer), shown(a.Issuer))
		}
		return a, c.usable(a)
	}
	return a, fmt.Errorf("the authorization server %s has no metadata", shown(issuer))
}

// oldAuthority is the authorization server as the specification of 2025-03-26 has it:
// at the MCP server's own origin, described or at fixed addresses.
func (c *Client) oldAuthority(ctx context.Context) (authority, error) {
	root := &url.URL{Scheme: c.server.Scheme, Host: c.server.Host}
	var a authority
	at := wellKnown(root, "oauth-authorization-server")[0]
	found, err := c.fetch(ctx, at, &a)
	if err != nil {
		return a, describeFailure("its metadata", at, err)
	}
	if !found {
		if err := c.allowed(root); err != nil {
			return a, err
		}
		base := root.String()
		return authority{
			Issuer: base, AuthorizationEndpoint: base + "/authorize", TokenEndpoint: base + "/token", RegistrationEndpoint: base + "/register",
			presumed: true,
		}, nil
	}
	if issuer, err := url.Parse(a.Issuer); err != nil || issuer.Scheme != root.Scheme || issuer.Host != root.Host {
		return a, fmt.Errorf("its metadata is that of another authorization server, %s", shown(a.Issuer))
	}
	return a, c.usable(a)
}

// usable checks the addresses that metadata names, and that the authorization server
// has PKCE, without which a code could be used by somebody else.
func (c *Client) usable(a authority) error {
	for _, endpoint := range []struct{ name, address string }{
		{"authorization_endpoint", a.AuthorizationEndpoint}, {"token_endpoint", a.TokenEndpoint},
		{"registration_endpoint", a.RegistrationEndpoint}, {"revocation_endpoint", a.RevocationEndpoint},
	} {
		if endpoint.address == "" {
			continue
		}
		u, err := url.Parse(endpoint.address)
		if err == nil {
			err = c.allowed(u)
		}
		if err != nil {
			return fmt.Errorf("the authorization server's %s (%s) cannot be used: %w", endpoint.name, shown(endpoint.address), err)
		}
	}
	if a.TokenEndpoint == "" {
		return errors.New("the authorization server names no token_endpoint")
	}
	if c.options.Grant == ClientCredentials {
		return nil
	}
	if a.AuthorizationEndpoint == "" {
		return errors.New("the authorization server names no authorization_endpoint")
	}
	if !slices.Contains(a.ChallengeMethods, "S256") {
		return errors.New("the authorization server does not offer PKCE with S256, which MCP requires")
	}
	return nil
}

// allowed reports whether an address that a server names may be asked: HTTPS, whose
// certificate proves who answers, or, for an MCP server on this machine, this
// machine. A server elsewhere must not have us knock on doors in here (SSRF).
func (c *Client) allowed(u *url.URL) error {
	local := loopback(u.Hostname())
	switch {
	case u.Host == "" || u.User != nil || u.Fragment != "":
		return errors.New("it is no plain URL")
	case local && !loopback(c.server.Hostname()):
		return errors.New("it is on this machine, while the MCP server is not")
	case u.Scheme == "https" && (local || !private(u.Hostname())):
		return nil
	case u.Scheme == "https":
		return errors.New("it is an address of a private network")
	case u.Scheme == "http" && local:
		return nil
	}
	return errors.New("it is not https")
}

func loopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified())
}

// private reports whether a host is written as an address that no public certificate
// names.
func private(host string) bool {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return net.ParseIP(host) != nil
	}
	ip = ip.Unmap()
	return ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsLoopback() || ip.IsUnspecified() || ip.IsMulticast()
}

// wellKnown are the places of a document about u: with its path behind the name, and
// without its path.
func wellKnown(u *url.URL, name string) []string {
	root := u.Scheme + "://" + u.Host + "/.well-known/" + name
	if path := strings.Trim(u.EscapedPath(), "/"); path != "" {
		return []string{root + "/" + path, root}
	}
	return []string{root}
}

// canonical is the resource indicator of a URL.
func canonical(u *url.URL) string {
	c := url.URL{Scheme: strings.ToLower(u.Scheme), Host: strings.ToLower(u.Host), Path: strings.TrimSuffix(u.Path, "/"), RawQuery: u.RawQuery}
	return c.String()
}

// covers reports whether a resource indicator is that of a server: its URL, or a part of
// it that ends with a step of the path.
func covers(indicator string, server *url.URL) bool {
	u, err := url.Parse(indicator)
	if err != nil || u.Fragment != "" || !strings.EqualFold(u.Scheme, server.Scheme) || !strings.EqualFold(u.Host, server.Host) {
		return false
	}
	path, prefix := strings.TrimSuffix(server.Path, "/")+"/", strings.TrimSuffix(u.Path, "/")+"/"
	return strings.HasPrefix(path, prefix)
}

func sameIssuer(a, b string) bool { return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") }

// fetch reads a JSON document; false when there is none.
func (c *Client) fetch(ctx context.Context, at string, into any) (bool, error) {
	u, err := url.Parse(at)
	if err == nil {
		err = c.allowed(u)
	}
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("MCP-Protocol-Version", protocolVersion)
	resp, err := c.http.Do(req)
	if err != nil {
		return false, withoutURL(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 && resp.StatusCode < 500 {
		return false, nil
	}
	if resp.StatusCode != http.StatusOK {
		return false, fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	if media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); media == "text/html" {
		return false, nil // a page for a person, as some servers answer anything
	}
	data, err := readBounded(resp.Body)
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return false, fmt.Errorf("it is no metadata: %w", err)
	}
	return true, nil
}

func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxDocument {
		return nil, fmt.Errorf("it is larger than %d KB", maxDocument>>10)
	}
	return data, nil
}

// withoutURL leaves out the address of a failed request, which may hold secrets.
func withoutURL(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// shown is what a server wrote, for a message.
func shown(text string) string { return plaintext.Line(text, 200) }
