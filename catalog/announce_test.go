package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// said is one message of a conversation, with what its reader knows from it.
type said struct {
	kind      string // full, diff, empty, retired
	text      string
	state     string // the whole text of the state that it told
	truncated bool
	counts    map[string]int
	base      *said // of a diff
	marker    jsontext.Value
}

// world is what announcements are about, described by the test itself.
type world struct {
	counts map[string]int // tools by server
	words  map[string]int // which words a server's descriptions have
	budget int
	on     bool
}

func (w world) catalog() *Catalog {
	var servers []*Server
	for name, n := range w.counts {
		tools := make([]jsontext.Value, n)
		for i := range tools {
			tools[i] = jsontext.Value(fmt.Sprintf(`{"name":"t%d","description":"%s","inputSchema":{}}`, i, strings.Repeat("word ", 1+w.words[name])))
		}
		instructions := ""
		if w.words[name] > 0 {
			instructions = strings.Repeat("Mind. ", w.words[name])
		}
		servers = append(servers, NewServer(name, tools, instructions, false))
	}
	return New(servers, nil)
}

// expect is spec 03 once more, over what was said and not over markers.
func expect(history []*said, w world, readable bool, channel Channel) (kind, text string) {
	c := w.catalog()
	now := c.Render(RenderOptions{BudgetTokens: w.budget}).Text
	truncated := strings.Contains(now, "\nPARTIAL: ")
	empty := len(c.Tools()) == 0
	counts := map[string]int{}
	for name, n := range w.counts {
		if n > 0 {
			counts["mcp__"+name] = n
		}
	}
	if channel == InstructionsChannel {
		now, truncated, counts, empty = "", false, nil, true
		for _, s := range c.Servers() {
			if s.Instructions != "" {
				empty = false
				if now != "" {
					now += "\n\n"
				}
				now += "Instructions of the MCP server " + s.Namespace + " for its own tools:\n\n" + s.Instructions
			}
		}
	}
	if !readable { // ANN-11
		return "", ""
	}
	var last, lastFull *said
	read := false
	for _, m := range history {
		last = m
		if m.kind == "full" {
			lastFull = m
		}
		read = read || m.kind == "full" || m.kind == "diff"
	}
	if !w.on {
		if read && last.kind != "retired" { // ANN-10
			return "retired", ""
		}
		return "", ""
	}
	if empty {
		if last != nil && (last.kind == "full" || last.kind == "diff") { // ANN-9
			return "empty", ""
		}
		return "", "" // ANN-2, ANN-3, and after ANN-10
	}
	if last == nil || last.kind == "empty" || last.kind == "retired" { // ANN-1, ANN-5, ANN-10
		return "full", now
	}
	if last.kind == "diff" && !slices.ContainsFunc(history, func(m *said) bool { return m.kind == "full" && m.state == last.base.state }) {
		return "full", now // ANN-5
	}
	if last.state == now { // ANN-3
		return "", ""
	}
	if lastFull != nil && last.truncated && truncated && !maps.Equal(lastFull.counts, counts) { // ANN-6
		if diff := diffText(lastFull.counts, counts); len([]rune(diff)) < len([]rune(now)) {
			return "diff", diff
		}
	}
	return "full", now // ANN-4, ANN-7, ANN-8
}

// ANN-0…ANN-13: random conversations in which the pool changes, history is
// compacted or rolled back, Exec and the client's eyes go on and off.
func TestAnnouncements(t *testing.T) {
	kinds := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		channel := rapid.SampledFrom([]Channel{CatalogChannel, InstructionsChannel}).Draw(t, "channel")
		w := world{counts: map[string]int{}, words: map[string]int{}, on: true, budget: 40}
		var history []*said
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			readable := true
			switch rapid.SampledFrom([]string{"tools", "tools", "tools", "words", "budget", "empty", "on/off", "compact", "roll back", "lose", "blind", "nothing"}).Draw(t, "step") {
			case "tools":
				w.counts[rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "server")] = rapid.SampledFrom([]int{0, 1, 2, 30, 31}).Draw(t, "tools")
			case "words":
				w.words[rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "server")] = rapid.IntRange(0, 3).Draw(t, "words")
			case "budget":
				w.budget = rapid.SampledFrom([]int{0, 40, 100, 100_000}).Draw(t, "budget")
			case "empty":
				clear(w.counts)
			case "on/off":
				w.on = !w.on
			case "compact":
				history = slices.Clone(history[rapid.IntRange(0, len(history)).Draw(t, "compacted"):])
			case "roll back":
				history = slices.Clone(history[:rapid.IntRange(0, len(history)).Draw(t, "left")])
			case "lose":
				if len(history) > 0 {
					i := rapid.IntRange(0, len(history)-1).Draw(t, "lost")
					history = slices.Delete(slices.Clone(history), i, i+1)
				}
			case "blind":
				readable = false
			}
			markers := []jsontext.Value{jsontext.Value(`{"v":0,"of":"another time"}`), jsontext.Value(`"junk"`)}
			for _, m := range history {
				markers = append(markers, m.marker)
			}
			if !readable {
				markers = nil
			}
			q := AnnounceRequest{Markers: markers, Declared: w.on, Channel: channel, Render: RenderOptions{BudgetTokens: w.budget}}
			got := w.catalog().Announce(q)
			kind, text := expect(history, w, readable, channel)
			if (got == nil) != (kind == "") {
				t.Fatalf("said %v, want %q", got, kind)
			}
			if got == nil {
				continue
			}
			var m marker
			if err := json.Unmarshal(got.Marker, &m); err != nil || string(m.Kind) != kind {
				t.Fatalf("said %s, want %s: %v\n%s", m.Kind, kind, err, got.Text)
			}
			if text != "" && got.Text != text {
				t.Fatalf("said\n%s\nwant\n%s", got.Text, text)
			}
			if (kind == "empty" || kind == "retired") && strings.Contains(got.Text, "Exec") { // ANN-9
				t.Fatalf("%s speaks of Exec: %s", kind, got.Text)
			}
			kinds[string(channel)+" "+kind]++
			c := w.catalog()
			message := &said{kind: kind, text: got.Text, marker: got.Marker, counts: map[string]int{}}
			if kind == "full" || kind == "diff" {
				message.state = got.Text
				if channel == CatalogChannel {
					message.state = c.Render(RenderOptions{BudgetTokens: w.budget}).Text
					message.truncated = strings.Contains(message.state, "\nPARTIAL: ")
					for _, tool := range c.Tools() {
						message.counts[tool.Namespace]++
					}
				}
			}
			if kind == "diff" {
				for _, m := range history {
					if m.kind == "full" {
						message.base = m
					}
				}
			}
			history = append(history, message)
			// ANN-3: said once.
			q.Markers = append(slices.Clone(markers), got.Marker)
			if again := c.Announce(q); again != nil {
				t.Fatalf("said twice:\n%s", again.Text)
			}
		}
	})
	t.Log(kinds) // TestAnnouncementsByRule has each of them
}

// ANN-12: another wording is announced again, in every kind.
func TestMarkersAreOfTheWording(t *testing.T) {
	c := shop()
	first := c.Announce(AnnounceRequest{Markers: []jsontext.Value{}, Declared: true, Render: RenderOptions{BudgetTokens: 5000}})
	other := jsontext.Value(strings.Replace(string(first.Marker), `"hash":"`, `"hash":"0`, 1))
	for _, test := range []struct {
		marker jsontext.Value
		want   bool
	}{{first.Marker, false}, {other, true}} {
		got := c.Announce(AnnounceRequest{Markers: []jsontext.Value{test.marker}, Declared: true, Render: RenderOptions{BudgetTokens: 5000}})
		if (got != nil) != test.want {
			t.Errorf("after %s it says %v", test.marker, got)
		}
	}
}

// ANN-13: markers of one channel say nothing in the other; instructions are whole.
func TestChannelsAreApart(t *testing.T) {
	long := strings.Repeat("Line with */ and ```\n", 5000)
	c := New([]*Server{NewServer("s", raw(`{"name":"x","inputSchema":{}}`), long, false), server("t", "y")}, nil)
	text := c.Announce(AnnounceRequest{Markers: []jsontext.Value{}, Declared: true})
	told := c.Announce(AnnounceRequest{Markers: []jsontext.Value{text.Marker}, Declared: true, Channel: InstructionsChannel})
	if told == nil || !strings.Contains(told.Text, long) || strings.Contains(told.Text, "mcp__t") {
		t.Fatalf("instructions: %v", told)
	}
	both := []jsontext.Value{text.Marker, told.Marker}
	for _, channel := range []Channel{CatalogChannel, InstructionsChannel, "", "other"} {
		if got := c.Announce(AnnounceRequest{Markers: both, Declared: true, Channel: channel}); got != nil {
			t.Errorf("channel %q says again: %s", channel, got.Text)
		}
	}
}

// ANN-6, as people read it.
func TestGoldenDiff(t *testing.T) {
	golden(t, "diff.txt", diffText(
		map[string]int{"mcp__a": 1, "mcp__b": 2, "mcp__gone": 3},
		map[string]int{"mcp__a": 1, "mcp__b": 1, "mcp__new": 4})+"\n")
}
