// Package overview is the pool and its servers as data: the answers of codemode/catalog
// and codemode/servers, which the command line prints with --json.
package overview

import (
	"codemode-ls/catalog"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
)

// Catalog is what a model would read, as text and as data.
type Catalog struct {
	Text       string          `json:"text"`
	Hash       string          `json:"hash"`
	Partial    bool            `json:"partial"`
	Shown      int             `json:"shown"`
	Total      int             `json:"total"`
	Tokens     int             `json:"tokens"`     // cost of the text
	FlatTokens int             `json:"flatTokens"` // cost of the same tools declared one by one
	Servers    []CatalogServer `json:"servers"`
	Tools      []CatalogTool   `json:"tools"`
	// ShownNames are the tools in the text, when the request asked for namesOnly.
	ShownNames []string `json:"shownNames,omitzero"`
}

// CatalogServer is one server's part of it.
type CatalogServer struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Tools     int    `json:"tools"`
	Shown     int    `json:"shown"`
	Tokens    int    `json:"tokens"` // cost of all of its entries
	// ShownTokens are those of the entries in the text, FlatTokens the cost of its tools declared one by one.
	ShownTokens int `json:"shownTokens"`
	FlatTokens  int `json:"flatTokens"`
}

// CatalogTool is one tool's entry. Permission is "allow" or "ask": denied tools
// are in no pool.
type CatalogTool struct {
	Name        string         `json:"name"`
	Server      string         `json:"server"`
	Title       string         `json:"title,omitzero"`
	Description string         `json:"description"`
	Signature   string         `json:"signature"`
	Tokens      int            `json:"tokens"`
	Shown       bool           `json:"shown"`
	Annotations jsontext.Value `json:"annotations,omitzero"`
	Permission  string         `json:"permission"`
	Exposure    string         `json:"exposure"` // to agents: "code", or "direct" (the setting exposure)
}

// OnlyNames leaves out the tools themselves: a client that has them and tries
// other budgets needs to know which ones are shown, not megabytes.
func (c *Catalog) OnlyNames() {
	c.ShownNames = make([]string, 0, c.Shown)
	for _, t := range c.Tools {
		if t.Shown {
			c.ShownNames = append(c.ShownNames, t.Name)
		}
	}
	c.Tools = []CatalogTool{}
}

// CatalogOf is the answer of codemode/catalog for a rendering of w's pool.
func CatalogOf(r *catalog.Rendering, w *workspace.Snapshot) *Catalog {
	answer := &Catalog{
		Text: r.Text, Hash: r.Hash, Partial: r.Partial, Shown: r.Shown, Total: r.Total,
		Tokens: r.Tokens, FlatTokens: r.FlatTokens,
		Servers: make([]CatalogServer, 0, len(r.Servers)),
		Tools:   make([]CatalogTool, 0, len(r.Tools)),
	}
	for _, v := range r.Servers {
		answer.Servers = append(answer.Servers, CatalogServer{
			Namespace: v.Namespace, Name: v.Name, Tools: v.Tools, Shown: v.Shown, Tokens: v.Tokens,
			ShownTokens: v.ShownTokens, FlatTokens: v.FlatTokens,
		})
	}
	for _, t := range r.Tools {
		answer.Tools = append(answer.Tools, CatalogTool{
			Name: t.Tool.Name, Server: t.Tool.Server, Title: t.Tool.Title, Description: t.Tool.Description,
			Signature: t.Signature, Tokens: t.Tokens, Shown: t.Shown, Annotations: t.Tool.RawAnnotations,
			Permission: string(w.Rules.Decide(t.Tool.Name).Effect), Exposure: w.Exposure(t.Tool.Name),
		})
	}
	return answer
}
