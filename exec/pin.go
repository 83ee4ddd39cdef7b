package exec

import (
	"fmt"
	"strings"

	"codemode-ls/catalog"
	"codemode-ls/internal/linediff"
	"codemode-ls/permission"
)

// maxShownChange is how many lines of a change a question shows.
const maxShownChange = 40

// ToolChange is how a tool differs from what it was, for a person, in at most so
// many lines.
func ToolChange(was string, t *catalog.Tool, most int) string {
	if was == "" {
		return "What it was before is no longer kept."
	}
	diff := strings.TrimRight(linediff.Unified("as you allowed it", "as it is now", was, t.Card()), "\n")
	lines := strings.Split(diff, "\n")
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("… %d more lines: codemode-ls trust diff %s", more, shown(t.Name)))
	}
	return strings.Join(lines, "\n")
}

// pinOf is a tool as it is now.
func pinOf(t *catalog.Tool) permission.Pin {
	return permission.Pin{Leaf: t.Name, Hash: t.Pin(), Text: t.Card}
}

// pinFirst pins a tool that a rule lets run for the first time.
func (x *run) pinFirst(c *call, v verdict) {
	if !v.allow || v.by != byRule && v.by != byReadOnly || !v.rule.Pins() || !x.r.Rules.Rules().Unpinned(c.tool.Name) {
		return
	}
	if err := x.r.Rules.Pin(true, pinOf(c.tool)); err != nil {
		x.r.log().Warn("tool not pinned: a change of it is not noticed", "tool", c.tool.Name, "err", err)
	}
}

// pinAnew pins a tool that a person has allowed for longer than this call or run: the
// rules that a change of it has held back count again.
func (n *question) pinAnew(a Answer) {
	if a.Decision != "allow" || a.Scope != "session" && a.Scope != "workspace" && a.Scope != "user" {
		return
	}
	if err := n.x.r.Rules.Pin(false, pinOf(n.c.tool)); err != nil {
		n.x.r.log().Warn("tool not pinned: a change of it is not noticed", "tool", n.c.tool.Name, "err", err)
	}
}
