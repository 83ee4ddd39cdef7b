package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/typescript"
	"codemode-ls/typescript/enginetest"
	"codemode-ls/workspace"

	"github.com/go-json-experiment/json"
)

// connectTyped is connect with a TypeScript engine.
func connectTyped(t *testing.T, w *fakeWorkspace, capabilities string) *testClient {
	t.Helper()
	binary, err := enginetest.Binary()
	if err != nil {
		t.Fatal(err)
	}
	c := connectWith(t, w, Options{TypeScript: func() *typescript.Engine {
		return typescript.New(typescript.Options{Command: []string{binary, typescript.ChildCommand}})
	}})
	c.handshake(capabilities)
	<-w.open
	return c
}

// killEngines kills the TypeScript engines that this process has started, and
// says how many there were. Only where /proc shows them.
func killEngines() (killed int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		_, rest, ok := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 || fields[0] == "Z" || fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if !strings.Contains(string(command), typescript.ChildCommand) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			killed++
		}
	}
	return killed
}

// A recording is how somebody has typed a script: what was added, and how many
// characters were taken back before.
var recording = []struct {
	back int
	text string
}{
	{0, "const r = await tools.mcp__a__ge"}, {2, "get({ "}, {0, "});\n"}, {0, "for (const x of [1, 2]) {\n  tools."}, {0, "mcp__a__put({ x });\n"},
	{2, " }"}, {2, ");\n}\n"}, {0, "return `${r} ${x"}, {3, "}`;\n"}, {0, "// 😀 done\n"}, {0, "await tools.mcp__a__put({});\n"}, {0, "await tools['mcp__a__"}, {0, "get']({});\n"},
}

// keystrokes are the recording, one character at a time; "\b" takes one back.
func keystrokes() []string {
	var all []string
	for _, r := range recording {
		for range r.back {
			all = append(all, "\b")
		}
		for _, c := range r.text {
			all = append(all, string(c))
		}
	}
	return all
}

// A typist types in one document. Its first line names the version, as a name
// that nobody declares, so that diagnostics tell which version they are of.
type typist struct {
	c       *testClient
	uri     string
	mu      sync.Mutex
	version int
	body    []rune
}

func (y *typist) stamp() string { return fmt.Sprintf("v%d;", y.version) }

func (y *typist) open() {
	y.version = 1
	y.c.notify("textDocument/didOpen", `{"textDocument":{"uri":"`+y.uri+`","languageId":"typescript","version":1,"text":"v1;\n"}}`)
}

func position(text string) (line, character int) {
	lines := strings.Split(text, "\n")
	last := lines[len(lines)-1]
	for _, r := range last {
		character++
		if r >= 0x10000 {
			character++
		}
	}
	return len(lines), character // behind the line of the stamp
}

func (y *typist) key(k string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	before := y.stamp()
	y.version++
	endLine, endCharacter := position(string(y.body))
	startLine, startCharacter, text := endLine, endCharacter, k
	if k == "\b" {
		y.body = y.body[:len(y.body)-1]
		startLine, startCharacter = position(string(y.body))
		text = ""
	} else {
		y.body = append(y.body, []rune(k)...)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		y.c.t.Error(err)
	}
	y.c.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%d},"contentChanges":[
		{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"text":%s},
		{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":%d}},"text":%q}]}`,
		y.uri, y.version, startLine, startCharacter, endLine, endCharacter, quoted, len(before), y.stamp()))
}

// A publication is what was published for a document.
type publication struct {
	URI         string `json:"uri"`
	Version     int    `json:"version"`
	Diagnostics []struct {
		Message string `json:"message"`
		Code    any    `json:"code"`
	} `json:"diagnostics"`
}

var stamped = regexp.MustCompile(`^Cannot find name 'v(\d+)'`)

// LSP-4, DIAG-2: a recorded typing session, replayed as fast as it can be sent in
// two documents, while pools change, scripts run and the engine is killed. Every
// publication is about the version that it names, and the last ones are right.
func TestTypingSession(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := connectTyped(t, w, `{"textDocument":{"publishDiagnostics":{"versionSupport":true}}}`)
	pools := []*catalog.Catalog{pool("a", "get", "put"), pool("a", "get"), pool("a", "get", "put", "more")}
	setPool := func(i int) {
		w.change(func(s *workspace.Snapshot) { s.Catalog = pools[i%len(pools)] })
	}
	setPool(0)
	typists := []*typist{{c: c, uri: "file:///a.exec.ts"}, {c: c, uri: "file:///b.exec.ts"}}
	var typing sync.WaitGroup
	for n, y := range typists {
		y.open()
		typing.Go(func() {
			pace := time.NewTicker(time.Duration(3+n) * time.Millisecond)
			defer pace.Stop()
			thinking := time.NewTicker(quiet + 50*time.Millisecond) // long enough to be checked
			defer thinking.Stop()
			for range 2 {
				y.restart()
				for i, k := range keystrokes() {
					<-pace.C
					if i%50 == 0 {
						<-thinking.C
						<-thinking.C
					}
					y.key(k)
				}
			}
		})
	}
	typed := make(chan struct{})
	go func() {
		defer close(typed)
		typing.Wait()
	}()
	kills := 0
	pace := time.NewTicker(60 * time.Millisecond)
	defer pace.Stop()
	for i := 1; ; i++ {
		select {
		case <-pace.C:
			if i%8 == 0 {
				setPool(i / 8)
			}
			if i%20 == 0 {
				kills += killEngines()
			}
			if i%5 == 0 {
				c.call("codemode/exec", `{"textDocument":{"uri":"file:///a.exec.ts"}}`).wait()
			}
			c.call("textDocument/hover", `{"textDocument":{"uri":"file:///b.exec.ts"},"position":{"line":0,"character":1}}`).wait()
			continue
		case <-typed:
		}
		break
	}
	killed := time.Now()
	kills += killEngines()
	setPool(1) // put is gone for good
	for _, y := range typists {
		y.settled(func(p publication) bool { return len(p.Diagnostics) >= 4 })
	}
	right := time.Since(killed)
	publications := 0
	for _, y := range typists {
		publications += y.checked()
	}
	t.Logf("%d versions, %d publications, the engine killed %d times; right again %v after the last time", typists[0].version, publications, kills, right)
	if publications < 4 {
		t.Errorf("only %d publications", publications)
	}
}

// restart clears the document but for its stamp.
func (y *typist) restart() {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.version++
	y.body = nil
	y.c.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"text":%q}]}`, y.uri, y.version, y.stamp()+"\n"))
}

// settled waits for the diagnostics of the last version that want is content with.
func (y *typist) settled(want func(publication) bool) {
	y.c.t.Helper()
	y.c.await(fmt.Sprintf("the diagnostics of version %d of %s", y.version, y.uri), func(m message) bool {
		p, ok := y.publication(m)
		return ok && p.Version == y.version && p.about() == y.version && want(p)
	})
}

// publication is what a message publishes for the document.
func (y *typist) publication(m message) (p publication, ok bool) {
	if m.Method != "textDocument/publishDiagnostics" {
		return p, false
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		y.c.t.Error(err)
	}
	return p, p.URI == y.uri
}

// about is the version that the diagnostics themselves are about; 0 when they do
// not tell, because the engine was away.
func (p publication) about() int {
	for _, d := range p.Diagnostics {
		if found := stamped.FindStringSubmatch(d.Message); found != nil {
			version, _ := strconv.Atoi(found[1])
			return version
		}
	}
	return 0
}

// checked looks at all that was published for the document before.
func (y *typist) checked() (publications int) {
	y.c.mu.Lock()
	defer y.c.mu.Unlock()
	last := 0
	for _, m := range y.c.received {
		p, ok := y.publication(m)
		if !ok {
			continue
		}
		publications++
		if p.Version < last {
			y.c.t.Errorf("%s: version %d was published after %d", y.uri, p.Version, last)
		}
		last = p.Version
		if v := p.about(); v != 0 && v != p.Version {
			y.c.t.Errorf("%s: version %d was published with the diagnostics of %d", y.uri, p.Version, v)
		}
	}
	return publications
}

// A dead engine is back within a second, with all documents: what is asked right
// after its death is answered.
func TestEngineDeath(t *testing.T) {
	w := newFakeWorkspace(t, echo)
	c := connectTyped(t, w, `{"textDocument":{"diagnostic":{}}}`)
	w.change(func(s *workspace.Snapshot) { s.Catalog = pool("a", "get") })
	const documents = 20
	for i := range documents {
		c.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":"file:///%d.exec.ts","languageId":"typescript","version":1,"text":"const n%d: string = %d; return await tools.mcp__a__get({})"}}`, i, i, i))
	}
	ask := func() {
		t.Helper()
		for i := range documents {
			report := c.call("textDocument/diagnostic", fmt.Sprintf(`{"textDocument":{"uri":"file:///%d.exec.ts"}}`, i)).ok()
			if !strings.Contains(report, "Type 'number' is not assignable to type 'string'") {
				t.Errorf("document %d: %s", i, report)
			}
		}
	}
	ask()
	fastest := time.Hour // a busy machine is slow by itself, but not each time
	for range 3 {
		if killEngines() == 0 {
			t.Skip("the engine's process cannot be found here")
		}
		began := time.Now()
		hover := c.call("textDocument/hover", `{"textDocument":{"uri":"file:///7.exec.ts"},"position":{"line":0,"character":7}}`).ok()
		if !strings.Contains(hover, "const n7: string") {
			t.Errorf("hover: %s", hover)
		}
		back := time.Since(began)
		ask()
		t.Logf("an answer after %v, of all %d documents after %v", back, documents, time.Since(began))
		fastest = min(fastest, back)
	}
	if fastest > 5*time.Second { // a second on a machine that does nothing else
		t.Errorf("the engine was away for %v", fastest)
	}
}

// DIAG-2: a change of the pool says which open scripts it has broken: once, in
// one message, and not of scripts that were broken before.
func TestDiag2Broken(t *testing.T) {
	for _, capabilities := range []string{
		`{}`,
		`{"textDocument":{"diagnostic":{}},"workspace":{"diagnostics":{"refreshSupport":true}}}`,
	} {
		w := newFakeWorkspace(t, echo)
		c := connectTyped(t, w, capabilities)
		pulls := capabilities != "{}"
		see := func(uri, want string) { // until the server has checked the script
			t.Helper()
			for {
				var report string
				if pulls {
					report = c.call("textDocument/diagnostic", `{"textDocument":{"uri":"`+uri+`"}}`).ok()
				} else {
					report = string(c.await("diagnostics of "+uri, func(m message) bool {
						return m.Method == "textDocument/publishDiagnostics" && strings.Contains(string(m.Params), uri)
					}).Params)
				}
				if strings.Contains(report, want) {
					return
				}
			}
		}
		w.change(func(s *workspace.Snapshot) { s.Catalog = pool("a", "get", "put") })
		for !strings.Contains(c.call("codemode/catalog", `{}`).ok(), `"total":2`) {
		}
		for uri, text := range map[string]string{
			"file:///uses.exec.ts":  "await tools.mcp__a__put({}); return nope1;",
			"file:///other.exec.ts": "return nope2;",
		} {
			c.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"typescript","version":1,"text":%q}}`, uri, text))
		}
		see("file:///uses.exec.ts", "nope1")
		see("file:///other.exec.ts", "nope2")
		w.change(func(s *workspace.Snapshot) { s.Catalog = pool("a", "get") })
		m := c.notification("window/showMessage")
		if text := string(m.Params); !strings.Contains(text, `uses.exec.ts: There is no tool \"mcp__a__put\"`) || strings.Contains(text, "other.exec.ts") || strings.Contains(text, "nope1") {
			t.Errorf("%s: message %s", capabilities, text)
		}
		// There and gone again: it was told.
		w.change(func(s *workspace.Snapshot) { s.Catalog = pool("a", "get", "put") })
		for !strings.Contains(c.call("codemode/catalog", `{}`).ok(), `"total":2`) {
		}
		w.change(func(s *workspace.Snapshot) { s.Catalog = pool("a", "get") })
		see("file:///uses.exec.ts", "unknown-tool")
		c.alive()
		c.mu.Lock()
		for _, m := range c.received {
			if m.Method == "window/showMessage" {
				t.Errorf("%s: told again: %s", capabilities, m.Params)
			}
		}
		c.mu.Unlock()
	}
}
