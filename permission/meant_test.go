package permission

import "testing"

// PERM-14: another notation is refused with the rule that would do it.
func TestPerm14Meant(t *testing.T) {
	for match, meant := range map[string]string{
		"mcp__git__git_log(*)":     "mcp__git__git_log",
		"mcp__git__git_push(main)": "mcp__git__git_push",
		"mcp__git__log:*":          "mcp__git__log",
		"mcp__git__push ":          "mcp__git__push",
		" mcp__git__push":          "mcp__git__push",
		"mcp__git__push\t":         "mcp__git__push",
		"mcp__git__push\u200b":     "mcp__git__push",
		"mcp__git__push\u00a0":     "mcp__git__push",
		"MCP__git__push":           "mcp__git__push",
		"Mcp__git__*":              "mcp__git__*",
		"mcp__git__.*":             "mcp__git__*",
		"^mcp__git__push$":         "mcp__git__push",
		"mcp__git__":               "mcp__git__*",
		"mcp__my.server__push":     "mcp__my_server__push",
		"mcp__my server__push":     "", // which part is the name is not plain
		"mcp.git.push":             "mcp__git__push",
		"mcp/git/push":             "mcp__git__push",
		"tools.mcp__git__push":     "mcp__git__push",
		"git__push":                "mcp__git__push",
		"git/push":                 "mcp__git__push",
		"exec":                     "Exec",
		"Exec(*)":                  "Exec",
		"Bash(git push:*)":         "",
		"Read":                     "",
		"git":                      "",
		"":                         "",
		"  ":                       "",
		"!mcp__git__push":          "",
		"mcp__":                    "",
	} {
		if Valid(match) == nil {
			t.Errorf("%q is taken for a rule", match)
		}
		if got := Meant(match); got != meant {
			t.Errorf("%q means %q, want %q", match, got, meant)
		}
		if meant != "" && Valid(meant) != nil {
			t.Errorf("%q is proposed and is no rule", meant)
		}
	}
}

// PERM-14: where the meaning is plain, it is understood.
func TestPerm14Plain(t *testing.T) {
	for match, leaf := range map[string]string{
		"mcp__git": "mcp__git__push", "*": "mcp__git__push", "mcp__*": "mcp__git__push", "**": "mcp__git__push",
		"mcp__g*": "mcp__git__push", `mcp__git__push\(main\)`: "mcp__git__push(main)",
	} {
		rules := NewRules([]Rule{{Effect: Deny, Layer: User, Match: match}})
		if rules.Decide(leaf).Effect != Deny {
			t.Errorf("%s does not deny %s", match, leaf)
		}
		if rules.Decide("mcp__other__push(x)").Effect == Deny && Canonical(match) != everyTool {
			t.Errorf("%s denies other tools", match)
		}
		if rules.Decide(Exec).Effect == Deny { // PERM-2
			t.Errorf("%s denies scripts", match)
		}
	}
}
