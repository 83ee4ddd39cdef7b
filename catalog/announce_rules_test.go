package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A conversation is told of pools, one after the other. Markers are what a caller
// keeps of the messages; the test reads of them nothing but the kind.
type conversation struct {
	t       *testing.T
	channel Channel
	markers []jsontext.Value
	budget  int
}

// kindOfMarker is what spec 03 says a marker has beside what only the server
// reads.
func kindOfMarker(t *testing.T, marker jsontext.Value) string {
	var m struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(marker, &m); err != nil {
		t.Fatalf("marker %s: %v", marker, err)
	}
	return m.Kind
}

// say asks what to append, keeps it, and gives its kind ("" for nothing) and text.
func (c *conversation) say(pool *Catalog, on bool) (kind, text string) {
	c.t.Helper()
	got := pool.Announce(AnnounceRequest{Markers: append([]jsontext.Value{}, c.markers...), Declared: on, Channel: c.channel, Render: RenderOptions{BudgetTokens: c.budget}})
	if got == nil {
		return "", ""
	}
	c.markers = append(c.markers, got.Marker)
	return kindOfMarker(c.t, got.Marker), got.Text
}

// servers with so many tools each; a negative number is another wording.
func serversWith(counts map[string]int) *Catalog {
	var servers []*Server
	for name, n := range counts {
		words := "Does something that takes a while to tell."
		if n < 0 {
			n, words = -n, "Does something else, that takes as long to tell."
		}
		var tools []jsontext.Value
		for i := range n {
			tools = append(tools, jsontext.Value(fmt.Sprintf(`{"name":"tool%d","description":%q,"inputSchema":{"type":"object"}}`, i, words)))
		}
		servers = append(servers, NewServer(name, tools, "Mind "+name+".", false))
	}
	return New(servers, nil)
}

// ANN-1…ANN-11, a rule each: what is said, and in which words.
func TestAnnouncementsByRule(t *testing.T) {
	const whole, partial = 100_000, 60
	small, large := serversWith(map[string]int{"a": 2}), serversWith(map[string]int{"a": 2, "b": 40})
	larger := serversWith(map[string]int{"a": 3, "b": 40, "c": 9})
	reworded := serversWith(map[string]int{"a": 2, "b": -40})
	type step struct {
		pool *Catalog
		on   bool
		want string // kind
		text string // that is in it
		do   func(c *conversation)
	}
	drop := func(i int) func(*conversation) {
		return func(c *conversation) {
			c.markers = append(append([]jsontext.Value{}, c.markers[:i]...), c.markers[i+1:]...)
		}
	}
	budget := func(n int) func(*conversation) { return func(c *conversation) { c.budget = n } }
	for name, steps := range map[string][]step{
		"Ann1FullAtFirst":              {{small, true, "full", "2 MCP tools on 1 server", nil}},
		"Ann2NothingOfNothing":         {{Empty(), true, "", "", nil}, {Empty(), false, "", "", nil}},
		"Ann3Once":                     {{small, true, "full", "", nil}, {small, true, "", "", nil}, {serversWith(map[string]int{"a": 2}), true, "", "", nil}},
		"Ann3OfADiff":                  {{large, true, "full", "", budget(partial)}, {larger, true, "diff", "", nil}, {larger, true, "", "", nil}},
		"Ann4Changed":                  {{small, true, "full", "", nil}, {serversWith(map[string]int{"a": 1}), true, "full", "1 MCP tool on 1 server", nil}},
		"Ann4SameCountsOtherWords":     {{large, true, "full", "", budget(partial)}, {reworded, true, "full", "PARTIAL", nil}},
		"Ann5Gone":                     {{small, true, "full", "", nil}, {small, true, "full", "2 MCP tools", drop(0)}},
		"Ann5BaseOfTheDiffGone":        {{large, true, "full", "", budget(partial)}, {larger, true, "diff", "", nil}, {larger, true, "full", "PARTIAL", drop(0)}},
		"Ann5RolledBackToTheBase":      {{large, true, "full", "", budget(partial)}, {larger, true, "diff", "", nil}, {larger, true, "diff", "", drop(1)}},
		"Ann6Diff":                     {{large, true, "full", "", budget(partial)}, {larger, true, "diff", "- mcp__a now has 3 tools, not 2\n- mcp__c is new (9 tools)", nil}},
		"Ann6AgainstTheBase":           {{large, true, "full", "", budget(partial)}, {larger, true, "diff", "", nil}, {serversWith(map[string]int{"b": 41}), true, "diff", "- mcp__a is gone\n- mcp__b now has 41 tools, not 40", nil}},
		"Ann6BackToTheBase":            {{large, true, "full", "", budget(partial)}, {larger, true, "diff", "", nil}, {large, true, "full", "PARTIAL", nil}},
		"Ann7NotShorter":               {{serversWith(many(60)), true, "full", "", budget(0)}, {serversWith(map[string]int{"a": 4}), true, "full", "PARTIAL", nil}},
		"Ann8TruncatedToWhole":         {{large, true, "full", "", budget(partial)}, {larger, true, "full", "", budget(whole)}},
		"Ann8WholeToTruncated":         {{large, true, "full", "", nil}, {larger, true, "full", "PARTIAL", budget(partial)}},
		"Ann9Emptied":                  {{small, true, "full", "", nil}, {Empty(), true, "empty", "No MCP tools are available now", nil}, {Empty(), true, "", "", nil}, {small, true, "full", "2 MCP tools", nil}},
		"Ann9AfterADiff":               {{large, true, "full", "", budget(partial)}, {larger, true, "diff", "", nil}, {Empty(), true, "empty", "", nil}},
		"Ann10Off":                     {{small, true, "full", "", nil}, {small, false, "retired", "no longer applies", nil}, {small, false, "", "", nil}, {small, true, "full", "2 MCP tools", nil}},
		"Ann10OffThoughNothingWasSaid": {{small, false, "", "", nil}},
		"Ann10OffAndEmptyAtOnce":       {{small, true, "full", "", nil}, {Empty(), false, "retired", "", nil}, {Empty(), true, "", "", nil}, {Empty(), false, "", "", nil}, {small, true, "full", "", nil}},
		"Ann10OffAfterEmpty":           {{small, true, "full", "", nil}, {Empty(), true, "empty", "", nil}, {Empty(), false, "retired", "", nil}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &conversation{t: t, budget: whole}
			for i, s := range steps {
				if s.do != nil {
					s.do(c)
				}
				kind, text := c.say(s.pool, s.on)
				if kind != s.want || !strings.Contains(text, s.text) {
					t.Fatalf("step %d: said %q, want %q with %q\n%s", i+1, kind, s.want, s.text, text)
				}
				if kind == "full" && text != s.pool.Render(RenderOptions{BudgetTokens: c.budget}).Text {
					t.Errorf("step %d: a full catalog is not the catalog's text", i+1)
				}
				if (kind == "empty" || kind == "retired") && strings.Contains(text, "Exec") {
					t.Errorf("step %d: %q speaks of Exec", i+1, text)
				}
				// ANN-11: who cannot read the history is told nothing, whatever it is.
				if got := s.pool.Announce(AnnounceRequest{Declared: s.on, Render: RenderOptions{BudgetTokens: c.budget}}); got != nil {
					t.Errorf("step %d: told without a history: %s", i+1, got.Text)
				}
			}
		})
	}
}

// many servers with one tool each, with names that are long.
func many(n int) map[string]int {
	counts := map[string]int{}
	for i := range n {
		counts[fmt.Sprintf("a-server-with-a-long-name-%d", i)] = 1
	}
	return counts
}

// ANN-13: the instructions have the same rules, without a budget.
func TestAnn13ByRule(t *testing.T) {
	a, ab := serversWith(map[string]int{"a": 2}), serversWith(map[string]int{"a": 2, "b": 1})
	silent := New([]*Server{server("quiet", "x")}, nil)
	c := &conversation{t: t, channel: InstructionsChannel}
	for i, s := range []struct {
		pool *Catalog
		on   bool
		want string
		text string
	}{
		{silent, true, "", ""}, {a, true, "full", "Mind a."}, {a, true, "", ""}, {serversWith(map[string]int{"a": 40}), true, "", ""},
		{ab, true, "full", "Mind b."}, {silent, true, "empty", ""}, {silent, true, "", ""}, {ab, true, "full", "Mind b."},
		{ab, false, "retired", "no longer apply"}, {ab, false, "", ""}, {ab, true, "full", "Mind a."},
	} {
		if kind, text := c.say(s.pool, s.on); kind != s.want || !strings.Contains(text, s.text) {
			t.Fatalf("step %d: said %q, want %q with %q\n%s", i+1, kind, s.want, s.text, text)
		}
	}
}
