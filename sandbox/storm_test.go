package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// children are the sandbox processes of this one.
func children(t *testing.T) (pids []int) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 2 || fields[1] != strconv.Itoa(os.Getpid()) || fields[0] == "Z" {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if bytes.Contains(line, []byte(ChildCommand)) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// BUD-12, PERF-9: 200 runs at once while their processes are killed: each has one
// outcome, and the host's memory does not follow.
func TestBud12KilledAmongMany(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it finds children in /proc")
	}
	n := 200
	if testing.Short() || raceDetector {
		n = 30
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p := NewPool(Options{Warm: 2, MaxRuns: 4, MemoryMB: 256, Log: testLog()})
	var peak atomic.Uint64
	var killed, done atomic.Int32
	answer := func(ctx context.Context, c Call) (jsontext.Value, error) {
		if c.Index == 5 && done.Add(1)%8 == 0 {
			if pids := children(t); len(pids) > 0 {
				if process, err := os.FindProcess(pids[len(pids)/2]); err == nil && process.Kill() == nil {
					killed.Add(1)
				}
			}
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			peak.Store(max(peak.Load(), now.HeapAlloc))
		}
		return c.Arguments, nil
	}
	outcomes := make([]Outcome, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			r := testRequest(fmt.Sprintf("let s = %d; for (let i = 0; i < 10; i++) s += (await tools.echo({ i, text: 'x'.repeat(10000) })).i; return s", i))
			r.Limits.Wall, r.Limits.Active = time.Minute, time.Minute
			r.Clock = NewClock()
			outcomes[i] = p.Run(t.Context(), r, &testHost{answer: answer})
		})
	}
	wg.Wait()
	crashed := 0
	for i, o := range outcomes {
		switch {
		case o.Status == Completed && string(o.Value) == strconv.Itoa(i+45):
		case o.Status == Crashed && o.Error != nil && strings.Contains(o.Error.Message, "ended unexpectedly"), o.Status == Crashed && strings.Contains(o.Error.Message, "start a sandbox"):
			crashed++
		default:
			t.Errorf("run %d: %s %s %+v", i, o.Status, o.Value, o.Error)
		}
	}
	o := p.Run(t.Context(), testRequest("return 'after'"), &testHost{})
	if o.Status == Crashed { // the last kill was of a child that waited, and is only now at work
		o = p.Run(t.Context(), testRequest("return 'after'"), &testHost{})
	}
	wantValue(t, o, `"after"`)
	p.Close()
	if left := children(t); len(left) > 2 { // those of the shared pool
		t.Errorf("%d processes are left", len(left))
	}
	outcomes = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d runs, %d kills, %d crashed; heap %d KB before, %d KB at most, %d KB after", n, killed.Load(), crashed, before.HeapAlloc>>10, peak.Load()>>10, after.HeapAlloc>>10)
	if crashed == 0 || crashed > int(killed.Load()) {
		t.Errorf("%d runs crashed of %d kills", crashed, killed.Load())
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	if peak.Load() > before.HeapAlloc+64<<20 {
		t.Errorf("%d bytes of heap at most", peak.Load())
	}
}

// How many children wait ready changes while scripts are compiled and run: the
// workspace warms its pool when its servers are there.
func TestWarmWhileRunning(t *testing.T) {
	p := NewPool(Options{MemoryMB: 256, Log: testLog()})
	defer p.Close()
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { p.Warm(i) })
		wg.Go(func() {
			wantValue(t, p.Run(t.Context(), testRequest(fmt.Sprintf("return %d", i)), &testHost{}), strconv.Itoa(i))
		})
	}
	wg.Wait()
}

// BUD-12: a child that dies as it starts is replaced, as nothing has begun.
func TestBud12StartsAgain(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const once = `if test -e "$1"; then exec "$2" "$3"; fi; : > "$1"; kill -9 $$`
	p := NewPool(Options{Command: []string{sh, "-c", once, "sh", filepath.Join(t.TempDir(), "died"), self, ChildCommand}, MaxRuns: 1, MemoryMB: 256})
	defer p.Close()
	o := p.Run(t.Context(), testRequest("return 1"), &testHost{})
	wantValue(t, o, "1")
}

// BUD-1, BUD-11: a killed process whose pipes stay open, as they do while its memory
// is taken back, delays nobody.
func TestBud1PipesStayOpen(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const holding = `setsid sleep 20 2>/dev/null & exec "$0" "$1"`
	p := NewPool(Options{Command: []string{sh, "-c", holding, self, ChildCommand}, MaxRuns: 1, MemoryMB: 256})
	defer p.Close()
	began := time.Now()
	r := testRequest("'use strict'; console.log(1); await tools.echo({}); /(x+x+)+y/.test('x'.repeat(60)); for (;;) Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)")
	r.Limits.Wall = 500 * time.Millisecond
	h := &testHost{}
	wantError(t, fromFirstCall(t, p, r, h), TimedOut, "", "")
	if len(h.logs) != 1 || len(h.calls) != 1 {
		t.Errorf("logs %q, calls %v", h.logs, h.calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	h = &testHost{made: make(chan Call, 1)}
	done := make(chan Outcome)
	go func() { done <- p.Run(ctx, testRequest("await tools.hang({})"), h) }()
	<-h.made
	cancel()
	wantError(t, <-done, Cancelled, "", "")
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
}
