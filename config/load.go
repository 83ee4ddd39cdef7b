package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// WorkspaceFile is a workspace folder's own file, relative to the folder.
const WorkspaceFile = ".codemode/mcp.json"

// UserFile is the name of the user's configuration file in Sources.UserDir.
const UserFile = "config.json"

// Files are the configuration files that Load would read, whether they exist or
// not: what a watcher has to watch.
func Files(s Sources) []string {
	var files []string
	for _, k := range s.withDefaults().kinds() {
		files = append(files, k.Path)
	}
	for _, k := range s.listFiles() {
		files = append(files, k.Path)
	}
	for _, folder := range s.Folders {
		files = append(files, hooksFile(folder))
	}
	return files
}

// withDefaults fills in what was left to this process.
func (s Sources) withDefaults() Sources {
	if s.LookupEnv == nil {
		s.LookupEnv = os.LookupEnv
	}
	if s.System == "" {
		s.System = runtime.GOOS
	}
	return s
}

func (s Sources) userFile() string {
	switch {
	case s.File != "":
		if path, err := filepath.Abs(s.File); err == nil {
			return path
		}
		return s.File
	case s.UserDir != "":
		return filepath.Join(s.UserDir, UserFile)
	}
	return ""
}

// Load reads every source. It always returns a usable Config: what is wrong is
// in Findings, never an empty configuration with a problem lost.
func Load(s Sources) *Config {
	l := &loader{sources: s.withDefaults(), config: defaults()}
	l.load()
	return l.config
}

// loader collects servers by layer and applies settings in the order user,
// editor, workspace: the later one wins, as editors have it.
type loader struct {
	sources Sources
	config  *Config
}

func (l *loader) load() {
	s := l.sources
	user := l.guardFile(s.userFile(), s.File != "", ownDialect.paths())
	editor := l.section(s.Editor, "the editor's settings")
	editorWorkspace := l.section(s.EditorWorkspace, "the editor's settings for this workspace")

	l.settings(user, true)
	l.settings(editor.without(editorWorkspace), true)
	l.settings(editorWorkspace, false)
	l.remote(editor)
	l.config.Hooks = l.allHooks(user, editor, editorWorkspace)
	for _, folder := range s.Folders {
		l.config.Hooks = append(l.config.Hooks, l.workspaceHooks(l.guardFile(hooksFile(folder), false, nil))...)
	}

	var servers []Server
	for _, flag := range s.Flags {
		if server, ok := l.flag(flag); ok {
			servers = append(servers, server)
		}
	}
	// Clients that say what is workspace-scoped send the merged section beside it.
	// A server that the workspace's settings touch at all is the workspace's.
	var ofWorkspace []Server
	touched := editorWorkspace.serverNames()
	for _, server := range l.servers(editor, Editor, "") {
		if touched[server.Name] {
			server.Layer = Workspace
			ofWorkspace = append(ofWorkspace, server)
			delete(touched, server.Name)
			continue
		}
		servers = append(servers, server)
	}
	if len(touched) > 0 {
		for _, server := range l.servers(editorWorkspace, Workspace, "") {
			if touched[server.Name] {
				ofWorkspace = append(ofWorkspace, server)
			}
		}
	}
	servers = append(servers, ofWorkspace...)
	var lists []serverList
	for _, k := range l.sources.kinds() {
		switch {
		case k.Client.Name == "" && k.Layer == User:
			found := l.servers(user, User, "")
			l.found(k, user, found)
			servers = append(servers, found...)
		case k.Client.Name == "" || k.Moved || slices.Contains(l.config.Import, k.Client.Name):
			d := l.fileOf(k)
			found := l.kindServers(k, d)
			if k.Client.Name == "gemini-cli" && d.partial && section(d.object, []string{"mcp"}) == nil {
				for i := range found {
					found[i].Problem = cmp.Or(found[i].Problem, fmt.Sprintf("%s: a list of servers to leave out may stand behind the fault in this file", k.Path))
				}
			}
			l.found(k, d, found)
			servers = append(servers, found...)
			lists = append(lists, l.serverLists(k, d)...)
		}
	}
	for _, k := range l.sources.listFiles() {
		if slices.Contains(l.config.Import, k.Client.Name) {
			lists = append(lists, l.serverLists(k, l.fileOf(k))...)
		}
	}
	switchOff(servers, lists)
	if l.config.Demo {
		servers = append(servers, DemoServer(s.Executable))
	}
	for i := range servers {
		servers[i].Folder = l.folderOf(servers[i].Layer, servers[i].File)
		servers[i].Inherit, servers[i].WithoutRoots = l.config.Inherit, slices.Contains(l.config.WithoutRoots, servers[i].Name)
	}
	for i := range l.config.Hooks {
		l.config.Hooks[i].Folder = l.folderOf(l.config.Hooks[i].Layer, l.config.Hooks[i].File)
	}
	l.unite(servers)
	l.resembling()
}

// folderOf is the workspace's folder that a definition belongs to: the innermost one
// that has its file, the first one for those of the editor's settings.
func (l *loader) folderOf(layer Layer, file string) string {
	if layer != Workspace || len(l.sources.Folders) == 0 {
		return ""
	}
	owner := l.sources.Folders[0]
	within := ""
	for _, folder := range l.sources.Folders {
		if path, err := filepath.Rel(folder, file); file != "" && err == nil && filepath.IsLocal(path) && len(folder) > len(within) {
			within = folder
		}
	}
	return cmp.Or(within, owner)
}

// unite keeps the first of each name (MCP-1). A workspace's server takes the place of
// the user's own only once it is approved, which the workspace package sees to.
func (l *loader) unite(servers []Server) {
	first := map[string]Server{}
	for _, server := range servers {
		kept, taken := first[server.Name]
		if !taken {
			first[server.Name] = server
			l.config.Servers = append(l.config.Servers, server)
			continue
		}
		l.config.Shadowed = append(l.config.Shadowed, server)
		if server.Layer == Demo {
			continue
		}
		severity := "warning"
		if server.Client != "" {
			severity = "information" // the same server in several clients' files is the normal case
		}
		message := fmt.Sprintf("server %q is not used: the one of %s comes first", server.Name, Origin(kept))
		if kept.Layer == Workspace && server.Layer != Workspace {
			message = fmt.Sprintf("server %q is not used once you approve the one of %s", server.Name, Origin(kept))
		}
		l.config.Findings = append(l.config.Findings, Finding{
			File: server.File, StartLine: server.Line, EndLine: server.Line + 1,
			Severity: severity, Code: "shadowed-server", Message: message,
		})
	}
}

// Origin explains where a server was found.
func Origin(s Server) string {
	switch {
	case s.File != "":
		return s.File
	case s.Layer == Flag:
		return "the command line"
	case s.Layer == Workspace:
		return "the editor's settings for this workspace"
	}
	return "the editor's settings"
}

// DemoServer is the built-in demo server: this program with the argument "demo".
// executable "" is os.Executable.
func DemoServer(executable string) Server {
	s := Server{Name: "demo", Layer: Demo, Transport: Stdio, Command: executable, Args: []string{"demo"}}
	if executable == "" {
		path, err := os.Executable()
		if err != nil {
			s.Problem = fmt.Sprintf("the path of this program is not known: %v", err)
		}
		s.Command = path
	}
	return s
}

// CodeBadFlag is the code of the finding for a --server that cannot be read.
const CodeBadFlag = "bad-flag"

// flag reads NAME=COMMAND ARGS, or NAME=URL. Words before the command that are
// assignments are its environment, as in a shell.
func (l *loader) flag(value string) (Server, bool) {
	bad := func(format string, args ...any) (Server, bool) {
		l.config.Findings = append(l.config.Findings, Finding{
			Severity: "error", Code: CodeBadFlag,
			Message: fmt.Sprintf("--server %s: ", quoteWord(clip(value))) + fmt.Sprintf(format, args...),
		})
		return Server{}, false
	}
	name, command, ok := strings.Cut(value, "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" {
		return bad("expected NAME=COMMAND ARGS")
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		return bad("a server's name cannot have line breaks or other control characters")
	}
	words, err := splitWords(command, runtime.GOOS == "windows")
	if err != nil {
		return bad("%v", err)
	}
	server := Server{Name: name, Layer: Flag, Transport: Stdio}
	for len(words) > 0 && isAssignment(words[0]) {
		if server.Env == nil {
			server.Env = map[string]string{}
		}
		variable, content, _ := strings.Cut(words[0], "=")
		server.Env[variable] = content
		words = words[1:]
	}
	if len(words) == 0 || words[0] == "" {
		return bad("the command is missing")
	}
	if len(words) == 1 && (strings.HasPrefix(words[0], "http://") || strings.HasPrefix(words[0], "https://")) {
		if err := checkURL(words[0]); err != nil {
			return bad("%v", err)
		}
		server.Transport, server.URL = HTTP, words[0]
		return server, true
	}
	server.Command, server.Args = words[0], words[1:]
	return server, true
}

// isAssignment reports whether a word is FOO=bar rather than a command.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	if !ok || name == "" || (name[0] >= '0' && name[0] <= '9') {
		return false
	}
	for _, b := range []byte(name) {
		if b != '_' && (b < '0' || b > '9') && (b < 'A' || b > 'Z') && (b < 'a' || b > 'z') {
			return false
		}
	}
	return true
}

func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		// The error's own text would repeat the URL, which may hold a secret.
		return errors.New("\"url\" is not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("\"url\" must begin with http:// or https://")
	case u.Host == "":
		return errors.New("\"url\" names no host")
	}
	return nil
}

// layerDocument is a document with its root object, nil when there is none.
type layerDocument struct {
	*document
	object *hujson.Object
	// hidden says which settings do not count here; nil is none.
	hidden func(name string) bool
}

// fileOf reads a file of any kind.
func (l *loader) fileOf(k FileKind) layerDocument {
	return l.read(k.Path, false, k.Client.dialect, k.servers)
}

// read reads a file. One that does not exist is a finding only when it was asked for by
// name. within are the objects in it that are read as far as a fault of syntax
// lets them be.
func (l *loader) read(path string, required bool, dialect *dialect, within [][]string) layerDocument {
	d := layerDocument{document: &document{file: path, what: path, findings: &l.config.Findings, within: within}}
	if path == "" {
		return d
	}
	content, err := readFile(path)
	switch {
	case errors.Is(err, errNoFile) && !required:
	case err != nil:
		l.config.Findings = append(l.config.Findings, Finding{
			File: path, Severity: "error", Code: "unreadable-file",
			Message: fmt.Sprintf("cannot read the configuration: %v", err),
		})
	default:
		d.text = content
		d.object = d.parseText(dialect)
	}
	return d
}

// found notes a file with servers.
func (l *loader) found(k FileKind, d layerDocument, servers []Server) {
	if d.object == nil || len(servers) == 0 {
		return
	}
	f := Found{File: k.Path, Client: k.Client.Name, Layer: k.Layer}
	for _, s := range servers {
		f.Servers = append(f.Servers, s.Name)
	}
	l.config.Found = append(l.config.Found, f)
}

// section reads editor settings.
func (l *loader) section(value jsontext.Value, what string) layerDocument {
	d := layerDocument{document: &document{what: what, text: slices.Clone(value), findings: &l.config.Findings}}
	d.object = d.parse()
	return d
}

// scope of servers in a layer; folder is that of a workspace file, file the path
// that they are read from.
func (l *loader) scope(layer Layer, folder, file string, client Client) scope {
	s := l.sources
	sc := scope{layer: layer, folder: folder, client: client, dialect: client.dialect}
	sc.expander = expander{syntax: client.dialect.syntax, lookup: s.LookupEnv, folder: folder, home: s.Home}
	if folder == "" && len(s.Folders) > 0 {
		sc.expander.folder = s.Folders[0]
	}
	sc.expander.input = func(id string) (string, bool) {
		if s.Inputs != nil {
			if value, ok := s.Inputs(file, id); ok {
				return value, true
			}
		}
		return s.LookupEnv(Input{ID: id}.Variable())
	}
	if layer != Workspace {
		sc.expander.file = func(path string) (string, error) {
			if rest, ok := strings.CutPrefix(path, "~/"); ok && s.Home != "" {
				path = filepath.Join(s.Home, rest)
			} else if !filepath.IsAbs(path) {
				path = filepath.Join(filepath.Dir(file), path)
			}
			content, err := readFile(path)
			return strings.TrimSpace(string(content)), err
		}
	}
	return sc
}

func (l *loader) servers(d layerDocument, layer Layer, folder string) []Server {
	if d.object == nil {
		return nil
	}
	v := d.find("mcpServers")
	if v == nil {
		return nil
	}
	return d.readServers(&v.Value, "mcpServers", l.scope(layer, folder, d.file, ownClient))
}

// serverNames are the names that d defines servers under, whatever their
// definitions are worth.
func (d layerDocument) serverNames() map[string]bool {
	names := map[string]bool{}
	if m := d.find("mcpServers"); m != nil {
		if object, ok := m.Value.Value.(*hujson.Object); ok {
			for i := range object.Members {
				names[key(&object.Members[i])] = true
			}
		}
	}
	return names
}

// kindServers reads the servers of a file that has nothing else of ours.
func (l *loader) kindServers(k FileKind, d layerDocument) []Server {
	if d.object == nil {
		return nil
	}
	if k.Client.Name == "" {
		for i := range d.object.Members {
			m := &d.object.Members[i]
			switch name := key(m); name {
			case "mcpServers", "inputs", "$schema":
			default:
				f := d.finding(m.Name.StartOffset, m.Name.EndOffset, "warning", "unknown-field", fmt.Sprintf("unknown field %q; this file has \"mcpServers\" and \"inputs\" alone", name))
				f.Name, f.Closest = name, Closest(name, []string{"mcpServers", "inputs"})
				d.add(f)
			}
		}
	}
	return l.fileServers(k, d)
}
