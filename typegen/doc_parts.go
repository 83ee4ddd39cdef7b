package typegen

import "strings"

// appendParts appends what a field's schema says of the parts that have no field of
// their own (CAT-3): of the variants of a union, and of the items of an array.
func (p *printer) appendParts(text []byte, nodes []*node) []byte {
	var lines []string
	for _, n := range nodes {
		said := p.variants(n)
		if len(said) == 1 && len(text) == 0 {
			lines = append(lines, said[0].text) // there is nothing else to be known of the field
			break
		}
		if lines = asList(said); lines != nil {
			break
		}
	}
	if items := first(nodes, "items", '{'); items != nil {
		if own := description(p.schemaNodes(nil, items, 0)); own != "" {
			lines = append(lines, "Each item: "+own)
		}
		lines = append(lines, asList(p.variants(items))...)
	}
	if len(lines) == 0 {
		return text
	}
	if len(text) > 0 {
		text = append(text, "\n\n"...)
	}
	return append(text, strings.Join(lines, "\n")...)
}

// A variant is one of the schemas of a oneOf or anyOf that is described.
type variant struct{ name, text string }

func asList(variants []variant) []string {
	var lines []string
	for _, v := range variants {
		lines = append(lines, "- "+v.name+": "+v.text)
	}
	return lines
}

// variants are those of the schema that are described. A union that is only one
// schema and null has none: what that one says is said of the field.
func (p *printer) variants(n *node) []variant {
	var said []variant
	length := 0
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		list := n.member(keyword)
		if list == nil || list.kind != '[' {
			continue
		}
		count := 0
		for _, kid := range list.kids {
			if t := kid.member("type"); t != nil && t.kind == '"' && t.text == "null" {
				continue
			}
			count++
			if length > p.limit {
				continue // one text, referred to many times
			}
			nodes := p.schemaNodes(nil, kid, 0)
			if text := description(nodes); text != "" {
				length += len(text)
				said = append(said, variant{variantName(nodes), text})
			}
		}
		if count < 2 {
			said = nil
		}
	}
	return said
}

// description is the first one of the schemas, without space around it.
func description(nodes []*node) string {
	if d := first(nodes, "description", '"'); d != nil {
		return strings.Trim(d.text, " \t\r\n")
	}
	return ""
}

// variantName is what a reader knows a variant by: its value, the fixed value that
// distinguishes its objects, its title or its type.
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
