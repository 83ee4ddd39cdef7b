package seen

import (
	"maps"
	"slices"
	"strings"

	"codemode-ls/typegen"
)

// Type is the shape as TypeScript type of several lines, and whether it mentions
// JsonText. maxDepth is how many levels are written before unknown; 0 is no limit.
func (s *Shape) Type(maxDepth int) (text string, jsonText bool) {
	p := printer{maxDepth: maxDepth}
	p.shape(s, 0, 0)
	return p.out.String(), p.jsonText
}

type printer struct {
	out      strings.Builder
	maxDepth int
	jsonText bool
}

func (p *printer) shape(s *Shape, level, depth int) {
	if s.Unknown || p.maxDepth > 0 && depth >= p.maxDepth && (s.Object || s.Array || s.JSON != nil) {
		p.out.WriteString("unknown")
		return
	}
	first := true
	or := func() {
		if !first {
			p.out.WriteString(" | ")
		}
		first = false
	}
	switch {
	case s.Kinds != nil:
		for _, kind := range slices.Sorted(maps.Keys(s.Kinds)) {
			or()
			p.object(s.Kinds[kind], s.Tag, kind, level, depth)
		}
	case s.Object:
		or()
		p.object(s, "", "", level, depth)
	}
	if s.Array {
		or()
		p.out.WriteString("Array<")
		if s.Items == nil {
			p.out.WriteString("unknown")
		} else {
			p.shape(s.Items, level, depth+1)
		}
		p.out.WriteString(">")
	}
	if s.JSON != nil {
		or()
		p.jsonText = true
		p.out.WriteString("JsonText<")
		p.shape(s.JSON, level, depth+1)
		p.out.WriteString(">")
	}
	for _, k := range []struct {
		seen bool
		name string
	}{{s.String && s.JSON == nil, "string"}, {s.Number, "number"}, {s.Boolean, "boolean"}, {s.Null, "null"}} {
		if k.seen {
			or()
			p.out.WriteString(k.name)
		}
	}
	if first {
		p.out.WriteString("unknown")
	}
}

// object writes one kind of object; kind is the value of its tag.
func (p *printer) object(s *Shape, tag, kind string, level, depth int) {
	indent := strings.Repeat("  ", level+1)
	switch {
	case s.Values != nil:
		p.out.WriteString("{\n" + indent + "[key: string]: ")
		p.shape(s.Values, level+1, depth+1)
		p.out.WriteString(";\n")
	case len(s.Fields) == 0:
		p.out.WriteString("{}")
		return
	default:
		p.out.WriteString("{\n")
		for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
			f := s.Fields[name]
			p.out.WriteString(indent + typegen.PropertyName(name))
			if f.Optional {
				p.out.WriteString("?")
			}
			p.out.WriteString(": ")
			switch {
			case name != tag || tag == "":
				p.shape(f.Shape, level+1, depth+1)
			case f.Boolean:
				p.out.WriteString(kind)
			default:
				p.out.WriteString(`"` + kind + `"`) // isKind leaves nothing to escape
			}
			p.out.WriteString(";\n")
		}
	}
	p.out.WriteString(strings.Repeat("  ", level) + "}")
}
