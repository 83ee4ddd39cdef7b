package upstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"
)

// Bounds of one server's tools/list, against a server that never stops.
const (
	maxPages     = 1_000
	maxTools     = 20_000
	maxListBytes = 256 << 20
)

// listTools reads tools/list to its last page (POOL-4), each tool as the bytes
// that the server sent (MCP-7).
func (s *session) listTools(ctx context.Context) ([]jsontext.Value, error) {
	var tools []jsontext.Value
	size := 0
	seen := map[string]bool{}
	var request mcp.ListToolsRequest
	for page := 1; ; page++ {
		if page > maxPages {
			return nil, fmt.Errorf("tools/list has more than %d pages", maxPages)
		}
		ctx, tap := tapped(ctx)
		_, err := s.client.ListToolsByPage(ctx, request)
		switch {
		case tap.fault != nil && tap.fault.Code == mcp.METHOD_NOT_FOUND && page == 1:
			return nil, nil // a server without tools
		case tap.fault != nil:
			return nil, fmt.Errorf("tools/list: %s", faultMessage(tap.fault))
		case tap.result == nil && err == nil:
			return nil, errors.New("tools/list: the server answered nothing")
		case tap.result == nil:
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		// Whatever mcp-go thought of it: one odd tool never hides the others.
		fields := members(tap.result)
		if fields["tools"].Kind() != '[' {
			return nil, errors.New("tools/list: the answer has no list of tools")
		}
		for _, tool := range elements(fields["tools"]) {
			size += len(tool)
			tools = append(tools, tool)
		}
		if len(tools) > maxTools || size > maxListBytes {
			return nil, fmt.Errorf("tools/list: more than %d tools or %d bytes", maxTools, maxListBytes)
		}
		cursor := stringOf(fields["nextCursor"])
		if cursor == "" {
			return tools, nil
		}
		if seen[cursor] {
			return nil, fmt.Errorf("tools/list: cursor %q comes again", clip(cursor, 60))
		}
		seen[cursor] = true
		request.Params.Cursor = mcp.Cursor(cursor)
	}
}

// faultMessage is a JSON-RPC error in words.
func faultMessage(fault *mcp.JSONRPCErrorDetails) string {
	if fault.Message == "" {
		return fmt.Sprintf("error %d", fault.Code)
	}
	return fault.Message
}
