package script

import "testing"

// CLI-8: what a script uses is found without running it; what cannot be told is
// computed.
func TestRead(t *testing.T) {
	for text, want := range map[string]bool{
		`return 1`:                                                       false,
		`return await tools.mcp__a__b({})`:                               false,
		`return await tools["mcp__a__b"]({})`:                            false,
		`const t = tools; return await t.mcp__a__b({})`:                  false,
		`const { mcp__a__b, mcp__a__c: c } = tools; await c({})`:         false,
		`const { mcp__a__b, ...rest } = tools; await rest.mcp__c__d({})`: false,
		`await (tools as any).mcp__a__b({})`:                             false,
		`await globalThis.tools.mcp__a__b({}); globalThis.x = 1`:         false,
		`const { tools: t } = globalThis; t.mcp__a__b({})`:               false,
		`tools.$codemode.store({ key: "a", value: 1 })`:                  false,
		`const o = { tools: 1 }; return o.tools`:                         false,
		`// tools[name]` + "\n" + `return "tools[name]"`:                 false,

		`return await tools[name]({})`:                              true,
		`return await tools["mcp__a__" + x]({})`:                    true,
		"return await tools[`mcp__${s}__x`]({})":                    true,
		`for (const n in tools) console.log(n)`:                     true,
		`return Object.keys(tools)`:                                 true,
		`const { [name]: f } = tools; await f({})`:                  true,
		`const { mcp__a__b, ...rest } = tools; use(rest)`:           true,
		`const { $codemode: c } = tools; return await c.search({})`: true,
		`use(tools)`: true,
		`const t = cond ? tools : null; t.mcp__a__b({})`:       true,
		`return await tools.$codemode.search({ query: "x" })`:  true,
		`return await tools["$codemode"]["list"]()`:            true,
		`const c = tools.$codemode; return await c.search({})`: true,
		`return globalThis["too" + "ls"].mcp__a__b({})`:        true,
		`return await searchTools("x")`:                        true,
		`let t = tools; t = other; t.mcp__a__b({})`:            true,
	} {
		if got := Read(text).Computed(); got != want {
			t.Errorf("Computed(%s) = %v", text, got)
		}
	}
}
