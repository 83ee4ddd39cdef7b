package workspace

import (
	"fmt"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/upstream"
)

// Unmatched says why a rule is about no tool that there is, with the closest name:
// a misspelled denial denies nothing. It is "" when a tool matches, and as long as a
// server that the rule may be about has not listed its tools.
func (s *Snapshot) Unmatched(match string) string {
	state := make([]serverTools, len(s.Servers))
	for i, v := range s.Servers {
		state[i] = serverTools{name: v.Server.Name, listed: v.State == upstream.Connected && !v.Cached || s.onDemand && v.Cached}
	}
	for _, offer := range s.Listed {
		tools := toolNames(offer)
		i := 0
		for i < len(state) && state[i].name != offer.Name {
			i++
		}
		if i == len(state) { // a recording
			state = append(state, serverTools{name: offer.Name, listed: true})
		}
		state[i].tools = tools
	}
	return unmatched(match, state)
}

// UnmatchedByLast is Unmatched for a configuration none of whose servers is started:
// by the tools that each had the last time, as far as cacheDir knows them.
func UnmatchedByLast(match string, c *config.Config, cacheDir string) string {
	var state []serverTools
	for _, def := range c.Servers {
		last := upstream.LastTools(cacheDir, def)
		v := serverTools{name: def.Name, listed: last != nil}
		if last != nil {
			v.tools = toolNames(last)
		}
		state = append(state, v)
	}
	if len(state) == 0 { // the demo server stands in
		state = []serverTools{{name: config.DemoServer("").Name}}
	}
	return unmatched(match, state)
}

// serverTools is what is known of the tools of one server.
type serverTools struct {
	name   string
	listed bool // tools are all that it has
	tools  []string
}

func toolNames(s *catalog.Server) []string {
	names := make([]string, len(s.Tools))
	for i, t := range s.Tools {
		names[i] = t.Name
	}
	return names
}

func unmatched(match string, servers []serverTools) string {
	reach, ok := permission.ReachOf(match)
	if !ok {
		return ""
	}
	key, tool := reach.Parts()
	var keys, about, tools []string
	for _, v := range servers {
		for _, name := range v.tools {
			if reach.Tool(name) {
				return ""
			}
		}
		keys = append(keys, config.Key(v.name))
		if !reach.Server(config.Key(v.name)) {
			continue
		}
		if !v.listed {
			return ""
		}
		about = append(about, v.name)
		for _, name := range v.tools {
			tools = append(tools, strings.TrimPrefix(name, "mcp__"+config.Key(v.name)+"__"))
		}
	}
	switch {
	case key != "" && len(about) == 0:
		text := fmt.Sprintf("no server has the name %s here", key)
		if close := config.Closest(key, keys); close != "" {
			text += fmt.Sprintf("; did you mean %s?", strings.Replace(permission.Canonical(match), "mcp__"+key+"__", "mcp__"+close+"__", 1))
		}
		return text
	case len(servers) == 0:
		return ""
	case key == "":
		return "no tool of any server matches it"
	case tool == "":
		return fmt.Sprintf("no tool of server %s matches it", strings.Join(about, " and "))
	}
	text := fmt.Sprintf("server %s has no tool %s", strings.Join(about, " and "), tool)
	if close := config.Closest(tool, tools); close != "" {
		text += fmt.Sprintf("; did you mean %s?", permission.Literal("mcp__"+key+"__"+close))
	}
	return text
}
