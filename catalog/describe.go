package catalog

import (
	"fmt"

	"codemode-ls/typegen"

	"github.com/go-json-experiment/json/jsontext"
)

// Description is one tool in full: the answer of codemode/describe and of
// describe in a script.
type Description struct {
	Name         string         `json:"name"`
	Server       string         `json:"server"`
	Description  string         `json:"description"` // uncut
	Signature    string         `json:"signature"`   // types at full depth
	Annotations  jsontext.Value `json:"annotations"` // as sent; {} when there were none
	InputSchema  jsontext.Value `json:"inputSchema"`
	OutputSchema jsontext.Value `json:"outputSchema,omitzero"`
}

// Describe describes the tool with that full name.
func (c *Catalog) Describe(name string) (Description, bool) {
	t, ok := c.Find(name)
	if !ok {
		return Description{}, false
	}
	d := Description{
		Name:         t.Name,
		Server:       t.Server,
		Description:  t.Description,
		Annotations:  t.RawAnnotations,
		InputSchema:  t.InputSchema,
		OutputSchema: t.OutputSchema,
	}
	d.Signature, _ = typegen.Signature(t.Name, t.InputSchema, t.OutputSchema, 0)
	if d.Annotations == nil {
		d.Annotations = jsontext.Value(`{}`)
	}
	if d.InputSchema == nil {
		d.InputSchema = jsontext.Value(`{}`)
	}
	return d, true
}

// NamespaceDescription is one MCP server as scripts see it.
type NamespaceDescription struct {
	Name         string   `json:"name"`   // mcp__<key>
	Server       string   `json:"server"` // configured name
	Description  string   `json:"description"`
	Instructions string   `json:"instructions"` // the server's own, uncut; "" when it sent none
	Tools        []string `json:"tools"`        // full names, in byte order
}

// DescribeNamespace describes a server, named in any form of SRCH-5.
func (c *Catalog) DescribeNamespace(name string) (NamespaceDescription, bool) {
	groups := c.named(name)
	if len(groups) == 0 {
		return NamespaceDescription{}, false
	}
	g := groups[0]
	d := NamespaceDescription{
		Name:        g.namespace,
		Server:      g.name(),
		Description: fmt.Sprintf("MCP server %s with %s.", g.name(), count(len(g.tools), "tool")),
		Tools:       make([]string, len(g.tools)),
	}
	for _, s := range g.servers {
		if s.Instructions != "" {
			if d.Instructions != "" {
				d.Instructions += "\n\n"
			}
			d.Instructions += s.Instructions
		}
	}
	for i, t := range g.tools {
		d.Tools[i] = t.Name
	}
	return d, true
}

// Listed is one tool in the result of list.
type Listed struct {
	Name        string `json:"name"`
	Description string `json:"description"` // uncut
}

// List is the whole pool, in the order of the catalog.
func (c *Catalog) List() []Listed {
	tools := c.find(Query{})
	list := make([]Listed, len(tools))
	for i, t := range tools {
		list[i] = Listed{t.Name, t.Description}
	}
	return list
}
