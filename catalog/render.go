package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// RenderOptions of the catalog text.
type RenderOptions struct {
	BudgetTokens     int    // 0 is a valid budget (CAT-8)
	Namespace        string // only this server, when set (mcp__key, or key)
	MaxDepth         int    // 0: the pool's, see Catalog.Styled
	DescriptionWidth int    // 0: the pool's
}

// style is what the options say, or else what is usual.
func (o RenderOptions) style(usual style) style {
	s := usual
	if o.MaxDepth > 0 {
		s.depth = o.MaxDepth
	}
	if o.DescriptionWidth > 0 {
		s.width = o.DescriptionWidth
	}
	return s
}

// Rendering is the catalog as text and as data: the answer of codemode/catalog
// (07-protocol) without the permissions.
type Rendering struct {
	Text       string // no newline at its end
	Hash       string // of Text: equal hashes mean equal bytes (ANN-12)
	Partial    bool   // not every tool is shown
	Shown      int
	Total      int
	Tokens     int // cost of the text
	FlatTokens int // cost of the flat declarations of the same tools
	Servers    []ServerRendering
	Tools      []ToolRendering // in the order of the text, shown or not (CAT-12)
}

// ServerRendering is one server's line.
type ServerRendering struct {
	Namespace, Name string
	Tools, Shown    int
	Tokens          int // cost of all of its entries
	ShownTokens     int // cost of those in the text
	FlatTokens      int // cost of the flat declarations of all of its tools
}

// ToolRendering is one tool's entry.
type ToolRendering struct {
	Tool      *Tool
	Signature string
	Tokens    int
	Shown     bool
}

// emptyText is the catalog of an empty pool (CAT-11).
const emptyText = "No MCP tools are available now; later updates may add some."

// section is a group as the catalog shows it: the first entries of its order.
type section struct {
	*group
	entries []entry
	shown   int
}

// Render makes the catalog text (CAT-1…14).
func (c *Catalog) Render(o RenderOptions) *Rendering {
	groups := c.groups
	if o.Namespace != "" {
		groups = c.named(o.Namespace)
	}
	style := o.style(c.style)
	sections := make([]*section, len(groups))
	r := &Rendering{}
	for i, g := range groups {
		sections[i] = &section{group: g, entries: g.order.of(g.tools, style)}
		r.Total += len(g.tools)
	}
	choose(sections, o.BudgetTokens)

	r.Tools = make([]ToolRendering, 0, r.Total)
	r.Servers = make([]ServerRendering, 0, len(sections))
	for _, s := range sections {
		server := ServerRendering{Namespace: s.namespace, Name: s.name(), Tools: len(s.entries), Shown: s.shown}
		for i, e := range s.entries {
			server.Tokens += e.block.tokens
			server.FlatTokens += e.tool.flatTokens()
			if i < s.shown {
				server.ShownTokens += e.block.tokens
			}
			r.Tools = append(r.Tools, ToolRendering{
				Tool: e.tool, Signature: e.block.signature, Tokens: e.block.tokens, Shown: i < s.shown,
			})
		}
		r.Shown += s.shown
		r.FlatTokens += server.FlatTokens
		r.Servers = append(r.Servers, server)
	}
	r.Partial = r.Shown < r.Total
	r.Text = catalogText(sections, r)
	r.Tokens = cost(r.Text)
	sum := sha256.Sum256([]byte(r.Text))
	r.Hash = hex.EncodeToString(sum[:])
	return r
}

// choose decides how many entries of each section are shown: all when they fit
// (CAT-6), else sections take turns (CAT-7), and at least one is (CAT-8).
func choose(sections []*section, budget int) {
	spent, any := 0, false
	ended := make([]bool, len(sections))
	for going := true; going; {
		going = false
		for i, s := range sections {
			if ended[i] || s.shown == len(s.entries) {
				continue
			}
			price := s.entries[s.shown].block.tokens
			if spent+price > budget {
				ended[i] = true
				continue
			}
			spent += price
			s.shown++
			going, any = true, true
		}
	}
	if any || len(sections) == 0 {
		return
	}
	cheapest := sections[0] // sections come by key, entries by cost and name
	for _, s := range sections[1:] {
		if s.entries[0].block.tokens < cheapest.entries[0].block.tokens {
			cheapest = s
		}
	}
	cheapest.shown = 1
}

// catalogText joins header, entries and, when not all is shown, what remains.
func catalogText(sections []*section, r *Rendering) string {
	if r.Total == 0 {
		return emptyText
	}
	var b strings.Builder
	size := 1 << 10
	for _, s := range sections {
		for _, e := range s.entries[:s.shown] {
			size += len(e.block.text) + 2
		}
	}
	b.Grow(size)
	fmt.Fprintf(&b, "%s on %s can be called from an Exec script.",
		count(r.Total, "MCP tool"), count(len(sections), "server"))
	for _, s := range sections {
		for _, e := range s.entries[:s.shown] {
			b.WriteString("\n\n")
			b.WriteString(e.block.text)
		}
	}
	if !r.Partial {
		return b.String()
	}
	fmt.Fprintf(&b, "\n\nPARTIAL: %d of %d tools are shown.", r.Shown, r.Total)
	for _, s := range sections {
		fmt.Fprintf(&b, "\n- %s (%s%s)", s.namespace, count(len(s.entries), "tool"), shownOf(s.shown, len(s.entries)))
	}
	b.WriteString("\n\n" + searchSentence + "\n\n" + searchMember.Signature())
	return b.String()
}

// searchSentence opens the search part (CAT-10).
const searchSentence = `This catalog is partial: call tools["$codemode"].search from an Exec script to list or search the whole pool.`

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func shownOf(shown, total int) string {
	switch shown {
	case total:
		return ""
	case 0:
		return ", none shown"
	}
	return fmt.Sprintf(", %d shown", shown)
}

// flatTokens is the cost of the tool's flat declaration, the JSON object with
// its name, description and inputSchema that an agent gets without Code Mode.
func (t *Tool) flatTokens() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flat == 0 {
		points := utf8.RuneCountInString(`{"name":"","description":"","inputSchema":}`) +
			quotedPoints(t.Name) + quotedPoints(t.Description) + utf8.RuneCount(t.flatInput())
		t.flat = (points + 3) / 4
	}
	return t.flat
}

// quotedPoints is how many code points a string has inside a JSON string.
func quotedPoints(s string) int {
	n := utf8.RuneCountInString(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
			n++
		case c < ' ':
			n += len(`u0000`)
		}
	}
	return n
}

// flatInput is the tool's input schema for a declaration, where it must be an
// object.
func (t *Tool) flatInput() jsontext.Value {
	if t.InputSchema.Kind() != '{' {
		return jsontext.Value(`{"type":"object"}`)
	}
	return t.InputSchema
}
