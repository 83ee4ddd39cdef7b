package sandbox

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"codemode-ls/script"

	"github.com/go-json-experiment/json"
)

// Exit codes of a child.
const (
	exitOK     = 0
	exitFailed = 1  // it could not start, or its channel broke
	exitMemory = 87 // the script used more memory than it may
)

const (
	// stackBytes bounds the Go stack: built-ins that call each other without end
	// die early instead of after a gigabyte.
	stackBytes   = 32 << 20
	memoryPeriod = 5 * time.Millisecond
)

// ChildCommand is the hidden subcommand that makes the program a child.
const ChildCommand = "sandbox-child"

// A program initialises its packages in the order of their paths, each after
// what it imports: the whole life of a child is here, before most of the program
// is initialised, which takes longer than all that a child needs itself (PERF-1).
// It is why this package must not import what imports net/http, esbuild's for
// one.
func init() {
	if len(os.Args) > 1 && os.Args[1] == ChildCommand {
		os.Exit(live())
	}
}

// warmUp is a script that makes a parser touch what most scripts need.
const warmUp = "(async function () { const x = { a: 1 };\nfor (const y of [1, 2]) { x.a = y; }\nreturn await Promise.all([x]); })"

// live is the child's whole life: harden, warm up, run one script, exit. It
// returns the exit code.
func live() int {
	// Nothing of the machine's settings: the same script gives the same result.
	time.Local = time.FixedZone("Coordinated Universal Time", 0) // as Date.prototype.toString names it
	debug.SetTraceback("single")
	debug.SetMaxStack(stackBytes)
	debug.SetGCPercent(-1) // there is little to collect until a script runs
	out := &frameWriter{w: os.Stdout}
	in := newFrameReader(os.Stdin, frameSlack)
	first, ok := begin(in)
	if !ok {
		return exitFailed
	}
	r := newRealm(childOutlet{out})
	r.load(&script.Program{Code: warmUp})
	rehearse()
	if err := out.write(frameReady); err != nil {
		return exitFailed
	}

	in.max = 1 << 30 // the host is trusted, and holds its own limits
	kind, body, err := in.read()
	if err != nil || kind != frameStart {
		return exitOK // the host does not need this child
	}
	head, rest, ok := takeSized(body)
	m, code, sized := takeSized(rest)
	var s start
	if !ok || !sized || json.Unmarshal(head, &s) != nil {
		return exitFailed
	}
	r.begin(s.Bounds, s.Tools, s.Members)
	r.members.addMembers(s.Absent, true)
	r.install(s.Globals, s.AllTools)
	go watchMemory(first.MemoryMB)
	go watchBusyness(&r.busy, time.Duration(s.Bounds.BusyMs)*time.Millisecond, out)
	go receive(in, r)
	f := r.run(&script.Program{Code: string(code), SourceMap: m}, s.Language)
	meta, err := withJSON(f)
	if err != nil {
		return exitFailed
	}
	if err := out.write(frameDone, meta, f.value); err != nil {
		return exitFailed
	}
	select {} // the host ends this process when it has done what is urgent
}

// rehearse makes the codec ready for what is said before and after a script.
func rehearse() {
	if b, err := json.Marshal(start{Language: script.TypeScript, Tools: []string{"a"}, Members: []string{"a"}}); err == nil {
		_ = json.Unmarshal(b, &start{})
	}
	_, _ = withJSON(finish{Status: Completed})
}

// begin reads what a child is told first, and gives up rights.
func begin(in *frameReader) (first initial, ok bool) {
	kind, body, err := in.read()
	if err != nil || kind != frameInit || json.Unmarshal(body, &first) != nil {
		return first, false
	}
	if err := harden(first.MemoryMB); err != nil {
		fmt.Fprintln(os.Stderr, "harden:", err)
		return first, false
	}
	if first.MemoryMB > 0 {
		debug.SetMemoryLimit(int64(first.MemoryMB) << 20 / 4 * 3)
	}
	return first, true
}

// receive takes what the host says, for as long as the process lives. It has no
// owner that waits for it: it ends with the process.
func receive(in *frameReader, r *realm) {
	for {
		kind, body, err := in.read()
		if err != nil {
			os.Exit(exitOK) // the host is gone
		}
		switch kind {
		case frameStop:
			r.stop(string(body))
		case frameValue, frameReject:
			index, rest, ok := takeWord(body)
			if !ok {
				os.Exit(exitFailed)
			}
			a := answer{index: index, value: rest}
			if kind == frameReject {
				a.err = &CallError{}
				if json.Unmarshal(rest, a.err) != nil {
					os.Exit(exitFailed)
				}
			}
			r.deliver(a)
		}
	}
}

// collectFrom is the memory from which garbage is collected: most scripts end
// before they have used as much.
const collectFrom = 64 << 20

// watchMemory ends the process when it uses more than it may (BUD-5), and starts
// the collector when there is something to collect. It starts with the script: a
// child that waits is idle.
func watchMemory(megabytes int) {
	limit := uint64(math.MaxUint64)
	if megabytes > 0 {
		limit = uint64(megabytes) << 20
	}
	collecting := false
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(memoryPeriod) {
		metrics.Read(samples)
		used := samples[0].Value.Uint64() - samples[1].Value.Uint64()
		if used > limit {
			os.Exit(exitMemory)
		}
		if used > collectFrom && !collecting {
			collecting = true
			debug.SetGCPercent(100)
		}
	}
}

// watchBusyness tells the host when the script has computed for longer than it
// may.
func watchBusyness(b *busyness, limit time.Duration, out *frameWriter) {
	if limit <= 0 {
		return
	}
	for {
		left := limit - b.read()
		if left <= 0 {
			_ = out.write(frameBusy)
			return
		}
		<-time.After(left)
	}
}

// childOutlet sends what a realm says to the host. When that fails, the host is
// gone, and so is the reason to live.
type childOutlet struct{ w *frameWriter }

func (o childOutlet) call(index int, name string, args []byte, at *script.Position) {
	if o.w.call(index, strings.ToValidUTF8(name, "\ufffd"), args, at) != nil {
		os.Exit(exitOK)
	}
}

func (o childOutlet) log(level, text string) {
	i := max(0, slices.Index(levels[:], level))
	if o.w.write(frameLog, []byte{byte(i)}, []byte(strings.ToValidUTF8(text, "\ufffd"))) != nil {
		os.Exit(exitOK)
	}
}
