package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"codemode-ls/analysis"
	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/exec"
	"codemode-ls/permission"
	"codemode-ls/script"
	"codemode-ls/typescript"
	"codemode-ls/typescript/enginetest"
	"codemode-ls/upstream"
	"codemode-ls/workspace"

	"go.lsp.dev/protocol"
)

// recordedServers are those whose tools testdata/scripts uses.
var recordedServers = []string{
	"airtable", "everything", "filesystem", "git-cyanheads", "github-mcp-server", "linear-tacticlaunch", "live-time", "memory", "mongodb",
	"notion", "playwright", "prisma",
}

// recordedPool are recorded servers; the test is skipped where they are not.
func recordedPool(t testing.TB, rules *permission.Rules) *workspace.Snapshot {
	t.Helper()
	w := &workspace.Snapshot{Config: &config.Config{}, Rules: rules}
	var servers []*catalog.Server
	for _, name := range recordedServers {
		recording, err := os.ReadFile(filepath.Join("..", "..", "shared", "corpus", name+".json"))
		if os.IsNotExist(err) {
			t.Skip("the corpus of recorded servers is not there")
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
	w.Catalog = catalog.New(servers, func(t *catalog.Tool) bool { return rules.Decide(t.Name).Effect != permission.Deny })
	return w
}

// recordedStage is a stage with the recorded servers.
func recordedStage(t testing.TB, client *clientCapabilities) *stage {
	t.Helper()
	binary, err := enginetest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	rules := permission.NewRules([]permission.Rule{
		{Effect: permission.Deny, Layer: permission.User, Match: "mcp__filesystem__move_file"},
		{Effect: permission.Allow, Layer: permission.Session, Match: "mcp__memory__*"},
	})
	return newStageWith(t, client, recordedPool(t, rules), typescript.New(typescript.Options{Command: []string{binary, typescript.ChildCommand}}))
}

// A scriptCase is one script of a file in testdata/scripts.
type scriptCase struct {
	name, text string
	line       int // of the file, 1-based
	languages  []script.Language
}

var caseHead = regexp.MustCompile(`^== (.+?)(?: \[(ts|js)\])?$`)

// scriptCases reads a file of scripts: each begins behind a line "== name",
// followed by [ts] or [js] when it is of one language only.
func scriptCases(t testing.TB, file string) []scriptCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "scripts", file))
	if err != nil {
		t.Fatal(err)
	}
	var all []scriptCase
	for i, line := range strings.Split(string(data), "\n") {
		if m := caseHead.FindStringSubmatch(line); m != nil {
			c := scriptCase{name: m[1], line: i + 1, languages: []script.Language{script.TypeScript, script.JavaScript}}
			switch m[2] {
			case "ts":
				c.languages = c.languages[:1]
			case "js":
				c.languages = c.languages[1:]
			}
			all = append(all, c)
		} else if len(all) > 0 {
			all[len(all)-1].text += line + "\n"
		}
	}
	for i := range all {
		all[i].text = strings.TrimRight(all[i].text, "\n") + "\n"
	}
	return all
}

// problems are what a check says of a script, as "line code", without the hints
// that TypeScript itself has.
func (g *stage) problems(text string, l script.Language) (short []string, all []exec.Diagnostic) {
	g.t.Helper()
	found, err := analysis.Check(g.t.Context(), g.engine, g.snap.Workspace, script.Read(text), l)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, f := range found {
		if _, err := strconv.Atoi(f.Code); err == nil && f.Severity == int(protocol.DiagnosticSeverityHint) {
			continue
		}
		short = append(short, fmt.Sprintf("%d %s", f.Range.Start.Line+1, f.Code))
		all = append(all, f)
	}
	return short, all
}
