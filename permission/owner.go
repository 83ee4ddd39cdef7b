package permission

import (
	"maps"
	"slices"
)

// A rule names tools, and a name is no identity: a repository can define a server
// that is called like the user's own. A rule that denies or asks counts for a name
// whoever has it. A rule that allows counts for the servers it was given for.

// Own is the identity of every server that the user has configured: a rule that
// somebody wrote by hand is about those.
const Own = "own"

// A Server is a configured server as rules see it.
type Server struct {
	// Identity is Own, or the hash of the definition that a workspace has.
	Identity string
	// Key is the part of its tools' names that a rule's second segment stands for.
	Key string
	// Apart: its name falls into the rules of another server. It is allowed nothing
	// but what a person has allowed for exactly this one.
	Apart bool
	// Tool, of a tool's server, identifies the tool as it is now: its name, description,
	// schemas and annotations.
	Tool string
	// MayChange: the user has chosen to allow this server's tools however they change.
	MayChange bool
	// Trusted: the user has chosen to trust all that workspaces bring.
	Trusted bool
}

// Known is what rules have to know beside names: the servers, and who has which
// tool.
type Known struct {
	Servers []Server
	Tools   map[string]Server // by full name
}

func (k *Known) equal(other *Known) bool {
	if k == nil || other == nil {
		return k == other
	}
	return slices.Equal(k.Servers, other.Servers) && maps.Equal(k.Tools, other.Tools)
}

// grants is whom each rule was given for: identities of servers. A rule without is
// for Own.
type grants map[grantKey][]string

type grantKey struct {
	File  string // "" is the session's
	Match string
}

func keyOf(r *Rule) grantKey { return grantKey{File: r.File, Match: Canonical(r.Match)} }

// counts reports whether a rule that allows counts for the server that has a name. A
// name that nobody has is allowed nothing: its server may come back as another one.
func (r *Rules) counts(rule *Rule, leaf string) bool {
	if r.known == nil || leaf == Exec {
		return true
	}
	server, ok := r.known.Tools[leaf]
	return ok && r.countsFor(rule, server) && !(rule.Pins() && r.Changed(leaf))
}

func (r *Rules) countsFor(rule *Rule, server Server) bool {
	switch rule.Layer {
	case Builtin:
		return true
	case Flag: // typed for the servers of this run
		return !server.Apart
	}
	if given, ok := r.grants[keyOf(rule)]; ok {
		return slices.Contains(given, server.Identity)
	}
	return server.Identity == Own || server.Trusted && !server.Apart
}

// given is whom a rule that allows is for when a person sets it now: the server that
// has the tool, or all servers that its pattern names and that are no look-alikes.
func (k *Known) given(match string) []string {
	if k == nil {
		return nil
	}
	p, err := parse(match)
	if err != nil || p.exec {
		return nil
	}
	if leaf, ok := p.leaf(); ok {
		if server, ok := k.Tools[leaf]; ok {
			return []string{server.Identity}
		}
	}
	list := []string{Own}
	for _, server := range k.Servers {
		if !server.Apart && matchPieces(p.segments[1], server.Key) && !slices.Contains(list, server.Identity) {
			list = append(list, server.Identity)
		}
	}
	return list
}

// merge is the identities that a rule is for after it was set again. A rule that
// stood there without a grant was for Own.
func merge(before []string, recorded, stood bool, now []string) []string {
	list := slices.Clone(before)
	if stood && !recorded {
		list = append(list, Own)
	}
	for _, identity := range now {
		if !slices.Contains(list, identity) {
			list = append(list, identity)
		}
	}
	slices.Sort(list)
	return list
}

// Inherits reports whether what a person has set for a name, outside of rules, counts
// for the server that has it now.
func (r *Rules) Inherits(leaf string) bool { return r.known == nil || !r.known.Tools[leaf].Apart }

// Counts reports whether a rule is in force at all, and as text for whom, or why not.
func (r *Rules) Counts(rule Rule) (counts bool, why string) {
	switch {
	case rule.Layer == Repository && rule.Effect == Allow:
		return false, "does not count: a repository allows nothing"
	case rule.Effect != Allow, rule.Match == Exec, rule.Layer == Flag, rule.Layer == Builtin:
		return true, "counts"
	}
	given, ok := r.grants[keyOf(&rule)]
	if !ok {
		return true, "counts for your own servers"
	}
	for _, identity := range given {
		if identity == Own || r.known != nil && slices.ContainsFunc(r.known.Servers, func(s Server) bool { return s.Identity == identity }) {
			return true, "counts for the servers it was given for"
		}
	}
	return false, "does not count: it was given for a server that is not defined like that here"
}
