package analysis

import (
	"strings"

	"codemode-ls/script"
)

// withoutModule removes an import or what makes something an export.
func (m *fixer) withoutModule(f finding) []fix {
	for _, r := range m.source.Reaches() {
		if !touches(r.Whole, f.at) || r.Kind != f.data.Name {
			continue
		}
		switch r.Kind {
		case "import":
			return m.withoutImport(r, script.Span{Start: r.Start, End: r.End})
		case "require", "import()":
			if r.Declaration.End > 0 {
				return m.withoutImport(r, r.Declaration)
			}
		case "export":
			to := m.offset(r.Range.End)
			to += len(m.text[to:]) - len(strings.TrimLeft(m.text[to:], " \t"))
			if rest := m.text[to:]; strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "*") {
				from, to := m.wholeLines(r.Start, r.End)
				return []fix{{title: "Remove the export", edits: []edit{{from, to, ""}}, preferred: true}}
			}
			return []fix{{title: "Remove export", edits: []edit{{r.Start, to, ""}}, preferred: true, safe: true}}
		}
	}
	return nil
}

// withoutImport removes the statement of an import; tools that it names are
// taken out of tools instead. When the script goes on to use what it named, the
// title says so: that remains to be written.
func (m *fixer) withoutImport(r script.Reach, statement script.Span) []fix {
	var all []fix
	if text, ok := m.fromTools(r); ok {
		all = append(all, fix{title: "Take it from tools", preferred: true, safe: true, edits: []edit{{statement.Start, statement.End, text}}})
	}
	title := "Remove the import"
	var used []string
	for _, n := range r.Names {
		if n.Uses > 0 && !m.global(n) {
			used = append(used, Plain(n.Local, 40))
		}
	}
	switch n := len(used); {
	case n == 1:
		title += " (" + used[0] + " is still used)"
	case n > 3:
		title += " (" + strings.Join(used[:3], ", ") + " … are still used)"
	case n > 1:
		title += " (" + strings.Join(used[:n-1], ", ") + " and " + used[n-1] + " are still used)"
	}
	from, to := m.wholeLines(statement.Start, statement.End)
	return append(all, fix{title: title, edits: []edit{{from, to, ""}}, preferred: true, safe: len(all) == 0 && len(used) == 0})
}

// global reports whether a script has what an import names without it.
func (m *fixer) global(n script.Imported) bool {
	return (n.Name == n.Local || n.Name == "default" || n.Name == "*") && m.Diagnosis.declared(n.Local)
}

// fromTools takes the tools that an import names out of tools; ok is false when it
// names anything else.
func (m *fixer) fromTools(r script.Reach) (text string, ok bool) {
	parts := make([]string, 0, len(r.Names))
	for _, n := range r.Names {
		if _, known := m.Pool.Catalog.Find(n.Name); !known {
			return "", false
		}
		part := propertyKey(n.Name)
		if part != n.Local {
			part += ": " + n.Local
		}
		parts = append(parts, part)
	}
	return "const { " + strings.Join(parts, ", ") + " } = tools;", len(parts) > 0
}
