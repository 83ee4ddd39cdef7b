package typescript

import (
	"strings"
	"testing"
	"unicode/utf16"

	"codemode-ls/script"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

// DIAG-1: what there is to the type of an expression, in both languages and
// whatever ends the lines.
func TestInspect(t *testing.T) {
	e := newEngine(t)
	one, list, deep, no := script.OnePromise, script.PromiseList, script.PromiseDeep, script.NoPromise
	for _, tt := range []struct {
		name, text string
		value      string // the last one in the text
		test       script.PromiseTest
		want       script.Promising
	}{
		{"a promise", "const p = tools.mcp__a__search({ query: '' });\nreturn p;", "p", script.Promised, one},
		{"what it brings", "const p = await tools.mcp__a__search({ query: '' });\nreturn p;", "p", script.PromisesWithin, no},
		{"behind wide characters", "const p = tools.mcp__a__search({ query: '' });\nconst s = '😀' + p;", "p", script.Promised, one},
		{"a list", "const p = ['a'].map((query) => tools.mcp__a__search({ query }));\nreturn p;", "p", script.Promised, list},
		{"a list of lists", "const p = [[tools.mcp__a__search({ query: '' })]];\nreturn p;", "p", script.Promised, list},
		{"an object", "const p = { a: { b: [tools.mcp__a__search({ query: '' })] } };\nreturn p;", "p", script.PromisesWithin, deep},
		{"an object that is only looked at", "const p = { a: tools.mcp__a__search({ query: '' }) };\nreturn p;", "p", script.Promised, no},
		{"a list of pairs", "const p = ['a'].map((query) => [query, tools.mcp__a__search({ query })]);\nreturn p;", "p", script.PromisesWithin, deep},
		{"a map", "const p = new Map([['a', tools.mcp__a__search({ query: '' })]]);\nreturn p;", "p", script.PromisesWithin, deep},
		{"functions are not called", "const p = { f: () => tools.mcp__a__search({ query: '' }), g: tools };\nreturn p;", "p", script.PromisesWithin, no},
		{"any", "const p = JSON.parse('');\nreturn p;", "p", script.PromisesWithin, no},
		{"what nobody knows", "const p = nope;\nreturn p;", "p", script.PromisesWithin, no},
		{"one or nothing", "const p = Date.now() > 1 ? tools.mcp__a__search({ query: '' }) : undefined;\nreturn p;", "p", script.Promised, one},
		{"one or nothing, for certain", "const p = Date.now() > 1 ? tools.mcp__a__search({ query: '' }) : undefined;\nreturn p;", "p", script.CertainPromise, no},
		{"one or a value", "const p = Date.now() > 1 ? tools.mcp__a__search({ query: '' }) : 1;\nreturn p;", "p", script.Promised, no},
		{"behind a promise", "const p = Promise.all([[tools.mcp__a__search({ query: '' })]]);\nreturn p;", "p", script.PromisesBehind, deep},
		{"nothing behind a promise", "const p = tools.mcp__a__search({ query: '' });\nreturn p;", "p", script.PromisesBehind, no},
		{"a list, for certain", "const p = [tools.mcp__a__search({ query: '' })];\nreturn p;", "p", script.CertainPromise, list},
		{"a list of some, for certain", "const p = [1, 2].map((n) => n > 1 ? tools.mcp__a__search({ query: '' }) : undefined);\nreturn p;", "p", script.CertainPromise, no},
		{"a function", "const p = async () => await tools.mcp__a__search({ query: '' });\nreturn p;", "p", script.PromiseReturned, one},
		{"another function", "const p = () => 1;\nreturn p;", "p", script.PromiseReturned, no},
		{"text that cannot be read", "const p = tools.mcp__a__search({ query: '' });\nif (\nreturn p;", "p", script.Promised, no},
		{"a module", "const p = tools.mcp__a__search({ query: '' });\nexport default p;", "p", script.Promised, one},
	} {
		for _, l := range []script.Language{script.TypeScript, script.JavaScript} {
			for _, newline := range []string{"\n", "\r\n"} {
				text := strings.ReplaceAll(tt.text, "\n", newline)
				at := strings.LastIndex(text, tt.value)
				start := placeOf(text, at)
				s := script.Suspect{Test: tt.test, Value: script.Range{Start: start, End: placeOf(text, at+len(tt.value))}}
				_, got, err := e.Check(t.Context(), text, l, []script.Suspect{s})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]script.Promising{tt.want}, got); diff != "" {
					t.Errorf("%s, %s: (-want +got)\n%s", tt.name, l, diff)
				}
			}
		}
	}
}

// placeOf is where an offset is, in UTF-16 units.
func placeOf(text string, offset int) script.Position {
	line := strings.LastIndexByte(text[:offset], '\n') + 1
	return script.Position{Line: strings.Count(text[:offset], "\n"), Character: len(utf16.Encode([]rune(text[line:offset])))}
}

// The second document that types are asked of is nobody's: it is in no answer,
// and goes when there is nothing to ask or the document is closed.
func TestProbesAreHidden(t *testing.T) {
	e := newEngine(t)
	text := "const p = tools.mcp__a__search({ query: '' });\nawait p;\nreturn [p];"
	suspects := script.FindPromises(text).Suspects
	if len(suspects) != 1 {
		t.Fatalf("%d suspects", len(suspects))
	}
	e.Open("file:///a", script.TypeScript, 1, text)
	for range 2 { // the second time nothing is new
		if _, got, err := e.Inspect(t.Context(), "file:///a", text, suspects); err != nil || !cmp.Equal(got, []script.Promising{script.OnePromise}) {
			t.Fatalf("%v, %v", got, err)
		}
	}
	found, err := e.References(t.Context(), "file:///a", protocol.Position{Line: 0, Character: 18}, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range found {
		if l.URI != "file:///a" && l.URI != DeclarationsURI {
			t.Errorf("a reference in %s", l.URI)
		}
	}
	count := func() int { return len(e.world().documents) }
	if count() != 2 {
		t.Errorf("%d documents instead of 2", count())
	}
	if _, _, err := e.Inspect(t.Context(), "file:///a", text, nil); err != nil || count() != 1 {
		t.Errorf("%d documents instead of 1, %v", count(), err)
	}
	if _, _, err := e.Inspect(t.Context(), "file:///a", text, suspects); err != nil || count() != 2 {
		t.Errorf("%d documents instead of 2, %v", count(), err)
	}
	e.Close("file:///a")
	if count() != 0 {
		t.Errorf("%d documents instead of none", count())
	}
}
