package ecma

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// parseQuery gives the [name, value] pairs of application/x-www-form-urlencoded.
func parseQuery(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	unescape := func(s string) string {
		if u, err := url.QueryUnescape(s); err == nil {
			return validUTF8(u)
		}
		return strings.ReplaceAll(s, "+", " ")
	}
	pairs := []any{}
	for pair := range strings.SplitSeq(c.Argument(0).String(), "&") {
		if pair == "" {
			continue
		}
		k, v, _ := strings.Cut(pair, "=")
		pairs = append(pairs, vm.NewArray(unescape(k), unescape(v)))
	}
	return vm.NewArray(pairs...)
}

// barePercent stands for a % that escapes nothing, which package url does not take.
const barePercent = "\ue000"

// forgiving takes what people write for what package url reads: a \ for a / before
// the query, and a % that escapes nothing.
func forgiving(s, base string) string {
	scheme, _, ok := strings.Cut(s, ":")
	if _, special := defaultPorts[strings.ToLower(scheme)]; special || !ok && base != "" {
		end := strings.IndexAny(s, "?#")
		if end < 0 {
			end = len(s)
		}
		s = strings.ReplaceAll(s[:end], `\`, "/") + s[end:]
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])) {
			b.WriteString(barePercent)
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// escapeQuery escapes what the URL standard escapes in a query.
func escapeQuery(s string, special bool) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>`, c) >= 0 || c == '\'' && special {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

var defaultPorts = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}

// parseURL gives the parts of a URL by RFC 3986, normalised as the URL standard
// does for ordinary ones; null when it is none.
func parseURL(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	base := c.Argument(1).String()
	u, err := url.Parse(forgiving(strings.TrimSpace(c.Argument(0).String()), base))
	if err != nil {
		return goja.Null()
	}
	if base != "" {
		b, err := url.Parse(forgiving(strings.TrimSpace(base), ""))
		if err != nil || !b.IsAbs() {
			return goja.Null()
		}
		u = b.ResolveReference(u)
	} else if u.IsAbs() && u.Host != "" {
		u = u.ResolveReference(u) // removes dot segments
	}
	scheme := strings.ToLower(u.Scheme)
	_, special := defaultPorts[scheme]
	if !u.IsAbs() || special && u.Hostname() == "" {
		return goja.Null()
	}
	port := u.Port()
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n > 65535) {
		return goja.Null()
	}
	if port == defaultPorts[scheme] {
		port = ""
	}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	path := u.EscapedPath()
	if u.Opaque != "" {
		path = u.Opaque
	} else if path == "" && u.Host != "" {
		path = "/"
	}
	query, fragment := u.RawQuery, u.EscapedFragment()
	if query != "" {
		query = "?" + escapeQuery(query, special)
	}
	if fragment != "" {
		fragment = "#" + fragment
	}
	password, _ := u.User.Password()
	o := vm.CreateObject(nil)
	for k, v := range map[string]string{
		"protocol": scheme + ":", "hostname": host, "port": port, "username": url.User(u.User.Username()).String(), "password": url.User(password).String(),
		"pathname": path, "search": query, "hash": fragment,
	} {
		o.Set(k, strings.NewReplacer(url.PathEscape(barePercent), "%", barePercent, "%").Replace(v))
	}
	return o
}
