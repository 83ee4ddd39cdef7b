package catalog

import (
	"strings"
	"sync"

	"codemode-ls/typegen"

	"github.com/go-json-experiment/json/jsontext"
)

// Annotations are a server's own hints about a tool; nil is "not said". They
// come from the server, which is not trusted (PERM-9).
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
}

// Hints are the hints of a tool for somebody who must allow a call of it, as text:
// "destructive, reaches the outside world". They come from its server and allow
// nothing (PERM-9). Of a tool that is not there: "".
func (c *Catalog) Hints(name string) string {
	t, ok := c.Find(name)
	if !ok {
		return ""
	}
	var words []string
	say := func(hint *bool, text string) {
		if hint != nil && *hint {
			words = append(words, text)
		}
	}
	say(t.Annotations.ReadOnly, "says it only reads")
	say(t.Annotations.Destructive, "destructive")
	say(t.Annotations.OpenWorld, "reaches the outside world")
	return strings.Join(words, ", ")
}

// Tool is one MCP tool. It never changes and must not be copied.
type Tool struct {
	Name         string // full name, mcp__<key>__<tool> (POOL-2)
	Server       string // configured name of its server
	Namespace    string // mcp__<key>
	MCPName      string // as the server knows it
	Title        string
	Description  string         // whole, as sent
	InputSchema  jsontext.Value // as sent, whatever it is (MCP-7); nil when there was none
	OutputSchema jsontext.Value // nil when none was declared
	Annotations  Annotations
	// RawAnnotations are the annotations as sent, or nil when there are none or
	// they are not an object.
	RawAnnotations jsontext.Value
	Deprecated     bool
	// Problems are the parts that were broken when the tool was read (POOL-5).
	// Their paths point into the tool. Broken has these and those that
	// rendering of the schemas reported.
	Problems []typegen.Problem

	raw jsontext.Value // the whole element as sent

	mu             sync.Mutex // guards what follows, all computed on first use
	blocks         []*block   // by options, newest last
	declaration    *typegen.Declaration
	declaredResult Result // that declaration has
	terms          *document
	flat           int // cost of the flat declaration, 0 when not known yet
	digest         *[32]byte
	pin            string            // "" when not known yet
	broken         []typegen.Problem // nil when not looked for yet
}

// Raw is the tool as the server sent it: one element of a tools/list answer.
func (t *Tool) Raw() jsontext.Value { return t.raw }

// Signature is the call form with its types at the catalog's default depth
// (CAT-14).
func (t *Tool) Signature() string { return t.block(defaultStyle).signature }

// Tokens is the cost of the tool's whole block (CAT-7) in the default style.
func (t *Tool) Tokens() int { return t.block(defaultStyle).tokens }

// Broken are all parts of the tool that are not what MCP and JSON Schema say:
// found when it was read, or when its schemas were rendered at full depth
// (POOL-5). Paths are JSON Pointers (RFC 6901) into the tool, such as
// /inputSchema/properties/a.
func (t *Tool) Broken() []typegen.Problem {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.broken == nil {
		t.broken = append(make([]typegen.Problem, 0, len(t.Problems)), t.Problems...)
		add := func(place string, input, output jsontext.Value) {
			_, problems := typegen.Signature(t.Name, input, output, 0)
			for _, p := range problems {
				t.broken = append(t.broken, typegen.Problem{Path: place + p.Path, Message: p.Message})
			}
		}
		if t.InputSchema != nil {
			add("/inputSchema", t.InputSchema, nil)
		}
		if t.OutputSchema != nil {
			add("/outputSchema", nil, t.OutputSchema)
		}
	}
	return t.broken
}

// Server is what one MCP server offers. It never changes.
type Server struct {
	Name         string // configured name
	Namespace    string // mcp__<key>
	Instructions string
	Cached       bool // last known tools; the server has not answered yet (LSP-1)
	// Gone: the server has failed, and these were its tools. They are in no pool
	// (POOL-4), but keep their names: no other server's tool takes the place of one,
	// and with it the permissions that were given to it (POOL-2).
	Gone  bool
	Tools []*Tool // in byte order of name; duplicates within the server removed
	// Problems are tools that could not be read at all, as text.
	Problems []string

	sent  []*Tool // by place in the answer; nil where Problems has something
	order orders  // of Tools
}

// Catalog is the pool: every tool that can be called (POOL-1).
type Catalog struct {
	groups    []*group  // by key in byte order
	tools     []*Tool   // by namespace, then name
	servers   []*Server // with at least one tool in the pool
	conflicts []Conflict
	cached    bool  // there are tools that are only known from last time
	style     style // of entries, where nothing else is asked for
	offer     Offer

	declarations func() *typegen.File
	hash         func() string
	index        func() *index
}

// A Conflict is a full name that two servers claim; the first keeps it, also while
// it is gone.
type Conflict struct{ Name, Kept, Dropped string }

// Empty is the pool without tools.
func Empty() *Catalog { return New(nil, nil) }

// Styled is the same pool with the look of entries that the settings ask for,
// in catalog, search and signatures alike (TYPE-1): levels of types, and
// characters of a tool's own description. 0 is the default of either.
func (c *Catalog) Styled(maxDepth, descriptionWidth int) *Catalog {
	styled := *c // shares all that does not depend on the style
	styled.style = RenderOptions{MaxDepth: maxDepth, DescriptionWidth: descriptionWidth}.style(defaultStyle)
	return &styled
}

// Signature is the call form of a tool with its types, as the catalog shows it
// (CAT-14).
func (c *Catalog) Signature(t *Tool) string { return t.block(c.style).signature }

// Tools are all tools, by namespace and then name in byte order.
func (c *Catalog) Tools() []*Tool { return c.tools }

// Servers are the servers with at least one tool, by namespace and then name in
// byte order.
func (c *Catalog) Servers() []*Server { return c.servers }

// Conflicts are the names that were claimed twice, in byte order.
func (c *Catalog) Conflicts() []Conflict { return c.conflicts }
