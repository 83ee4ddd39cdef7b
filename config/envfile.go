package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"
)

// envFile reads the file that a definition names, as VS Code does. The
// definition's own env comes first. A line that cannot be read is a warning, and
// its contents never get into a message.
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
	table, bad := parseEnvFile(string(content))
	const most = 5
	for i, line := range bad {
		if i == most {
			r.reportValue(v, "warning", "env-file", fmt.Sprintf("server %q: \"envFile\" %s: %d more lines are not NAME=VALUE and are left out", r.server.Name, filepath.Base(path), len(bad)-most))
			break
		}
		r.reportValue(v, "warning", "env-file", fmt.Sprintf("server %q: \"envFile\" %s: line %d is not NAME=VALUE and is left out", r.server.Name, filepath.Base(path), line))
	}
	maps.Copy(table, env)
	return table
}

// envName is what comes before a value: NAME=, NAME: or export NAME=.
var envName = regexp.MustCompile(`^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)(?:[ \t]*=|:[ \t])[ \t]*`)

// parseEnvFile returns the variables, and the 1-based numbers of lines that are
// none. A quoted value may go on over several lines; a quote that is never closed
// is a part of its line's value.
func parseEnvFile(content string) (table map[string]string, bad []int) {
	table = map[string]string{}
	content = strings.ReplaceAll(strings.TrimPrefix(content, "\ufeff"), "\r\n", "\n")
	unclosed := map[byte]bool{} // quotes that do not come again: looked for once
	for line := 1; content != ""; line++ {
		text, rest, _ := strings.Cut(content, "\n")
		trimmed := strings.TrimSpace(text)
		m := envName.FindStringSubmatchIndex(text + " ")
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case m == nil || strings.ContainsRune(text, 0):
			bad = append(bad, line)
		default:
			name, value := text[m[2]:m[3]], text[min(m[1], len(text)):]
			if value != "" && strings.IndexByte("\"'`", value[0]) >= 0 && !unclosed[value[0]] {
				start := len(text) - len(value)
				quoted, after, closed := cutQuoted(content[start:])
				if closed && !strings.ContainsRune(quoted, 0) {
					tail, next, _ := strings.Cut(after, "\n")
					if tail = strings.TrimSpace(tail); tail != "" && tail[0] != '#' {
						bad = append(bad, line)
						break
					}
					table[name] = quoted
					line += strings.Count(content[:len(content)-len(after)], "\n")
					rest = next
					break
				}
				unclosed[value[0]] = !closed
			}
			if at := strings.Index(" "+value, " #"); at >= 0 {
				value = value[:max(0, at-1)]
			}
			table[name] = strings.TrimSpace(value)
		}
		content = rest
	}
	return table, bad
}

// cutQuoted takes a quoted string off the front. Double quotes know \n, \r, \" and
// \\.
func cutQuoted(s string) (value, rest string, ok bool) {
	if s == "" || strings.IndexByte("\"'`", s[0]) < 0 {
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
			case 'r':
				b.WriteByte('\r')
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
