package guest

import (
	"encoding/json"
	"os"
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// localeAsNode gives for each expression its JSON, or what it throws.
const localeAsNode = `
const vm = require('node:vm');
const cases = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(cases.map(({ code }) => {
  try { return JSON.stringify(vm.runInThisContext('(' + code + ')')) ?? 'undefined' } catch (e) { return String(e) }
})));`

// EXEC-17: numbers, dates, lists and so on are written in English as Node 20 writes
// them, in testdata/locale.json, but for the cases that have "ours": there we leave
// out what no author needs, such as a narrow space.
func TestExec17LocaleLikeNode(t *testing.T) {
	data, err := os.ReadFile("testdata/locale.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Code, Node, Ours string }
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		r, _ := newTestRealm(t)
		f := r.runText("try { return JSON.stringify("+c.Code+") ?? 'undefined' } catch (e) { return String(e) }", script.JavaScript)
		var got string
		if f.Status != frame.Completed || json.Unmarshal(f.Value, &got) != nil {
			t.Errorf("%s: %s %+v", c.Code, f.Status, f.Error)
			continue
		}
		want := c.Node
		if c.Ours != "" {
			want = c.Ours
		}
		if got != want {
			t.Errorf("%s\n got: %s\nwant: %s", c.Code, got, want)
		}
	}
	said := answersOfNode(t, localeAsNode, data, "TZ=UTC", "LANG=en_US.UTF-8")
	if said == nil {
		return
	}
	for i, c := range cases {
		if said[i] != c.Node {
			t.Logf("%s\nthis Node: %s\nthe file: %s", c.Code, said[i], c.Node)
		}
	}
}
