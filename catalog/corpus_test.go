package catalog

import (
	"sync"
	"testing"
)

// POOL-5, MCP-7: every tool of every recorded server is in the pool, with its
// bytes; what is broken in them is only said.
func TestCorpusIsWholeInThePool(t *testing.T) {
	servers := corpus(t)
	total, broken, described := 0, 0, 0
	for _, s := range servers {
		total += len(s.Tools)
		for _, p := range s.Problems {
			t.Errorf("%s: %s", s.Name, p)
		}
		for _, tool := range s.Tools {
			if len(tool.Broken()) > 0 {
				broken++
			}
			if line := firstLine(tool.Description, defaultStyle.width); line != "" {
				described++
			}
		}
	}
	c := New(servers, nil)
	if len(c.Tools()) != total || len(c.Conflicts()) > 0 {
		t.Errorf("%d tools of %d are in the pool, conflicts %v", len(c.Tools()), total, c.Conflicts())
	}
	for i, tool := range c.Tools() {
		if found, ok := c.Find(tool.Name); !ok || found != tool {
			t.Errorf("%s is not found by its name", tool.Name)
		}
		if i%20 > 0 {
			continue
		}
		if first := search(c, Query{Query: tool.Name, Limit: 1}); len(first) != 1 || first[0] != leaf(tool.Name) {
			t.Errorf("searching for %s finds %q first", tool.Name, first)
		}
	}
	if len(c.Tools()) < 3000 {
		t.Errorf("only %d tools", len(c.Tools()))
	}
	t.Logf("%d tools, %d described, %d with something broken", total, described, broken)
}

// A catalog is shared by requests that run at the same time.
func TestConcurrentUse(t *testing.T) {
	c := shop()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			c.Render(RenderOptions{BudgetTokens: 10 * i, MaxDepth: 1 + i%3})
			c.Search(Query{Query: "issue"})
			c.Declarations()
			c.Hash()
			for _, tool := range c.Tools() {
				tool.Broken()
			}
			for _, s := range c.Servers() {
				New([]*Server{s.With(nil, "", false), s}, nil).Render(RenderOptions{})
			}
		})
	}
	group.Wait()
}
