package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tailscale/hujson"
)

// scope says for whom servers are read.
type scope struct {
	layer    Layer
	client   Client
	dialect  *dialect
	expander expander
	// folder is the workspace folder of a file in it, where its servers run.
	folder string
	inputs map[string]Input // that the file declares, by id
}

// foreignFields are what other clients write into definitions of any dialect.
// They have no meaning here and are no mistake either.
var foreignFields = []string{
	"alwaysAllow", "autoApprove", "description", "dev", "disabledTools", "enabledTools", "excludeTools", "gallery",
	"headersHelper", "icon", "includeTools", "name", "note", "oauth", "sandboxEnabled", "timeout", "tools", "trust", "version",
}

// serverReader turns one definition into a Server. The first problem makes the
// server unusable; every problem becomes a finding.
type serverReader struct {
	*document
	scope
	server    Server
	used      map[string]bool // ids of inputs
	envFileAt *hujson.Value   // of envFile, read when env is known
	foreign   bool            // nothing that can be started from here
	field     string          // that is being read
	// envFilePath is where envFile was read.
	envFilePath string
}

// readServers reads an object of definitions, which is called what.
func (d *document) readServers(v *hujson.Value, what string, sc scope) []Server {
	object, ok := v.Value.(*hujson.Object)
	if isNull(v) {
		return nil
	}
	if !ok {
		d.reportValue(v, "error", "wrong-type", fmt.Sprintf("%q must be an object of servers by name, not %s", what, describe(v)))
		return nil
	}
	var servers []Server
	seen := map[string]bool{}
	for i := range object.Members {
		m := &object.Members[i]
		name := key(m)
		if isNull(&m.Value) || what == sc.dialect.servers[len(sc.dialect.servers)-1] && sc.dialect.isNewer(name, &m.Value) {
			continue
		}
		if seen[name] {
			d.reportValue(&m.Name, "error", "duplicate-server", fmt.Sprintf("server %q is defined twice; the first definition counts", name))
			continue
		}
		seen[name] = true
		if server, ok := d.readServer(m, sc); ok {
			servers = append(servers, server)
			d.enter(m, server, sc.dialect)
		}
	}
	return servers
}

// readServer reads one definition; ok is false when it is none of ours.
func (d *document) readServer(m *hujson.ObjectMember, sc scope) (_ Server, ok bool) {
	w := serverReader{document: &document{file: d.file, what: d.what, text: d.text, root: d.root, findings: new([]Finding), partial: d.partial}, scope: sc}
	w.expander = sc.expander.asWritten(func(name string) { w.reads(w.field, name) })
	w.expander.noteInput = func(id string) { w.reads(w.field, "input:"+id) }
	w.read(m)
	r := d.readValues(m, sc)
	written, reads := w.written(&r)
	if len(reads) > 0 || written.Hash() != r.server.Hash() {
		r.server.Written, r.server.Reads = written, reads
	}
	return r.server, !r.foreign
}

// readValues reads a definition with the values of its variables.
func (d *document) readValues(m *hujson.ObjectMember, sc scope) serverReader {
	r := serverReader{document: d, scope: sc, used: map[string]bool{}}
	r.expander.used = r.used
	answers := r.expander.input
	if sc.dialect.syntax.inputs {
		// What is approved is the definition with its questions, not the answers:
		// first read as it is written.
		r.expander.input = nil
		r.document = &document{file: d.file, what: d.what, text: d.text, root: d.root, findings: new([]Finding), partial: d.partial}
		r.read(m)
		if len(r.used) == 0 {
			*d.findings = append(*d.findings, *r.findings...)
			return r
		}
		hash := r.server.Hash()
		r = serverReader{document: d, scope: sc, used: map[string]bool{}}
		r.expander.used, r.expander.input = r.used, answers
		r.read(m)
		r.server.Unanswered = hash
		r.needs(m)
		return r
	}
	r.read(m)
	return r
}

// needs notes which inputs nobody has answered yet.
func (r *serverReader) needs(m *hujson.ObjectMember) {
	for _, id := range slices.Sorted(maps.Keys(r.used)) {
		if _, ok := r.expander.answer(id); ok {
			continue
		}
		in, declared := r.inputs[id]
		if !declared && r.partial {
			r.problem(&m.Name, "syntax", fmt.Sprintf("what the file says of input %q stands behind a fault in it", id))
			continue
		}
		if !declared {
			in = Input{ID: id, File: r.file}
		}
		if in.Command {
			r.problem(&m.Name, "unsupported-variable", fmt.Sprintf("input %q is the answer of a command of %s, which cannot be run here", id, r.client.Title))
			continue
		}
		r.server.NeedsInput = append(r.server.NeedsInput, in)
	}
}

func (r *serverReader) read(m *hujson.ObjectMember) {
	s := &r.server
	s.Name, s.Layer, s.File, s.Client = key(m), r.layer, r.file, r.client.Name
	s.Line, _ = r.position(m.Name.StartOffset)
	object, ok := m.Value.Value.(*hujson.Object)
	switch {
	case strings.TrimSpace(s.Name) == "":
		r.problem(&m.Name, "no-name", "a server needs a name")
	case strings.ContainsFunc(s.Name, unicode.IsControl):
		r.problem(&m.Name, "no-name", "a server's name cannot have line breaks or other control characters")
	case !ok:
		r.problem(&m.Value, "wrong-type", fmt.Sprintf("a server must be an object, not %s", describe(&m.Value)))
		return
	}
	if object == nil {
		return
	}
	if name := strings.TrimFunc(s.Name, unicode.IsSpace); name != s.Name {
		r.reportValue(&m.Name, "warning", "blank-in-name", fmt.Sprintf("server %q: there is white space around its name, which is another name than %q", s.Name, name))
	}
	if f := section(object, []string{"command"}); r.dialect.extension(object) && f == nil {
		r.foreign = true
		return
	}
	r.fields(object)
	if r.envFileAt != nil && !r.expander.written {
		r.server.Env = r.envFile(r.envFileAt, r.server.Env)
	}
	if s.Cwd == "" && r.folder != "" {
		s.Cwd = r.folder
	}
	r.complete(&m.Name)
}

// fields reads the members of a definition.
func (r *serverReader) fields(object *hujson.Object) {
	s := &r.server
	seen := map[string]bool{}
	for i := range object.Members {
		m := &object.Members[i]
		name, v := key(m), &m.Value
		if seen[name] {
			r.problem(&m.Name, "duplicate-name", fmt.Sprintf("%q is given twice", name))
			continue
		}
		seen[name] = true
		f, known := r.dialect.field(name)
		if !known {
			r.unknownField(m)
			continue
		}
		if isNull(v) {
			continue
		}
		switch f.as {
		case asType:
			s.Transport = r.transport(v)
		case asCommand:
			r.command(f, v)
		case asArgs:
			s.Args = append(s.Args, r.strings(name, v)...)
		case asEnv:
			s.Env = r.merged(s.Env, r.table(name, v))
		case asEnvFile:
			r.envFileAt = v
		case asCwd:
			s.Cwd = r.directory(name, v)
		case asURL:
			s.URL = r.string(name, v)
			if s.Transport == "" && r.dialect.sse {
				s.Transport = SSE
			}
		case asHTTPURL:
			s.URL, s.Transport = r.string(name, v), HTTP
		case asHeaders:
			s.Headers = r.merged(s.Headers, r.table(name, v))
		case asDisabled:
			s.Disabled = s.Disabled || r.boolean(name, v, false)
		case asEnabled:
			s.Disabled = s.Disabled || !r.boolean(name, v, true)
		case asOnlyTools:
			s.OnlyTools = r.toolNames(name, v)
		case asWithoutTools:
			s.WithoutTools = append(s.WithoutTools, r.toolNames(name, v)...)
		case asOAuth:
			s.OAuth = r.oauth(name, v)
		case asProtocol:
			s.Protocol = r.protocol(v)
		case asTransport:
			if inner, ok := v.Value.(*hujson.Object); ok {
				r.fields(inner)
			} else {
				s.Transport = r.transport(v)
			}
		case asEnvNames:
			r.envNames(name, v)
		case asEnvHeaders:
			s.Headers = r.merged(s.Headers, r.named(name, v))
		case asBearerToken:
			if value, ok := r.ofEnvironment(name, v); ok {
				s.Headers = r.merged(s.Headers, map[string]string{"Authorization": "Bearer " + value})
			}
		}
	}
}

// extension says that a definition is that of a server which the client's own
// extension adds, with its settings alone.
func (d *dialect) extension(object *hujson.Object) bool {
	f, ok := d.field("settings")
	return ok && f.as == asOfExtensions && section(object, []string{"settings"}) != nil && section(object, []string{"url"}) == nil
}

func (r *serverReader) unknownField(m *hujson.ObjectMember) {
	name := key(m)
	var known []string
	for _, f := range r.dialect.fields {
		if f.as != asNothing && f.as != asOfExtensions && !slices.Contains(known, f.Name) {
			known = append(known, f.Name)
		}
	}
	f := r.finding(m.Name.StartOffset, m.Name.EndOffset, "warning", "unknown-field", fmt.Sprintf("server %q: unknown field %q; known are %s", r.server.Name, name, strings.Join(known, ", ")))
	f.Name, f.Closest = name, Closest(name, known)
	r.add(f)
}

// merged is both tables; the first one's values count.
func (r *serverReader) merged(first, second map[string]string) map[string]string {
	if first == nil {
		return second
	}
	all := maps.Clone(second)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, first)
	return all
}

// command reads a program, or an array or object of it and its arguments.
func (r *serverReader) command(f Field, v *hujson.Value) {
	s, field := &r.server, f.Name
	array, isArray := v.Value.(*hujson.Array)
	inner, isObject := v.Value.(*hujson.Object)
	switch {
	case isArray && f.Type == "array":
		words := r.strings(field, v)
		if len(array.Elements) == len(words) && len(words) > 0 {
			s.Command, s.Args = words[0], append(words[1:], s.Args...)
		}
	case isObject && f.Type == "string or object":
		for i := range inner.Members {
			m := &inner.Members[i]
			if isNull(&m.Value) {
				continue
			}
			switch key(m) {
			case "path":
				s.Command = r.string(field+".path", &m.Value)
			case "args":
				s.Args = append(s.Args, r.strings(field+".args", &m.Value)...)
			case "env":
				s.Env = r.merged(s.Env, r.table(field+".env", &m.Value))
			}
		}
	default:
		s.Command = r.string(field, v)
	}
}

// envNames reads names of variables of our own environment that the server gets.
func (r *serverReader) envNames(field string, v *hujson.Value) {
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		r.problem(v, "wrong-type", fmt.Sprintf("%q must be an array of names, not %s", field, describe(v)))
		return
	}
	for i := range array.Elements {
		e := &array.Elements[i]
		if o, ok := e.Value.(*hujson.Object); ok {
			if name := section(o, []string{"name"}); name != nil {
				e = name
			}
		}
		name, _ := text(e)
		if value, ok := r.ofEnvironment(field, e); ok {
			r.server.Env = r.merged(r.server.Env, map[string]string{name: value})
		}
	}
}

// named reads an object whose values are names of variables.
func (r *serverReader) named(field string, v *hujson.Value) map[string]string {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.problem(v, "wrong-type", fmt.Sprintf("%q must be an object of names, not %s", field, describe(v)))
		return nil
	}
	table := map[string]string{}
	for i := range object.Members {
		m := &object.Members[i]
		if value, ok := r.ofEnvironment(field+"."+key(m), &m.Value); ok {
			table[key(m)] = value
		}
	}
	return table
}

// oauth reads as what to sign in. Clients call the members differently.
func (r *serverReader) oauth(field string, v *hujson.Value) *OAuth {
	if v.Value.Kind() == 'f' {
		return &OAuth{Off: true}
	}
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		r.problem(v, "wrong-type", fmt.Sprintf("%q must be an object, not %s", field, describe(v)))
		return nil
	}
	o := new(OAuth)
	for i := range object.Members {
		m := &object.Members[i]
		if isNull(&m.Value) {
			continue
		}
		name := field + "." + key(m)
		switch strings.ToLower(strings.ReplaceAll(key(m), "_", "")) {
		case "clientid":
			o.ClientID = r.string(name, &m.Value)
		case "clientsecret":
			o.ClientSecret = r.string(name, &m.Value)
		case "privatekey":
			o.PrivateKey = r.string(name, &m.Value)
		case "issuer":
			o.Issuer = r.string(name, &m.Value)
		case "grant":
			if o.Grant = r.string(name, &m.Value); o.Grant != "client_credentials" && o.Grant != "" {
				r.problem(&m.Value, "wrong-type", fmt.Sprintf("%q must be \"client_credentials\", or left out where a person signs in", name))
			}
		case "scopes", "scope":
			if m.Value.Value.Kind() == '"' {
				o.Scopes = strings.Fields(r.string(name, &m.Value))
			} else {
				o.Scopes = r.strings(name, &m.Value)
			}
		case "callbackport":
			if n, ok := number(&m.Value); ok && n > 0 && n < 1<<16 {
				o.CallbackPort = n
			} else {
				r.problem(&m.Value, "wrong-type", fmt.Sprintf("%q must be the number of a port", name))
			}
		}
	}
	return o
}

// number reads a whole number.
func number(v *hujson.Value) (int, bool) {
	literal, ok := v.Value.(hujson.Literal)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(string(literal))
	return n, err == nil
}

// ofEnvironment is the value of the variable that v names.
func (r *serverReader) ofEnvironment(field string, v *hujson.Value) (string, bool) {
	name, ok := text(v)
	if !ok || !isVariableName(name) {
		r.problem(v, "wrong-type", fmt.Sprintf("%q must be the name of an environment variable", field))
		return "", false
	}
	r.field = field
	value, ok := r.expander.lookup(name)
	if !ok {
		r.problem(v, "unset-variable", fmt.Sprintf("in %q: environment variable %s is not set", field, name))
	}
	return value, ok
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
	case s.URL != "" && !r.expander.written && !strings.Contains(s.URL, "${input:"):
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
	r.field = field
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
	table, seen := make(map[string]string, len(object.Members)), map[string]bool{}
	for i := range object.Members {
		m := &object.Members[i]
		name := key(m)
		if name == "" || strings.ContainsAny(name, "=\x00\r\n") {
			r.problem(&m.Name, "wrong-type", fmt.Sprintf("%q cannot be a name in %q", name, field))
			continue
		}
		if seen[name] {
			r.problem(&m.Name, "duplicate-name", fmt.Sprintf("%q is given twice in %q", name, field))
			continue
		}
		seen[name] = true
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
	case path == "" || filepath.IsAbs(path) || r.expander.written:
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
