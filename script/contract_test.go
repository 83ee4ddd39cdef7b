package script

import (
	"strings"
	"testing"
	"time"
)

// EXEC-18: whether the types have to be asked at all.
func TestMayTakeInput(t *testing.T) {
	for text, want := range map[string]bool{
		"return 1":                                      false,
		"export default 5":                              true, // only types know what an expression is
		"export default { a: 1 }":                       false,
		"export default await tools.x({})":              false,
		"export default async () => 1":                  false,
		"export default () => 1":                        false,
		"export default function () {}":                 false,
		"export default async function main() {}":       false,
		"export default async function <T>(x: T) {}":    true,
		"export default async function (input: {}) {}":  true,
		"export default async ({ a }: { a: 1 }) => a":   true,
		"export default (input) => input":               true,
		"export default input => input":                 true,
		"const main = (a) => a\nexport default main":    true,
		"function export_default() {}; return 1":        false,
		"/* export default (a) => a */ return 1":        false,
		"{ const s = 'export default (a) => a' }":       false,
		"export type X = 1; export default (x: X) => x": true,
	} {
		if got := Read(text).MayTakeInput(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// EXEC-18: an example is found quickly, whatever the comment.
func TestParseExampleIsBounded(t *testing.T) {
	long := strings.Repeat("[ ", 100_000) + strings.Repeat("1,", 500_000)
	began := time.Now()
	if _, input := ParseExample(long); input != nil {
		t.Error("it is JSON")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	if name, input := ParseExample("the third: \"a b\""); name != "the third" || string(input) != `"a b"` {
		t.Errorf("%q %s", name, input)
	}
}
