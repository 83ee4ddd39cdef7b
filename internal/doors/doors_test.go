// Package doors keeps the architecture: each outside library has one door, and
// imports point down only.
package doors

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// doors are the packages that may import a library, by prefix of its path. hook
// runs programs because commands around calls are its whole purpose.
var doors = map[string][]string{
	"go.lsp.dev/":                         {"lsp", "analysis", "analysis/configfile", "typescript", "internal/editortest"},
	"github.com/mark3labs/mcp-go":         {"upstream", "gateway", "internal/demo", "internal/mcptest"},
	"github.com/dop251/goja":              {"sandbox/guest", "sandbox/ecma"},
	"github.com/evanw/esbuild":            {"script/esbuild"},
	"github.com/microsoft/typescript-go":  {"typescript/engine"},
	"github.com/landlock-lsm/go-landlock": {"sandbox/guest"},
	"github.com/elastic/go-seccomp-bpf":   {"sandbox/guest"},
	"github.com/alecthomas/kong":          {"cmd/codemode-ls"},
	"github.com/tailscale/hujson":         {"config", "gateway/install", "permission"},
	"github.com/pelletier/go-toml":        {"config", "gateway/install"},
	"codemode-ls/typescript/engine":       {"cmd/codemode-ls", "typescript/engine/cmd"},
	"github.com/zalando/go-keyring":       {"upstream/oauth"},
	"golang.org/x/oauth2":                 {"upstream/oauth"},
	"github.com/cli/browser":              {"cmd/codemode-ls"},
	"os/exec":                             {"upstream", "sandbox", "typescript", "typescript/enginetest", "exec/hook", "release", "internal/editortest", "internal/mcptest"},
}

// below are the packages of this module that a package may import. What is not
// listed may import anything that is.
var below = map[string][]string{
	"internal/plaintext":  {},
	"internal/rawjson":    {},
	"internal/linediff":   {},
	"typegen":             {"internal/plaintext"},
	"typegen/seen":        {"typegen"},
	"script":              {},
	"config":              {},
	"catalog":             {"internal/plaintext", "typegen"},
	"permission":          {"script"},
	"sandbox":             {"sandbox/frame", "script"}, // the host shares nothing else with the child
	"sandbox/frame":       {"script"},
	"sandbox/guest":       {"sandbox/ecma", "sandbox/frame", "script"},
	"sandbox/ecma":        {"sandbox/ecma/regexp", "script"},
	"typescript":          {"script", "typescript/project"},
	"internal/environ":    {},
	"upstream":            {"catalog", "config", "internal/environ", "internal/plaintext", "upstream/oauth", "upstream/reaper"},
	"upstream/oauth":      {"internal/plaintext"},
	"upstream/reaper":     {},
	"exec/cassette":       {},
	"exec/sample":         {},
	"exec/input":          {"config"},
	"exec/hook":           {"config", "internal/environ", "internal/plaintext"},
	"exec/audit":          {},
	"internal/redact":     {},
	"internal/telemetry":  {},
	"exec":                {"exec/audit", "exec/cassette", "catalog", "config", "exec/hook", "exec/input", "internal/linediff", "internal/plaintext", "internal/rawjson", "permission", "internal/redact", "exec/sample", "sandbox", "script", "internal/telemetry", "typegen/seen", "upstream"},
	"analysis":            {"catalog", "config", "exec", "exec/input", "internal/plaintext", "permission", "script", "typegen", "typegen/seen", "typescript", "upstream", "workspace"},
	"gateway":             {"catalog", "config", "exec", "internal/plaintext", "internal/rendezvous", "script", "upstream", "workspace"},
	"internal/rendezvous": {},
	"gateway/install":     {"config"},
	"analysis/overview":   {"analysis", "catalog", "config", "upstream", "workspace"},
	"analysis/configfile": {"analysis", "catalog", "config", "internal/plaintext", "script", "upstream", "workspace"},
}

type listed struct {
	Dir        string
	ImportPath string
	Imports    []string
}

func TestDoors(t *testing.T) {
	for _, p := range list(t) {
		from := strings.TrimPrefix(p.ImportPath, "codemode-ls/")
		for _, imported := range p.Imports {
			for library, owners := range doors {
				if imported == library || strings.HasPrefix(imported, strings.TrimSuffix(library, "/")+"/") {
					if !slices.Contains(owners, from) {
						t.Errorf("%s imports %s; go through %s", from, imported, strings.Join(owners, " or "))
					}
				}
			}
			allowed, limited := below[from]
			if own, ok := strings.CutPrefix(imported, "codemode-ls/"); ok && limited && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s; it may import only %q of this module", from, own, allowed)
			}
		}
	}
}

// Of the command line, only the language server's own command is about the wire.
func TestCommandsWithoutWire(t *testing.T) {
	files, err := filepath.Glob("../../cmd/codemode-ls/*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), "files", err)
	}
	importing := 0
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range f.Imports {
			if imported.Path.Value != `"codemode-ls/lsp"` {
				continue
			}
			importing++
			if filepath.Base(path) != "lsp.go" {
				t.Errorf("%s imports lsp", filepath.Base(path))
			}
		}
	}
	if importing != 1 {
		t.Errorf("%d files import lsp", importing)
	}
}

// list is every package of the module. The test fails, rather than passes, when
// there is nothing to look at. Each folder is read, so that go test knows what the
// test depends on: what a program reads that the test starts does not count, and an
// old success would stand.
func list(t *testing.T) []listed {
	out, err := exec.Command("go", "list", "-json=Dir,ImportPath,Imports", "codemode-ls/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if _, err := os.ReadDir(p.Dir); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list found %d packages only", len(all))
	}
	return all
}
