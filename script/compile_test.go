package script_test

import (
	"strings"
	"testing"

	"codemode-ls/script"
	"codemode-ls/script/esbuild"
)

// EXEC-13
func TestExec13Errors(t *testing.T) {
	tests := []struct {
		text    string
		at      script.Position
		message string // part of it
		line    string
	}{
		{"import x from 'y'", script.Position{0, 0}, "import is not available", "import x from 'y'"},
		{"let a\n  import 'x'", script.Position{1, 2}, "import is not available", "  import 'x'"},
		{"export const a = 1", script.Position{0, 0}, "export is not available", "export const a = 1"},
		{"export default 1\nexport default 2", script.Position{1, 7}, "one default export", "export default 2"},
		{"export default 1\nreturn 2", script.Position{1, 0}, "cannot return", "return 2"},
		{"\nconst é = require('fs')", script.Position{1, 10}, "require() is not available", "const é = require('fs')"},
		{"return import.meta.url", script.Position{0, 7}, "import.meta is not available", "return import.meta.url"},
		{"'😀'; let 1x", script.Position{0, 11}, "Syntax error", "'😀'; let 1x"},
		{"foo(\n", script.Position{0, 4}, "not closed", "foo("},
		{"if (1) {\n}\n}", script.Position{2, 1}, "a } too many", "}"},
		{"namespace X {}", script.Position{0, 10}, "namespaces are not available", "namespace X {}"},
		{"const a = `x", script.Position{0, 12}, "Unterminated", "const a = `x"},
	}
	for _, tt := range tests {
		p, err := script.Compile(tt.text, script.TypeScript, esbuild.Transform)
		e, ok := script.IsCompileError(err)
		if !ok {
			t.Errorf("%q compiled: %v %v", tt.text, p, err)
			continue
		}
		if e.At != tt.at || !strings.Contains(e.Message, tt.message) || e.SourceLine != tt.line {
			t.Errorf("%q: %+v", tt.text, e)
		}
	}
	if _, err := script.Compile("const a: number = 1", script.JavaScript, esbuild.Transform); err == nil {
		t.Error("types in JavaScript compiled")
	}
}

// EXEC-1, EXEC-16: types and type-only imports are erased, a module runs its
// default export.
func TestCompile(t *testing.T) {
	tests := []struct {
		text   string
		has    string
		module bool
	}{
		{"const a: number = 1 as any; interface B {} type C = 1; return a", "const a = 1", false},
		{"import type { X } from 'y';\nimport { type Z } from 'y'\nimport type * as N from \"n\"\nreturn 1", "return 1", false},
		{"export default 5", "var $main = 5", true},
		{"export default async () => 1", "var $main = async () =>", true},
		{"export default async function main() { return 1 }", "main()", true},
		{"export default function () { return 1 }", "function $main()", true},
		{"import type A from 'a'\nconst x = await 1\nexport\n  default x", "$main =", true},
		{"#!/usr/bin/env exec\nreturn 1", "return 1", false},
		{"\ufeff#!/usr/bin/env exec\nreturn 1", "return 1", false},
		{"return typeof require", "typeof", false},
		{"const require = (x: string) => x; return require('a')", "require(\"a\")", false},
	}
	for _, tt := range tests {
		p, err := script.Compile(tt.text, script.TypeScript, esbuild.Transform)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if !strings.Contains(p.Code, tt.has) || p.Module != tt.module {
			t.Errorf("%q: module %v\n%s", tt.text, p.Module, p.Code)
		}
	}
}

// Positions survive: the place of NAME in the output maps to its place in the text.
func TestCompilePositions(t *testing.T) {
	for _, text := range []string{
		"NAME()", "\n\n   NAME()", "const a: string = 'é😀' + NAME()", "async function* g() { yield NAME() }\nfor await (const x of g()) x",
		"import type {A} from 'a'; NAME()", "export default function () {\n  return NAME() }", "a\r\nb\rNAME()",
		"const a = 'x\u2028y'; NAME()", "const a = 'x\u2029y😀'\r\n\u2028 /* \u2028 */ NAME()\n", "const a = `\u2028\u2029\n`\u2028NAME()", "'\u2028'\nexport default function () {\u2029  return NAME() }",
	} {
		p, err := script.Compile(text, script.TypeScript, esbuild.Transform)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := script.Original(p, strings.Index(p.Code, "NAME"))
		if want := script.PositionAt(text, strings.Index(text, "NAME")); got != want {
			t.Errorf("%q: at %v, want %v", text, got, want)
		}
	}
}
