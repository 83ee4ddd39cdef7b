package oauth

import (
	"net/http"
	"slices"
	"strings"
)

// A Challenge is what a server demands with 401, or with 403 when a token may do
// too little.
type Challenge struct {
	Status   int
	Metadata string   // resource_metadata: where the protected resource is described
	Scopes   []string // that are necessary
	Code     string   // error
}

// ReadChallenge reads the challenge of an answer; false when it is none that signing
// in could meet.
func ReadChallenge(status int, header http.Header) (Challenge, bool) {
	c := Challenge{Status: status}
	for _, value := range header.Values("WWW-Authenticate") {
		if p, ok := bearer(value); ok {
			c.Metadata, c.Code = p["resource_metadata"], p["error"]
			c.Scopes = slices.DeleteFunc(strings.Fields(p["scope"]), func(scope string) bool { return strings.ContainsFunc(scope, noScope) })
			break
		}
	}
	switch status {
	case http.StatusUnauthorized:
		return c, true
	case http.StatusForbidden:
		return c, c.Code == "insufficient_scope"
	}
	return c, false
}

// noScope reports whether a character is none of a scope's (RFC 6749, section 3.3).
func noScope(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }

// bearer reads the parameters of the challenge with the scheme Bearer. A header may
// have several challenges, and a quoted value commas and words of any kind.
func bearer(header string) (map[string]string, bool) {
	params := map[string]string{}
	scheme := ""
	for rest := header; ; {
		rest = strings.TrimLeft(rest, " \t,")
		if rest == "" {
			return params, scheme == "bearer"
		}
		end := strings.IndexAny(rest, " \t,=")
		if end < 0 {
			end = len(rest)
		}
		word := strings.ToLower(rest[:end])
		rest = strings.TrimLeft(rest[end:], " \t")
		if !strings.HasPrefix(rest, "=") { // a scheme, with which another challenge begins
			if scheme == "bearer" {
				return params, true
			}
			scheme = word
			clear(params)
			continue
		}
		rest = strings.TrimLeft(rest[1:], " \t")
		var value string
		value, rest = parameter(rest)
		if _, twice := params[word]; !twice {
			params[word] = value
		}
	}
}

// parameter cuts the value of a parameter, quoted or not, from what follows.
func parameter(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		if i := strings.IndexAny(s, " \t,"); i >= 0 {
			return s[:i], s[i:]
		}
		return s, ""
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
			fallthrough
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}

// union is both lists, each scope once.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, scope := range b {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}
