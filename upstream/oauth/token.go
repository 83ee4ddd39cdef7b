package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// How a client proves at the token endpoint who it is.
const (
	byNothing = "none"
	byBasic   = "client_secret_basic"
	byPost    = "client_secret_post"
	byKey     = "private_key_jwt"
)

// refusal is an error that an authorization server has answered.
type refusal struct {
	code, words string
	status      int
}

func (r *refusal) Error() string {
	text := "the authorization server refuses it"
	for _, part := range []string{r.code, r.words} {
		if part != "" {
			text += ": " + shown(part)
		}
	}
	if r.code == "" {
		text += fmt.Sprintf(" (HTTP %d)", r.status)
	}
	return text
}

// final reports whether asking again is in vain.
func (r *refusal) final() bool {
	return slices.Contains([]string{"invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope", "invalid_target"}, r.code)
}

// request asks the record's token endpoint for tokens, and is the record with them.
func (c *Client) request(ctx context.Context, r record, values url.Values) (record, error) {
	if at, err := url.Parse(r.TokenEndpoint); err != nil || c.allowed(at) != nil {
		return r, errors.New("the token endpoint that is kept cannot be used: sign in again")
	}
	config := clientcredentials.Config{ClientID: r.ClientID, TokenURL: r.TokenEndpoint, EndpointParams: values, AuthStyle: oauth2.AuthStyleInParams}
	secret := r.ClientSecret
	if !r.Registered {
		secret = c.options.ClientSecret
	}
	switch r.AuthMethod {
	case byBasic:
		config.ClientSecret, config.AuthStyle = secret, oauth2.AuthStyleInHeader
	case byPost:
		config.ClientSecret = secret
	case byKey:
		assertion, err := assertion(c.options.PrivateKey, r.ClientID, r.Issuer, time.Now())
		if err != nil {
			return r, err
		}
		values.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		values.Set("client_assertion", assertion)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	t, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, c.http))
	if failed := (*oauth2.RetrieveError)(nil); errors.As(err, &failed) {
		f := &refusal{code: failed.ErrorCode, words: failed.ErrorDescription}
		if failed.Response != nil {
			f.status = failed.Response.StatusCode
		}
		return r, f
	}
	if err != nil {
		return r, fmt.Errorf("the authorization server did not answer: %w", withoutURL(err))
	}
	if t.TokenType != "" && !strings.EqualFold(t.TokenType, "bearer") {
		return r, fmt.Errorf("the authorization server gives a token of the kind %s, which MCP does not know", shown(t.TokenType))
	}
	r.AccessToken, r.Expiry = t.AccessToken, t.Expiry
	if t.RefreshToken != "" {
		r.RefreshToken = t.RefreshToken
	}
	if scope, ok := t.Extra("scope").(string); ok && scope != "" {
		r.Scope = scope
	} else if asked := values.Get("scope"); asked != "" { // left out when it is what was asked for
		r.Scope = asked
	}
	c.options.Secret(r.AccessToken)
	if r.RefreshToken != "" {
		c.options.Secret(r.RefreshToken)
	}
	return r, nil
}

// identify makes the record that of a client which the authorization server knows:
// the configured one, else the registered one of before, else one that is registered
// now (RFC 7591). What belongs to another authorization server goes to none but that.
func (c *Client) identify(ctx context.Context, r record, a authority, redirect string) (record, error) {
	same := r.Registered && sameIssuer(r.Issuer, a.Issuer) && r.RedirectURI == redirect
	next := record{Issuer: a.Issuer, TokenEndpoint: a.TokenEndpoint, RevocationEndpoint: a.RevocationEndpoint, RedirectURI: redirect}
	unreadable := strings.HasPrefix(c.options.ClientID, "https://") && !a.ClientDocuments && a.RegistrationEndpoint != ""
	switch {
	case c.options.ClientID != "" && !unreadable:
		method, err := c.method(a)
		next.ClientID, next.AuthMethod = c.options.ClientID, method
		return next, err
	case same:
		next.ClientID, next.ClientSecret, next.AuthMethod, next.Registered = r.ClientID, r.ClientSecret, r.AuthMethod, true
		return next, nil
	}
	if a.RegistrationEndpoint == "" {
		return next, errors.New(`the authorization server registers no clients by itself: register one there, and set its id in the server's "oauth": {"clientId": …}`)
	}
	next, err := c.register(ctx, next, a)
	if err != nil && a.presumed {
		err = errors.New(`it names no authorization server, and is none itself; if it takes a key, set that in its "headers"`)
	}
	return next, err
}

// method is how a configured client proves who it is.
func (c *Client) method(a authority) (string, error) {
	methods := a.AuthMethods
	switch {
	case c.options.PrivateKey != "":
		return byKey, nil
	case c.options.ClientSecret == "":
		return byNothing, nil
	case len(methods) == 0 || slices.Contains(methods, byBasic): // RFC 8414: the default
		return byBasic, nil
	case slices.Contains(methods, byPost):
		return byPost, nil
	}
	return "", fmt.Errorf("the authorization server takes no client secret, but %s", shown(strings.Join(methods, ", ")))
}

// register makes the program known to an authorization server.
func (c *Client) register(ctx context.Context, r record, a authority) (record, error) {
	method := byNothing
	for _, m := range []string{byNothing, byBasic, byPost} {
		if slices.Contains(a.AuthMethods, m) {
			method = m
			break
		}
	}
	body, err := json.Marshal(map[string]any{
		"client_name":                "Code Mode (codemode-ls)",
		"redirect_uris":              []string{r.RedirectURI},
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
		"token_endpoint_auth_method": method,
		"application_type":           "native",
	})
	if err != nil {
		return r, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.RegistrationEndpoint, bytes.NewReader(body))
	if err != nil {
		return r, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return r, fmt.Errorf("registering with the authorization server: %w", withoutURL(err))
	}
	defer resp.Body.Close()
	data, err := readBounded(resp.Body)
	if err != nil {
		return r, fmt.Errorf("registering with the authorization server: %w", err)
	}
	var answer struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		AuthMethod   string `json:"token_endpoint_auth_method"`
		Error        string `json:"error"`
		Description  string `json:"error_description"`
	}
	err = json.Unmarshal(data, &answer)
	switch {
	case resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusOK || answer.Error != "":
		return r, fmt.Errorf("registering with the authorization server: %w", &refusal{answer.Error, answer.Description, resp.StatusCode})
	case err != nil || answer.ClientID == "":
		return r, errors.New("registering with the authorization server: its answer has no client_id")
	}
	r.ClientID, r.ClientSecret, r.Registered = answer.ClientID, answer.ClientSecret, true
	switch r.AuthMethod = answer.AuthMethod; {
	case answer.ClientSecret == "":
		r.AuthMethod = byNothing
	case r.AuthMethod == "":
		r.AuthMethod = byPost
		if len(a.AuthMethods) > 0 && !slices.Contains(a.AuthMethods, byPost) {
			r.AuthMethod = byBasic
		}
	}
	if answer.ClientSecret != "" {
		c.options.Secret(answer.ClientSecret)
	}
	return r, nil
}

// revoke notifies the authorization server that a grant is over (RFC 7009). That it
// does not work changes nothing: the tokens are forgotten here, and expire.
func (c *Client) revoke(ctx context.Context, r record) {
	at, err := url.Parse(r.RevocationEndpoint)
	if r.RevocationEndpoint == "" || err != nil || c.allowed(at) != nil {
		return
	}
	values := url.Values{"token": {r.RefreshToken}, "token_type_hint": {"refresh_token"}, "client_id": {r.ClientID}}
	if r.RefreshToken == "" {
		values.Set("token", r.AccessToken)
		values.Set("token_type_hint", "access_token")
	}
	secret := r.ClientSecret
	if !r.Registered {
		secret = c.options.ClientSecret
	}
	if r.AuthMethod == byPost {
		values.Set("client_secret", secret)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.RevocationEndpoint, strings.NewReader(values.Encode()))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if r.AuthMethod == byBasic {
		req.SetBasicAuth(url.QueryEscape(r.ClientID), url.QueryEscape(secret))
	}
	if resp, err := c.http.Do(req); err == nil {
		_ = resp.Body.Close()
	}
}
