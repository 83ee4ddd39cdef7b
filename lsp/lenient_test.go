package lsp

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/uri"
)

func TestLenientParams(t *testing.T) { // LSP-5
	tests := []struct{ in, want string }{
		{`{"a":null,"b":[{"c":null,"d":16.0},1e0,null],"e":"null 1.0 \" n"}`, `{"b":[{"d":16},1,null],"e":"null 1.0 \" n"}`},
		{`{"x":1.5,"y":-0.0,"z":1e400,"w":1.60e1}`, `{"x":1.5,"y":0,"z":1e400,"w":16}`},
		{`{"arguments":{"a":null,"n":1.0},"input":null,"settings":null,"text":null}`, `{"arguments":{"a":null,"n":1.0},"input":null}`},
		{`{ "text": "\u0041\\", "n": true, "v": null }`, `{"text":"\u0041\\","n":true}`},
		{`{"text":"nothing 1.0","line":3}`, `{"text":"nothing 1.0","line":3}`},
	}
	for _, tt := range tests {
		if got := string(lenient([]byte(tt.in))); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
}

func FuzzLenientParams(f *testing.F) { // LSP-5
	f.Add([]byte(`{"a":null,"arguments":{"b":null,"c":1.0},"d":"\\\"null","e":[1e0]}`))
	f.Fuzz(func(t *testing.T, params []byte) {
		if !jsontext.Value(params).IsValid() {
			return
		}
		got := jsontext.Value(lenient(params))
		if !got.IsValid() {
			t.Fatalf("%q became %q", params, got)
		}
		if again := lenient(got); string(again) != string(got) {
			t.Fatalf("%q, then %q", got, again)
		}
	})
}

func BenchmarkLenientLargeChange(b *testing.B) {
	params := []byte(`{"textDocument":{"uri":"file:///a","version":2},"contentChanges":[{"text":"` + strings.Repeat(`const a = \"b\";\n`, 60000) + `"}]}`)
	b.SetBytes(int64(len(params)))
	for b.Loop() {
		lenient(params)
	}
}

func TestLenientSync(t *testing.T) { // LSP-5
	const u = "file:///w/a.exec.ts"
	open := fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"typescript","version":1,"text":"return 1"}}`, u)
	full := `"contentChanges":[{"text":"return 3"}]`
	tests := []struct{ name, version, changes, want string }{ // want "" is: unusable
		{"range null", `2`, `"contentChanges":[{"range":null,"rangeLength":null,"text":"return 3"}]`, "return 3"},
		{"version null", `null`, full, "return 3"},
		{"version 2.0", `2.0`, full, "return 3"},
		{"version that is none", `"x"`, full, "return 3"},
		{"floats in a range", `2`, `"contentChanges":[{"range":{"start":{"line":0.0,"character":7e0},"end":{"line":0,"character":8.0}},"text":"3"}]`, "return 3"},
		{"no end", `2`, `"contentChanges":[{"range":{"start":{"line":0,"character":7}},"text":"3"}]`, ""},
		{"end null", `2`, `"contentChanges":[{"range":{"start":{"line":0,"character":7},"end":null},"text":"3"}]`, ""},
		{"text null", `2`, `"contentChanges":[{"text":null}]`, ""},
		{"a fraction", `2`, `"contentChanges":[{"range":{"start":{"line":0,"character":7.5},"end":{"line":0,"character":8}},"text":"3"}]`, ""},
		{"no changes", `2`, `"contentChanges":null`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := initialized(t, newFakeWorkspace(t, echo), `{}`)
			c.notify("textDocument/didOpen", open)
			c.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%s},%s}`, u, tt.version, tt.changes))
			exec := fmt.Sprintf(`{"textDocument":{"uri":%q,"version":null},"input":null}`, u)
			if tt.want != "" {
				if got := c.call("codemode/exec", exec).ok(); !strings.Contains(got, tt.want) {
					t.Errorf("ran %s", got)
				}
				return
			}
			c.call("codemode/exec", exec).fails(-32602)
			c.call("textDocument/hover", fmt.Sprintf(`{"textDocument":{"uri":%q},"position":{"line":0.0,"character":1}}`, u)).fails(-32602)
			c.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":3},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":" "}]}`, u))
			c.call("codemode/exec", exec).fails(-32602)
			c.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":4},%s}`, u, full))
			if got := c.call("codemode/exec", exec).ok(); !strings.Contains(got, "return 3") {
				t.Errorf("after a whole text, ran %s", got)
			}
		})
	}
}

func TestOneFolderHasOnePath(t *testing.T) { // LSP-5
	var got []string
	for _, u := range []string{"file:///w", "file:///w/", "file:///w/x/..", "file:///%77/", "file:///w//"} {
		got = appendFolder(got, uri.URI(canonicalURI(u)))
	}
	if len(got) != 1 {
		t.Errorf("folders: %q", got)
	}
}

// LSP-5: a message that is lost and may have been a change takes documents out of use;
// another one does not. Each document says so, once, and the person is told once.
func TestLostChanges(t *testing.T) {
	open := func(u string) string {
		return fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"typescript","version":1,"text":"return 1"}}`, u)
	}
	change := `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///w/a.exec.ts","version":2},"contentChanges":[{"text":"return 2"}]}}`
	paramsFirst := `{"params":{"contentChanges":[{"text":"return 2"}],"textDocument":{"uri":"file:///w/a.exec.ts"}},"method":"textDocument/didChange","jsonrpc":"2.0"}`
	tests := []struct {
		name, raw string
		lost      bool
	}{
		{"cut", frame(change[:len(change)-3]), true},
		{"cut before its method", frame(paramsFirst[:len(paramsFirst)-50]), true},
		{"shorter than announced", strings.Replace(frame(change), "Length: ", "Length: 1", 1) + strings.Repeat("x", 1000) + "\r\n", true},
		{"longer than announced", "Content-Length: 20\r\n\r\n" + change + "\r\n", true},
		{"a broken header", "Content-Length: nine\r\n\r\n" + change + "\r\n" + frame("{"), true},
		{"another method", frame(`{"jsonrpc":"2.0","method":"textDocument/hover","params":{`), false},
		{"no message", frame("hello"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := initialized(t, newFakeWorkspace(t, echo), `{}`)
			for _, name := range []string{"a", "b"} {
				c.notify("textDocument/didOpen", open("file:///w/"+name+".exec.ts"))
			}
			if _, err := io.WriteString(c.conn, tt.raw); err != nil {
				t.Fatal(err)
			}
			answer := c.call("codemode/exec", `{"textDocument":{"uri":"file:///w/a.exec.ts"}}`)
			if !tt.lost {
				answer.ok()
				return
			}
			answer.fails(-32602)
			if m := c.notification("window/showMessage"); !strings.Contains(string(m.Params), "a.exec.ts, b.exec.ts") {
				t.Errorf("told: %s", m.Params)
			}
			c.await("the diagnostic", func(m message) bool {
				return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), `"out-of-step"`) && strings.Contains(string(m.Params), "b.exec.ts")
			})
			pulled := c.call("textDocument/diagnostic", `{"textDocument":{"uri":"file:///w/a.exec.ts"}}`).ok()
			if strings.Count(pulled, `"message"`) != 1 || !strings.Contains(pulled, "out-of-step") {
				t.Errorf("pulled: %s", pulled)
			}
			c.notify("textDocument/didOpen", open("file:///w/a.exec.ts"))
			c.call("codemode/exec", `{"textDocument":{"uri":"file:///w/a.exec.ts"}}`).ok()
		})
	}
}

func TestWholeNumberIDs(t *testing.T) { // LSP-5
	for in, want := range map[string]string{"7.0": "7", "7e0": "7", "7": "7", "-1.0": "-1", `"7.0"`: `"7.0"`, "7.5": "", "1e400": ""} {
		body, refused := wellFormed([]byte(`{"jsonrpc":"2.0","id":` + in + `,"method":"m","params":{"a":1,"a":2.0}}`))
		id, _ := readID([]byte(in))
		switch {
		case (want == "") != (refused != nil):
			t.Errorf("%s: refused %v", in, refused)
		case want != "" && (!strings.Contains(string(body), `"id":`+want+`,`) || !strings.Contains(string(body), `"a":2.0`)):
			t.Errorf("%s became %s", in, body)
		case want != "" && !id.IsValid():
			t.Errorf("$/cancelRequest does not take %s", in)
		}
	}
}
