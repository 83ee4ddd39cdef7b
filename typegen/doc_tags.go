package typegen

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// appendDoc appends a field's JSDoc: the schema's description in full, then
// its constraints as tags (CAT-3).
func (p *printer) appendDoc(out []byte, l *lazy, level int) []byte {
	var nodes []*node
	nodes = p.docNodes(nodes, l)
	if len(nodes) == 0 {
		return out
	}
	var text []byte
	if d := first(nodes, "description", '"'); d != nil {
		text = append(text, d.text...)
	}
	text = p.appendParts(text, nodes)
	for _, tag := range [...]string{"default", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "format"} {
		if v := first(nodes, tag, 0); v != nil {
			text = appendTag(text, tag, v)
		}
	}
	if v := first(nodes, "deprecated", 't'); v != nil {
		text = append(text, "\n@deprecated"...)
	}
	if list := first(nodes, "examples", '['); list != nil {
		for _, v := range list.kids {
			text = appendTag(text, "example", v)
		}
	} else if v := first(nodes, "example", 0); v != nil {
		text = appendTag(text, "example", v)
	}
	return appendComment(out, string(text), level)
}

func first(nodes []*node, name string, kind jsontext.Kind) *node {
	for _, n := range nodes {
		if v := n.member(name); v != nil && (kind == 0 || v.kind == kind) {
			return v
		}
	}
	return nil
}

// docNodes are the schemas whose words belong to a field: its own, what it
// refers to, and what stands beside null in a union.
func (p *printer) docNodes(out []*node, l *lazy) []*node {
	switch l.op {
	case opNode:
		out = p.schemaNodes(out, l.node, 0)
	case opAnd, opMinus:
		for _, kid := range l.kids {
			out = p.docNodes(out, kid)
		}
	}
	return out
}

func (p *printer) schemaNodes(out []*node, n *node, depth int) []*node {
	if n.kind != '{' || depth > 4 || len(n.names) == 0 {
		return out
	}
	out = append(out, n)
	for i, name := range n.names {
		v := n.kids[i]
		switch name {
		case "$ref":
			if len(p.out) > p.limit {
				continue // what many refer to is not said to all of them when it is long
			}
			if target, err := p.doc.follow(n, v, false); err == nil {
				out = p.schemaNodes(out, target, depth+1)
			}
		case "allOf", "anyOf", "oneOf":
			if v.kind != '[' {
				continue
			}
			var one *node
			several := false
			for _, kid := range v.kids {
				if t := kid.member("type"); t != nil && t.kind == '"' && t.text == "null" {
					continue
				}
				several = several || one != nil
				one = kid
			}
			if one != nil && !several {
				out = p.schemaNodes(out, one, depth+1)
			}
		}
	}
	return out
}

// tagLine keeps the text of a tag on its line: behind a line end, a server's
// text could begin another tag. Otherwise the text stays as it is, for display.
var tagLine = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\v", `\v`, "\f", `\f`,
	"\u0085", `\u0085`, "\u2028", `\u2028`, "\u2029", `\u2029`)

func appendTag(text []byte, tag string, v *node) []byte {
	text = append(text, "\n@"...)
	text = append(text, tag...)
	text = append(text, ' ')
	if v.kind == '"' && (tag == "pattern" || tag == "format") {
		return append(text, tagLine.Replace(v.text)...)
	}
	return appendJSON(text, v)
}

// appendJSON appends a value as compact JSON.
func appendJSON(b []byte, v *node) []byte {
	switch v.kind {
	case '{':
		b = append(b, '{')
		for i, kid := range v.kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendQuoted(b, v.names[i])
			b = append(b, ':')
			b = appendJSON(b, kid)
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, kid := range v.kids {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, kid)
		}
		return append(b, ']')
	case '"':
		return appendQuoted(b, v.text)
	case 't':
		return append(b, "true"...)
	case 'f':
		return append(b, "false"...)
	case 'n':
		return append(b, "null"...)
	}
	return append(b, v.text...)
}
