package exec

import (
	"context"
	"strings"
	"testing"
	"time"

	"codemode-ls/catalog"
	"codemode-ls/internal/redact"
	"codemode-ls/sandbox"
	"codemode-ls/script"
)

// RES-4: the data says which budget ended a run, its value and how to raise it; the
// text says no number of it.
func TestRes4BudgetInData(t *testing.T) {
	overCalls := func(s *fakeScript) sandbox.Outcome {
		for i := 0; ; i++ {
			if _, err := s.call("mcp__a__plain", `{}`); err != nil {
				return rejected(i, err)
			}
		}
	}
	ending := func(status sandbox.Status) fakeSandbox {
		return func(*fakeScript) sandbox.Outcome { return sandbox.Outcome{Status: status} }
	}
	for _, c := range []struct {
		name   string
		script fakeSandbox
		q      Request
		want   Budget
	}{
		{"the setting", ending(sandbox.TimedOut), Request{}, Budget{"exec.timeoutMs", 120_000, "ms",
			`Begin the script with // @options: {"timeout_ms": 240000}, or raise the setting codemode.exec.timeoutMs (at most 1800000).`}},
		{"the request", ending(sandbox.TimedOut), Request{TimeoutMs: 777}, Budget{"exec.timeoutMs", 777, "ms",
			`Begin the script with // @options: {"timeout_ms": 1554}, or raise the budget that the run was started with (at most 1800000).`}},
		{"the script", ending(sandbox.TimedOut), Request{Code: "// @options: {\"timeout_ms\": 777}\nreturn 1", TimeoutMs: 5}, Budget{"exec.timeoutMs", 777, "ms",
			"Raise timeout_ms in the script's first line (at most 1800000)."}},
		{"the ceiling", ending(sandbox.TimedOut), Request{TimeoutMs: 1 << 40}, Budget{"exec.timeoutMs", 1_800_000, "ms",
			"It is at its ceiling. Divide the work into several scripts."}},
		{"compute", ending(sandbox.Overspent), Request{}, Budget{"exec.activeMs", 30_000, "ms", "Raise the setting codemode.exec.activeMs (at most 600000)."}},
		{"memory", ending(sandbox.Memory), Request{}, Budget{"exec.memoryMB", 256, "MB", "Raise the setting codemode.exec.memoryMB (at most 4096)."}},
		{"calls", overCalls, Request{MaxToolCalls: 3}, Budget{"exec.maxToolCalls", 3, "",
			`Begin the script with // @options: {"max_tool_calls": 6}, or raise the budget that the run was started with (at most 1000).`}},
		{"code", nil, Request{Code: strings.Repeat("x", 200<<10)}, Budget{"exec.maxCodeBytes", 128 << 10, "bytes", "Raise the setting codemode.exec.maxCodeBytes (at most 1048576)."}},
	} {
		b := setup(t, c.script, allowRule)
		r := b.run(t, c.q)
		if r.Budget == nil || *r.Budget != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, r.Budget, c.want)
		}
		if c.name != "code" && strings.Contains(r.Text, "777") || strings.Contains(r.Text, "codemode.") {
			t.Errorf("%s: a number of the budget is in the text:\n%s", c.name, r.Text)
		}
	}
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		o := rejected(-1, context.DeadlineExceeded)
		o.Error.Code = CodeTimeout // a script's own error
		return o
	})
	if r := b.run(t, Request{}); r.Budget != nil || r.Status != CodeError {
		t.Errorf("%s %+v", r.Status, r.Budget)
	}
}

type slowChecker struct{}

func (slowChecker) Check(ctx context.Context, _ *script.Source, _ script.Language, _ *catalog.Catalog) ([]Diagnostic, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (slowChecker) Contract(ctx context.Context, _ *script.Source, _ script.Language, _ *catalog.Catalog) (*script.Contract, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// BUD-1: the check before a run takes the run's time.
func TestBud1CheckWithinTheBudget(t *testing.T) {
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		t.Error("it ran")
		return completed("1")
	})
	b.Check = slowChecker{}
	began := time.Now()
	r := b.run(t, Request{Check: "error", TimeoutMs: 30})
	if r.Status != Timeout || r.Error.Code != CodeTimeout || r.Budget == nil || r.Budget.Value != 30 || time.Since(began) > 500*time.Millisecond+30*time.Millisecond {
		t.Errorf("%s %+v %+v after %v", r.Status, r.Error, r.Budget, time.Since(began))
	}
	var checked time.Time
	b = setup(t, func(s *fakeScript) sandbox.Outcome {
		if since := time.Since(checked); s.request.Clock.Elapsed() < since {
			t.Errorf("%v of the run's time are gone, %v after the check", s.request.Clock.Elapsed(), since)
		}
		return completed("1")
	})
	b.Check = checkerFunc(func(*catalog.Catalog) { checked = time.Now() })
	if r := b.run(t, Request{Check: "error", TimeoutMs: 60_000}); r.Status != Completed {
		t.Errorf("%s %+v", r.Status, r.Error)
	}
}

// OBS-4: a result is redacted once, whatever the mark itself holds.
func TestObs4RedactedOnce(t *testing.T) {
	const secret = "redacted" // the word of the mark
	b := setup(t, func(s *fakeScript) sandbox.Outcome {
		s.host.Log("log", "a "+secret+" text")
		return completed(`"` + secret + `"`)
	})
	b.Redact = new(redact.Redactor)
	b.Redact.Set([]string{secret}, nil)
	want := b.Redact.Known("a " + secret + " text")
	if b.Redact.Known(want) == want {
		t.Fatal("a second time would change nothing")
	}
	if r := b.run(t, Request{}); r.Logs[0].Text != want {
		t.Errorf("%q, want %q", r.Logs[0].Text, want)
	}
}
