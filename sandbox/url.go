package sandbox

import (
	"net/url"
	"strings"

	"github.com/dop251/goja"
)

// parseQuery gives the [name, value] pairs of application/x-www-form-urlencoded.
func parseQuery(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	unescape := func(s string) string {
		if u, err := url.QueryUnescape(s); err == nil {
			return strings.ToValidUTF8(u, "\ufffd")
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

var defaultPorts = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}

// parseURL gives the parts of a URL by RFC 3986, normalised as the URL standard
// does for ordinary ones; null when it is none.
func parseURL(vm *goja.Runtime, c goja.FunctionCall) goja.Value {
	u, err := url.Parse(strings.TrimSpace(c.Argument(0).String()))
	if err != nil {
		return goja.Null()
	}
	if base := c.Argument(1).String(); base != "" {
		b, err := url.Parse(base)
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
		query = "?" + strings.ReplaceAll(query, " ", "%20")
	}
	if fragment != "" {
		fragment = "#" + fragment
	}
	password, _ := u.User.Password()
	o := vm.CreateObject(nil)
	for k, v := range map[string]string{
		"protocol": scheme + ":", "hostname": host, "port": port, "username": u.User.Username(), "password": password,
		"pathname": path, "search": query, "hash": fragment,
	} {
		o.Set(k, v)
	}
	return o
}
