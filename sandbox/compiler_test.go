package sandbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"codemode-ls/script"
)

// BUD-12: whatever happens to the compiler of a script, the run has a result and
// the next run a compiler.
func TestCompilerEndings(t *testing.T) {
	p := NewPool(Options{Warm: 1, MaxRuns: 2, MemoryMB: 256})
	defer p.Close()
	r := testRequest("return 1")
	wantValue(t, p.Run(t.Context(), r, &testHost{}), "1")

	// One that dies while it waits is replaced.
	c, err := p.takeCompiler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Process.Kill()
	<-c.exited
	p.keepCompiler(c)
	wantValue(t, p.Run(t.Context(), testRequest("return 2"), &testHost{}), "2")

	// One that dies at its work is a failed result.
	c, err = p.takeCompiler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Process.Kill()
	if _, err := c.compile(t.Context(), "return 3", script.TypeScript); err == nil || !strings.Contains(err.Error(), "ended unexpectedly") {
		t.Errorf("%v", err)
	}
	p.retire(c)
	wantValue(t, p.Run(t.Context(), testRequest("return 3"), &testHost{}), "3")

	// A text that its parser cannot take.
	r = testRequest(strings.Repeat("(", 1<<20))
	if o := p.Run(t.Context(), r, &testHost{}); o.Status == Completed || o.Error == nil {
		t.Errorf("%+v", o)
	}
	wantValue(t, p.Run(t.Context(), testRequest("return 4"), &testHost{}), "4")

	// Compiling is the script's time (BUD-6).
	r = testRequest("return [" + strings.Repeat("(x)=>x+1,", 1<<17) + "]")
	r.Limits.Active = time.Millisecond
	if o := p.Run(t.Context(), r, &testHost{}); o.Status != Overspent || o.Active < time.Millisecond {
		t.Errorf("%+v", o)
	}
}

// BUD-1: a script that takes longer to compile than it may take at all ends as out
// of time, at most half a second later.
func TestBud1SlowCompilation(t *testing.T) {
	p := NewPool(Options{Warm: 1, MaxRuns: 1, MemoryMB: 256})
	defer p.Close()
	const work, budget = 300 * time.Millisecond, 100 * time.Millisecond
	size, took := 1<<14, time.Duration(0)
	large := func(value string) string { return "return [" + strings.Repeat("(x)=>x+1,", size) + value + "]" }
	for took < work {
		size *= 2
		for i := range 2 { // the first may have waited for its process
			began := time.Now()
			if _, err := p.compile(t.Context(), large(fmt.Sprint(-i)), script.TypeScript); err != nil {
				t.Fatal(err)
			}
			took = time.Since(began)
		}
	}
	late := time.Duration(0)
	for i := range 3 { // a busy machine is late by itself, but not each time
		r := testRequest(large(fmt.Sprint(i + 2)))
		r.Limits.Wall = budget
		began := time.Now()
		o := p.Run(t.Context(), r, &testHost{})
		wantError(t, o, TimedOut, "", "")
		if late = time.Since(began) - budget; late <= 500*time.Millisecond {
			return
		}
	}
	t.Errorf("%v late, compiling takes %v", late, took)
}

// Programs are kept by text and language, within bounds.
func TestPrograms(t *testing.T) {
	var s programs
	for i := range maxPrograms + 1 {
		s.keep(fmt.Sprint(i), script.TypeScript, &script.Program{Code: fmt.Sprint(i)})
		s.find("0", script.TypeScript) // used, so not the one that goes
	}
	if s.find("0", script.TypeScript) == nil || s.find("1", script.TypeScript) != nil || s.find("2", script.TypeScript) == nil || s.find("2", script.JavaScript) != nil {
		t.Error("not the one that was not used for the longest is gone")
	}
	if p := s.find("7", script.TypeScript); p == nil || p.Code != "7" {
		t.Errorf("%+v", p)
	}
	for i := range 5 {
		s.keep(strings.Repeat(fmt.Sprint(i), maxProgramBytes/3), script.TypeScript, &script.Program{})
	}
	s.keep(strings.Repeat("x", maxProgramBytes+1), script.TypeScript, &script.Program{})
	if s.bytes > maxProgramBytes || len(s.list) == 0 {
		t.Errorf("%d bytes in %d", s.bytes, len(s.list))
	}
}
