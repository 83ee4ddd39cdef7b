package workspace

import (
	"slices"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/upstream"
)

// choose is which servers are in use. A workspace's server takes the place of the
// user's own of that name only when it may be started: before that, and when it was
// refused, it takes nothing (TRUST-1).
func choose(l loaded, startable func(config.Server) bool) (used, waiting []config.Server) {
	for _, s := range l.servers {
		if s.Layer == config.Workspace && !startable(s) {
			if i := slices.IndexFunc(l.config.Shadowed, func(own config.Server) bool {
				return own.Name == s.Name && own.Layer != config.Workspace
			}); i >= 0 {
				waiting = append(waiting, s)
				s = l.config.Shadowed[i]
			}
		}
		used = append(used, s)
	}
	return used, waiting
}

// untrusted is the state of servers that wait behind another one of their name.
func untrusted(servers []config.Server) []upstream.Status {
	var list []upstream.Status
	for _, s := range servers {
		state := upstream.Status{Server: s, State: upstream.Untrusted}
		switch {
		case s.Disabled:
			state.State = upstream.Stopped
		case s.Problem != "":
			state.State, state.Error = upstream.Failed, s.Problem
		}
		list = append(list, state)
	}
	return list
}

// RuleServer is a server as rules see it: the user's own are one identity, what a
// workspace defines is exactly that definition (TRUST-3).
func RuleServer(s config.Server, c *config.Config) permission.Server {
	if s.Layer != config.Workspace {
		return permission.Server{Identity: permission.Own, Key: config.Key(s.Name), MayChange: slices.Contains(c.ToolChangesAllow, s.Name)}
	}
	apart := s.Resembles != ""
	return permission.Server{
		Identity: s.ApprovalHash(), Key: config.Key(s.Name), Apart: apart, Trusted: c.TrustWorkspace,
		MayChange: c.TrustWorkspace && !apart && slices.Contains(c.ToolChangesAllow, s.Name),
	}
}

// known is who has which tool.
func known(pool *catalog.Catalog, l loaded) *permission.Known {
	k := &permission.Known{Tools: make(map[string]permission.Server, len(pool.Tools()))}
	byName := map[string]permission.Server{}
	for _, s := range l.used {
		server := RuleServer(s, l.config)
		byName[s.Name] = server
		k.Servers = append(k.Servers, server)
	}
	for _, t := range pool.Tools() {
		server, ok := byName[t.Server]
		if !ok && len(l.recorded) == 0 {
			continue // its server has just gone
		}
		if !ok { // a recording, which the user has named
			server = permission.Server{Identity: permission.Own, Key: config.Key(t.Server)}
		}
		server.Tool = t.Pin()
		k.Tools[t.Name] = server
	}
	// Who reads a name that two servers claim may think of the other one: it is
	// allowed only what was allowed while both did.
	for _, c := range pool.Conflicts() {
		kept, claims := k.Tools[c.Name]
		other := byName[c.Dropped]
		if claims && other.Identity != "" && other.Identity != kept.Identity {
			kept.Identity, kept.Apart = kept.Identity+" and "+other.Identity, true
			k.Tools[c.Name] = kept
		}
	}
	return k
}

// readOnlyAllowed reports whether a person trusts a server's "read-only" annotations
// (PERM-9). The setting names a server of the user's own.
func (w *Workspace) readOnlyAllowed(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.loaded.config.ReadOnlyAllow, name) {
		return false
	}
	i := slices.IndexFunc(w.loaded.used, func(s config.Server) bool { return s.Name == name })
	if i < 0 {
		return len(w.loaded.recorded) > 0
	}
	s := RuleServer(w.loaded.used[i], w.loaded.config)
	return s.Identity == permission.Own || s.Trusted && !s.Apart
}

// pinApproved pins what the approved servers of the workspace list at first: a person
// who approves a server approves these tools.
func (w *Workspace) pinApproved(s *Snapshot) {
	approved := map[string]bool{}
	for _, v := range s.Servers {
		approved[v.Server.Name] = v.Server.Layer == config.Workspace && v.State == upstream.Connected && !v.Cached
	}
	var list []permission.Pin
	for _, t := range s.Catalog.Tools() {
		if approved[t.Server] && s.Rules.Unpinned(t.Name) {
			list = append(list, permission.Pin{Leaf: t.Name, Hash: t.Pin(), Text: t.Card})
		}
	}
	if len(list) == 0 {
		return
	}
	if err := w.store.Pin(true, list...); err != nil {
		w.log.Warn("tools not pinned: changes of them are not noticed", "err", err)
	}
}

// Shadowed are definitions that are not in use because another one of their name
// comes first.
func (s *Snapshot) Shadowed() []config.Server {
	return slices.DeleteFunc(slices.Clone(s.Config.Shadowed), func(v config.Server) bool {
		return slices.ContainsFunc(s.Servers, func(st upstream.Status) bool {
			return st.Server.Name == v.Name && st.Server.File == v.File
		})
	})
}
