package lsp

import (
	"context"
	"time"
)

// parentInterval is how often the parent process is looked at.
const parentInterval = 2 * time.Second

// watchParent ends the connection when the process with that id is gone: an
// editor that crashed may leave its end of the pipe open in another process.
func (s *Server) watchParent(pid int) {
	if !processExists(pid) {
		// Nothing that started us has a number unknown here: the client runs on
		// another machine or in another container.
		s.log.Debug("the client's process is not on this machine", "pid", pid)
		return
	}
	s.spawn(func(ctx context.Context) {
		tick := time.NewTicker(parentInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if !processExists(pid) {
					s.hangup(errParentGone)
					return
				}
			}
		}
	})
}
