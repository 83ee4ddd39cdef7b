package permission

import (
	"strings"
	"testing"
)

// PERM-10: what is written into a file looks like the rest of it.
func TestPerm10EditKeepsTheStyle(t *testing.T) {
	for _, c := range []struct{ name, old, effect, want string }{
		{"indent of four", `{
    "permissions": {
        "allow": [
            "mcp__a__a"
        ]
    }
}`, "deny", `{
    "permissions": {
        "allow": [
            "mcp__a__a"
        ],
        "deny": [
            "mcp__n__n"
        ]
    }
}`},
		{"indent of four, no section", `{
    "x": 1
}`, "allow", `{
    "x": 1,
    "permissions": {
        "allow": [
            "mcp__n__n"
        ]
    }
}`},
		{"indent of four, empty list", `{
    "permissions": {
        "allow": []
    }
}`, "allow", `{
    "permissions": {
        "allow": [
            "mcp__n__n"
        ]
    }
}`},
		{"one line", `{"permissions":{"allow":["mcp__a__a"],"deny":[]}}`, "deny", `{"permissions":{"allow":["mcp__a__a"],"deny":["mcp__n__n"]}}`},
		{"one line, no list", `{ "permissions": { "allow": ["mcp__a__a"] } }`, "deny", `{ "permissions": { "allow": ["mcp__a__a"], "deny": ["mcp__n__n"] } }`},
		{"one line, no section", `{"x":1}`, "ask", `{"x":1, "permissions": {"ask": ["mcp__n__n"]}}`},
		{"one line, comments", `{ "permissions": { "allow": [ /* a */ "mcp__a__a" /* b */ ], "ask": [ /* none */ ] } }`, "ask",
			`{ "permissions": { "allow": [ /* a */ "mcp__a__a" /* b */ ], "ask": [ /* none */"mcp__n__n"] } }`},
		{"Windows", "// mine\r\n{\r\n  \"permissions\": {\r\n    \"allow\": [\r\n      \"mcp__a__a\", // one\r\n      \"mcp__a__b\" // two\r\n    ]\r\n  }\r\n}\r\n", "deny",
			"// mine\r\n{\r\n  \"permissions\": {\r\n    \"allow\": [\r\n      \"mcp__a__a\", // one\r\n      \"mcp__a__b\" // two\r\n    ],\r\n    \"deny\": [\r\n      \"mcp__n__n\"\r\n    ]\r\n  }\r\n}\r\n"},
		{"byte order mark", "\ufeff{\n  \"permissions\": {\n    \"deny\": []\n  }\n}\n", "deny",
			"\ufeff{\n  \"permissions\": {\n    \"deny\": [\n      \"mcp__n__n\"\n    ]\n  }\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := edit([]byte(c.old), "f", User, Effect(c.effect), "mcp__n__n", "")
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got\n%q\nwant\n%q", got, c.want)
			}
			if f := parseFile(got, "f", User); f.broken || len(f.rules) != strings.Count(c.want, "mcp__") {
				t.Errorf("%v: %v", f.problems, f.rules)
			}
			back, err := edit(got, "f", User, "", "mcp__n__n", "")
			if err != nil {
				t.Fatal(err)
			}
			if f := parseFile(back, "f", User); f.broken || strings.Contains(string(back), "mcp__n__n") {
				t.Errorf("after its removal: %v in %q", f.problems, back)
			}
		})
	}
}
