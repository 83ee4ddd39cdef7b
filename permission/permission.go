package permission

import "codemode-ls/script"

// Effect of a rule or decision.
type Effect string

const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

// Layer that a rule lives in.
type Layer string

const (
	Managed   Layer = "managed"   // the administrator's
	User      Layer = "user"      // the user's own file
	Workspace Layer = "workspace" // the user's rules for one workspace, kept outside of it
	// Repository rules come with the workspace's files, which are not trusted:
	// their deny and ask count, their allow does not.
	Repository Layer = "repository"
	Flag       Layer = "flag"    // --allow, --deny
	Session    Layer = "session" // in memory
	Builtin    Layer = "builtin" // the demo server's tools
)

// Rule names leaves: mcp__server__tool, `*` inside a segment.
type Rule struct {
	Effect Effect
	Layer  Layer
	Match  string
	File   string       // absolute path, or ""
	Range  script.Range // of the rule in File
}

// Decision on one leaf. Rule is nil when no rule matched.
type Decision struct {
	Effect Effect
	Rule   *Rule
}

// Rules is an immutable set of rules.
type Rules struct {
	// unexported
}

// NewRules makes a set.
func NewRules(rules []Rule) *Rules { panic("not built") }

// Decide applies PERM-1 to a full name.
func (r *Rules) Decide(leaf string) Decision { panic("not built") }

// All are the rules, in no particular order of precedence.
func (r *Rules) All() []Rule { panic("not built") }
