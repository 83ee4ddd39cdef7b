package exec

import (
	"slices"

	"codemode-ls/permission"
)

// lifts reports whether a rule that allows the tool counts although the person has
// denied it for the run.
func (g grant) lifts(rule *permission.Rule) bool {
	return g.effect != permission.Deny || g.despite == nil || !sameRule(rule, g.despite)
}

// sameRule: rules are read again when their file has changed.
func sameRule(a, b *permission.Rule) bool { return a.Match == b.Match && a.Layer == b.Layer }

// covers reports whether the grant counts although these rules say "ask".
func (g grant) covers(asking []*permission.Rule) bool {
	if g.effect == permission.Deny {
		return true
	}
	for _, rule := range asking {
		if !slices.ContainsFunc(g.asking, func(known *permission.Rule) bool { return sameRule(rule, known) }) {
			return false
		}
	}
	return true
}

// keep remembers an answer that counts for more than its own call, and reports
// whether it does. asking are the rules because of which the person was asked. The
// call does not go on before: what was granted or denied for later calls is in force
// when the script can make them (PERM-4).
func (n *question) keep(a Answer, asking []*permission.Rule) bool {
	effect := permission.Deny
	if a.Decision == Allow {
		effect = permission.Allow
	}
	leaf := n.c.tool.Name
	defer n.pinAnew(a)
	rules := n.x.r.Rules.Rules()
	g := grant{effect: effect, asking: append(rules.Asking(leaf), asking...)}
	if d := rules.Decide(leaf); d.Effect == permission.Allow {
		g.despite = d.Rule
	}
	switch a.Scope {
	case ForRun, ForSession, ForWorkspace, ForUser:
		n.x.mu.Lock()
		if before := n.x.grants[leaf]; before.effect == effect {
			g.asking = append(g.asking, before.asking...) // rules that went and may come back
		}
		n.x.grants[leaf] = g
		n.x.mu.Unlock()
	case ForLoop:
		return effect == permission.Allow && n.x.keepLoop(leaf, a, g)
	default:
		return false
	}
	if a.Scope != ForRun {
		// PERM-4: for the leaf's full name, in the layer that the person chose.
		if err := n.x.r.Rules.Set(permission.Layer(a.Scope), effect, permission.Literal(leaf)); err != nil {
			n.x.r.log().Error("rule not stored", "leaf", leaf, "layer", a.Scope, "err", err)
			n.x.warn("the rule for %s could not be stored and counts for this run alone: %v", leaf, err)
		} else if d := n.x.r.Rules.Rules().Decide(leaf); effect == permission.Allow && d.Effect == permission.Ask {
			n.x.warn("%s is allowed for this run alone: %s says ask, which wins over the rule that was stored", leaf, ruleWords(d.Rule)) // PERM-1
		}
	}
	return true
}
