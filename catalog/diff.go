package catalog

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Changes are full names, each list in byte order of namespace and name.
type Changes struct {
	Added, Removed []string
	Changed        []ChangedTool
}

// ChangedTool names the fields that differ: title, description, inputSchema,
// outputSchema, annotations, server (another one has taken the name), and others
// by the names that the server gives them, such as _meta.
type ChangedTool struct {
	Name   string   `json:"name"`
	Fields []string `json:"fields"`
}

// Empty reports whether nothing changed.
func (c Changes) Empty() bool { return len(c.Added)+len(c.Removed)+len(c.Changed) == 0 }

// Diff says what changed from old to c.
func (c *Catalog) Diff(old *Catalog) Changes {
	var changes Changes
	before, now := old.tools, c.tools
	for len(before) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(before) > 0 && comesBefore(before[0], now[0]):
			changes.Removed = append(changes.Removed, before[0].Name)
			before = before[1:]
		case len(before) == 0 || comesBefore(now[0], before[0]):
			changes.Added = append(changes.Added, now[0].Name)
			now = now[1:]
		default:
			if fields := changedFields(before[0], now[0]); fields != nil {
				changes.Changed = append(changes.Changed, ChangedTool{now[0].Name, fields})
			}
			before, now = before[1:], now[1:]
		}
	}
	return changes
}

// comesBefore is the order of Catalog.Tools.
func comesBefore(a, b *Tool) bool {
	if a.Namespace != b.Namespace {
		return a.Namespace < b.Namespace
	}
	return a.Name < b.Name
}

func changedFields(before, now *Tool) []string {
	if before == now {
		return nil
	}
	var fields []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"title", before.Title == now.Title},
		{"description", before.Description == now.Description},
		{"inputSchema", sameJSON(before.InputSchema, now.InputSchema)},
		{"outputSchema", sameJSON(before.OutputSchema, now.OutputSchema)},
		{"annotations", sameJSON(before.RawAnnotations, now.RawAnnotations)},
		{"server", before.Server == now.Server},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return append(fields, otherChanges(before.raw, now.raw)...)
}

// ownFields of a tool are compared by what they mean.
var ownFields = map[string]bool{
	"name": true, "title": true, "description": true, "inputSchema": true, "outputSchema": true, "annotations": true,
}

// otherChanges are the names of other fields that differ, in byte order.
func otherChanges(before, now jsontext.Value) []string {
	var old, new map[string]jsontext.Value
	if unmarshal(before, &old) != nil || unmarshal(now, &new) != nil {
		return nil
	}
	var names []string
	for name := range old {
		if !ownFields[name] && !sameJSON(old[name], new[name]) {
			names = append(names, name)
		}
	}
	for name := range new {
		if _, had := old[name]; !had && !ownFields[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// sameJSON compares what is not white space. Order of members counts: it shows
// in every text that is made of a schema.
func sameJSON(a, b jsontext.Value) bool {
	if bytes.Equal(a, b) {
		return true
	}
	return a != nil && b != nil && bytes.Equal(compact(a), compact(b))
}

func compact(v jsontext.Value) jsontext.Value {
	v = v.Clone()
	if err := v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return v // not JSON: compared as it is
	}
	return v
}
