package catalog

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func raw(tools ...string) []jsontext.Value {
	values := make([]jsontext.Value, len(tools))
	for i, t := range tools {
		values[i] = jsontext.Value(t)
	}
	return values
}

// server makes a server of tools that have nothing but a name.
func server(name string, tools ...string) *Server {
	values := make([]jsontext.Value, len(tools))
	for i, t := range tools {
		quoted, _ := jsontext.AppendQuote(nil, t)
		values[i] = jsontext.Value(`{"name":` + string(quoted) + `,"inputSchema":{"type":"object"}}`)
	}
	return NewServer(name, values, "", false)
}

func names(tools []*Tool) []string {
	list := []string{}
	for _, t := range tools {
		list = append(list, t.Name)
	}
	return list
}

// POOL-2
func TestNamespace(t *testing.T) {
	for _, test := range []struct{ server, namespace, toolX string }{
		{"github", "mcp__github", "mcp__github__x"},
		{"ddg-search", "mcp__ddg-search", "mcp__ddg-search__x"},
		{"My Server (v2)", "mcp__My_Server", "mcp__My_Server__v2___x"},
		{"a.b/c", "mcp__a_b_c", "mcp__a_b_c__x"},
		{"a__b", "mcp__a", "mcp__a__b__x"},
		{"a_", "mcp__a", "mcp__a___x"},
		{"_a", "mcp___a", "mcp___a__x"},
		{"__a", "mcp__", "mcp____a__x"},
		{"", "mcp__", "mcp____x"},
		{"é", "mcp__", "mcp_____x"},
		{"\xff", "mcp__", "mcp_____x"},
	} {
		s := server(test.server, "x")
		if got := Namespace(test.server); got != test.namespace {
			t.Errorf("Namespace(%q) = %q, want %q", test.server, got, test.namespace)
		}
		if got := s.Tools[0]; got.Name != test.toolX || got.Namespace != test.namespace {
			t.Errorf("%q: tool %q in %q, want %q in %q", test.server, got.Name, got.Namespace, test.toolX, test.namespace)
		}
		if s.Namespace != test.namespace {
			t.Errorf("%q: server's namespace %q, want %q", test.server, s.Namespace, test.namespace)
		}
	}
}

// POOL-1
func TestPoolOfKeptTools(t *testing.T) {
	a, b := server("a", "one", "two"), server("b", "three")
	c := New([]*Server{b, a}, func(t *Tool) bool { return t.Name != "mcp__a__one" && t.Name != "mcp__b__three" })
	if diff := cmp.Diff([]string{"mcp__a__two"}, names(c.Tools())); diff != "" {
		t.Error(diff)
	}
	if len(c.Servers()) != 1 || c.Servers()[0] != a {
		t.Errorf("servers %v, want a alone", c.Servers())
	}
	for _, out := range []string{"mcp__a__one", "mcp__b__three", "mcp__a__", "mcp__a", "two", ""} {
		if _, ok := c.Find(out); ok {
			t.Errorf("%q is found", out)
		}
	}
	if found, ok := c.Find("mcp__a__two"); !ok || found.MCPName != "two" {
		t.Error("mcp__a__two is not found")
	}
	if matches, _ := c.Search(Query{}); len(matches) != 1 {
		t.Errorf("search lists %d tools, want 1", len(matches))
	}
}

// POOL-2
func TestConflicts(t *testing.T) {
	a, b := server("x.y", "t", "u"), server("x y", "t", "v")
	c := New([]*Server{a, b}, nil)
	if diff := cmp.Diff([]Conflict{{"mcp__x_y__t", "x.y", "x y"}}, c.Conflicts()); diff != "" {
		t.Error(diff)
	}
	if tool, _ := c.Find("mcp__x_y__t"); tool == nil || tool.Server != "x.y" {
		t.Error("the first server in order of configuration does not keep the name")
	}
	if diff := cmp.Diff([]string{"mcp__x_y__t", "mcp__x_y__u", "mcp__x_y__v"}, names(c.Tools())); diff != "" {
		t.Error(diff)
	}
	if tool, _ := New([]*Server{b, a}, nil).Find("mcp__x_y__t"); tool == nil || tool.Server != "x y" {
		t.Error("the other order does not turn it around")
	}
	three := New([]*Server{a, server("x/y", "t"), b}, nil)
	if diff := cmp.Diff([]Conflict{{"mcp__x_y__t", "x.y", "x/y"}, {"mcp__x_y__t", "x.y", "x y"}}, three.Conflicts()); diff != "" {
		t.Error(diff)
	}
	if len(three.Servers()) != 2 {
		t.Errorf("%d servers with tools, want 2", len(three.Servers()))
	}
	// A server that has failed keeps its names: nobody else gets the calls, and the
	// permissions, of its tools.
	gone := New([]*Server{a.AsGone(), b}, nil)
	if diff := cmp.Diff([]string{"mcp__x_y__v"}, names(gone.Tools())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Conflict{{"mcp__x_y__t", "x.y", "x y"}}, gone.Conflicts()); diff != "" {
		t.Error(diff)
	}
	if last := New([]*Server{b, a.AsGone()}, nil); len(last.Tools()) != 2 || len(last.Conflicts()) != 1 {
		t.Errorf("a later server that is gone: %v, %v", names(last.Tools()), last.Conflicts())
	}
	if alone := New([]*Server{a.AsGone()}, nil); len(alone.Tools()) != 0 || len(alone.Servers()) != 0 {
		t.Errorf("the tools of a failed server are in the pool: %v", names(alone.Tools()))
	}
	// Names of one group may meet across the separator.
	c = New([]*Server{server("a_", "t"), server("a", "_t")}, nil)
	if diff := cmp.Diff([]Conflict{{"mcp__a___t", "a_", "a"}}, c.Conflicts()); diff != "" {
		t.Error(diff)
	}
}

func TestToolsAreInOrderOfNamespaceThenName(t *testing.T) {
	c := New([]*Server{server("b", "z", "a"), server("a-b", "x"), server("a", "y", "Z")}, nil)
	want := []string{"mcp__a__Z", "mcp__a__y", "mcp__a-b__x", "mcp__b__a", "mcp__b__z"}
	if diff := cmp.Diff(want, names(c.Tools())); diff != "" {
		t.Error(diff)
	}
	for _, name := range want {
		if _, ok := c.Find(name); !ok {
			t.Errorf("%s is not found", name)
		}
	}
}

// SRCH-5
func TestNamespaces(t *testing.T) {
	c := New([]*Server{server("dev-radius", "t"), server("dev_radius", "t"), server("other", "t"), server("x-y", "t")}, nil)
	for said, want := range map[string][]string{
		"mcp__dev-radius": {"mcp__dev-radius"},
		"dev-radius":      {"mcp__dev-radius"},
		"dev_radius":      {"mcp__dev_radius"},
		"dev radius":      {"mcp__dev-radius", "mcp__dev_radius"},
		"x_y":             {"mcp__x-y"},
		"mcp__x_y":        {"mcp__x-y"},
		"x":               nil,
		"":                nil,
	} {
		if got := c.Namespaces(said); !slices.Equal(got, want) {
			t.Errorf("Namespaces(%q) = %q, want %q", said, got, want)
		}
	}
}

func TestHash(t *testing.T) {
	one := New([]*Server{server("a", "x", "y"), server("b", "z")}, nil)
	same := New([]*Server{server("b", "z"), server("a", "y", "x")}, nil)
	other := New([]*Server{server("a", "x", "y2"), server("b", "z")}, nil)
	if one.Hash() != same.Hash() {
		t.Error("order of servers and tools shows in the hash")
	}
	if one.Hash() == other.Hash() {
		t.Error("another tool has the same hash")
	}
	if one.Hash() == Empty().Hash() {
		t.Error("the empty pool has the same hash")
	}
}
