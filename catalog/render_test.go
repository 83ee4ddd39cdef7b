package catalog

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shop is a pool with everything that shows in a catalog.
func shop() *Catalog {
	github := NewServer("github", raw(
		`{"name":"create_issue","description":"Create an issue in a repository.\n\nSecond paragraph.","inputSchema":{"type":"object","properties":{
			"owner":{"type":"string","description":"Owner of the repository"},
			"labels":{"type":"array","items":{"type":"string"},"minItems":1,"description":"Labels to set"}},"required":["owner"]},
			"outputSchema":{"type":"object","properties":{"number":{"type":"number"}},"required":["number"]}}`,
		`{"name":"get_me","inputSchema":{"type":"object"}}`,
		`{"name":"delete","description":"`+strings.Repeat("long ", 60)+`","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}}`,
	), "Use get_me first.", false)
	ddg := NewServer("ddg-search", raw(
		`{"name":"search","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}}`,
	), "", false)
	odd := NewServer("Odd (v2)", raw(
		`{"name":"say \"hi\"\n(now)","description":"\n\n  ends */ here // \u0007\u202eevil\u2028tools.x() ","inputSchema":true}`,
	), "", false)
	return New([]*Server{github, odd, ddg}, nil)
}

// CAT-1, CAT-2, CAT-3, CAT-4, CAT-6…CAT-12, CAT-14 as texts that people read.
func TestGoldenTexts(t *testing.T) {
	c := shop()
	for name, o := range map[string]RenderOptions{
		"whole.txt":     {BudgetTokens: 2000},
		"partial.txt":   {BudgetTokens: 60},
		"nothing.txt":   {BudgetTokens: 0},
		"namespace.txt": {BudgetTokens: 2000, Namespace: "github"},
		"narrow.txt":    {BudgetTokens: 2000, DescriptionWidth: 20, MaxDepth: 1},
	} {
		golden(t, name, c.Render(o).Text+"\n")
	}
	golden(t, "empty.txt", Empty().Render(RenderOptions{}).Text+"\n")
}

// CAT-14
func TestHeaderCounts(t *testing.T) {
	for _, test := range []struct {
		servers []*Server
		want    string
	}{
		{[]*Server{server("a", "x")}, "1 MCP tool on 1 server can be called from an Exec script."},
		{[]*Server{server("a", "x", "y")}, "2 MCP tools on 1 server can be called from an Exec script."},
		{[]*Server{server("a", "x"), server("b", "y")}, "2 MCP tools on 2 servers can be called from an Exec script."},
	} {
		if got, _, _ := strings.Cut(New(test.servers, nil).Render(RenderOptions{BudgetTokens: 1000}).Text, "\n"); got != test.want {
			t.Errorf("header %q, want %q", got, test.want)
		}
	}
}

// CAT-11, ANN-9
func TestEmptyPool(t *testing.T) {
	r := Empty().Render(RenderOptions{BudgetTokens: 2000})
	if strings.Contains(r.Text, "Exec") || strings.Contains(r.Text, "\n") || r.Partial || r.Total != 0 {
		t.Errorf("the empty pool is %q, partial %v", r.Text, r.Partial)
	}
}

// CAT-1: whatever a server writes, its comment stays one harmless line.
func TestFirstLine(t *testing.T) {
	for _, test := range []struct {
		in    string
		width int
		want  string
	}{
		{"", 160, ""},
		{" \n\t\r\n", 160, ""},
		{"one", 160, "one"},
		{"one\ntwo", 160, "one"},
		{"\n  one  \ntwo", 160, "one"},
		{"one\rtwo", 160, "one"},
		{"one\u2028tools.x()", 160, "one"},
		{"one\u2029tools.x()", 160, "one"},
		{"one\vtwo", 160, "one"},
		{"one\ftwo", 160, "one"},
		{"one\u0085two", 160, "one"},
		{"\v\f\u0085\r\n one\r\ntwo", 160, "one"},
		{"a\tb\x00c\x1b[31md\u0080e\x7ff", 160, "a b c [31md e f"},
		{"a\u202eb\u2066c\u200fd", 160, "abcd"},
		{"a\u200bb\u00adc\u3164d\U000e0041e \U0001f469\u200d\U0001f4bb \xff\xff", 160, "abcde \U0001f469\u200d\U0001f4bb \ufffd\ufffd"}, // TRUST-2
		{"a\U000E0041b\uFEFF", 160, "ab"},
		{"\u202e\nnext", 160, "next"},
		{"*/ ` ${x} // <!--", 160, "*/ ` ${x} // <!--"},
		{"👩‍👩‍👧 family", 160, "👩‍👩‍👧 family"},
		{"12345", 5, "12345"},
		{"123456", 5, "1234…"},
		{"123 56", 5, "123…"},
		{"äöüäöü", 5, "äöüä…"},
		{"日本語", 1, "…"},
	} {
		if got := firstLine(test.in, test.width); got != test.want {
			t.Errorf("firstLine(%q, %d) = %q, want %q", test.in, test.width, got, test.want)
		}
	}
}

// CAT-7: the cost counts code points, not bytes or UTF-16 units.
func TestCost(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "日本語四": 1, "😀😀😀😀": 1, "😀😀😀😀\n": 2} {
		if got := cost(text); got != want {
			t.Errorf("cost(%q) = %d, want %d", text, got, want)
		}
	}
	tool, _ := shop().Find("mcp__github__create_issue")
	if block := "// Create an issue in a repository.\n" + tool.Signature(); tool.Tokens() != (utf8.RuneCountInString(block)+3)/4 {
		t.Errorf("cost of %s is %d; its block is\n%s", tool.Name, tool.Tokens(), block)
	}
}

func TestFlatTokens(t *testing.T) {
	for _, tool := range shop().Tools() {
		name, _ := jsontext.AppendQuote(nil, tool.Name)
		description, _ := jsontext.AppendQuote(nil, tool.Description)
		flat := fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":%s}`, name, description, tool.flatInput())
		if got, want := tool.flatTokens(), (utf8.RuneCountInString(flat)+3)/4; got != want {
			t.Errorf("%s costs %d, want %d", tool.Name, got, want)
		}
	}
}

// pools draws servers with tools whose costs differ, coincide, and are large.
func pools() *rapid.Generator[[]*Server] {
	letters := rapid.StringMatching(`[a-cA-C_\- .é]{0,3}`)
	tool := rapid.Custom(func(t *rapid.T) jsontext.Value {
		name, _ := jsontext.AppendQuote(nil, rapid.StringMatching(`[a-d_\-( ]{1,3}`).Draw(t, "tool"))
		description, _ := jsontext.AppendQuote(nil, rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-z *\n/é😀]{0,200}`)).Draw(t, "description"))
		properties := ""
		for i := range rapid.IntRange(0, 4).Draw(t, "properties") {
			if i > 0 {
				properties += ","
			}
			properties += fmt.Sprintf(`"p%d":{"type":"string"}`, i)
		}
		return jsontext.Value(fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":{"type":"object","properties":{%s}}}`, name, description, properties))
	})
	return rapid.Custom(func(t *rapid.T) []*Server {
		names := rapid.SliceOfNDistinct(letters, 0, 5, rapid.ID).Draw(t, "servers")
		servers := make([]*Server, len(names))
		for i, n := range names {
			servers[i] = NewServer(n, rapid.SliceOfN(tool, 0, 8).Draw(t, "tools of "+n), "", false)
		}
		return servers
	})
}

// oracle is CAT-7 and CAT-8 written another way: which tools are shown.
func oracle(c *Catalog, budget int) map[string]bool {
	type priced struct {
		name string
		cost int
	}
	queues := map[string][]priced{}
	var all []priced
	for _, t := range c.Tools() {
		block := t.Signature()
		if line := firstLine(t.Description, 160); line != "" {
			block = "// " + line + "\n" + block
		}
		p := priced{t.Name, (len([]rune(block)) + 3) / 4}
		queues[t.Namespace] = append(queues[t.Namespace], p)
		all = append(all, p)
	}
	shown := map[string]bool{}
	left := budget
	for len(queues) > 0 {
		keys := []string{}
		for key := range queues {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			next := slices.MinFunc(queues[key], func(a, b priced) int {
				return cmp.Or(a.cost-b.cost, strings.Compare(a.name, b.name))
			})
			queues[key] = slices.DeleteFunc(queues[key], func(p priced) bool { return p == next })
			if next.cost > left {
				delete(queues, key)
				continue
			}
			left -= next.cost
			shown[next.name] = true
			if len(queues[key]) == 0 {
				delete(queues, key)
			}
		}
	}
	if len(shown) == 0 && len(all) > 0 {
		shown[slices.MinFunc(all, func(a, b priced) int {
			return cmp.Or(a.cost-b.cost, strings.Compare(namespaceOf(a.name), namespaceOf(b.name)), strings.Compare(a.name, b.name))
		}).name] = true
	}
	return shown
}

func shownNames(r *Rendering) (list []string, tokens int) {
	for _, t := range r.Tools {
		if t.Shown {
			list = append(list, t.Tool.Name)
			tokens += t.Tokens
		}
	}
	return list, tokens
}

// CAT-6, CAT-7, CAT-8, CAT-9, CAT-10, CAT-12 for any pool and any budget.
func TestTruncationProperties(t *testing.T) {
	summary := regexp.MustCompile(`(?m)^- (mcp__\S*) \((\d+) tools?(?:, (none|\d+) shown)?\)$`)
	rapid.Check(t, func(t *rapid.T) {
		servers := pools().Draw(t, "pool")
		c := New(servers, nil)
		budget := rapid.IntRange(0, 300).Draw(t, "budget")
		r := c.Render(RenderOptions{BudgetTokens: budget})

		got, tokens := shownNames(r)
		want := oracle(c, budget)
		if len(got) != len(want) {
			t.Fatalf("shown %q, want %v", got, want)
		}
		for _, name := range got {
			if !want[name] {
				t.Fatalf("shown %q, want %v", got, want)
			}
		}
		if r.Shown != len(got) || r.Total != len(c.Tools()) || r.Partial != (r.Shown < r.Total) {
			t.Fatalf("shown %d of %d, partial %v; %d of %d are", r.Shown, r.Total, r.Partial, len(got), len(c.Tools()))
		}
		if r.Total > 0 && r.Shown == 0 {
			t.Fatal("no entry is shown (CAT-8)")
		}
		if tokens > budget && r.Shown > 1 {
			t.Fatalf("%d entries cost %d, the budget is %d", r.Shown, tokens, budget)
		}
		if _, more := shownNames(c.Render(RenderOptions{BudgetTokens: budget + 1})); more < tokens {
			t.Fatalf("a larger budget shows less: %d tokens, then %d", tokens, more)
		}
		if r.Tokens != cost(r.Text) {
			t.Fatalf("the text costs %d, it says %d", cost(r.Text), r.Tokens)
		}

		// The text has exactly the shown blocks, in the order of the data.
		rest, ok := r.Text, true
		for _, tool := range r.Tools {
			if !tool.Shown {
				continue
			}
			block := "\n\n" + tool.Tool.block(defaultStyle).text
			_, rest, ok = strings.Cut(rest, block)
			if !ok {
				t.Fatalf("%s is not in its place in\n%s", tool.Tool.Name, r.Text)
			}
		}
		if !r.Partial {
			if rest != "" && r.Total > 0 {
				t.Fatalf("behind the entries of a whole catalog is %q", rest)
			}
			return
		}
		// Every server is named, with its counts (CAT-9).
		lines := summary.FindAllStringSubmatch(rest, -1)
		if len(lines) != len(r.Servers) || !strings.HasPrefix(rest, fmt.Sprintf("\n\nPARTIAL: %d of %d tools are shown.\n- ", r.Shown, r.Total)) {
			t.Fatalf("%d servers, but behind the entries is\n%s", len(r.Servers), rest)
		}
		for i, s := range r.Servers {
			shown := fmt.Sprint(s.Shown)
			switch s.Shown {
			case 0:
				shown = "none"
			case s.Tools:
				shown = ""
			}
			if want := []string{s.Namespace, fmt.Sprint(s.Tools), shown}; !slices.Equal(lines[i][1:], want) {
				t.Fatalf("line of a server %q, want %q", lines[i][1:], want)
			}
			if i > 0 && r.Servers[i-1].Namespace >= s.Namespace {
				t.Fatal("servers are not in byte order of their keys (CAT-12)")
			}
		}
		if !strings.HasSuffix(rest, searchMember.Signature()) {
			t.Fatal("the search part is not last (CAT-10)")
		}
	})
}

// CAT-12, CAT-13: order of connection and of tools/list never shows; one tool's
// change is its own.
func TestRenderingIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		servers := pools().Draw(t, "pool")
		budget := rapid.IntRange(0, 300).Draw(t, "budget")
		c := New(servers, nil)
		if len(c.Conflicts()) > 0 {
			t.Skip("the order of configuration decides conflicts")
		}
		var mixed []*Server
		for _, s := range rapid.Permutation(servers).Draw(t, "order") {
			var tools []jsontext.Value
			for _, tool := range rapid.Permutation(s.Tools).Draw(t, "tools") {
				tools = append(tools, slices.Clone(tool.Raw()))
			}
			mixed = append(mixed, NewServer(s.Name, tools, "", false))
		}
		o := RenderOptions{BudgetTokens: budget}
		one, other := c.Render(o), New(mixed, nil).Render(o)
		if one.Text != other.Text || one.Hash != other.Hash {
			t.Fatal(gocmp.Diff(one.Text, other.Text))
		}
		if c.Hash() != New(mixed, nil).Hash() {
			t.Fatal("the hash depends on order")
		}
		if len(c.Tools()) == 0 {
			return
		}
		changed := rapid.SampledFrom(c.Tools()).Draw(t, "changed")
		i := slices.IndexFunc(servers, func(s *Server) bool { return s.Name == changed.Server })
		var tools []jsontext.Value
		for _, tool := range servers[i].Tools {
			if tool == changed {
				name, _ := jsontext.AppendQuote(nil, tool.MCPName)
				tools = append(tools, jsontext.Value(`{"name":`+string(name)+`,"description":"Another one.","inputSchema":{}}`))
			} else {
				tools = append(tools, tool.Raw())
			}
		}
		next := slices.Clone(servers)
		next[i] = servers[i].With(tools, "", false)
		after := New(next, nil).Render(RenderOptions{BudgetTokens: 1 << 30})
		for _, tool := range c.Render(RenderOptions{BudgetTokens: 1 << 30}).Tools {
			if tool.Tool.Name == changed.Name {
				continue
			}
			if !strings.Contains(after.Text, "\n\n"+tool.Tool.block(defaultStyle).text) {
				t.Fatalf("the change of %s changed %s", changed.Name, tool.Tool.Name)
			}
			if kept, _ := New(next, nil).Find(tool.Tool.Name); kept != tool.Tool {
				t.Fatalf("the change of %s read %s again", changed.Name, tool.Tool.Name)
			}
		}
	})
}

// CAT-9: real servers at many budgets; no budget number, every server named.
func TestCorpusAtManyBudgets(t *testing.T) {
	c := New(corpus(t), nil)
	for _, budget := range []int{0, 7, 100, 2_000, 20_000, 200_000, 1 << 30} {
		r := c.Render(RenderOptions{BudgetTokens: budget})
		want := oracle(c, budget)
		got, tokens := shownNames(r)
		if len(got) != len(want) {
			t.Errorf("budget %d: %d shown, want %d", budget, len(got), len(want))
		}
		t.Logf("budget %d: %d of %d tools, %d tokens of entries, %d of text, flat %d", budget, r.Shown, r.Total, tokens, r.Tokens, r.FlatTokens)
		if r.Partial && !strings.Contains(r.Text, "\n- mcp__github-mcp-server (") {
			t.Errorf("budget %d: a server is not named", budget)
		}
	}
}
