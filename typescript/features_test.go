package typescript

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"codemode-ls/script"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

// brief is a diagnostic as the tests write it.
func brief(d protocol.Diagnostic) string {
	r := d.Range
	return fmt.Sprintf("%d:%d-%d:%d %v", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character, d.Code)
}

// DIAG-1: syntax and types, at the author's positions; top-level await and
// return are no errors.
func TestDiagnostics(t *testing.T) {
	e := newEngine(t)
	for _, tt := range []struct {
		name string
		text string
		ts   []string
		js   []string // nil: as ts
	}{
		{"clean", "const r = await tools.mcp__a__search({ query: 'x' });\nreturn r.items.map(i => i.id);", nil, nil},
		{"returns nothing", "await tools.mcp__a__search({ query: 'x' });", nil, nil},
		{"empty", "", nil, nil},
		{"wrong argument", "return await tools.mcp__a__search({ query: 1 });", []string{"0:36-0:41 2322"}, nil},
		{"unknown field", "return await tools.mcp__a__search({ query: '', limt: 1 });", []string{"0:47-0:51 2561"}, nil},
		{"missing await", "return tools.mcp__a__search({ query: '' }).items;", []string{"0:43-0:48 2339"}, nil},
		{"unknown tool", "await tools.mcp__a__serch({});", []string{"0:12-0:25 2551"}, nil},
		{"no DOM, no Node", "fetch('x'); setTimeout(() => 1); process.exit()", []string{"0:0-0:5 2304", "0:12-0:22 2304", "0:33-0:40 2591"}, nil},
		{"missing brace at the end", "if (true) {  ", []string{"0:10-0:11 1005"}, nil},
		{"brace too many", "return 1 }\n", []string{"0:9-0:10 1128"}, nil},
		{"astral and CRLF", "const s = '😀'; return s\r\n  .nope", []string{"1:3-1:7 2339"}, nil},
		{"lone CR", "const s = '';\rreturn s.nope", []string{"1:9-1:13 2339"}, nil},
		{"catch variables are readable (EXEC-4)", "try { await tools.old({}) } catch (e) { return [e.message, e.tool] }", []string{"0:18-0:21 6387"}, nil},
		{"fence", "```ts\nreturn nope\n```", []string{"1:7-1:11 2304"}, nil},
		{"a line for the shell (EXEC-17)", "#!/usr/bin/env codemode-ls run\nreturn nope", []string{"1:7-1:11 2304"}, nil},
		{"a byte order mark before a line for the shell (EXEC-17)", "\ufeff#!/usr/bin/env codemode-ls run\nreturn nope", []string{"1:7-1:11 2304"}, nil},
		{"options line", "// @options: {\"timeout_ms\": 5}\nreturn nope", []string{"1:7-1:11 2304"}, nil},
		{"local types", "type A = { a: number };\nconst a: A = { a: 1 };\nreturn a;\ninterface B { b: A }", nil,
			[]string{"0:5-0:6 8008", "1:9-1:10 8010", "3:10-3:11 8006"}},
		{"type imports are erased (EXEC-16)", "import type {\n  A } from './x';\nconst a: A = 1; import { type B } from 'b'\nreturn [a, nope]", []string{"3:11-3:15 2304"},
			[]string{"2:9-2:10 8010", "3:11-3:15 2304"}},
		{"no check wanted", "// @options: {}\n// @ts-nocheck it is old\nconst n: number = 'x';\nreturn n +;", []string{"3:10-3:11 1109"}, []string{"2:9-2:15 8010", "3:10-3:11 1109"}},
		{"no check wanted too late", "const s = 1;\n// @ts-nocheck\nreturn s.x", []string{"2:9-2:10 2339"}, nil},
		{"implicit any", "function f(a) { return a }\nreturn f(1)", []string{"0:11-0:12 7006"}, []string{}},
		{"JSDoc types", "/** @param {number} n */\nfunction f(n) { return n }\nreturn f('')", []string{"1:11-1:12 7006"}, []string{"2:9-2:11 2345"}},
	} {
		for _, l := range []script.Language{script.TypeScript, script.JavaScript} {
			t.Run(tt.name+"/"+string(l), func(t *testing.T) {
				i, err := e.Check(t.Context(), script.Read(tt.text), l, false)
				if err != nil {
					t.Fatal(err)
				}
				got := []string{}
				for _, d := range i.Types {
					if d.Severity != protocol.DiagnosticSeverityHint || d.Code == protocol.Integer(6387) {
						got = append(got, brief(d))
					}
				}
				want := tt.ts
				if l == script.JavaScript && tt.js != nil {
					want = tt.js
				}
				if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
					t.Errorf("(-want +got)\n%s%v", diff, i.Types)
				}
			})
		}
	}
}

// EXEC-17, DIAG-1: what docs/language.md says that runs is known to TypeScript.
func TestExec17LanguageIsKnown(t *testing.T) {
	page, err := os.ReadFile("../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	runs, _, _ := strings.Cut(string(page), "\n## What does not run")
	e := newEngine(t)
	checked, inBlock := 0, false
	for _, line := range strings.Split(runs, "\n") {
		if strings.HasPrefix(line, "```") {
			inBlock = !inBlock
			continue
		}
		if !inBlock || line == "" {
			continue
		}
		checked++
		i, err := e.Check(t.Context(), script.Read("return "+line), script.TypeScript, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range i.Types {
			// A member, a global or an option of another library.
			if d.Code == protocol.Integer(2550) || d.Code == protocol.Integer(2583) || d.Code == protocol.Integer(2339) || d.Code == protocol.Integer(1501) {
				t.Errorf("%s\n%s: %v", line, brief(d), d.Message)
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d lines found", checked)
	}
}

// EXEC-16: a module is checked as one.
func TestModule(t *testing.T) {
	e := newEngine(t)
	text := "import type { X } from './x';\nconst q: string = 'a';\nexport default async () => {\n  return await tools.mcp__a__search({ query: q, mode: 'slow' });\n}\n"
	i, err := e.Check(t.Context(), script.Read(text), script.TypeScript, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range i.Types {
		if d.Severity == protocol.DiagnosticSeverityError && brief(d) != "3:48-3:52 2322" {
			t.Errorf("unexpected %s %v", brief(d), d.Message)
		}
	}
}

// at is the position of the mark | in a text, and the text without it.
func at(t *testing.T, marked string) (string, protocol.Position) {
	t.Helper()
	before, after, ok := strings.Cut(marked, "|")
	if !ok {
		t.Fatalf("no | in %q", marked)
	}
	end, _ := ends(before)
	return before + after, end
}

// COMP-3: inside the argument, at any depth, and on what a call resolves to.
func TestCompletion(t *testing.T) {
	e := newEngine(t)
	for _, tt := range []struct{ text, want, not string }{
		{"await tools.mcp__a__search({ query: '', | })", "mode? limit?", "query"},
		{"await tools.mcp__a__search({ query: '', mode: '|' })", "deep fast", "query"},
		{"const r = await tools.mcp__a__search({ query: '' });\r\nr.|", "items", "then"},
		{"const r = await tools.mcp__a__search({ query: '' });\nr.items[0].|", "id", "items"},
		{"const local = 1;\n|", "local console tools JSON structuredClone?", ""},
		{"const s = '😀'.|", "codePointAt", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			text, pos := at(t, tt.text)
			e.Open("file:///a.exec.ts", script.TypeScript, 1, script.Read(text))
			defer e.Close("file:///a.exec.ts")
			list, err := e.Completion(t.Context(), "file:///a.exec.ts", pos, nil)
			if err != nil {
				t.Fatal(err)
			}
			labels := map[string]protocol.CompletionItem{}
			for _, i := range list.Items {
				labels[i.Label] = i
			}
			for _, want := range strings.Fields(tt.want) {
				if want == "structuredClone?" {
					continue
				}
				if _, ok := labels[want]; !ok {
					t.Errorf("%s is missing", want)
				}
			}
			if _, ok := labels[tt.not]; ok && tt.not != "" {
				t.Errorf("%s is offered", tt.not)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	e := newEngine(t)
	text, pos := at(t, "const s = 'x';\nreturn s.|")
	e.Open("u", script.TypeScript, 1, script.Read(text))
	list, err := e.Completion(t.Context(), "u", pos, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range list.Items {
		if i.Label != "trimEnd" {
			continue
		}
		resolved, err := e.Resolve(t.Context(), "u", &i)
		if err != nil {
			t.Fatal(err)
		}
		if detail, _ := resolved.Detail.Get(); !strings.Contains(detail, "trimEnd(): string") || resolved.Documentation == nil {
			t.Errorf("resolved to %v, %v", detail, resolved.Documentation)
		}
		return
	}
	t.Fatal("trimEnd is missing")
}

func TestHoverSignatureDefinition(t *testing.T) {
	e := newEngine(t)
	const u = "file:///w/ä b.exec.ts"
	text, pos := at(t, "const found = await tools.mcp__a__search({ query: '' });\nreturn fou|nd;")
	e.Open(u, script.TypeScript, 1, script.Read(text))

	hover, err := e.Hover(t.Context(), u, pos)
	if err != nil || hover == nil {
		t.Fatal(hover, err)
	}
	if want := (protocol.Range{Start: protocol.Position{Line: 1, Character: 7}, End: protocol.Position{Line: 1, Character: 12}}); hover.Range == nil || *hover.Range != want {
		t.Errorf("hover at %v", hover.Range)
	}
	if m := hover.Contents.(*protocol.MarkupContent); !strings.Contains(m.Value, "items") {
		t.Errorf("hover says %q", m.Value)
	}

	locations, err := e.Definition(t.Context(), u, pos)
	if err != nil || len(locations) != 1 || string(locations[0].URI) != u || locations[0].Range.Start != (protocol.Position{Line: 0, Character: 6}) {
		t.Errorf("definition of a local: %v %v", locations, err)
	}
	tool := protocol.Position{Line: 0, Character: 30}
	locations, err = e.Definition(t.Context(), u, tool)
	if err != nil || len(locations) != 1 || locations[0].URI != DeclarationsURI || locations[0].Range.Start.Line != 6 {
		t.Errorf("definition of a tool: %v %v", locations, err)
	}
	locations, err = e.References(t.Context(), u, pos, true)
	if err != nil || len(locations) != 2 {
		t.Errorf("references: %v %v", locations, err)
	}
	// The library is nowhere that an editor could open.
	e.Change(u, 2, script.Read("return 'x'.trim()"))
	locations, err = e.Definition(t.Context(), u, protocol.Position{Character: 13})
	if err != nil || len(locations) != 0 {
		t.Errorf("definition in the library: %v %v", locations, err)
	}

	text, pos = at(t, "await tools.mcp__a__search(|)")
	e.Change(u, 3, script.Read(text))
	help, err := e.SignatureHelp(t.Context(), u, pos, nil)
	if err != nil || help == nil || len(help.Signatures) != 1 || !strings.Contains(help.Signatures[0].Label, "input: {") {
		t.Errorf("signature help: %v %v", help, err)
	}
}

func TestNotOpen(t *testing.T) {
	e := newEngine(t)
	if _, err := e.Hover(t.Context(), "file:///never", protocol.Position{}); !errors.Is(err, ErrNotOpen) {
		t.Errorf("got %v", err)
	}
	e.Change("file:///never", 2, script.Read("x"))
	e.Close("file:///never")
	if _, err := e.Check(t.Context(), script.Read("return 1"), script.TypeScript, false); err != nil || e.Restarts() != 0 {
		t.Errorf("%v after %d restarts", err, e.Restarts())
	}
}

// Positions that do not exist in the text must do no harm.
func TestPositionsOutside(t *testing.T) {
	e := newEngine(t)
	e.Open("u", script.TypeScript, 1, script.Read("const a = 1;\n\nreturn a;"))
	for _, p := range []protocol.Position{{Line: 99}, {Character: 9999}, {Line: 1, Character: 7}, {Line: 4294967295, Character: 4294967295}, {Line: 2, Character: 4294967295}} {
		if _, err := e.Completion(t.Context(), "u", p, nil); err != nil {
			t.Errorf("completion at %v: %v", p, err)
		}
		if _, err := e.Hover(t.Context(), "u", p); err != nil {
			t.Errorf("hover at %v: %v", p, err)
		}
	}
	if e.Restarts() != 0 {
		t.Error("the engine died of it")
	}
}

func TestDeclarationsChange(t *testing.T) {
	e := newEngine(t)
	ctx := context.Background()
	e.Open("u", script.TypeScript, 1, script.Read("await tools.later({})"))
	found, err := e.Diagnostics(ctx, "u")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	e.SetDeclarations("declare const tools: { later(input: {}): Promise<void> };")
	if found, err = e.Diagnostics(ctx, "u"); err != nil || len(found) != 0 {
		t.Fatal(found, err)
	}
}
