package bench

import (
	"context"
	"os"
	"testing"
	"time"

	"codemode-ls/internal/mcptest"
	"codemode-ls/sandbox"
	"codemode-ls/sandbox/guest"
	codescript "codemode-ls/script"
	"codemode-ls/script/esbuild"

	"github.com/go-json-experiment/json/jsontext"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case sandbox.CompilerCommand:
			os.Exit(guest.CompilerMain(esbuild.Transform))
		case echoArgument:
			echo()
			return
		case demoArgument:
			serveDemo()
			return
		}
	}
	os.Exit(m.Run())
}

// echoHost answers every call with its arguments.
type echoHost struct{}

func (echoHost) Call(_ context.Context, c sandbox.Call) (jsontext.Value, error) {
	return c.Arguments, nil
}

func (echoHost) Log(string, string) {}

func sandboxPool(b testing.TB) *sandbox.Pool {
	p := sandbox.NewPool(sandbox.Options{Warm: 4, MaxRuns: 4, MemoryMB: 256})
	b.Cleanup(p.Close)
	return p
}

func runInSandbox(b testing.TB, p *sandbox.Pool, code string) sandbox.Outcome {
	b.Helper()
	o := p.Run(context.Background(), sandbox.Request{
		Code: code, Language: codescript.TypeScript, Tools: []string{"echo"},
		Limits: sandbox.Limits{Wall: time.Minute, Active: time.Minute, MemoryMB: 256, MaxConcurrent: 64, LogChars: 65_536, LogEntries: 2000, ValueBytes: 64 << 20},
	}, echoHost{})
	if o.Status != sandbox.Completed {
		b.Fatalf("%s: %+v", o.Status, o.Error)
	}
	return o
}

// PERF-1: `return 1` in a process of its own, back to back, so that the renewal of
// the pool is in the figure.
func BenchmarkSandboxReturn1(b *testing.B) {
	p := sandboxPool(b)
	runInSandbox(b, p, "return 1")
	for b.Loop() {
		runInSandbox(b, p, "return 1")
	}
}

// PERF-2: what a nested call costs on the way from the script to the host and
// back, one after the other, and 1,000 at once.
func BenchmarkSandboxCall(b *testing.B) {
	for name, code := range map[string]string{
		"Sequential": "for (let i = 0; i < 1000; i++) await tools.echo({ i })",
		"Concurrent": "await Promise.all(Array.from({ length: 1000 }, (_, i) => tools.echo({ i })))",
	} {
		b.Run(name, func(b *testing.B) {
			p := sandboxPool(b)
			n, took := 0, time.Duration(0)
			for b.Loop() {
				took += runInSandbox(b, p, code).Wall
				n += 1000
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(n), "ns/call")
		})
	}
}
