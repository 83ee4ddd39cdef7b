package lsp

import (
	"context"
	"flag"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/internal/editortest"
	"codemode-ls/permission"
	"codemode-ls/typescript"
	"codemode-ls/typescript/enginetest"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

var updateMarkers = flag.Bool("update-markers", false, "write the answers of testdata/markers again")

// markerWays are the ways in which every file of markers is gone through. The
// answers are the same in all of them: places are shown in characters (LSP-2).
var markerWays = []struct {
	name, encoding string
	crlf           bool
}{
	{"utf-16", "utf-16", false},
	{"utf-8, CRLF", "utf-8", true},
	{"utf-32", "utf-32", false},
	{"utf-16, CRLF", "utf-16", true},
}

// TestMarkers runs testdata/markers: what the server says at places in scripts,
// in text form (TEST-2), for NAV-1, SIG-1, INLAY-1, HOV-1, COMP-1 to COMP-3,
// DIAG-1 and ACT-1. Its README tells how to write more.
func TestMarkers(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "markers", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of markers: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			markers, err := editortest.ReadMarkers(file)
			if err != nil {
				t.Fatal(err)
			}
			w := markerPool(t, markers.Header)
			for i, way := range markerWays {
				got := runMarkers(t, markers, w, way.encoding, way.crlf)
				if *updateMarkers && i == 0 {
					if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
						t.Fatal(err)
					}
					markers = got
				}
				if diff := cmp.Diff(strings.Split(markers.String(), "\n"), strings.Split(got.String(), "\n")); diff != "" {
					t.Errorf("%s: (-want +got; -update-markers writes what is got)\n%s", way.name, diff)
				}
			}
		})
	}
}

// markerPool is the workspace that a file's header describes.
func markerPool(t *testing.T, header map[string][]string) workspace.Snapshot {
	t.Helper()
	var rules []permission.Rule
	for _, effect := range []permission.Effect{permission.Allow, permission.Deny, permission.Ask} {
		for _, match := range header[strings.ToLower(string(effect))] {
			rules = append(rules, permission.Rule{Effect: effect, Layer: permission.User, Match: match})
		}
	}
	settings := strings.Join(header["settings"], " ")
	if settings == "" {
		settings = "{}"
	}
	w := workspace.Snapshot{Config: config.Load(config.Sources{Editor: []byte(settings)}), Rules: permission.NewRules(rules)}
	var servers []*catalog.Server
	for _, name := range header["servers"] {
		recording, err := os.ReadFile(filepath.Join("..", "testdata", "markers", "servers", name+".json"))
		if os.IsNotExist(err) {
			recording, err = os.ReadFile(filepath.Join("..", "..", "shared", "corpus", name+".json"))
		}
		if os.IsNotExist(err) {
			t.Skipf("the recording of server %s is not there", name)
		}
		if err != nil {
			t.Fatal(err)
		}
		server, tools, instructions, err := catalog.ReadRecording(recording)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		servers = append(servers, catalog.NewServer(server, tools, instructions, false))
		w.Servers = append(w.Servers, upstream.Status{Server: config.Server{Name: server}, State: upstream.Connected})
	}
	w.Catalog = catalog.New(servers, func(t *catalog.Tool) bool { return w.Rules.Decide(t.Name).Effect != permission.Deny })
	return w
}

// markerCapabilities are those of a client that can do everything.
const markerCapabilities = `{
	"general":{"positionEncodings":["ENCODING"]},
	"textDocument":{
		"completion":{"contextSupport":true,"completionItem":{"snippetSupport":true,"documentationFormat":["markdown"],"deprecatedSupport":true,"tagSupport":{"valueSet":[1]},"labelDetailsSupport":true,"resolveSupport":{"properties":["documentation","detail"]}}},
		"hover":{"contentFormat":["markdown"]},
		"signatureHelp":{"contextSupport":true,"signatureInformation":{"documentationFormat":["markdown"],"parameterInformation":{"labelOffsetSupport":true},"activeParameterSupport":true}},
		"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},
		"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["","quickfix","refactor","source"]}},"dataSupport":true,"resolveSupport":{"properties":["edit"]}},
		"rename":{"prepareSupport":true},
		"foldingRange":{"lineFoldingOnly":true},
		"diagnostic":{},
		"publishDiagnostics":{"relatedInformation":true,"tagSupport":{"valueSet":[1,2]},"codeDescriptionSupport":true,"dataSupport":true}},
	"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true}}}`

// runMarkers goes through a file with a server of its own.
func runMarkers(t *testing.T, m *editortest.Markers, pool workspace.Snapshot, encoding string, crlf bool) *editortest.Markers {
	t.Helper()
	capabilities := markerCapabilities
	if slices.Equal(m.Header["client"], []string{"plain"}) {
		capabilities = `{"general":{"positionEncodings":["ENCODING"]}}`
	}
	e, folder := startEditor(t, pool, strings.ReplaceAll(capabilities, "ENCODING", encoding))
	var types struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	}
	if err := e.Ask(t.Context(), "codemode/types", jsontext.Value(`{}`), &types); err != nil {
		t.Fatal(err)
	}
	got, err := m.Run(t.Context(), e, folder, crlf, types.URI, types.Text)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// startEditor starts a server with that pool and the engine, and an editor that
// is past the handshake.
func startEditor(t *testing.T, pool workspace.Snapshot, capabilities string) (*editortest.Editor, string) {
	t.Helper()
	e, folder, _ := startEditorOn(t, pool, capabilities)
	return e, folder
}

// startEditorOn is startEditor with the workspace, which the test can change.
func startEditorOn(t *testing.T, pool workspace.Snapshot, capabilities string) (*editortest.Editor, string, *fakeWorkspace) {
	t.Helper()
	binary, err := enginetest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	return startEditorWith(t, pool, capabilities, []string{binary, typescript.ChildCommand})
}

// startEditorWith is startEditorOn with a command that starts the engine.
func startEditorWith(t *testing.T, pool workspace.Snapshot, capabilities string, engine []string) (*editortest.Editor, string, *fakeWorkspace) {
	t.Helper()
	w := newFakeWorkspace(t, echo)
	w.snapshot = pool
	here, there := net.Pipe()
	o := Options{Version: "test", CacheDir: t.TempDir(), TypeScript: func() *typescript.Engine {
		return typescript.New(typescript.Options{Command: engine})
	}}
	o.openForTest = func(_ context.Context, o workspace.Options) opened {
		w.opened(o)
		return w
	}
	done := make(chan int)
	go func() { done <- Serve(context.Background(), io.ReadWriteCloser(there), o) }()
	e := editortest.New(editortest.Profile{Name: "markers", ClientName: "markers", Capabilities: capabilities}, here)
	t.Cleanup(func() {
		e.Close()
		<-done
	})
	folder := t.TempDir()
	if _, err := e.Initialize(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	return e, folder, w
}

// Each header of a marker file is one that is read: a misspelled one would say
// nothing.
func TestMarkerHeaders(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "testdata", "markers", "*.txt"))
	for _, file := range files {
		m, err := editortest.ReadMarkers(file)
		if err != nil {
			t.Fatal(err)
		}
		for key := range m.Header {
			if !slices.Contains([]string{"servers", "client", "settings", "allow", "deny", "ask"}, key) {
				t.Errorf("%s: header %q", file, key)
			}
		}
	}
}
