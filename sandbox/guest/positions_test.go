package guest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"codemode-ls/script"
)

// asNode gives for each script where Node says that its error was made.
const asNode = `
const vm = require('node:vm');
const cases = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
(async () => {
  const places = [];
  for (const { code } of cases) {
    const f = new vm.Script('(async function(){\n' + code + '\n})', { filename: 'script.js', lineOffset: -1 }).runInThisContext();
    let place = 'none';
    try { await f() } catch (e) {
      const frames = String(e.stack).split('\n    at ').slice(1).join('\n');
      const m = /script\.js:(\d+:\d+)/.exec(frames);
      if (m) place = m[1];
    }
    places.push(place);
  }
  console.log(JSON.stringify(places));
})()`

type positionCase struct {
	Code string
	Node string // line:column that Node 20 gives, from 1
	Ours string // where goja differs, or LSP: U+2028 ends no line
}

// EXEC-11: an error is where Node says that it is, through the transpiler, in
// async functions, callbacks, getters, generators, class fields and so on. The
// exceptions are written down in testdata/positions.json: goja points at another
// part of the same expression, or, in an expression of literals alone, at nothing.
func TestExec11PositionsLikeNode(t *testing.T) {
	data, err := os.ReadFile("testdata/positions.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []positionCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, l := range []script.Language{script.JavaScript, script.TypeScript} {
			r, _ := newTestRealm(t)
			f := r.runText(c.Code, l)
			got := "none"
			if f.Error == nil {
				t.Errorf("%q did not fail: %s", c.Code, f.Status)
				continue
			}
			if at := f.Error.At; at != nil {
				got = fmt.Sprintf("%d:%d", at.Line+1, at.Character+1)
			}
			want := c.Node
			if c.Ours != "" {
				want = c.Ours
			}
			if got != want {
				t.Errorf("%q in %s: at %s, want %s", c.Code, l, got, want)
			}
		}
	}

	// The file says what Node says.
	places := answersOfNode(t, asNode, data)
	if places == nil {
		return
	}
	for i, c := range cases {
		if places[i] != c.Node {
			t.Logf("%q: this Node says %s, the file %s", c.Code, places[i], c.Node)
		}
	}
}

// EXEC-11: what the engine says in its own terms is said in the author's.
func TestExec11Words(t *testing.T) {
	for code, want := range map[string]string{
		"null.b":                    "Cannot read property 'b' of undefined or null",
		"const o = {}; o.go()":      "go is not a function: the object has no such member",
		"const a = 1; a()":          "1 is not a function or not an object",
		"const { b } = null":        "undefined or null cannot be destructured or made an object",
		"throw new Error('null.b')": "null.b",
	} {
		r, _ := newTestRealm(t)
		f := r.runText(code, script.JavaScript)
		if f.Error == nil || f.Error.Message != want || !strings.Contains(f.Error.Stack, want) {
			t.Errorf("%s: %+v", code, f.Error)
		}
	}
}

// EXEC-11: what is taken apart and cannot be has its place, also when it is written
// there itself.
func TestExec11PositionsOfLiterals(t *testing.T) {
	for _, code := range []string{"const { a } = null", "const [a] = null", "const { a } = undefined", "const [a] = 5", "for (const x of 5) x", "for (const x of null) x", "[1, ...null]"} {
		r, _ := newTestRealm(t)
		e := r.runText("const n = [1].map((x) => x);\nconst m = n.length;\n"+code, script.JavaScript).Error
		if e == nil || e.Name != "TypeError" || e.At == nil || e.At.Line != 2 || e.At.Character == 0 {
			t.Errorf("%s: %+v", code, e)
		}
	}
}
