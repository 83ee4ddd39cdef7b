package main

import (
	"strings"
	"testing"
)

// CLI-11: a table fits the terminal, and nothing of it is cut; in a pipe a row is a line.
func TestTableFits(t *testing.T) {
	table := newTable("NAME", "TOOLS", "COMMAND")
	table.right = map[int]bool{1: true}
	command := "npx -y @modelcontextprotocol/server-filesystem /home/somebody/src/project/" + strings.Repeat("x", 200)
	table.row("files", "14", command)
	table.row("数据库", "3", "uvx mcp-server-sqlite")
	for _, width := range []int{40, 80, 200, 1000} {
		var b strings.Builder
		if err := table.print(&b, width); err != nil {
			t.Fatal(err)
		}
		var joined strings.Builder
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if columns(line) >= width {
				t.Errorf("%d columns of %d: %q", columns(line), width, line)
			}
			joined.WriteString(line)
		}
		if all := strings.ReplaceAll(joined.String(), " ", ""); !strings.Contains(all, strings.Repeat("x", 20)) || strings.Count(all, "x") != strings.Count(command, "x")+1 {
			t.Errorf("at %d something is missing:\n%s", width, b.String())
		}
	}
	var pipe strings.Builder
	if err := table.print(&pipe, 0); err != nil {
		t.Fatal(err)
	}
	want := "NAME    TOOLS  COMMAND\nfiles      14  " + command + "\n数据库      3  uvx mcp-server-sqlite\n"
	if pipe.String() != want {
		t.Errorf("%q\nwant\n%q", pipe.String(), want)
	}
}
