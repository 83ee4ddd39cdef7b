package sandbox

import (
	"encoding/json"
	"os"
	"testing"

	"codemode-ls/script"
)

// newTestRealm is a realm in this process: for scripts of our own alone.
func newTestRealm(t *testing.T) (*realm, *recorder) {
	t.Helper()
	rec := &recorder{}
	r := newRealm(rec)
	r.begin(bounds{MaxConcurrent: 8, LogChars: 1 << 20, LogEntries: 10_000, ValueBytes: 64 << 20}, nil, nil)
	return r, rec
}

// recorder is an outlet that keeps the console's output.
type recorder struct{ logs []string }

func (r *recorder) log(_, text string) { r.logs = append(r.logs, text) }

func (r *recorder) call(int, string, []byte, *script.Position) {}

// EXEC-8: values print as Node's util.inspect prints them (depth 6). The
// expectations in testdata/inspect.json were written by Node 20.
func TestExec8InspectLikeNode(t *testing.T) {
	data, err := os.ReadFile("testdata/inspect.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Code, Want string }
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		r, rec := newTestRealm(t)
		f := r.runText("console.log(("+c.Code+"));", script.JavaScript)
		if f.Status != Completed {
			t.Errorf("%s: %s: %+v", c.Code, f.Status, f.Error)
			continue
		}
		if len(rec.logs) != 1 || rec.logs[0] != c.Want {
			t.Errorf("%s\n got: %s\nwant: %s", c.Code, rec.logs[0], c.Want)
		}
	}
}
