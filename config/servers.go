package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// scope says for whom servers are read.
type scope struct {
	layer    Layer
	expander expander
	// folder is the workspace folder of a file in it, where its servers run.
	folder string
}

// serverFields are the fields of a server definition in this program's own
// dialect, which is also that of most other clients' "mcpServers".
var serverFields = []string{
	"type", "transport", "command", "args", "env", "envFile", "cwd", "url", "headers",
	"disabled", "enabled", "protocol",
}

// foreignFields are what other clients write into such definitions. They have no
// meaning here and are no mistake either.
var foreignFields = []string{
	"alwaysAllow", "autoApprove", "description", "dev", "disabledTools", "enabledTools", "excludeTools", "gallery",
	"headersHelper", "icon", "includeTools", "name", "note", "oauth", "sandboxEnabled", "timeout", "tools", "trust", "version",
}

// serverReader turns one definition into a Server. The first problem makes the
// server unusable; every problem becomes a finding.
type serverReader struct {
	*document
	scope
	server Server
}

// readServers reads an object of definitions.
func (d *document) readServers(v *hujson.Value, sc scope) []Server {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		d.reportValue(v, "error", "wrong-type", fmt.Sprintf("\"mcpServers\" must be an object of servers by name, not %s", describe(v)))
		return nil
	}
	var servers []Server
	seen := map[string]bool{}
	for i := range object.Members {
		m := &object.Members[i]
		name := key(m)
		if seen[name] {
			d.reportValue(&m.Name, "error", "duplicate-server", fmt.Sprintf("server %q is defined twice; the first definition counts", name))
			continue
		}
		seen[name] = true
		r := serverReader{document: d, scope: sc}
		r.read(m)
		servers = append(servers, r.server)
	}
	return servers
}

func (r *serverReader) read(m *hujson.ObjectMember) {
	s := &r.server
	s.Name, s.Layer, s.File = key(m), r.layer, r.file
	s.Line, _ = r.position(m.Name.StartOffset)
	object, ok := m.Value.Value.(*hujson.Object)
	switch {
	case strings.TrimSpace(s.Name) == "":
		r.problem(&m.Name, "no-name", "a server needs a name")
	case !ok:
		r.problem(&m.Value, "wrong-type", fmt.Sprintf("a server must be an object, not %s", describe(&m.Value)))
		return
	}
	if object == nil {
		return
	}
	var envFile *hujson.Value
	var env map[string]string
	for i := range object.Members {
		m := &object.Members[i]
		switch field := key(m); field {
		case "type", "transport":
			s.Transport = r.transport(&m.Value)
		case "command":
			s.Command = r.string(field, &m.Value)
		case "args":
			s.Args = r.strings(field, &m.Value)
		case "env":
			env = r.table(field, &m.Value)
		case "envFile":
			envFile = &m.Value
		case "cwd":
			s.Cwd = r.directory(field, &m.Value)
		case "url":
			s.URL = r.string(field, &m.Value)
		case "headers":
			s.Headers = r.table(field, &m.Value)
		case "disabled":
			s.Disabled = s.Disabled || r.boolean(field, &m.Value, false)
		case "enabled":
			s.Disabled = s.Disabled || !r.boolean(field, &m.Value, true)
		case "protocol":
			s.Protocol = r.protocol(&m.Value)
		default:
			if !slices.Contains(foreignFields, field) {
				r.reportValue(&m.Name, "warning", "unknown-field", fmt.Sprintf("server %q: unknown field %q; known are %s", s.Name, field, strings.Join(serverFields, ", ")))
			}
		}
	}
	s.Env = env
	if envFile != nil {
		s.Env = r.envFile(envFile, env)
	}
	if s.Cwd == "" && r.folder != "" {
		s.Cwd = r.folder
	}
	r.complete(&m.Name)
}

// complete checks that the definition says one thing, and which transport it is.
func (r *serverReader) complete(name *hujson.Value) {
	s := &r.server
	switch {
	case s.Problem != "":
	case s.Command == "" && s.URL == "":
		r.problem(name, "no-command", "neither \"command\" nor \"url\" is given")
	case s.Command != "" && s.URL != "":
		r.problem(name, "command-and-url", "both \"command\" and \"url\" are given")
	case s.URL != "" && s.Transport == Stdio:
		r.problem(name, "no-command", "type \"stdio\" needs a \"command\"")
	case s.Command != "" && (s.Transport == HTTP || s.Transport == SSE):
		r.problem(name, "no-url", fmt.Sprintf("type %q needs a \"url\"", s.Transport))
	case s.URL != "":
		if err := checkURL(s.URL); err != nil {
			r.problem(name, "bad-url", err.Error())
		}
	}
	if s.Transport == "" {
		s.Transport = Stdio
		if s.URL != "" {
			s.Transport = HTTP
		}
	}
}

// problem reports an error that keeps the server from being started. Its text
// names file and server (MCP-2).
func (r *serverReader) problem(v *hujson.Value, code, message string) {
	message = fmt.Sprintf("server %q: %s", r.server.Name, message)
	r.reportValue(v, "error", code, message)
	if r.server.Problem == "" {
		r.server.Problem = r.what + ": " + message
	}
}

// string reads a string and replaces its variables.
func (r *serverReader) string(field string, v *hujson.Value) string {
	s, ok := text(v)
	if !ok {
		r.problem(v, "wrong-type", fmt.Sprintf("%q must be a string, not %s", field, describe(v)))
		return ""
	}
	return r.expanded(field, v, s)
}

func (r *serverReader) expanded(field string, v *hujson.Value, s string) string {
	value, err := r.expander.expand(s)
	if err != nil {
		r.problem(v, err.code, fmt.Sprintf("in %q: %s", field, err.message))
		return ""
	}
	if strings.ContainsRune(value, 0) {
		r.problem(v, "wrong-type", fmt.Sprintf("%q contains a NUL character", field))
		return ""
	}
	return value
}

func (r *serverReader) strings(field string, v *hujson.Value) []string {
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		r.problem(v, "wrong-type", fmt.Sprintf("%q must be an array of strings, not %s", field, describe(v)))
		return nil
	}
	values := make([]string, 0, len(array.Elements))
	for i := range array.Elements {
		values = append(values, r.string(fmt.Sprintf("%s[%d]", field, i), &array.Elements[i]))
	}
	return values
}

// table reads an object of strings. Numbers and booleans stand for their text,
// null for a name that is not given.
func (r *serverReader) table(field string, v *hujson.Value) map[string]string {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.problem(v, "wrong-type", fmt.Sprintf("%q must be an object of strings, not %s", field, describe(v)))
		return nil
	}
	table := make(map[string]string, len(object.Members))
	for i := range object.Members {
		m := &object.Members[i]
		name := key(m)
		if name == "" || strings.ContainsAny(name, "=\x00\r\n") {
			r.problem(&m.Name, "wrong-type", fmt.Sprintf("%q cannot be a name in %q", name, field))
			continue
		}
		switch m.Value.Value.Kind() {
		case '"':
			table[name] = r.string(field+"."+name, &m.Value)
		case '0', 't', 'f':
			table[name] = string(m.Value.Value.(hujson.Literal))
		case 'n':
		default:
			r.problem(&m.Value, "wrong-type", fmt.Sprintf("%q must be a string, not %s", field+"."+name, describe(&m.Value)))
		}
	}
	return table
}

func (r *serverReader) boolean(field string, v *hujson.Value, fallback bool) bool {
	switch v.Value.Kind() {
	case 't':
		return true
	case 'f':
		return false
	}
	r.reportValue(v, "error", "wrong-type", fmt.Sprintf("server %q: %q must be true or false, not %s", r.server.Name, field, describe(v)))
	return fallback
}

// directory reads a path, relative to the workspace folder.
func (r *serverReader) directory(field string, v *hujson.Value) string {
	path := r.string(field, v)
	switch {
	case path == "" || filepath.IsAbs(path):
		return path
	case r.expander.folder == "":
		r.problem(v, "relative-path", fmt.Sprintf("%q is a relative path, but no folder is open", field))
		return ""
	}
	return filepath.Join(r.expander.folder, path)
}

func (r *serverReader) transport(v *hujson.Value) string {
	name, _ := text(v)
	switch name {
	case "stdio", "local":
		return Stdio
	case "http", "streamable-http", "streamableHttp", "streamable_http", "remote":
		return HTTP
	case "sse":
		return SSE
	}
	r.problem(v, "unknown-transport", "\"type\" must be \"stdio\", \"http\" or \"sse\"")
	return ""
}

func (r *serverReader) protocol(v *hujson.Value) string {
	switch name, _ := text(v); name {
	case "legacy":
		return name
	case "auto":
		return ""
	}
	r.reportValue(v, "error", "wrong-type", fmt.Sprintf("server %q: \"protocol\" must be \"legacy\" or \"auto\"", r.server.Name))
	return ""
}
