package redact

import (
	"bytes"
	"regexp"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// Redactor replaces secrets by Mark. The zero value knows none yet; a nil one
// changes nothing. It is safe for concurrent use.
type Redactor struct{ known atomic.Pointer[known] }

type known struct {
	secrets finder // what is secret wherever it appears
	all     finder // these, and other configured values
}

// Set replaces what is known. Secrets are taken out of everything; values, which
// may be ordinary words (an environment variable's "production"), out of logs
// and errors alone. Both are tried in the spellings that encoders give them. What
// is too short or too common to be a secret is left out.
func (r *Redactor) Set(secrets, values []string) {
	if r == nil {
		return
	}
	var k known
	strong := spellings(secrets, minSecret)
	k.secrets = newFinder(strong, nil)
	var weak []string
	for _, v := range values {
		if !isWord(v) {
			weak = append(weak, v)
		}
	}
	k.all = newFinder(strong, spellings(weak, minValue))
	r.known.Store(&k)
}

// How many bytes a secret or another value has at least: replacing every "1"
// would hide nothing and spoil everything.
const (
	minSecret = 4
	minValue  = 6
)

// isWord reports whether a value is a word, a number or a name made of words, such as
// "environment", "read-only" or "eu.west": replacing those would spoil messages and hide nothing.
// Letters of both cases in disorder are none.
func isWord(value string) bool {
	value = strings.TrimSpace(value)
	letters := strings.IndexFunc(value, func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("-_. ", r) }) < 0
	digits := strings.Trim(value, "0123456789.:-") == ""
	return digits || letters && (value == strings.ToLower(value) || value == strings.ToUpper(value) || value[1:] == strings.ToLower(value[1:]))
}

// common are values that say nothing about anybody.
var common = []string{
	"true", "false", "none", "null", "bearer", "basic", "oauth", "oauth2", "token", "password", "secret", "production",
	"development", "staging", "default", "localhost", "127.0.0.1", "application/json", "warning",
}

// Known takes configured secrets out of s and changes nothing else: for texts
// that have another reader than a log.
func (r *Redactor) Known(s string) string {
	if k := r.load(); k != nil {
		return k.secrets.replace(s)
	}
	return s
}

// Text takes configured secrets and values out of s, and what looks like a
// credential besides: for logs, errors and standard error.
func (r *Redactor) Text(s string) string {
	if r == nil {
		return s
	}
	if k := r.load(); k != nil {
		s = k.all.replace(s)
	}
	return credentials(s)
}

// JSON is Known for the strings and names of a JSON value. The value stays JSON;
// without a secret in it, it comes back as it is.
func (r *Redactor) JSON(v jsontext.Value) jsontext.Value {
	k := r.load()
	if k == nil || k.secrets.empty() || !in(k.secrets, v) && !bytes.Contains(v, []byte(`\u`)) && !bytes.Contains(v, []byte(`\/`)) {
		return v
	}
	changed := false
	clean := func(s string) string {
		out := k.secrets.replace(s)
		changed = changed || out != s
		return out
	}
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			break
		}
		switch token.Kind() {
		case '"':
			token = jsontext.String(clean(token.String()))
		case '0':
			if text := token.String(); clean(text) != text {
				token = jsontext.String(Mark)
			}
		}
		if enc.WriteToken(token) != nil {
			break
		}
	}
	if !changed && !in(k.secrets, v) {
		return v
	}
	if clean := jsontext.Value(bytes.TrimSpace(out.Bytes())); clean.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return clean
	}
	return jsontext.Value(`"` + Mark + `"`) // rather nothing than a secret
}

func (r *Redactor) load() *known {
	if r == nil {
		return nil
	}
	return r.known.Load()
}

var (
	scheme   = regexp.MustCompile(`(?i)\b(bearer|basic)([ +]+|%20)[a-z0-9._~+/=-]{8,}`)
	named    = regexp.MustCompile(`(?i)((?:authorization|api[-_]?key|access[-_]?key|token|secret|password|passwd|credential)["']?\s*[:=]\s*["']?)([^\s"'&,;\[\]{}]{6,})`)
	userinfo = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+@`)
	prefixed = regexp.MustCompile(`\b(?:gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA)[A-Za-z0-9_-]{12,}`)
)

// credentialForms are those that only credentials have: tokens with a known
// beginning, JSON Web Tokens (RFC 7519), keys in PEM (RFC 7468).
var credentialForms = regexp.MustCompile(`^(?:(?:gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA)[A-Za-z0-9_-]{12,}|eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*)$`)

// LikeCredential reports whether a whole value has the form of a credential, so that
// it is one whatever its name.
func LikeCredential(value string) bool { return credentialForms.MatchString(strings.TrimSpace(value)) }

// credentials replaces what has the form of a credential, whoever it belongs to.
func credentials(s string) string {
	if strings.Contains(s, "://") {
		s = userinfo.ReplaceAllString(s, "${1}"+Mark+"@")
	}
	s = scheme.ReplaceAllString(s, "$1$2"+Mark)
	s = named.ReplaceAllStringFunc(s, func(m string) string {
		parts := named.FindStringSubmatch(m)
		switch strings.ToLower(parts[2]) {
		case "bearer", "basic": // the next word was the secret
			return m
		}
		return parts[1] + Mark
	})
	return prefixed.ReplaceAllString(s, Mark)
}
