package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/docs/diagnostics"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/typescript"
	"codemode-ls/workspace"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

// shown is a diagnostic as the tests write it: severity, code, and the text that
// it is on.
func (g *stage) shown(d protocol.Diagnostic) string {
	doc := g.snap.Docs[scriptURI]
	start, end := doc.Offsets(d.Range)
	severity := []string{"?", "error", "warning", "info", "hint"}[d.Severity]
	return fmt.Sprintf("%s %v %q", severity, d.Code, doc.Text[start:end])
}

// found are the diagnostics of the open script, without TypeScript's hints.
func (g *stage) found(text string) (shown []string, all []protocol.Diagnostic) {
	g.t.Helper()
	d := g.open(text)
	for _, f := range g.diagnose(g.t.Context(), g.snap, d) {
		if n, ok := f.Code.(protocol.Integer); ok && f.Severity == protocol.DiagnosticSeverityHint && n != 6387 {
			continue
		}
		shown = append(shown, g.shown(f))
		all = append(all, f)
	}
	return shown, all
}

// DIAG-1: each of Code Mode's own, in the place of TypeScript's words.
func TestDiag1(t *testing.T) {
	const ok = "{ owner: '', title: '', state: 'open' }"
	g := newStage(t, able(), "")
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"clean", "const r = await tools.mcp__github__create_issue(" + ok + ");\nreturn r.number", nil},
		{"top-level await and return", "await null;\nreturn 1", nil},
		{"types", "await tools.mcp__github__get_issue({ id: 'x' })", []string{`error 2322 "id"`}},
		{"missing field", "await tools.mcp__github__create_issue({ owner: '' })", []string{`error 2739 "{ owner: '' }"`}},
		{"syntax", "const = 1", []string{`error 1134 "="`, `error 1134 "1"`}},

		{"unknown tool", "await tools.mcp__github__create_isue({})", []string{`error unknown-tool "mcp__github__create_isue"`}},
		{"unknown tool in quotes", "await tools['nope']({})", []string{`error unknown-tool "nope"`}},
		{"of a server that is still connecting", "await tools.mcp__slow__x({})", nil},
		{"of a server that failed", "await tools.mcp__broken__x({})", []string{`error unknown-tool "mcp__broken__x"`}},
		{"a local of that name", "function f(tools: { a(): void }) { tools.a() }\nf({ a() {} })", nil},
		{"harmless members", "return [tools.toString, Object.keys(tools)]", nil},

		{"denied", "await tools.mcp__github__secret({})", []string{`warning denied-tool "mcp__github__secret"`}},
		{"deprecated", "await tools.mcp__github__old({})", []string{`hint deprecated-tool "mcp__github__old"`}},

		{"unawaited", "tools.mcp__github__get_issue({ id: 1 });\nreturn 1", []string{`warning unawaited-call "tools.mcp__github__get_issue"`}},
		{"awaited later", "const p = tools.mcp__github__get_issue({ id: 1 });\nreturn await p", nil},
		{"returned", "return tools.mcp__github__get_issue({ id: 1 })", nil},
		{"together", "const [a, b] = await Promise.all([tools.mcp__github__get_issue({ id: 1 }), tools.mcp__github__get_issue({ id: 2 })]);\nreturn [a, b]", nil},

		{"second argument", "await tools.mcp__github__get_issue({ id: 1 }, true)", []string{`error argument-form "true"`}},
		{"string argument", "await tools.mcp__github__get_issue('x')", []string{`error argument-form "'x'"`}},
		{"array where anything goes", "await tools.mcp__github__old([1])", []string{`hint deprecated-tool "mcp__github__old"`, `error argument-form "[1]"`}},
		{"two words for a member", "await tools.$codemode.store('k', 1)", []string{`error argument-form "'k', 1"`}},
		{"arguments by position", "await tools.mcp__github__get_issue('x', 1, {})", []string{`error argument-form "'x', 1, {}"`}},
		{"the tag of a template", "await tools.mcp__github__get_issue`x${1}y`\nreturn tools.mcp__github__old\n`z`", []string{"error argument-form \"`x${1}y`\"", `hint deprecated-tool "mcp__github__old"`, "error argument-form \"`z`\""}},

		{"lacking", "fetch('x'); setTimeout(() => 1); process.exit(); new WebSocket('x')",
			[]string{`error not-available "fetch"`, `error not-available "setTimeout"`, `error not-available "process"`, `error not-available "WebSocket"`}},
		{"what TypeScript takes for granted", "eval('1'); new Function('x'); const f: Function = () => 1; return f", []string{`error not-available "eval"`, `error not-available "Function"`}},
		{"a local of that name", "const fetch = (x: string) => x; return fetch('y')", nil},
		{"by globalThis", "return globalThis.process", []string{`error not-available "process"`}},
		{"asked for", "return typeof fetch", nil},
		{"another unknown name", "return $('x')", []string{`error 2592 "$"`}},

		{"import", "import fs from 'fs'\nreturn 1", []string{`error no-modules "import fs from 'fs'"`}},
		{"require", "const fs = require('fs'); return fs", []string{`error no-modules "require('fs')"`}},
		{"import()", "return await import('x')", []string{`error no-modules "import('x')"`}},
		{"export", "export const x = 1", []string{`error no-modules "export"`}},
		{"import type (EXEC-16)", "import type { X } from './x';\nconst x: X = 1; return x", nil},
		{"module (EXEC-16)", "export default async () => await tools.mcp__github__get_issue({ id: 1 })", nil},

		{"options (EXEC-15)", "// @options: {\"timeout_ms\": 100}\nreturn 1", nil},
		{"misplaced options", "return 1\n// @options: {\"timeout_ms\": 100}", []string{`error options-misplaced "// @options: {\"timeout_ms\": 100}"`}},
		{"unknown option", "// @options: {\"timeout\": 100}\nreturn 1", []string{`error options-unknown-field "\"timeout\""`}},
		{"wrong option", "// @options: {\"timeout_ms\": \"x\"}\nreturn 1", []string{`error options-wrong-type "\"x\""`}},
		{"empty", "", nil},
		{"uncalled function", "async () => { return 1 }", []string{`warning uncalled-function "async"`}}, // EXEC-19
		{"dropped value of a function", "(async () => { return 5 })()", []string{`warning uncalled-function "(async () => { return 5 })()"`}},
		{"dropped value of a declared function", "async function main() { return 5 }\nmain();", []string{`warning uncalled-function "main();"`}},
		{"dropped value of a function of calls", "(async () => { return await tools.mcp__github__old({}) })();", []string{`warning uncalled-function "(async () => { return await tools.mcp__github__old({}) })();"`, `hint deprecated-tool "mcp__github__old"`}},
		{"dropped value and a lost call", "(async () => { tools.mcp__github__get_issue({ id: 1 }); return 5 })();", []string{`warning uncalled-function "(async () => { tools.mcp__github__get_issue({ id: 1 }); return 5 })();"`, `warning unawaited-call "tools.mcp__github__get_issue"`}},
		{"lowered option", "// @options: {\"timeout_ms\": 2000000000}\nreturn 1", []string{`warning options-lowered "2000000000"`}},
		{"fence", "```ts\nreturn 1\n```", nil},

		{"destructive in a loop", "for (const title of ['a']) await tools.mcp__github__create_issue({ owner: '', title, state: 'open' })",
			[]string{`info destructive-in-loop "mcp__github__create_issue"`}},
		{"sequential", "const all = [];\nfor (const id of [1, 2]) {\n  all.push(await tools.mcp__github__get_issue({ id }))\n}\nreturn all", []string{`hint sequential-awaits "mcp__github__get_issue"`}},
		{"one after another for a reason", "let n = 0;\nfor (const id of [1, 2]) {\n  n += Number(await tools.mcp__github__get_issue({ id: n + id }))\n}\nreturn n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, all := g.found(tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s%v", diff, all)
			}
		})
	}
}

// DIAG-1: JavaScript has the same, and is not asked for types.
func TestDiag1JavaScript(t *testing.T) {
	g := newStage(t, able(), "")
	check := func(text string) (got []string) {
		found, err := analysis.Check(t.Context(), g.engine, g.snap.Workspace, script.Read(text), script.JavaScript)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if f.Severity < int(protocol.DiagnosticSeverityHint) {
				got = append(got, f.Code)
			}
		}
		return got
	}
	for text, want := range map[string]string{
		"function f(x) { return x }\nconst o = {}; o.a = 1\nreturn f(await tools.mcp__github__get_issue({ id: 1 }))": "",
		"return await tools.mcp__github__get_issue({ id: 'x' })":                                                     "2322",
		"return await tools['nope']({})":                                                                             "unknown-tool",
		"const fs = require('fs'); return fs":                                                                        "no-modules",
		"/** @param {number} n */\nconst f = (n) => n; return f('x')":                                                "2345",
		"const x = { a: 1 }; return x.b":                                                                             "2339",
	} {
		if got := strings.Join(check(text), " "); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// DIAG-1: a stable code, a link to its page, words that help.
func TestDiag1Words(t *testing.T) {
	g := newStage(t, able(), "")
	_, all := g.found("await tools.mcp__github__create_isue({})")
	d := all[0]
	if m := string(d.Message.(protocol.String)); !strings.Contains(m, "Did you mean mcp__github__create_issue") {
		t.Errorf("message %q", m)
	}
	if s, _ := d.Source.Get(); s != "codemode" {
		t.Errorf("source %q", s)
	}
	if !strings.Contains(string(d.Data), `"mcp__github__create_issue"`) {
		t.Errorf("data %s", d.Data)
	}
	page := d.CodeDescription.Href.FsPath()
	if text, err := os.ReadFile(page); err != nil || !strings.HasPrefix(string(text), "# unknown-tool\n") {
		t.Errorf("%s: %v", page, err)
	}
	_, all = g.found("await tools.mcp__broken__x({})")
	if m := string(all[0].Message.(protocol.String)); !strings.Contains(m, "Server broken has failed: exit status 1") {
		t.Errorf("message %q", m)
	}
	_, all = g.found("fetch('x')")
	if m := string(all[0].Message.(protocol.String)); !strings.Contains(m, "call a tool") {
		t.Errorf("message %q", m)
	}
	_, all = g.found("await tools.mcp__github__get_issue({ id: 'x' })")
	if r := all[0].RelatedInformation; len(r) != 1 || string(r[0].Location.URI) != g.snap.DeclarationsURI {
		t.Errorf("related %v", r)
	}
}

var (
	declaredCode = regexp.MustCompile(`\b(?:[dD]iagnostic|Code)[A-Z]\w+\s*=\s*"([a-z]+(?:-[a-z]+)*)"`)
	quotedWords  = regexp.MustCompile(`"([a-z]+(?:-[a-z]+)*)"`)
)

// DIAG-1: each code that is declared has a page, and each page has a code.
func TestDiagnosticPages(t *testing.T) {
	declared, said := map[string]bool{}, map[string]bool{}
	for _, folder := range []string{".", "../analysis", "../analysis/configfile", "../script", "../config", "../permission", "../workspace"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range declaredCode.FindAllStringSubmatch(string(source), -1) {
				declared[m[1]] = true
			}
			for _, m := range quotedWords.FindAllStringSubmatch(string(source), -1) {
				said[m[1]] = true
			}
		}
	}
	delete(declared, script.CodeBlank) // an empty script is about to be written
	if len(declared) < 15 {
		t.Errorf("only %d codes are declared", len(declared))
	}
	for code := range declared {
		if text, ok := diagnostics.Page(code); !ok || !strings.HasPrefix(text, "# "+code+"\n") {
			t.Errorf("%s has no page", code)
		}
	}
	pages, err := filepath.Glob(filepath.Join("..", "docs", "diagnostics", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		if code := strings.TrimSuffix(filepath.Base(page), ".md"); !declared[code] && !said[code] {
			t.Errorf("nothing has the code %s", code)
		}
	}
}

// LSP-2: ranges in every encoding and with every line ending.
func TestDiagnosticEncodings(t *testing.T) {
	for _, encoding := range encodings {
		for _, eol := range []string{"\n", "\r\n", "\r"} {
			client := able()
			client.Encoding = encoding
			g := newStage(t, client, "")
			text := strings.Join([]string{"const s = 'ü😀';", "\t/* 😀 */ await tools.mcp__github__get_issue({ id: s });", "/* ü */ await tools.mcp__github__gett({});"}, eol)
			got, _ := g.found(text)
			want := []string{`error 2322 "id"`, `error unknown-tool "mcp__github__gett"`}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %q (-want +got)\n%s", encoding, eol, diff)
			}
		}
	}
}

// The pull side: a full report once, and then no change.
func TestDiagnosticPull(t *testing.T) {
	g := newStage(t, able(), "")
	p := g.at("return nope|")
	params := &protocol.DocumentDiagnosticParams{TextDocument: p.TextDocument}
	report, err := g.documentDiagnostic(t.Context(), g.snap, params)
	if err != nil {
		t.Fatal(err)
	}
	full, ok := report.(*protocol.RelatedFullDocumentDiagnosticReport)
	if !ok || len(full.Items) != 1 || full.ResultID == nil {
		t.Fatalf("%+v", report)
	}
	params.PreviousResultID = full.ResultID
	if report, err = g.documentDiagnostic(t.Context(), g.snap, params); err != nil {
		t.Fatal(err)
	}
	if same, ok := report.(*protocol.RelatedUnchangedDocumentDiagnosticReport); !ok || same.ResultID != *full.ResultID {
		t.Errorf("%+v", report)
	}
}

// Without an engine, what a text alone can tell is told.
func TestDiag1WithoutEngine(t *testing.T) {
	dead := typescript.New(typescript.Options{Command: []string{"/no/such/engine"}})
	rules := permission.NewRules(nil)
	g := newStageWith(t, able(), &workspace.Snapshot{Catalog: testPool(rules), Rules: rules}, dead)
	got, _ := g.found("tools.mcp__github__get_isue({}); tools.hasOwnProperty('x'); fetch('x'); import 'y'")
	want := []string{`error unknown-tool "mcp__github__get_isue"`, `error not-available "fetch"`, `error no-modules "import 'y'"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	got, _ = g.found("const any = tools as any;\nif (any.mcp__github__a) await any.mcp__github__a({});\nconst b = tools.mcp__github__b;\nawait b({});\nawait any.mcp__github__c({});")
	want = []string{`error unknown-tool "mcp__github__b"`, `error unknown-tool "mcp__github__c"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by other names (-want +got)\n%s", diff)
	}
}

// Before the workspace is open nobody knows what tools there are.
func TestDiagnosticsBeforeOpened(t *testing.T) {
	g := newStage(t, able(), "")
	g.session.Edit(func(n *Snapshot) {
		n.Opened = false
		n.Workspace = &workspace.Snapshot{Catalog: testPool(permission.NewRules(nil)), Rules: permission.NewRules(nil)}
	})
	if got, _ := g.found("await tools.mcp__later__x({})"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
