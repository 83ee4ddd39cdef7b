package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func tracker() *Catalog {
	return New([]*Server{
		NewServer("dev-radius", raw(
			`{"name":"createIssue","description":"Opens a ticket.\nUse it for bugs.","inputSchema":{"type":"object","properties":{"headline":{"type":"string","description":"What went wrong"}}}}`,
			`{"name":"list_issues","description":"Lists tickets","inputSchema":{"type":"object","properties":{"state":{"enum":["frozen","thawed"]}}}}`,
			`{"name":"issue","description":"Reads one","inputSchema":{"type":"object"}}`,
		), "", false),
		NewServer("files", raw(
			`{"name":"read-file","description":"Reads a file; issues a warning when it is large","inputSchema":{"type":"object","properties":{"pathName":{"type":"string"}}},
				"outputSchema":{"type":"object","properties":{"checksum":{"type":"string"}}}}`,
			`{"name":"deleteFiles","description":"Removes","inputSchema":{"type":"object"}}`,
		), "", false),
	}, nil)
}

func search(c *Catalog, q Query) []string {
	matches, _ := c.Search(q)
	list := []string{}
	for _, m := range matches {
		list = append(list, leaf(m.Name))
	}
	return list
}

// SRCH-2
func TestSearchMatches(t *testing.T) {
	c := tracker()
	for _, test := range []struct {
		query string
		want  []string // the first ones
	}{
		{"issue", []string{"issue"}},
		{"ISSUES", []string{"issue"}},
		{"create issue", []string{"createIssue"}},
		{"issue create", []string{"createIssue"}},
		{"create-issue", []string{"createIssue"}},
		{"createissue", []string{"createIssue"}},
		{"mcp__dev-radius__list_issues", []string{"list_issues"}},
		{"list_issues", []string{"list_issues"}},
		{"ticket", []string{"list_issues", "createIssue"}},
		{"bugs", []string{"createIssue"}},
		{"headline", []string{"createIssue"}},
		{"went wrong", []string{"createIssue"}},
		{"thawed", []string{"list_issues"}},
		{"path name", []string{"read-file"}},
		{"checksum", []string{"read-file"}},
		{"file reading", []string{"read-file"}},
		{"deleting file", []string{"deleteFiles"}},
		{"dele", []string{"deleteFiles"}},
		{"nothing of the kind", nil},
		{"?!", nil},
	} {
		got := search(c, Query{Query: test.query})
		if len(got) < len(test.want) || !slices.Equal(got[:len(test.want)], test.want) || test.want == nil && len(got) > 0 {
			t.Errorf("%q finds %q, want %q first", test.query, got, test.want)
		}
	}
}

// SRCH-2: abbreviations and other words for the same, behind the words themselves.
func TestSearchSynonyms(t *testing.T) {
	c := New([]*Server{
		server("git", "create_pull_request", "list_pull_requests", "pull", "delete_repository", "pr_stats"),
		server("k8s", "pods_list"),
		server("kubernetes", "nodes_list"),
		server("files", "create_directory", "make_link", "removeFile"),
	}, nil)
	for _, test := range []struct {
		query string
		want  []string // all that is found
	}{
		{"PRs", []string{"pr_stats", "create_pull_request", "list_pull_requests"}}, // not pull
		{"make a PR", []string{"make_link", "pr_stats", "create_pull_request", "list_pull_requests", "create_directory"}},
		{"pull request", []string{"create_pull_request", "list_pull_requests", "pull"}},
		{"repos", []string{"delete_repository"}},
		{"k8s", []string{"pods_list", "nodes_list"}},
		{"kubernetes", []string{"nodes_list", "pods_list"}},
		{"new dir", []string{"create_directory", "create_pull_request", "make_link"}},
		{"erase", []string{"removeFile", "delete_repository"}},
	} {
		got := search(c, Query{Query: test.query})
		slices.Sort(got[min(len(got), 1):])
		slices.Sort(test.want[min(len(test.want), 1):])
		if !slices.Equal(got, test.want) {
			t.Errorf("%q finds %q, want %q", test.query, got, test.want)
		}
	}
}

// SRCH-2: exact names first, ties by name.
func TestSearchTies(t *testing.T) {
	c := New([]*Server{server("b", "run", "walk"), server("a", "run", "Run"), server("c", "runs run run")}, nil)
	want := []string{"mcp__a__run", "mcp__b__run", "mcp__a__Run"}
	matches, _ := c.Search(Query{Query: "run"})
	var got []string
	for _, m := range matches {
		got = append(got, m.Name)
	}
	if len(got) != 4 || !slices.Equal(got[:3], want) {
		t.Errorf("found %q, want %q first", got, want)
	}
}

// SRCH-3
func TestSearchResult(t *testing.T) {
	c := tracker()
	matches, _ := c.Search(Query{Query: "createIssue", Limit: 1})
	tool, _ := c.Find("mcp__dev-radius__createIssue")
	want := []Match{{tool.Name, "Opens a ticket.\nUse it for bugs.", tool.Signature()}}
	if diff := cmp.Diff(want, matches); diff != "" {
		t.Error(diff)
	}
	// SRCH-6: results have the schema's shape, also when there are none.
	for _, q := range []string{"", "createIssue", "no such thing"} {
		matches, _ := c.Search(Query{Query: q})
		b, err := json.Marshal(matches)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := shapeOf(SearchResult).check("", b); wrong != "" {
			t.Errorf("%q: %s in %s", q, wrong, b)
		}
	}
}

// SRCH-4
func TestSearchListsInCatalogOrder(t *testing.T) {
	c := tracker()
	var want []string
	for _, tool := range c.Render(RenderOptions{}).Tools {
		want = append(want, leaf(tool.Tool.Name))
	}
	for _, query := range []string{"", " \n"} {
		if diff := cmp.Diff(want, search(c, Query{Query: query})); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
	var listed []string
	for _, l := range c.List() {
		listed = append(listed, leaf(l.Name))
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Error(diff)
	}
}

// SRCH-5
func TestSearchNarrows(t *testing.T) {
	c := tracker()
	for _, namespace := range []string{"mcp__dev-radius", "dev-radius", "dev_radius", "mcp__dev_radius"} {
		if got := search(c, Query{Namespace: namespace}); len(got) != 3 {
			t.Errorf("%s: %q", namespace, got)
		}
		if got := search(c, Query{Namespace: namespace, Query: "file"}); len(got) != 0 {
			t.Errorf("%s: finds %q of another server", namespace, got)
		}
	}
	if got := search(c, Query{Namespace: "nobody"}); len(got) != 0 {
		t.Errorf("an unknown server has %q", got)
	}
	all := search(c, Query{})
	rapid.Check(t, func(t *rapid.T) {
		q := Query{Limit: rapid.IntRange(0, 7).Draw(t, "limit"), Offset: rapid.IntRange(0, 7).Draw(t, "offset")}
		matches, remaining := c.Search(q)
		from := min(q.Offset, len(all))
		to := len(all)
		if q.Limit > 0 {
			to = min(from+q.Limit, to)
		}
		if !slices.Equal(search(c, q), all[from:to]) || remaining != len(all)-to || len(matches) != to-from {
			t.Fatalf("%+v: %d matches, %d remain", q, len(matches), remaining)
		}
	})
}

// SRCH-6
func TestParseQuery(t *testing.T) {
	for in, want := range map[string]Query{
		``:                           {},
		`{}`:                         {},
		`{"query":"a","limit":3}`:    {Query: "a", Limit: 3},
		`{"limit":1e1,"offset":2.0}`: {Limit: 10, Offset: 2},
		`{"limit":9007199254740991}`: {Limit: 1<<31 - 1},
		` { "namespace" : "n" } `:    {Namespace: "n"},
		`{"query":"a","query":"b"}`:  {Query: "b"},
	} {
		if got, err := ParseQuery(jsontext.Value(in)); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", in, got, err, want)
		}
	}
	shape := "{\n  /** Words to look for"
	for in, want := range map[string]string{
		`{"q":"a"}`:           `its argument has an unknown field "q"`,
		`{"query":1}`:         `query must be a string, not a number`,
		`{"query":null}`:      `query must be a string, not null`,
		`{"limit":0}`:         `limit must be at least 1`,
		`{"limit":1.5}`:       `limit must be an integer, not a number`,
		`{"limit":"3"}`:       `limit must be an integer, not a string`,
		`{"limit":1e400}`:     `limit must be an integer, not a number`,
		`{"limit":1e9999999}`: `limit must be an integer, not a number`,
		`{"offset":-1}`:       `offset must be at least 0`,
		`"a"`:                 `its argument must be an object, not a string`,
		`["a"]`:               `its argument must be an object, not an array`,
		`null`:                `its argument must be an object, not null`,
		`{`:                   `its argument is not valid JSON`,
	} {
		_, err := ParseQuery(jsontext.Value(in))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), shape) {
			t.Errorf("%s: %v; want %q and the shape", in, err, want)
		}
	}
}

func TestEachWord(t *testing.T) {
	for text, want := range map[string]string{
		"createIssue":         "creat issu createissu",
		"HTTPServer2":         "http server 2 httpserver2",
		"list_pull-requests":  "list pull request",
		"Getting GitHub IDs":  "get git hub github ids",
		"naïve Ärger":         "naïv ärger",
		"获取热榜":                "获取 取热 热榜",
		"热":                   "热",
		"e.g. (x) 'y'":        "e g x y",
		"deletion of deletes": "delet of delet",
	} {
		var got []string
		eachWord(text, func(w string) { got = append(got, w) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q has the words %q, want %q", text, got, want)
		}
	}
}

func TestSchemaWords(t *testing.T) {
	var b documentBuilder
	b.places = map[string]int{}
	b.addSchema(jsontext.Value(`{"type":"object","description":"Root","properties":{
		"enum":{"type":"string","enum":["red",{"deep":"blue"}]},
		"description":{"description":"inner","default":"never","const":"never"},
		"list":{"type":"array","items":{"properties":{"nested":{}},"required":["never"]}}},
		"$defs":{"Never":{"title":"Sure"}},"anyOf":[{"properties":{"other":{}}},{"description":"last"}],"broken`), propertyField, docField)
	var names, docs []string
	for _, term := range b.document.terms {
		if term.count[propertyField] > 0 {
			names = append(names, term.text)
		}
		if term.count[docField] > 0 {
			docs = append(docs, term.text)
		}
	}
	if got := strings.Join(names, " "); got != "enum descript list nest other" {
		t.Errorf("names %s", got)
	}
	if got := strings.Join(docs, " "); got != "root red blu inner sur last" {
		t.Errorf("docs %s", got)
	}
}

// SRCH-1, SRCH-2: any query ends, lists no tool twice and only tools of the pool.
func FuzzSearch(f *testing.F) {
	for _, q := range []string{"issue", "  ", "\x00", "日本", "createIssue file", "\xff\xfe", strings.Repeat("a ", 1000)} {
		f.Add(q)
	}
	c := tracker()
	f.Fuzz(func(t *testing.T, query string) {
		matches, remaining := c.Search(Query{Query: query})
		seen := map[string]bool{}
		for _, m := range matches {
			if _, ok := c.Find(m.Name); !ok || seen[m.Name] {
				t.Fatalf("%q finds %q", query, m.Name)
			}
			seen[m.Name] = true
		}
		if remaining != 0 {
			t.Fatalf("%d remain without a limit", remaining)
		}
	})
}

// TYPE-1, CAT-5: what the settings say of depth and width is true of search,
// lists and single signatures as it is of the catalog.
func TestStyled(t *testing.T) {
	deep := `{"name":"deep","description":"D","inputSchema":{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"quite_a_long_name_for_a_field":{"type":"string"}}}}}}}}`
	long := `{"name":"long","description":"D","inputSchema":{"type":"object","properties":{"first":{"type":"string"},"second":{"type":"string"},"third":{"type":"string"}}}}`
	pool := New([]*Server{NewServer("s", []jsontext.Value{jsontext.Value(deep), jsontext.Value(long)}, "", false)}, nil)
	for depth := 0; depth <= 4; depth++ {
		c := pool.Styled(depth, 20)
		r := c.Render(RenderOptions{BudgetTokens: 1000})
		if same := pool.Render(RenderOptions{BudgetTokens: 1000, MaxDepth: depth, DescriptionWidth: 20}); same.Text != r.Text {
			t.Errorf("depth %d: the pool's style gives\n%s\nand the request's\n%s", depth, r.Text, same.Text)
		}
		matches, _ := c.Search(Query{})
		list := c.List()
		for i, tool := range r.Tools {
			if matches[i].Name != tool.Tool.Name || list[i].Name != tool.Tool.Name {
				t.Errorf("depth %d: place %d is %s in the catalog, %s in search, %s in the list", depth, i, tool.Tool.Name, matches[i].Name, list[i].Name)
			}
			if matches[i].Signature != tool.Signature || c.Signature(tool.Tool) != tool.Signature {
				t.Errorf("depth %d: %s is\n%s\nin the catalog and\n%s\nin search", depth, tool.Tool.Name, tool.Signature, matches[i].Signature)
			}
		}
	}
	if first := func(c *Catalog) string { return c.List()[0].Name }; first(pool.Styled(1, 0)) == first(pool) {
		t.Error("the two depths give one order: the test shows nothing")
	}
}
