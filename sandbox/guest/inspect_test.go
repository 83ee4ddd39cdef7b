package guest

import (
	"encoding/json"
	"os"
	"testing"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// newTestRealm is a realm in this process: for scripts of our own alone.
func newTestRealm(t *testing.T) (*realm, *recorder) {
	t.Helper()
	rec := &recorder{}
	r := newRealm(rec)
	r.begin(frame.Bounds{MaxConcurrent: 8, LogChars: 1 << 20, LogEntries: 10_000, ValueBytes: 64 << 20}, nil, nil)
	return r, rec
}

// recorder is an outlet that keeps the console's output.
type recorder struct{ logs []string }

func (r *recorder) log(_, text string) { r.logs = append(r.logs, text) }

func (r *recorder) call(int, string, []byte, *script.Position) {}

// inspectAsNode prints each value as Node does.
const inspectAsNode = `
const vm = require('node:vm');
const cases = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(cases.map(({ code }) => {
  const v = vm.runInThisContext('(' + code + ')');
  return typeof v === 'string' ? v : require('node:util').inspect(v, { depth: 6 });
})));`

// EXEC-8: values print as Node's util.inspect prints them (depth 6). The
// expectations in testdata/inspect.json were written by Node 20, and are compared
// with the Node that is there. "ours" is where we differ on purpose: an object
// without a prototype, as every result of a tool is, prints as an ordinary one; no
// getter of the script runs; iterators are not looked into.
func TestExec8InspectLikeNode(t *testing.T) {
	data, err := os.ReadFile("testdata/inspect.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Code, Want, Ours string }
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		r, rec := newTestRealm(t)
		f := r.runText("console.log(("+c.Code+"));", script.JavaScript)
		if f.Status != frame.Completed {
			t.Errorf("%s: %s: %+v", c.Code, f.Status, f.Error)
			continue
		}
		want := c.Want
		if c.Ours != "" {
			want = c.Ours
		}
		if len(rec.logs) != 1 || rec.logs[0] != want {
			t.Errorf("%s\n got: %s\nwant: %s", c.Code, rec.logs[0], want)
		}
	}
	printed := answersOfNode(t, inspectAsNode, data)
	if printed == nil {
		return
	}
	for i, c := range cases {
		if printed[i] != c.Want {
			t.Logf("%s\nthis Node: %s\nthe file: %s", c.Code, printed[i], c.Want)
		}
	}
}
