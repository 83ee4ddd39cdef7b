package exec

import (
	"codemode-ls/exec/audit"
	"codemode-ls/permission"
)

// audited writes a decision on a call to the audit log (PERM-11).
func (x *run) audited(c *call, v verdict) {
	if x.r.Audit == nil {
		return
	}
	x.mu.Lock()
	arguments := c.record.Arguments
	x.mu.Unlock()
	x.audit(audit.Entry{Leaf: c.tool.Name, Arguments: audit.HashOf(arguments), By: audit.By{ReplacedBy: c.replacedBy}}, v)
}

func (x *run) audit(e audit.Entry, v verdict) {
	if x.r.Audit == nil {
		return
	}
	e.Run, e.Session = x.id, x.request.SessionID
	e.By.Kind, e.By.Scope, e.By.Hook = v.by, string(v.scope), v.hook
	if v.rule != nil {
		// Of an answer, a grant or a hook it is the rule that said "ask".
		e.By.Rule, e.By.Layer, e.By.File = v.rule.Match, string(v.rule.Layer), v.rule.File
		if e.By.File != "" {
			e.By.Line = v.rule.Range.Start.Line + 1
		}
	}
	switch {
	case v.by == byEnd, v.by == byStop:
		e.Decision = "cancelled"
	case v.allow:
		e.Decision = string(permission.Allow)
	default:
		e.Decision, e.Reason = string(permission.Deny), x.r.Redact.Text(v.reason)
	}
	if err := x.r.Audit.Append(e); err != nil {
		x.r.log().Error("decision not in the audit log", "run", x.id, "leaf", e.Leaf, "err", err)
	}
}
