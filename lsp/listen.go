package lsp

import (
	"context"
	"errors"
	"net"
	"sync"
)

// ServeAll serves every client that connects to l until ctx ends or l fails; then
// it ends all of them and waits. Each has a session of its own: documents,
// settings, prompts, servers; what one does or how it dies is nothing to the
// others (PAR-1).
func ServeAll(ctx context.Context, l net.Listener, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	o.Workspace.Redact = nil // each knows the secrets of its own configuration
	var sessions sync.WaitGroup
	defer sessions.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	for {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			if conn != nil {
				conn.Close()
			}
			return nil
		case err != nil:
			return err
		}
		sessions.Go(func() { Serve(ctx, conn, o) })
	}
}
