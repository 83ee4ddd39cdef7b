package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"codemode-ls/config"
)

// A machine is a home of its own for the program that CODEMODE_LS_BINARY names,
// with ten servers of fifty tools each that were there last time and never answer
// now.
type machine struct {
	binary, folder string
	env            []string
}

const (
	silentServers = 10
	toolsEach     = 50
)

func newMachine(t *testing.T) machine {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("looks at processes in /proc")
	}
	m := machine{binary: os.Getenv("CODEMODE_LS_BINARY"), folder: t.TempDir()}
	if m.binary == "" {
		t.Skip("CODEMODE_LS_BINARY is not set")
	}
	home := t.TempDir()
	user, cache := filepath.Join(home, "config", "codemode-ls"), filepath.Join(home, "cache", "codemode-ls")
	m.env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Dir(user), "XDG_CACHE_HOME="+filepath.Dir(cache))
	var servers []string
	for i := range silentServers {
		servers = append(servers, fmt.Sprintf(`"server%02d": {"command": "sleep", "args": ["100000"]}`, i))
	}
	put := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(user, config.UserFile), `{"mcpServers": {`+strings.Join(servers, ",")+`}}`)
	loaded := config.Load(config.Sources{UserDir: user, Folders: []string{m.folder}})
	tools := syntheticTools(silentServers * toolsEach)
	for i, s := range loaded.Servers {
		remembered := map[string]any{"version": 1, "name": s.Name, "tools": texts(tools[i*toolsEach : (i+1)*toolsEach])}
		raw, err := json.Marshal(remembered)
		if err != nil {
			t.Fatal(err)
		}
		put(filepath.Join(cache, "servers", s.Hash()+".json"), string(raw))
	}
	return m
}

func texts[T ~[]byte](values []T) (list []string) {
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}

// server starts the program; the time is that of the process's start.
func (m machine) server(t *testing.T) (p *peer, pid int, stop func()) {
	t.Helper()
	cmd := exec.Command(m.binary, "lsp", "--log-level=error")
	cmd.Env, cmd.Stderr = m.env, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &peer{t: t, w: in, r: bufio.NewReaderSize(out, 1<<16)}, cmd.Process.Pid, func() {
		in.Close()
		cmd.Wait()
	}
}

func (m machine) initialize(p *peer) {
	p.call("initialize", json.RawMessage(`{"processId":null,"workspaceFolders":[{"uri":"file://`+m.folder+`","name":"w"}],"capabilities":{
		"workspace":{"diagnostics":{"refreshSupport":true}},
		"textDocument":{"diagnostic":{},"completion":{"completionItem":{"snippetSupport":true,"labelDetailsSupport":true,
			"resolveSupport":{"properties":["documentation","detail"]}}}}}}`))
	p.notify("initialized", struct{}{})
}

func (p *peer) openScript(text string) {
	p.version = 1
	p.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": editedURI, "languageId": "codemode", "version": 1, "text": text,
	}})
}

// PERF-7, LSP-1: from initialize to the first completion with servers that never
// answer, in a new process each time.
func TestFirstCompletion(t *testing.T) {
	if !benchmarking() {
		t.Skip("measures time: only with -bench")
	}
	m := newMachine(t)
	var first, all []time.Duration
	for range 12 {
		p, _, stop := m.server(t)
		start := time.Now()
		m.initialize(p)
		first = append(first, time.Since(start))
		p.openScript("return tools.")
		if n := p.complete(map[string]any{"line": 0, "character": 13}); n < 200 {
			t.Fatalf("%d items", n)
		}
		all = append(all, time.Since(start))
		stop()
	}
	i50, i95 := percentiles(first[2:])
	c50, c95 := percentiles(all[2:])
	t.Logf("initialize: p50 %v, p95 %v (the process's start included)", i50, i95)
	t.Logf("initialize to the first completion: p50 %v, p95 %v", c50, c95)
	floor := measure(12, func(int) {
		if err := exec.Command(m.binary, "version").Run(); err != nil {
			t.Fatal(err)
		}
	})
	f50, f95 := percentiles(floor[2:])
	t.Logf("the program's start and end alone: p50 %v, p95 %v", f50, f95)
	verdict(t, c50 <= 200*time.Millisecond && i50 <= 100*time.Millisecond, "at the median ≤ 200 ms, and ≤ 100 ms for initialize")
}

// PERF-8: what the processes hold when nothing happens. The pages of the program's
// own file are the same memory in every process of it and in the page cache, so the
// figure of the server is what is its alone and its share of the rest (PSS), and that
// of a sandbox what one more of them takes: its own. Resident memory, which counts
// the file in each, is printed beside.
func TestIdleMemory(t *testing.T) {
	if !benchmarking() {
		t.Skip("measures memory: only with -bench")
	}
	m := newMachine(t)
	p, pid, stop := m.server(t)
	defer stop()
	m.initialize(p)
	p.call("codemode/types", struct{}{})
	settle()
	kinds := children(t, pid)
	show := func(what string, pids ...int) (m usage) {
		for _, id := range pids {
			u := memory(t, id)
			m.resident, m.shared, m.own = m.resident+u.resident, m.shared+u.shared, m.own+u.own
		}
		t.Logf("%s: %.1f MB with its share of the program's file; its own %.1f MB, resident %.1f MB", what, mb(m.shared), mb(m.own), mb(m.resident))
		return m
	}
	idle := show("server, 500 tools, no script open", append(kinds["ts-engine"], pid)...)
	show("of that, the server's own process", pid)
	boxes := kinds["sandbox-child"]
	if len(boxes) == 0 {
		t.Fatalf("no sandbox waits: %v", kinds)
	}
	box := show("an idle sandbox", boxes[0])
	verdict(t, mb(idle.shared) <= 60, "no script open ≤ 60 MB")
	verdict(t, mb(box.own) <= 20, "one more idle sandbox ≤ 20 MB")

	p.openScript(script(silentServers*toolsEach, 0, ""))
	p.diagnose()
	settle()
	kinds = children(t, pid)
	open := show("server and engine, one script open", append(kinds["ts-engine"], pid)...)
	show("of that, the server's own process", pid)
	verdict(t, mb(open.shared) <= 200, "one script open ≤ 200 MB")
}

func mb(bytes int) float64 { return float64(bytes) / (1 << 20) }

// settle waits as an editor does that is left alone.
func settle() { <-time.After(3 * time.Second) }

// children are the processes below one, by the command of this program that they
// run.
func children(t *testing.T, pid int) map[string][]int {
	t.Helper()
	kinds := map[string][]int{}
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		list, err := os.ReadFile(task)
		if err != nil {
			continue
		}
		for _, word := range strings.Fields(string(list)) {
			id, _ := strconv.Atoi(word)
			line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id))
			if err != nil {
				continue
			}
			for _, arg := range strings.Split(string(line), "\x00") {
				if strings.HasPrefix(arg, "ts-engine") || strings.HasPrefix(arg, "sandbox-child") {
					kinds[arg] = append(kinds[arg], id)
				}
			}
		}
	}
	return kinds
}

// usage of memory in bytes.
type usage struct {
	resident int // with all that it shares
	shared   int // with its share of that
	own      int // nobody else's
}

func memory(t *testing.T, pid int) (u usage) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		n, _ := strconv.Atoi(f[1])
		switch f[0] {
		case "Rss:":
			u.resident = n << 10
		case "Pss:":
			u.shared = n << 10
		case "Private_Dirty:", "Anonymous:":
			u.own = max(u.own, n<<10)
		}
	}
	return u
}
