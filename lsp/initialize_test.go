package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

type initializeResult struct {
	Capabilities struct {
		PositionEncoding       string         `json:"positionEncoding"`
		DiagnosticProvider     jsontext.Value `json:"diagnosticProvider"`
		ExecuteCommandProvider struct {
			Commands []string `json:"commands"`
		} `json:"executeCommandProvider"`
		TextDocumentSync struct {
			OpenClose bool `json:"openClose"`
			Change    int  `json:"change"`
		} `json:"textDocumentSync"`
		Experimental struct {
			Codemode Offer `json:"codemode"`
		} `json:"experimental"`
	} `json:"capabilities"`
}

func initialize(t *testing.T, params string) (initializeResult, *testClient) {
	t.Helper()
	c := connect(t, newFakeWorkspace(t, echo))
	var r initializeResult
	raw := c.call("initialize", params).ok()
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		t.Fatal(err)
	}
	return r, c
}

func TestCapabilities(t *testing.T) {
	r, _ := initialize(t, `{"capabilities":{"general":{"positionEncodings":["utf-8","utf-16"]},"textDocument":{"diagnostic":{}}}}`)
	got := r.Capabilities
	if got.PositionEncoding != "utf-8" || got.DiagnosticProvider == nil || got.TextDocumentSync.Change != 2 || !got.TextDocumentSync.OpenClose {
		t.Errorf("%+v", got)
	}
	if got.Experimental.Codemode.ProtocolVersion != 1 || !slices.Contains(got.Experimental.Codemode.Methods, "codemode/exec") {
		t.Errorf("%+v", got.Experimental)
	}
	// LENS-1: every command of a lens can be run by a client that knows nothing.
	for _, name := range []string{"codemode.run", "codemode.dryRun", "codemode.stop", "codemode.setPermission", "codemode.showRun"} {
		if !slices.Contains(got.ExecuteCommandProvider.Commands, name) {
			t.Errorf("%s is not listed", name)
		}
	}
	r, _ = initialize(t, `{"capabilities":{}}`)
	if r.Capabilities.PositionEncoding != "utf-16" || r.Capabilities.DiagnosticProvider != nil {
		t.Errorf("%+v", r.Capabilities)
	}
}

// A client with odd capabilities can start, with the others of them in force.
func TestOddInitialize(t *testing.T) {
	for _, params := range []string{
		`{"processId":"7","capabilities":{"general":{"positionEncodings":["utf-8"]}}}`,
		`{"capabilities":{"general":{"positionEncodings":["utf-8"],"markdown":[]},"textDocument":{"hover":7},"window":false}}`,
		`{"capabilities":{"general":{"positionEncodings":["utf-8"]},"workspace":{"configuration":"yes"}},"workspaceFolders":{}}`,
		`{"capabilities":{"general":{"positionEncodings":["utf-8"]},"experimental":[]},"rootUri":7,"clientInfo":"me"}`,
	} {
		r, c := initialize(t, params)
		if r.Capabilities.PositionEncoding != "utf-8" {
			t.Errorf("%s: %+v", params, r.Capabilities)
		}
		c.alive()
	}
	for _, params := range []string{`[]`, `{"capabilities":7}`, `null`} {
		initialize(t, params)
	}
}

// wholeCapabilities has every object that is read of a client's capabilities.
const wholeCapabilities = `{
	"general":{"positionEncodings":["utf-16"]},
	"textDocument":{
		"completion":{"completionList":{"itemDefaults":["editRange"]},"completionItem":{"documentationFormat":["markdown"],"tagSupport":{"valueSet":[1]},"resolveSupport":{"properties":["detail"]}}},
		"hover":{"contentFormat":["markdown"]},
		"signatureHelp":{"signatureInformation":{"documentationFormat":["markdown"],"parameterInformation":{"labelOffsetSupport":true}}},
		"definition":{"linkSupport":true},"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},"rename":{"prepareSupport":true},
		"foldingRange":{"rangeLimit":9},"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["quickfix"]}}},
		"semanticTokens":{"requests":{"full":{"delta":true}}},"inlayHint":{},"diagnostic":{"tagSupport":{"valueSet":[1]}},
		"publishDiagnostics":{"tagSupport":{"valueSet":[1]}}},
	"workspace":{"workspaceEdit":{"documentChanges":true},"didChangeConfiguration":{},"didChangeWatchedFiles":{},"diagnostics":{},"codeLens":{},"inlayHint":{},"semanticTokens":{}},
	"window":{"showMessage":{"messageActionItem":{"additionalPropertiesSupport":true}},"showDocument":{"support":true}},
	"experimental":{"codemode":{"permission":true}}}`

// A client may leave out, or say nothing in, any part of its capabilities:
// `"showMessage": {}` ended in a panic.
func TestCapabilitiesWithHoles(t *testing.T) {
	var whole map[string]any
	if err := json.Unmarshal([]byte(wholeCapabilities), &whole); err != nil {
		t.Fatal(err)
	}
	read := func(where string) {
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		var p protocol.InitializeParams
		if err := protocol.Unmarshal(append(append([]byte(`{"capabilities":`), text...), '}'), &p); err != nil {
			return // TestOddInitialize
		}
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("with %s: %v", where, r)
			}
		}()
		readCapabilities(&p)
	}
	var dig func(where string, in map[string]any)
	dig = func(where string, in map[string]any) {
		for name, value := range in {
			for _, hole := range []any{map[string]any{}, nil} {
				in[name] = hole
				read(fmt.Sprintf("%s%s: %v", where, name, hole))
			}
			delete(in, name)
			read("no " + where + name)
			in[name] = value
			if inner, ok := value.(map[string]any); ok {
				dig(where+name+".", inner)
			}
		}
	}
	dig("", whole)
}

func TestReadCapabilities(t *testing.T) {
	var p protocol.InitializeParams
	err := protocol.Unmarshal([]byte(`{"processId":null,"rootUri":null,"capabilities":{
		"textDocument":{
			"completion":{"completionItem":{"snippetSupport":true,"labelDetailsSupport":true,"documentationFormat":["plaintext","markdown"],"tagSupport":{"valueSet":[1]},"resolveSupport":{"properties":["documentation","additionalTextEdits"]}}},
			"hover":{"contentFormat":["markdown"]},
			"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},
			"publishDiagnostics":{"versionSupport":true,"tagSupport":{"valueSet":[1,2]}},
			"diagnostic":{}},
		"workspace":{"configuration":true,"diagnostics":{"refreshSupport":true},"didChangeConfiguration":{"dynamicRegistration":true}},
		"window":{"workDoneProgress":true,"showDocument":{"support":true}},
		"experimental":{"codemode":{"permission":true,"events":true}}}}`), &p)
	if err != nil {
		t.Fatal(err)
	}
	c := readCapabilities(&p)
	for name, ok := range map[string]bool{
		"snippets": c.Snippets, "label details": c.LabelDetails, "markdown": c.MarkdownCompletion && c.MarkdownHover,
		"tags": c.DeprecatedTags && c.DiagnosticTags, "versions": c.DiagnosticVersions, "pull": c.pulls(),
		"hierarchy": c.HierarchicalSymbols, "configuration": c.Configuration && c.ConfigurationDynamic,
		"progress": c.WorkDoneProgress, "documents": c.ShowDocument,
		"codemode":     c.canAsk() && c.events() && !c.Codemode.Models,
		"lazy":         c.Resolves("documentation") && c.Resolves("additionalTextEdits") && !c.Resolves("detail"),
		"what is not ": !c.CodeLensRefresh && !c.ApplyEdit && !c.WatchedFilesDynamic,
	} {
		if !ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if zero := readCapabilities(&protocol.InitializeParams{}); zero.Codemode != nil || zero.canAsk() || zero.pulls() {
		t.Errorf("a client that says nothing can %+v", zero)
	}
}

// TRUST-1: what an editor says counts as a workspace file's, but for the user's part of
// a client that has announced that it splits the two, and does.
func TestTrust1ReadSettings(t *testing.T) {
	for _, test := range []struct {
		splits                   bool
		value, editor, workspace string
	}{
		{false, `{"mcpServers":{"a":{}}}`, `{}`, `{"mcpServers":{"a":{}}}`},
		{false, `{"a":1,"$workspace":{}}`, `{}`, `{"a":1}`}, // a workspace's file can forge it
		{false, `{"a":1,"$workspace":{"b":2}}`, `{}`, `{"a":1}`},
		{false, `{"$remote":{"exec.enabled":true}}`, `{}`, `{"$remote":{"exec.enabled":true}}`},
		{true, `{"a":1,"$workspace":{"b":2}}`, `{"a":1}`, `{"b":2}`},
		{true, `{"a":1,"$workspace":{}}`, `{"a":1}`, `{}`},
		{true, `{"a":1,"$workspace":null}`, `{}`, `{"a":1}`},
		{true, `{"a":1}`, `{}`, `{"a":1}`},
		{true, `{}`, `{}`, `{}`},
	} {
		s, ok := readSettings(jsontext.Value(test.value), test.splits)
		if !ok || string(s.Editor) != test.editor || string(s.EditorWorkspace) != test.workspace {
			t.Errorf("%v %s: %v %s %s", test.splits, test.value, ok, s.Editor, s.EditorWorkspace)
		}
	}
	for _, value := range []string{``, `null`, `7`, `[]`, `"x"`} {
		if _, ok := readSettings(jsontext.Value(value), true); ok {
			t.Errorf("%q is taken for settings", value)
		}
	}
	if got := string(initialSettings(jsontext.Value(`{"codemode":{"demo":true},"other":1}`), false).EditorWorkspace); got != `{"demo":true}` {
		t.Errorf("initializationOptions: %s", got)
	}
	if got := strings.TrimSpace(string(initialSettings(jsontext.Value(`{"demo":true}`), false).EditorWorkspace)); got != `{"demo":true}` {
		t.Errorf("initializationOptions: %s", got)
	}
}
