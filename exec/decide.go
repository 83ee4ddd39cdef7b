package exec

import (
	"codemode-ls/catalog"
	"codemode-ls/permission"
)

// decide applies the rules of this moment, and what a person has granted for
// this run. When a person has to be asked, decided is false. Whoever does not
// use the verdict gives it back (unused).
func (x *run) decide(c *call) (v verdict, decided bool) {
	leaf := c.tool.Name
	rules := x.r.Rules.Rules()
	d := rules.Decide(leaf)
	if d.Effect == permission.Deny {
		return verdict{reason: "denied by " + ruleWords(d.Rule), rule: d.Rule, by: byRule}, true
	}
	x.mu.Lock()
	g, ok := x.grants[leaf]
	if d.Effect == permission.Allow && (!ok || g.lifts(d.Rule)) {
		x.mu.Unlock()
		return verdict{allow: true, rule: d.Rule, by: byRule}, true
	}
	var l *loop
	if ok || x.loops[leaf] != nil {
		asking := rules.Asking(leaf)
		if ok = ok && g.covers(asking); !ok {
			l = x.takeLoop(leaf, c.record.Arguments, asking)
		}
	}
	x.mu.Unlock()
	switch {
	case ok:
		return verdict{allow: g.effect == permission.Allow, reason: "denied by the user for this run", rule: d.Rule, by: byGrant, scope: ForRun}, true
	case l != nil:
		return verdict{allow: true, rule: d.Rule, by: byGrant, scope: ForLoop, loop: l}, true
	}
	a := c.tool.Annotations
	if d.Rule == nil && rules.Inherits(leaf) && !rules.Changed(leaf) && a.ReadOnly != nil && *a.ReadOnly && (a.Destructive == nil || !*a.Destructive) &&
		x.r.ReadOnlyAllowed != nil && x.r.ReadOnlyAllowed(c.tool.Server) {
		return verdict{allow: true, by: byReadOnly}, true // PERM-9
	}
	return verdict{rule: d.Rule, asking: rules.Asking(leaf)}, false
}

// decided is where every decision on a call passes, once, before it is sent.
func (x *run) decided(c *call, v verdict) {
	x.r.log().Debug("call decided", "run", x.id, "tool", c.tool.Name, "allow", v.allow, "by", v.by)
	x.audited(c, v)
	x.pinFirst(c, v)
	c.span.Set("codemode.permission.by", v.by)
}

// queue gives an allowed call its place in line.
func (x *run) queue(c *call) {
	c.slot = &slot{order: c.order, class: x.r.classOf(c.tool), server: c.tool.Server}
	if !x.schedule.enter(c.slot) {
		x.status(c, CallQueued)
	}
}

// classOf is how calls of a tool are scheduled: a person can turn SCHED-1 off for
// a server.
func (r *Runner) classOf(t *catalog.Tool) class {
	if r.Together != nil && r.Together(t.Server) {
		return together
	}
	return classOf(t.Annotations)
}
