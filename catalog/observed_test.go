package catalog

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// What was seen of a tool that declares nothing is a type beside its
// declaration, which stays as it is, and in no text that a model reads.
func TestObserved(t *testing.T) {
	shape := ObservedShape{Schema: jsontext.Value(`{"type":"object","properties":{"zorkle":{"type":"number"}},"required":["zorkle"]}`)}
	seen := NewObserved(map[string]ObservedShape{
		"mcp__github__get_me": shape, "mcp__github__create_issue": shape, "mcp__gone__tool": shape,
	})
	plain := shop()
	c := plain.Offering(Offer{Observed: seen})
	text := c.Declarations().Text
	if n := strings.Count(text, "zorkle: number;"); n != 1 || !strings.Contains(text, "\ntype Observed_mcp__github__get_me = {\n  zorkle: number;\n};\n") {
		t.Errorf("declared %d times in\n%s", n, text)
	}
	if !strings.Contains(text, "  mcp__github__get_me(input?: {}): Promise<unknown>;\n") {
		t.Error("the call's own type has changed")
	}
	for _, name := range []string{"mcp__github__create_issue", "mcp__gone__tool"} { // one declares its output, one is not there
		if strings.Contains(text, "Observed_"+name) {
			t.Errorf("%s has an observed type", name)
		}
	}
	if _, ok := plain.Observed(plain.Tools()[1]); ok {
		t.Error("seen without the setting")
	}
	if c.Render(RenderOptions{BudgetTokens: 9999}).Text != plain.Render(RenderOptions{BudgetTokens: 9999}).Text {
		t.Error("the catalog text shows what was seen")
	}
	if matches, _ := c.Search(Query{Query: "zorkle"}); len(matches) > 0 {
		t.Error("search finds what was seen")
	}
	if d, _ := c.Describe("mcp__github__get_me"); strings.Contains(d.Signature, "zorkle") {
		t.Error("the signature shows what was seen")
	}
}
