package catalog

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// SearchArguments is the JSON Schema of search's argument. The advertised
// signature is rendered from it and arguments are checked against it (SRCH-6).
// SearchResult is that of its result.
var (
	SearchArguments = object(nil,
		property{"query", `{
			"type": "string",
			"description": "Words to look for in names, descriptions and fields, in any order. When omitted, every tool is listed."
		}`},
		property{"namespace", `{
			"type": "string",
			"description": "Only the tools of this server, such as \"mcp__github\" or \"github\"."
		}`},
		property{"limit", `{"type": "integer", "description": "Return at most this many tools.", "minimum": 1}`},
		property{"offset", `{"type": "integer", "description": "Leave out this many tools first.", "minimum": 0}`})
	SearchResult = array(object(required("name", "description", "signature"),
		property{"name", stringSchema}, property{"description", stringSchema}, property{"signature", stringSchema}))
)

var searchMember = Member{
	Name:        "search",
	Description: "Finds MCP tools in the whole pool, the best match first. Without a query it lists all of them.",
	Input:       SearchArguments,
	Output:      SearchResult,
}

// Query narrows a search; Limit 0 is no limit (SRCH-5).
type Query struct {
	Query     string `json:"query,omitzero"`
	Namespace string `json:"namespace,omitzero"`
	Limit     int    `json:"limit,omitzero"`
	Offset    int    `json:"offset,omitzero"`
}

// ParseQuery checks the argument of a search against SearchArguments. The
// error shows the expected shape (SRCH-6).
func ParseQuery(arguments jsontext.Value) (Query, error) {
	if err := searchMember.Check(arguments); err != nil {
		return Query{}, err
	}
	// The check has let pass nothing but integers that are exact as float64.
	var q struct {
		Query     string  `json:"query"`
		Namespace string  `json:"namespace"`
		Limit     float64 `json:"limit"`
		Offset    float64 `json:"offset"`
	}
	if len(arguments) > 0 {
		if err := unmarshal(arguments, &q); err != nil {
			return Query{}, err
		}
	}
	integer := func(n float64) int { return int(min(n, math.MaxInt32)) }
	return Query{Query: q.Query, Namespace: q.Namespace, Limit: integer(q.Limit), Offset: integer(q.Offset)}, nil
}

// Match is one found tool, in the shape that scripts get (SRCH-3).
type Match struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Signature   string `json:"signature"`
}

// Search finds tools; remaining is how many more matched behind the limit.
// Without a query it lists the pool in the order of the catalog (SRCH-4).
func (c *Catalog) Search(q Query) (matches []Match, remaining int) {
	tools := c.find(q)
	tools = tools[min(max(q.Offset, 0), len(tools)):]
	if q.Limit > 0 && q.Limit < len(tools) {
		remaining = len(tools) - q.Limit
		tools = tools[:q.Limit]
	}
	matches = make([]Match, len(tools))
	for i, t := range tools {
		matches[i] = Match{Name: t.Name, Description: t.Description, Signature: c.Signature(t)}
	}
	return matches, remaining
}

// find are the tools that match, best first.
func (c *Catalog) find(q Query) []*Tool {
	groups := c.groups
	if strings.TrimSpace(q.Namespace) != "" {
		groups = c.named(strings.TrimSpace(q.Namespace))
	}
	var tools []*Tool
	words := queryTerms(q.Query)
	if strings.TrimSpace(q.Query) == "" {
		for _, g := range groups {
			for _, e := range g.order.of(g.tools, c.style) {
				tools = append(tools, e.tool)
			}
		}
		return tools
	}
	for _, g := range groups {
		tools = append(tools, g.tools...)
	}
	return c.index().rank(tools, q.Query, words)
}

// fields that terms are counted in.
type field int

const (
	nameField field = iota // of the tool, without its server
	serverField
	titleField
	descriptionField
	propertyField // names of input fields
	docField      // descriptions and values of input fields
	outputField   // names and descriptions of output fields
	fieldCount
)

// weights and length normalisation (BM25F's w and b) of the fields, chosen by
// the relevance test.
var (
	weights = [fieldCount]float64{nameField: 6, serverField: 4, titleField: 4, descriptionField: 2, propertyField: 0.4, docField: 0.2, outputField: 0.1}
	lengthB = [fieldCount]float64{nameField: 0.9, serverField: 0, titleField: 0.75, descriptionField: 0.75, propertyField: 0.5, docField: 0.75, outputField: 0.75}
)

const (
	saturation  = 1.2 // BM25's k1
	prefixValue = 0.5 // of a word that only begins with the one asked for
	otherValue  = 0.7 // of a word that means the same
)

// index is what a search needs to know of the whole pool.
type index struct {
	documents map[*Tool]*document
	average   [fieldCount]float64 // length of each field, in terms
}

func (c *Catalog) makeIndex() *index {
	x := &index{documents: make(map[*Tool]*document, len(c.tools))}
	for _, t := range c.tools {
		d := t.document()
		x.documents[t] = d
		for f, n := range d.length {
			x.average[f] += float64(n)
		}
	}
	for f := range x.average {
		x.average[f] = max(x.average[f]/float64(max(len(c.tools), 1)), 1)
	}
	return x
}

// rank orders the tools that have any of the words, or another for it: exact names
// first, then by BM25F over the fields, ties by name (SRCH-2). What has none of the
// words themselves comes behind all that has.
func (x *index) rank(tools []*Tool, query string, words []queryWord) []*Tool {
	type hit struct {
		tool    *Tool
		exact   int
		literal bool // it has one of the words, not only others for them
		score   float64
		freq    []float64 // weighted frequency of each word
	}
	var hits []hit
	seen := make([]int, len(words)) // tools that have the word
	query = strings.TrimSpace(query)
	joined := squeezed(query)
	for _, t := range tools {
		d := x.documents[t]
		h := hit{tool: t, exact: exactness(t, d, query, joined)}
		for i, w := range words {
			f, literal := x.queryFrequency(d, w)
			if f == 0 {
				continue
			}
			h.literal = h.literal || literal
			if h.freq == nil {
				h.freq = make([]float64, len(words))
			}
			h.freq[i] = f
			seen[i]++
		}
		if h.freq != nil || h.exact > 0 {
			hits = append(hits, h)
		}
	}
	for i := range hits {
		h := &hits[i]
		found := 0
		for w, f := range h.freq {
			if f > 0 {
				n, df := float64(len(tools)), float64(seen[w])
				rarity := math.Log(1 + (n-df+0.5)/(df+0.5))
				h.score += rarity * f / (saturation + f)
				found++
			}
		}
		if len(words) > 0 {
			h.score *= 0.5 + 0.5*float64(found)/float64(len(words))
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		literal := 0
		switch {
		case a.literal && !b.literal:
			literal = -1
		case b.literal && !a.literal:
			literal = 1
		}
		return cmp.Or(cmp.Compare(b.exact, a.exact), literal, cmp.Compare(b.score, a.score), strings.Compare(a.tool.Name, b.tool.Name))
	})
	found := make([]*Tool, len(hits))
	for i, h := range hits {
		found[i] = h.tool
	}
	return found
}

// queryFrequency is how often a document has a word, or what else it may be called, which
// counts less; literal says that it has the word itself.
func (x *index) queryFrequency(d *document, w queryWord) (most float64, literal bool) {
	most = x.frequency(d, w.word)
	literal = most > 0
	for _, phrase := range w.others {
		least := math.Inf(1)
		for _, word := range phrase {
			least = min(least, x.frequency(d, word))
		}
		most = max(most, otherValue*least)
	}
	return most, literal
}

// frequency is how often a word is in a document, each field with its weight
// and in relation to its length. Words that only begin with it count less.
func (x *index) frequency(d *document, word string) float64 {
	total := 0.0
	i, _ := slices.BinarySearchFunc(d.terms, word, func(t term, w string) int { return strings.Compare(t.text, w) })
	for ; i < len(d.terms) && strings.HasPrefix(d.terms[i].text, word); i++ {
		t, value := d.terms[i], prefixValue
		if t.text == word {
			value = 1
		} else if len(word) < 3 {
			break
		}
		for f, n := range t.count {
			if n > 0 {
				norm := 1 - lengthB[f] + lengthB[f]*float64(d.length[f])/x.average[f]
				total += value * weights[f] * float64(n) / norm
			}
		}
	}
	return total
}

// exactness of a query that is a tool's name: 3 when it is the full name or the
// server's own, 2 when but for case, 1 when but for the way words are joined,
// for which joined is the query squeezed.
func exactness(t *Tool, d *document, query, joined string) int {
	switch {
	case query == t.Name || query == t.MCPName:
		return 3
	case strings.EqualFold(query, t.Name) || strings.EqualFold(query, t.MCPName):
		return 2
	case joined != "" && (joined == d.squeezedName || joined == d.squeezedFullName):
		return 1
	}
	return 0
}
