package config

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tailscale/hujson"
)

// A dialect is how one client writes its servers down (MCP-2).
type dialect struct {
	toml    bool
	servers []string // where the object of servers is, as a path of names
	// newer is where a later version of the client has them, within servers; a
	// file may have both, and the newer definition counts.
	newer string
	// settings says that the file is a client's settings, with much else in it.
	settings bool
	// bare: a file without that member may be the object of servers itself.
	bare   bool
	fields []Field
	syntax syntax
	// sse: a "url" without a type is of the older transport.
	sse bool
}

// A Field of a server's definition.
type Field struct {
	Name string
	// Type is "string", "array", "object" or "boolean".
	Type   string
	Values []string // that it can have, when they are few
	Doc    string   // a sentence for display

	as fieldKind
}

// fieldKind is what a field means, whatever it is called.
type fieldKind int

const (
	asType fieldKind = iota + 1
	asCommand
	asArgs
	asEnv
	asEnvFile
	asCwd
	asURL
	asHTTPURL // a URL of streamable HTTP
	asHeaders
	asDisabled
	asEnabled
	asProtocol
	asTransport    // an object with type, command, url and the like
	asEnvNames     // names of variables that the server gets
	asEnvHeaders   // names of variables by header
	asBearerToken  // name of the variable with a token
	asOnlyTools    // names of the only tools that are offered
	asWithoutTools // names of tools that are not
	asOAuth        // as what to sign in
	asNothing      // known, without a meaning here
	asOfExtensions // a server that the client's own extension adds
)

// syntax says which variables a dialect has.
type syntax struct {
	prefixed bool // ${env:X}, ${workspaceFolder}, ${userHome} and the like
	bare     bool // ${X} and ${X:-default}
	dollar   bool // $X
	braces   bool // {env:X}, {file:path}
	inputs   bool // ${input:id}
}

// The fields that most dialects share.
var (
	typeField    = Field{Name: "type", Type: "string", Values: []string{"stdio", "http", "sse"}, Doc: "How to speak with the server: `stdio` starts a program, `http` is streamable HTTP, `sse` the older form of it.", as: asType}
	commandField = Field{Name: "command", Type: "string", Doc: "The program to start: a name on the PATH, or a path.", as: asCommand}
	argsField    = Field{Name: "args", Type: "array", Doc: "Its arguments.", as: asArgs}
	envField     = Field{Name: "env", Type: "object", Doc: "Environment variables for it, beside the few that every server gets.", as: asEnv}
	envFileField = Field{Name: "envFile", Type: "string", Doc: "A file of NAME=VALUE lines; `env` comes first.", as: asEnvFile}
	cwdField     = Field{Name: "cwd", Type: "string", Doc: "The folder to start it in; the workspace's is the default.", as: asCwd}
	urlField     = Field{Name: "url", Type: "string", Doc: "The address of a server that runs elsewhere.", as: asURL}
	headersField = Field{Name: "headers", Type: "object", Doc: "HTTP headers for every request to `url`.", as: asHeaders}

	oauthField = Field{Name: "oauth", Type: "object", Doc: "As what to sign in to a server that demands it: `clientId`, `clientSecret`, `scopes`, `issuer`, `callbackPort`; `privateKey` and `\"grant\": \"client_credentials\"` for a program without a person. Most servers need none of them.", as: asOAuth}

	disabledField   = Field{Name: "disabled", Type: "boolean", Doc: "Switches the server off.", as: asDisabled}
	onlyToolsDoc    = "The only tools of the server that are offered, by their names on it."
	withoutToolsDoc = "Tools of the server that are not offered, by their names on it."

	enabledField = Field{Name: "enabled", Type: "boolean", Doc: "`false` switches the server off.", as: asEnabled}
)

func nothing(names ...string) []Field {
	var fields []Field
	for _, name := range names {
		fields = append(fields, Field{Name: name, as: asNothing})
	}
	return fields
}

var commonFields = []Field{typeField, commandField, argsField, envField, envFileField, cwdField, urlField, headersField, disabledField, enabledField}

var (
	ownDialect = dialect{
		servers: []string{"mcpServers"},
		fields: slices.Concat(commonFields, []Field{
			{Name: "protocol", Type: "string", Values: []string{"auto", "legacy"}, Doc: "`legacy` skips the probe for newer protocol versions, which some old servers do not survive.", as: asProtocol},
			{Name: "transport", Type: "string", Values: []string{"stdio", "http", "sse"}, Doc: "The same as `type`.", as: asType},
			{Name: "enabledTools", Type: "array", Doc: onlyToolsDoc, as: asOnlyTools},
			{Name: "disabledTools", Type: "array", Doc: withoutToolsDoc, as: asWithoutTools},
			oauthField,
		}),
		syntax: syntax{prefixed: true, bare: true, inputs: true},
	}
	vscodeDialect = dialect{
		servers: []string{"servers"},
		fields:  slices.Concat(commonFields, nothing("dev", "gallery", "version", "sandboxEnabled", "sandbox"), []Field{oauthField}),
		syntax:  syntax{prefixed: true, inputs: true},
	}
	claudeDialect = dialect{
		servers: []string{"mcpServers"}, bare: true,
		fields: slices.Concat(commonFields, nothing("headersHelper", "timeout"), []Field{oauthField}),
		syntax: syntax{prefixed: true, bare: true},
	}
	cursorDialect = dialect{
		servers: []string{"mcpServers"},
		fields:  slices.Concat(commonFields, []Field{{Name: "auth", Type: "object", Doc: oauthField.Doc, as: asOAuth}}),
		syntax:  syntax{prefixed: true, inputs: true},
	}
	windsurfDialect = dialect{
		servers: []string{"mcpServers"},
		fields: slices.Concat(commonFields, []Field{
			{Name: "serverUrl", Type: "string", Doc: urlField.Doc, as: asURL},
			{Name: "disabledTools", Type: "array", Doc: withoutToolsDoc, as: asWithoutTools},
		}),
		syntax: syntax{prefixed: true, bare: true},
	}
	zedDialect = dialect{
		servers: []string{"context_servers"}, settings: true,
		fields: slices.Concat([]Field{
			{Name: "command", Type: "string or object", Doc: commandField.Doc, as: asCommand},
			{Name: "settings", as: asOfExtensions},
		}, commonFields, nothing("source", "remote", "timeout"), []Field{oauthField}),
	}
	codexDialect = dialect{
		toml: true, servers: []string{"mcp_servers"}, settings: true,
		fields: slices.Concat([]Field{commandField, argsField, envField, cwdField, urlField, enabledField}, []Field{
			{Name: "http_headers", Type: "object", Doc: headersField.Doc, as: asHeaders},
			{Name: "env_vars", Type: "array", Doc: "Names of environment variables that the server gets.", as: asEnvNames},
			{Name: "env_http_headers", Type: "object", Doc: "HTTP headers, each with the name of the environment variable that has its value.", as: asEnvHeaders},
			{Name: "bearer_token_env_var", Type: "string", Doc: "Name of the environment variable that has the token to send as `Authorization`.", as: asBearerToken},
			{Name: "enabled_tools", Type: "array", Doc: onlyToolsDoc, as: asOnlyTools},
			{Name: "disabled_tools", Type: "array", Doc: withoutToolsDoc, as: asWithoutTools},
		}, nothing("startup_timeout_sec", "startup_timeout_ms", "tool_timeout_sec", "required", "tools", "scopes", "oauth", "oauth_resource", "http_headers_helper", "default_tools_approval_mode")),
	}
	geminiDialect = dialect{
		servers: []string{"mcpServers"}, settings: true, sse: true,
		fields: slices.Concat(commonFields, []Field{
			{Name: "httpUrl", Type: "string", Doc: "The address of a server of streamable HTTP.", as: asHTTPURL},
			{Name: "includeTools", Type: "array", Doc: onlyToolsDoc, as: asOnlyTools},
			{Name: "excludeTools", Type: "array", Doc: withoutToolsDoc, as: asWithoutTools},
		}, nothing("timeout", "trust", "authProviderType", "targetAudience", "targetServiceAccount"), []Field{oauthField}),
		syntax: syntax{bare: true, dollar: true},
	}
	opencodeDialect = dialect{
		servers: []string{"mcp"}, newer: "servers", settings: true,
		fields: slices.Concat([]Field{
			{Name: "type", Type: "string", Values: []string{"local", "remote"}, Doc: "`local` starts a program, `remote` is an address.", as: asType},
			{Name: "command", Type: "array", Doc: "The program to start, and its arguments.", as: asCommand},
			{Name: "environment", Type: "object", Doc: envField.Doc, as: asEnv},
			cwdField, urlField, headersField, enabledField, disabledField, oauthField,
		}, nothing("timeout")),
		syntax: syntax{braces: true},
	}
	clineDialect = dialect{
		servers: []string{"mcpServers"},
		fields: slices.Concat(commonFields, []Field{
			{Name: "transport", Type: "object", Doc: "How to reach the server: `type`, and `command`, `args`, `env` and `cwd`, or `url` and `headers`.", as: asTransport},
		}, nothing("timeout", "networkTimeout", "alwaysAllow", "autoApprove", "oauth")),
	}
	// literalDialect is that of clients that replace no variables.
	literalDialect = dialect{servers: []string{"mcpServers"}, fields: commonFields}
)

// Fields of a server's definition in this kind of file, those that mean
// something.
func (k FileKind) Fields() []Field {
	var fields []Field
	for _, f := range k.Client.dialect.fields {
		if f.as != asNothing && f.as != asOfExtensions {
			fields = append(fields, f)
		}
	}
	return fields
}

// field is what a name means; ok is false when nobody knows it.
func (d *dialect) field(name string) (Field, bool) {
	if i := slices.IndexFunc(d.fields, func(f Field) bool { return f.Name == name }); i >= 0 {
		return d.fields[i], true
	}
	if slices.Contains(foreignFields, name) {
		return Field{Name: name, as: asNothing}, true
	}
	return Field{}, false
}

// parseText reads a file's text in the syntax of its dialect. What is wrong is
// reported; the result is the root object, or nil.
func (d *document) parseText(dialect *dialect) *hujson.Object {
	if dialect.toml {
		return d.parseTOML(dialect.servers)
	}
	return d.parse()
}

// paths are the places of servers in a file, in order of precedence.
func (d *dialect) paths() [][]string {
	if d.newer == "" {
		return [][]string{d.servers}
	}
	return [][]string{append(slices.Clone(d.servers), d.newer), d.servers}
}

// isNewer reports whether an object is that of the newer version's servers. A server
// may have the same name: its fields are no objects then.
func (d *dialect) isNewer(name string, v *hujson.Value) bool {
	if d.newer == "" || name != d.newer {
		return false
	}
	object, ok := v.Value.(*hujson.Object)
	return ok && !slices.ContainsFunc(object.Members, func(m hujson.ObjectMember) bool {
		_, known := d.field(key(&m))
		return known && !isNull(&m.Value) && m.Value.Value.Kind() != '{'
	})
}

// isNull says that a value is null, which is the same as none for everything that
// need not be there (MCP-2).
func isNull(v *hujson.Value) bool { return v.Value.Kind() == 'n' }

// section is the value at a path of names, or nil; null is none.
func section(object *hujson.Object, path []string) *hujson.Value {
	for i, name := range path {
		if object == nil {
			return nil
		}
		var found *hujson.Value
		for j := range object.Members {
			if m := &object.Members[j]; key(m) == name || len(path) > 1 && i > 0 && sameFolder(key(m), name) {
				found = &m.Value
				break
			}
		}
		if found == nil || isNull(found) {
			return nil
		}
		if i == len(path)-1 {
			return found
		}
		object, _ = found.Value.(*hujson.Object)
	}
	return nil
}

// sameFolder compares paths as a client may have written them.
func sameFolder(a, b string) bool {
	return filepath.IsAbs(a) && filepath.Clean(filepath.FromSlash(a)) == filepath.Clean(b)
}

// looksLikeServers says that an object without the usual member is one of servers.
func looksLikeServers(object *hujson.Object) bool {
	for i := range object.Members {
		definition, ok := object.Members[i].Value.Value.(*hujson.Object)
		if !ok {
			return false
		}
		if !slices.ContainsFunc(definition.Members, func(m hujson.ObjectMember) bool { return key(&m) == "command" || key(&m) == "url" }) {
			return false
		}
	}
	return len(object.Members) > 0
}

// fileServers reads the servers of a file of any kind, in its dialect.
func (l *loader) fileServers(k FileKind, d layerDocument) []Server {
	if d.object == nil {
		return nil
	}
	sc := l.scope(k.Layer, k.Folder, k.Path, k.Client)
	if sc.dialect.syntax.inputs {
		sc.inputs = d.readInputs(d.object)
	}
	d.reportTwice(k)
	var servers []Server
	found := false
	for _, path := range k.servers {
		v := section(d.object, path)
		if v == nil {
			continue
		}
		if path[len(path)-1] == sc.dialect.newer && !sc.dialect.isNewer(sc.dialect.newer, v) {
			continue
		}
		found = true
		servers = append(servers, d.readServers(v, path[len(path)-1], sc)...)
	}
	if !found && sc.dialect.bare && k.Folder != "" && looksLikeServers(d.object) {
		root := hujson.Value{Value: d.object, StartOffset: d.root.StartOffset, EndOffset: d.root.EndOffset}
		servers = d.readServers(&root, "the file", sc)
	}
	return servers
}

// reportTwice reports members of a file that are given twice: the first counts.
func (d layerDocument) reportTwice(k FileKind) {
	seen := map[string]bool{}
	for i := range d.object.Members {
		m := &d.object.Members[i]
		name := key(m)
		ours := !k.Client.dialect.settings || slices.ContainsFunc(k.servers, func(path []string) bool { return path[0] == name })
		if seen[name] && ours {
			d.reportValue(&m.Name, "error", "duplicate-name", fmt.Sprintf("%q is given twice; the first one counts", name))
		}
		seen[name] = true
	}
}

// readInputs are the questions that a file declares, by id.
func (d *document) readInputs(object *hujson.Object) map[string]Input {
	v := section(object, []string{"inputs"})
	if v == nil {
		return nil
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		d.reportValue(v, "error", "wrong-type", fmt.Sprintf("\"inputs\" must be an array, not %s", describe(v)))
		return nil
	}
	inputs := map[string]Input{}
	for i := range list.Elements {
		e := &list.Elements[i]
		o, _ := e.Value.(*hujson.Object)
		at := func(name string) (string, bool) {
			if m := section(o, []string{name}); m != nil {
				return text(m)
			}
			return "", false
		}
		id, ok := at("id")
		if !ok || id == "" {
			d.reportValue(e, "error", "wrong-type", "an input needs an \"id\"")
			continue
		}
		in := Input{ID: id, File: d.file, Declared: true}
		in.Description, _ = at("description")
		in.Default, _ = at("default")
		if p := section(o, []string{"password"}); p != nil {
			in.Password = p.Value.Kind() == 't'
		}
		if kind, _ := at("type"); kind == "command" {
			in.Command = true
		}
		if options := section(o, []string{"options"}); options != nil {
			if array, ok := options.Value.(*hujson.Array); ok {
				for j := range array.Elements {
					option := &array.Elements[j]
					if inner, ok := option.Value.(*hujson.Object); ok {
						if v := section(inner, []string{"value"}); v != nil {
							option = v
						}
					}
					if s, ok := text(option); ok {
						in.Options = append(in.Options, s)
					}
				}
			}
		}
		if _, twice := inputs[id]; !twice {
			inputs[id] = in
		}
	}
	return inputs
}
