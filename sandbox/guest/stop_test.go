package guest

import (
	"runtime"
	"testing"
	"time"

	"codemode-ls/sandbox/frame"
	"codemode-ls/script"
)

// BUD-1: a built-in that ends early because the script is stopped never looks like
// one that found nothing, whatever moment the stop comes at.
func TestBud1StoppedInside(t *testing.T) {
	r, _ := newTestRealm(t)
	for i := range 500 {
		done := make(chan frame.Finish)
		go func() { done <- r.runText("/(x+x+)+y/.test('x'.repeat(60))", script.TypeScript) }()
		for began := time.Now(); time.Since(began) < time.Duration(4*i)*time.Microsecond; {
			runtime.Gosched()
		}
		r.stop("time")
		if f := <-done; f.Status != "" {
			t.Fatalf("stop %d: %+v", i, f)
		}
		r.vm.ClearInterrupt()
		r.stopped = ""
	}
}

// BUD-1: a value that is large ends early when its script is stopped while it is
// written.
func TestBud1StoppedWhileWritten(t *testing.T) {
	r, _ := newTestRealm(t)
	written := make(chan bool)
	r.vm.Set("tell", func() { close(written) })
	done := make(chan frame.Finish)
	go func() {
		done <- r.runText("const row = Array(1000).fill('x'); return [{ toJSON() { tell(); return 1 } }, Array(1900).fill(row)]", script.JavaScript)
	}()
	<-written
	r.stop("time")
	if f := <-done; f.Status != "" {
		t.Errorf("%s, %d bytes", f.Status, len(f.Value))
	}
}

func TestHardening(t *testing.T) {
	applied, missing := Hardening()
	if len(applied) == 0 {
		t.Error("nothing applied")
	}
	t.Log(applied, missing)
}
