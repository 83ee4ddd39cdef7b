package sandbox

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// fromFirstCall runs a script whose time begins with its first call: how long the
// machine takes to compile it and to start its process says nothing.
func fromFirstCall(t *testing.T, p *Pool, r Request, h *testHost) Outcome {
	t.Helper()
	if _, err := p.compile(t.Context(), r.Code, r.Language); err != nil {
		t.Fatal(err)
	}
	if r.Clock == nil {
		r.Clock = NewClock()
	}
	return p.Run(t.Context(), r, startedByCall{h, r.Clock.Hold(ForQueue)})
}

type startedByCall struct {
	*testHost
	start func()
}

func (h startedByCall) Call(ctx context.Context, c Call) (jsontext.Value, error) {
	h.start()
	return h.testHost.Call(ctx, c)
}

// BUD-1, BUD-2, BUD-4: whatever a script hangs in, its result is there at most
// 500 ms after the budget, and a call that was finished stays finished.
func TestBud1Hangs(t *testing.T) {
	const budget = 300 * time.Millisecond
	for name, code := range map[string]string{
		"loop":             "await tools.echo({}); while (true) {}",
		"after await":      "await tools.echo({}); await null; for (;;) { [1].map((x) => x) }",
		"microtasks":       "await tools.echo({}); const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})",
		"native jobs":      "await tools.echo({}); const o: any = {}; o.then = Array.prototype.forEach.bind([o]); await o",
		"regexp":           `await tools.echo({}); /^(a+)+\1$/.test("a".repeat(40) + "b")`,
		"regexp in a job":  `await tools.echo({}); return Promise.resolve("x".repeat(60)).then(RegExp.prototype.test.bind(/(?!(x+x+)+y)/))`,
		"sparse":           "await tools.echo({}); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
		"bigint":           "await tools.echo({}); let n = 30000000n; 7n ** n",
		"catch":            "await tools.echo({}); for (;;) { try { while (true) {} } catch {} finally { continue } }",
		"endless iterator": "await tools.echo({}); new Set({ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) } as any)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			late := time.Duration(0)
			for range 3 { // a busy machine is late by itself, but not each time
				r, h := testRequest(code), &testHost{}
				r.Limits.Wall = budget
				o := fromFirstCall(t, shared, r, h)
				if o.Status == Memory && (strings.Contains(name, "iterator") || raceDetector) {
					return // what it makes without end fills the memory first
				}
				wantError(t, o, TimedOut, "", "")
				if len(h.calls) != 1 || len(o.InFlight) != 0 {
					t.Errorf("calls %v, in flight %v", h.calls, o.InFlight)
				}
				if late = o.Wall - budget; late <= 500*time.Millisecond {
					return
				}
			}
			t.Errorf("%v late", late)
		})
	}
}

// BUD-1: where a built-in is a job by itself and no frame of the script is open, a
// stop of the code that it calls is the script's end too.
func TestBud1StoppedInJobs(t *testing.T) {
	for _, code := range []string{
		"Reflect.apply = () => { for (;;) { } }; return Promise.resolve(new URL('https://a.b/')).then(console.log)",
		"let n = 0; const o: any = { get then() { if (n++ === 0) return; for (;;) { } } }; return Promise.resolve(o).then(Promise.resolve.bind(Promise))",
		"const e = Object.defineProperty(new Error('a'), 'message', { get() { for (;;) { } } }); return Promise.resolve(e).then(console.log)",
		"let n = 0; class P extends Promise<any> {}; return Promise.resolve({ get then(): any { if (n++ === 0) return; for (;;) { } } }).then(Promise.resolve.bind(P))",
	} {
		r := testRequest(code)
		r.Limits.Wall = 300 * time.Millisecond
		if raceDetector {
			r.Limits.Wall = 3 * time.Second
		}
		h := &testHost{}
		wantError(t, shared.Run(t.Context(), r, h), TimedOut, "", "")
		if len(h.logs) > 0 {
			t.Errorf("%s: it logged %q", code, h.logs)
		}
	}
}

// EXEC-2, EXEC-8: a built-in that is a job runs no other job before it ends.
func TestJobsInOrder(t *testing.T) {
	for _, job := range []string{
		"Promise.resolve({ a: 1 }).then(console.info)",
		"Promise.resolve('abc').then(RegExp.prototype.exec.bind(/b/))",
		"Promise.resolve([1]).then(tools.echo).catch(() => {})",
		"Promise.resolve({}).then(Promise.resolve.bind(Promise))",
		"Promise.resolve(new URL('https://a.b')).then(console.info)",
	} {
		o, h := runScript(t, "Promise.resolve().then(() => { Promise.resolve().then(() => console.log('last')) }); "+job+"; Promise.resolve().then(() => console.log('first')); await new Promise<void>((r) => queueMicrotask(() => queueMicrotask(r)))")
		logs := slices.DeleteFunc(h.logs, func(l string) bool { return strings.HasPrefix(l, "info") })
		if o.Status != Completed || !slices.Equal(logs, []string{"log: first", "log: last"}) {
			t.Errorf("%s: %s %q %+v", job, o.Status, h.logs, o.Error)
		}
	}
}

// BUD-3
func TestBud3Stall(t *testing.T) {
	for _, code := range []string{
		"await new Promise(() => {})", "await tools.echo({}); await { then() {} }",
		"await Promise.all([tools.echo({}), new Promise(() => {})])", "await Promise.race([])",
	} {
		o, _ := runScript(t, code)
		wantError(t, o, Stalled, "Error", "can never settle")
	}
}

// BUD-5: memory ends the script alone.
func TestBud5Memory(t *testing.T) {
	for _, code := range []string{
		"const a = []; for (;;) a.push('x'.repeat(1 << 20) + a.length)",
		"'x'.repeat(2 ** 30)",
		"new ArrayBuffer(1e12)",
		"new Uint8Array(2 ** 31 - 1).fill(1)",
		"Array.from({ length: 1e9 })",
		"'x'.padEnd(2 ** 33)",
		"new Array(2 ** 32 - 1).fill(0)",
		"let s = 'x'; for (;;) s += s",
		"1n << 2n ** 40n",
		"const m = new Map(); for (let i = 0; ; i++) m.set(i, new Array(1000).fill(i))",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			r := testRequest(code)
			r.Limits.Wall, r.Limits.Active = 5*time.Minute, 5*time.Minute // on a machine that does other things too
			o := shared.Run(t.Context(), r, &testHost{})
			if raceDetector && o.Status == TimedOut {
				return // too slow to fill the memory in time
			}
			if o.Status != Memory && (o.Status != Thrown || o.Error.Name != "RangeError") {
				t.Errorf("%s %+v", o.Status, o.Error)
			}
		})
	}
	o, _ := runScript(t, "const a = []; for (let i = 0; i < 100; i++) a.push(new Uint8Array(1 << 20).fill(i)); return a.length")
	wantValue(t, o, "100")
}

// BUD-5: recursion is a RangeError, also through built-ins.
func TestBud5Recursion(t *testing.T) {
	for _, code := range []string{
		"(function f(): void { f() })()", "const f = (): any => [1].map(f); f()",
		"const o: any = {}; o.toString = () => '' + o; '' + o",
		"const o: any = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o)",
		"JSON.parse('['.repeat(1e7))", "class A { get x(): any { return this.x } } new A().x",
		"const o: any = {}; o.toJSON = JSON.stringify.bind(null, o); JSON.stringify(o)",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			r := testRequest(code)
			r.Limits.Wall, r.Limits.Active = 5*time.Minute, 5*time.Minute
			o := shared.Run(t.Context(), r, &testHost{})
			if o.Status == Memory || o.Status == Thrown && (o.Error.Name == "RangeError" || o.Error.Name == "SyntaxError") {
				return
			}
			t.Errorf("%s %+v", o.Status, o.Error)
		})
	}
	o, _ := runScript(t, "const f = (n: number): number => n ? 1 + f(n - 1) : 0; return f(5000)")
	wantValue(t, o, "5000")
}

// BUD-6: active compute has a budget of its own; waiting for calls is free.
func TestBud6Active(t *testing.T) {
	r := testRequest("await tools.echo({}); for (;;) { }")
	r.Limits.Active = 200 * time.Millisecond
	o := shared.Run(t.Context(), r, &testHost{})
	wantError(t, o, Overspent, "", "")
	if o.Active < r.Limits.Active {
		t.Errorf("active %v", o.Active)
	}
	release := make(chan struct{})
	h := &testHost{answer: func(context.Context, Call) (jsontext.Value, error) {
		time.AfterFunc(1500*time.Millisecond, func() { close(release) })
		<-release
		return jsontext.Value("1"), nil
	}}
	r = testRequest("return await tools.echo({})")
	r.Limits.Active = time.Second
	o = fromFirstCall(t, shared, r, h)
	wantValue(t, o, "1")
	if o.Wall < 1500*time.Millisecond || o.Active > time.Second {
		t.Errorf("wall %v, active %v", o.Wall, o.Active)
	}
}

// BUD-1, BUD-6: the clock that stands still while calls wait in line gives no time
// to a script that does not wait for them.
func TestBud1BusyWhileCallsWait(t *testing.T) {
	r := testRequest("tools.hang({}); for (;;) { }")
	r.Limits.Wall = 300 * time.Millisecond
	r.Clock = NewClock()
	h := &testHost{answer: func(ctx context.Context, _ Call) (jsontext.Value, error) {
		defer r.Clock.Hold(ForQueue)()
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	began := time.Now()
	o := shared.Run(t.Context(), r, h)
	wantError(t, o, TimedOut, "", "")
	if took := time.Since(began); took > 20*time.Second { // for ever, without the budget
		t.Errorf("it took %v", took)
	}
	// One that waits for them has the time.
	r = testRequest("await tools.hang({}); return 1")
	r.Limits.Wall = time.Second
	r.Clock = NewClock()
	h = &testHost{answer: func(context.Context, Call) (jsontext.Value, error) {
		defer r.Clock.Hold(ForQueue)()
		<-time.After(1500 * time.Millisecond)
		return jsontext.Value("1"), nil
	}}
	wantValue(t, fromFirstCall(t, shared, r, h), "1")
}

// BUD-6: a held clock stands still, and so does the deadline.
func TestBud6Held(t *testing.T) {
	r := testRequest("await tools.echo({}); await tools.hang({})")
	r.Limits.Wall = time.Second
	r.Clock = NewClock()
	h := &testHost{}
	const thinking = 1500 * time.Millisecond
	h.answer = func(ctx context.Context, c Call) (jsontext.Value, error) {
		if c.Name == "hang" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		release := r.Clock.Hold(ForPermission)
		defer release()
		<-time.After(thinking)
		return c.Arguments, nil
	}
	o := fromFirstCall(t, shared, r, h)
	wantError(t, o, TimedOut, "", "")
	if !slices.Equal(o.InFlight, []int{1}) || r.Clock.Held(ForPermission) < thinking || o.Wall < r.Limits.Wall {
		t.Errorf("in flight %v, held %v, wall %v", o.InFlight, r.Clock.Held(ForPermission), o.Wall)
	}
}

// BUD-6: the clock of a run, in time that is ours.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClock()
		time.Sleep(time.Second)
		permission := c.Hold(ForPermission)
		time.Sleep(2 * time.Second)
		queue := c.Hold(ForQueue)
		time.Sleep(3 * time.Second)
		permission()
		permission()
		time.Sleep(4 * time.Second)
		if c.Held(ForQueue) != 7*time.Second {
			t.Errorf("queue so far %v", c.Held(ForQueue))
		}
		queue()
		time.Sleep(5 * time.Second)
		if c.Elapsed() != 6*time.Second || c.Held(ForPermission) != 5*time.Second || c.Held(ForQueue) != 7*time.Second {
			t.Errorf("%v %v %v", c.Elapsed(), c.Held(ForPermission), c.Held(ForQueue))
		}
	})
}

// BUD-8
func TestBud8Logs(t *testing.T) {
	h := &testHost{}
	r := testRequest("console.log('é'.repeat(60)); console.log('y'.repeat(60)); console.log('z'); console.log('')")
	r.Limits.LogChars = 100
	o := shared.Run(t.Context(), r, h)
	if want := []string{"log: " + strings.Repeat("é", 60), "log: " + strings.Repeat("y", 40), "log: "}; !slices.Equal(h.logs, want) || o.LogsCut != 21 {
		t.Errorf("%q cut %d", h.logs, o.LogsCut)
	}
	h = &testHost{}
	r = testRequest("for (let i = 0; i < 10; i++) console.log(i)")
	r.Limits.LogEntries = 4
	o = shared.Run(t.Context(), r, h)
	if len(h.logs) != 4 || o.LogsCut != 6 {
		t.Errorf("%q cut %d", h.logs, o.LogsCut)
	}
	h = &testHost{}
	r = testRequest("for (;;) console.log('flood')")
	r.Limits.Wall = 2 * time.Second
	o = shared.Run(t.Context(), r, h)
	if o.Status != TimedOut || len(h.logs) != 2000 {
		t.Errorf("%s, %d entries, cut %d", o.Status, len(h.logs), o.LogsCut)
	}
}

// BUD-11
func TestBud11Cancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := shared.Run(ctx, testRequest("return 1"), &testHost{})
	wantError(t, o, Cancelled, "", "")

	for _, code := range []string{
		"await tools.hang({})", "await tools.echo({}); for (;;) {}",
		// What the end of its calls would let a script do counts for nothing.
		"await tools.hang({}).catch(() => {}); return 1", "return Promise.allSettled([tools.hang({})])",
		"await tools.hang({}).catch(() => {}); await new Promise(() => {})", "await tools.hang({}).catch(() => {}); console.log('went on'); throw 1",
	} {
		for range 10 {
			ctx, cancel = context.WithCancel(t.Context())
			h := &testHost{made: make(chan Call, 1)}
			done := make(chan Outcome)
			go func() { done <- shared.Run(ctx, testRequest(code), h) }()
			<-h.made
			cancel()
			o = <-done
			wantError(t, o, Cancelled, "", "")
			if hung := strings.Contains(code, "hang"); len(h.logs) > 0 || hung && !slices.Equal(o.InFlight, []int{0}) {
				t.Errorf("%s: %q, in flight %v", code, h.logs, o.InFlight)
			}
		}
	}
}

// BUD-12: a child that is killed is a failed result; the pool goes on.
func TestBud12Killed(t *testing.T) {
	p := NewPool(Options{Warm: 1, MaxRuns: 1, MemoryMB: 256})
	defer p.Close()
	c, err := p.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h := &testHost{made: make(chan Call, 1)}
	r := testRequest("await tools.hang({})")
	r.Clock = NewClock()
	program, err := p.compile(t.Context(), r.Code, r.Language)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan Outcome)
	go func() { done <- newRun(c, r, h, newActivity(), p.o.Log).do(t.Context(), program) }()
	<-h.made
	c.cmd.Process.Kill()
	o := <-done
	wantError(t, o, Crashed, "Error", "ended unexpectedly (signal: killed)")
	if !slices.Equal(o.InFlight, []int{0}) {
		t.Errorf("in flight %v", o.InFlight)
	}
	p.retire(c)
	o = p.Run(t.Context(), testRequest("return 2"), &testHost{})
	wantValue(t, o, "2")

	// One that dies while it waits is noticed, or replaced.
	c, err = p.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Process.Kill()
	<-c.exited
	p.mu.Lock()
	p.idle = append([]*child{c}, p.idle...)
	p.mu.Unlock()
	o = p.Run(t.Context(), testRequest("return 3"), &testHost{})
	wantValue(t, o, "3")
}

// BUD-12: a child that somebody has killed while it waited is given no script,
// however soon one comes.
func TestBud12KilledWhileIdle(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no pipe tells there that a process has ended")
	}
	p := NewPool(Options{Warm: 1, MaxRuns: 1, MemoryMB: 256})
	defer p.Close()
	for range 5 {
		c, err := p.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		killProcess(c.cmd)
		c.cmd.Process.Signal(os.Kill)
		for !hungUp(c.out) {
			runtime.Gosched()
		}
		p.mu.Lock()
		p.idle = append([]*child{c}, p.idle...)
		p.mu.Unlock()
		wantValue(t, p.Run(t.Context(), testRequest("return 1"), &testHost{}), "1")
	}
}

// BUD-12: a program that is no sandbox.
func TestBud12NoChild(t *testing.T) {
	for _, command := range [][]string{{"/nonexistent/program"}, {"/bin/true"}, {"/bin/echo", "garbage"}} {
		p := NewPool(Options{Command: command})
		o := p.Run(t.Context(), testRequest("return 1"), &testHost{})
		wantError(t, o, Crashed, "Error", "start a sandbox")
		p.Close()
	}
	p := NewPool(Options{})
	p.Close()
	o := p.Run(t.Context(), testRequest("return 1"), &testHost{})
	wantError(t, o, Cancelled, "", "")
}

// Many calls, many runs.
func TestThousandCalls(t *testing.T) {
	o, h := runScript(t, "const r: any[] = await Promise.all(Array.from({ length: 1000 }, (_, i) => tools.echo({ i }))); return r.every((x, i) => x.i === i)")
	wantValue(t, o, "true")
	if len(h.calls) != 1000 {
		t.Errorf("%d calls", len(h.calls))
	}
}

// PERF-9, in small: 200 runs at once are queued and complete.
func TestManyRuns(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 20
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			r := testRequest("let s = 0; for (let i = 0; i < 10; i++) s += (await tools.echo({ i })).i; return s")
			r.Clock = NewClock()
			o := shared.Run(t.Context(), r, &testHost{})
			if o.Status != Completed || string(o.Value) != "45" {
				t.Errorf("run %d: %s %+v", i, o.Status, o.Error)
			}
		})
	}
	wg.Wait()
}

// ISO-10: a run leaves nothing behind for the next.
func TestIso10Fresh(t *testing.T) {
	for range 3 {
		o, _ := runScript(t, "const g: any = globalThis; const was = g.left; g.left = 1; (Object.prototype as any).left2 = 2; return [was, ({} as any).left2 === 2]")
		wantValue(t, o, "[null,true]")
	}
}

// ISO-9: the child gets no environment.
func TestIso9Environment(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("no /proc")
	}
	p := NewPool(Options{Warm: 1, MemoryMB: 256})
	defer p.Close()
	c, err := p.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.retire(c)
	if len(c.cmd.Env) != 0 || len(c.cmd.ExtraFiles) != 0 {
		t.Errorf("env %q, files %v", c.cmd.Env, c.cmd.ExtraFiles)
	}
}
