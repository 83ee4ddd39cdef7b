package cassette

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// sample is a cassette with everything in it.
func sample() *Cassette {
	return &Cassette{
		Version: Version, Script: "all.exec.ts",
		Calls: []Call{
			{Tool: "mcp__demo__add", Server: "demo", Arguments: jsontext.Value(`{"b": 2, "a": 1e0}`), Status: Completed, Value: jsontext.Value(`{"z":1,"a":9007199254740993}`)},
			{Tool: "mcp__demo__fail", Server: "demo", Arguments: jsontext.Value(`{}`), Status: Failed, Error: &Error{Message: "no", Code: "TOOL_ERROR", Structured: jsontext.Value(`{"why":"\ud800"}`)}},
			{Tool: "mcp__demo__shot", Server: "demo", Arguments: jsontext.Value(`{"s":"` + "\u0085\u202e\u2028\x7f" + `"}`), Status: Completed, Value: jsontext.Value(`null`), Attachments: []Attachment{{Type: "image", MIMEType: "image/png", Data: "AAAA"}}},
			{Tool: "mcp__demo__slow", Server: "demo", Arguments: jsontext.Value(`{}`), Status: Cancelled},
			{Tool: "$codemode.load", Arguments: jsontext.Value(`{"key":"k"}`), Status: Completed, Value: jsontext.Value(`"v"`)},
		},
		Answered: []int{1, 0, 2, 3, 4},
		Result:   &Result{Status: "completed", Value: jsontext.Value(`[1]`), Output: []Attachment{{Type: "text", Text: "t"}}},
	}
}

func TestEncodeKeepsEverything(t *testing.T) { // REC-1
	text, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []string{`"\u0085\u202e\u2028\u007f"`, `9007199254740993`, `"\ud800"`, "\n      \"arguments\": {\n        \"b\": 2,"} {
		if !strings.Contains(string(text), wanted) {
			t.Errorf("the text has no %s:\n%s", wanted, text)
		}
	}
	c, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(again)); diff != "" {
		t.Errorf("read and written again, the text differs:\n%s", diff)
	}
	p, q := NewPlayer(sample()), NewPlayer(c)
	for _, call := range sample().Calls {
		i, _, err := p.Take(call.Tool, call.Arguments)
		j, _, err2 := q.Take(call.Tool, call.Arguments)
		if i != j || err != nil || err2 != nil {
			t.Errorf("%s: %d, %v as recorded, %d, %v from the file", call.Tool, i, err, j, err2)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	call := func(rest string) string {
		return `{"cassette":1,"calls":[{"tool":"t","arguments":{},` + rest + `}]}`
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {" \n", "empty"},
		"no JSON":             {"{\n  \"cassette\": 1,\n  \"calls\": [}\n", "line 3, column 13"},
		"cut off":             {`{"cassette":1,"calls":[{"tool"`, "line 1"},
		"no object":           {`[1]`, "not a cassette"},
		"another file":        {`{"name":"x"}`, `no member "cassette"`},
		"newer":               {`{"cassette":2,"tracks":[]}`, "format 2"},
		"unknown member":      {"{\"cassette\":1,\n\"calls\":[{\"tool\":\"t\",\"argumnets\":{}}]}", "calls.0.argumnets"},
		"wrong type":          {`{"cassette":1,"calls":{}}`, "calls"},
		"no tool":             {`{"cassette":1,"calls":[{"arguments":{},"status":"completed"}]}`, `no "tool"`},
		"no arguments":        {`{"cassette":1,"calls":[{"tool":"t","status":"completed"}]}`, "arguments"},
		"unknown status":      {call(`"status":"done"`), "completed, failed"},
		"error without":       {call(`"status":"failed"`), `"error"`},
		"completed and error": {call(`"status":"completed","error":{"message":"m"}`), `"value"`},
		"cancelled and value": {call(`"status":"cancelled","value":1`), "neither"},
		"answered out":        {`{"cassette":1,"answered":[1],"calls":[{"tool":"t","arguments":{},"status":"completed"}]}`, "answered"},
		"answered short":      {`{"cassette":1,"answered":[],"calls":[{"tool":"t","arguments":{},"status":"completed"}]}`, "0 of 1"},
		"result":              {`{"cassette":1,"calls":[],"result":{}}`, "status"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something about %q", err, c.want)
			}
		})
	}
}

func TestFileIsPrivateWholeAndCareful(t *testing.T) { // REC-1
	dir := t.TempDir()
	root := func() *os.Root {
		r, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	f, err := Create(root(), "c.json")
	if err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("a run that lists the folder would see %v", entries)
	}
	if err := f.Commit(sample()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "c.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}

	f, err = Create(root(), "c.json") // a cassette may be recorded again
	if err != nil {
		t.Fatal(err)
	}
	f.Abort()
	before, err := Open(root(), "c.json")
	if err != nil || len(before.Calls) != len(sample().Calls) {
		t.Errorf("after an abort: %v", err)
	}

	work := filepath.Join(dir, "work.json")
	if err := os.WriteFile(work, []byte(`{"mine":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(root(), "work.json"); err == nil || !strings.Contains(err.Error(), "not overwritten") {
		t.Errorf("a file of a person: %v", err)
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, name := range []string{"out/c.json", "../c.json", "no/c.json", "out", "."} {
		if f, err := Create(root(), name); err == nil {
			f.Abort()
			t.Errorf("%s can be recorded to", name)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("outside: %v, %v", entries, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("something is left: %v, %v", entries, err)
	}
	// A link in place of the file is replaced, not followed.
	if err := os.Symlink(filepath.Join(outside, "target.json"), filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	if f, err := Create(root(), "link.json"); err == nil {
		if err := f.Commit(sample()); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(outside, "target.json")); err == nil {
		t.Error("written through a link that leads outside")
	}
}
