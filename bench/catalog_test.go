package bench

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"codemode-ls/catalog"

	"github.com/go-json-experiment/json/jsontext"
)

// syntheticTools are n tools that look like real ones: three quarters have a
// nested input, a quarter an output schema, about 800 bytes each.
func syntheticTools(n int) []jsontext.Value {
	tools := make([]jsontext.Value, n)
	for i := range tools {
		output := ""
		if i%4 == 0 {
			output = `,"outputSchema":{"type":"object","properties":{"id":{"type":"integer"},"url":{"type":"string","format":"uri"}},"required":["id"]}`
		}
		filter := ""
		if i%4 != 1 {
			filter = `,"filter":{"type":"object","description":"Which ones are meant","properties":{"state":{"enum":["open","closed","all"],"default":"open"},"since":{"type":"string","format":"date-time"}}}`
		}
		tools[i] = jsontext.Value(fmt.Sprintf(`{"name":"verb%d_noun%d","description":"Does the %dth thing to nouns of a repository.\nWith a second line, and %s.",`+
			`"inputSchema":{"type":"object","properties":{"owner":{"type":"string","description":"Owner of the repository"},"repo":{"type":"string","description":"Name of the repository"},`+
			`"number":{"type":"integer","minimum":1},"labels":{"type":"array","items":{"type":"string"},"minItems":1,"description":"Labels to set"}%s},"required":["owner","repo"]},`+
			`"annotations":{"readOnlyHint":%t}%s}`, i%97, i, i, strings.Repeat("more words ", i%7), filter, i%3 == 0, output))
	}
	return tools
}

// changed replaces one tool by another of the same name.
func changed(tools []jsontext.Value, i, round int) []jsontext.Value {
	next := slices.Clone(tools)
	next[i] = jsontext.Value(strings.Replace(string(tools[i]), "Does the", fmt.Sprintf("Does, in round %d, the", round), 1))
	return next
}

// one server of all tools, and many of which each has some
var layouts = []struct {
	name    string
	servers int
}{{"1server", 1}, {"20servers", 20}}

func servers(tools []jsontext.Value, n int) []*catalog.Server {
	list := make([]*catalog.Server, n)
	each := len(tools) / n
	for i := range list {
		list[i] = catalog.NewServer(fmt.Sprintf("server%02d", i), tools[i*each:(i+1)*each], "", false)
	}
	return list
}

var options = catalog.RenderOptions{BudgetTokens: 2_000}

// PERF-5, first half: read, pooled and rendered from nothing.
func BenchmarkCatalogFromNothing(b *testing.B) {
	tools := syntheticTools(10_000)
	for _, l := range layouts {
		b.Run(l.name, func(b *testing.B) {
			for b.Loop() {
				catalog.New(servers(tools, l.servers), nil).Render(options)
			}
		})
	}
}

// PERF-5, second half: the answer of one server comes again with one other tool.
func BenchmarkCatalogOneChange(b *testing.B) {
	tools := syntheticTools(10_000)
	for _, l := range layouts {
		b.Run(l.name, func(b *testing.B) {
			list := servers(tools, l.servers)
			catalog.New(list, nil).Render(options)
			each := len(tools) / l.servers
			for round := 0; b.Loop(); round++ {
				b.StopTimer()
				answer := changed(tools[:each], round%each, round)
				b.StartTimer()
				list[0] = list[0].With(answer, "", false)
				catalog.New(list, nil).Render(options)
			}
		})
	}
}

// PERF-6: the .d.ts from nothing.
func BenchmarkDeclarations(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		tools := syntheticTools(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				c := catalog.New(servers(tools, 1), nil)
				b.StartTimer()
				c.Declarations()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/tool")
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	c := catalog.New(servers(syntheticTools(10_000), 20), nil)
	c.Search(catalog.Query{Query: "noun"}) // reads all words
	for b.Loop() {
		c.Search(catalog.Query{Query: "set labels of a repository noun4711", Limit: 20})
	}
}

func BenchmarkFirstSearch(b *testing.B) {
	tools := syntheticTools(10_000)
	for b.Loop() {
		b.StopTimer()
		c := catalog.New(servers(tools, 20), nil)
		b.StartTimer()
		c.Search(catalog.Query{Query: "set labels of a repository noun4711", Limit: 20})
	}
}

func BenchmarkClosest(b *testing.B) {
	c := catalog.New(servers(syntheticTools(10_000), 20), nil)
	for b.Loop() {
		c.Closest("mcp__server01__verb_nuon4711", 3)
	}
}

// best is the shortest of some runs, which says more on a busy machine than
// their average.
func best(runs int, f func()) time.Duration {
	shortest := time.Duration(1<<63 - 1)
	for range runs {
		start := time.Now()
		f()
		shortest = min(shortest, time.Since(start))
	}
	return shortest
}

// PERF-5
func TestCatalogBudget(t *testing.T) {
	if raceEnabled || flag.Lookup("test.bench").Value.String() == "" {
		t.Skip("measures time: only with -bench, on a machine that does nothing else")
	}
	tools := syntheticTools(10_000)
	fresh := best(5, func() { catalog.New(servers(tools, 1), nil).Render(options) })
	t.Logf("10,000 tools from nothing: %v", fresh)
	if fresh > 150*time.Millisecond {
		t.Errorf("10,000 tools take %v, more than 150 ms", fresh)
	}
	list := servers(tools, 1)
	catalog.New(list, nil).Render(options)
	answer := changed(tools, 4711, 1)
	again := best(5, func() {
		catalog.New([]*catalog.Server{list[0].With(answer, "", false)}, nil).Render(options)
	})
	t.Logf("after one change: %v", again)
	if again > 5*time.Millisecond {
		t.Errorf("one change takes %v, more than 5 ms", again)
	}
	ceiling := catalog.RenderOptions{BudgetTokens: 200_000}
	again = best(5, func() {
		catalog.New([]*catalog.Server{list[0].With(answer, "", false)}, nil).Render(ceiling)
	})
	t.Logf("after one change, at the largest budget: %v", again)
	if again > 5*time.Millisecond {
		t.Errorf("one change takes %v, more than 5 ms, at the largest budget", again)
	}
}
