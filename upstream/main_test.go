package upstream

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"codemode-ls/config"
	"codemode-ls/internal/demo"
	"codemode-ls/internal/mcptest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	if len(os.Args) == 2 && os.Args[1] == "demo" {
		if demo.Serve(context.Background(), os.Stdin, os.Stdout) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 3 && os.Args[1] == "hostile" {
		hostile(os.Args[2])
	}
	if len(os.Args) == 4 && os.Args[1] == "start-and-wait" {
		startAndWait(os.Args[2], os.Args[3])
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what must happen.
const patience = time.Minute

// testSet is a set with an eye on its changes.
type testSet struct {
	*Set
	t     *testing.T
	dirty chan struct{}
}

func newTestSet(t *testing.T, change func(*Options)) *testSet {
	t.Helper()
	s := &testSet{t: t, dirty: make(chan struct{}, 1)}
	o := Options{
		Limits: config.DefaultLimits(), Version: "test",
		Changed: func() {
			select {
			case s.dirty <- struct{}{}:
			default:
			}
		},
	}
	if change != nil {
		change(&o)
	}
	s.Set = NewSet(o)
	s.policy.firstDelay = 10 * time.Millisecond
	s.policy.minSession = 0
	s.policy.debounce = 20 * time.Millisecond
	t.Cleanup(s.Close)
	return s
}

func (s *testSet) configure(servers ...config.Server) {
	s.Configure(servers, nil)
}

// until waits for a status of one server.
func (s *testSet) until(name string, what string, ok func(Status) bool) Status {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		var last Status
		for _, st := range s.Status() {
			if st.Server.Name == name {
				if last = st; ok(st) {
					return st
				}
			}
		}
		select {
		case <-s.dirty:
		case <-deadline:
			s.t.Fatalf("server %s never was %s: %+v", name, what, last)
		}
	}
}

func (s *testSet) untilState(name string, state State) Status {
	s.t.Helper()
	return s.until(name, string(state), func(st Status) bool { return st.State == state })
}

func (s *testSet) settle() {
	s.t.Helper()
	if err := s.Settled(testContext(s.t)); err != nil {
		s.t.Fatal(err)
	}
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// names are the full names of the pool's tools, with a mark for cached ones.
func (s *testSet) names() string {
	var names []string
	for _, server := range s.Servers() {
		if server.Gone {
			continue // in no pool
		}
		for _, tool := range server.Tools {
			name := tool.Name
			if server.Cached {
				name += " (cached)"
			}
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// call calls a tool and expects a result.
func (s *testSet) call(server, tool, arguments string) *Result {
	s.t.Helper()
	r, err := s.Call(testContext(s.t), Call{Server: server, Tool: tool, Arguments: []byte(arguments)})
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// refuse calls a tool and expects a failure.
func (s *testSet) refuse(ctx context.Context, server, tool string) *CallError {
	s.t.Helper()
	r, err := s.Call(ctx, Call{Server: server, Tool: tool})
	if err == nil {
		s.t.Fatalf("%s answered %s", tool, r.Raw)
	}
	return err.(*CallError)
}

// gone waits until a process that was killed has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	deadline := time.After(10 * time.Second)
	for alive(pid) {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("process %d lives", pid)
		}
	}
}

// alive reports whether a process exists.
func alive(pid int) bool {
	_, err := os.Stat("/proc/" + itoa(pid))
	if err != nil {
		return false
	}
	// A zombie that its new parent has not reaped is dead enough.
	stat, _ := os.ReadFile("/proc/" + itoa(pid) + "/stat")
	return !strings.Contains(string(stat), ") Z ")
}
