package workspace

import (
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"codemode-ls/config"
	"codemode-ls/internal/redact"
	"codemode-ls/upstream"
)

// secrets collects what the configuration holds that nobody must see (OBS-4).
// What was configured once stays secret until the workspace closes.
type secrets struct {
	mu sync.Mutex
	// secret is taken out of everything, other out of logs and errors alone: an
	// environment variable may be an ordinary word.
	secret, other []string
}

// watch notes the variables and answers that definitions are made of: they may
// stand anywhere in them.
func (k *secrets) watch(s config.Sources) config.Sources {
	lookup := s.LookupEnv
	if lookup == nil {
		lookup = os.LookupEnv
	}
	s.LookupEnv = func(name string) (string, bool) {
		value, ok := lookup(name)
		if ok && secretName(name) {
			k.add(&k.secret, value)
		}
		return value, ok
	}
	if inputs := s.Inputs; inputs != nil {
		s.Inputs = func(file, id string) (string, bool) {
			value, ok := inputs(file, id)
			if ok {
				k.add(&k.secret, value)
			}
			return value, ok
		}
	}
	return s
}

// servers notes what is in definitions.
func (k *secrets) servers(list []config.Server) {
	for _, s := range list {
		for name, value := range s.Env {
			k.named(name, value)
			k.password(value)
		}
		k.arguments(s.Args)
		for name, value := range s.Headers {
			if ordinaryHeader(name) {
				k.add(&k.other, value)
			} else {
				k.add(&k.secret, value)
			}
		}
		if o := s.OAuth; o != nil {
			k.add(&k.secret, o.ClientSecret)
			k.add(&k.secret, o.PrivateKey)
		}
		k.password(s.URL)
		u, err := url.Parse(s.URL)
		if err != nil {
			continue
		}
		for name, values := range u.Query() {
			for _, value := range values {
				k.named(name, value)
			}
		}
	}
}

// named notes a value by its name, or by its form.
func (k *secrets) named(name, value string) {
	if secretName(name) || redact.LikeCredential(value) {
		k.add(&k.secret, value)
	} else {
		k.add(&k.other, value)
	}
}

// arguments notes what programs are commonly given in their arguments:
// --api-key VALUE, --api-key=VALUE, -e API_KEY=VALUE, "Authorization: VALUE", and a
// password in a URL. What else stands there is ordinary.
func (k *secrets) arguments(args []string) {
	for i, arg := range args {
		name, value, named := cutArgument(arg)
		flag := strings.TrimLeft(name, "-")
		switch {
		case named && secretName(flag):
			k.add(&k.secret, value)
		case named:
			k.arguments([]string{value}) // --header=Authorization: VALUE
		case flag != arg && secretName(flag) && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"):
			k.add(&k.secret, args[i+1])
		case redact.LikeCredential(arg):
			k.add(&k.secret, arg)
		default:
			k.password(arg)
		}
	}
}

// cutArgument cuts NAME=VALUE or NAME: VALUE.
func cutArgument(arg string) (name, value string, ok bool) {
	equals, colon := strings.Index(arg, "="), strings.Index(arg, ": ")
	switch {
	case strings.Contains(arg, "://") && (equals < 0 || equals > strings.Index(arg, "://")):
		return arg, "", false
	case colon >= 0 && (equals < 0 || colon < equals):
		return arg[:colon], strings.TrimSpace(arg[colon+2:]), true
	case equals >= 0:
		return arg[:equals], arg[equals+1:], true
	}
	return arg, "", false
}

// password notes the one in a URL, such as that of a database.
func (k *secrets) password(value string) {
	if !strings.Contains(value, "://") {
		return
	}
	if u, err := url.Parse(value); err == nil {
		if password, ok := u.User.Password(); ok {
			k.add(&k.secret, password)
		}
	}
}

func (k *secrets) add(to *[]string, value string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !slices.Contains(*to, value) {
		*to = append(*to, value)
	}
}

// hide has the redactor know all secrets.
func (w *Workspace) hide() {
	w.hiding.Lock()
	defer w.hiding.Unlock()
	w.redact.Set(w.known.known())
}

// secret hides what signing in to a server has brought.
func (w *Workspace) secret(value string) {
	before, _ := w.known.known()
	if slices.Contains(before, value) {
		return
	}
	w.known.add(&w.known.secret, value)
	w.hide()
}

func (k *secrets) known() (secret, other []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.secret), slices.Clone(k.other)
}

// secretWords are in the names of variables that hold secrets, as whole words or
// at the end of one (APITOKEN).
var secretWords = []string{
	"TOKEN", "KEY", "SECRET", "SECRETS", "PASS", "PASSWORD", "PASSWD", "PASSPHRASE", "AUTH", "AUTHORIZATION", "CREDENTIAL",
	"CREDENTIALS", "COOKIE", "SIGNATURE", "PAT", "JWT", "DSN", "BEARER", "PWD",
}

// aboutWords at the end of a name say that the value only leads to a secret.
var aboutWords = []string{"SOCK", "FILE", "PATH", "DIR", "NAME", "ID", "TYPE", "MODE", "URL", "URI", "HOST", "PORT", "USER"}

// secretName reports whether a variable of that name is likely to hold a secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	if strings.HasPrefix(name, "CODEMODE_INPUT_") {
		return true
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	if len(words) == 0 || name == "PWD" || name == "OLDPWD" || slices.Contains(aboutWords, words[len(words)-1]) {
		return false
	}
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(secretWords, func(secret string) bool {
			return word == secret || len(secret) >= 5 && strings.HasSuffix(word, secret) || secret == "KEY" && strings.HasSuffix(word, "APIKEY")
		})
	})
}

// ordinaryHeader reports whether a header of that name is no secret.
func ordinaryHeader(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "accept") || slices.Contains([]string{
		"content-type", "user-agent", "cache-control", "connection", "host", "origin", "referer", "mcp-protocol-version",
	}, name)
}

// redactAll redacts each text; the list itself is shared and stays as it is.
func (w *Workspace) redactAll(list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = w.redact.Text(list[i])
	}
	return list
}

// cleaned are the states of servers without secrets in what the servers wrote
// and in why they failed.
func (w *Workspace) cleaned(list []upstream.Status) []upstream.Status {
	for i := range list {
		list[i].Error, list[i].Stderr = w.redact.Text(list[i].Error), w.redact.Text(list[i].Stderr)
		list[i].Last.Failure = w.redact.Text(list[i].Last.Failure)
		list[i].Faults, list[i].LeftOut = w.redactAll(list[i].Faults), w.redactAll(list[i].LeftOut)
		list[i].Refused = list[i].State == upstream.Untrusted && w.verdict(list[i].Server) == config.Refused
	}
	return list
}
