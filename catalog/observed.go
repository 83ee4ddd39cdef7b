package catalog

import (
	"codemode-ls/typegen"

	"github.com/go-json-experiment/json/jsontext"
)

// Observed is what was seen of the results of tools that declare none. It never
// changes. It shows in types and hovers, never in the catalog text.
type Observed struct{ shapes map[string]ObservedShape }

// ObservedShape is what the results of one tool looked like.
type ObservedShape struct {
	Schema jsontext.Value // JSON Schema
	// Text: the results were texts that are JSON; scripts get the text.
	Text bool
}

// NewObserved takes shapes by the tools' full names.
func NewObserved(shapes map[string]ObservedShape) *Observed { return &Observed{shapes} }

// Observed is what was seen of the tool; false when nothing was, or when its
// server says what it returns.
func (c *Catalog) Observed(t *Tool) (ObservedShape, bool) {
	if c.offer.Observed == nil || t.OutputSchema != nil {
		return ObservedShape{}, false
	}
	s, ok := c.offer.Observed.shapes[t.Name]
	return s, ok
}

// declareObserved are the types of what was seen, in the order of the tools.
func (c *Catalog) declareObserved() []string {
	if c.offer.Observed == nil {
		return nil
	}
	var texts []string
	for _, t := range c.tools {
		if s, ok := c.Observed(t); ok {
			texts = append(texts, typegen.DeclareObserved(t.Name, s.Schema, s.Text))
		}
	}
	return texts
}
