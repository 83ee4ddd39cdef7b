package config

import (
	"slices"

	"github.com/tailscale/hujson"
)

// A File is the text of a configuration file as an editor has it, read in its
// dialect (CFG-1). Places in it are byte offsets.
type File struct {
	Kind     FileKind
	Findings []Finding
	Entries  []Entry
	// Inputs are the ids of the questions that the file declares.
	Inputs []string
}

// An Entry is one server's definition.
type Entry struct {
	Server Server
	Name   Span // of its name
	Whole  Span
	Fields []Member
}

// A Member of a definition.
type Member struct {
	Name        string
	Field       Field // of the dialect; without a name when nobody knows it
	Key, Value  Span
	Description string // of its value, such as "a string"
}

// A Span is from one byte offset to another.
type Span struct{ Start, End int }

// Contains reports whether an offset is in the span, its end included.
func (s Span) Contains(offset int) bool { return s.Start <= offset && offset <= s.End }

// Check reads a text as the file of that kind, as Load would with these sources.
func Check(s Sources, k FileKind, text string) *File {
	l := &loader{sources: s.withDefaults(), config: defaults()}
	f := &File{Kind: k}
	d := layerDocument{document: &document{
		file: k.Path, what: k.Path, text: []byte(text), findings: &l.config.Findings, entries: &f.Entries, within: k.servers,
	}}
	d.object = d.parseText(k.Client.dialect)
	if k.Client.Name == "" && k.Layer == User {
		l.settings(d, true)
		l.servers(d, User, "")
	} else {
		l.kindServers(k, d)
	}
	if d.object != nil && k.Client.dialect.syntax.inputs {
		ignored := *d.document
		ignored.findings = new([]Finding)
		for id := range ignored.readInputs(d.object) {
			f.Inputs = append(f.Inputs, id)
		}
		slices.Sort(f.Inputs)
	}
	f.Findings = l.config.Findings
	return f
}

// ClosestInput is the input that the file declares whose id is most like another
// one; "" when none is.
func (f *File) ClosestInput(id string) string { return Closest(id, f.Inputs) }

// enter notes a definition for an editor.
func (d *document) enter(m *hujson.ObjectMember, s Server, dialect *dialect) {
	if d.entries == nil {
		return
	}
	e := Entry{
		Server: s,
		Name:   Span{m.Name.StartOffset, m.Name.EndOffset},
		Whole:  Span{m.Name.StartOffset, max(m.Name.EndOffset, lastOffset(&m.Value))},
	}
	if object, ok := m.Value.Value.(*hujson.Object); ok {
		for i := range object.Members {
			member := &object.Members[i]
			f, _ := dialect.field(key(member))
			e.Fields = append(e.Fields, Member{
				Name: key(member), Field: f,
				Key:         Span{member.Name.StartOffset, member.Name.EndOffset},
				Value:       Span{member.Value.StartOffset, lastOffset(&member.Value)},
				Description: describe(&member.Value),
			})
		}
	}
	*d.entries = append(*d.entries, e)
}

// lastOffset is where a value ends; of a TOML table, where the last of its values
// that stand below its header does.
func lastOffset(v *hujson.Value) int {
	end := v.EndOffset
	if object, ok := v.Value.(*hujson.Object); ok {
		for i := range object.Members {
			end = max(end, lastOffset(&object.Members[i].Value))
		}
	}
	return end
}

// Settings says that the file has this program's settings.
func (k FileKind) Settings() bool { return k.Client.Name == "" && k.Layer == User }

// ServersPath says where servers are in the file, as a path of names.
func (k FileKind) ServersPath() []string { return k.Client.dialect.servers }

// TOML says that the file is TOML, not JSON with comments.
func (k FileKind) TOML() bool { return k.Client.dialect.toml }

// Variables are the forms of variables that the dialect has, as they are written
// up to a name: "${env:", "${workspaceFolder}".
func (k FileKind) Variables() []string {
	s := k.Client.dialect.syntax
	var forms []string
	if s.prefixed {
		forms = append(forms, "${workspaceFolder}", "${workspaceFolderBasename}", "${userHome}", "${env:")
	}
	if s.bare && !s.prefixed {
		forms = append(forms, "${")
	}
	if s.inputs {
		forms = append(forms, "${input:")
	}
	if s.braces {
		forms = append(forms, "{env:", "{file:")
	}
	return forms
}

// IsServers reports whether a path of names leads to an object of servers.
func (k FileKind) IsServers(path []string) bool {
	return slices.ContainsFunc(k.servers, func(p []string) bool { return slices.Equal(p, path) })
}
