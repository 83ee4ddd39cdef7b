package catalog

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func declared(a AgentTools) []string {
	list := []string{}
	for _, t := range a.Tools {
		list = append(list, t.Name)
	}
	return list
}

// DECL-1, DECL-2, DECL-3, DECL-4, DECL-9
func TestDeclared(t *testing.T) {
	pool := New([]*Server{server("a", "x", "y")}, nil)
	only := func(names ...string) func(string) bool {
		return func(name string) bool { return strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" ") }
	}
	flat, exec := []string{"mcp__a__x", "mcp__a__y"}, []string{"Exec"}
	for _, test := range []struct {
		name  string
		pool  *Catalog
		agent Agent
		mode  Mode
		want  []string
	}{
		{"default", pool, Agent{}, CodeMode, exec},
		{"one tool is enough", New([]*Server{server("a", "x")}, nil), Agent{Mode: CodeMode}, CodeMode, exec},
		{"empty pool", Empty(), Agent{}, CodeMode, []string{}},
		{"empty pool, native", Empty(), Agent{Mode: NativeMode}, NativeMode, []string{}},
		{"switched off", pool, Agent{ExecOff: true}, NativeMode, flat},
		{"switched off in mode both", pool, Agent{Mode: BothModes, ExecOff: true}, NativeMode, flat},
		{"disallowed", pool, Agent{Disallowed: only("Exec")}, NativeMode, flat},
		{"native", pool, Agent{Mode: NativeMode}, NativeMode, flat},
		{"both", pool, Agent{Mode: BothModes}, BothModes, append([]string{"Exec"}, flat...)},
		{"tool disallowed", pool, Agent{Mode: NativeMode, Disallowed: only("mcp__a__x")}, NativeMode, flat[1:]},
		{"all tools disallowed", pool, Agent{Disallowed: only(flat...)}, CodeMode, []string{}},
		{"direct", pool, Agent{Direct: only("mcp__a__y")}, CodeMode, []string{"Exec", "mcp__a__y"}},
	} {
		got := test.pool.For(test.agent)
		if diff := cmp.Diff(test.want, declared(got)); diff != "" || got.Mode != test.mode {
			t.Errorf("%s: mode %s, %s", test.name, got.Mode, diff)
		}
		// COL-1: what is declared can be called, and nothing else of the pool.
		for _, name := range append(exec, "mcp__a__x", "mcp__a__y", "mcp__b__z") {
			want := strings.Contains(" "+strings.Join(test.want, " ")+" ", " "+name+" ")
			if name == "Exec" && got.Mode != NativeMode {
				want = true // a script in an empty pool says itself what it lacks
			}
			if can := test.pool.DirectCall(test.agent, name); can != want {
				t.Errorf("%s: a direct call of %s: %v", test.name, name, can)
			}
		}
	}
	if _, err := ParseMode("Code"); err == nil {
		t.Error("mode Code is taken")
	}
	if m, err := ParseMode(""); err != nil || m != CodeMode {
		t.Errorf("no mode is %q, %v", m, err)
	}
}

// DECL-6, COL-3
func TestExecIsConstant(t *testing.T) {
	one := shop().For(Agent{}).Tools[0]
	other := New([]*Server{server("z", "q")}, nil).For(Agent{Mode: BothModes}).Tools[0]
	if diff := cmp.Diff(one, other); diff != "" {
		t.Error(diff)
	}
	if unwanted := regexp.MustCompile(`mcp__|PARTIAL|budget|[0-9]`).FindString(one.Description); unwanted != "" {
		t.Errorf("Exec's description says %q", unwanted)
	}
	if string(one.Annotations) != execAnnotations { // SCHED-3
		t.Errorf("annotations %s", one.Annotations)
	}
	if !one.InputSchema.IsValid() {
		t.Errorf("schema %s", one.InputSchema)
	}
	golden(t, "exec.txt", one.Description+"\n\n"+string(one.InputSchema)+"\n\n"+one.Grammar.Definition)
}

// DECL-8: any script passes, an options line only in its shape.
func TestGrammar(t *testing.T) {
	options := regexp.MustCompile(`^(?:` + strings.ReplaceAll(optionsPattern(), `\/`, `/`) + `)$`)
	for line, want := range map[string]bool{
		`// @options: {"timeout_ms": 60000}`:                   true,
		`// @options:{"timeout_ms":1,"max_tool_calls" : 2 }  `: true,
		`// @options: {}`:                  true,
		`// @options: {"timeout_ms": "a"}`: false,
		`// @options: {"other": 1}`:        false,
		`// @options: `:                    false,
		`// @options: {"timeout_ms": 1,}`:  false,
	} {
		if options.MatchString(line) != want {
			t.Errorf("%s: %v", line, !want)
		}
	}
	script := regexp.MustCompile(`^(?:` + strings.ReplaceAll(notBeginningWith(optionsPrefix), `\/`, `/`) + `)$`)
	piece := rapid.SampledFrom([]string{"/", "// ", "// @", "// @options", "// @options:", "@", ":", "o", "\n", "return 1", " ", "é", "{}"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 1, 5).Draw(t, "text"), "")
		if want := !strings.HasPrefix(text, optionsPrefix); script.MatchString(text) != want {
			t.Fatalf("%q: is a script %v, want %v", text, !want, want)
		}
	})
}

// MCP wants an object for a schema; what a server sent instead is not passed on.
func TestFlatSchemas(t *testing.T) {
	s := NewServer("s", raw(`{"name":"a","inputSchema":true}`, `{"name":"b"}`, `{"name":"c","inputSchema":{"x":1},"annotations":{"readOnlyHint":true}}`), "", false)
	tools := map[string]AgentTool{}
	for _, tool := range New([]*Server{s}, nil).For(Agent{Mode: NativeMode}).Tools {
		tools[tool.Name] = tool
	}
	for name, want := range map[string]string{"mcp__s__a": `{"type":"object"}`, "mcp__s__b": `{"type":"object"}`, "mcp__s__c": `{"x":1}`} {
		if got := string(tools[name].InputSchema); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	b, err := json.Marshal(tools["mcp__s__c"])
	if err != nil || string(b) != `{"name":"mcp__s__c","description":"","inputSchema":{"x":1},"annotations":{"readOnlyHint":true}}` {
		t.Errorf("%s, %v", b, err)
	}
}
