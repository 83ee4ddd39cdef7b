package script_test

import (
	"strings"
	"testing"

	"codemode-ls/script"
)

// EXEC-19: what a script obviously meant and did not do, with what makes it do it.
func TestExec19Uncalled(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"async () => {\n  return 1;\n}", "export default async () => {\n  return 1;\n}"},
		{"// first\nasync () => { return 1 };\n// last", "// first\nexport default async () => { return 1 };\n// last"},
		{"() => tools.mcp__a__b({})", "export default () => tools.mcp__a__b({})"},
		{"async (input: { a: number }): Promise<{ b: number }> => { return { b: input.a } }", "export default async (input: { a: number }): Promise<{ b: number }> => { return { b: input.a } }"},
		{"x => x", "export default x => x"},
		{"(async () => { return 1 })", "export default (async () => { return 1 })"},
		{"async function main() { return 1 }", "export default async function main() { return 1 }"},
		{"function run() {}\n;", "export default function run() {}\n;"},
		{"async function () { return 1 }", "export default async function () { return 1 }"},
		{"const main = async () => { return 1 };", "const main = async () => { return 1 };\nreturn await main();"},
		{"type A = { a: 1 };\nfunction a() {}\nasync function main() { a() }", "type A = { a: 1 };\nfunction a() {}\nasync function main() { a() }\nreturn await main();"},
		{"(async () => { return 5 })()", "return (async () => { return 5 })()"},
		{"await (async () => 5)();", "return await (async () => 5)();"},
		{"(function () { return 5 })();\n// end", "return (function () { return 5 })();\n// end"},
		{"async function main() { if (1) { return 5 } }\nmain();", "async function main() { if (1) { return 5 } }\nreturn main();"},
		{"async function main() { return 5 }\nawait main().catch((e) => console.error(e))", "async function main() { return 5 }\nreturn await main().catch((e) => console.error(e))"},
		{"const main = async () => {\n  const x = await tools.a({});\n  return x;\n};\n\nmain();", "const main = async () => {\n  const x = await tools.a({});\n  return x;\n};\n\nreturn main();"},
		// Nothing is meant that does not happen.
		{"return 1", ""},
		{"", ""},
		{"const f = () => 1;\nreturn f()", ""},
		{"function log() { console.log(1) }\nlog()", ""},
		{"(async () => { console.log(1) })()", ""},
		{"(async () => { [1].map((x) => { return x }); await f() })()", ""},
		{"const f = async () => { return 1 };\nconst x = await f();\nconsole.log(x)", ""},
		{"async function main() { return 5 }\nmain().then((x) => console.log(x))", ""},
		{"async function save(x) { return 5 }\nawait save(1);\nawait save(2);", ""},
		{"async function save(x) { return 5 }\nconsole.log('saving');\nawait save(1);", ""},
		{"async function main() { return 5 }\nvoid main();", ""},
		{"export default async () => 1", ""},
		{"await tools.mcp__a__b({})", ""},
		{"const { a } = await tools.mcp__a__b({}); if (a) return 1;\n(async () => { return 5 })()", "const { a } = await tools.mcp__a__b({}); if (a) return 1;\nreturn (async () => { return 5 })()"},
		{"const x = 1;\nconst f = () => x;", ""},
		{"type A = number", ""},
		{"}", ""},
		{"(", ""},
	} {
		u, ok := script.Read(c.text).Uncalled()
		got := ""
		if ok {
			got = c.text[:u.At] + u.Insert + c.text[u.At:]
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q (%s)", c.text, got, c.want, u.Message)
		}
	}
	if _, ok := script.Read(strings.Repeat("(", 60000) + "1" + strings.Repeat(")", 60000)).Uncalled(); ok {
		t.Error("parentheses alone")
	}
}
