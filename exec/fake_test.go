package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/config"
	"codemode-ls/permission"
	"codemode-ls/sandbox"
	"codemode-ls/sandbox/guest"
	"codemode-ls/script"
	"codemode-ls/script/esbuild"
	"codemode-ls/upstream"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.CompilerCommand {
		os.Exit(guest.CompilerMain(esbuild.Transform))
	}
	goleak.VerifyTestMain(m)
}

// A fakeSandbox runs a Go function as the script. It keeps the contract of
// sandbox.Host: calls are numbered in the order in which they are made, each has
// a goroutine of its own, their context ends with the script, and Run waits.
type fakeSandbox func(s *fakeScript) sandbox.Outcome

type fakeScript struct {
	context.Context
	host    sandbox.Host
	request sandbox.Request
	next    int
	calls   sync.WaitGroup
	settled []bool
	arrived []string // answers in the order in which they came
	mu      sync.Mutex
}

// A fakeCall is the promise of one call.
type fakeCall struct {
	done  chan struct{}
	value jsontext.Value
	err   error
}

func (f fakeSandbox) Run(ctx context.Context, r sandbox.Request, h sandbox.Host) sandbox.Outcome {
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	s := &fakeScript{Context: ctx, host: h, request: r}
	o := f(s)
	if ctx.Err() != nil {
		o.Status = sandbox.Cancelled
	}
	s.mu.Lock()
	for i, settled := range s.settled {
		if !settled {
			o.InFlight = append(o.InFlight, i)
		}
	}
	s.mu.Unlock()
	cancel()
	s.calls.Wait()
	o.Wall = time.Since(began)
	return o
}

// start makes a call without waiting for it.
func (s *fakeScript) start(name, arguments string) *fakeCall {
	c := &fakeCall{done: make(chan struct{})}
	index := s.next
	s.next++
	s.mu.Lock()
	s.settled = append(s.settled, false)
	s.mu.Unlock()
	s.calls.Go(func() {
		c.value, c.err = s.host.Call(s.Context, sandbox.Call{Index: index, Name: name, Arguments: jsontext.Value(arguments), At: &script.Position{Line: index}})
		s.mu.Lock()
		s.settled[index] = true
		s.arrived = append(s.arrived, string(c.value))
		s.mu.Unlock()
		close(c.done)
		if h, ok := s.host.(sandbox.Answerer); ok {
			h.Answered(index)
		}
	})
	return c
}

// call makes a call and waits for it, as `await` does.
func (s *fakeScript) call(name, arguments string) (string, error) {
	c := s.start(name, arguments)
	<-c.done
	return string(c.value), c.err
}

func (c *fakeCall) await() (string, error) {
	<-c.done
	return string(c.value), c.err
}

// completed is the outcome of a script that returned a JSON value.
func completed(value string) sandbox.Outcome {
	return sandbox.Outcome{Status: sandbox.Completed, HasValue: value != "", Value: jsontext.Value(value)}
}

// rejected is the outcome of a script that did not catch the rejection of a call.
func rejected(index int, err error) sandbox.Outcome {
	var c *sandbox.CallError
	e := &sandbox.ScriptError{Name: "Error", Message: err.Error(), Call: index}
	if errors.As(err, &c) {
		e.Code = c.Code
	}
	return sandbox.Outcome{Status: sandbox.Thrown, Error: e}
}

// A fakeServer answers calls and notes what overlaps.
type fakeServer struct {
	answer func(ctx context.Context, c upstream.Call) (*upstream.Result, error)

	mu      sync.Mutex
	sent    []upstream.Call
	running map[string]int
	overlap []string // "tool+tool" for each pair that ran at the same time
	most    int
}

func (f *fakeServer) Call(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
	f.mu.Lock()
	if f.running == nil {
		f.running = map[string]int{}
	}
	name := c.Server + "." + c.Tool
	for other, n := range f.running {
		for range n {
			f.overlap = append(f.overlap, min(name, other)+"+"+max(name, other))
		}
	}
	f.running[name]++
	total := 0
	for _, n := range f.running {
		total += n
	}
	f.most = max(f.most, total)
	f.sent = append(f.sent, c)
	f.mu.Unlock()
	c.Sent()
	defer func() {
		f.mu.Lock()
		f.running[name]--
		f.mu.Unlock()
	}()
	if f.answer != nil {
		return f.answer(ctx, c)
	}
	return &upstream.Result{Text: "ok", HasText: true}, nil
}

// after answers when a time has passed, or the call ends.
func after(d time.Duration) func(context.Context, upstream.Call) (*upstream.Result, error) {
	return func(ctx context.Context, c upstream.Call) (*upstream.Result, error) {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return &upstream.Result{Text: c.Tool, HasText: true}, nil
		case <-ctx.Done():
			return nil, &upstream.CallError{Reason: upstream.Cancelled, Server: c.Server, Message: ctx.Err().Error(), Err: ctx.Err()}
		}
	}
}

// An askerFunc is a person.
type askerFunc func(ctx context.Context, q Question) (Answer, error)

func (f askerFunc) Ask(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// always gives one answer and notes the questions.
type always struct {
	Answer
	mu    sync.Mutex
	asked []Question
}

func (a *always) Ask(ctx context.Context, q Question) (Answer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, q)
	return a.Answer, nil
}

// tool is one element of a tools/list answer.
func tool(name, rest string) jsontext.Value {
	if rest != "" {
		rest = "," + rest
	}
	return jsontext.Value(fmt.Sprintf(`{"name":%q,"description":"Does %s.","inputSchema":{"type":"object"}%s}`, name, name, rest))
}

const (
	readOnly    = `"annotations":{"readOnlyHint":true}`
	destructive = `"annotations":{"destructiveHint":true}`
	idempotent  = `"annotations":{"idempotentHint":true,"destructiveHint":false}`
)

// pool has two servers with a tool of every kind.
func pool() *catalog.Catalog {
	tools := []jsontext.Value{tool("plain", ""), tool("other", ""), tool("read", readOnly), tool("drop", destructive), tool("put", idempotent)}
	return catalog.New([]*catalog.Server{
		catalog.NewServer("a", tools, "How to use a.", false),
		catalog.NewServer("b", tools, "", false),
	}, nil)
}

// A bench is a Runner over fakes, with every tool allowed unless rules are given.
type bench struct {
	*Runner
	server   *fakeServer
	store    *permission.Store
	eventsMu sync.Mutex // several runs at once
	events   []Event
}

func setup(t *testing.T, f fakeSandbox, rules ...permission.Rule) *bench {
	if rules == nil {
		rules = []permission.Rule{{Effect: permission.Allow, Layer: permission.Flag, Match: "mcp__*__*"}}
	}
	b := &bench{server: &fakeServer{}}
	p := pool()
	dir := t.TempDir()
	b.Runner = &Runner{
		Sandbox: f,
		Caller:  b.server,
		Pool: func() *catalog.Catalog {
			return catalog.New(p.Servers(), func(t *catalog.Tool) bool { return b.store.Rules().Decide(t.Name).Effect != permission.Deny })
		},
		Limits:      config.DefaultLimits,
		ArtifactDir: t.TempDir(),
		Log:         slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	b.store = permission.OpenStore(permission.StoreOptions{UserDir: dir, Folder: dir, Fixed: rules})
	b.Runner.Rules = b.store
	return b
}

// ask is a rule set under which every call is asked for.
var ask = permission.Rule{Effect: permission.Allow, Layer: permission.Flag, Match: "Exec"}

func (b *bench) run(t *testing.T, q Request) *Result {
	t.Helper()
	if q.Code == "" {
		q.Code = "return 1"
	}
	q.Events = func(e Event) {
		b.eventsMu.Lock()
		defer b.eventsMu.Unlock()
		b.events = append(b.events, e)
	}
	return b.Run(t.Context(), q)
}

func (b *bench) kinds(kind string) (found []Event) {
	for _, e := range b.events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

func statuses(r *Result) (list []CallStatus) {
	for _, c := range r.Calls {
		list = append(list, c.Status)
	}
	return list
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func contain(t *testing.T, s, part string) {
	t.Helper()
	if !containsText(s, part) {
		t.Errorf("%q is not in:\n%s", part, s)
	}
}
