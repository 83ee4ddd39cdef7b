package bench

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// PERF-1, PERF-2: the same scripts in a sandbox of ours, each in a process of its
// own with calls that the host answers, in Node's worker_threads with node:vm, a
// worker for each run, and in QuickJS, a runtime for each run in a process that
// goes on (CODEMODE_QUICKJS names the module quickjs-emscripten).
func TestPeers(t *testing.T) {
	if !benchmarking() {
		t.Skip("measures time: only with -bench")
	}
	files, err := filepath.Glob("scripts/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: no scripts", err)
	}
	pool := sandboxPool(t)
	const runs = 40
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".js")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var value string
		run := func(int) { value = string(runInSandbox(t, pool, string(text)).Value) }
		measure(3, run)
		backToBack, _ := percentiles(measure(runs, run))
		var apart []time.Duration
		for range runs {
			<-time.After(refillTime)
			apart = append(apart, measure(1, run)...)
		}
		paused, _ := percentiles(apart)
		t.Logf("%-10s ours: %v back to back, %v with a pause", name, backToBack, paused)
		for _, p := range []struct{ name, program, module string }{
			{"Node worker and vm", "peer_node.mjs", ""},
			{"QuickJS", "peer_quickjs.mjs", os.Getenv("CODEMODE_QUICKJS")},
		} {
			if p.name == "QuickJS" && p.module == "" {
				t.Log("CODEMODE_QUICKJS is not set: not compared with QuickJS")
				continue
			}
			median, theirs, ok := peerRun(t, p.program, file, p.module)
			if !ok {
				return
			}
			if theirs != value {
				t.Errorf("%s: %s returns %s, ours %s", name, p.name, theirs, value)
			}
			t.Logf("%-10s %s: %v: ours is %.1f × as fast back to back, %.1f × with a pause", name, p.name, median,
				float64(median)/float64(backToBack), float64(median)/float64(paused))
		}
	}
}

// peerRun is the median time of a script in a peer, and what it returned.
func peerRun(t testing.TB, program, file, module string) (median time.Duration, value string, ok bool) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Log("no node: not compared")
		return 0, "", false
	}
	out, err := exec.Command(node, program, file, "40", module).Output()
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	var r struct {
		MedianMs float64
		Value    json.RawMessage
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return time.Duration(r.MedianMs * float64(time.Millisecond)), string(r.Value), true
}
