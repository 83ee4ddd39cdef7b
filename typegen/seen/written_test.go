package seen

import (
	"fmt"
	"testing"
)

// TYPE-7: a results.d.ts maps full names to types, however it is written.
func TestParseWritten(t *testing.T) {
	w, err := ParseWritten(`// "mcp__x__no": string
interface Issue { id: number; mcp__x__inner: string }
export interface Results {
  /** Issues { */
  mcp__tracker__list: Array<Issue>
  "mcp__my-server__get"?:
    | { a: Record<string, number>; f(x: string): void }
    | null;
  'mcp__a__b': (x: number) => string, mcp__a__c: "x: }" | ` + "`y`" + `
}
type After = { mcp__a__d: 1 };
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `[mcp__tracker__list=Array<Issue> mcp__my-server__get=| { a: Record<string, number>; f(x: string): void }
    | null mcp__a__b=(x: number) => string mcp__a__c="x: }" | ` + "`y`]"
	var got []string
	for _, e := range w.Entries {
		got = append(got, e.Tool+"="+e.Type)
	}
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
	for _, text := range []string{
		"declare global { var x: any }", "import type { A } from './a'", "declare module 'x' {}", "interface Results {", "}", "} declare const x: 1; namespace Y {",
		"interface Results { a: (1 } )", "/* x", "type A = 'x\n'", "type B = `",
	} {
		if _, err := ParseWritten(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	if w, err := ParseWritten(""); err != nil || len(w.Entries) > 0 {
		t.Error(w, err)
	}
}
