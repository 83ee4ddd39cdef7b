package typegen

import "github.com/go-json-experiment/json/jsontext"

// A signature renders parameter and return type of one tool, the same way for
// catalog, search and .d.ts (TYPE-1).
type signature struct {
	maxDepth int
	problems []Problem

	// For the .d.ts: names of its own, and the declarations of those.
	namespace string
	taken     map[string]bool
	types     []byte
}

// append writes `(input: …): Promise<…>`.
func (s *signature) append(out []byte, input, output jsontext.Value, level int) []byte {
	out = s.parameter(out, input, level)
	out = append(out, ": Promise<"...)
	if output == nil {
		out = append(out, "unknown"...)
	} else {
		out = s.result(out, output, level)
	}
	return append(out, '>')
}

// parameter writes the one parameter. MCP arguments are always an object,
// whatever else a schema allows, and `{}` when a call has none (EXEC-5).
func (s *signature) parameter(out []byte, input jsontext.Value, level int) []byte {
	const open = "(input?: {})"
	if input == nil {
		return append(out, open...)
	}
	b, problem := newBuilder(input, Input)
	if b == nil {
		s.problems = append(s.problems, problem)
		return append(out, open...)
	}
	p := s.printer(b)
	u := b.build(b.doc.root)
	switch {
	case u.isAnything():
		u = primitive[kindObject]
	case len(u) == 1 && u[0].kind == kindObject: // the usual case
	default:
		u = b.meet(u, primitive[kindObject])
	}
	if len(u) == 0 {
		b.report(b.doc.root, "the input schema accepts no object")
		u = primitive[kindObject]
	}
	optional := false
	for i := range u {
		optional = optional || u[i].kind == kindObject && u[i].object.acceptsNothing()
	}
	if optional {
		out = append(out, "(input?: "...)
	} else {
		out = append(out, "(input: "...)
	}
	out = append(s.write(out, p, u, level), ')')
	return out
}

// acceptsNothing reports whether no property is required.
func (o *objectType) acceptsNothing() bool {
	for i := range o.props {
		if !o.props[i].optional {
			return false
		}
	}
	return true
}

func (s *signature) result(out []byte, output jsontext.Value, level int) []byte {
	b, problem := newBuilder(output, Output)
	if b == nil {
		problem.Message = "output: " + problem.Message
		s.problems = append(s.problems, problem)
		return append(out, "unknown"...)
	}
	p := s.printer(b)
	u := b.build(b.doc.root)
	if root := b.doc.root; root.kind == '{' && root.member("type") == nil && root.member("properties") != nil {
		// MCP's output schemas are of objects, said or not.
		if objects := b.meet(u, primitive[kindObject]); len(objects) > 0 {
			u = objects
		}
	}
	return s.write(out, p, u, level)
}

func (s *signature) printer(b *builder) *printer {
	if s.taken == nil {
		return newPrinter(b, nil, s.maxDepth)
	}
	root := "Input"
	if b.direction == Output {
		root = "Output"
	}
	b.doc.findShared()
	return newPrinter(b, newRegistry(s.namespace+".", root, s.taken), 0)
}

// write appends the type and, for a .d.ts, keeps the types that it names.
func (s *signature) write(out []byte, p *printer, u union, level int) []byte {
	p.within = append(p.within, p.doc.root)
	p.union(u, level, 0)
	end := len(p.out)
	if p.names != nil {
		p.definitions()
		s.types = append(s.types, p.out[end:]...)
	}
	s.problems = append(s.problems, p.problems...)
	return append(out, p.out[:end]...)
}

// definitions writes the named types, those included that others mention. They
// stand in one namespace, where their names are known as they are.
func (p *printer) definitions() {
	p.names.prefix = ""
	for i := 0; i < len(p.names.queue); i++ {
		d := p.names.queue[i]
		p.text("  type ")
		p.text(d.name)
		p.text(" = ")
		p.within, p.keys = p.within[:0], p.keys[:0]
		switch {
		case d.node != nil:
			p.within = append(p.within, d.node)
			p.defining = d.node
			p.union(p.build(d.node), 1, 0)
			p.defining = nil
		case d.lazy != nil:
			p.keys = append(p.keys, d.lazy.identity())
			p.union(p.force(d.lazy), 1, 0)
		default:
			p.union(d.deep, 1, 0)
		}
		p.text(";\n")
	}
}
