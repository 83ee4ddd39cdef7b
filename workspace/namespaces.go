package workspace

import (
	"slices"

	"codemode-ls/catalog"
)

// SharedNamespace is the grouping key of several servers, such as a, a__b and a_
// (POOL-2): the catalog lists them together, and a rule for mcp__a__* counts for
// the tools of all of them.
type SharedNamespace struct {
	Namespace string   // mcp__<key>
	Servers   []string // configured names, in order of configuration; at least two
}

// SharedNamespaces are those of the servers that are not switched off, in order of
// configuration.
func (s *Snapshot) SharedNamespaces() []SharedNamespace {
	var all []SharedNamespace
	for _, v := range s.Servers {
		if v.Server.Disabled {
			continue
		}
		namespace := catalog.Namespace(v.Server.Name)
		i := slices.IndexFunc(all, func(n SharedNamespace) bool { return n.Namespace == namespace })
		if i < 0 {
			i = len(all)
			all = append(all, SharedNamespace{Namespace: namespace})
		}
		if !slices.Contains(all[i].Servers, v.Server.Name) { // one that waits behind the other
			all[i].Servers = append(all[i].Servers, v.Server.Name)
		}
	}
	return slices.DeleteFunc(all, func(n SharedNamespace) bool { return len(n.Servers) < 2 })
}
