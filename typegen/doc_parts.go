package typegen

import "strings"

// appendParts appends what a field's schema says of the parts that have no field of
// their own (CAT-3): of the variants of a union, and of the items of an array.
func (p *printer) appendParts(text []byte, nodes []*node) []byte {
	var lines []string
	for _, n := range nodes {
		if lines = p.variants(n); lines != nil {
			break
		}
	}
	if items := first(nodes, "items", '{'); items != nil {
		if own := first(p.schemaNodes(nil, items, 0), "description", '"'); own != nil && strings.TrimSpace(own.text) != "" {
			lines = append(lines, "Each item: "+strings.TrimSpace(own.text))
		}
		lines = append(lines, p.variants(items)...)
	}
	if len(lines) == 0 {
		return text
	}
	if len(text) > 0 {
		text = append(text, "\n\n"...)
	}
	return append(text, strings.Join(lines, "\n")...)
}

// variants are the descriptions of the schemas of a oneOf or anyOf, one line or
// more for each that has one. A union that is only one schema and null has none:
// what that one says is said of the field.
func (p *printer) variants(n *node) []string {
	var lines []string
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		list := n.member(keyword)
		if list == nil || list.kind != '[' {
			continue
		}
		variants := 0
		for _, kid := range list.kids {
			if t := kid.member("type"); t != nil && t.kind == '"' && t.text == "null" {
				continue
			}
			variants++
			nodes := p.schemaNodes(nil, kid, 0)
			if own := first(nodes, "description", '"'); own != nil && strings.TrimSpace(own.text) != "" {
				lines = append(lines, "- "+variantName(nodes)+": "+strings.TrimSpace(own.text))
			}
		}
		if variants < 2 {
			lines = nil
		}
	}
	return lines
}

// variantName is what a reader knows a variant by: its value, the fixed value that
// tells its objects apart, its title or its type.
func variantName(nodes []*node) string {
	if v := first(nodes, "const", 0); v != nil {
		return string(appendJSON(nil, v))
	}
	if list := first(nodes, "enum", '['); list != nil && len(list.kids) > 0 {
		var b []byte
		for i, v := range list.kids {
			if i > 0 {
				b = append(b, " | "...)
			}
			b = appendJSON(b, v)
		}
		return string(b)
	}
	if props := first(nodes, "properties", '{'); props != nil {
		for i, kid := range props.kids {
			if v := kid.member("const"); v != nil {
				return string(appendJSON(append(appendPropertyName(nil, props.names[i]), ": "...), v))
			}
		}
	}
	if title := first(nodes, "title", '"'); title != nil && strings.TrimSpace(title.text) != "" {
		return tagLine.Replace(strings.TrimSpace(title.text))
	}
	if t := first(nodes, "type", '"'); t != nil {
		return tagLine.Replace(t.text)
	}
	return "else"
}
