package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	before := New([]*Server{
		server("gone", "x"),
		NewServer("s", raw(
			`{"name":"same","inputSchema":{"a":1}}`,
			`{"name":"spaced","inputSchema":{"a":1}}`,
			`{"name":"text","title":"T","description":"d","inputSchema":{}}`,
			`{"name":"schemas","inputSchema":{"a":1,"b":2}}`,
			`{"name":"hints","inputSchema":{},"annotations":{"readOnlyHint":true}}`,
			`{"name":"removed","inputSchema":{}}`,
			`{"name":"titled","inputSchema":{},"annotations":{"title":"A"},"_meta":{"a":1},"z":1}`,
			`{"name":"wider","inputSchema":{},"icons":[],"_meta":{ "a": 1 }}`,
		), "", false),
	}, nil)
	after := New([]*Server{
		NewServer("s", raw(
			`{"name":"added","inputSchema":{}}`,
			`{"name":"hints","inputSchema":{},"annotations":{"readOnlyHint":false}}`,
			`{"name":"same","inputSchema":{"a":1}}`,
			`{"name":"schemas","inputSchema":{"b":2,"a":1},"outputSchema":{}}`,
			`{"name":"spaced","inputSchema":{ "a": 1 }}`,
			`{"name":"titled","inputSchema":{},"annotations":{"title":"B"},"a":1,"_meta":{"a":2}}`,
			`{"name":"wider","inputSchema":{},"icons":[{}],"_meta":{"a":1}}`,
			`{"name":"text","title":"U","description":"e","inputSchema":{}}`,
		), "", false),
		server("new", "y"),
	}, nil)
	want := Changes{
		Added:   []string{"mcp__new__y", "mcp__s__added"},
		Removed: []string{"mcp__gone__x", "mcp__s__removed"},
		Changed: []ChangedTool{
			{"mcp__s__hints", []string{"annotations"}},
			{"mcp__s__schemas", []string{"inputSchema", "outputSchema"}},
			{"mcp__s__text", []string{"title", "description"}},
			{"mcp__s__titled", []string{"title", "annotations", "_meta", "a", "z"}},
			{"mcp__s__wider", []string{"icons"}},
		},
	}
	if diff := cmp.Diff(want, after.Diff(before)); diff != "" {
		t.Error(diff)
	}
	if back := before.Diff(after); !cmp.Equal(back.Added, want.Removed) || !cmp.Equal(back.Removed, want.Added) || len(back.Changed) != 5 {
		t.Errorf("the other way round: %+v", back)
	}
	if !after.Diff(after).Empty() || after.Diff(before).Empty() {
		t.Error("Empty is wrong")
	}
	if all := after.Diff(Empty()); len(all.Added) != len(after.Tools()) {
		t.Errorf("from nothing: %+v", all)
	}
}
