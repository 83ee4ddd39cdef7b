package workspace

import (
	"slices"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/upstream"
)

// Exposures of a tool (DECL-9).
const (
	exposedCode   = "code"   // from scripts
	exposedDirect = "direct" // declared beside Exec, and called directly
	exposedHidden = "hidden" // in no pool
)

// Agent is how the pool is shown to an agent's request, by the settings and rules
// of this moment (DECL-3, DECL-7, DECL-9). disallowed are names that the request
// must not get.
func (s *Snapshot) Agent(mode catalog.Mode, disallowed []string) catalog.Agent {
	return catalog.Agent{
		Mode:       mode,
		ExecOff:    s.ExecOff(),
		Disallowed: func(name string) bool { return slices.Contains(disallowed, name) },
		Direct:     s.Direct,
		Script: func(name string) bool {
			_, ok := s.Script(name)
			return ok
		},
	}
}

// ExecOff reports whether Exec is switched off, excluded or denied (DECL-3).
func (s *Snapshot) ExecOff() bool {
	return !s.Config.ExecEnabled || slices.Contains(s.Config.Exclude, permission.Exec) ||
		s.Rules.Decide(permission.Exec).Effect == permission.Deny
}

// Direct reports whether a tool of the pool is declared beside Exec and can be
// called directly (DECL-9).
func (s *Snapshot) Direct(fullName string) bool { return s.Exposure(fullName) == exposedDirect }

// Exposure of a tool to agents: "code" or "direct" (DECL-9). The pool need not
// have the tool: its server may be about to be started again.
func (s *Snapshot) Exposure(fullName string) string {
	if len(s.Config.Exposure) > 0 && exposure(s.Config, fullName, s.serverOf(fullName)) == exposedDirect {
		return exposedDirect
	}
	return exposedCode
}

// serverOf is the configured name of the server that has a tool, or would have it;
// "" for none.
func (s *Snapshot) serverOf(fullName string) string {
	if t, ok := s.Catalog.Find(fullName); ok {
		return t.Server
	}
	for _, v := range s.Servers {
		if catalog.CanOwn(v.Server.Name, fullName) {
			return v.Server.Name
		}
	}
	return ""
}

// Away is the server that can have a tool which is not in the pool and that is not
// connected: it has failed, is starting, switched off, or not approved.
func (s *Snapshot) Away(fullName string) (upstream.Status, bool) {
	for _, v := range s.Servers {
		if v.State != upstream.Connected && !(v.State == upstream.Idle && v.Cached) && catalog.CanOwn(v.Server.Name, fullName) {
			return v, true
		}
	}
	return upstream.Status{}, false
}

// exposure is what is set for a tool, or else for its server.
func exposure(c *config.Config, tool, server string) string {
	if word, ok := c.Exposure[tool]; ok {
		return word
	}
	return c.Exposure[server]
}
