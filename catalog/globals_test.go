package catalog

import (
	"strings"
	"testing"
)

// The globals that are declared are those that scripts have, from the schemas
// of their members.
func TestGlobalsAreDeclared(t *testing.T) {
	everything := Empty().Offering(Offer{Files: true, Models: true, Extended: true})
	text := everything.Declarations().Text
	_, globals, ok := strings.Cut(text, "\n/** Every MCP tool that can be called. */\n")
	globals, _, ok2 := strings.Cut(globals, "\n/** Output that is collected")
	if !ok || !ok2 {
		t.Fatalf("no globals in\n%s", text)
	}
	golden(t, "globals.d.ts", globals)
	for _, g := range Globals() {
		m, ok := everything.Member(g.Member)
		if !ok {
			t.Errorf("%s has no member %s", g.Name, g.Member)
		}
		for _, field := range g.Fields {
			if shapeOf(m.Input).Properties[field] == nil && g.Name != "image" {
				t.Errorf("%s: %s has no field %s", g.Name, g.Member, field)
			}
		}
		if g.TakesAny() != (g.Name == "text") {
			t.Errorf("%s takes anything: %v", g.Name, g.TakesAny())
		}
	}
	few := Empty().Offering(Offer{Extended: true}).Declarations().Text
	for _, name := range []string{"declare const files", "declare const models", "readText", "generate"} {
		if strings.Contains(few, name) {
			t.Errorf("%s is declared without what it needs", name)
		}
	}
	strict := Empty().Offering(Offer{Files: true, Models: true}).Declarations().Text
	for _, name := range []string{"ALL_TOOLS", "declare function searchTools", "declare const files", "declare function text"} {
		if strings.Contains(strict, name) {
			t.Errorf("%s is declared in strict mode", name)
		}
	}
}

// What scripts have beside the pool changes its types and no text that a model
// reads.
func TestOffering(t *testing.T) {
	plain := shop()
	c := plain.Offering(Offer{Files: true, Extended: true})
	if c.Render(RenderOptions{BudgetTokens: 60}).Text != plain.Render(RenderOptions{BudgetTokens: 60}).Text || c.Hash() != plain.Hash() {
		t.Error("an offer shows in the catalog")
	}
	if c.Declarations().Hash == plain.Declarations().Hash || c.Offering(Offer{}).Declarations().Hash != plain.Declarations().Hash {
		t.Error("the types do not follow the offer")
	}
	if c.Styled(1, 10).Declarations() != c.Declarations() || c.Styled(1, 10).Offer() != c.Offer() {
		t.Error("a style changes what is offered")
	}
}
