package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// POOL-5, and the shapes that make other clients lose all tools of a server.
func TestReadOddTools(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		name, raw string
		want      *Tool // nil: left out
		problems  []string
	}{
		{"plain", `{"name":"x","title":"X","description":"d","inputSchema":{"type":"object"}}`,
			&Tool{MCPName: "x", Title: "X", Description: "d", InputSchema: jsontext.Value(`{"type":"object"}`)}, nil},
		{"bytes kept", `{"name":"x","inputSchema": {"b" : 9007199254740993, "a":1e400,"b":2} }`,
			&Tool{MCPName: "x", InputSchema: jsontext.Value(`{"b" : 9007199254740993, "a":1e400,"b":2}`)}, nil},
		{"type list", `{"name":"x","inputSchema":{"type":["object","null"]}}`,
			&Tool{MCPName: "x", InputSchema: jsontext.Value(`{"type":["object","null"]}`)}, nil},
		{"boolean schema", `{"name":"x","inputSchema":true}`, &Tool{MCPName: "x", InputSchema: jsontext.Value(`true`)}, nil},
		{"empty lists for objects", `{"name":"x","inputSchema":{"properties":[],"required":"a","$defs":[]}}`,
			&Tool{MCPName: "x", InputSchema: jsontext.Value(`{"properties":[],"required":"a","$defs":[]}`)}, nil},
		{"hints", `{"name":"x","inputSchema":{},"annotations":{"readOnlyHint":"yes","destructiveHint":true,"idempotentHint":false,"openWorldHint":null,"more":1}}`,
			&Tool{MCPName: "x", InputSchema: jsontext.Value(`{}`), Annotations: Annotations{Destructive: &yes, Idempotent: &no},
				RawAnnotations: jsontext.Value(`{"readOnlyHint":"yes","destructiveHint":true,"idempotentHint":false,"openWorldHint":null,"more":1}`)},
			[]string{"/annotations/readOnlyHint is not a boolean"}},
		{"annotations of another kind", `{"name":"x","inputSchema":{},"annotations":[]}`,
			&Tool{MCPName: "x", InputSchema: jsontext.Value(`{}`)}, []string{"/annotations is not an object"}},
		{"title of the annotations", `{"name":"x","inputSchema":{},"annotations":{"title":"T"}}`,
			&Tool{MCPName: "x", Title: "T", InputSchema: jsontext.Value(`{}`), RawAnnotations: jsontext.Value(`{"title":"T"}`)}, nil},
		{"nulls", `{"name":"x","title":null,"description":null,"inputSchema":{},"outputSchema":null,"annotations":null}`,
			&Tool{MCPName: "x", InputSchema: jsontext.Value(`{}`)}, nil},
		{"wrong kinds", `{"name":"x","title":1,"description":["a"],"inputSchema":"s","outputSchema":7}`,
			&Tool{MCPName: "x", InputSchema: jsontext.Value(`"s"`), OutputSchema: jsontext.Value(`7`)},
			[]string{"/title is not a string", "/description is not a string"}},
		{"no schema", `{"name":"x"}`, &Tool{MCPName: "x"}, []string{"/inputSchema is missing"}},
		{"lone surrogate in a text", `{"name":"x","inputSchema":{},"description":"a\ud800b"}`,
			&Tool{MCPName: "x", InputSchema: jsontext.Value(`{}`), Description: "a\uFFFDb"},
			[]string{"/description has characters that are not valid Unicode"}},
		{"last of two members", `{"name":"y","name":"x","inputSchema":{}}`, &Tool{MCPName: "x", InputSchema: jsontext.Value(`{}`)}, nil},
		{"odd name", `{"name":"get (a\u0000\n\u2028) \"b\"","inputSchema":{}}`,
			&Tool{MCPName: "get (a\x00\n\u2028) \"b\"", InputSchema: jsontext.Value(`{}`)}, nil},
		{"__proto__", `{"name":"__proto__","inputSchema":{}}`, &Tool{MCPName: "__proto__", InputSchema: jsontext.Value(`{}`)}, nil},
		{"deprecated", `{"name":"x","inputSchema":{},"deprecated":true}`, &Tool{MCPName: "x", InputSchema: jsontext.Value(`{}`), Deprecated: true}, nil},
		{"deprecated by its title", `{"name":"x","title":"Read File (Deprecated)","inputSchema":{}}`,
			&Tool{MCPName: "x", Title: "Read File (Deprecated)", InputSchema: jsontext.Value(`{}`), Deprecated: true}, nil},
		{"said to be deprecated", `{"name":"x","inputSchema":{},"description":"⚠️ DEPRECATED: use y"}`,
			&Tool{MCPName: "x", InputSchema: jsontext.Value(`{}`), Description: "⚠️ DEPRECATED: use y", Deprecated: true}, nil},
		{"about deprecation", `{"name":"x","inputSchema":{},"description":"Deprecated packages of npm"}`,
			&Tool{MCPName: "x", InputSchema: jsontext.Value(`{}`), Description: "Deprecated packages of npm"}, nil},
		{"no name", `{"inputSchema":{}}`, nil, []string{"tool 1 is left out: it has no name"}},
		{"empty name", `{"name":"","inputSchema":{}}`, nil, []string{"tool 1 is left out: it has no name"}},
		{"number for a name", `{"name":7}`, nil, []string{"tool 1 is left out: its name is not a string of valid Unicode"}},
		{"name that cannot be sent back", `{"name":"a\udc00"}`, nil, []string{"tool 1 is left out: its name is not a string of valid Unicode"}},
		{"null", `null`, nil, []string{"tool 1 is left out: it is not an object"}},
		{"list", `[{"name":"x"}]`, nil, []string{"tool 1 is left out: it is not an object"}},
		{"not JSON", `{"name":"x",}`, nil, []string{"tool 1 is left out: it is not valid JSON"}},
		{"cut off", `{"name":"x","inputSchema":{`, nil, []string{"tool 1 is left out: it is not valid JSON"}},
		{"nothing", ``, nil, []string{"tool 1 is left out: it is not valid JSON"}},
		{"too deep", `{"name":"x","inputSchema":` + strings.Repeat(`{"a":`, 20_000) + `1` + strings.Repeat(`}`, 20_000) + `}`,
			nil, []string{"tool 1 is left out: it is not valid JSON"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := NewServer("s", raw(test.raw, `{"name":"good","inputSchema":{}}`), "", false)
			var got *Tool
			problems := s.Problems
			for _, tool := range s.Tools {
				if tool.MCPName == "good" {
					continue
				}
				got = tool
				for _, p := range tool.Problems {
					problems = append(problems, p.Path+" "+p.Message)
				}
			}
			if _, ok := New([]*Server{s}, nil).Find("mcp__s__good"); !ok {
				t.Error("the other tool is gone")
			}
			if (got == nil) != (test.want == nil) {
				t.Fatalf("read as %v, want %v", got, test.want)
			}
			if len(problems) != len(test.problems) {
				t.Fatalf("problems %q, want %q", problems, test.problems)
			}
			for i, p := range problems {
				if !strings.HasPrefix(p, test.problems[i]) {
					t.Errorf("problem %q, want %q", p, test.problems[i])
				}
			}
			if got == nil {
				return
			}
			type fields struct {
				MCPName, Title, Description string
				Input, Output, Raw          string
				A                           Annotations
				Deprecated                  bool
			}
			of := func(t *Tool) fields {
				return fields{t.MCPName, t.Title, t.Description, string(t.InputSchema), string(t.OutputSchema), string(t.RawAnnotations), t.Annotations, t.Deprecated}
			}
			if diff := cmp.Diff(of(test.want), of(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDuplicatesWithinAServer(t *testing.T) {
	s := NewServer("s", raw(
		`{"name":"b","description":"first","inputSchema":{}}`,
		`{"name":"a","inputSchema":{}}`,
		`{"name":"b","description":"second","inputSchema":{}}`), "", false)
	if diff := cmp.Diff([]string{"mcp__s__a", "mcp__s__b"}, names(s.Tools)); diff != "" {
		t.Error(diff)
	}
	if s.Tools[1].Description != "first" {
		t.Errorf("kept %q, want the first", s.Tools[1].Description)
	}
	again := s.With(raw(
		`{"name":"b","description":"second","inputSchema":{}}`,
		`{"name":"b","description":"first","inputSchema":{}}`), "", false)
	if len(again.Tools) != 1 || again.Tools[0].Description != "second" {
		t.Errorf("kept %q, want the one that now comes first", again.Tools[0].Description)
	}
	if diff := cmp.Diff([]string{`tool "b" is listed more than once: the first one counts`}, s.Problems); diff != "" {
		t.Error(diff)
	}
}

// TYPE-6, PERF-5: a tool whose bytes did not change is the same *Tool.
func TestWithSharesTools(t *testing.T) {
	tool := func(i int) string { return fmt.Sprintf(`{"name":"t%d","inputSchema":{"n":%d}}`, i, i) }
	var list []string
	for i := range 50 {
		list = append(list, tool(i))
	}
	before := NewServer("s", raw(list...), "", false)
	byName := map[string]*Tool{}
	for _, tool := range before.Tools {
		byName[tool.Name] = tool
	}
	for name, change := range map[string]struct {
		list []string
		new  int
	}{
		"same":     {list, 0},
		"changed":  {append(append(append([]string{}, list[:7]...), `{"name":"t7","inputSchema":{}}`), list[8:]...), 1},
		"inserted": {append([]string{`{"name":"new","inputSchema":{}}`}, list...), 1},
		"removed":  {append(append([]string{}, list[:20]...), list[22:]...), 0},
		"rotated":  {append(append([]string{}, list[30:]...), list[:30]...), 0},
		"shuffled": {[]string{list[9], list[3], list[44], list[4], list[0]}, 0},
		"none":     {nil, 0},
	} {
		after := before.With(raw(change.list...), "", false)
		if len(after.Tools) != len(change.list) {
			t.Errorf("%s: %d tools, want %d", name, len(after.Tools), len(change.list))
		}
		fresh := 0
		for _, tool := range after.Tools {
			if byName[tool.Name] != tool {
				fresh++
			}
		}
		if fresh != change.new {
			t.Errorf("%s: %d tools were read again, want %d", name, fresh, change.new)
		}
		if len(before.Tools) != 50 {
			t.Fatalf("%s: the earlier server changed", name)
		}
	}
}

func TestReadRecording(t *testing.T) {
	server, tools, instructions, err := ReadRecording([]byte("\uFEFF" + `{"server":"s","serverInfo":{},"instructions":"Do.","tools":[{"name":"a"}, {"name":"b"}],"prompts":[]}`))
	if err != nil || server != "s" || instructions != "Do." || len(tools) != 2 || string(tools[1]) != `{"name":"b"}` {
		t.Errorf("got %q %q %q %v", server, tools, instructions, err)
	}
	if _, tools, _, err := ReadRecording([]byte(`{"tools":[],"instructions":null}`)); err != nil || len(tools) != 0 {
		t.Errorf("bare answer: %v", err)
	}
	for _, broken := range []string{``, `[]`, `{}`, `{"tools":{}}`, `{"tools":[`, `{"tools":null}`} {
		if _, _, _, err := ReadRecording([]byte(broken)); err == nil {
			t.Errorf("%s: no error", broken)
		}
	}
}

func FuzzReadTool(f *testing.F) {
	f.Add([]byte(`{"name":"x","title":"T","description":"d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`))
	f.Add([]byte(`{"name":"\ud800","description":1}`))
	f.Add([]byte(`{"name":"a","inputSchema":{"properties":{"p":{"enum":["x",{"y":"z"}],"description":["d"]}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := NewServer("s", []jsontext.Value{data}, "", false)
		if len(s.Tools)+len(s.Problems) == 0 {
			t.Fatal("a tool vanished without a word")
		}
		for _, tool := range s.Tools {
			tool.document()
			if line := firstLine(tool.Description, 160); strings.ContainsFunc(line, endsLine) || len([]rune(line)) > 160 {
				t.Fatalf("comment %q", line)
			}
		}
		again := s.With([]jsontext.Value{data}, "", false)
		if len(s.Tools) == 1 && again.Tools[0] != s.Tools[0] {
			t.Fatal("the same bytes made another tool")
		}
	})
}
