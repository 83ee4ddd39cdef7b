package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Lists of tools and servers narrow what a configuration offers (MCP-2). None of them
// ever approves anything, and a workspace's list changes nothing of the user's own.

// Offers reports whether the lists of the definition leave a tool, by its name on the
// server, in the pool.
func (s Server) Offers(tool string) bool {
	return (s.OnlyTools == nil || slices.Contains(s.OnlyTools, tool)) && !slices.Contains(s.WithoutTools, tool)
}

// ToolLists shows the lists of the definition to a person; "" when there are none.
func (s Server) ToolLists() string {
	var parts []string
	quoted := func(names []string) string {
		words := make([]string, len(names))
		for i, name := range names {
			words[i] = quoteWord(name)
		}
		return strings.Join(words, ", ")
	}
	switch {
	case s.OnlyTools != nil && len(s.OnlyTools) == 0:
		parts = append(parts, "no tool")
	case s.OnlyTools != nil:
		parts = append(parts, "only "+quoted(s.OnlyTools))
	}
	if len(s.WithoutTools) > 0 {
		parts = append(parts, "without "+quoted(s.WithoutTools))
	}
	return strings.Join(parts, ", ")
}

// toolNames reads a list of tools. One that cannot be read makes the server unusable:
// without it there would be more tools than its author wants.
func (r *serverReader) toolNames(field string, v *hujson.Value) []string {
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		r.problem(v, "wrong-type", fmt.Sprintf("%q must be an array of names of tools, not %s", field, describe(v)))
		return nil
	}
	names := []string{}
	for i := range array.Elements {
		name, ok := text(&array.Elements[i])
		if !ok {
			r.problem(&array.Elements[i], "wrong-type", fmt.Sprintf("%q must hold names of tools, not %s", field, describe(&array.Elements[i])))
			continue
		}
		if field == "includeTools" { // Gemini CLI also takes a tool with arguments: "name(…)"
			name, _, _ = strings.Cut(name, "(")
		}
		names = append(names, name)
	}
	return names
}

// A serverList switches servers off by their names.
type serverList struct {
	file   string
	what   string // the setting
	names  []string
	only   bool // all others are switched off
	client string
	// folder, when set: for servers of the workspace's files in that folder alone.
	folder string
}

func (list serverList) covers(s Server) bool {
	if s.Client != list.client || slices.Contains(list.names, s.Name) == list.only {
		return false
	}
	if list.folder == "" {
		return true
	}
	path, err := filepath.Rel(list.folder, s.File)
	return s.Layer == Workspace && err == nil && filepath.IsLocal(path)
}

// switchOff applies lists to servers.
func switchOff(servers []Server, lists []serverList) {
	for i := range servers {
		s := &servers[i]
		for _, list := range lists {
			if !s.Disabled && list.covers(*s) {
				s.Disabled, s.DisabledBy = true, fmt.Sprintf("%q in %s", list.what, list.file)
			}
		}
	}
}

// listFiles are files of Claude Code with lists of servers, and nothing else of ours.
func (s Sources) listFiles() []FileKind {
	var kinds []FileKind
	settings := Client{Name: "claude-code", Title: "Claude Code", dialect: &claudeSettings}
	for _, folder := range s.Folders {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			kinds = append(kinds, FileKind{Path: filepath.Join(folder, ".claude", name), Layer: Workspace, Folder: folder, Client: settings})
		}
	}
	if s.Home != "" {
		kinds = append(kinds, FileKind{Path: filepath.Join(s.Home, ".claude", "settings.json"), Layer: User, Client: settings})
	}
	return kinds
}

// claudeSettings is the dialect of those files: there are no servers in them.
var claudeSettings = dialect{servers: []string{"mcpServers"}, settings: true}

// serverLists are the lists that a file has.
func (l *loader) serverLists(k FileKind, d layerDocument) []serverList {
	var lists []serverList
	add := func(path []string, only bool, folder string) {
		v := section(d.object, path)
		if v == nil {
			return
		}
		what := strings.Join(path, ".")
		if strings.HasPrefix(what, "projects.") {
			what = path[len(path)-1]
		}
		list := serverList{file: k.Path, what: what, only: only, client: k.Client.Name, folder: folder}
		array, ok := v.Value.(*hujson.Array)
		if !ok {
			d.reportValue(v, "error", "wrong-type", fmt.Sprintf("%q must be an array of names of servers, not %s", what, describe(v)))
			return
		}
		for i := range array.Elements {
			if name, ok := text(&array.Elements[i]); ok {
				list.names = append(list.names, name)
			} else {
				d.reportValue(&array.Elements[i], "error", "wrong-type", fmt.Sprintf("%q must hold names of servers, not %s", what, describe(&array.Elements[i])))
			}
		}
		lists = append(lists, list)
	}
	switch {
	case d.object == nil:
	case k.Client.Name == "gemini-cli":
		add([]string{"mcp", "allowed"}, true, k.Folder)
		add([]string{"mcp", "excluded"}, false, k.Folder)
	case k.Client.Name == "claude-code":
		// Its list of enabled servers approves them there, and switches no other off.
		for _, folder := range l.sources.Folders {
			if k.Folder == "" || k.Folder == folder {
				add([]string{"disabledMcpjsonServers"}, false, folder)
			}
			if k.Folder == "" {
				add([]string{"projects", folder, "disabledMcpjsonServers"}, false, folder)
				add([]string{"projects", folder, "disabledMcpServers"}, false, "")
			}
		}
	}
	return lists
}
