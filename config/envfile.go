package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// envFile reads the file that a definition names: KEY=VALUE lines, quotes, and
// comments with #. The definition's own env comes first. Its contents never get
// into a message.
func (r *serverReader) envFile(v *hujson.Value, env map[string]string) map[string]string {
	path := r.directory("envFile", v)
	if path == "" {
		return env
	}
	r.envFilePath = path
	content, err := readFile(path)
	if err != nil {
		r.problem(v, "env-file", fmt.Sprintf("\"envFile\" %s: %v", filepath.Base(path), err))
		return env
	}
	table, line := parseEnvFile(string(content))
	if line > 0 {
		r.problem(v, "env-file", fmt.Sprintf("\"envFile\" %s: line %d is not NAME=VALUE", filepath.Base(path), line))
		return env
	}
	maps.Copy(table, env)
	return table
}

// parseEnvFile returns the variables, or the 1-based number of the first line
// that is none.
func parseEnvFile(content string) (table map[string]string, badLine int) {
	table = map[string]string{}
	content = strings.TrimPrefix(content, "\ufeff")
	for i, line := range strings.Split(content, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" || strings.ContainsAny(name, " \t\x00") || strings.ContainsRune(value, 0) {
			return nil, i + 1
		}
		value = strings.TrimSpace(value)
		if quoted, rest, found := cutQuoted(value); found {
			if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
				return nil, i + 1
			}
			value = quoted
		} else if at := strings.Index(value, " #"); at >= 0 {
			value = strings.TrimSpace(value[:at])
		}
		table[name] = value
	}
	return table, 0
}

// cutQuoted takes a quoted string off the front. Double quotes know \n, \" and \\.
func cutQuoted(s string) (value, rest string, ok bool) {
	if s == "" || (s[0] != '"' && s[0] != '\'') {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return b.String(), s[i+1:], true
		case s[0] == '"' && s[i] == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case '"', '\\':
				b.WriteByte(s[i])
			default:
				b.WriteByte('\\')
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", s, false
}
