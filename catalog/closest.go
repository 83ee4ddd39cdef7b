package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// Closest are at most n other full names that a person may have meant, best first;
// none when nothing is close. The tool's own part decides: a name without its
// server, or with another one, is found as well (EXEC-6).
func (c *Catalog) Closest(name string, n int) []string {
	said := newSpelling(name)
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, g := range c.groups {
		server := squeezed(strings.TrimPrefix(g.namespace, prefix))
		far := 0 // how far the server that was said is from this one
		if said.server != "" {
			far = distance(said.server, server, 3)
		}
		for _, t := range g.tools {
			if t.Name == name {
				continue // which is not what else may have been meant
			}
			tool := squeezed(t.MCPName)
			limit := mistakes(tool)
			d := distance(said.tool, tool, limit)
			if behind := leaf(t.Name); behind != t.MCPName {
				// A server's name with "__" in it has its end there.
				d = min(d, distance(said.tool, squeezed(behind), limit))
			}
			if said.server == "" {
				// github_create_issue has its server in front, in its own way.
				d = min(d, distance(said.tool, server+tool, limit))
			}
			if d > limit || d > 0 && far > 2 {
				continue
			}
			near = append(near, candidate{t.Name, 2*d + min(far, 3)})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	names := make([]string, 0, min(max(n, 0), len(near)))
	for _, c := range near[:cap(names)] {
		names = append(names, c.name)
	}
	return names
}

// ClosestNamespaces are at most n namespaces that a person may have meant, best
// first; none when nothing is close.
func (c *Catalog) ClosestNamespaces(name string, n int) []string {
	said := squeezed(strings.TrimPrefix(name, prefix))
	type candidate struct {
		namespace string
		distance  int
	}
	var near []candidate
	for _, g := range c.groups {
		server := squeezed(strings.TrimPrefix(g.namespace, prefix))
		limit := mistakes(server)
		if d := distance(said, server, limit); d <= limit {
			near = append(near, candidate{g.namespace, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	names := make([]string, 0, min(max(n, 0), len(near)))
	for _, c := range near[:cap(names)] {
		names = append(names, c.namespace)
	}
	return names
}

// mistakes is how many a name of this length may have and still be meant.
func mistakes(name string) int { return min(1+len(name)/5, 4) }

// spelling is a name as somebody wrote it, in parts and squeezed.
type spelling struct{ server, tool string }

func newSpelling(name string) spelling {
	const longest = 200 // of what can be meant by anything; the rest is noise
	if r := []rune(name); len(r) > longest {
		name = string(r[:longest])
	}
	if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
		name = prefix + name[len(prefix):]
		if ns := namespaceOf(name); ns != name {
			return spelling{server: squeezed(strings.TrimPrefix(ns, prefix)), tool: squeezed(leaf(name))}
		}
		name = strings.TrimPrefix(name, prefix)
	}
	return spelling{tool: squeezed(name)}
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that make a into b (the restricted Damerau-Levenshtein distance).
// It is limit+1 when there are more than limit.
func distance(a, b string, limit int) int {
	if a == b {
		return 0
	}
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > limit || -d > limit {
		return limit + 1
	}
	two, one, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			replace := 1
			if x[i-1] == y[j-1] {
				replace = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+replace)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		two, one, row = one, row, two
	}
	return min(one[len(y)], limit+1)
}
