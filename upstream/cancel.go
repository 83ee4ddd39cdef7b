package upstream

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Cancellation (MCP-6, TIME-2). mcp-go notifies a server of it over stdio alone, and
// in its own time: a call that waits for this one to be out of the way (SCHED-1)
// would be at the server before it. So it is sent here before the call ends. Over
// HTTP it has to be sent because the end of the connection means nothing, but for
// the newest protocol version, where it means just this.

// cancelTimeout bounds a notification that nobody waits for any longer.
const cancelTimeout = 5 * time.Second

type notify func(context.Context, mcp.JSONRPCNotification) error

// cancelled notifies the server, when a request ended with its context, that nobody
// waits for the answer.
func (s *session) cancelled(ctx context.Context, req transport.JSONRPCRequest, err error, send notify) {
	switch mcp.MCPMethod(req.Method) {
	case mcp.MethodInitialize, mcp.MethodServerDiscover: // these must not be cancelled
		return
	}
	if err == nil || ctx.Err() == nil || s.hasEnded() || s.process == nil && s.modern {
		return
	}
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	n.Method = string(mcp.MethodNotificationCancelled)
	n.Params.AdditionalFields = map[string]any{"requestId": req.ID, "reason": "the answer is not waited for any longer"}
	if s.process != nil { // its outbox never blocks
		_ = send(s.ctx, n)
		return
	}
	sent := make(chan struct{})
	s.mu.Lock()
	if s.ctx.Err() != nil {
		s.mu.Unlock()
		return
	}
	s.background.Go(func() {
		defer close(sent)
		ctx, cancel := context.WithTimeout(s.ctx, cancelTimeout)
		defer cancel()
		_ = send(ctx, n)
	})
	s.mu.Unlock()
	late := time.NewTimer(sendGrace)
	defer late.Stop()
	select {
	case <-sent:
	case <-late.C:
	}
}
