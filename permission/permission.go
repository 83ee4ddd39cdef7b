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

// Exec is the leaf that stands for running a script at all. A rule for it is
// not a rule for the calls of scripts, and the other way round (PERM-2).
const Exec = "Exec"

// Rule names leaves: Exec, or mcp__server__tool with `*` inside a segment. The
// third segment is everything behind the second `__`, so mcp__server__* covers
// every tool of that server. A backslash takes a following `*` or backslash
// literally; see Literal.
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
	all   []Rule
	exact map[string][]*Rule // rules without a wildcard, by leaf
	globs []glob             // the others
	// known is who has which tool, nil when that is not known: then a rule counts for
	// a name, whoever has it. grants is whom rules were given for.
	known  *Known
	grants grants
	pins   pins
}

type glob struct {
	pattern pattern
	rule    *Rule
}

// NewRules makes a set. A rule whose Match names nothing (see Valid) matches
// nothing; readers of files report it before it comes here.
func NewRules(rules []Rule) *Rules {
	r := &Rules{all: append([]Rule(nil), rules...), exact: map[string][]*Rule{}}
	for i := range r.all {
		rule := &r.all[i]
		if rule.Layer == Repository && rule.Effect == Allow {
			continue // untrusted: kept in All so that people see it, never in force
		}
		p, err := parse(rule.Match)
		if err != nil {
			continue
		}
		if leaf, ok := p.leaf(); ok {
			r.exact[leaf] = append(r.exact[leaf], rule)
			continue
		}
		r.globs = append(r.globs, glob{p, rule})
	}
	return r
}

// Decide applies PERM-1 to a full name: deny wins over ask, ask over allow,
// whatever the layer, and no rule is ask.
//
// A rule that allows counts only for the servers that it was given for.
func (r *Rules) Decide(leaf string) Decision {
	var best *Rule
	better := func(rule *Rule) bool {
		return (best == nil || rank(rule.Effect) > rank(best.Effect)) && (rule.Effect != Allow || r.counts(rule, leaf))
	}
	for _, rule := range r.exact[leaf] {
		if better(rule) {
			best = rule
		}
	}
	for _, g := range r.globs {
		if g.pattern.match(leaf) && better(g.rule) {
			best = g.rule
		}
	}
	if best == nil {
		return Decision{Effect: Ask}
	}
	return Decision{Effect: best.Effect, Rule: best}
}

// Asking are all rules that say "ask" of a full name. Decide names one of them.
func (r *Rules) Asking(leaf string) (asking []*Rule) {
	for _, rule := range r.exact[leaf] {
		if rule.Effect == Ask {
			asking = append(asking, rule)
		}
	}
	for _, g := range r.globs {
		if g.rule.Effect == Ask && g.pattern.match(leaf) {
			asking = append(asking, g.rule)
		}
	}
	return asking
}

// rank orders effects by which one wins. An effect that does not exist cannot
// come from a file; it counts as a denial rather than as nothing.
func rank(e Effect) int {
	switch e {
	case Allow:
		return 1
	case Ask:
		return 2
	default:
		return 3
	}
}

// All are the rules, in no particular order of precedence.
func (r *Rules) All() []Rule { return append([]Rule(nil), r.all...) }
