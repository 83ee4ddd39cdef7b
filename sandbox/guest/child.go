package guest

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"

	"github.com/go-json-experiment/json"
)

const (
	// stackBytes bounds the Go stack: built-ins that call each other without end
	// die early instead of after a gigabyte.
	stackBytes   = 32 << 20
	memoryPeriod = 5 * time.Millisecond
)

// A program initialises its packages in the order of their paths, each after
// what it imports: the whole life of a child is here, before most of the program
// is initialised, which takes longer than all that a child needs itself (PERF-1).
// It is why this package must not import what imports net/http, esbuild's for
// one.
func init() {
	if len(os.Args) > 1 && os.Args[1] == frame.ChildCommand {
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
	out := frame.NewWriter(os.Stdout)
	in := frame.NewReader(os.Stdin, frame.Slack)
	first, ok := begin(in)
	if !ok {
		return frame.ExitFailed
	}
	r := newRealm(childOutlet{out})
	r.Load(&script.Program{Code: warmUp})
	rehearse()
	if err := out.Write(frame.KindReady); err != nil {
		return frame.ExitFailed
	}

	in.Max = 1 << 30 // the host is trusted, and holds its own limits
	kind, body, err := in.Read()
	if err != nil || kind != frame.KindStart {
		return frame.ExitOK // the host does not need this child
	}
	head, rest, ok := frame.TakeSized(body)
	m, code, sized := frame.TakeSized(rest)
	var s frame.Start
	if !ok || !sized || json.Unmarshal(head, &s) != nil {
		return frame.ExitFailed
	}
	r.begin(s.Bounds, s.Tools, s.Members)
	r.members.addMembers(s.Absent, true)
	r.install(s.Globals, s.AllTools)
	go watchMemory(first.MemoryMB)
	go watchBusyness(&r.busy, time.Duration(s.Bounds.BusyMs)*time.Millisecond, out)
	go receive(in, r)
	f := r.run(&script.Program{Code: string(code), SourceMap: m}, s.Language, s.Input)
	meta, err := frame.WithJSON(f)
	if err != nil {
		return frame.ExitFailed
	}
	if err := out.Write(frame.KindDone, meta, f.Value); err != nil {
		return frame.ExitFailed
	}
	select {} // the host ends this process when it has done what is urgent
}

// rehearse makes the codec ready for what is said before and after a script.
func rehearse() {
	if b, err := json.Marshal(frame.Start{Language: script.TypeScript, Tools: []string{"a"}, Members: []string{"a"}}); err == nil {
		_ = json.Unmarshal(b, &frame.Start{})
	}
	_, _ = frame.WithJSON(frame.Finish{Status: frame.Completed})
}

// begin reads the first message to a child, and gives up rights.
func begin(in *frame.Reader) (first frame.Initial, ok bool) {
	kind, body, err := in.Read()
	if err != nil || kind != frame.KindInit || json.Unmarshal(body, &first) != nil {
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
func receive(in *frame.Reader, r *realm) {
	for {
		kind, body, err := in.Read()
		if err != nil {
			os.Exit(frame.ExitOK) // the host is gone
		}
		switch kind {
		case frame.KindStop:
			r.stop(string(body))
		case frame.KindValue, frame.KindReject:
			index, rest, ok := frame.TakeWord(body)
			if !ok {
				os.Exit(frame.ExitFailed)
			}
			a := answer{index: index, value: rest}
			if kind == frame.KindReject {
				a.err = &frame.CallError{}
				if json.Unmarshal(rest, a.err) != nil {
					os.Exit(frame.ExitFailed)
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
			os.Exit(frame.ExitMemory)
		}
		if used > collectFrom && !collecting {
			collecting = true
			debug.SetGCPercent(100)
		}
	}
}

// watchBusyness notifies the host when the script has computed for longer than it
// may.
func watchBusyness(b *busyness, limit time.Duration, out *frame.Writer) {
	if limit <= 0 {
		return
	}
	for {
		left := limit - b.read()
		if left <= 0 {
			_ = out.Write(frame.KindBusy)
			return
		}
		<-time.After(left)
	}
}

// childOutlet sends what a realm says to the host. When that fails, the host is
// gone, and so is the reason to live.
type childOutlet struct{ w *frame.Writer }

func (o childOutlet) call(index int, name string, args []byte, at *script.Position) {
	if o.w.WriteCall(index, strings.ToValidUTF8(name, "\ufffd"), args, at) != nil {
		os.Exit(frame.ExitOK)
	}
}

func (o childOutlet) log(level, text string) {
	i := max(0, slices.Index(frame.Levels[:], level))
	if o.w.Write(frame.KindLog, []byte{byte(i)}, []byte(strings.ToValidUTF8(text, "\ufffd"))) != nil {
		os.Exit(frame.ExitOK)
	}
}
