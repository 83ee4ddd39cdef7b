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
	maxListBytes = 32 << 20
)

// listing is what a server answered to tools/list.
type listing struct {
	tools []jsontext.Value // each as the bytes that the server sent (MCP-7)
	// fault is why the list may be incomplete, "" when it is complete.
	fault string
}

// listTools reads tools/list to its last page (POOL-4). A fault behind the first
// page costs only what comes after it.
func (s *session) listTools(ctx context.Context) (listing, error) {
	var list listing
	size := 0
	sent, noted := map[string]bool{}, 0 // the tools of earlier pages, as bytes
	cursors := map[string]bool{}
	var request mcp.ListToolsRequest
	emptyCursor := false
	for page := 1; ; page++ {
		result, err := s.listPage(ctx, request, emptyCursor)
		switch {
		case errors.Is(err, errNoTools) && page == 1:
			return listing{}, nil
		case err != nil && (page == 1 || s.hasEnded() || errors.Is(ctx.Err(), context.Canceled)):
			return listing{}, fmt.Errorf("tools/list: %w", err)
		case err != nil:
			return list.stop("page %d: %v", page, err), nil
		}
		fields := members(result, "tools", "nextCursor")
		if fields["tools"].Kind() != '[' {
			if page > 1 {
				return list.stop("page %d has no list of tools", page), nil
			}
			return listing{}, errors.New("tools/list: the answer has no list of tools")
		}
		for tool := range elements(fields["tools"]) {
			if page > 1 && sent[string(tool)] {
				continue // a page that comes again
			}
			if size += len(tool); size > maxListBytes || len(list.tools) == maxTools {
				return list.stop("more than %d tools or %d MB", maxTools, maxListBytes>>20), nil
			}
			list.tools = append(list.tools, tool)
		}
		next, ok := fields["nextCursor"]
		if !ok || next.Kind() == 'n' {
			return list, nil
		}
		cursor := stringOf(next)
		switch {
		case next.Kind() != '"':
			return list.stop("the cursor after page %d is no string", page), nil
		case cursor == "" && !s.modern: // the end for older servers, a cursor since 2026-07-28
			return list, nil
		case cursors[cursor]:
			return list.stop("the cursor %q after page %d has come before", clip(cursor, 60), page), nil
		case page == maxPages:
			return list.stop("more than %d pages", maxPages), nil
		}
		for ; noted < len(list.tools); noted++ {
			sent[string(list.tools[noted])] = true
		}
		cursors[cursor] = true
		request.Params.Cursor, emptyCursor = mcp.Cursor(cursor), cursor == ""
	}
}

// stop keeps what was read, and why it is not more.
func (l listing) stop(format string, args ...any) listing {
	l.fault = fmt.Sprintf("tools/list: "+format+"; the %d tools before that are kept", append(args, len(l.tools))...)
	return l
}

// errNoTools is the answer of a server that knows no tools/list.
var errNoTools = errors.New("the server has no tools")

// listPage asks for one page and gives the bytes of the answer, whatever the
// library thought of it: one odd tool never hides the others.
func (s *session) listPage(ctx context.Context, request mcp.ListToolsRequest, emptyCursor bool) (jsontext.Value, error) {
	ctx, tap := tapped(ctx)
	tap.emptyCursor = emptyCursor
	_, err := s.client.ListToolsByPage(ctx, request)
	switch {
	case tap.fault != nil && tap.fault.Code == mcp.METHOD_NOT_FOUND:
		return nil, errNoTools
	case tap.fault != nil:
		return nil, errors.New(faultMessage(tap.fault))
	case tap.result != nil:
		return tap.result, nil
	case err != nil:
		return nil, err
	}
	return nil, errors.New("the server answered nothing")
}

// faultMessage is a JSON-RPC error as text.
func faultMessage(fault *mcp.JSONRPCErrorDetails) string {
	if fault.Message == "" {
		return fmt.Sprintf("error %d", fault.Code)
	}
	return brief(fault.Message)
}
