package upstream

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endWithUs has the kernel end the process when this program is gone, even when
// that was killed and could end nothing itself. The kernel means the thread that
// started the process, not the program, so starters must last: see lasting.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }

// lasting is a thread that starts processes and is never ended while the program
// lives. The zero value is ready; its owner calls end.
type lasting struct{ work chan func() }

// do runs f on the thread and waits for it. Calls come one at a time.
func (l *lasting) do(f func()) {
	if l.work == nil {
		l.work = make(chan func())
		go func(work <-chan func()) {
			runtime.LockOSThread()
			// Unlocked, the thread goes back to the runtime, which keeps it; locked, it
			// would be ended with this goroutine.
			defer runtime.UnlockOSThread()
			for f := range work {
				f()
			}
		}(l.work)
	}
	done := make(chan struct{})
	l.work <- func() {
		defer close(done)
		f()
	}
	<-done
}

// end ends the goroutine; do must not be called any more.
func (l *lasting) end() {
	if l.work != nil {
		close(l.work)
	}
}
