package exec

import (
	"fmt"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
)

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// shown is a name that a script made up, fit for one line.
func shown(name string) string {
	const most = 128
	name = fold(name)
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "…"
	}
	return name
}

// ruleWords names a rule for display: where it is kept and what it says.
func ruleWords(r *permission.Rule) string {
	if r == nil {
		return "the rules"
	}
	layer := map[permission.Layer]string{
		permission.Managed:    "a rule of the administrator",
		permission.User:       "a rule of the user",
		permission.Workspace:  "a rule for this workspace",
		permission.Repository: "a rule of the repository",
		permission.Flag:       "a rule of the command line",
		permission.Session:    "a rule for this session",
		permission.Builtin:    "a built-in rule",
	}[r.Layer]
	return fmt.Sprintf("%s (%s)", layer, r.Match)
}

// unknownTool is the error for a name outside the pool (EXEC-6).
func unknownTool(pool *catalog.Catalog, name string) error {
	message := fmt.Sprintf("%s is not available: only MCP tools can be reached from a script, and none has this name. "+
		`Find tools with tools["$codemode"].search({ query: "..." }).`, shown(name))
	if close := pool.Closest(name, 3); len(close) > 0 {
		message += " Did you mean " + strings.Join(close, " or ") + "?"
	}
	return &sandbox.CallError{Message: message, Tool: shown(name), Code: CodeUnknownTool}
}
