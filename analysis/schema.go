package analysis

import (
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A schemaNode is a JSON Schema within its document, so that references can be
// followed. What is odd in it is as if it were not there.
type schemaNode struct {
	root, at jsontext.Value
}

// maxSchemaSteps bounds references that lead to references.
const maxSchemaSteps = 16

// members are the keywords of a schema; nil when it is no object.
func (n schemaNode) members() map[string]jsontext.Value {
	var m map[string]jsontext.Value
	if n.at.Kind() != '{' || json.Unmarshal(n.at, &m, tolerant) != nil {
		return nil
	}
	return m
}

// resolved follows $ref within the document.
func (n schemaNode) resolved() schemaNode {
	for range maxSchemaSteps {
		var ref string
		if raw := n.members()["$ref"]; raw == nil || json.Unmarshal(raw, &ref) != nil {
			return n
		}
		path, ok := strings.CutPrefix(ref, "#")
		if !ok {
			return n
		}
		target := schemaNode{n.root, n.root}
		for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
			if part == "" {
				continue
			}
			if unescaped, err := url.PathUnescape(part); err == nil {
				part = unescaped
			}
			part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
			target.at = target.members()[part]
		}
		if target.at == nil {
			return n
		}
		n = target
	}
	return n
}

// list are the schemas under a keyword that holds several.
func (n schemaNode) list(keyword string) []schemaNode {
	var raw []jsontext.Value
	if json.Unmarshal(n.members()[keyword], &raw, tolerant) != nil {
		return nil
	}
	all := make([]schemaNode, len(raw))
	for i, r := range raw {
		all[i] = schemaNode{n.root, r}
	}
	return all
}

// branches are what a value may be: the alternatives of anyOf and oneOf, or the
// schema itself. null is left out: nobody means it.
func (n schemaNode) branches() []schemaNode { return n.unfolded(0) }

func (n schemaNode) unfolded(depth int) []schemaNode {
	n = n.resolved()
	var all []schemaNode
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, b := range n.list(keyword) {
			b = b.resolved()
			m := b.members()
			if n.typeName() != "" && b.typeName() == "" && m["const"] == nil && m["enum"] == nil && m["anyOf"] == nil && m["oneOf"] == nil {
				continue // it narrows what its parent is
			}
			if b.typeName() != "null" && depth < 4 {
				all = append(all, b.unfolded(depth+1)...)
			}
		}
	}
	if len(all) == 0 {
		return []schemaNode{n}
	}
	return all
}

func (n schemaNode) typeName() string {
	m := n.members()
	var one string
	var several []string
	switch {
	case json.Unmarshal(m["type"], &one) == nil && one != "":
		return one
	case json.Unmarshal(m["type"], &several) == nil && len(several) > 0:
		if i := slices.IndexFunc(several, func(s string) bool { return s != "null" }); i >= 0 {
			return several[i]
		}
		return "null"
	case m["properties"] != nil:
		return "object"
	case m["items"] != nil:
		return "array"
	}
	return ""
}

// fields are the properties of an object and which of them a call must give:
// those with a default may be left out (TYPE-5). What allOf adds is in them.
func (n schemaNode) fields() (required []string, properties map[string]schemaNode) {
	properties = map[string]schemaNode{}
	n.collectFields(&required, properties, 0)
	required = slices.DeleteFunc(required, func(name string) bool {
		p, ok := properties[name]
		return ok && p.resolved().members()["default"] != nil
	})
	return required, properties
}

func (n schemaNode) collectFields(required *[]string, properties map[string]schemaNode, depth int) {
	if depth > maxSchemaSteps {
		return
	}
	n = n.resolved()
	m := n.members()
	var names []string
	_ = json.Unmarshal(m["required"], &names, tolerant)
	for _, name := range names {
		if !slices.Contains(*required, name) {
			*required = append(*required, name)
		}
	}
	var own map[string]jsontext.Value
	_ = json.Unmarshal(m["properties"], &own, tolerant)
	for name, at := range own {
		if _, ok := properties[name]; !ok {
			properties[name] = schemaNode{n.root, at}
		}
	}
	for _, part := range n.list("allOf") {
		part.collectFields(required, properties, depth+1)
	}
}

// description is that of the schema, or of what it refers to.
func (n schemaNode) description() (text string) {
	if json.Unmarshal(n.members()["description"], &text, tolerant) != nil || text == "" {
		_ = json.Unmarshal(n.resolved().members()["description"], &text, tolerant)
	}
	return text
}

// step is the schema of a field, or with "[]" of the elements, of a value.
func (n schemaNode) step(name string) (schemaNode, bool) {
	for _, b := range n.branches() {
		if name == "[]" {
			if items := b.members()["items"]; items.Kind() == '{' {
				return schemaNode{b.root, items}, true
			}
			continue
		}
		if _, properties := b.fields(); properties[name].at != nil {
			return properties[name], true
		}
	}
	return schemaNode{}, false
}
