package catalog

import (
	"strings"

	"codemode-ls/typegen"
)

// Declarations is the .d.ts of the pool and of what scripts have beside it (see
// Offering), computed once.
func (c *Catalog) Declarations() *typegen.File { return c.declarations() }

// declare renders the tool's part of the .d.ts, or remembers it.
func (t *Tool) declare(results *Results) *typegen.Declaration {
	result, known := results.get(t)
	description := t.Description
	if known {
		if strings.TrimSpace(description) == "" {
			description = t.Title
		}
		description = strings.TrimSpace(description + "\n\n@returns " + result.origin())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.declaration == nil || t.declaredResult != result {
		t.declaredResult = result
		t.declaration = typegen.Declare(typegen.Tool{
			Name:        t.Name,
			Title:       t.Title,
			Description: description,
			Result:      result.Type,
			Deprecated:  t.Deprecated,
			Input:       t.InputSchema,
			Output:      t.OutputSchema,
		})
	}
	return t.declaration
}

// declareMembers declares members by their short names, those of a member of a
// member, such as models.list, inside one.
func declareMembers(members []Member) []*typegen.Declaration {
	var parts []*typegen.Declaration
	for rest := members; len(rest) > 0; {
		outer, _, nested := strings.Cut(rest[0].Name, ".")
		if !nested {
			parts = append(parts, declareMember(rest[0], rest[0].Name))
			rest = rest[1:]
			continue
		}
		var b strings.Builder
		b.WriteString("  readonly " + outer + ": {\n")
		for len(rest) > 0 && strings.HasPrefix(rest[0].Name, outer+".") {
			d := declareMember(rest[0], strings.TrimPrefix(rest[0].Name, outer+"."))
			for line := range strings.Lines(d.Text) {
				b.WriteString("  " + line)
			}
			rest = rest[1:]
		}
		b.WriteString("  };\n")
		parts = append(parts, &typegen.Declaration{Name: outer, Text: b.String()})
	}
	return parts
}

func declareMember(m Member, name string) *typegen.Declaration {
	return typegen.Declare(typegen.Tool{Name: name, Description: m.Description, Input: m.Input, Output: m.Output})
}
