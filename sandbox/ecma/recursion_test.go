package ecma

import (
	"testing"

	"codemode-ls/script"
	"codemode-ls/script/esbuild"

	"github.com/dop251/goja/ast"
)

// Callbacks that call nothing, and scripts that catch nothing, are left alone.
func TestGuardsOnlyRecursion(t *testing.T) {
	const catch = "try { throw 1 } catch {}\n"
	for code, want := range map[string]bool{
		catch + "const a = [1].map((x) => x.id).filter(function (x) { return x > 1 })": false,
		catch + "[1].map((x) => f(x))":                               true,
		"function f(n) { return n < 2 ? n : f(n - 1) } f(3)":         false,
		catch + "function f(n) { return n < 2 ? n : f(n - 1) } f(3)": true,
	} {
		p, err := script.Compile(code, script.JavaScript, esbuild.Transform)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := parse(p.Code, p.SourceMap)
		if err != nil {
			t.Fatal(err)
		}
		main := tree.Body[len(tree.Body)-1].(*ast.ExpressionStatement).Expression.(*ast.FunctionLiteral)
		if got := guardRecursion(main, p.Code); got != want {
			t.Errorf("%q: %t", code, got)
		}
	}
}
