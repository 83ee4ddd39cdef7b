package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// group is what shares a key: the tools of one server, or of several whose
// names differ only behind a "__" or in characters that become "_".
type group struct {
	namespace string
	servers   []*Server // by name, each with at least one tool here
	tools     []*Tool   // by name
	order     *orders   // of tools; the server's own when all of its tools are here
}

// New computes the pool from servers in order of configuration. keep says
// whether a tool is in it (exclusions, lists of servers and deny rules); nil keeps all (POOL-1).
func New(servers []*Server, keep func(*Tool) bool) *Catalog {
	c := &Catalog{style: defaultStyle}
	// A full name begins with its namespace, so that only servers of one
	// namespace can claim the same name.
	byNamespace := slices.Clone(servers)
	slices.SortStableFunc(byNamespace, func(a, b *Server) int { return strings.Compare(a.Namespace, b.Namespace) })
	for rest := byNamespace; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Namespace == rest[0].Namespace {
			n++
		}
		if g := c.gather(rest[:n], keep); len(g.tools) > 0 {
			c.groups = append(c.groups, g)
			c.servers = append(c.servers, g.servers...)
		}
		rest = rest[n:]
	}
	c.cached = slices.ContainsFunc(c.servers, func(s *Server) bool { return s.Cached })
	slices.SortStableFunc(c.conflicts, func(a, b Conflict) int { return strings.Compare(a.Name, b.Name) })
	if len(c.groups) == 1 {
		c.tools = c.groups[0].tools
	} else {
		for _, g := range c.groups {
			c.tools = append(c.tools, g.tools...)
		}
	}
	c.declarations = sync.OnceValue(c.declareAll)
	c.hash = sync.OnceValue(c.computeHash)
	c.index = sync.OnceValue(c.makeIndex)
	return c
}

// gather makes the group of servers with one namespace, in order of
// configuration. Conflicts are noted in c.
func (c *Catalog) gather(servers []*Server, keep func(*Tool) bool) *group {
	g := &group{namespace: servers[0].Namespace}
	for _, s := range servers {
		tools := s.Tools
		if keep != nil {
			tools = kept(tools, keep)
		}
		if len(servers) == 1 {
			if s.Gone {
				return g
			}
			g.tools, g.order = tools, &orders{}
			if len(tools) == len(s.Tools) {
				g.order = &s.order
			}
			if len(tools) > 0 {
				g.servers = []*Server{s}
			}
			return g
		}
		g.tools = append(slices.Clip(g.tools), tools...)
	}
	g.order = &orders{}
	slices.SortStableFunc(g.tools, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	claimed := g.tools
	g.tools = nil
	gone := map[string]bool{}
	for _, s := range servers {
		gone[s.Name] = s.Gone
	}
	for i, first := 0, 0; i < len(claimed); i++ {
		t := claimed[i]
		if i > 0 && claimed[first].Name == t.Name {
			c.conflicts = append(c.conflicts, Conflict{Name: t.Name, Kept: claimed[first].Server, Dropped: t.Server})
			continue
		}
		first = i
		if !gone[t.Server] {
			g.tools = append(g.tools, t)
		}
	}
	for _, s := range servers {
		if slices.ContainsFunc(g.tools, func(t *Tool) bool { return t.Server == s.Name }) {
			g.servers = append(g.servers, s)
		}
	}
	slices.SortStableFunc(g.servers, func(a, b *Server) int { return strings.Compare(a.Name, b.Name) })
	return g
}

// kept returns tools itself when all of them are.
func kept(tools []*Tool, keep func(*Tool) bool) []*Tool {
	for i, t := range tools {
		if keep(t) {
			continue
		}
		some := slices.Clone(tools[:i])
		for _, t := range tools[i+1:] {
			if keep(t) {
				some = append(some, t)
			}
		}
		return some
	}
	return tools
}

// name is what people call the group's server.
func (g *group) name() string {
	names := make([]string, len(g.servers))
	for i, s := range g.servers {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// Find returns the tool with that full name.
func (c *Catalog) Find(name string) (*Tool, bool) {
	g, ok := slices.BinarySearchFunc(c.groups, namespaceOf(name), func(g *group, ns string) int {
		return strings.Compare(g.namespace, ns)
	})
	if !ok {
		return nil, false
	}
	tools := c.groups[g].tools
	i, ok := slices.BinarySearchFunc(tools, name, func(t *Tool, name string) int { return strings.Compare(t.Name, name) })
	if !ok {
		return nil, false
	}
	return tools[i], true
}

// Cached reports whether a tool of the pool is only known from last time, because
// its server has not answered yet (LSP-1).
func (c *Catalog) Cached(t *Tool) bool {
	return c.cached && slices.ContainsFunc(c.servers, func(s *Server) bool { return s.Cached && s.Name == t.Server })
}

// Namespaces are the full forms of the namespaces that said means, in byte
// order: mcp__dev-radius for itself, dev-radius, dev_radius (SRCH-5). A name
// that is exactly right means nothing else.
func (c *Catalog) Namespaces(said string) []string {
	var found []string
	for _, g := range c.named(said) {
		found = append(found, g.namespace)
	}
	return found
}

func (c *Catalog) named(said string) []*group {
	for _, exact := range [...]bool{true, false} {
		var found []*group
		for _, g := range c.groups {
			if sameNamespace(g.namespace, said, exact) {
				found = append(found, g)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// Hash is equal for pools that render the same texts.
func (c *Catalog) Hash() string { return c.hash() }

func (c *Catalog) computeHash() string {
	h := sha256.New()
	for _, g := range c.groups {
		for _, s := range g.servers {
			sum := sha256.Sum256([]byte(s.Name + "\x00" + s.Instructions))
			h.Write(sum[:])
		}
		for _, t := range g.tools {
			sum := t.sum()
			h.Write(sum[:])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Pin identifies what a person who allows the tool relies on: its name, description,
// schemas and annotations, as sent.
func (t *Tool) Pin() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pin == "" {
		h := sha256.New()
		for _, part := range [][]byte{[]byte(t.MCPName), []byte(t.Description), t.InputSchema, t.OutputSchema, t.RawAnnotations} {
			fmt.Fprintf(h, "%d:", len(part))
			h.Write(part)
		}
		t.pin = hex.EncodeToString(h.Sum(nil)[:16])
	}
	return t.pin
}

// Card is what Pin identifies as a text for a person, line by line: two of them can
// be compared.
func (t *Tool) Card() string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\n", t.MCPName)
	if t.Description != "" {
		b.WriteString("description:\n")
		for line := range strings.SplitSeq(t.Description, "\n") {
			wrap(&b, line)
		}
	}
	for _, part := range []struct {
		name  string
		value jsontext.Value
	}{{"input schema", t.InputSchema}, {"output schema", t.OutputSchema}, {"annotations", t.RawAnnotations}} {
		if part.value == nil {
			continue
		}
		v := part.value.Clone()
		if v.Indent(jsontext.WithIndent("  "), jsontext.WithIndentPrefix("  "), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
			v = part.value
		}
		fmt.Fprintf(&b, "%s:\n", part.name)
		for line := range strings.SplitSeq(string(v), "\n") {
			wrap(&b, strings.TrimPrefix(line, "  "))
		}
	}
	return b.String()
}

// cardWidth is where a line of a Card goes on in the next one, in bytes: a change
// within a long text is seen where it is.
const cardWidth = 100

func wrap(b *strings.Builder, line string) {
	for len(line) > cardWidth {
		at := strings.LastIndexByte(line[:cardWidth], ' ')
		if at < cardWidth/2 {
			if at = strings.IndexByte(line, ' '); at < 0 {
				break
			}
		}
		fmt.Fprintf(b, "  %s\n", line[:at])
		line = line[at+1:]
	}
	fmt.Fprintf(b, "  %s\n", line)
}

// sum identifies the tool: its server and its bytes.
func (t *Tool) sum() [sha256.Size]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.digest == nil {
		h := sha256.New()
		h.Write([]byte(t.Server))
		h.Write([]byte{0})
		h.Write(t.raw)
		t.digest = (*[sha256.Size]byte)(h.Sum(nil))
	}
	return *t.digest
}
