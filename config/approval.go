package config

import (
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Read says that a definition uses a variable, and where its value goes (TRUST-1).
type Read struct {
	Name string // of an environment variable, or input:ID
	To   string // such as "header X-Client of https://host"
}

// ApprovalHash identifies the definition as it is written, which is what a person
// approves: values of variables are no part of it, so that a rotated token asks
// nothing. Any change of what is written asks again (TRUST-1).
func (s Server) ApprovalHash() string {
	if s.Written == nil {
		s.Inherit, s.WithoutRoots = nil, false // the user's own settings are no part of the definition
		return s.Hash()
	}
	w := *s.Written
	w.Unanswered = ""
	return w.Hash()
}

// Shown is the definition for a person: as it is written, without the secrets that
// can be recognised in it and without the values of environment and headers.
func (s Server) Shown() Server {
	shown := s
	if s.Written != nil {
		shown = *s.Written
		shown.Reads = s.Reads
	}
	shown.URL = maskURLs(shown.URL)
	shown.Args = maskArguments(shown.Args)
	if s.OAuth != nil {
		oauth := *shown.OAuth
		for _, secret := range []*string{&oauth.ClientSecret, &oauth.PrivateKey} {
			if *secret != "" {
				*secret = "***"
			}
		}
		shown.OAuth = &oauth
	}
	shown.Env, shown.Headers = namesOnly(shown.Env), namesOnly(shown.Headers)
	return shown
}

func namesOnly(table map[string]string) map[string]string {
	names := make(map[string]string, len(table))
	for name := range table {
		names[name] = ""
	}
	return names
}

var (
	urlUser   = regexp.MustCompile(`(?i)(\b[a-z][a-z0-9+.-]*://)([^/?#@\s]*)@`)
	urlSecret = regexp.MustCompile(`(?i)([?&#][a-z0-9_.-]*(?:key|token|secret|password|passwd|pwd|auth|credential|signature|sig)[a-z0-9_.-]*=)([^&#\s]+)`)
	reference = regexp.MustCompile(`^(?:\$\{[^}]*\}|\{env:[^}]*\}|\$\w+)$`)
)

var (
	secretFlag = regexp.MustCompile(`(?i)^--?[a-z0-9_.-]*(?:key|token|secret|password|passwd|pwd|auth|bearer|credential)[a-z0-9_.-]*$`)
	// secretWord is no path, no expression and no command: what could be started has to
	// stay in view.
	secretWord = regexp.MustCompile(`^(?:[A-Za-z0-9_+=~-]{12,}|eyJ[\w-]+\.[\w-]+\.[\w-]+)$`)
	digit      = regexp.MustCompile(`[0-9]`)
)

// maskArguments hides the secrets among arguments: those of URLs, and the values of
// options that are called like one.
func maskArguments(args []string) []string {
	masked := make([]string, len(args))
	for i, arg := range args {
		masked[i] = maskURLs(arg)
		isSecret := func(value string) bool { return secretWord.MatchString(value) && digit.MatchString(value) }
		if name, value, ok := strings.Cut(arg, "="); ok && secretFlag.MatchString(name) && isSecret(value) {
			masked[i] = name + "=***"
		} else if i > 0 && secretFlag.MatchString(args[i-1]) && isSecret(arg) {
			masked[i] = "***"
		}
	}
	return masked
}

// maskURLs hides what URLs in a text have of secrets: the user and the values of
// parameters that are called like one. A variable as the whole value stays.
func maskURLs(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	text = urlUser.ReplaceAllString(text, "${1}***@")
	return urlSecret.ReplaceAllStringFunc(text, func(match string) string {
		name, value, _ := strings.Cut(match, "=")
		if reference.MatchString(value) {
			return match
		}
		return name + "=***"
	})
}

// asWritten reads a definition without the value of any variable.
func (e expander) asWritten(read func(name string)) expander {
	e.written = true
	e.lookup = func(name string) (string, bool) { read(name); return "${" + name + "}", true }
	e.input, e.used = nil, map[string]bool{}
	if e.file != nil {
		e.file = func(path string) (string, error) { read("file:" + path); return "", nil }
	}
	return e
}

// reads notes the variables that a value of a field uses.
func (r *serverReader) reads(field, name string) {
	read := Read{Name: name, To: destination(field, name)}
	if !slices.Contains(r.server.Reads, read) {
		r.server.Reads = append(r.server.Reads, read)
	}
}

// destination says where the value of a field goes.
func destination(field, variable string) string {
	if before, index, ok := strings.Cut(strings.TrimSuffix(field, "]"), "["); ok {
		if n, err := strconv.Atoi(index); err == nil && strings.HasSuffix(before, "args") {
			return "argument " + strconv.Itoa(n+1)
		} else if err == nil && n > 0 {
			return "argument " + index // of a list that begins with the command
		}
		return "command"
	}
	table, name, _ := strings.Cut(strings.TrimPrefix(field, "command."), ".")
	switch table {
	case "headers", "http_headers", "env_http_headers":
		return "header " + name
	case "oauth", "auth":
		return "sign-in (" + name + ")"
	case "bearer_token_env_var":
		return "header Authorization"
	case "env", "environment":
		return "variable " + name
	case "env_vars":
		return "variable " + variable
	case "url", "serverUrl", "httpUrl":
		return "URL"
	case "cwd":
		return "folder"
	case "path":
		return "command"
	}
	return table
}

// written completes a definition as it is written with what reading it has found:
// a file of variables. What stands in a file of the workspace is part of what is
// approved; of a file elsewhere, the names are.
func (r *serverReader) written(actual *serverReader) (*Server, []Read) {
	w := &r.server
	if r.envFileAt != nil {
		w.EnvFile, _ = text(r.envFileAt)
		folder := r.expander.folder
		rel, err := filepath.Rel(folder, actual.envFilePath)
		inside := folder != "" && err == nil && filepath.IsLocal(rel)
		for _, name := range slices.Sorted(maps.Keys(actual.server.Env)) {
			if _, own := w.Env[name]; own {
				continue
			}
			value := ""
			if inside {
				value = actual.server.Env[name]
			}
			w.Env = r.merged(w.Env, map[string]string{name: value})
			w.Reads = append(w.Reads, Read{Name: name + " of " + w.EnvFile, To: "variable " + name})
		}
	}
	reads := w.Reads
	if host := origin(w.URL); host != "" {
		for i := range reads {
			if strings.HasPrefix(reads[i].To, "header ") || strings.HasPrefix(reads[i].To, "sign-in ") || reads[i].To == "URL" {
				reads[i].To += " of " + host
			}
		}
	}
	w.Problem, w.NeedsInput, w.Reads = "", nil, nil
	return w, reads
}

// origin is scheme and host of a URL as it is written; all of it when that is no URL.
func origin(written string) string {
	if u, err := url.Parse(written); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	return maskURLs(written)
}
