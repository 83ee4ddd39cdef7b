package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"codemode-ls/internal/editortest"
	"codemode-ls/typescript"
	"codemode-ls/typescript/enginetest"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
)

// LSP-3, LSP-4: the TypeScript engine is killed again and again while somebody
// types in several documents. The next answers are right all the same, for every
// document.
func TestEngineKilledWhileTyping(t *testing.T) {
	const shell, documents, lines = "/bin/sh", 3, 12
	if _, err := os.Stat(shell); err != nil {
		t.Skip(err)
	}
	binary, err := enginetest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(t.TempDir(), "pid")
	engine := []string{shell, "-c", `echo $$ > "` + pidFile + `"; exec "$0" "$1"`, binary, typescript.ChildCommand}
	pool := markerPool(t, map[string][]string{"servers": {"shop"}})
	e, folder, _ := startEditorWith(t, pool, strings.ReplaceAll(markerCapabilities, "ENCODING", "utf-16"), engine)
	if _, err := e.Call(t.Context(), MethodTypes, jsontext.Value(`{}`)); err != nil {
		t.Fatal(err)
	}
	lengths := map[string]int{}
	for i := range documents {
		u := editortest.URI(filepath.Join(folder, fmt.Sprintf("%d.exec.ts", i)))
		lengths[u] = 0
		if err := e.Open(u, ""); err != nil {
			t.Fatal(err)
		}
	}
	slowest := time.Duration(0)
	for n := range lines {
		for u, at := range lengths {
			line := fmt.Sprintf("const 变量%d: number = \"😀\";\n", n)
			if err := e.Edit(u, at, at, line); err != nil {
				t.Fatal(err)
			}
			lengths[u] += len(line)
		}
		if n%4 == 3 {
			killEngine(t, pidFile)
		}
		began := time.Now()
		for u := range lengths {
			for _, method := range []string{protocol.MethodTextDocumentDiagnostic, protocol.MethodTextDocumentDocumentSymbol} {
				answer, err := e.Call(t.Context(), method, jsontext.Value(`{"textDocument":{"uri":"`+u+`"}}`))
				if err != nil {
					t.Fatalf("line %d, %s: %v", n, method, err)
				}
				if got := countIn(t, method, answer); got != n+1 {
					t.Errorf("%s of %d lines: the answer is about %d", method, n+1, got)
				}
			}
		}
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("the slowest round of answers, after a kill: %v", slowest)
}

// killEngine kills the engine that has written its id to a file.
func killEngine(t *testing.T, pidFile string) {
	t.Helper()
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatalf("killing the engine: %v", err)
	}
}
