package analysis

import (
	"slices"
	"strings"

	"codemode-ls/script"

	"github.com/go-json-experiment/json/jsontext"
)

// fillIn writes the fields that must be there into the argument of the call that
// a complaint is about, at every depth.
func (m *fixer) fillIn(at script.Range) []fix {
	for _, u := range m.uses {
		if !u.Called {
			continue
		}
		if !covers(u.Arguments, at) && !touches(u.Whole, at) {
			continue
		}
		if c, ok := m.fillInCall(u); ok {
			return []fix{c}
		}
	}
	return nil
}

func (m *fixer) fillInCall(u script.Use) (fix, bool) {
	schema, ok := m.inputOf(u)
	if !ok {
		return fix{}, false
	}
	c := fix{title: "Fill in the required fields", preferred: true}
	if u.ArgumentCount == 0 {
		text := schema.placeholder(0)
		if text == "{}" || !strings.HasPrefix(text, "{") {
			return fix{}, false
		}
		start := m.offset(u.Arguments.Start)
		c.edits = []edit{{start, m.offset(u.Arguments.End), text}}
		return c, true
	}
	if u.FirstArgument != "object" {
		return fix{}, false
	}
	c.edits = m.missingFields(m.source.LiteralAt(m.offset(u.ArgumentRanges[0].Start)), schema, 0)
	return c, len(c.edits) > 0
}

// missingFields are the edits that add what an object as it is written is missing, and
// the objects in it.
func (m *fixer) missingFields(l script.Literal, schema schemaNode, depth int) []edit {
	if depth > maxSchemaSteps {
		return nil
	}
	switch l.Kind {
	case "object":
		branch := meant(l, schema)
		required, properties := branch.fields()
		var all []edit
		for _, f := range l.Fields {
			if p, ok := properties[f.Name]; ok {
				all = append(all, m.missingFields(f.Value, p, depth+1)...)
			}
		}
		var parts []string
		for _, name := range required {
			if !l.Open && !slices.ContainsFunc(l.Fields, func(f script.LiteralField) bool { return f.Name == name }) {
				parts = append(parts, propertyKey(name)+": "+properties[name].placeholder(0))
			}
		}
		if len(parts) > 0 {
			all = append(all, m.added(l, parts))
		}
		return all
	case "array":
		var all []edit
		for _, b := range schema.branches() {
			items := b.members()["items"]
			if items.Kind() != '{' {
				continue
			}
			for _, e := range l.Elements {
				all = append(all, m.missingFields(e, schemaNode{b.root, items}, depth+1)...)
			}
			return all
		}
		return all
	}
	return nil
}

// meant is the branch of a union that an object was most likely meant to be: the
// one whose constants it has, else the one that has most of its fields.
func meant(l script.Literal, schema schemaNode) schemaNode {
	branches := schema.branches()
	best, most := branches[0], -1<<30
	for _, b := range branches {
		required, properties := b.fields()
		score := 0
		for _, f := range l.Fields {
			if _, ok := properties[f.Name]; ok {
				score += 2
			} else {
				score--
			}
		}
		for _, name := range required {
			if !slices.ContainsFunc(l.Fields, func(f script.LiteralField) bool { return f.Name == name }) {
				score--
			}
		}
		if b.typeName() != "object" {
			score -= 1000
		}
		if score > most {
			best, most = b, score
		}
	}
	return best
}

// added writes fields behind those that an object has, in its own layout.
func (m *fixer) added(l script.Literal, parts []string) edit {
	inner := m.text[l.Start+1 : l.End-1]
	if len(l.Fields) == 0 && strings.TrimSpace(inner) == "" {
		return edit{l.Start, l.End, "{ " + strings.Join(parts, ", ") + " }"}
	}
	last := l.Start + 1
	if n := len(l.Fields); n > 0 {
		last = max(l.Fields[n-1].Value.End, l.Fields[n-1].End)
	}
	before := ", "
	if i := strings.LastIndexAny(m.text[l.Start:last], "\r\n"); i >= 0 && len(l.Fields) > 0 {
		// One field on each line, as the last one is.
		line := l.Start + i + 1
		start := l.Fields[len(l.Fields)-1].Start
		if indent := m.text[line:start]; strings.TrimSpace(indent) == "" {
			ending := "\n"
			if strings.HasSuffix(m.text[:line], "\r\n") {
				ending = "\r\n"
			}
			before = "," + ending + indent
		}
	}
	return edit{last, last, before + strings.Join(parts, before)}
}

// propertyOrder are the names of a schema's properties as the server sent them.
func propertyOrder(schema schemaNode) []string {
	raw := schema.resolved().members()["properties"]
	if raw.Kind() != '{' {
		return nil
	}
	var names []string
	d := jsontext.NewDecoder(strings.NewReader(string(raw)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return names
		}
		names = append(names, t.String())
		if d.SkipValue() != nil {
			return names
		}
	}
	return names
}

// rewrites are the changes that fix nothing but may be useful at a place.
func (m *fixer) rewrites(within script.Range) []fix {
	var all []fix
	for _, u := range m.uses {
		if u.Called && (touches(u.Whole, within) || touches(u.Arguments, within)) {
			if c, ok := m.fillInCall(u); ok {
				c.kind, c.preferred = kindRewrite, false
				all = append(all, c)
			}
			all = append(all, m.resultTypes(u)...)
		}
	}
	start := m.offset(within.Start)
	if c, ok := m.unchained(start); ok {
		all = append(all, c)
	}
	return all
}
