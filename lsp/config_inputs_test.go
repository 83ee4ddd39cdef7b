package lsp

import (
	"slices"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/analysis/configfile"
	"codemode-ls/config"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// CFG-1, MCP-2: an input that the file does not declare is reported where it
// stands, and not as one that waits for an answer; its fixes leave nothing to
// report.
func TestCFG1UndeclaredInput(t *testing.T) {
	const pulls = `{"workspace":{"diagnostics":{"refreshSupport":true}},"textDocument":{"diagnostic":{},"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["quickfix"]}}}}}`
	failed := func(servers []config.Server) (all []upstream.Status) {
		for _, s := range servers {
			all = append(all, upstream.Status{Server: s, State: upstream.Failed})
		}
		return all
	}
	for _, tt := range []struct{ name, file, text, want, title, after string }{
		{
			"misspelled", ".vscode/mcp.json",
			"{ \"inputs\": [{\"id\": \"api-key\", \"type\": \"promptString\"}],\n\"servers\": { \"s\": { \"command\": \"x\", \"args\": [\"😀 ${input:api-kee}\", \"${input:api-key}\"] } } }",
			`1:49-1:65 2 undeclared-input The file declares no input "api-kee". Did you mean "api-key"?|1:13-1:16 2 input-needed This server needs an answer before it can be started: api-key`,
			"Change to api-key",
			"{ \"inputs\": [{\"id\": \"api-key\", \"type\": \"promptString\"}],\n\"servers\": { \"s\": { \"command\": \"x\", \"args\": [\"😀 ${input:api-key}\", \"${input:api-key}\"] } } }",
		},
		{
			"no inputs", ".codemode/mcp.json",
			"{ \"mcpServers\": {\n\"s\": { \"url\": \"https://${input:host}.example.com\" } } }",
			`1:23-1:36 2 undeclared-input The file declares no input "host". It is asked for by its name alone, and the server is not started before it is answered.`,
			"Declare input host",
			"{\n  \"inputs\": [\n    { \"type\": \"promptString\", \"id\": \"host\", \"description\": \"host\", \"password\": true }\n  ], \"mcpServers\": {\n\"s\": { \"url\": \"https://${input:host}.example.com\" } } }",
		},
		{
			"other inputs", ".vscode/mcp.json",
			"{ \"inputs\": [{\"id\": \"mode\", \"type\": \"promptString\"}],\r\n\"servers\": { \"s\": { \"command\": \"${input:key}\" } } }",
			`1:32-1:44 2 undeclared-input The file declares no input "key". It is asked for by its name alone, and the server is not started before it is answered.`,
			"Declare input key",
			"{ \"inputs\": [\r\n    { \"type\": \"promptString\", \"id\": \"key\", \"description\": \"key\", \"password\": true },{\"id\": \"mode\", \"type\": \"promptString\"}],\r\n\"servers\": { \"s\": { \"command\": \"${input:key}\" } } }",
		},
		{
			"declared", ".vscode/mcp.json",
			"{ \"inputs\": [{\"id\": \"key\", \"type\": \"promptString\"}],\n\"servers\": { \"s\": { \"command\": \"${input:key}\" } } }",
			`1:13-1:16 2 input-needed This server needs an answer before it can be started: key`, "", "",
		},
		{"a dialect without", ".mcp.json", "{ \"mcpServers\": {\n\"s\": { \"command\": \"x\", \"args\": [\"input:key\"] } } }", `1:0-1:3 1 server-failed This server has failed: `, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _, u := configClient(t, pulls, tt.file, tt.text, failed)
			pulled := func() []string {
				var p struct {
					Items jsontext.Value `json:"items"`
				}
				if err := json.Unmarshal([]byte(c.call("textDocument/diagnostic", `{"textDocument":{"uri":"`+u+`"}}`).ok()), &p); err != nil {
					t.Fatal(err)
				}
				return shownDiagnostics(t, p.Items)
			}
			got := pulled()
			want := strings.Split(tt.want, "|")
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%q\nwant %q", got, want)
			}
			if tt.title == "" {
				return
			}
			place, _, _ := strings.Cut(got[len(got)-1], "-")
			line, character, _ := strings.Cut(place, ":")
			var actions []struct {
				Title string `json:"title"`
				Edit  struct {
					Changes map[string][]jsontext.Value `json:"changes"`
				} `json:"edit"`
			}
			raw := c.call("textDocument/codeAction", `{"textDocument":{"uri":"`+u+`"},"range":{"start":{"line":`+line+`,"character":`+character+`},"end":{"line":`+line+`,"character":`+character+`}},"context":{"diagnostics":[]}}`).ok()
			if err := json.Unmarshal([]byte(raw), &actions); err != nil {
				t.Fatal(err)
			}
			for _, a := range actions {
				if a.Title != tt.title {
					continue
				}
				var edit protocol.TextEdit
				if err := protocol.Unmarshal(a.Edit.Changes[u][0], &edit); err != nil {
					t.Fatal(err)
				}
				start, end := analysis.NewDocument(u, 1, "", tt.text, "").Offsets(edit.Range)
				after := tt.text[:start] + edit.NewText + tt.text[end:]
				if after != tt.after {
					t.Errorf("%q", after)
				}
				quoted, err := json.Marshal(after)
				if err != nil {
					t.Fatal(err)
				}
				c.notify("textDocument/didChange", `{"textDocument":{"uri":"`+u+`","version":2},"contentChanges":[{"text":`+string(quoted)+`}]}`)
				for _, d := range pulled() {
					if strings.Contains(d, configfile.DiagnosticUndeclaredInput) {
						t.Error(d)
					}
				}
				return
			}
			t.Errorf("no %q in %s", tt.title, raw)
		})
	}
}
