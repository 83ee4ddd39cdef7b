package catalog

import (
	"codemode-ls/typegen"

	"github.com/go-json-experiment/json/jsontext"
)

// Annotations are a server's own hints about a tool; nil is "not said". They
// come from the server, which is not trusted (PERM-9).
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld *bool
}

// Tool is one MCP tool. It never changes.
type Tool struct {
	Name         string // full name, mcp__<key>__<tool> (POOL-2)
	Server       string // configured name of its server
	Namespace    string // mcp__<key>
	MCPName      string // as the server knows it
	Title        string
	Description  string // whole, as sent
	InputSchema  jsontext.Value
	OutputSchema jsontext.Value // nil when none was declared
	Annotations  Annotations
	// RawAnnotations are the annotations as sent, or nil.
	RawAnnotations jsontext.Value
	Deprecated     bool
	Problems       []typegen.Problem // broken parts (POOL-5)
	// unexported: cached block, declaration, search terms
}

// Signature is the call form with its types at the catalog's depth (CAT-14).
func (t *Tool) Signature() string { panic("not built") }

// Tokens is the cost of the tool's whole block (CAT-7).
func (t *Tool) Tokens() int { panic("not built") }

// Server is what one MCP server offers. It never changes.
type Server struct {
	Name         string // configured name
	Namespace    string // mcp__<key>
	Instructions string
	Cached       bool    // last known tools; the server has not answered yet (LSP-1)
	Tools        []*Tool // in byte order of name; duplicates within the server removed
	// Problems are tools that could not be taken in at all, in words.
	Problems []string
}

// NewServer reads a server's tools, each the bytes of one element of a
// tools/list answer. It is tolerant: a broken tool costs only itself (POOL-5).
func NewServer(name string, tools []jsontext.Value, instructions string, cached bool) *Server {
	panic("not built")
}

// Namespace is the grouping key of a configured server name: mcp__<key> with
// <key> up to the first "__" (POOL-2).
func Namespace(server string) string { panic("not built") }

// A Conflict is a full name that two servers claim; the first keeps it.
type Conflict struct{ Name, Kept, Dropped string }

// Catalog is the pool: every tool that can be called (POOL-1).
type Catalog struct {
	// unexported
}

// New computes the pool from servers in order of configuration. keep says
// whether a tool is in it (exclusions and deny rules); nil keeps all.
func New(servers []*Server, keep func(fullName string) bool) *Catalog { panic("not built") }

// Empty is the pool without tools.
func Empty() *Catalog { return New(nil, nil) }

// Tools are all tools, by namespace and then name in byte order.
func (c *Catalog) Tools() []*Tool { panic("not built") }

// Servers are the servers with at least one tool, by namespace in byte order.
func (c *Catalog) Servers() []*Server { panic("not built") }

// Conflicts are the names that were claimed twice.
func (c *Catalog) Conflicts() []Conflict { panic("not built") }

// Find returns the tool with that full name.
func (c *Catalog) Find(name string) (*Tool, bool) { panic("not built") }

// Closest are at most n full names that a person may have meant, best first;
// none when nothing is close.
func (c *Catalog) Closest(name string, n int) []string { panic("not built") }

// Hash is equal for pools that render the same texts.
func (c *Catalog) Hash() string { panic("not built") }

// Declarations is the .d.ts of the pool, computed once.
func (c *Catalog) Declarations() *typegen.File { panic("not built") }

// RenderOptions of the catalog text.
type RenderOptions struct {
	BudgetTokens     int    // 0 is a valid budget (CAT-8)
	Namespace        string // only this server, when set (mcp__key, or key)
	MaxDepth         int    // 0: the default, 6
	DescriptionWidth int    // 0: the default, 160
}

// Rendering is the catalog as text and as data: the answer of codemode/catalog
// (07-protocol) without the permissions.
type Rendering struct {
	Text       string
	Hash       string
	Partial    bool
	Shown      int
	Total      int
	Tokens     int // cost of the text
	FlatTokens int // cost of the flat declarations of the same tools
	Servers    []ServerRendering
	Tools      []ToolRendering
}

// ServerRendering is one server's line.
type ServerRendering struct {
	Namespace, Name      string
	Tools, Shown, Tokens int
}

// ToolRendering is one tool's entry.
type ToolRendering struct {
	Tool      *Tool
	Signature string
	Tokens    int
	Shown     bool
}

// Render makes the catalog text (CAT-1…14).
func (c *Catalog) Render(o RenderOptions) *Rendering { panic("not built") }

// SearchArguments is the JSON Schema of search's argument. The advertised
// signature is rendered from it and arguments are checked against it (SRCH-6).
var SearchArguments, SearchResult jsontext.Value

// Query narrows a search; Limit 0 is no limit (SRCH-5).
type Query struct {
	Query     string `json:"query,omitzero"`
	Namespace string `json:"namespace,omitzero"`
	Limit     int    `json:"limit,omitzero"`
	Offset    int    `json:"offset,omitzero"`
}

// Match is one found tool, in the shape that scripts get (SRCH-3).
type Match struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Signature   string `json:"signature"`
}

// Search finds tools; remaining is how many more matched behind the limit.
func (c *Catalog) Search(q Query) (matches []Match, remaining int) { panic("not built") }

// ParseQuery checks the argument of a search against SearchArguments. The
// error shows the expected shape (SRCH-6).
func ParseQuery(arguments jsontext.Value) (Query, error) { panic("not built") }

// Diff says what changed from old to c.
func (c *Catalog) Diff(old *Catalog) Changes { panic("not built") }

// Changes are full names, each list in byte order.
type Changes struct {
	Added, Removed []string
	Changed        []ChangedTool
}

// ChangedTool names the fields that differ: title, description, inputSchema,
// outputSchema, annotations.
type ChangedTool struct {
	Name   string
	Fields []string
}
