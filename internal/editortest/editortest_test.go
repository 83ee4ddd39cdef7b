package editortest

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"toy-server": toyServer})
}

// TestScenarios runs every command of the language against a toy server.
func TestScenarios(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"), RequireExplicitExec: true,
		Setup: Setup, Cmds: Commands(),
	})
}

// toyServer answers as little as the scenarios need: it knows the text of one
// document, marks every "bad" in it, and asks before it runs it.
func toyServer() {
	in := bufio.NewReader(os.Stdin)
	send := func(format string, args ...any) {
		body := fmt.Sprintf(format, args...)
		fmt.Printf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	var uri, text, asked string
	method := "window/showMessageRequest"
	for {
		m, err := readMessage(in)
		if err != nil {
			os.Exit(3)
		}
		answer := func(result string) { send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result) }
		switch m.Method {
		case "initialize":
			if strings.Contains(string(m.Params), `"permission":true`) {
				method = "codemode/permission"
			}
			answer(`{"capabilities":{"positionEncoding":"utf-32"}}`)
		case "initialized":
			send(`{"jsonrpc":"2.0","id":"c","method":"workspace/configuration","params":{"items":[{"section":"codemode"},{"section":"other"}]}}`)
		case "textDocument/didOpen", "textDocument/didChange":
			var p struct {
				TextDocument struct{ URI, Text string } `json:"textDocument"`
				Changes      []struct {
					Range Range  `json:"range"`
					Text  string `json:"text"`
				} `json:"contentChanges"`
			}
			if err := json.Unmarshal(m.Params, &p, json.MatchCaseInsensitiveNames(true)); err != nil {
				os.Exit(4)
			}
			uri = p.TextDocument.URI
			if m.Method == "textDocument/didOpen" {
				text = p.TextDocument.Text
			}
			for _, c := range p.Changes { // one line of UTF-32
				r := []rune(text)
				text = string(r[:c.Range.Start.Character]) + c.Text + string(r[c.Range.End.Character:])
			}
			var found []string
			if i := strings.Index(text, "bad"); i >= 0 {
				at := len([]rune(text[:i]))
				found = append(found, fmt.Sprintf(`{"range":{"start":{"line":0,"character":%d},"end":{"line":0,"character":%d}},"severity":1,"code":"toy","message":"this is bad"}`, at, at+3))
			}
			send(`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":%q,"diagnostics":[%s]}}`, uri, strings.Join(found, ","))
		case "textDocument/completion":
			answer(`[{"label":"b","tags":[1],"labelDetails":{"detail":": x"}},{"label":"a","sortText":"z","insertText":"alpha"}]`)
		case "codemode/exec":
			asked = string(m.ID)
			send(`{"jsonrpc":"2.0","id":"p","method":%q,"params":{"message":"Allow it?","actions":[{"title":"Allow once"},{"title":"Deny"}]}}`, method)
		case "$/cancelRequest":
			send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"p"}}`)
			send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32800,"message":"cancelled"}}`, asked)
			asked = ""
		case "toy/show":
			send(`{"jsonrpc":"2.0","id":"s","method":"window/showDocument","params":{"uri":%q}}`, uri)
			answer(`"params: ` + strings.ReplaceAll(string(m.Params), `"`, `'`) + `"`)
		case "shutdown":
			answer("null")
		case "exit":
			os.Exit(0)
		case "":
			reply := m.Result
			if m.Error != nil {
				reply = jsontext.Value(fmt.Sprintf(`"error %d"`, m.Error.Code))
			}
			if string(m.ID) == `"p"` && asked != "" {
				value, _ := json.Marshal(string(reply))
				send(`{"jsonrpc":"2.0","id":%s,"result":{"status":"completed","text":%s,"value":[1]}}`, asked, value)
			}
			if string(m.ID) == `"c"` {
				send(`{"jsonrpc":"2.0","method":"toy/settings","params":%s}`, reply)
			}
		default:
			if m.ID != nil {
				send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
			}
		}
	}
}

// A profile's capabilities are JSON, and its name is found.
func TestProfiles(t *testing.T) {
	for _, p := range Profiles {
		if v := jsontext.Value(p.Capabilities); !v.IsValid() || v.Kind() != '{' {
			t.Errorf("%s: capabilities are not an object", p.Name)
		}
		if got, err := FindProfile(p.Name); err != nil || got.Name != p.Name {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if _, err := FindProfile("ed"); err == nil || !strings.Contains(err.Error(), "neovim") {
		t.Errorf("an unknown profile: %v", err)
	}
}

// Positions in all encodings, there and back.
func TestPositions(t *testing.T) {
	const text = "a😀ä\r\n€\rb\n"
	for encoding, want := range map[string][]Position{
		"utf-8":  {{0, 0}, {0, 1}, {0, 5}, {0, 7}, {1, 0}, {1, 3}, {2, 0}, {2, 1}, {3, 0}},
		"utf-16": {{0, 0}, {0, 1}, {0, 3}, {0, 4}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}},
		"utf-32": {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}},
	} {
		e := &Editor{encoding: encoding}
		for i, offset := range []int{0, 1, 5, 7, 9, 12, 13, 14, 15} {
			if got := e.position(text, offset); got != want[i] {
				t.Errorf("%s: offset %d is at %v, want %v", encoding, offset, got, want[i])
			}
			if got := e.offset(text, want[i]); got != offset {
				t.Errorf("%s: %v is offset %d, want %d", encoding, want[i], got, offset)
			}
		}
	}
}
